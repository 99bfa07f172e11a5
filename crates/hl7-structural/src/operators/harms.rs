//! Changes that make the work wrong.

use std::ops::Range;

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, edited};
use candor_hl7v2::Message;

use super::{field, first, read, set, set_each, text};

/// Every number of the patient is that of somebody else.
pub(super) fn other_patient(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let change = || {
        let numbers = first(&message, "PID")?.field(3)?.repetitions();
        let number = |own: candor_hl7v2::Piece<'_>| text(own.components(message.delimiters()).next()?);
        let edits: Vec<(Range<usize>, String)> =
            numbers.filter_map(number).filter(|(_, was)| !was.is_empty()).collect();
        let was: Vec<&str> = edits.iter().map(|(_, was)| was.as_str()).collect();
        let sentence =
            format!("PID-3 of {} became 99999999, another patient (it was {}).", target.place.locator, was.join(", "));
        let edits = edits.iter().map(|(span, _)| Edit { span: span.clone(), with: "99999999".to_owned() });
        (!was.is_empty()).then(|| target.change(edits, sentence))
    };
    change().into_iter().collect()
}

/// Another number of the patient's authority in front, and the number that was there of another authority.
pub(super) fn wrong_repetition(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let change = || {
        let delimiters = message.delimiters();
        let repeats = char::from(delimiters.repetition?);
        let own = first(&message, "PID")?.field(3)?.repetitions().next()?;
        let parts: Vec<(Range<usize>, String)> = own.components(delimiters).filter_map(text).collect();
        let (_, number) = parts.first().filter(|(_, number)| !number.is_empty())?;
        let (authority, named) = parts.get(3).filter(|(_, named)| !named.is_empty())?;
        let component = char::from(delimiters.component).to_string();
        let other: Vec<&str> =
            parts.iter().enumerate().map(|(at, (_, part))| if at == 0 { "99999999" } else { part.as_str() }).collect();
        let start = own.span().start;
        let edits = [
            Edit { span: start..start, with: format!("{}{repeats}", other.join(&component)) },
            Edit { span: authority.clone(), with: "OTHER".to_owned() },
        ];
        let sentence = format!("PID-3: {number} is of another authority than {named}, whose number is 99999999.");
        Some(target.change(edits, sentence))
    };
    change().into_iter().collect()
}

pub(super) fn test_message(target: &Target<'_>) -> Vec<Change> {
    if target.is_production { set(target, "MSH", 11, "T", "a message of a test system") } else { Vec::new() }
}

pub(super) fn result_withdrawn(target: &Target<'_>) -> Vec<Change> {
    ["W", "X", "D"].into_iter().flat_map(|code| set_each(target, "OBX", 11, code, "the result is withdrawn")).collect()
}

/// Fields that carry the work, of the first segment of each name.
const CARRYING: [(&str, u32); 6] = [("PID", 5), ("OBR", 4), ("OBX", 5), ("DG1", 3), ("RXE", 2), ("RXA", 5)];

pub(super) fn deleted_value(target: &Target<'_>) -> Vec<Change> {
    let deleted = |(name, number)| set(target, name, number, "\"\"", "the value is to be deleted");
    CARRYING.into_iter().flat_map(deleted).collect()
}

pub(super) fn order_replaced(target: &Target<'_>) -> Vec<Change> {
    // Results are sent with RE, and replace nothing.
    let is_new = read(target).and_then(|message| field(&message, "ORC", 1)).is_some_and(|(_, code)| code == "NW");
    if is_new { set(target, "ORC", 1, "RP", "the order replaces another one") } else { Vec::new() }
}

/// A value of the message that is sent after it.
type Sent = (&'static str, u32, String);

/// The message with other fields, sent after it.
fn later(target: &Target<'_>, message: &Message<'_>, with: &[Sent], sentence: &str) -> Vec<Change> {
    let Some(record) = target.record() else { return Vec::new() };
    let edit =
        |(name, number, value): &Sent| Some(Edit { span: field(message, name, *number)?.0, with: value.clone() });
    let Some(edits) = with.iter().map(edit).collect::<Option<Vec<Edit>>>() else { return Vec::new() };
    let copy = edited(record.as_bytes(), &edits);
    vec![target.beside(String::from_utf8_lossy(&copy).into_owned(), format!("{sentence} ({}).", target.place.locator))]
}

fn anew(message: &Message<'_>) -> Option<Vec<Sent>> {
    let (_, id) = field(message, "MSH", 10)?;
    Some(vec![("MSH", 10, format!("{id}9"))])
}

pub(super) fn sent_twice(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let Some(with) = anew(&message) else { return Vec::new() };
    later(target, &message, &with, "The message was sent a second time, with another control id")
}

/// Which event takes back which (HL7 v2.5.1, chapters 3 and 10).
const CANCELS: &[(&str, &str)] = &[
    ("A01", "A11"),
    ("A04", "A11"),
    ("A02", "A12"),
    ("A03", "A13"),
    ("A05", "A38"),
    ("S12", "S15"),
    ("S13", "S15"),
    ("S14", "S15"),
];

pub(super) fn cancelled_after(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let (Some(mut with), Some((_, kind))) = (anew(&message), field(&message, "MSH", 9)) else { return Vec::new() };
    let component = char::from(message.delimiters().component);
    let event = kind.split(component).nth(1).unwrap_or_default();
    if let Some((_, cancel)) = CANCELS.iter().find(|(trigger, _)| *trigger == event) {
        with.push(("MSH", 9, kind.replace(event, cancel)));
        if field(&message, "EVN", 1).is_some_and(|(_, text)| text == event) {
            with.push(("EVN", 1, (*cancel).to_owned()));
        }
        return later(target, &message, &with, &format!("The event was taken back by {cancel} afterwards"));
    }
    match field(&message, "ORC", 1) {
        Some((_, code)) if code == "NW" => {
            with.push(("ORC", 1, "CA".to_owned()));
            later(target, &message, &with, "The order was cancelled by ORC-1 CA afterwards")
        }
        _ => Vec::new(),
    }
}
