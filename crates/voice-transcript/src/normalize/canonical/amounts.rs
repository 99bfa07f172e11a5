//! Halves, millions and money.

use super::super::token::{Kind, Pause, Token, Tokens};
use super::{Source, put, rewrite, stands};
use crate::marks::Marks;
use crate::tables::{CURRENCIES, NUMBERS, NumberClass, UNITS, currency, is_measure};

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
        let code = code(tokens, at, source);
        let first = at + usize::from(code.is_some());
        let Some(number) = tokens.list.get(first).copied().filter(|token| is_number(token.kind)) else { return 0 };
        let mut text = tokens.text(&number).to_owned();
        let named = |at: usize| {
            let next = if tokens.goes_on(at + 1) { tokens.text_at(at + 1) } else { "" };
            currency(tokens.text_at(at), next).filter(|_| tokens.goes_on(at))
        };
        let (word, length) = named(first + 1).map_or((None, 0), |(name, length)| (Some(name), length));
        let mut end = first + 1 + length;
        let sterling = word == Some("pounds") && tokens.text_at(end) == "sterling" && tokens.goes_on(end);
        end += usize::from(sterling);
        let and = matches!(tokens.text_at(end), "and" | "y" | "con") && tokens.goes_on(end);
        let part = end + usize::from(and);
        let counted = number.kind == Kind::Number
            && tokens.goes_on(part)
            && tokens.list.get(part).is_some_and(|part| part.kind == Kind::Number);
        let hundredths = named(part + 1).map(|(name, _)| name).filter(|_| word.is_some() && counted);
        let hundredths = hundredths.filter(|name| matches!(*name, "cents" | "pence"));
        let unit = match (code.or_else(|| sign(&number, source)), word) {
            (None, None) => return 0,
            (None, Some("pounds")) if sterling || hundredths == Some("pence") => "sterling",
            (None, Some("pounds")) => {
                if let Some(pounds) = tokens.list.get_mut(first + 1) {
                    pounds.loose = true;
                }
                return 0;
            }
            (Some(signed), None | Some("cents" | "pence" | "pounds")) => signed,
            // "C$20 dollars", but "$20 pesos"
            (Some(signed), Some(word)) if signed.ends_with(word) => signed,
            (_, Some(word)) => word,
        };
        // "20 dollars Canadian"
        let country = tokens.list.get(end).filter(|token| token.pause == Pause::None);
        let country = country.and_then(|token| currency(tokens.text(token), unit)).map(|(name, _)| name);
        let country = country.filter(|name| name.strip_suffix(unit).is_some_and(|country| country.ends_with(' ')));
        end += usize::from(country.is_some());
        let mut taken = 1;
        if matches!(unit, "cents" | "pence") {
            let Ok(count) = text.parse::<u64>() else { return 0 };
            text = format!("{}.{:02}", count / 100, count % 100);
            taken = end - first;
        } else if let Some(both) = hundredths.and_then(|_| cents(&text, tokens.text_at(part))) {
            text = both;
            end = part + 2;
            taken = end - first;
        }
        if let Some(whole) = text.strip_suffix(".00") {
            text = whole.to_owned();
        }
        let name = match unit {
            "cents" => "dollars",
            "pence" => "sterling",
            _ => country.unwrap_or(unit),
        };
        let kind = if text.contains('.') { Kind::Decimal } else { Kind::Number };
        let mut words = vec![(text.as_str(), kind)];
        let mut units: Vec<(&str, Kind)> = name.split(' ').map(|word| (word, Kind::Word)).collect();
        // a word of its own is one in this reading, too
        if first + taken == end {
            words.append(&mut units);
        }
        put(tokens, first, taken, &words, list);
        put(tokens, first + taken, end - first - taken, &units, list);
        if let (Some(number), Some(before)) = (list.first_mut(), tokens.list.get(at)) {
            number.pause = before.pause;
        }
        if let Some(last) = list.last_mut() {
            last.loose = unit == "cents";
        }
        end - at
    });
}

/// The currency of a code, or of letters with a sign, before a number: `USD 20`, `C$20`.
fn code(tokens: &Tokens, at: usize, source: &Source<'_>) -> Option<&'static str> {
    let number = tokens.list.get(at + 1).filter(|token| is_number(token.kind) && token.pause == Pause::None)?;
    let letters = tokens.list.get(at).filter(|token| !is_number(token.kind) && token.segment == number.segment)?;
    let text = tokens.text(letters);
    if source.behind(letters).starts_with('$') {
        return CURRENCIES.get(&*format!("{text}$")).copied();
    }
    let name = CURRENCIES.get(text).copied().filter(|name| text.len() == 3 && *name != text)?;
    (!is_measure(tokens.text_at(at + 2))).then_some(name)
}

/// The currency whose sign is written before or behind a number: `$20`, `$ 20`, `20 €`.
fn sign(number: &Token, source: &Source<'_>) -> Option<&'static str> {
    let of = |sign: char| CURRENCIES.get(&*sign.encode_utf8(&mut [0; 4])).copied();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (before, behind) = (source.before(number), source.behind(number).trim_start_matches(' '));
    let mut rest = before.trim_end_matches(' ').chars();
    let apart = rest.next_back().and_then(of);
    // "20 $30" and "20 € 30": a sign belongs to the nearer number, or to the one before it
    before
        .chars()
        .next_back()
        .filter(|_| !number.glued)
        .and_then(of)
        .or_else(|| behind.chars().next().and_then(of).filter(|_| !digit(behind.chars().nth(1))))
        .or_else(|| apart.filter(|_| !digit(rest.as_str().trim_end_matches(' ').chars().next_back())))
}

/// `None` for more than ninety-nine of them.
fn cents(whole: &str, part: &str) -> Option<String> {
    let fits = part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| format!("{whole}.{part:0>2}"))
}
