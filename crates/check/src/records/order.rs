//! The order in which candidates happened, for `first` and `last`.
//!
//! A recorded time decides. Candidates of one time are in the order of their numbers, then of their positions in one file
//! or event stream. Where a time is missing, or time and position of one stream contradict each other by more than a minute,
//! there are several candidates that may be the first or the last.

use std::collections::HashMap;

use super::Match;
use crate::compare::Date;

/// When a candidate happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The recorded time, to the precision that the source wrote.
    pub time: Date,
    /// Orders what has the same time and was numbered by its sender, such as an X12 interchange.
    pub number: Option<u64>,
}

/// A candidate's moment, if it has one, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The file or event stream. Positions count within one stream only.
    pub stream: &'a str,
    /// The position in the stream.
    pub position: usize,
    /// When it happened.
    pub moment: Option<Moment>,
}

const SECOND: i128 = 1_000_000_000;
const HOUR: i128 = 3600 * SECOND;
/// Time and position that differ by no more than this do not contradict each other: clocks and queues differ.
const SLACK: i128 = 60 * SECOND;

/// First instant, and the first one after it.
type Bounds = (i128, i128);

impl Moment {
    /// The instants that the time may represent: by its own clock, and on the clock of UTC, where a local time may be
    /// anywhere from 14 hours ahead to 12 hours behind.
    fn bounds(&self) -> (Bounds, Bounds) {
        let (start, end) = self.time.bounds();
        let utc = if self.time.is_zoned() { (start, end) } else { (start - 14 * HOUR, end + 12 * HOUR) };
        ((start, end), utc)
    }

    fn on_one_clock(&self, other: &Self) -> (Bounds, Bounds) {
        let ((own, utc), (other_own, other_utc)) = (self.bounds(), other.bounds());
        if self.time.is_zoned() == other.time.is_zoned() { (own, other_own) } else { (utc, other_utc) }
    }
}

impl Moment {
    /// Returns `true` if this was before the other for certain, by more than clocks differ.
    #[must_use]
    pub fn precedes(&self, other: &Self) -> bool {
        let ((_, end), (from, _)) = self.on_one_clock(other);
        from - end > SLACK
    }
}

impl Standing<'_> {
    /// Says if this happened before the other; `None` where that is not known.
    #[must_use]
    pub fn before(&self, other: &Self) -> Option<bool> {
        let (one, two) = (self.moment.as_ref()?, other.moment.as_ref()?);
        let ((start, end), (from, to)) = one.on_one_clock(two);
        let by_time = if end <= from {
            Some(true)
        } else if to <= start {
            Some(false)
        } else {
            None
        };
        let by_position = (self.stream == other.stream).then_some(self.position < other.position);
        match (by_time, by_position) {
            (Some(time), Some(position)) if time != position => {
                (gap((start, end), (from, to)) <= SLACK).then_some(time)
            }
            (Some(time), _) => Some(time),
            // A local time and an instant of the same day.
            (None, _) if one.time.is_zoned() != two.time.is_zoned() => None,
            (None, _) => by_number(one, two).or(by_position),
        }
    }

    /// Returns `true` if this is before the other, and before everything that follows the other in the same way.
    #[must_use]
    pub fn leads(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.moment, other.moment) else { return false };
        let ((start, end), (from, to)) = (one.time.bounds(), two.time.bounds());
        one.time.is_zoned() == two.time.is_zoned() && start <= from && end <= to && self.before(other) == Some(true)
    }

    /// A key that puts standings in the order in which they happened, where that is known.
    #[must_use]
    pub fn sort_key(&self) -> Option<(i128, i128, usize)> {
        let (_, (start, end)) = self.moment?.bounds();
        Some((start, end, self.position))
    }
}

fn by_number(one: &Moment, two: &Moment) -> Option<bool> {
    let (one, two) = one.number.zip(two.number)?;
    (one != two).then_some(one < two)
}

/// How far apart two times are at least; 0 where they overlap.
fn gap((start, end): Bounds, (from, to): Bounds) -> i128 {
    (from - end).max(start - to).max(0)
}

/// The indexes of the candidates that may be the one that `match` asks for, in their order, and the likeliest of them.
pub(super) fn ends(matching: Match, standings: &[Standing<'_>]) -> (Option<usize>, Vec<usize>) {
    let all: Vec<Timed<'_>> = standings
        .iter()
        .enumerate()
        .filter_map(|(index, standing)| Timed::of(index, standing, matching == Match::First))
        .collect();
    let latest = |zoned: Option<bool>| {
        all.iter().filter(|timed| zoned.is_none_or(|zoned| timed.zoned == zoned)).map(|timed| timed.start(zoned)).max()
    };
    let (zoned, local, any) = (latest(Some(true)), latest(Some(false)), latest(None));
    // What nothing is known to follow.
    let open = |timed: &&Timed<'_>| {
        let same = if timed.zoned { zoned } else { local };
        let mixed = zoned.is_some() && local.is_some();
        same.is_none_or(|latest| latest < timed.own.1) && (!mixed || any.is_none_or(|latest| latest < timed.utc.1))
    };
    let survivors: Vec<&Timed<'_>> = all.iter().filter(open).collect();
    let left = by_number_and_position(&survivors);
    let picked = left.iter().max_by_key(|timed| (timed.utc.0, timed.index)).map(|timed| timed.index);
    let mut possible: Vec<usize> = left.iter().map(|timed| timed.index).collect();
    // The last of its stream by position, where its time says otherwise.
    let by_position = last_of_streams(all.iter());
    let contradicted = survivors.iter().filter_map(|survivor| {
        let last = by_position.get(survivor.stream)?;
        let apart =
            if last.zoned == survivor.zoned { gap(last.own, survivor.own) } else { gap(last.utc, survivor.utc) };
        (apart > SLACK).then_some(last.index)
    });
    possible.extend(contradicted);
    possible.extend(standings.iter().enumerate().filter(|(_, s)| s.moment.is_none()).map(|(index, _)| index));
    possible.sort_unstable();
    possible.dedup();
    let last = if matching == Match::First { possible.first() } else { possible.last() };
    (picked.or(last.copied()), possible)
}

fn by_number_and_position<'s, 'a>(survivors: &[&'s Timed<'a>]) -> Vec<&'s Timed<'a>> {
    let mut left = Vec::new();
    for zoned in [false, true] {
        let mut same: Vec<&Timed<'_>> = survivors.iter().copied().filter(|timed| timed.zoned == zoned).collect();
        if same.iter().all(|timed| timed.number.is_some()) {
            let highest = same.iter().map(|timed| timed.number).max().flatten();
            same.retain(|timed| timed.number == highest);
        }
        let last = last_of_streams(same.iter().copied());
        same.retain(|timed| last.get(timed.stream).is_some_and(|last| last.index == timed.index));
        left.extend(same);
    }
    left
}

/// By stream, what is last in it by position.
fn last_of_streams<'s, 'a: 's>(of: impl Iterator<Item = &'s Timed<'a>>) -> HashMap<&'a str, &'s Timed<'a>> {
    let mut last_of_streams: HashMap<&str, &Timed<'_>> = HashMap::new();
    for timed in of {
        let last = last_of_streams.entry(timed.stream).or_insert(timed);
        if timed.position > last.position {
            *last = timed;
        }
    }
    last_of_streams
}

/// A candidate with a time, turned round where the first is asked for, so that the last is always what is looked for.
struct Timed<'a> {
    index: usize,
    stream: &'a str,
    position: i128,
    zoned: bool,
    own: Bounds,
    utc: Bounds,
    number: Option<i128>,
}

impl<'a> Timed<'a> {
    fn of(index: usize, standing: &Standing<'a>, turned: bool) -> Option<Self> {
        let moment = standing.moment?;
        let (own, utc) = moment.bounds();
        let turn = |(start, end): Bounds| if turned { (-end, -start) } else { (start, end) };
        let sign = |number: i128| if turned { -number } else { number };
        Some(Self {
            index,
            stream: standing.stream,
            position: sign(standing.position as i128),
            zoned: moment.time.is_zoned(),
            own: turn(own),
            utc: turn(utc),
            number: moment.number.map(|number| sign(i128::from(number))),
        })
    }

    fn start(&self, zoned: Option<bool>) -> i128 {
        if zoned.is_some() { self.own.0 } else { self.utc.0 }
    }
}
