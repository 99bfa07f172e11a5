//! Characters read out loud: `double four`, `oh` for zero, `point five`, `I D` for ID. Each step leaves no work for
//! itself: run on its own output it changes nothing.

use super::canonical::{put, rewrite};
use super::token::{Kind, Pause, Sep, Token, Tokens};
use super::vocabulary::Vocabulary;
use crate::tables::{INITIALISMS, POINT_IS_A_NOUN_AFTER};

/// `double four` to `4 4`, `triple zero` to `0 0 0`, `double u` to `w`.
pub(super) fn doubles(tokens: &mut Tokens) {
    let mut blocked = false;
    rewrite(tokens, |tokens, at, list| {
        let Some(token) = tokens.list.get(at).copied() else { return 0 };
        let times = match tokens.text(&token) {
            "double" => 2,
            "triple" | "treble" => 3,
            "quadruple" => 4,
            _ => 0,
        };
        let next = tokens.list.get(at + 1).copied().filter(|next| {
            let text = tokens.text(next);
            let single = (next.kind == Kind::Number && text.len() == 1) || next.kind == Kind::Letter || text == "oh";
            times > 0
                && !blocked
                && single
                && next.pause < Pause::Turn
                && !tokens.is_glued(at + 1)
                && !tokens.is_glued(at)
        });
        blocked = times > 0 && next.is_none();
        let Some(next) = next else { return 0 };
        let whole = Token { span: (token.span.0, next.span.1), pause: token.pause, ..next };
        if times == 2 && tokens.text(&next) == "u" {
            let text = tokens.put("w");
            list.push(Token { text, ..whole });
            return 2;
        }
        list.push(whole);
        list.extend((1..times).map(|_| Token { pause: Pause::None, ..whole }));
        2
    });
}

/// `oh` and the letter `o` among digits are zeros.
///
/// Between two numbers always; `oh` before or after them when all are three or more and the
/// nearest number is a single digit (`oh three fourteen`, `one two oh`, `oh oh seven`), or behind `point` or `code`.
/// "Oh, five of them" stays.
pub(super) fn zeros(tokens: &mut Tokens) {
    let zero = tokens.put("0");
    let mut start = 0;
    while start < tokens.list.len() {
        let mut end = start;
        let (mut first, mut last) = (None, None);
        while let Some(token) = tokens.list.get(end) {
            let number = token.kind == Kind::Number;
            if !(number || is_oh(tokens, end)) || (end > start && token.pause >= Pause::Turn) {
                break;
            }
            if number {
                first = first.or(Some(end));
                last = Some(end);
            }
            end += 1;
        }
        if let (Some(first), Some(last)) = (first, last) {
            // "code oh ten", not "the code? Oh, ten"
            let before = start.checked_sub(1).map(|before| tokens.text_at(before)).filter(|_| tokens.goes_on(start));
            let after_point = match before {
                Some("point") => true,
                Some("code" | "extension" | "number") => tokens.text_at(start) == "oh",
                _ => false,
            };
            let may = |range: std::ops::Range<usize>, beside: usize| {
                end - start >= 3
                    && tokens.text_at(beside).len() == 1
                    && range.into_iter().all(|at| tokens.text_at(at) == "oh")
            };
            let from = if after_point || may(start..first, first) { start } else { first };
            let to = if may(last + 1..end, last) { end } else { last };
            for at in from..to {
                if is_oh(tokens, at)
                    && let Some(token) = tokens.list.get_mut(at)
                {
                    token.text = zero;
                    token.kind = Kind::Number;
                }
            }
        }
        start = end.max(start + 1);
    }
}

fn is_oh(tokens: &Tokens, at: usize) -> bool {
    matches!(tokens.text_at(at), "oh" | "o") && !tokens.is_glued(at)
}

/// `ninety eight point six` to `98.6`, `point five` to `0.5`.
pub(super) fn decimals(tokens: &mut Tokens) {
    let mut list: Vec<Token> = Vec::with_capacity(tokens.list.len());
    let mut at = 0;
    while let Some(token) = tokens.list.get(at).copied() {
        let fraction = fraction_end(tokens, at);
        let noun = |before: &Token| {
            let whole_is_there = token.pause < Pause::Turn && before.kind == Kind::Number;
            let noun = || before.kind == Kind::Decimal || POINT_IS_A_NOUN_AFTER.contains(tokens.text(before));
            !whole_is_there && noun()
        };
        if fraction == at || list.last().is_some_and(noun) {
            list.push(token);
            at += 1;
            continue;
        }
        let mut whole = list.len();
        let mut after = token;
        while let Some(before) = whole.checked_sub(1).and_then(|index| list.get(index)).copied() {
            if before.kind != Kind::Number
                || after.pause >= Pause::Turn
                || ((after.glued || after.sep != Sep::None) && whole < list.len())
            {
                break;
            }
            whole -= 1;
            after = before;
        }
        let mut text: String = list.drain(whole..).map(|part| tokens.text(&part)).collect();
        if text.is_empty() {
            text.push('0');
        }
        text.push('.');
        text.extend((at + 1..fraction).map(|part| tokens.text_at(part)));
        let end = tokens.list.get(fraction - 1).map_or(token.span.1, |last| last.span.1);
        list.push(Token { text: tokens.put(&text), span: (after.span.0, end), kind: Kind::Decimal, ..after });
        at = fraction;
    }
    tokens.list = list;
}

/// Where the digits after a `point` at `at` end; `at` itself if it is not a decimal point.
fn fraction_end(tokens: &Tokens, at: usize) -> usize {
    if tokens.text_at(at) != "point" || tokens.is_glued(at) {
        return at;
    }
    let digits = |index: usize| {
        tokens
            .list
            .get(index)
            .filter(|token| token.kind == Kind::Number && !token.glued && token.pause < Pause::Turn)
            .map_or(0, |token| tokens.text(token).len())
    };
    match digits(at + 1) {
        0 => at,
        1 => {
            let mut end = at + 2;
            while digits(end) == 1 {
                end += 1;
            }
            end
        }
        _ => at + 2,
    }
}

/// `minus five` to `-5`, `negative five dollars` to `-5 dollars`. Behind a number it is arithmetic.
pub(super) fn minus(tokens: &mut Tokens) {
    let number = |kind| matches!(kind, Kind::Number | Kind::Decimal);
    rewrite(tokens, |tokens, at, list| {
        let Some(token) = tokens.list.get(at).copied() else { return 0 };
        if !matches!(tokens.text(&token), "minus" | "negative") {
            return 0;
        }
        let before = at.checked_sub(1).and_then(|before| tokens.list.get(before));
        let behind_number = token.pause < Pause::Turn && before.is_some_and(|before| number(before.kind));
        let next = tokens.list.get(at + 1).copied().filter(|next| {
            (tokens.text(&token) == "minus" || is_measured(tokens.text_at(at + 2)))
                && !behind_number
                && number(next.kind)
                && next.pause == Pause::None
                && !tokens.is_glued(at + 1)
                && !tokens.is_glued(at)
                && !tokens.text(next).starts_with('-')
        });
        let Some(next) = next else { return 0 };
        let text = format!("-{}", tokens.text(&next));
        put(tokens, at, 2, &[(&text, Kind::Decimal)], list)
    });
}

/// Checks if a number before this unit may have a sign.
fn is_measured(unit: &str) -> bool {
    matches!(unit, "dollar" | "dollars" | "cent" | "cents" | "percent" | "degree" | "degrees" | "diopter" | "diopters")
}

/// Longest abbreviation of `data/initialisms.txt` and of a task, with an `a` or `I` on either side.
const LONGEST_SPELLING: usize = 8;

/// `D O B` to `dob`, if it is one of the listed abbreviations and no letters are next to it except the words `a` and
/// `I`.
pub(super) fn initialisms(tokens: &mut Tokens, vocabulary: &Vocabulary) {
    rewrite(tokens, |tokens, at, list| {
        let mut end = at;
        while tokens.list.get(end).is_some_and(|token| token.kind == Kind::Letter)
            && !tokens.is_glued(end)
            && (end == at || tokens.goes_on(end))
        {
            end += 1;
        }
        if end <= at + 1 {
            return 0;
        }
        let letters = tokens.list.get(at..end).unwrap_or_default().to_vec();
        if let Some((from, to, word)) = spelled(tokens, at, end, vocabulary) {
            list.extend(letters.iter().take(from - at));
            put(tokens, from, to - from, &[(&word, Kind::Word)], list);
            list.extend(letters.iter().skip(to - at));
        } else {
            list.extend(letters);
        }
        end - at
    });
}

fn spelled(tokens: &Tokens, start: usize, end: usize, vocabulary: &Vocabulary) -> Option<(usize, usize, String)> {
    if end - start > LONGEST_SPELLING {
        return None;
    }
    let leading = usize::from(is_word_letter(tokens.text_at(start)));
    let trailing = usize::from(is_word_letter(tokens.text_at(end - 1)));
    [(0, 0), (leading, 0), (0, trailing), (leading, trailing)]
        .into_iter()
        .map(|(lead, trail)| (start + lead, end - trail))
        .filter(|(from, to)| to > from)
        .find_map(|(from, to)| {
            let word: String = (from..to).map(|at| tokens.text_at(at)).collect();
            let listed = INITIALISMS.contains(&*word) || vocabulary.initialisms.contains(&word);
            (to - from > 1 && listed).then_some((from, to, word))
        })
}

/// The two letters that are English words: an article and a pronoun.
pub(super) fn is_word_letter(text: &str) -> bool {
    matches!(text, "a" | "i")
}
