//! Changes that keep the meaning.

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, edited};
use candor_hl7v2::{Message, messages};

use super::{field, first, read, text};

/// The file, where it holds this message alone, so that it can be written in another way as a whole.
fn alone<'a>(target: &Target<'a>) -> Option<&'a str> {
    let file = target.file().filter(|file| file.starts_with("MSH"))?;
    (messages(file.as_bytes()).take(2).count() == 1).then_some(file)
}

/// Changes a file, or several parts of it, in one change.
fn whole(target: &Target<'_>, edits: impl IntoIterator<Item = Edit>, what: &str) -> Vec<Change> {
    vec![target.change_file(edits, format!("{} {what}.", target.place.locator))]
}

fn put_in(at: usize, with: impl Into<String>) -> Edit {
    Edit { span: at..at, with: with.into() }
}

pub(super) fn line_ends(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = alone(target) else { return Vec::new() };
    let lines = file.split(['\r', '\n']).filter(|line| !line.is_empty());
    let edit = Edit { span: 0..file.len(), with: lines.map(|line| format!("{line}\r\n")).collect() };
    whole(target, [edit], "has lines that end in CR LF")
}

pub(super) fn mllp_frames(target: &Target<'_>) -> Vec<Change> {
    // A file that is framed already has its end before its last line end.
    let Some(file) = alone(target).filter(|file| !file.contains(['\u{b}', '\u{1c}'])) else { return Vec::new() };
    whole(target, [put_in(0, "\u{b}"), put_in(file.len(), "\r\u{1c}\r")], "is framed as MLLP sends it")
}

pub(super) fn batch_envelope(target: &Target<'_>) -> Vec<Change> {
    let is_plain = |file: &&str| file.get(3..8) == Some("|^~\\&") && !file.contains('\u{1c}');
    let Some(file) = alone(target).filter(is_plain) else { return Vec::new() };
    let edits = [put_in(0, "FHS|^~\\&\rBHS|^~\\&\r"), put_in(file.len(), "\rBTS|1\rFTS|1\r")];
    whole(target, edits, "is a batch of one message")
}

pub(super) fn other_delimiters(target: &Target<'_>) -> Vec<Change> {
    // \F\ is the field separator, whichever that is.
    let is_free = |file: &&str| file.get(3..4) == Some("|") && !file.contains('!') && !file.contains("\\F\\");
    let Some(file) = alone(target).filter(is_free) else { return Vec::new() };
    whole(target, [Edit { span: 0..file.len(), with: file.replace('|', "!") }], "has ! for its field separator")
}

pub(super) fn trailing_separators(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let two = char::from(message.delimiters().field).to_string().repeat(2);
    let edits = message.segments().map(|segment| put_in(segment.piece().span().end, two.as_str()));
    vec![target.change(edits, "Each segment ends in separators without values.")]
}

pub(super) fn z_segment(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let separator = char::from(message.delimiters().field);
    let end = message.segments().last().map(|segment| segment.piece().span().end);
    let change = |end| target.change([put_in(end, format!("\rZZA{separator}1"))], "A Z segment was added at the end.");
    end.map(change).into_iter().collect()
}

/// The first letter of a name or of a text, by its code.
pub(super) fn escapes(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let change = || {
        let escape = char::from(message.delimiters().escape?);
        let is_text = field(&message, "OBX", 2).is_some_and(|(_, kind)| matches!(kind.as_str(), "ST" | "TX" | "FT"));
        let places = [Some(("PID", 5)), is_text.then_some(("OBX", 5))];
        let (name, number, span, letter) = places.into_iter().flatten().find_map(|(name, number)| {
            let own = first(&message, name)?.field(number)?.repetitions().next()?;
            let (span, value) = text(own.components(message.delimiters()).next()?)?;
            let letter = value.chars().next().filter(char::is_ascii_alphabetic)?;
            Some((name, number, span.start..span.start + 1, letter))
        })?;
        let with = format!("{escape}X{:02X}{escape}", u32::from(letter));
        Some(target.change([Edit { span, with }], format!("The {letter} of {name}-{number} is written by its code.")))
    };
    change().into_iter().collect()
}

/// A message of ASCII says that it is UTF-8; another one is written in ISO 8859-1.
pub(super) fn character_set(target: &Target<'_>) -> Vec<Change> {
    let (Some(message), Some(file)) = (read(target), alone(target)) else { return Vec::new() };
    if target.start() != 0 || field(&message, "MSH", 18).is_some_and(|(_, named)| !named.is_empty()) {
        return Vec::new();
    }
    let named = if file.is_ascii() { "UNICODE UTF-8" } else { "8859/1" };
    let Some(edit) = header_field(&message, 18, named) else { return Vec::new() };
    let text = String::from_utf8_lossy(&edited(file.as_bytes(), &[edit])).into_owned();
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    // What ISO 8859-1 lacks stays as it is.
    let Some(bytes) = bytes.filter(|bytes| !bytes.iter().any(|byte| (0x80..0xa0).contains(byte))) else {
        return Vec::new();
    };
    vec![target.rewritten(bytes, format!("{} is written in {named}, and says so in MSH-18.", target.place.locator))]
}

/// A field of the header that has no value gets one, behind as many separators as it needs.
fn header_field(message: &Message<'_>, number: u32, value: &str) -> Option<Edit> {
    let header = first(message, "MSH")?;
    if let Some(field) = header.field(number) {
        return Some(Edit { span: field.piece().span(), with: value.to_owned() });
    }
    let there = u32::try_from(header.fields().count()).ok()?;
    let separators = char::from(message.delimiters().field).to_string().repeat(number.checked_sub(there)? as usize);
    Some(put_in(header.piece().span().end, format!("{separators}{value}")))
}

/// Every time that has an offset, an hour further on in another zone, or an hour back where that is the next day.
pub(super) fn time_zone_form(target: &Target<'_>) -> Vec<Change> {
    let Some(message) = read(target) else { return Vec::new() };
    let filled = message.segments().flat_map(|segment| segment.filled().collect::<Vec<_>>());
    let times = filled.filter(|(_, field)| !field.is_opaque()).flat_map(|(_, field)| {
        let parts = field.repetitions().flat_map(|own| own.components(message.delimiters()).collect::<Vec<_>>());
        parts
            .filter_map(|part| text(part).and_then(|(span, time)| Some(Edit { span, with: hour_aside(&time)? })))
            .collect::<Vec<_>>()
    });
    let edits: Vec<Edit> = times.collect();
    match edits.is_empty() {
        true => Vec::new(),
        false => vec![target.change(edits, format!("The times of {} have another offset.", target.place.locator))],
    }
}

/// `20261120090500-0500` as `20261120100500-0400`.
fn hour_aside(time: &str) -> Option<String> {
    let (clock, offset) = time.split_at_checked(time.len().checked_sub(5)?)?;
    let (sign, zone) = offset.split_at_checked(1)?;
    let digits = clock.split_once('.').map_or(clock, |(whole, _)| whole);
    let is_time = matches!(digits.len(), 10 | 12 | 14)
        && clock.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && zone.bytes().all(|byte| byte.is_ascii_digit());
    if !is_time || !matches!(sign, "+" | "-") {
        return None;
    }
    let hour: i32 = clock.get(8..10)?.parse().ok()?;
    let minutes = zone.get(..2)?.parse::<i32>().ok()? * 60 + zone.get(2..)?.parse::<i32>().ok()?;
    let step = if hour < 23 { 1 } else { -1 };
    let moved = if sign == "-" { -minutes } else { minutes } + step * 60;
    if moved.abs() > 14 * 60 || !(0..24).contains(&hour) {
        return None;
    }
    let sign = if moved < 0 { '-' } else { '+' };
    let (day, after) = (clock.get(..8)?, clock.get(10..)?);
    Some(format!("{day}{:02}{after}{sign}{:02}{:02}", hour + step, moved.abs() / 60, moved.abs() % 60))
}
