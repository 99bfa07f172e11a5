//! Captions: WebVTT and SRT. One turn a cue; a WebVTT cue of several voices is a turn for each.
//!
//! Read as a whole or not at all: text outside a cue, or a cue whose time cannot be read, makes the file unreadable, because
//! what it holds would be lost.
//!
//! The speaker is the voice of WebVTT (`<v Agent>`, <https://www.w3.org/TR/webvtt1/#webvtt-cue-voice-span>) or a label at the
//! beginning of the cue (`Agent: …`), as meeting software writes it.

use super::Turn;
use super::error::TranscriptError;
use super::lines::{doubt, label_of};
use super::timed::clock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Captions {
    Vtt,
    Srt,
}

/// The times of a cue's first line, in milliseconds.
fn times(line: &str) -> Option<(u64, u64)> {
    let (from, to) = line.split_once("-->")?;
    Some((clock(from.trim())?, clock(to.split_whitespace().next()?)?))
}

/// A line that is not blank, and its place.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    at: usize,
}

/// Reads captions. `base` is the offset of `text` in the file.
pub(super) fn read(text: &str, base: usize, captions: Captions) -> Result<Vec<Turn>, TranscriptError> {
    let format = if captions == Captions::Vtt { "WebVTT" } else { "SRT" };
    let wrong = |problem, offset| TranscriptError::Format { format, problem, offset };
    let mut turns = Vec::new();
    let mut voiced = Vec::new();
    let mut cues = 0_usize;
    let mut header_at = None;
    // the lines of the cue before
    let mut last: Vec<String> = Vec::new();
    for (index, block) in blocks(text, base, captions).iter().enumerate() {
        let Some(first) = block.first() else { continue };
        if captions == Captions::Vtt {
            let word = first.text.split_whitespace().next().unwrap_or_default();
            let header = index == 0 && word == "WEBVTT";
            let timed = block.iter().take(2).any(|line| line.text.contains("-->"));
            if (header && !block.iter().any(|line| line.text.contains("-->")))
                || (!timed && matches!(word, "NOTE" | "STYLE" | "REGION"))
            {
                header_at = header_at.or(block.get(1).filter(|_| header).map(|line| line.at));
                continue;
            }
        }
        cues += 1;
        let header = usize::from(captions == Captions::Vtt && index == 0);
        let block = block.get(header..).unwrap_or_default();
        let found = block.iter().take(2).position(|line| times(line.text).is_some());
        let Some(time_at) = found else {
            return Err(wrong("a block of lines without a time that can be read", first.at));
        };
        let time = block.get(time_at).and_then(|line| times(line.text));
        let said = block.get(time_at + 1..).unwrap_or_default();
        let whole: Vec<String> = said.iter().map(|line| untagged(line.text, captions)).collect();
        let shown = shown_before(&last, &whole, time);
        if said.iter().any(|line| line.text.contains("-->")) {
            return Err(wrong("a second time inside a cue", first.at));
        }
        let end = block.last().map_or(first.at, |line| line.at + line.text.len());
        last = whole;
        let said = said.get(shown..).unwrap_or_default();
        let joined = said.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
        for (voice, text) in voices(&joined, captions) {
            if text.is_empty() {
                continue;
            }
            voiced.push(voice.is_some());
            let labelled = if voice.is_none() { label_of(&text) } else { None };
            let (speaker, text, sure) = match labelled {
                Some((label, rest, sure)) if sure => (Some(label.to_owned()), rest.to_owned(), sure),
                _ => (voice, text, true),
            };
            turns.push(Turn {
                speaker,
                text,
                spoken: true,
                span: first.at..end,
                start: time.map(|(start, _)| start),
                end: time.map(|(_, end)| end),
                doubtful: !sure,
                ..Turn::default()
            });
        }
    }
    if let Some(offset) = header_at.filter(|_| cues == 0) {
        return Err(wrong("lines after the header and no cue, so their meaning is unknown", offset));
    }
    doubt(&mut turns);
    // a voice is not a text that may be a label
    turns.iter_mut().zip(voiced).filter(|(_, voiced)| *voiced).for_each(|(turn, _)| turn.doubtful = false);
    Ok(turns)
}

/// How many lines of a cue the cue before showed already: captions that roll up show a line twice, but its speaker
/// said it once. A cue that shows nothing new repeats those words, unless it is too short to be spoken.
fn shown_before(last: &[String], lines: &[String], time: Option<(u64, u64)>) -> usize {
    /// The longest time in which nothing can be said, in milliseconds.
    const BRIEF: u64 = 50;
    let brief = time.is_some_and(|(from, to)| to.saturating_sub(from) <= BRIEF);
    let most = last.len().min(if brief { lines.len() } else { lines.len().saturating_sub(1) });
    let shown = |count: &usize| {
        let tail = last.get(last.len() - count..).unwrap_or_default();
        tail.iter().zip(lines).all(|(one, other)| one == other)
    };
    (1..=most).rev().find(shown).unwrap_or_default()
}

/// The blocks of lines that blank lines part. A line of blanks right behind a WebVTT time does not end its cue.
fn blocks(text: &str, base: usize, captions: Captions) -> Vec<Vec<Line<'_>>> {
    let mut blocks = vec![Vec::new()];
    let mut at = base;
    for full in text.split_inclusive('\n') {
        let line = full.trim();
        let start = at + (full.len() - full.trim_start().len());
        at += full.len();
        if line.is_empty() {
            let before: Option<&Line<'_>> = blocks.last().and_then(|block| block.last());
            let blanks = captions == Captions::Vtt && full.starts_with([' ', '\t']);
            if !blanks || before.is_none_or(|line| !line.text.contains("-->")) {
                blocks.push(Vec::new());
            }
        } else if let Some(block) = blocks.last_mut() {
            block.push(Line { text: line, at: start });
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// A line without its tags, unless they name a speaker: captions that roll up time the words of a line once.
fn untagged(line: &str, captions: Captions) -> String {
    match voices(line, captions).as_slice() {
        [(None, text)] => text.clone(),
        _ => line.to_owned(),
    }
}

/// In bytes, with its last bracket.
const LONGEST_TAG: usize = 200;

/// The text of a cue by voice, without tags.
fn voices(text: &str, captions: Captions) -> Vec<(Option<String>, String)> {
    let mut parts: Vec<(Option<String>, String)> = vec![(None, String::new())];
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&', '{']) {
        let (before, from) = rest.split_at(at);
        push(&mut parts, before);
        let near = from.get(..from.floor_char_boundary(LONGEST_TAG)).unwrap_or_default();
        let tag = near.split_once('>').filter(|(tag, _)| tag.starts_with('<') && is_tag(tag));
        rest = if let Some((tag, _)) = tag {
            let voice = voice_of(tag);
            if voice.is_some() || tag == "</v" {
                parts.push((voice, String::new()));
            }
            from.get(tag.len() + 1..).unwrap_or_default()
        } else if captions == Captions::Srt && from.starts_with("{\\") {
            from.split_once('}').map_or("", |(_, behind)| behind)
        } else {
            let (text, behind) = entity(from).unwrap_or_else(|| from.split_at(1));
            push(&mut parts, text);
            behind
        };
    }
    push(&mut parts, rest);
    let said = parts.iter().map(|(voice, text)| (voice, text.trim())).filter(|(_, text)| !text.is_empty());
    let said: Vec<(&Option<String>, &str)> = said.collect();
    let joined = said.chunk_by(|(one, _), (other, _)| one == other).filter_map(|same| {
        let texts: Vec<&str> = same.iter().map(|(_, text)| *text).collect();
        Some((same.first()?.0.clone(), texts.join(" ")))
    });
    joined.collect()
}

fn push(parts: &mut [(Option<String>, String)], text: &str) {
    if let Some((_, said)) = parts.last_mut() {
        said.push_str(text);
    }
}

fn is_tag(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    tag.len() < LONGEST_TAG && (name.is_empty() || name.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// The name in `<v.loud Name`.
fn voice_of(tag: &str) -> Option<String> {
    let (kind, name) = tag.strip_prefix('<')?.split_once(char::is_whitespace)?;
    let voice = kind == "v" || kind.starts_with("v.");
    voice.then(|| voices(name, Captions::Vtt).pop())?.map(|(_, name)| name)
}

fn entity(text: &str) -> Option<(&str, &str)> {
    let signs = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&quot;", "\"")];
    let others = [("&#39;", "'"), ("&apos;", "'"), ("&lrm;", ""), ("&rlm;", "")];
    signs.into_iter().chain(others).find_map(|(escape, read)| Some((read, text.strip_prefix(escape)?)))
}
