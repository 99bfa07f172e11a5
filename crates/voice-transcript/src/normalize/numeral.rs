//! Numbers as they are written: thousands, decimals, simple fractions, ordinals.

use super::token::Kind;

/// The written number at `at` that is more than plain digits, with where it ends: `1,250` is
/// `1250`, `98.6` and `1/2` are decimals. Digits that a longer group goes on from (`555.123.4567`,
/// `03/14/1985`) are plain, so that they run together.
pub(super) fn numeral(text: &str, at: usize) -> Option<(String, Kind, usize)> {
    let bytes = text.as_bytes();
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let digits =
        |from: usize| from + bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    let continues = at >= 2 && matches!(bytes.get(at - 1), Some(b'.' | b',' | b'/')) && digit(at - 2);
    if continues {
        return None;
    }
    let mut end = digits(at);
    let mut whole = text.get(at..end)?.to_owned();
    let mut grouped = false;
    if whole.len() <= 3
        && let Some((number, after)) = thousands(text, at, end)
    {
        whole = number;
        end = after;
        grouped = true;
    }
    match bytes.get(end) {
        Some(b'.') if digit(end + 1) => {
            let after = digits(end + 1);
            if bytes.get(after) == Some(&b'.') && digit(after + 1) {
                return None;
            }
            let fraction = text.get(end + 1..after)?;
            return Some((format!("{whole}.{fraction}"), Kind::Decimal, after));
        }
        Some(b'/') if !grouped && digit(end + 1) => {
            let after = digits(end + 1);
            let below = text.get(end + 1..after)?;
            let goes_on = matches!(bytes.get(after), Some(b'/' | b'.' | b',')) && digit(after + 1);
            let part =
                matches!(below, "2" | "3" | "4" | "8") && whole.len() == 1 && whole.as_str() < below && whole != "0";
            if part && !goes_on {
                return Some((format!("{whole}/{below}"), Kind::Decimal, after));
            }
        }
        _ => {}
    }
    grouped.then_some((whole, Kind::Number, end))
}

/// Digits in groups of three behind commas, without the commas.
fn thousands(text: &str, at: usize, first_end: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let mut number = text.get(at..first_end)?.to_owned();
    let mut end = first_end;
    while bytes.get(end) == Some(&b',') && digit(end + 1) {
        let group = text.get(end + 1..end + 4)?;
        if !group.bytes().all(|byte| byte.is_ascii_digit()) || digit(end + 4) {
            return None;
        }
        number.push_str(group);
        end += 4;
    }
    (end > first_end).then_some((number, end))
}

pub(super) fn ordinal_suffix(digits: &str) -> &'static str {
    let bytes = digits.as_bytes();
    let last = bytes.last().copied();
    let teen = bytes.len().checked_sub(2).and_then(|index| bytes.get(index)) == Some(&b'1');
    match last {
        Some(b'1') if !teen => "st",
        Some(b'2') if !teen => "nd",
        Some(b'3') if !teen => "rd",
        _ => "th",
    }
}
