//! Halves, millions and money.

use super::super::token::{Kind, Pause, Token, Tokens};
use super::{Source, put, rewrite, stands};
use crate::marks::Marks;
use crate::tables::{CURRENCIES, NUMBERS, NumberClass, UNITS};

/// A scale behind a decimal or a half is set aside, so that it is not read as a number of its own.
const ASIDE: char = '\u{1}';

/// `2.5 | million`, `two point five | million`, `three and a half | million`.
pub(super) fn hide_scales(tokens: &mut Tokens) {
    for at in 1..tokens.list.len() {
        if !tokens.marks(at).any(Marks::NUMBER) {
            continue;
        }
        let scale =
            NUMBERS.get(tokens.text_at(at)).is_some_and(|word| word.class == NumberClass::Scale && !word.ordinal);
        if !scale
            || !tokens.goes_on(at)
            || tokens.is_glued(at)
            || !(behind_decimal(tokens, at) || (at > 2 && stands(tokens, at - 3, &["and", "a", "half"])))
        {
            continue;
        }
        let hidden = format!("{ASIDE}{}", tokens.text_at(at));
        let text = tokens.put(&hidden);
        if let Some(token) = tokens.list.get_mut(at) {
            token.text = text;
        }
    }
}

fn is_digit(tokens: &Tokens, at: usize) -> bool {
    let token = tokens.list.get(at);
    token.is_some_and(|token| token.kind == Kind::Number)
        || NUMBERS.get(tokens.text_at(at)).is_some_and(|word| word.value < 100 && !word.ordinal)
        || matches!(tokens.text_at(at), "oh")
}

fn behind_decimal(tokens: &Tokens, at: usize) -> bool {
    if tokens.list.get(at - 1).is_some_and(|token| token.kind == Kind::Decimal && !tokens.text(token).contains('/')) {
        return true;
    }
    /// More digits than anybody says behind a point.
    const MOST: usize = 8;
    let digits = (at.saturating_sub(MOST)..at).rev().take_while(|at| is_digit(tokens, *at)).count();
    digits > 0 && at.checked_sub(digits + 1).is_some_and(|point| tokens.text_at(point) == "point")
}

pub(super) fn scaled(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let scale = |at: usize| tokens.text_at(at).strip_prefix(ASIDE).and_then(|word| NUMBERS.get(word));
        // what was set aside and found no number
        if let Some(scale) = scale(at) {
            return put(tokens, at, 1, &[(&scale.value.to_string(), Kind::Number)], list);
        }
        let Some(number) = tokens.list.get(at).copied().filter(|token| is_number(token.kind)) else { return 0 };
        let mut text = tokens.text(&number).to_owned();
        let mut taken = 1;
        if number.kind == Kind::Number && stands(tokens, at + 1, &["and", "a", "half"]) && tokens.goes_on(at + 1) {
            text.push_str(".5");
            taken = 4;
        }
        if let Some(whole) = scale(at + taken).and_then(|scale| times(&text, scale.value)) {
            text = whole;
            taken += 1;
        }
        if taken == 1 {
            return 0;
        }
        let kind = if text.contains('.') { Kind::Decimal } else { Kind::Number };
        put(tokens, at, taken, &[(&text, kind)], list)
    });
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Number | Kind::Decimal)
}

/// A decimal times a power of ten; `None` if the text is not a decimal, or has too many digits after the point.
fn times(decimal: &str, scale: u64) -> Option<String> {
    let zeros = usize::try_from(scale.checked_ilog10()?).ok()?;
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    if fraction.len() > zeros || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = format!("{whole}{fraction:0<zeros$}");
    let trimmed = digits.trim_start_matches('0');
    Some(if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() })
}

/// `half a tablet`, `one half tablet`, `1/2 tablet`: halves of what is counted.
pub(super) fn halves(tokens: &mut Tokens) {
    const WAYS: [&[&str]; 6] =
        [&["1/2"], &["half", "a"], &["half", "of", "a"], &["1", "half"], &["a", "half"], &["half"]];
    rewrite(tokens, |tokens, at, list| {
        if !matches!(tokens.text_at(at), "half" | "1" | "a" | "1/2") {
            return 0;
        }
        let way = WAYS.iter().find(|way| stands(tokens, at, way));
        let Some(taken) = way.map(|way| way.len()) else { return 0 };
        if !tokens.goes_on(at + taken) || !UNITS.contains_key(tokens.text_at(at + taken)) {
            return 0;
        }
        put(tokens, at, taken, &[("0.5", Kind::Decimal)], list)
    });
}

/// Amounts of money: the number with its hundredths, then the currency.
pub(super) fn money(tokens: &mut Tokens, source: &Source<'_>) {
    rewrite(tokens, |tokens, at, list| {
        let Some(number) = tokens.list.get(at).copied().filter(|token| is_number(token.kind)) else { return 0 };
        let mut text = tokens.text(&number).to_owned();
        let named = |at: usize| CURRENCIES.get(tokens.text_at(at)).copied().filter(|_| tokens.goes_on(at));
        // "ABC123 Franc"
        let next = tokens.list.get(at + 1).is_some_and(|next| next.pause == Pause::None);
        let word = named(at + 1).filter(|_| next && !number.glued);
        let mut end = at + 1 + usize::from(word.is_some());
        let sterling = word == Some("pounds") && tokens.text_at(end) == "sterling" && tokens.goes_on(end);
        end += usize::from(sterling);
        let and = matches!(tokens.text_at(end), "and" | "y" | "con") && tokens.goes_on(end);
        let part = end + usize::from(and);
        let counted = number.kind == Kind::Number
            && tokens.goes_on(part)
            && tokens.list.get(part).is_some_and(|part| part.kind == Kind::Number);
        let hundredths = named(part + 1).filter(|_| word.is_some() && counted);
        let hundredths = hundredths.filter(|name| matches!(*name, "cents" | "pence"));
        let signed = sign(&number, source);
        let unit = match (signed, word) {
            (None, None) => return 0,
            (None, Some("pounds")) if sterling || hundredths == Some("pence") => "sterling",
            (None, Some("pounds")) => {
                if let Some(pounds) = tokens.list.get_mut(at + 1) {
                    pounds.loose = true;
                }
                return 0;
            }
            (Some(signed), None | Some("cents" | "pence" | "pounds")) => signed,
            // "$20 pesos"
            (_, Some(word)) => word,
        };
        // a word of its own is one in this reading, too
        let mut taken = 1;
        let hundredth = matches!(unit, "cents" | "pence");
        if hundredth {
            let Some(part) = cents("0", &text) else { return 0 };
            text = part;
        } else if let Some(both) = hundredths.and_then(|_| cents(&text, tokens.text_at(part))) {
            text = both;
            end = part + 2;
            taken = end - at;
        }
        if let Some(whole) = text.strip_suffix(".00") {
            text = whole.to_owned();
        }
        let name = match unit {
            "cents" => "dollars",
            "pence" => "sterling",
            _ => unit,
        };
        let kind = if text.contains('.') { Kind::Decimal } else { Kind::Number };
        let (amount, unit_word) = ((text.as_str(), kind), (name, Kind::Word));
        if at + taken == end {
            put(tokens, at, taken, &[amount, unit_word], list);
        } else {
            put(tokens, at, taken, &[amount], list);
            put(tokens, at + taken, end - at - taken, &[unit_word], list);
        }
        if let [first, name] = list.as_mut_slice() {
            let before = source.before(&number).trim_end_matches(' ');
            first.apart |= signed.is_some() && before.ends_with(['$', '€', '£', '¥', '¢']);
            name.loose = unit == "cents";
            // up to the word, so that "five" is not all of it
            if hundredth {
                first.span.1 = first.span.1.max(name.span.0);
            }
        }
        end - at
    });
}

/// The currency whose sign is written before or behind a number: `$20`, `$ 20`, `20 €`.
fn sign(number: &Token, source: &Source<'_>) -> Option<&'static str> {
    let of = |sign: Option<char>| CURRENCIES.get(&*sign?.encode_utf8(&mut [0; 4])).copied();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (before, behind) = (source.before(number), source.behind(number));
    let (left, right) = (before.trim_end_matches(' '), behind.trim_start_matches(' '));
    let (mut lefts, mut rights) = (left.chars(), right.chars());
    let (sign_before, sign_behind) = (of(lefts.next_back()), of(rights.next()));
    // a sign between two numbers belongs to the nearer one, or to the one behind it
    let of_former = left.len() < before.len() && digit(lefts.next_back());
    let rest = rights.as_str();
    let rest = if right.len() < behind.len() { rest.trim_start_matches(' ') } else { rest };
    let of_next = digit(rest.chars().next());
    sign_before.filter(|_| !number.glued && !of_former).or(sign_behind.filter(|_| !of_next))
}

/// `None` for more than ninety-nine of them.
fn cents(whole: &str, part: &str) -> Option<String> {
    let fits = part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| format!("{whole}.{part:0>2}"))
}
