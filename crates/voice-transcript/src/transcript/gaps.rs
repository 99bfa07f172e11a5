//! Words that a text does not hold, because the record hides them or they were not heard, and words that it holds and that
//! were not said. The marks are those of `data/tags.txt` and `data/gaps.txt`.

use crate::tables::{GAPS, TAGS};

const MASKS: [&str; 9] =
    ["***", "###", "\u{2588}", "\u{25a0}\u{25a0}", "\u{25cf}\u{25cf}", "\u{2022}\u{2022}", "XXXX", "XXX-XX", "xxx-xx"];

/// The most bytes of a mark in brackets, and the most words of one that holds a word of the table.
const LONGEST: usize = 48;
const MOST_WORDS: usize = 4;

/// If a text hides words, or if all of its words were unheard.
pub(super) fn has_gap(text: &str) -> bool {
    let (mut rest, mut unheard, mut heard) = (text, false, false);
    while let Some(open) = rest.chars().next() {
        rest = rest.get(open.len_utf8()..).unwrap_or_default();
        let Some(inside) = inside(open, rest) else {
            heard |= open.is_alphanumeric();
            continue;
        };
        rest = rest.get(inside.len() + 1..).unwrap_or_default();
        let words: Vec<String> =
            inside.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
        let plain = words.join(" ");
        let any = |is: &dyn Fn(&str) -> bool| words.len() <= MOST_WORDS && words.iter().any(|word| is(word));
        // people speak in round brackets, too
        let marks = !matches!(open, '(' | '*');
        let kind = || inside.starts_with('{') || words.last().is_some_and(|word| GAPS.kinds.contains(word.as_str()));
        if any(&|word| GAPS.hidden.contains(word)) || marks && kind() {
            return true;
        }
        // "[??]"
        let signs = !inside.trim().is_empty() && !inside.contains(char::is_alphanumeric);
        let known = TAGS.get(&*plain);
        if signs || known == Some(&true) || any(&|word| GAPS.unheard.contains(word) || TAGS.get(word) == Some(&true)) {
            unheard = true;
        } else if known.is_none() && !GAPS.sounds.contains(&*plain) {
            if marks && is_name(inside) {
                return true;
            }
            heard |= !marks && inside.contains(char::is_alphanumeric);
        }
    }
    (unheard && !heard) || MASKS.iter().any(|mask| text.contains(mask))
}

/// The content of a bracket; `None` if it is not a bracket, contains another one, or is too long.
fn inside(open: char, behind: &str) -> Option<&str> {
    let pairs = [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}'), ('*', '*')];
    let (_, close) = pairs.into_iter().find(|(opens, _)| *opens == open)?;
    let (at, _) = behind.char_indices().take_while(|(at, _)| *at <= LONGEST).find(|(_, c)| *c == close)?;
    let inside = behind.get(..at)?;
    // a placeholder of a template has two
    let held = inside.strip_prefix('{').filter(|_| open == '{').unwrap_or(inside);
    // PriMock57 writes a murmur as an empty element
    let other = held.contains(['[', '(', '<', '{']) || (open == '<' && held.ends_with('/'));
    (!other).then_some(inside)
}

/// `CREDIT_CARD_1`: a name of what is hidden.
fn is_name(inside: &str) -> bool {
    let of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    inside.len() > 2 && inside.bytes().all(of_name) && inside.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// A text without what a model wrote to itself. Where a thought has no beginning or no end, the words on that side may have
/// been said.
pub(super) fn unthought(text: &str) -> String {
    const HIDDEN: &str = "[redacted]";
    let mut said = text.to_owned();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        let mut parts = said.split(open);
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            kept.push_str(part.split_once(close).map_or(HIDDEN, |(_, behind)| behind));
        }
        said = match kept.rsplit_once(close) {
            Some((_, behind)) => format!("{HIDDEN}{behind}"),
            None => kept,
        };
    }
    said
}
