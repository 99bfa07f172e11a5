//! Units and listed ways to write one thing.

use super::super::token::{Kind, Pause, Token, Tokens};
use super::{put, rewrite};
use crate::tables::{UNITS, WAYS};

pub(super) fn units(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let number = at
            .checked_sub(1)
            .and_then(|before| tokens.list.get(before))
            .is_some_and(|token| matches!(token.kind, Kind::Number | Kind::Decimal));
        let unit = UNITS.get(tokens.text_at(at)).filter(|_| number && tokens.goes_on(at)).copied();
        let Some(unit) = unit.filter(|unit| *unit != tokens.text_at(at)) else { return 0 };
        let Some(token) = tokens.list.get(at).copied() else { return 0 };
        let text = tokens.put(unit);
        list.push(Token { text, kind: Kind::Word, ..token });
        1
    });
}

pub(super) fn ways(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let word = |index: usize| {
            let token = tokens.list.get(index).filter(|token| index == at || token.pause < Pause::Turn)?;
            Some(tokens.text(token))
        };
        let Some((length, form)) = WAYS.at(at, word) else { return 0 };
        if (at..at + length).any(|index| tokens.is_glued(index)) {
            return 0;
        }
        let kind = |word: &str| if word.bytes().all(|byte| byte.is_ascii_digit()) { Kind::Number } else { Kind::Word };
        let words: Vec<(&str, Kind)> = form.split(' ').map(|word| (word, kind(word))).collect();
        put(tokens, at, length, &words, list)
    });
}
