//! Days as month and ordinal, times of day as hours and minutes.

use std::sync::LazyLock;

use super::super::numeral::ordinal_suffix;
use super::super::token::{Kind, Pause, Sep, Token, Tokens};
use super::{Source, put, rewrite, stands};
use crate::tables::is_measure;

static MONTHS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "january february march april may june july august september october november december".split(' ').collect()
});

/// The number of a month that a word names, with its usual short forms. "Mar" and "may" are words as well.
fn month(word: &str) -> Option<usize> {
    let short = |month: &&str| *month == word || (word.len() == 3 && word != "mar" && month.get(..3) == Some(word));
    MONTHS.iter().position(|month| short(month) || (word == "sept" && *month == "september"))
}

/// The same, where "mar" is a month.
pub(in crate::normalize) fn month_or_mar(word: &str) -> Option<usize> {
    month(word).or_else(|| (word == "mar").then_some(2))
}

/// A number of these digits, when it is from 1 to `most`.
pub(super) fn small(tokens: &Tokens, at: usize, most: u32) -> Option<u32> {
    let token = tokens.list.get(at).filter(|token| token.kind == Kind::Number)?;
    let text = tokens.text(token);
    let number: u32 = text.parse().ok().filter(|_| text.len() <= 2)?;
    (1..=most).contains(&number).then_some(number)
}

pub(super) fn day(number: u32) -> String {
    let digits = number.to_string();
    format!("{digits}{}", ordinal_suffix(&digits))
}

/// `3/14/1985`, `1985-03-14`, `14-Mar-1985`, `March 14`, `March the 14th`, `the 14th of March`.
pub(super) fn dates(tokens: &mut Tokens, source: &Source<'_>) {
    rewrite(tokens, |tokens, at, list| {
        written(tokens, at, list, source).or_else(|| spoken(tokens, at, list)).unwrap_or_default()
    });
}

fn written(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>, source: &Source<'_>) -> Option<usize> {
    let token = |index: usize| tokens.list.get(index).filter(|token| token.kind == Kind::Number);
    let (first, second, third) = (token(at)?, token(at + 1)?, token(at + 2)?);
    let sep = |index: usize| tokens.list.get(index).map_or(Sep::None, |token| token.sep);
    let length = |token: &Token| tokens.text(token).len();
    let slashes =
        sep(at) == Sep::None && sep(at + 1) == Sep::Slash && sep(at + 2) == Sep::Slash && sep(at + 3) != Sep::Slash;
    let (month, number, year) = if slashes && matches!(length(third), 2 | 4) {
        (small(tokens, at, 12)?, small(tokens, at + 1, 31)?, at + 2)
    } else if length(first) == 4 && source.behind(first).starts_with('-') && source.behind(second).starts_with('-') {
        let one = |token: &Token| length(token) == 2;
        let alone = first.segment == third.segment && !source.behind(third).starts_with(['-', '/']);
        let fits = one(second) && one(third) && alone && !source.before(first).ends_with(['-', '/']);
        (small(tokens, at + 1, 12).filter(|_| fits)?, small(tokens, at + 2, 31)?, at)
    } else {
        return None;
    };
    let month = *MONTHS.get(month as usize - 1)?;
    let (number, year) = (day(number), tokens.text_at(year).to_owned());
    Some(put(tokens, at, 3, &[(month, Kind::Word), (&number, Kind::Ordinal), (&year, Kind::Number)], list))
}

fn spoken(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> Option<usize> {
    let ordinal = |tokens: &Tokens, at: usize| {
        tokens.list.get(at).filter(|token| token.kind == Kind::Ordinal).map(|token| tokens.text(token).to_owned())
    };
    // the 14th of March, also behind "Thursday"
    let day_at = at + usize::from(stands(tokens, at, &["the"]) && tokens.goes_on(at + 1));
    if let Some(number) = ordinal(tokens, day_at) {
        let of = day_at + 1 + usize::from(stands(tokens, day_at + 1, &["of"]) && tokens.goes_on(day_at + 1));
        let month = month(tokens.text_at(of)).filter(|_| tokens.goes_on(of))?;
        let name = *MONTHS.get(month)?;
        return Some(put(tokens, at, of + 1 - at, &[(name, Kind::Word), (&number, Kind::Ordinal)], list));
    }
    // 14 March 1985, not "claim 555 14 March 1985"
    let goes_on = tokens.goes_on(at + 1) && tokens.goes_on(at + 2) && is_year(tokens, at + 2);
    let before = at.checked_sub(1).and_then(|before| tokens.list.get(before));
    let alone = before.is_none_or(|before| before.kind != Kind::Number || !tokens.goes_on(at));
    if let Some(number) = small(tokens, at, 31).filter(|_| goes_on && alone) {
        let name = *MONTHS.get(month_or_mar(tokens.text_at(at + 1))?)?;
        return Some(put(tokens, at, 2, &[(name, Kind::Word), (&day(number), Kind::Ordinal)], list));
    }
    // March 14, March the 14th
    let month = month(tokens.text_at(at))?;
    let name = *MONTHS.get(month)?;
    // October of 1992
    if tokens.text_at(at + 1) == "of" && tokens.goes_on(at + 1) && tokens.goes_on(at + 2) && is_year(tokens, at + 2) {
        return Some(put(tokens, at, 2, &[(name, Kind::Word)], list));
    }
    let the = usize::from(stands(tokens, at + 1, &["the"]) && tokens.goes_on(at + 1));
    let number = at + 1 + the;
    if !tokens.goes_on(number) || tokens.is_glued(number) {
        return None;
    }
    let number = match ordinal(tokens, number) {
        Some(number) => number,
        // "march 3 patients in"; "may 5" may be no date
        None if the == 0 && (name != "may" || is_year(tokens, number + 1)) => {
            if tokens.list.get(number).is_some_and(|token| token.sep != Sep::None)
                || tokens.list.get(number + 1).is_some_and(|token| token.sep != Sep::None)
            {
                return None;
            }
            day(small(tokens, number, 31)?)
        }
        None => return None,
    };
    Some(put(tokens, at, 2 + the, &[(name, Kind::Word), (&number, Kind::Ordinal)], list))
}

/// True if the token at an index is a year, or its first half.
fn is_year(tokens: &Tokens, at: usize) -> bool {
    tokens.list.get(at).is_some_and(|token| {
        let text = tokens.text(token);
        token.kind == Kind::Number && (matches!(text, "19" | "20") || text.len() == 4)
    })
}

/// A number from 20 to `most` and its tokens: `98`, `one | twenty`.
fn pressure(tokens: &Tokens, at: usize, most: u32) -> Option<(String, usize)> {
    let number = |at: usize| tokens.list.get(at).filter(|token| token.kind == Kind::Number && !token.apart);
    let first = tokens.text(number(at)?);
    let rest = number(at + 1).filter(|rest| rest.pause == Pause::None && rest.sep == Sep::None && !rest.glued);
    let rest = rest.map(|rest| tokens.text(rest)).filter(|rest| matches!(first, "1" | "2") && rest.len() == 2);
    let text = format!("{first}{}", rest.unwrap_or_default());
    let value: u32 = text.parse().ok()?;
    (20..=most).contains(&value).then(|| (text, 1 + usize::from(rest.is_some())))
}

/// `ninety eight over sixty`, `one twenty over eighty`: a blood pressure, as `98/60` is written.
pub(super) fn pressures(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let Some((first, length)) = pressure(tokens, at, 300) else { return 0 };
        let behind = at + length + 1;
        let Some((second, rest)) = pressure(tokens, behind, 200) else { return 0 };
        let over = tokens.text_at(behind - 1) == "over" && tokens.goes_on(behind - 1) && tokens.goes_on(behind);
        let alone =
            |at: usize| tokens.list.get(at).is_none_or(|token| token.kind != Kind::Number || !tokens.goes_on(at));
        let before = at.checked_sub(1).is_none_or(|before| alone(before) || !tokens.goes_on(at));
        if !over || !before || !alone(behind + rest) {
            return 0;
        }
        put(tokens, at, length, &[(&first, Kind::Number)], list);
        put(tokens, behind, rest, &[(&second, Kind::Number)], list);
        if let Some(second) = list.last_mut() {
            second.sep = Sep::Slash;
        }
        behind + rest - at
    });
}

/// `101 . two`: recognizers put blanks round a decimal point.
pub(super) fn points(tokens: &mut Tokens, source: &Source<'_>) {
    rewrite(tokens, |tokens, at, list| {
        let number = |at: usize| tokens.list.get(at).copied().filter(|token| token.kind == Kind::Number);
        let (Some(whole), Some(part)) = (number(at), number(at + 1)) else { return 0 };
        let blanks = source.behind(&whole).starts_with(" . ") && source.before(&part).ends_with(" . ");
        let one = tokens.text(&part).len() == 1 && (2..=3).contains(&tokens.text(&whole).len());
        let next = tokens.list.get(at + 2);
        let ends = next.is_none_or(|next| {
            next.pause != Pause::None
                || matches!(tokens.text(next), "degrees" | "percent" | "and" | "today" | "fahrenheit" | "celsius")
        });
        if !blanks || !one || !ends || whole.segment != part.segment {
            return 0;
        }
        let text = format!("{}.{}", tokens.text(&whole), tokens.text(&part));
        put(tokens, at, 2, &[(&text, Kind::Decimal)], list)
    });
}

/// `half past three`, `quarter to four`.
pub(super) fn clock(tokens: &mut Tokens) {
    rewrite(tokens, |tokens, at, list| {
        let start = at + usize::from(matches!(tokens.text_at(at), "a" | "the") && tokens.text_at(at + 1) == "quarter");
        let (minutes, back) = match (tokens.text_at(start), tokens.text_at(start + 1)) {
            ("half", "past") => ("30", false),
            ("quarter", "past" | "after") => ("15", false),
            ("quarter", "to" | "till" | "before") => ("45", true),
            _ => return 0,
        };
        let hour = small(tokens, start + 2, 12).filter(|_| tokens.goes_on(start + 1) && tokens.goes_on(start + 2));
        let next = tokens.list.get(start + 3).filter(|next| next.pause == Pause::None);
        let counted = next.is_some_and(|next| is_measure(tokens.text(next)));
        let Some(hour) = hour.filter(|_| !counted) else { return 0 };
        let hour = match (hour, back) {
            (1, true) => 12,
            (hour, true) => hour - 1,
            (hour, false) => hour,
        };
        let hour = hour.to_string();
        put(tokens, at, start + 3 - at, &[(&hour, Kind::Number), (minutes, Kind::Number)], list)
    });
}
