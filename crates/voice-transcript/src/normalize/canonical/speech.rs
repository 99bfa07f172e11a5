//! Leaves out the marks of speech that writing does not have: sounds, asides, broken-off words, immediate repetitions.

use super::super::token::{Kind, Pause, Tokens};
use super::{Source, rewrite};
use crate::marks::Marks;
use crate::tables::{ASIDES, NEGATIONS, TAGS};

/// The longest stretch of words whose immediate repetition is left out.
const LONGEST_REPEAT: usize = 4;

pub(super) fn leave_out(tokens: &mut Tokens, source: &Source<'_>) {
    // both dashes begin with the second byte
    let broken = source.0.iter().any(|text| text.bytes().any(|byte| matches!(byte, b'-' | 0xe2)));
    if broken || tokens.held.any(SOUND) {
        rewrite(tokens, |tokens, at, _| usize::from(is_sound(tokens, at) || (broken && is_broken(tokens, at, source))));
    }
    if tokens.held.any(Marks::ASIDE) {
        rewrite(tokens, |tokens, at, _| aside(tokens, at).unwrap_or_default());
    }
    rewrite(tokens, |tokens, at, _| {
        let again = |length: &usize| {
            tokens.list.get(at).zip(tokens.list.get(at + length)).is_some_and(|(one, other)| tokens.same(one, other))
        };
        (1..=LONGEST_REPEAT).rev().find(|length| again(length) && is_repeated(tokens, at, *length)).unwrap_or_default()
    });
}

/// The marks of a word that may be a sound.
const SOUND: Marks = Marks::HESITATION.and(Marks::TAG);

fn is_sound(tokens: &Tokens, at: usize) -> bool {
    let marks = tokens.marks(at);
    let tag = || tokens.text_at(at).strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    marks.any(SOUND)
        && !tokens.is_glued(at)
        && (marks.any(Marks::HESITATION) || tag().is_some_and(|tag| TAGS.get(tag) == Some(&false)))
}

/// `secur-` before `security`: a hyphen ends it, and one of the next words begins with it.
fn is_broken(tokens: &Tokens, at: usize, source: &Source<'_>) -> bool {
    let Some(token) = tokens.list.get(at).filter(|token| token.kind != Kind::Number && !token.glued) else {
        return false;
    };
    let text = tokens.text(token);
    let mut behind = source.behind(token).chars();
    let cut = behind.next().is_some_and(|c| matches!(c, '-' | '\u{2013}' | '\u{2014}'))
        && behind.next().is_none_or(|c| c.is_whitespace() || matches!(c, '-' | ',' | '.'));
    cut && !is_kept(tokens, at)
        && (at + 1..=at + 3).any(|next| {
            let next = tokens.text_at(next);
            next.len() > text.len() && next.starts_with(text)
        })
}

/// Numbers, letters and negations, which are never left out.
fn is_kept(tokens: &Tokens, at: usize) -> bool {
    let text = tokens.text_at(at);
    let kind = tokens.list.get(at).map(|token| token.kind);
    let number = !matches!(kind, Some(Kind::Word | Kind::Letter)) || tokens.marks(at).any(Marks::NUMBER);
    let character =
        kind == Some(Kind::Letter) || matches!(text, "oh" | "double" | "triple" | "quadruple" | "point" | "half");
    let negates = NEGATIONS.negates.at(0, |index| (index == 0).then_some(text)).is_some();
    number || character || negates
}

fn aside(tokens: &Tokens, at: usize) -> Option<usize> {
    let paused = |at: usize| tokens.list.get(at).is_some_and(|token| token.pause != Pause::None);
    let word = |at: usize| tokens.list.get(at).map(|token| tokens.text(token));
    let length = ASIDES.at(at, word)?;
    let inside = (at + 1..at + length).all(|at| !paused(at));
    (paused(at) && inside && paused(at + length)).then_some(length)
}

/// True if the same number of words follows directly, and the two stretches of words are equal.
fn is_repeated(tokens: &Tokens, at: usize, length: usize) -> bool {
    (at..at + length).all(|first| {
        let second = first + length;
        let pair = tokens.list.get(first).zip(tokens.list.get(second));
        let same = pair.is_some_and(|(first, second)| tokens.same(first, second));
        let within = || (first == at || tokens.goes_on(first)) && tokens.goes_on(second);
        // a repeated "I" is the pronoun
        let kept = || is_kept(tokens, first) && tokens.text_at(first) != "i";
        same && within() && !tokens.is_glued(first) && !tokens.is_glued(second) && !kept()
    })
}
