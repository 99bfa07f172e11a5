//! HL7 v2 and X12 files: a path selects from every message or transaction set, in the order of the file.

use std::borrow::Cow;

use candor_check::compare::Datum;
use candor_check::field::{Found, Selection};
use candor_check::records::{Completeness, Cut, Reading};
use candor_hl7v2::{Ending, Message, messages};
use candor_x12::{Item, Walk};

use super::{Malformed, span};

/// Nothing marks the end of a message's last segment, or of the messages of a file.
pub(super) fn hl7(bytes: &[u8]) -> Result<Reading<&[u8]>, Malformed> {
    let mut read = messages(bytes);
    for message in read.by_ref() {
        let message = message
            .map_err(|error| Malformed::at(error.span.start, format!("what is no HL7 v2 message ({})", error.kind)))?;
        if ends_in_its_header(&message) {
            let cut = Cut::new(message.span().start as u64, "an HL7 v2 message that ends in its header");
            return Ok(Reading::new(bytes, Completeness::Cut(cut)));
        }
    }
    match read.ending() {
        Ending::NoTrailer { ended: false, .. } => {
            let cut = Cut::new(bytes.len() as u64, "the end of a batch that breaks off in its last line");
            Ok(Reading::new(bytes, Completeness::Cut(cut)))
        }
        // A batch without its trailer is read, and what NUL bytes mean is the same in every text.
        Ending::Open | Ending::NoTrailer { .. } | Ending::Nuls { .. } => Ok(Reading::unknown(bytes)),
    }
}

/// Whether a message is a header, and that without the version in MSH-12, which every version requires.
fn ends_in_its_header(message: &Message<'_>) -> bool {
    const SEPARATORS: usize = 11;
    let header = message.raw();
    message.segments().len() == 1 && header.iter().filter(|byte| Some(*byte) == header.get(3)).count() < SEPARATORS
}

/// Every interchange is closed by its IEA.
pub(super) fn x12(bytes: &[u8]) -> Result<Reading<&[u8]>, Malformed> {
    /// Premature end of file. Source: X12 element I18, interchange note code.
    const END_OF_FILE: &str = "TA105:023";
    let mut walk = Walk::from_slice(bytes);
    let mut any = false;
    let mut is_open = false;
    let found = loop {
        match walk.next_item(&mut |_| false) {
            Ok(None) => break None,
            Ok(Some(Item::Fault(error))) => {
                let offset = usize::try_from(error.offset).unwrap_or(usize::MAX);
                break Some(Malformed::at(offset, format!("what is no X12 ({})", error.kind)));
            }
            Ok(Some(Item::InterchangeEnd { findings, .. })) => {
                any = true;
                is_open = findings.iter().any(|finding| finding.code == END_OF_FILE);
            }
            Ok(Some(_)) => any = true,
            Err(error) => break Some(Malformed::at(0, format!("what cannot be read: {error}"))),
        }
    };
    match found {
        Some(malformed) => Err(malformed),
        None if is_open => {
            let cut = Cut::new(bytes.len() as u64, "the end of a file whose last X12 interchange has no IEA");
            Ok(Reading::new(bytes, Completeness::Cut(cut)))
        }
        None if any => Ok(Reading::whole(bytes)),
        None => Err(Malformed::at(0, "no X12 interchange")),
    }
}

pub(super) fn count_hl7(bytes: &[u8]) -> u64 {
    messages(bytes).flatten().count() as u64
}

/// How many transaction sets there are.
pub(super) fn count_x12(bytes: &[u8]) -> u64 {
    let mut walk = Walk::from_slice(bytes);
    let mut sets = 0;
    while let Ok(Some(item)) = walk.next_item(&mut |_| false) {
        sets += u64::from(matches!(item, Item::Set(_)));
    }
    sets
}

pub(super) fn select_hl7<'a>(bytes: &'a [u8], path: &candor_hl7v2::Path) -> Selection<'a> {
    let mut values = Vec::new();
    for message in messages(bytes).flatten() {
        for value in path.select(&message) {
            let datum = Datum::Text(Cow::Owned(value.text().text.into_owned()));
            values.push(Found { datum, span: span(value.span()) });
        }
    }
    Selection::texts(values)
}

pub(super) fn select_x12<'a>(bytes: &'a [u8], path: &candor_x12::Path) -> Selection<'a> {
    let mut values = Vec::new();
    let mut walk = Walk::from_slice(bytes);
    while let Ok(Some(item)) = walk.next_item(&mut |_| true) {
        let view = match &item {
            Item::Set(set) => set.view(),
            Item::Ta1(ta1) => ta1.view(),
            _ => continue,
        };
        for value in path.select(&view) {
            let range = value.offset..value.offset + value.len as u64;
            values.push(Found { datum: Datum::Text(Cow::Owned(value.text.into_owned())), span: Some(range) });
        }
    }
    Selection::texts(values)
}
