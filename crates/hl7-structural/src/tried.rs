//! The values that a path selects in the messages of a file, as the check would read them.

use std::ops::Range;

use candor_check::field::{FieldPath as _, PathProblem};
use candor_check::tried::{Selected, Tried, unselected};
use candor_hl7v2::{Message, Path, Segment, messages};
use candor_hl7v2_structure::Scope;

use crate::items::Judging;
use crate::path::{MessagePath, among};

/// Shows what a path to values, or a selector of items, selects in each message of a file.
///
/// # Errors
/// A path that can never select anything, with the place.
pub fn path(text: &str, file: &str, bytes: &[u8]) -> Result<Vec<Tried>, PathProblem> {
    // A text that is not a path to values may be a selector of items. If it is neither, the error is that of a path.
    let parsed = MessagePath::parse(text);
    let path = parsed.or_else(|problem| MessagePath::parse_item(text, &[]).map_err(|_| problem))?;
    let mut all = Vec::new();
    let mut number = 0;
    for message in messages(bytes) {
        match message {
            Err(error) => all.push(Tried::unread(file, format!("byte {}", error.offset), error.to_string())),
            Ok(message) => {
                number += 1;
                let id = control_id(&message).map(|id| format!(" ({id})")).unwrap_or_default();
                let record = format!("message {number}{id}");
                all.push(of_message(&path, &message, Tried::new(file, record)));
            }
        }
    }
    if all.is_empty() {
        all.push(Tried::unread(file, "", "there is no HL7 v2 message in it"));
    }
    Ok(all)
}

/// MSH-10, by which people know a message.
pub(crate) fn control_id(message: &Message<'_>) -> Option<String> {
    let path = Path::parse("MSH.10").ok()?;
    path.select(message).next().map(|value| value.text().text.into_owned()).filter(|id| !id.is_empty())
}

fn of_message(path: &MessagePath, message: &Message<'_>, tried: Tried) -> Tried {
    let judging = Judging::new(message, None);
    let scopes = match path.groups() {
        [] => vec![Scope::message()],
        steps => match judging.groups() {
            Ok(groups) => groups.select(message, &Scope::message(), steps),
            Err(_) => {
                let why = "the groups of this message are not known: its version (MSH.12) or its structure (MSH.9) is not \
                           in the standard";
                return tried.undecided(why);
            }
        },
    };
    let ranges: Vec<Range<usize>> = scopes.iter().map(|scope| scope.segments.clone()).collect();
    let selected = match path.path() {
        // A selector of groups.
        None => scopes.iter().map(|scope| Selected::new(&scope.place, written(message, &scope.segments))).collect(),
        Some(path) if path.is_segment() => {
            let segments = path.segments_in(message, &ranges);
            segments
                .map(|segment| Selected::new(place(message, segment.piece().span().start), text(&segment)))
                .collect()
        }
        Some(path) => {
            let values = path.select_in(message, &ranges);
            values.map(|value| Selected::new(place(message, value.span().start), value.text().text)).collect()
        }
    };
    let tried = tried.with(selected, || why(path, message, &scopes, &ranges, &judging));
    let among = path.path().filter(|_| tried.selected.len() == 1).and_then(|path| among(path, message, &ranges));
    Tried { why: tried.why.or(among.map(|among| format!("this is {among}"))), ..tried }
}

/// The place of a byte in a message: `PID[1] at byte 73, segment 3`.
fn place(message: &Message<'_>, offset: usize) -> String {
    let mut found = None;
    for (number, segment) in message.segments().enumerate().take_while(|(_, one)| one.piece().span().start <= offset) {
        found = Some((number, segment.id()));
    }
    let Some((number, id)) = found else { return format!("byte {offset}") };
    let same = message.segments().take(number + 1).filter(|segment| segment.id() == id).count();
    let name = String::from_utf8_lossy(&id).into_owned();
    format!("{name}[{same}], segment {} of the message, byte {offset}", number + 1)
}

fn text(segment: &Segment<'_>) -> String {
    String::from_utf8_lossy(segment.piece().raw()).into_owned()
}

fn written(message: &Message<'_>, segments: &Range<usize>) -> String {
    let length = segments.end.saturating_sub(segments.start);
    let ids = message.segments().skip(segments.start).take(length).map(|segment| segment.id());
    ids.map(|id| String::from_utf8_lossy(&id).into_owned()).collect::<Vec<_>>().join(" ")
}

fn why(
    path: &MessagePath,
    message: &Message<'_>,
    scopes: &[Scope],
    ranges: &[Range<usize>],
    judging: &Judging<'_>,
) -> String {
    if scopes.is_empty() {
        let first = path.groups().first().map(|step| step.name()).unwrap_or_default();
        let all = written(message, &(0..usize::MAX));
        let none = format!("the message has no {first} that the path means; its segments are {all}");
        return judging.without(path).unwrap_or(none);
    }
    let Some(inner) = path.path() else { return "no group is selected".to_owned() };
    let id = inner.segment_id();
    let r#where = if path.groups().is_empty() { "the message" } else { "the selected group" };
    let of_id = |text: String| Path::parse(&text).ok();
    let segments = of_id(format!("{id}[*]")).map(|all| all.segments_in(message, ranges).count()).unwrap_or_default();
    if segments == 0 {
        let all: Vec<String> = ranges.iter().map(|range| written(message, range)).collect();
        return format!("{where} has no {id} segment; it has {}", all.join(" "), r#where = r#where);
    }
    let Some(((number, ..), _)) = inner.elements().next() else {
        return format!("{segments} {id} segments are there, and the selector means none");
    };
    let field = of_id(format!("{id}[*].{number}[*]"));
    let contents = field.iter().flat_map(|field| field.select_in(message, ranges)).map(|value| value.text().text);
    unselected(format!("{id}.{number}"), contents)
        .unwrap_or_else(|| format!("{id} is there, and {id}.{number} is empty"))
}
