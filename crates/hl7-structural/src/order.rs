//! Which of two messages was sent first.
//!
//! Within a file and among events the order is the one they stand in. Files whose names differ in one number alone
//! (`out7.hl7`) were written in the order of that number, unless their times say otherwise; those of the MLLP recorder
//! (`mllp-00000007.hl7`) whatever their times say. Otherwise the times decide, where they do: of an event when it was
//! recorded, of a message MSH-7.

use std::cmp::Ordering;

use candor_check::compare::{Date, DateForm};
use candor_check::records::Candidate;
use candor_hl7v2::Path;

use crate::correlation::first;
use crate::seen::Message;

/// Where a message stands among others.
pub(crate) struct Position<'a> {
    index: usize,
    locator: &'a str,
    time: Option<Date>,
}

impl<'a> Position<'a> {
    /// Of the candidate with this index.
    pub(crate) fn of(index: usize, candidate: &'a Candidate<Message>) -> Self {
        let written = candidate.content.at.clone().or_else(|| {
            let message = candidate.content.read()?;
            first(&Path::parse("MSH.7.1").ok()?, &message)
        });
        let read = |text: &str| Date::parse(text, DateForm::Iso).or_else(|| Date::parse(text, DateForm::Hl7));
        Self { index, locator: &candidate.source.locator, time: written.as_deref().and_then(read) }
    }

    /// Whether it stands before the other in a file, or in the names of the recorder: an order that is known of all.
    pub(crate) fn is_directly_before(&self, other: &Self) -> bool {
        let recorded = is_recorded(self.locator) && is_recorded(other.locator);
        let same = self.locator == other.locator;
        (same || recorded && numbered(self.locator, other.locator) == Some(Ordering::Less))
            && (!same || self.index < other.index)
    }

    /// Whether it was sent before the other; `None` where that is not known.
    pub(crate) fn before(&self, other: &Self) -> Option<bool> {
        if self.locator == other.locator {
            return Some(self.index < other.index);
        }
        let by_time = || earlier(self.time.as_ref()?, other.time.as_ref()?);
        let by_name = numbered(self.locator, other.locator).map(|order| order == Ordering::Less);
        match by_name {
            Some(_) if is_recorded(self.locator) && is_recorded(other.locator) => by_name,
            // A number may be that of a patient as well.
            Some(before) => by_time().is_none_or(|earlier| earlier == before).then_some(before),
            None => by_time(),
        }
    }
}

/// Whether a name is one that the MLLP recorder gives: its number says for certain what came first.
fn is_recorded(locator: &str) -> bool {
    let name = locator.rsplit_once('/').map_or(locator, |(_, name)| name);
    let number = name.strip_prefix("mllp-").and_then(|rest| rest.strip_suffix(".hl7"));
    number.is_some_and(|number| number.len() >= 8 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// How two names stand to each other that differ in one number alone.
fn numbered(one: &str, other: &str) -> Option<Ordering> {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let head = one.get(..same)?;
    let head = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = |name: &'_ str| {
        let rest = name.get(head.len()..)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, tail) = rest.split_at(digits);
        digits.parse::<u64>().ok().map(|number| (number, tail.to_owned()))
    };
    let ((one, tail), (other, other_tail)) = (number(one)?, number(other)?);
    (tail == other_tail && one != other).then(|| one.cmp(&other))
}

/// Whether one time is before another for certain; what has no zone may have any (UTC+14 to UTC-12).
fn earlier(one: &Date, other: &Date) -> Option<bool> {
    const HOUR: i128 = 3_600_000_000_000;
    let slack = if one.is_zoned() == other.is_zoned() { 0 } else { 14 * HOUR };
    let ((start, end), (from, to)) = (one.bounds(), other.bounds());
    if end + slack <= from {
        Some(true)
    } else if to + slack <= start {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_are_in_the_order_of_their_number() {
        for (one, other, order) in [
            ("hl7/mllp-00000002.hl7", "hl7/mllp-00000010.hl7", Some(Ordering::Less)),
            ("hl7/out9.hl7", "hl7/out10.hl7", Some(Ordering::Less)),
            ("hl7/a1.hl7", "hl7/b2.hl7", None),
            ("hl7/1-a.hl7", "hl7/2-b.hl7", None),
            ("hl7/a.hl7", "hl7/b.hl7", None),
            ("hl7/1.hl7", "hl7/01.hl7", None),
            ("hl7/é1.hl7", "hl7/é2.hl7", Some(Ordering::Less)),
        ] {
            assert_eq!(numbered(one, other), order, "{one} {other}");
        }
    }
}
