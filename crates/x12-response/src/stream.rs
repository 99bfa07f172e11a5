//! Streams interchanges and keeps what the selection leaves.

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Read};

use candor_check::evidence::SourceRef;
use candor_check::field::{FieldResult, Location};
use candor_check::records::{Candidate, Completeness, Cut, Fault, NearMiss, Reading, Unreadable, closest};
use candor_check::sandbox::{FileEntry, Folder};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use candor_x12::{Ending, Finding, Input, Item, ParseError, ParseErrorKind, SetHead, SetView, Walk};

use crate::claims;
use crate::lines;
use crate::path::ReadSet;
use crate::seen::{Coded, Content};
use crate::selection::{Selection, Unmet};
use crate::settings::Settings;
use crate::source::x12_limits;
use crate::tried::record;

/// ST01 of an 835.
const REMITTANCE: &str = "835";

/// The most unreadable places of one file that are kept one by one.
const MOST_UNREADABLE: usize = 200;

#[derive(Default)]
pub(crate) struct Held {
    pub(crate) candidates: Vec<Candidate<Content>>,
    pub(crate) considered: u64,
    pub(crate) near: Option<NearMiss>,
    pub(crate) unreadable: Vec<Unreadable>,
    /// How many more places could not be read.
    pub(crate) more_unreadable: usize,
    pub(crate) size: u64,
    /// X12's own codes of what could not be read.
    pub(crate) codes: Vec<Coded>,
    /// Something is cut off that was, or may have been, a remittance.
    pub(crate) cuts_remittance: bool,
    pub(crate) reversed: HashSet<String>,
    /// More was selected than may be held.
    pub(crate) over_the_limit: bool,
}

fn completeness(ending: Ending) -> Completeness {
    match ending {
        Ending::Whole => Completeness::Whole,
        Ending::CutOff { offset } => Completeness::Cut(Cut::new(offset, "X12 that is cut off")),
        Ending::Unknown => Completeness::Unknown,
    }
}

/// Where a stream comes from.
pub(crate) struct From<'a> {
    pub(crate) place: Location,
    pub(crate) name: String,
    pub(crate) located: bool,
    pub(crate) selection: &'a Selection,
    /// The most bytes of candidates that may be held.
    pub(crate) room: u64,
    /// Whether form is asked for: what cannot be read is then the fault of who wrote it.
    pub(crate) form: bool,
    /// Whether reversals of claims are looked for in every remittance, selected or not.
    pub(crate) remittances: bool,
}

/// Reads a file of the sandbox, piece by piece. Where form is asked for, candidates know the line they begin in.
pub(crate) fn file(
    folder: &Folder,
    file: &FileEntry,
    settings: &Settings,
    room: u64,
) -> Result<Reading<Held>, Unverifiable> {
    let form = settings.validate.is_some();
    let from = From {
        place: Location::whole(file.locator.as_str()),
        name: file.locator.clone(),
        located: true,
        selection: &settings.selection,
        room,
        form,
        remittances: settings.reads_remittances(),
    };
    let read = Cell::new(0);
    let counted = Counted { source: folder.open(file)?, read: &read };
    let reading = from.read(Walk::from_read(counted, x12_limits(folder.limits())));
    let (mut held, ending) = reading.into_parts();
    if read.get() > folder.limits().max_bytes {
        let what = "the file has grown beyond the limit max_bytes".to_owned();
        let fault = Fault::Obstacle(Obstacle::LimitExceeded);
        held.unreadable.insert(0, Unreadable { place: from.place.clone(), what, fault });
    }
    if !held.candidates.is_empty() {
        let sha256 = folder.sha256(file)?;
        for candidate in &mut held.candidates {
            candidate.source.sha256 = Some(sha256.clone());
        }
        if form {
            let offsets: Vec<u64> = held.candidates.iter().map(|candidate| candidate.content.offset()).collect();
            let lines = lines::at(folder.open(file)?, &offsets).map_err(|error| {
                Unverifiable::new(
                    Obstacle::SourceUnavailable,
                    format!("{}: it could not be read again: {error}", file.locator),
                )
            })?;
            for (candidate, line) in held.candidates.iter_mut().zip(lines) {
                candidate.content.begins_in(line);
            }
        }
    }
    Ok(Reading::new(held, ending))
}

/// Counts what is read, so that a file that grew past the limit is told from one that ended.
struct Counted<'a, R> {
    source: R,
    read: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

impl From<'_> {
    pub(crate) fn read<I: Input>(&self, mut walk: Walk<I>) -> Reading<Held> {
        let mut held = Held::default();
        let mut open = Open::default();
        loop {
            let mut heads = Heads::default();
            let item = walk.next_item(&mut |head| self.wants(head, &mut heads));
            held.considered += heads.considered;
            if held.candidates.is_empty() {
                held.near = closest(held.near.take(), heads.near);
            }
            open.head = heads.last.or(open.head);
            open.unselected = heads.unselected.or(open.unselected);
            match item {
                Ok(Some(item)) => self.item(item, &mut held, &mut open),
                Ok(None) => {
                    self.lay_down(&mut open, &mut held);
                    break;
                }
                Err(error) => {
                    self.lay_down(&mut open, &mut held);
                    held.unreadable.insert(0, self.outage(&error));
                    open.lose(&mut held);
                    break;
                }
            }
            if held.over_the_limit || cancelled() {
                break;
            }
        }
        Reading::new(held, completeness(walk.ending()))
    }

    fn wants(&self, head: &SetHead<'_>, heads: &mut Heads) -> bool {
        if self.selection.asks_for_ta1() {
            return false;
        }
        heads.considered += 1;
        heads.last = Some((head.st.offset(), head.st.text(1) == REMITTANCE));
        match self.selection.unmet(head) {
            None => true,
            Some(unmet) => {
                heads.near = closest(heads.near.take(), Some(self.other(head, unmet)));
                let reads_claims = self.remittances && head.st.text(1) == REMITTANCE;
                heads.unselected = reads_claims.then_some(head.st.offset());
                reads_claims
            }
        }
    }

    fn other(&self, head: &SetHead<'_>, unmet: Unmet) -> NearMiss {
        let start = head.st.offset();
        let place = self.place(start, start + head.st.raw().len() as u64);
        let label = format!("transaction set {} {} of {}", head.st.text(1), head.st.text(2), self.name);
        self.selection.miss(unmet, place, label)
    }

    fn item(&self, item: Item<'_>, held: &mut Held, open: &mut Open) {
        let is_passed_over = matches!(&item, Item::Fault(error) if error.kind == ParseErrorKind::InvalidSegmentId);
        if !is_passed_over && !matches!(item, Item::Set(_)) {
            self.lay_down(open, held);
        }
        match item {
            Item::Set(set) => {
                let view = set.view();
                let damaged = self.damage(&view, open, held);
                if self.remittances {
                    held.reversed.extend(claims::reversed(&view));
                }
                if open.unselected == Some(view.body.offset) {
                    return;
                }
                let st = view.segment("ST");
                let text = |position| st.map(|st| st.text(position)).unwrap_or_default();
                let label = format!("transaction set {} {} of {}", text(1), text(2), self.name);
                if self.candidate(&view, label, damaged, held) {
                    open.groups.push(set.group.map(|group| group.index));
                    add(held, held.candidates.len() - 1, &set.findings);
                }
            }
            Item::Ta1(ta1) => {
                if self.selection.asks_for_ta1() {
                    held.considered += 1;
                    let view = ta1.view();
                    let number = view.segment("TA1").map(|ta1| ta1.text(1)).unwrap_or_default();
                    if self.candidate(&view, format!("TA1 {number} of {}", self.name), Vec::new(), held) {
                        open.groups.push(None);
                    }
                }
            }
            Item::GroupEnd { index, findings } => {
                for (candidate, group) in (open.interchange..).zip(&open.groups) {
                    if *group == Some(index) {
                        add(held, candidate, &findings);
                    }
                }
            }
            Item::InterchangeEnd { findings, .. } => {
                for candidate in open.interchange..held.candidates.len() {
                    add(held, candidate, &findings);
                }
                open.interchange = held.candidates.len();
                open.groups.clear();
            }
            Item::Fault(error) if is_passed_over => open.damage.push(error),
            Item::Fault(error) => self.fault(&error, open, held),
        }
    }

    /// The segments of a set that have no id: they are the set's own, and what it holds beside them is read.
    fn damage(&self, view: &SetView<'_>, open: &mut Open, held: &mut Held) -> Vec<u64> {
        let end = view.body.offset + view.body.bytes.len() as u64;
        let (own, others): (Vec<ParseError>, Vec<ParseError>) =
            open.damage.drain(..).partition(|error| view.body.offset <= error.offset && error.offset < end);
        open.damage = others;
        self.lay_down(open, held);
        own.into_iter().map(|error| error.offset).collect()
    }

    /// What no set was read around is unreadable by itself.
    fn lay_down(&self, open: &mut Open, held: &mut Held) {
        for error in std::mem::take(&mut open.damage) {
            self.fault(&error, open, held);
        }
    }

    /// Keeps a set or TA1 if it is selected.
    fn candidate(&self, view: &SetView<'_>, label: String, damaged: Vec<u64>, held: &mut Held) -> bool {
        let start = view.body.offset;
        let place = self.place(start, start + view.body.bytes.len() as u64);
        let set = ReadSet::new(*view, self.located).damaged_at(damaged.first().copied());
        if let Err(results) = self.selection.correlates(&set, &place) {
            let mut open = results.iter().filter(|result| !result.passed).peekable();
            if open.peek().is_some() && open.all(FieldResult::is_undecidable) {
                let what = match damaged.first() {
                    Some(at) => format!("whether {label} is meant is not known: its segment at byte {at} has no id"),
                    None => format!(
                        "whether {label} is meant is not known: it is of guide {:?}, whose loops are not known",
                        set.guide()
                    ),
                };
                let fault = Fault::Obstacle(Obstacle::Undecidable);
                self.unreadable(Unreadable { place, what, fault }, held);
                return false;
            }
            if held.candidates.is_empty() {
                let near = self.selection.miss_of(&results, place, label);
                held.near = closest(held.near.take(), near);
            }
            return false;
        }
        let content = Content::new(view, self.located, damaged);
        held.size += content.size();
        if held.size > self.room {
            held.over_the_limit = true;
            return false;
        }
        let source = SourceRef { locator: place.locator, sha256: None, span: place.span, record: record(&set) };
        held.candidates.push(Candidate { source, label, content });
        true
    }

    fn fault(&self, error: &ParseError, open: &Open, held: &mut Held) {
        if matches!(error.kind, ParseErrorKind::TooManyControlNumbers { .. }) {
            // What comes after may repeat a number that was not remembered; what came before may be repeated.
            for candidate in &mut held.candidates {
                candidate.content.envelope_is_unknown();
            }
        }
        if error.kind.is_cut() {
            let of_other = open.head.is_some_and(|(offset, is_remittance)| offset == error.offset && !is_remittance);
            held.cuts_remittance |= !of_other;
        }
        let fault = match error.kind.is_limit() {
            true => Fault::Obstacle(Obstacle::LimitExceeded),
            false if self.form => Fault::System,
            false => Fault::Recording,
        };
        let what = match self.located {
            true => error.to_string(),
            false => format!("{}, of the payload", error),
        };
        let end = match error.kind {
            ParseErrorKind::SetCutOff { end } => end,
            _ => error.offset,
        };
        let place = self.place(error.offset, end);
        if let Some(code) = error.kind.code().filter(|_| self.form && held.unreadable.len() < MOST_UNREADABLE) {
            held.codes.push(Coded { place: place.clone(), code: code.to_owned() });
        }
        self.unreadable(Unreadable { place, what, fault }, held);
    }

    fn unreadable(&self, unreadable: Unreadable, held: &mut Held) {
        if held.unreadable.len() < MOST_UNREADABLE {
            held.unreadable.push(unreadable);
        } else {
            held.more_unreadable += 1;
        }
    }

    fn outage(&self, error: &io::Error) -> Unreadable {
        let obstacle = match error.kind() {
            io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
            io::ErrorKind::TimedOut => Obstacle::Timeout,
            _ => Obstacle::SourceUnavailable,
        };
        let what = format!("it could not be read to its end: {error}");
        Unreadable { place: self.place.clone(), what, fault: Fault::Obstacle(obstacle) }
    }

    fn place(&self, start: u64, end: u64) -> Location {
        if self.located { Location::bytes(self.place.locator.as_str(), start..end) } else { self.place.clone() }
    }
}

fn add(held: &mut Held, candidate: usize, findings: &[Finding]) {
    if let Some(candidate) = held.candidates.get_mut(candidate) {
        candidate.content.add(findings);
    }
}

#[derive(Default)]
struct Heads {
    considered: u64,
    near: Option<NearMiss>,
    /// As [`Open::head`].
    last: Option<(u64, bool)>,
    /// As [`Open::unselected`].
    unselected: Option<u64>,
}

/// The candidates whose interchange is not over yet.
#[derive(Default)]
struct Open {
    /// The first of them.
    interchange: usize,
    groups: Vec<Option<u64>>,
    /// The offset of the last ST, and whether it is that of a remittance.
    head: Option<(u64, bool)>,
    /// The ST of a set that is read for its claims only.
    unselected: Option<u64>,
    /// Segments without an id of the set that is being read.
    damage: Vec<ParseError>,
}

impl Open {
    /// Nothing will be known of the trailers.
    fn lose(&self, held: &mut Held) {
        for candidate in held.candidates.iter_mut().skip(self.interchange) {
            candidate.content.envelope_is_unknown();
        }
    }
}
