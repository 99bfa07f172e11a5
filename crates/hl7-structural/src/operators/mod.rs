//! The changes that an audit makes to a message, and why each is a harm or not (HL7 v2.5.1; texts in quotation marks
//! are in conformance/audit/quotations.tsv).

mod breaches;
mod equivalents;
mod harms;

use std::ops::Range;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::Edit;
use candor_hl7v2::{Message, Piece, Segment, messages};

use equivalents as same;

/// The operators of HL7 v2 messages.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("hl7/other-patient", harms::other_patient,
        "PID-3 has the identifiers by which a facility knows the patient: with others it is another one (chapter 3, PID)."),
    Operator::harm("hl7/wrong-repetition", harms::wrong_repetition,
        "The assigning authority, CX.4, is part of an identifier, which is unique within it alone: the same number of another one is somebody else (chapter 2A, CX)."),
    Operator::harm("hl7/test-message", harms::test_message,
        "MSH-11 T is training, D debugging (table 0103): for a check of production, nothing was sent."),
    Operator::harm("hl7/cancelled-after", harms::cancelled_after,
        "A11, A12, A13, A38 and S15 take back what an event before them said; ORC-1 CA: \"Cancel order/service request\" (table 0119)."),
    Operator::harm("hl7/result-withdrawn", harms::result_withdrawn,
        "OBX-11 W: \"Post original as wrong\"; X: \"Results cannot be obtained for this observation\"; D: \"Deletes the OBX record\" (table 0085)."),
    Operator::harm("hl7/deleted-value", harms::deleted_value,
        "Two quotation marks in a field are not a value: they ask the receiver to delete the one that it has (chapter 2, null values)."),
    Operator::harm("hl7/sent-twice", harms::sent_twice,
        "MSH-10 tells messages of one sender apart: the same with another control id is a second message."),
    Operator::harm("hl7/order-replaced", harms::order_replaced,
        "ORC-1 RP: \"Order/service replace request\": this is not the new order that was asked for (table 0119)."),
    Operator::equivalent("hl7/line-ends", same::line_ends,
        "Files hold segments with other line ends than the carriage return of the standard."),
    Operator::equivalent("hl7/mllp-frames", same::mllp_frames,
        "The frame of the lower layer protocol is not part of the message."),
    Operator::equivalent("hl7/trailing-separators", same::trailing_separators,
        "Separators after the last field of a segment that has a value say nothing: they may be left out or written (chapter 2, message construction)."),
    Operator::equivalent("hl7/escapes", same::escapes,
        "\\Xdd..\\ sends a character by its hexadecimal code, which may be done where none is needed (chapter 2, escape sequences)."),
    Operator::equivalent("hl7/z-segment", same::z_segment,
        "A receiver ignores segments that it does not expect; Z segments are sites' own (chapter 2)."),
    Operator::equivalent("hl7/batch-envelope", same::batch_envelope,
        "The batch protocol wraps messages and changes none."),
    Operator::equivalent("hl7/character-set", same::character_set,
        "MSH-18 names the character set of the message: the same text in another one, or its own one named, is the same."),
    Operator::equivalent("hl7/time-zone-form", same::time_zone_form,
        "A time with an offset is an instant, and the same instant an hour further on in another zone of the same local day."),
    Operator::equivalent("hl7/other-delimiters", same::other_delimiters,
        "MSH-1 names the field separator of the message; any character may be it."),
    Operator::breach("hl7/forbidden-message", breaches::forbidden_message,
        "A message of the type and the values that the criterion forbids."),
];

/// The message of the record, whose spans count from the record's first byte.
fn read<'a>(target: &Target<'a>) -> Option<Message<'a>> {
    let text = target.record().filter(|text| text.starts_with("MSH"))?;
    messages(text.as_bytes()).next()?.ok()
}

fn text(piece: Piece<'_>) -> Option<(Range<usize>, String)> {
    Some((piece.span(), std::str::from_utf8(piece.raw()).ok()?.to_owned()))
}

fn first<'m>(message: &'m Message<'m>, name: &str) -> Option<Segment<'m>> {
    message.segments().find(|segment| segment.id() == name.as_bytes())
}

/// A field of the first segment of a name: its place, and its text with all repetitions.
fn field(message: &Message<'_>, name: &str, number: u32) -> Option<(Range<usize>, String)> {
    text(first(message, name)?.field(number)?.piece())
}

/// The field with another value, where it has one.
fn set(target: &Target<'_>, name: &str, number: u32, value: &str, sentence: &str) -> Vec<Change> {
    let mut changes = set_each(target, name, number, value, sentence);
    changes.truncate(1);
    changes
}

/// The field of each segment of a name with another value, where it has one.
fn set_each(target: &Target<'_>, name: &str, number: u32, value: &str, sentence: &str) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let of_name = message.segments().filter(|segment| segment.id() == name.as_bytes());
    let change = |segment: Segment<'_>| {
        let (span, was) = text(segment.field(number)?.piece()).filter(|(_, was)| was != value && !was.is_empty())?;
        let sentence =
            format!("{name}-{number} of {} became {value} (it was {was}): {sentence}.", target.place.locator);
        Some(target.change([Edit { span, with: value.to_owned() }], sentence))
    };
    of_name.filter_map(change).collect()
}
