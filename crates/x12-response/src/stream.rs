//! Streams interchanges and keeps what the selection leaves.

use std::cell::Cell;
use std::io::{self, Read};

use candor_check::evidence::SourceRef;
use candor_check::field::{FieldResult, Location};
use candor_check::records::{Candidate, Fault, NearMiss, Unreadable, closest};
use candor_check::sandbox::{FileEntry, Folder};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use candor_x12::{Finding, Input, Item, ParseError, ParseErrorKind, SetHead, SetView, Walk};

use crate::lines;
use crate::path::ReadSet;
use crate::seen::Content;
use crate::selection::{Selection, Unmet};
use crate::source::x12_limits;

/// The most unreadable places of one file that are kept one by one.
const MOST_UNREADABLE: usize = 200;

/// What one stream of interchanges held.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) candidates: Vec<Candidate<Content>>,
    pub(crate) considered: u64,
    pub(crate) near: Option<NearMiss>,
    pub(crate) unreadable: Vec<Unreadable>,
    /// How many more places could not be read.
    pub(crate) more_unreadable: usize,
    pub(crate) size: u64,
    /// More was selected than may be held.
    pub(crate) over_the_limit: bool,
}

/// Where a stream comes from.
pub(crate) struct From<'a> {
    /// The file, or the event's line.
    pub(crate) place: Location,
    /// What a person would call it.
    pub(crate) name: String,
    /// Whether offsets are those of the place's file.
    pub(crate) located: bool,
    pub(crate) selection: &'a Selection,
    /// The most bytes of candidates that may be held.
    pub(crate) room: u64,
}

/// Reads a file of the sandbox, piece by piece.
///
/// `lines`: whether candidates are to know the line they begin in.
pub(crate) fn file(
    folder: &Folder,
    file: &FileEntry,
    selection: &Selection,
    room: u64,
    lines: bool,
) -> Result<Held, Unverifiable> {
    let from = From {
        place: Location::whole(file.locator.as_str()),
        name: file.locator.clone(),
        located: true,
        selection,
        room,
    };
    let read = Cell::new(0);
    let counted = Counted { source: folder.open(file)?, read: &read };
    let mut held = from.read(Walk::from_read(counted, x12_limits(folder.limits())));
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
        if lines {
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
    Ok(held)
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
    /// Walks over a stream to its end.
    pub(crate) fn read<I: Input>(&self, mut walk: Walk<I>) -> Held {
        let mut held = Held::default();
        let mut open = Open::default();
        loop {
            let mut heads = Heads { considered: 0, near: None };
            let item = walk.next_item(&mut |head| self.wants(head, &mut heads));
            held.considered += heads.considered;
            if held.candidates.is_empty() {
                held.near = closest(held.near.take(), heads.near);
            }
            match item {
                Ok(Some(item)) => self.item(item, &mut held, &mut open),
                Ok(None) => break,
                Err(error) => {
                    held.unreadable.insert(0, self.outage(&error));
                    open.lose(&mut held);
                    break;
                }
            }
            if held.over_the_limit || cancelled() {
                break;
            }
        }
        held
    }

    fn wants(&self, head: &SetHead<'_>, heads: &mut Heads) -> bool {
        if self.selection.asks_for_ta1() {
            return false;
        }
        heads.considered += 1;
        match self.selection.unmet(head) {
            None => true,
            Some(unmet) => {
                heads.near = closest(heads.near.take(), Some(self.other(head, unmet)));
                false
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
        match item {
            Item::Set(set) => {
                let view = set.view();
                let st = view.segment("ST");
                let text = |position| st.map(|st| st.text(position)).unwrap_or_default();
                let label = format!("transaction set {} {} of {}", text(1), text(2), self.name);
                if self.candidate(&view, label, held) {
                    open.groups.push(set.group.map(|group| group.index));
                    add(held, held.candidates.len() - 1, &set.findings);
                }
            }
            Item::Ta1(ta1) => {
                if self.selection.asks_for_ta1() {
                    held.considered += 1;
                    let view = ta1.view();
                    let number = view.segment("TA1").map(|ta1| ta1.text(1)).unwrap_or_default();
                    if self.candidate(&view, format!("TA1 {number} of {}", self.name), held) {
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
            Item::Fault(error) => self.fault(&error, held),
        }
    }

    /// Keeps a set or TA1 if it is selected.
    fn candidate(&self, view: &SetView<'_>, label: String, held: &mut Held) -> bool {
        let start = view.body.offset;
        let place = self.place(start, start + view.body.bytes.len() as u64);
        if let Err(results) = self.selection.correlates(&ReadSet::new(*view, self.located), &place) {
            let mut open = results.iter().filter(|result| !result.passed).peekable();
            if open.peek().is_some() && open.all(FieldResult::is_undecidable) {
                let guide = ReadSet::new(*view, self.located).guide();
                let what = format!(
                    "whether {label} is meant is not known: it is of guide {guide:?}, whose loops are not known"
                );
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
        let content = Content::new(view, self.located);
        held.size += content.size();
        if held.size > self.room {
            held.over_the_limit = true;
            return false;
        }
        let source = SourceRef { locator: place.locator, sha256: None, span: place.span };
        held.candidates.push(Candidate { source, label, content });
        true
    }

    fn fault(&self, error: &ParseError, held: &mut Held) {
        if matches!(error.kind, ParseErrorKind::TooManyControlNumbers { .. }) {
            // What comes after may repeat a number that was not remembered; what came before may be repeated.
            for candidate in &mut held.candidates {
                candidate.content.envelope_is_unknown();
            }
        }
        let fault = if error.kind.is_limit() { Fault::Obstacle(Obstacle::LimitExceeded) } else { Fault::Recording };
        let what = match self.located {
            true => error.to_string(),
            false => format!("{}, of the payload", error),
        };
        let end = match error.kind {
            ParseErrorKind::SetCutOff { end } => end,
            _ => error.offset,
        };
        self.unreadable(Unreadable { place: self.place(error.offset, end), what, fault }, held);
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

struct Heads {
    considered: u64,
    near: Option<NearMiss>,
}

/// The candidates whose interchange is not over yet.
#[derive(Default)]
struct Open {
    /// The first of them.
    interchange: usize,
    /// The group of each.
    groups: Vec<Option<u64>>,
}

impl Open {
    /// Nothing will be known of the trailers.
    fn lose(&self, held: &mut Held) {
        for candidate in held.candidates.iter_mut().skip(self.interchange) {
            candidate.content.envelope_is_unknown();
        }
    }
}
