//! The messages as records: what tells one from another, and what changes when one does.

use std::borrow::Cow;
use std::ops::ControlFlow;

use candor_check::difference::canonical_digest;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{Gaps, PartRecord};
use candor_check::{Obstacle, Unverifiable};
use candor_hl7v2::{Message, messages, messages_of_text};
use candor_json::{Value, json};

use crate::observe::wide;
use crate::source::{Content, MessageFile, MessageSource, PART, obstacle};

type Visit<'a> = dyn FnMut(&Message<'_>, Location) -> ControlFlow<()> + 'a;

impl MessageSource {
    /// Visits every message: events first, then files in order. One file is held at a time.
    pub(crate) fn visit_records(
        &self,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        let mut gaps = self.unreadable.clone();
        let mut each = |message: &Message<'_>, place| visit(record(message, place));
        if let Some(events) = &self.events {
            gaps.extend(events.unreadable.iter().cloned());
            for event in &events.events {
                let Some(text) = event.payload.as_str().filter(|text| !text.trim().is_empty()) else {
                    let what = "the event has no message in `payload`".to_owned();
                    gaps.push(Unreadable { place: event.place.clone(), what, fault: Fault::Recording });
                    continue;
                };
                if read(text.as_bytes(), true, &event.place, &mut gaps, &mut each).is_break() {
                    return Ok(gaps);
                }
            }
        }
        for file in &self.files {
            let place = Location::whole(file.entry.locator.as_str());
            match content(file) {
                Ok(bytes) => {
                    let (text, is_text) = decoded(&bytes);
                    if read(&text, is_text, &place, &mut gaps, &mut each).is_break() {
                        break;
                    }
                }
                Err(why) => gaps.push(obstacle(&file.entry.locator, why)),
            }
        }
        Ok(gaps)
    }

    pub(crate) fn record_fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let mut found = None;
        let mut each = |message: &Message<'_>, place: Location| {
            if place != record.place || found.is_some() || self::record(message, place).key != record.key {
                return ControlFlow::Continue(());
            }
            found = Some(message.leaves());
            ControlFlow::Break(())
        };
        let mut gaps = Gaps::new();
        let of_events = self.events.iter().flat_map(|events| &events.events);
        for event in of_events.filter(|event| event.place == record.place) {
            let _ =
                read(event.payload.as_str().unwrap_or_default().as_bytes(), true, &event.place, &mut gaps, &mut each);
        }
        for file in self.files.iter().filter(|file| file.entry.locator == record.place.locator) {
            let bytes = content(file)?;
            let (text, is_text) = decoded(&bytes);
            let _ = read(&text, is_text, &Location::whole(file.entry.locator.as_str()), &mut gaps, &mut each);
        }
        let leaves = found.ok_or_else(|| {
            let details = format!("{PART}/ has no message at the place of {}", record.name());
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        })?;
        Ok(leaves.into_iter().map(|(path, text)| (path, Value::String(text))).collect())
    }
}

fn content(file: &MessageFile) -> Result<Cow<'_, [u8]>, Unverifiable> {
    match &file.content {
        Content::Held(held) => Ok(Cow::Borrowed(&held.bytes)),
        Content::Large(folder) => folder.read(&file.entry).map(|read| Cow::Owned(read.bytes)),
    }
}

/// The bytes to read, and whether they were decoded first, so that offsets are not those of the file.
fn decoded(bytes: &[u8]) -> (Cow<'_, [u8]>, bool) {
    match wide(bytes) {
        Some(encoding) => (encoding.decode_with_bom_removal(bytes).0.into_owned().into_bytes().into(), true),
        None => (Cow::Borrowed(bytes), false),
    }
}

fn read(bytes: &[u8], is_text: bool, place: &Location, gaps: &mut Gaps, each: &mut Visit<'_>) -> ControlFlow<()> {
    let mut reading = match std::str::from_utf8(bytes) {
        Ok(text) if is_text => messages_of_text(text),
        _ => messages(bytes),
    };
    for item in &mut reading {
        let at = |span: std::ops::Range<usize>| match is_text {
            true => place.clone(),
            false => Location::bytes(place.locator.as_str(), span.start as u64..span.end as u64),
        };
        match item {
            Ok(message) => each(&message, at(message.span()))?,
            Err(error) => gaps.push(Unreadable {
                place: at(error.span.clone()),
                what: error.to_string(),
                fault: Fault::Recording,
            }),
        }
    }
    if let Some(crate::batch::Cut::Off(cut)) = crate::batch::cut(&reading.ending(), false) {
        gaps.push(Unreadable { place: place.clone(), what: cut.what, fault: Fault::Recording });
    }
    ControlFlow::Continue(())
}

fn record(message: &Message<'_>, place: Location) -> PartRecord {
    let leaves = message.leaves();
    let digest = canonical_digest(&json!(leaves));
    let part = |path: &str| leaves.iter().find(|(own, _)| own == path).map(|(_, text)| text.as_str());
    let key = match part("MSH.10.1") {
        Some(id) => format!("{}/{}/{id}", part("MSH.3.1").unwrap_or_default(), part("MSH.4.1").unwrap_or_default()),
        None => digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    };
    PartRecord { collection: String::new(), key, digest, place }
}
