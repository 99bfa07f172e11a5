//! Praat TextGrid files in the long text form: one turn an interval that holds text; the tier's name is the speaker.
//! <https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html>

use candor_check::records::{Completeness, Cut, Reading};

use super::Turn;
use super::error::TranscriptError;
use super::timed::millis;

/// Reads a TextGrid. `base` is the offset of `text` in the file.
pub(super) fn read(text: &str, base: usize) -> Result<Reading<Vec<Turn>>, TranscriptError> {
    let wrong = |problem, offset| TranscriptError::Format { format: "a Praat TextGrid", problem, offset };
    let mut turns = Vec::new();
    let (mut speaker, mut start, mut end) = (None, None, None);
    let (mut from, mut tiers) = (base, 0_usize);
    // A file says how many tiers it has, and a tier how many intervals or points.
    let (mut said, mut counted) = (0_usize, 0_usize);
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = rest.get(..length).unwrap_or_default();
        let offset = base + at + (line.len() - line.trim_start().len());
        let member = line.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        match member {
            Some(("xmin", value)) => (start, from) = (seconds(value), offset),
            Some(("size" | "intervals: size" | "points: size", value)) => {
                said = said.saturating_add(value.parse().unwrap_or_default());
            }
            Some(("xmax", value)) => end = seconds(value),
            Some(("name", value)) => {
                tiers += 1;
                counted += 1;
                speaker = Some(value.trim_matches('"').to_owned()).filter(|name| !name.is_empty());
            }
            Some((key @ ("text" | "mark"), _)) => {
                counted += 1;
                let open = rest.find('"').ok_or_else(|| wrong("a text without quotation marks", offset))?;
                let (said, close) = quoted(rest, open + 1).ok_or_else(|| wrong("a text without an end", offset))?;
                if !said.trim().is_empty() {
                    let (start, end) = if key == "text" { (start, end) } else { (None, None) };
                    let span = from..base + at + close;
                    let text = plain(said.trim());
                    turns.push(Turn {
                        speaker: speaker.clone(),
                        text,
                        spoken: true,
                        span,
                        start,
                        end,
                        ..Turn::default()
                    });
                }
                let behind = rest.get(close..).unwrap_or_default();
                at += close + behind.find('\n').map_or(behind.len(), |end| end + 1);
                continue;
            }
            _ => {}
        }
        at += length;
    }
    if tiers == 0 {
        return Err(wrong("no tier with a name (the short form is not read)", base));
    }
    if counted < said {
        let cut = Cut::new((base + text.len()) as u64, "a TextGrid with fewer tiers, intervals or points than it says");
        return Ok(Reading::new(turns, Completeness::Cut(cut)));
    }
    Ok(Reading::whole(turns))
}

fn seconds(value: &str) -> Option<u64> {
    millis(&serde_json::Value::String(value.to_owned()))
}

/// A text up to its closing quotation mark, `""` read as one, and the byte behind it.
fn quoted(text: &str, from: usize) -> Option<(String, usize)> {
    let mut said = String::new();
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let close = rest.find('"')?;
        said.push_str(rest.get(..close)?);
        at += close + 1;
        if !text.get(at..)?.starts_with('"') {
            return Some((said, at));
        }
        said.push('"');
        at += 1;
    }
}

/// Without the annotators' tags: `<UNSURE>…</UNSURE>` is its text, `<UNIN/>` was not understood.
fn plain(text: &str) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, tagged)) = rest.split_once('<') {
        said.push_str(before);
        let Some((tag, behind)) = tagged.split_once('>') else {
            said.push('<');
            rest = tagged;
            continue;
        };
        if tag.ends_with('/') {
            said.push_str("[inaudible]");
        }
        rest = behind;
    }
    said.push_str(rest);
    said
}
