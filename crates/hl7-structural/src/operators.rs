//! What an audit changes of a message, and why each is a harm or none, with the standard's own words (HL7 v2.5.1).

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::Edit;

/// The operators of HL7 v2 messages.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("hl7/other-patient", other_patient,
        "PID-3: \"the identifiers used by the healthcare facility to uniquely identify a patient\"."),
    Operator::harm("hl7/test-message", test_message,
        "MSH-11 T is training, D debugging (table 0103): where production is looked at, nothing was sent to anybody."),
    Operator::harm("hl7/cancelled-after", cancelled_after,
        "A cancel event \"is sent when\" the event before it \"was sent in error\", or when the order is withdrawn (ORC-1 CA)."),
    Operator::harm("hl7/result-withdrawn", result_withdrawn,
        "OBX-11 W: \"Post original as wrong\"; X: \"Results cannot be obtained for this observation\" (table 0085)."),
    Operator::harm("hl7/sent-twice", sent_twice,
        "MSH-10 \"uniquely identifies the message\": the same with another control id is a second message."),
    Operator::harm("hl7/order-replaced", order_replaced,
        "ORC-1 RP: \"Order/service replace request\": this is not the new order that was asked for (table 0119)."),
    Operator::equivalent("hl7/line-ends", line_ends,
        "Files hold segments with other line ends than the carriage return of the standard."),
    Operator::equivalent("hl7/mllp-frames", mllp_frames,
        "The frame of the lower layer protocol is not part of the message."),
    Operator::equivalent("hl7/trailing-separators", trailing_separators,
        "\"If a data field contains no value, separators at the end of a segment may be left out\"; they may also stand there."),
    Operator::equivalent("hl7/z-segment", z_segment,
        "Receivers ignore \"segments that are not expected\"; Z segments are sites' own."),
    Operator::equivalent("hl7/batch-envelope", batch_envelope,
        "The batch protocol wraps messages and changes none."),
    Operator::equivalent("hl7/other-delimiters", other_delimiters,
        "MSH-1 names the field separator of the message; any character may be it."),
];

/// The segments of the message, each with its place in it, without line ends.
fn segments<'a>(target: &Target<'a>) -> Vec<(usize, &'a str)> {
    let Some(message) = target.record().filter(|message| message.starts_with("MSH")) else { return Vec::new() };
    let mut at = 0;
    let mut found = Vec::new();
    for segment in message.split_inclusive(['\r', '\n']) {
        let text = segment.trim_end_matches(['\r', '\n', '\u{1c}']);
        if !text.is_empty() {
            found.push((at, text));
        }
        at += segment.len();
    }
    found
}

fn separator(target: &Target<'_>) -> char {
    target.record().and_then(|message| message.chars().nth(3)).unwrap_or('|')
}

/// The place of a field in the message, by the number that the standard gives it.
fn field<'a>(
    target: &Target<'a>,
    segment: (usize, &'a str),
    number: usize,
) -> Option<(std::ops::Range<usize>, &'a str)> {
    // MSH-1 is the separator itself.
    let number = if segment.1.starts_with("MSH") { number.checked_sub(1)? } else { number };
    let mut at = segment.0;
    for (index, text) in segment.1.split(separator(target)).enumerate() {
        if index == number {
            return Some((at..at + text.len(), text));
        }
        at += text.len() + 1;
    }
    None
}

fn first<'a>(target: &Target<'a>, name: &str) -> Option<(usize, &'a str)> {
    segments(target).into_iter().find(|(_, text)| text.starts_with(name))
}

fn set(target: &Target<'_>, name: &str, number: usize, value: &str, sentence: &str) -> Vec<Change> {
    let found = first(target, name).and_then(|segment| field(target, segment, number));
    let changed = found.filter(|(_, was)| *was != value && !was.is_empty());
    let change = |(span, was): (std::ops::Range<usize>, &str)| {
        let sentence =
            format!("{name}-{number} of {} became {value} (it was {was}): {sentence}.", target.place.locator);
        target.change([Edit { span, with: value.to_owned() }], sentence)
    };
    changed.map(change).into_iter().collect()
}

fn other_patient(target: &Target<'_>) -> Vec<Change> {
    set(target, "PID", 3, "99999999^^^OTHER^MR", "another patient")
}

fn test_message(target: &Target<'_>) -> Vec<Change> {
    if target.is_production { set(target, "MSH", 11, "T", "a message of a test system") } else { Vec::new() }
}

fn result_withdrawn(target: &Target<'_>) -> Vec<Change> {
    ["W", "X", "D"].into_iter().flat_map(|code| set(target, "OBX", 11, code, "the result is withdrawn")).collect()
}

fn order_replaced(target: &Target<'_>) -> Vec<Change> {
    // Results are sent with RE, and replace nothing.
    let is_new =
        first(target, "ORC").and_then(|segment| field(target, segment, 1)).is_some_and(|(_, code)| code == "NW");
    if is_new { set(target, "ORC", 1, "RP", "the order replaces another one") } else { Vec::new() }
}

/// The message with other fields, sent after it.
fn later(target: &Target<'_>, with: &[(&str, usize, String)], sentence: &str) -> Vec<Change> {
    let Some(message) = target.record() else { return Vec::new() };
    let mut edits = Vec::new();
    for (name, number, value) in with {
        let Some((span, _)) = first(target, name).and_then(|segment| field(target, segment, *number)) else {
            return Vec::new();
        };
        edits.push(Edit { span, with: value.clone() });
    }
    let copy = candor_check::strict_json::edited(message.as_bytes(), &edits);
    vec![target.beside(String::from_utf8_lossy(&copy).into_owned(), format!("{sentence} ({}).", target.place.locator))]
}

/// Another control id, and a later time of the message.
fn anew(target: &Target<'_>) -> Option<Vec<(&'static str, usize, String)>> {
    let (_, id) = first(target, "MSH").and_then(|segment| field(target, segment, 10))?;
    Some(vec![("MSH", 10, format!("{id}9"))])
}

fn sent_twice(target: &Target<'_>) -> Vec<Change> {
    let anew = anew(target);
    anew.map(|with| later(target, &with, "The message was sent a second time, with another control id"))
        .unwrap_or_default()
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

fn cancelled_after(target: &Target<'_>) -> Vec<Change> {
    let Some(mut with) = anew(target) else { return Vec::new() };
    let Some((_, kind)) = first(target, "MSH").and_then(|segment| field(target, segment, 9)) else { return Vec::new() };
    let event = kind.split('^').nth(1).unwrap_or_default();
    if let Some((_, cancel)) = CANCELS.iter().find(|(trigger, _)| *trigger == event) {
        with.push(("MSH", 9, kind.replace(event, cancel)));
        if first(target, "EVN").and_then(|segment| field(target, segment, 1)).is_some_and(|(_, text)| text == event) {
            with.push(("EVN", 1, (*cancel).to_owned()));
        }
        return later(target, &with, &format!("The event was taken back by {cancel} afterwards"));
    }
    match first(target, "ORC").and_then(|segment| field(target, segment, 1)) {
        Some((_, "NW")) => {
            with.push(("ORC", 1, "CA".to_owned()));
            later(target, &with, "The order was cancelled by ORC-1 CA afterwards")
        }
        _ => Vec::new(),
    }
}

/// Whether the file holds this message alone, so that it can be written in another way as a whole.
fn alone<'a>(target: &Target<'a>) -> Option<&'a str> {
    target
        .file()
        .filter(|file| file.starts_with("MSH") && file.matches("\rMSH").count() + file.matches("\nMSH").count() == 0)
}

fn line_ends(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = alone(target) else { return Vec::new() };
    let crlf: String = file
        .lines()
        .flat_map(|line| line.split('\r'))
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\r\n"))
        .collect();
    let edit = Edit { span: 0..file.len(), with: crlf };
    vec![target.change_file([edit], format!("The lines of {} end in CR LF.", target.place.locator))]
}

fn mllp_frames(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = alone(target) else { return Vec::new() };
    let edits = [
        Edit { span: 0..0, with: "\u{b}".to_owned() },
        Edit { span: file.len()..file.len(), with: "\r\u{1c}\r".to_owned() },
    ];
    vec![target.change_file(edits, format!("{} is framed as MLLP sends it.", target.place.locator))]
}

fn trailing_separators(target: &Target<'_>) -> Vec<Change> {
    let separator = separator(target);
    let edits: Vec<Edit> = segments(target)
        .into_iter()
        .map(|(at, text)| Edit { span: at + text.len()..at + text.len(), with: format!("{separator}{separator}") })
        .collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, "Each segment ends in separators without values.")],
    }
}

fn z_segment(target: &Target<'_>) -> Vec<Change> {
    let separator = separator(target);
    let last = segments(target).into_iter().next_back();
    let change = |(at, text): (usize, &str)| {
        let end = at + text.len();
        target.change([Edit { span: end..end, with: format!("\rZZA{separator}1") }], "A Z segment stands at the end.")
    };
    last.map(change).into_iter().collect()
}

fn batch_envelope(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = alone(target).filter(|file| file.get(3..8) == Some("|^~\\&")) else { return Vec::new() };
    let edits = [
        Edit { span: 0..0, with: "FHS|^~\\&\rBHS|^~\\&\r".to_owned() },
        Edit { span: file.len()..file.len(), with: "\rBTS|1\rFTS|1\r".to_owned() },
    ];
    vec![target.change_file(edits, format!("{} is a batch of one message.", target.place.locator))]
}

fn other_delimiters(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = alone(target).filter(|file| !file.contains('!') && file.get(3..4) == Some("|")) else {
        return Vec::new();
    };
    let edit = Edit { span: 0..file.len(), with: file.replace('|', "!") };
    vec![target.change_file([edit], format!("The field separator of {} is !.", target.place.locator))]
}
