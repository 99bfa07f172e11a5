//! The transaction sets as records: what tells one from another, and what changes when one does.

use std::io;
use std::ops::ControlFlow;

use candor_check::difference::canonical_digest;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{FileEntry, Folder, Gaps, PartRecord};
use candor_check::{Obstacle, Unverifiable};
use candor_json::{Value, json};
use candor_x12::{Ending, Input, Item, ParseErrorKind, SetView, Walk};

use crate::limits::{obstacle, x12_limits};
use crate::source::{Interchanges, PART};

type Visit<'a> = dyn FnMut(&SetView<'_>, Location) -> ControlFlow<()> + 'a;

/// Where a stream comes from, and whether its offsets are those of the place.
struct From<'a> {
    place: &'a Location,
    located: bool,
}

impl Interchanges {
    /// Visits every transaction set and TA1: events first, then files in order. One set is held at a time.
    pub(crate) fn visit_records(
        &self,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        let mut gaps = self.unreadable.clone();
        gaps.extend(self.events.iter().flat_map(|events| events.unreadable.iter().cloned()));
        let mut each = |view: &SetView<'_>, place| visit(record(view, place));
        if self.visit_events(None, &mut gaps, &mut each).is_continue() {
            for file in &self.files {
                if self.visit_file(file, &mut gaps, &mut each).is_break() {
                    break;
                }
            }
        }
        Ok(gaps)
    }

    pub(crate) fn record_fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let mut found = None;
        let mut each = |view: &SetView<'_>, place: Location| {
            if place != record.place || self::record(view, place).key != record.key {
                return ControlFlow::Continue(());
            }
            found = Some(view.leaves());
            ControlFlow::Break(())
        };
        let mut gaps = Gaps::new();
        let _ = self.visit_events(Some(&record.place), &mut gaps, &mut each);
        for file in self.files.iter().filter(|file| file.locator == record.place.locator) {
            let _ = self.visit_file(file, &mut gaps, &mut each);
        }
        let leaves = found.ok_or_else(|| {
            let details = format!("{PART}/ has no transaction set at the place of {}", record.name());
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        })?;
        Ok(leaves.into_iter().map(|(path, text)| (path, Value::String(text))).collect())
    }

    fn visit_events(&self, only: Option<&Location>, gaps: &mut Gaps, each: &mut Visit<'_>) -> ControlFlow<()> {
        let events = self.events.iter().flat_map(|events| &events.events);
        for event in events.filter(|event| only.is_none_or(|only| event.place == *only)) {
            let from = From { place: &event.place, located: false };
            match event.payload.as_str() {
                Some(text) => read(Walk::from_slice(text.as_bytes()), &from, gaps, each)?,
                None => gaps.push(from.unreadable(0, 0, "the event has no interchange in `payload`".to_owned(), None)),
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_file(&self, file: &FileEntry, gaps: &mut Gaps, each: &mut Visit<'_>) -> ControlFlow<()> {
        let place = Location::whole(file.locator.as_str());
        let Some(folder) = &self.folder else { return ControlFlow::Continue(()) };
        let open = |folder: &Folder| folder.open(file).map(|open| Walk::from_read(open, x12_limits(folder.limits())));
        match open(folder) {
            Ok(walk) => read(walk, &From { place: &place, located: true }, gaps, each),
            Err(why) => {
                gaps.push(obstacle(&file.locator, why));
                ControlFlow::Continue(())
            }
        }
    }
}

fn read<I: Input>(mut walk: Walk<I>, from: &From<'_>, gaps: &mut Gaps, each: &mut Visit<'_>) -> ControlFlow<()> {
    loop {
        match walk.next_item(&mut |_| true) {
            Ok(Some(Item::Set(set))) => each(&set.view(), from.at(&set.view()))?,
            Ok(Some(Item::Ta1(ta1))) => each(&ta1.view(), from.at(&ta1.view()))?,
            Ok(Some(Item::Fault(error))) => {
                let end = match error.kind {
                    ParseErrorKind::SetCutOff { end } => end,
                    _ => error.offset,
                };
                let limit = error.kind.is_limit().then_some(Obstacle::LimitExceeded);
                gaps.push(from.unreadable(error.offset, end, error.to_string(), limit));
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                gaps.push(from.broken(&error));
                break;
            }
        }
    }
    if let Ending::CutOff { offset } = walk.ending() {
        gaps.push(from.unreadable(offset, offset, "X12 that is cut off".to_owned(), None));
    }
    ControlFlow::Continue(())
}

impl From<'_> {
    fn at(&self, view: &SetView<'_>) -> Location {
        let start = view.body.offset;
        self.place(start, start + view.body.bytes.len() as u64)
    }

    fn place(&self, start: u64, end: u64) -> Location {
        if self.located { Location::bytes(self.place.locator.as_str(), start..end) } else { self.place.clone() }
    }

    fn unreadable(&self, start: u64, end: u64, what: String, obstacle: Option<Obstacle>) -> Unreadable {
        Unreadable { place: self.place(start, end), what, fault: obstacle.map_or(Fault::Recording, Fault::Obstacle) }
    }

    fn broken(&self, error: &io::Error) -> Unreadable {
        let what = format!("it could not be read to its end: {error}");
        Unreadable { place: self.place.clone(), what, fault: Fault::Obstacle(Obstacle::SourceUnavailable) }
    }
}

fn record(view: &SetView<'_>, place: Location) -> PartRecord {
    let leaves = view.leaves();
    let digest = canonical_digest(&json!(leaves));
    let part = |path: &str| leaves.iter().find(|(own, _)| own == path).map(|(_, text)| text.as_str());
    let named = ["ISA.6", "ISA.13", "GS.6", "ST.2"].map(|path| part(path).unwrap_or_default());
    let key = match named {
        [_, "", ..] => digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
        // A TA1 answers one interchange, by that one's number.
        [sender, number, "", ""] => format!("{sender}/{number}/TA1/{}", part("TA1.1").unwrap_or_default()),
        named => named.join("/"),
    };
    PartRecord { collection: String::new(), key, digest, place }
}
