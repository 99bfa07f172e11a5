//! The second reading of a text: the meaning of its words, where the first keeps the words themselves.
//!
//! After the splitting into words, and in this order:
//! 1. Sounds (`uh`), asides between pauses (`, you know,`), broken-off words (`secur- security`) and immediate repeats
//!    (`the the`, `date of date of birth`) are left out ([`speech`]). Numbers, letters and negations never are.
//! 2. Characters that are spelled out become them: `B as in boy`, `whiskey one two`, `dash` between them ([`spelled`]).
//! 3. The steps of the first reading.
//! 4. Amounts, halves and millions: `$2.50`, `two dollars and fifty cents`, `three and a half`, `2.5 million` ([`amounts`]).
//! 5. Days and times: `3/14/1985`, `14 March 1985`, `the 14th of March`, `March 14`, `half past three` ([`times`]).
//! 6. Units after numbers (`data/units.txt`) and listed ways to write one thing (`data/canonical.tsv`) ([`listed`]).
//!
//! A phrase is found if one of its two readings is in the same reading of the text, so the first reading still finds
//! words that this one leaves out. Numbers have to be whole in both.

mod amounts;
mod listed;
pub(super) mod spanish;
mod speech;
mod spelled;
pub(super) mod times;

use super::token::{Kind, Pause, Token, Tokens};
use crate::marks::Marks;

/// A text as its segments, for what splitting drops: signs of currency, hyphens.
pub(super) struct Source<'a>(pub(super) &'a [&'a str]);

impl Source<'_> {
    fn before(&self, token: &Token) -> &str {
        self.0.get(token.segment as usize).and_then(|text| text.get(..token.span.0 as usize)).unwrap_or_default()
    }

    fn behind(&self, token: &Token) -> &str {
        self.0.get(token.segment as usize).and_then(|text| text.get(token.span.1 as usize..)).unwrap_or_default()
    }
}

pub(super) fn before_numbers(tokens: &mut Tokens, source: &Source<'_>) {
    speech::leave_out(tokens, source);
    spelled::letters(tokens);
    spelled::addresses(tokens);
    amounts::hide_scales(tokens);
}

pub(super) fn behind_numbers(tokens: &mut Tokens, source: &Source<'_>) {
    if tokens.held.any(Marks::DIGITS.and(Marks::NUMBER)) {
        amounts::scaled(tokens);
        amounts::money(tokens, source);
        times::points(tokens, source);
        times::pressures(tokens);
        times::dates(tokens, source);
        times::clock(tokens);
        listed::units(tokens);
    }
    amounts::halves(tokens);
    if tokens.held.any(Marks::WAY) {
        listed::ways(tokens);
    }
}

/// Rewrites a list of tokens: `step` looks at the tokens from an index on, appends their replacement, and returns how
/// many it took; with nothing taken the token stays. A token behind one without a replacement keeps the longer pause of
/// the two.
pub(super) fn rewrite(tokens: &mut Tokens, mut step: impl FnMut(&mut Tokens, usize, &mut Vec<Token>) -> usize) {
    // most texts stay as they are: a new list is made with the first change
    let mut list: Option<Vec<Token>> = None;
    let mut put = Vec::new();
    let mut pause: Option<Pause> = None;
    let mut at = 0;
    while let Some(token) = tokens.list.get(at).copied() {
        let taken = step(tokens, at, &mut put);
        if taken > 0 && list.is_none() {
            list = Some(tokens.list.get(..at).unwrap_or_default().to_vec());
        }
        if let Some(list) = &mut list {
            put.extend((taken == 0).then_some(token));
            if put.is_empty() {
                pause = tokens.list.iter().skip(at).take(taken).map(|token| token.pause).chain(pause).max();
            } else if let (Some(first), Some(pause)) = (put.first_mut(), pause.take()) {
                (first.pause, first.glued) = (first.pause.max(pause), false);
            }
            list.append(&mut put);
        }
        at += taken.max(1);
    }
    if let Some(list) = list {
        tokens.list = list;
    }
}

/// Replaces so many tokens from an index on by words; the span of each word is that of all those tokens.
pub(super) fn put(
    tokens: &mut Tokens,
    at: usize,
    taken: usize,
    words: &[(&str, Kind)],
    list: &mut Vec<Token>,
) -> usize {
    let Some(first) = tokens.list.get(at).copied() else { return 0 };
    let last = tokens.list.get(at + taken - 1).copied().unwrap_or(first);
    for (index, (word, kind)) in words.iter().enumerate() {
        let pause = if index == 0 { first.pause } else { Pause::None };
        let text = tokens.put(word);
        list.push(Token { text, span: (first.span.0, last.span.1), kind: *kind, pause, glued: false, ..first });
    }
    taken
}

/// True if the tokens from an index on are these words, in one sentence and turn.
fn stands(tokens: &Tokens, at: usize, words: &[&str]) -> bool {
    words.iter().enumerate().all(|(offset, word)| {
        let at = at + offset;
        tokens.text_at(at) == *word && (offset == 0 || tokens.goes_on(at))
    })
}
