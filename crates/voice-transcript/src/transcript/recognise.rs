//! Formats that are known and not read, so that an error can name them.

use super::cues::Captions;
use super::timed::is_time;

pub(super) fn captions(text: &str) -> Option<Captions> {
    let text = text.trim_start();
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let second = lines.next().unwrap_or_default();
    if first == "WEBVTT" || first.starts_with("WEBVTT ") || first.starts_with("WEBVTT\t") {
        return Some(Captions::Vtt);
    }
    let numbered = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    ((numbered && is_cue_time(second)) || is_cue_time(first)).then_some(Captions::Srt)
}

/// A text format that is known and not read.
pub(super) fn other_format(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let first = text.lines().map(str::trim).next().unwrap_or_default();
    let times = first.split_once(',').is_some_and(|(from, to)| is_time(from) && is_time(to));
    let html = first.to_ascii_lowercase().starts_with("<!doctype") || first.starts_with("<html");
    let formats = [
        (first.starts_with("{\\rtf"), "RTF"),
        (text.starts_with("%PDF-"), "PDF"),
        (text.starts_with("File type = \"ooTextFile"), "a Praat TextGrid"),
        (times, "SBV captions"),
        (text.starts_with("<?xml") || html, "XML or HTML"),
    ];
    formats.into_iter().find(|(is, _)| *is).map(|(_, name)| name)
}

/// True if a text is meant as JSON. A line of a call may begin with a bracket too: `[00:01:02] Agent: …`.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let inside = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['{', '[', ']', '"']))
}

/// `00:00:01,000 --> 00:00:02,000`.
fn is_cue_time(line: &str) -> bool {
    line.split_once("-->")
        .is_some_and(|(from, to)| is_time(from.trim()) && to.split_whitespace().next().is_some_and(is_time))
}
