//! Characters that are spelled out with words: `B as in boy`, `whiskey one two three`, `W dash one`.

use std::collections::HashSet;

use super::super::token::{Kind, Token, Tokens};
use super::{put, rewrite, stands};
use crate::marks::Marks;
use crate::tables::{ALPHABET, NUMBERS, SPANISH};

pub(super) fn letters(tokens: &mut Tokens) {
    rewrite(tokens, as_in);
    rewrite(tokens, capital);
    rewrite(tokens, x_ray);
    if tokens.held.any(Marks::ALPHABET) {
        alphabet(tokens);
    }
    rewrite(tokens, dash);
}

/// `b as in boy`, `b for bravo`, `b like boy`, `b de burro`, `be de burro`.
fn as_in(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> usize {
    let lone = tokens.list.get(at).is_some_and(|token| token.kind == Kind::Letter) && !tokens.is_glued(at);
    let text = tokens.text_at(at);
    let de = tokens.text_at(at + 1) == "de";
    let name = if de { SPANISH.letters.get(text).copied() } else { None };
    let Some(letter) = name.or(Some(text).filter(|_| lone)) else { return 0 };
    let begins =
        |at: usize| tokens.goes_on(at) && tokens.text_at(at).len() > 1 && tokens.text_at(at).starts_with(letter);
    let spelled = |at: usize| is_character(tokens, at) || tokens.text_at(at + 1) == "de";
    // "a" and the names of letters are words as well
    let beside = || {
        let before = at.checked_sub(1).is_some_and(|before| is_character(tokens, before));
        before || spelled(at + 3) || at.checked_sub(2).is_some_and(|before| tokens.text_at(before) == "de")
    };
    let word = name.is_some() || matches!(letter, "a" | "i");
    let taken = if name.is_none() && stands(tokens, at + 1, &["as", "in"]) && tokens.goes_on(at + 1) && begins(at + 3) {
        4
    } else if matches!(tokens.text_at(at + 1), "for" | "like" | "de")
        && tokens.goes_on(at + 1)
        && begins(at + 2)
        && (!word || (de && beside()))
    {
        3
    } else {
        return 0;
    };
    let letter = letter.to_owned();
    put(tokens, at, taken, &[(&letter, Kind::Letter)], list)
}

/// `capital b`, `uppercase b`: the letter.
fn capital(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> usize {
    let size = matches!(tokens.text_at(at), "capital" | "uppercase" | "lowercase");
    let letter = tokens.list.get(at + 1).copied().filter(|next| next.kind == Kind::Letter && tokens.goes_on(at + 1));
    let Some(letter) = letter.filter(|_| size) else { return 0 };
    let pause = tokens.list.get(at).map_or(letter.pause, |token| token.pause);
    list.push(Token { pause, glued: false, ..letter });
    2
}

/// `x ray` next to a word of the spelling alphabet, or before two digits.
fn x_ray(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> usize {
    let taken = match tokens.text_at(at) {
        "xray" => 1,
        "x" if tokens.text_at(at + 1) == "ray" && tokens.goes_on(at + 1) => 2,
        _ => return 0,
    };
    let spelled = |at: usize| ALPHABET.get(tokens.text_at(at)).is_some();
    let digit = |at: usize| {
        tokens.list.get(at).is_some_and(|token| {
            let text = tokens.text(token);
            let word = || NUMBERS.get(text).is_some_and(|number| !number.ordinal && number.value < 10);
            token.pause == super::Pause::None && (word() || (token.kind == Kind::Number && text.len() == 1))
        })
    };
    let beside = (digit(at + taken) && digit(at + taken + 1))
        || (spelled(at + taken) && tokens.goes_on(at + taken))
        || (tokens.goes_on(at) && at.checked_sub(1).is_some_and(spelled));
    if beside { put(tokens, at, taken, &[("x", Kind::Letter)], list) } else { 0 }
}

/// Words of a spelling alphabet in the company of other characters.
fn alphabet(tokens: &mut Tokens) {
    let mut at = 0;
    while at < tokens.list.len() {
        let mut end = at;
        let (mut sure, mut words, mut characters, mut single) = (0_usize, 0_usize, 0_usize, 0_usize);
        while let Some(token) = tokens.list.get(end).filter(|token| end == at || token.pause < super::Pause::Sentence) {
            let text = tokens.text(token);
            match ALPHABET.get(text) {
                Some(known) => {
                    words += 1;
                    sure += usize::from(*known);
                }
                None if text == "x" => {
                    words += 1;
                    sure += 1;
                }
                None if is_character(tokens, end) => {
                    characters += 1;
                    single += usize::from(text.len() == 1 || NUMBERS.get(text).is_some_and(|number| number.value < 10));
                }
                None => break,
            }
            end += 1;
        }
        // an alphabet word with no other meaning and two characters, two alphabet words with one such among them or with
        // two single characters ("oscar november 14 1985" is a day), or three
        if words >= 3 || (words >= 2 && (sure > 0 || single >= 2)) || (sure > 0 && characters >= 2) {
            for index in at..end {
                let Some(letter) = ALPHABET.get(tokens.text_at(index)).and_then(|_| tokens.text_at(index).get(..1))
                else {
                    continue;
                };
                let letter = letter.to_owned();
                let text = tokens.put(&letter);
                if let Some(token) = tokens.list.get_mut(index) {
                    *token = Token { text, kind: Kind::Letter, ..*token };
                }
            }
        }
        at = end.max(at + 1);
    }
}

/// Reads the spoken signs of an address: `jane dot doe at example dot com slash forms`.
pub(super) fn addresses(tokens: &mut Tokens) {
    const ENDS: [&str; 8] = ["com", "org", "net", "edu", "gov", "io", "us", "health"];
    let mut signs: HashSet<usize> = HashSet::new();
    for at in 1..tokens.list.len() {
        let sign = |at: usize, signs: &[&str]| signs.contains(&tokens.text_at(at)) && tokens.goes_on(at);
        if !(sign(at, &["dot"]) && ENDS.contains(&tokens.text_at(at + 1)) && tokens.goes_on(at + 1)) {
            continue;
        }
        signs.insert(at);
        let mut known: &[&str] = &["dot", "at"];
        let mut before = at;
        while let Some(next) = before.checked_sub(2).filter(|next| sign(*next, known) && tokens.goes_on(next + 1)) {
            if tokens.text_at(next) == "at" {
                known = &["dot", "underscore", "dash", "hyphen"];
            }
            signs.insert(next);
            before = next;
        }
        let mut behind = at + 2;
        while sign(behind, &["slash"]) {
            signs.insert(behind);
            behind += 2;
        }
    }
    if !signs.is_empty() {
        rewrite(tokens, |_, at, _| usize::from(signs.contains(&at)));
    }
}

/// A digit, a number word of one digit, or a letter that is not a word.
fn is_character(tokens: &Tokens, at: usize) -> bool {
    let text = tokens.text_at(at);
    match tokens.list.get(at).map(|token| token.kind) {
        Some(Kind::Number) => true,
        Some(Kind::Letter) => !matches!(text, "a" | "i"),
        Some(Kind::Word) => {
            text == "oh" || NUMBERS.get(text).is_some_and(|number| !number.ordinal && number.value < 100)
        }
        _ => false,
    }
}

/// `dash` between two characters.
fn dash(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> usize {
    let between = matches!(tokens.text_at(at), "dash" | "hyphen") && tokens.goes_on(at) && tokens.goes_on(at + 1);
    // "P A dash 4"
    let letter = |at: usize| tokens.list.get(at).is_some_and(|token| token.kind == Kind::Letter);
    let before = at.checked_sub(1).is_some_and(|before| {
        is_character(tokens, before) || (letter(before) && tokens.goes_on(before) && letter(before.wrapping_sub(1)))
    });
    if !(between && before && is_character(tokens, at + 1)) {
        return 0;
    }
    let Some(next) = tokens.list.get(at + 1).copied() else { return 0 };
    list.push(Token { glued: false, ..next });
    2
}
