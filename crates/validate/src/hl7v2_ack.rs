//! ACK: what a receiver that validates answers to each message of a file.

mod place;

use candor_hl7v2::{Message, Path, messages};
use candor_hl7v2_structure::Violation;

use crate::Stamp;
use crate::hl7v2::faults;
use place::place;

/// The most ERR segments of one acknowledgment.
const MOST_ERRORS: usize = 20;

/// Writes an acknowledgment for every message of a file: AA where its structure holds, AE with an ERR for each violation where it
/// does not, AR where it cannot be read. Acknowledgments themselves are not answered.
///
/// # Errors
/// When the file has no message.
pub fn hl7v2_ack(file: &str, bytes: &[u8], structure: Option<&str>, stamp: &Stamp) -> Result<String, String> {
    let mut text = String::new();
    let mut any = false;
    for (number, item) in (1..).zip(messages(bytes)) {
        any = true;
        match item {
            Ok(message) if is_acknowledgment(&message) => {}
            Ok(message) => text.push_str(&of_message(&message, number, &faults(&message, structure), stamp)),
            Err(error) => {
                let why = plain(&error.kind.to_string());
                let (date, time) = (&stamp.date, &stamp.time);
                text.push_str(&format!(
                    "MSH|^~\\&|||||{date}{time}||ACK|ACK{number}|P|2.5.1\rMSA|AR|\rERR|||207^Application internal error^HL70357|E||||{why}\r"
                ));
            }
        }
    }
    match any {
        true => Ok(text),
        false => Err(format!("{file}: there is no HL7 v2 message that could be answered")),
    }
}

fn value(message: &Message<'_>, path: &str) -> String {
    let path = Path::parse(path).ok();
    let value = path.as_ref().and_then(|path| path.select(message).next());
    value.map(|value| String::from_utf8_lossy(value.raw()).into_owned()).unwrap_or_default()
}

fn is_acknowledgment(message: &Message<'_>) -> bool {
    message.segments().any(|segment| &segment.id() == b"MSA") && matches!(&*value(message, "MSH.9.1"), "ACK" | "MCF")
}

/// Text without anything that could delimit.
fn plain(text: &str) -> String {
    let keep =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, ' ' | ',' | '.' | '-' | '(' | ')') { c } else { ' ' };
    text.chars().map(keep).collect()
}

/// The meaning of a code of table 0357.
const fn meaning(code: u16) -> &'static str {
    match code {
        100 => "Segment sequence error",
        101 => "Required field missing",
        102 => "Data type error",
        103 => "Table value not found",
        _ => "Application error",
    }
}

fn of_message(message: &Message<'_>, number: usize, faults: &[Violation], stamp: &Stamp) -> String {
    let delimiters = message.delimiters();
    let (field, component) = (char::from(delimiters.field), char::from(delimiters.component));
    let msh = |number: u32| value(message, &format!("MSH.{number}"));
    let event = value(message, "MSH.9.2");
    let kind = if event.is_empty() { "ACK".to_owned() } else { format!("ACK{component}{event}{component}ACK") };
    let processing = if msh(11).is_empty() { "P".to_owned() } else { msh(11) };
    let header = [
        "MSH".to_owned() + &field.to_string() + &msh(2),
        msh(5),
        msh(6),
        msh(3),
        msh(4),
        format!("{}{}", stamp.date, stamp.time),
        String::new(),
        kind,
        format!("ACK{number}"),
        processing,
        msh(12),
    ];
    let code = if faults.is_empty() { "AA" } else { "AE" };
    let separator = field.to_string();
    let mut text = format!("{}\rMSA{field}{code}{field}{}\r", header.join(&separator), msh(10));
    let is_old = ["2.1", "2.2", "2.3", "2.3.1", "2.4"].contains(&value(message, "MSH.12.1").trim());
    for fault in faults.iter().take(MOST_ERRORS) {
        let name = meaning(fault.code);
        let place = place(&fault.path, component);
        if is_old {
            let within = delimiters.subcomponent.map_or(' ', char::from);
            // ELD: segment, sequence, field, code.
            let parts: Vec<&str> = place.split(component).collect();
            let part = |at: usize| parts.get(at).copied().unwrap_or_default();
            let eld =
                [part(0), part(1), part(2), &format!("{}{within}{name}", fault.code)].join(&component.to_string());
            text.push_str(&format!("ERR{field}{eld}\r"));
            continue;
        }
        let why = plain(&format!("{}: expected {}", fault.path, fault.expected));
        let code = [&fault.code.to_string(), name, "HL70357"].join(&component.to_string());
        text.push_str(&format!("ERR{field}{field}{place}{field}{code}{field}E{field}{field}{field}{field}{why}\r"));
    }
    text
}
