//! Says if a PDF is there to its end: `%%EOF`, the cross-reference table before it, and every page with its content.

use candor_check::records::{Completeness, Cut};
use lopdf::xref::XrefRecovery;
use lopdf::{Document, Object, ObjectId};

use crate::content::blanks;

const END: &[u8] = b"%%EOF";
/// How far from the end readers look for the mark. Source: ISO 32000-1, annex H, note 18.
const END_WITHIN: usize = 1024;
/// How many blanks behind the end a tool may have taken off.
const BLANKS_LOST: usize = 16;

pub(super) fn end(bytes: &[u8], document: &Document) -> Completeness {
    if let cut @ Completeness::Cut(_) = blanks::of_bytes(bytes) {
        return cut;
    }
    let length = bytes.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
    let content = bytes.get(..length).unwrap_or_default();
    let cut = |offset: usize, what: &str| Completeness::Cut(Cut::new(offset as u64, what));
    let said = document.linearization.as_ref().map(|linearized| linearized.file_length);
    if said.is_some_and(|said| said > (bytes.len() + BLANKS_LOST) as u64) {
        return cut(length, "the end of a linearized PDF that says it is longer");
    }
    let Some(end) = last(content, END) else { return cut(length, "the end of a PDF without `%%EOF`") };
    let behind = content.get(end + END.len()..).unwrap_or_default();
    // Whoever changes a PDF appends the changed objects, a cross-reference table and another end (7.5.6).
    if behind.iter().find(|byte| !is_blank(**byte)).is_some_and(u8::is_ascii_digit) {
        return cut(length, "the end of a PDF whose update has no `%%EOF`");
    }
    if behind.len() > END_WITHIN {
        return cut(length, "the end of a PDF without `%%EOF`");
    }
    if document.xref_recovery == Some(XrefRecovery::Reconstructed) && !has_table(content.get(..end).unwrap_or_default())
    {
        return cut(length, "the end of a PDF without the cross-reference table that belongs there");
    }
    Completeness::Whole
}

pub(super) fn page(document: &Document, id: ObjectId, number: usize, length: usize) -> Completeness {
    let cut = |what: String| Completeness::Cut(Cut::new(length as u64, what));
    if document.get_dictionary(id).is_err() {
        return cut(format!("a PDF in which page {number} is not there"));
    }
    // What is null shows nothing, as a page without content does.
    let is_there = |id: &ObjectId| matches!(document.get_object(*id), Ok(Object::Stream(_) | Object::Null));
    match document.get_page_contents(id).iter().all(is_there) {
        true => Completeness::Whole,
        false => cut(format!("a PDF in which a content stream of page {number} is not there")),
    }
}

/// True if a cross-reference table and a trailer are between the last object and the end, where `startxref` says no more
/// than a wrong place of it. A trailer that leads to another table is not enough.
fn has_table(before_end: &[u8]) -> bool {
    let behind = last(before_end, b"endobj").and_then(|at| before_end.get(at..)).unwrap_or_default();
    let (table, trailer) = (first(behind, b"xref"), first(behind, b"trailer"));
    let has_both = table.zip(trailer).is_some_and(|(table, trailer)| table < trailer);
    // A stream represents both: it is then the last object.
    let object = last(before_end, b" obj").and_then(|at| before_end.get(at..)).unwrap_or_default();
    let is_stream = first(object, b"/XRef").is_some() && first(object, b"endobj").is_some();
    (has_both || is_stream) && first(object, b"/Prev").is_none()
}

/// White space of PDF (7.2.2), and the Ctrl-Z that ends a file on CP/M and DOS.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C | 0 | 0x1A)
}

fn first(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|window| window == wanted)
}
