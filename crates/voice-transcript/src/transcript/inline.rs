//! Labels inside a line or a cue: "Agent: Your name? Caller: Maria." are two turns.
//!
//! A label behind the end of a sentence or line begins a turn when it begins a line of the file elsewhere, as it is written
//! there; where all lines have one label, known roles with a capital do, too. Any other known role, and a label amid a
//! sentence, may be read out by who speaks: from there on the turn has no speaker.

use std::collections::HashMap;

use super::Turn;
use super::lines::LONGEST_LABEL;
use crate::tables::{SPEAKERS, UNREAD};

/// Cuts turns where another label begins.
pub(super) fn split(turns: Vec<Turn>) -> Vec<Turn> {
    let mut labels: HashMap<String, bool> = HashMap::new();
    for turn in &turns {
        if let Some(label) = &turn.speaker {
            *labels.entry(label.clone()).or_default() |= !turn.doubtful;
        }
    }
    turns.into_iter().flat_map(|turn| parts(turn, &labels)).collect()
}

/// `labels`: those of the lines, and whether they are for sure.
fn parts(turn: Turn, labels: &HashMap<String, bool>) -> Vec<Turn> {
    if !turn.text.contains(':') {
        return vec![turn];
    }
    // a part is not a copy of the whole text
    let bare = Turn { text: String::new(), ..turn.clone() };
    let mut found = vec![bare.clone()];
    let mut from = 0;
    for (colon, _) in turn.text.match_indices(':') {
        let behind = turn.text.get(colon + 1..).unwrap_or_default();
        let Some(before) = turn.text.get(from..colon).filter(|_| behind.starts_with(char::is_whitespace)) else {
            continue;
        };
        let Some(start) = label_at_end(before, labels) else { continue };
        let (said, label) = before.split_at(start);
        let role = SPEAKERS.get(label.to_lowercase().as_str()).is_some();
        let begins = said.trim_end().is_empty()
            || said.ends_with('\n')
            || said.trim_end().ends_with(['.', '!', '?', '\u{2026}', ']', ')', '|', '"', '\u{201d}']);
        let sure = begins && (labels.get(label) == Some(&true) || (role && labels.len() < 2));
        // a label that is not sure may be text
        let text = turn.text.get(from + start..colon + 1).filter(|_| !sure).unwrap_or_default().to_owned();
        if let Some(last) = found.last_mut() {
            last.text.push_str(said);
        }
        found.push(Turn { speaker: sure.then(|| label.to_owned()), text, doubtful: false, ..bare.clone() });
        from = colon + 1;
    }
    if let Some(last) = found.last_mut() {
        last.text.push_str(turn.text.get(from..).unwrap_or_default());
    }
    if found.len() == 1 {
        return vec![turn];
    }
    for turn in &mut found {
        turn.text = turn.text.trim().to_owned();
    }
    found.retain(|turn| !turn.text.is_empty());
    found
}

/// Where the label begins that a text ends with: the longest of a line, or a known role with a capital.
fn label_at_end(text: &str, labels: &HashMap<String, bool>) -> Option<usize> {
    let far = text.len().saturating_sub(LONGEST_LABEL);
    let starts = text.char_indices().rev().map(|(at, _)| at).take_while(|at| *at >= far);
    let begins = |at: &usize| !text.get(..*at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
    let of_line = |at: &usize| text.get(*at..).is_some_and(|label| labels.contains_key(label));
    let role = |at: &usize| {
        text.get(*at..).is_some_and(|word| {
            let role = || SPEAKERS.get(word.to_lowercase().as_str()).is_some_and(|role| *role != UNREAD);
            word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphanumeric) && role()
        })
    };
    let starts: Vec<usize> = starts.filter(begins).collect();
    starts.iter().rev().copied().find(of_line).or_else(|| starts.iter().copied().find(role))
}
