//! "Speaker: text" lines.
//!
//! A turn begins with a label and a colon; lines without one go on with the turn before them. The label may have a time
//! before it (`[00:01:02]`, `00:01:02 -`) or after it (`Agent (00:12):`).
//!
//! A label has at most five words and 48 characters of letters, digits and `_ - . ' ( ) # /`, and begins with a letter
//! or a digit; every word after the first begins with a capital, a digit or a sign, or is a role. So `Dr. Rivera:`,
//! `SPEAKER_00:`, `speaker 1:` and `call center agent:` are labels; `My member ID is: W123` goes on with the turn
//! before it. White space or nothing follows the colon, so `10:30` and `https://` are not labels. Text before the first
//! label makes the file unreadable: prose about a call is not a transcript of it.
//!
//! A label that is not a known role, title or numbered speaker and occurs only once may be text of the turn before it
//! (`Address: 12 Main St`): such a turn is [`Turn::doubtful`]. So is one in small letters (`maria gonzalez: hello`)
//! and, without a speaker, a heading (`Note: …`, `data/labels.txt`).

use std::collections::HashMap;

use super::Turn;
use super::error::TranscriptError;
use super::timed::{clock, is_time};
use crate::tables::{LABELS, SPEAKERS};

/// Reads lines. `base` is the offset of `text` in the file.
pub(super) fn read(text: &str, base: usize) -> Result<Vec<Turn>, TranscriptError> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut offset = base;
    for (index, full) in text.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += full.len();
        let line = full.trim();
        if line.is_empty() {
            continue;
        }
        let start = start + (full.len() - full.trim_start().len());
        let end = start + line.len();
        let first = turns.is_empty();
        if let Some((label, said, sure)) = label_of(line).filter(|(_, _, sure)| *sure || !first) {
            let heading = LABELS.headings.contains(label.to_lowercase().as_str());
            turns.push(Turn {
                speaker: (!heading).then(|| label.to_owned()),
                text: said.to_owned(),
                spoken: true,
                span: start..end,
                start: line_time(line),
                doubtful: !sure || heading,
                ..Turn::default()
            });
        } else if let Some(turn) = turns.last_mut() {
            if !turn.text.is_empty() {
                turn.text.push('\n');
            }
            turn.text.push_str(line);
            turn.span.end = end;
        } else {
            return Err(TranscriptError::NoSpeaker { line: index + 1, offset: start });
        }
    }
    doubt(&mut turns);
    Ok(turns)
}

/// Marks labels that occur once if other labels are known to be speakers, and clears the doubt of those that occur
/// twice.
pub(super) fn doubt(turns: &mut [Turn]) {
    let fold = |turn: &Turn| turn.speaker.as_deref().map(str::to_lowercase);
    let mut times: HashMap<String, usize> = HashMap::new();
    for label in turns.iter().filter_map(fold) {
        *times.entry(label).or_default() += 1;
    }
    let known = |label: &str| {
        let words = || label.split(|c: char| !c.is_alphanumeric() && c != '.');
        words().any(|word| SPEAKERS.contains_key(word) || word.ends_with(|c: char| c.is_ascii_digit()))
            || words().next().is_some_and(|word| LABELS.titles.contains(word))
    };
    let any_known = times.iter().any(|(label, times)| *times > 1 || known(label));
    for turn in turns {
        let Some(label) = fold(turn) else { continue };
        let once = times.get(&label).is_none_or(|times| *times < 2);
        turn.doubtful = once && !known(&label) && (turn.doubtful || any_known);
    }
}

/// The time before or after the label, in milliseconds.
fn line_time(line: &str) -> Option<u64> {
    let inside = line.split(['[', ']', '(', ')']).map(str::trim).take(4);
    inside.chain(line.split_whitespace().take(1)).find_map(clock)
}

pub(super) fn label_of(line: &str) -> Option<(&str, &str, bool)> {
    let line = without_time(line).trim_start_matches('*');
    let colon =
        line.match_indices(':').map(|(at, _)| at).take_while(|at| *at <= LONGEST_LABEL + LONGEST_TIME).find(|at| {
            line.get(at + 1..)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace) || rest.starts_with("**"))
        })?;
    let label = without_time_behind(line.get(..colon)?.trim_end());
    let said = line.get(colon + 1..)?.trim().trim_start_matches('*').trim_start();
    let label = label.trim_matches('*').trim_end();
    let sure = is_label(label);
    (sure || may_be_label(label)).then_some((label, said, sure))
}

/// True for words in small letters that are not part of a sentence: a name, or a field of a form.
fn may_be_label(label: &str) -> bool {
    const MOST_WORDS: usize = 4;
    let words = || label.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty());
    let name = |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '\'' | '\u{2019}'));
    label.len() <= LONGEST_LABEL
        && label.starts_with(char::is_alphabetic)
        && words().count() <= MOST_WORDS
        && words().all(|word| name(word) && !LABELS.never.contains(word.to_lowercase().as_str()))
}

/// The most bytes of a label.
pub(super) const LONGEST_LABEL: usize = 48;
const LONGEST_TIME: usize = 32;

fn is_label(label: &str) -> bool {
    let fits = label.len() <= LONGEST_LABEL
        && label.starts_with(char::is_alphanumeric)
        && label.contains(char::is_alphabetic)
        && label.chars().all(|c| {
            c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '\'' | '\u{2019}' | '(' | ')' | '#' | '/')
        });
    let mut words = label.split(' ').filter(|word| !word.is_empty());
    let lower = |word: &str| word.starts_with(char::is_lowercase);
    let role = |word: &str| SPEAKERS.contains_key(word);
    let ends_in_role = label.rsplit(' ').next().is_some_and(role);
    let count = words.clone().count();
    fits && count <= 5 && (ends_in_role || words.by_ref().skip(1).all(|word| !lower(word)))
}

/// The line behind a time, in brackets or not.
fn without_time(line: &str) -> &str {
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some((inside, rest)) = line.strip_prefix(open).and_then(|line| line.split_once(close)) {
            let times = inside
                .split(|c: char| c.is_whitespace() || c == '-' || c == '>' || c == '\u{2013}')
                .filter(|part| !part.is_empty())
                .all(is_time);
            return if times || is_date_and_time(inside) { rest.trim_start() } else { line };
        }
    }
    match line.split_once(char::is_whitespace) {
        Some((time, rest)) if is_time(time) => {
            rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '\u{2013}' | '|'))
        }
        _ => line,
    }
}

/// `2026-01-05T10:00:00Z`, `2026-01-05 10:00:00`.
fn is_date_and_time(text: &str) -> bool {
    let text = text.trim();
    let (Some(date), Some(rest)) = (text.get(..10), text.get(10..)) else { return false };
    let date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let time = rest.trim_start_matches(['T', ' ']).trim_end_matches('Z');
    let time = time.split_once(['+', '-']).map_or(time, |(time, _)| time);
    date && (rest.is_empty() || is_time(time))
}

/// The label before a time in brackets.
fn without_time_behind(label: &str) -> &str {
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some((before, time)) = label.strip_suffix(close).and_then(|label| label.rsplit_once(open))
            && is_time(time.trim())
        {
            return before.trim_end();
        }
    }
    label
}
