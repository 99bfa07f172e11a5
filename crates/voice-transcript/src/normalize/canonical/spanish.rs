//! Spanish (`data/es.tsv`): numbers, days and times as the steps behind expect them, and words as the English ones by which
//! clauses are cut and labelled.

use super::super::token::{Kind, Pause, Token, Tokens};
use super::times::{day, small};
use super::{put, rewrite, stands};
use crate::tables::SPANISH;

/// Numbers, dates, times and units: `treinta y uno`, `tres de mayo de 1985`, `las tres y media de la tarde`.
pub(in crate::normalize) fn values(tokens: &mut Tokens) {
    // "el dos o el tres": no letter of a run
    for at in 0..tokens.list.len() {
        let next = tokens.list.get(at + 1).is_some_and(|next| next.kind == Kind::Word);
        let or = tokens.text_at(at) == "o" && next && !SPANISH.letters.contains_key(tokens.text_at(at + 1));
        if let Some(token) = tokens.list.get_mut(at).filter(|_| or) {
            token.kind = Kind::Word;
        }
    }
    rewrite(tokens, |tokens, at, list| {
        let Some((value, taken)) = number(tokens, at) else { return 0 };
        put(tokens, at, taken, &[(&value.to_string(), Kind::Number)], list)
    });
    rewrite(tokens, |tokens, at, list| {
        if let Some(taken) = date(tokens, at, list).or_else(|| time(tokens, at, list)) {
            return taken;
        }
        let number = |at: usize| tokens.list.get(at).is_some_and(|token| token.kind == Kind::Number);
        let between = at.checked_sub(1).is_some_and(number) && number(at + 1);
        let word = match tokens.text_at(at) {
            "punto" if between => Some("point"),
            text => SPANISH.values.get(text).copied(),
        };
        let Some(word) = word else { return 0 };
        put(tokens, at, 1, &[(word, Kind::Word)], list)
    });
}

/// The words as the English ones that the tables of clauses hold, one for one.
pub(in crate::normalize) fn gloss(tokens: &mut Tokens) {
    for at in 0..tokens.list.len() {
        let ends = tokens.list.get(at + 1).is_none_or(|next| next.pause != Pause::None);
        let text = tokens.text_at(at);
        let future = text.len() > 5 && ["r\u{e1}", "r\u{e1}n", "r\u{e9}"].iter().any(|end| text.ends_with(end));
        let opens = tokens.list.get(at).is_some_and(|token| at == 0 || token.pause != Pause::None);
        let number = tokens.list.get(at + 1).is_some_and(|next| next.kind == Kind::Number);
        // "no yo tomo dos", "no dos tabletas", "no ya no tomo"
        let no_more = tokens.text_at(at + 1) == "ya" && tokens.text_at(at + 2) == "no";
        let answers =
            opens && (number || no_more || matches!(tokens.text_at(at + 1), "ahora" | "yo" | "usted" | "nosotros"));
        let word = match text {
            "no" if reminds(tokens, at) => Some("please"),
            "no" if !ends && !answers => Some("not"),
            "si" | "s\u{ed}" if ends => Some("yes"),
            "digo" if ends => Some("sorry"),
            "problema" if ends => Some("problem"),
            // "no fue suficiente y necesitamos otro"
            "y" if matches!(tokens.text_at(at + 1), "necesitamos" | "tenemos" | "queremos" | "esperamos") => {
                Some("but")
            }
            "ya" if tokens.text_at(at + 1) == "no" => Some("now"),
            "cuando" | "cuanto" | "que" | "como" if is_awaited(tokens, at) => Some("if"),
            _ => SPANISH.words.get(text).copied().or(future.then_some("will")),
        };
        let Some(text) = word.map(|word| tokens.put(word)) else { continue };
        if let Some(token) = tokens.list.get_mut(at) {
            token.text = text;
        }
    }
}

/// "no olvide traerlo", "no se le olvide"
fn reminds(tokens: &Tokens, at: usize) -> bool {
    let joined = |at: &usize| tokens.list.get(*at).is_some_and(|token| token.pause == Pause::None);
    let verb = |at: usize| matches!(tokens.text_at(at), "olvide" | "olviden" | "olvides" | "olvidar");
    (at + 1..at + 4).take_while(joined).any(verb)
}

/// "cuando lleguen", "una vez que se apruebe", "en cuanto llegue".
fn is_awaited(tokens: &Tokens, at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| tokens.text_at(at)).unwrap_or_default();
    let opens = tokens.text_at(at) == "cuando" || matches!(before, "en" | "vez" | "hasta" | "pronto");
    let verb = at + 1 + usize::from(matches!(tokens.text_at(at + 1), "se" | "nos" | "le" | "me"));
    opens && SPANISH.open.contains(tokens.text_at(verb))
}

fn number(tokens: &Tokens, at: usize) -> Option<(u64, usize)> {
    let joined = |at: usize| tokens.list.get(at).is_some_and(|token| token.pause == Pause::None);
    let (mut value, mut end) = below_thousand(tokens, at).unwrap_or((0, at));
    if tokens.text_at(end) == "mil" && (end == at || joined(end)) {
        value = value.max(1) * 1000;
        end += 1;
        if joined(end)
            && let Some((rest, behind)) = below_thousand(tokens, end)
        {
            (value, end) = (value + rest, behind);
        }
    }
    (end > at).then_some((value, end - at))
}

/// A number below a thousand, and the index behind it.
fn below_thousand(tokens: &Tokens, at: usize) -> Option<(u64, usize)> {
    let of = |at: usize| SPANISH.numbers.get(tokens.text_at(at)).copied();
    let next = |at: usize| of(at).filter(|_| tokens.list.get(at).is_some_and(|token| token.pause == Pause::None));
    let (mut value, mut end) = (of(at)?, at + 1);
    if value >= 100
        && let Some(rest) = next(end).filter(|rest| (1..100).contains(rest))
    {
        (value, end) = (value + rest, end + 1);
    }
    let tens = value % 100;
    if tens >= 30
        && tens % 10 == 0
        && stands(tokens, end, &["y"])
        && let Some(unit) = next(end + 1).filter(|unit| (1..10).contains(unit))
    {
        (value, end) = (value + unit, end + 2);
    }
    Some((value, end))
}

fn date(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> Option<usize> {
    let number = if tokens.text_at(at) == "primero" { 1 } else { small(tokens, at, 31)? };
    let of = |at: usize| matches!(tokens.text_at(at), "de" | "del") && tokens.goes_on(at) && tokens.goes_on(at + 1);
    let month = SPANISH.values.get(tokens.text_at(at + 2)).copied().filter(|_| of(at + 1))?;
    let known = crate::tables::STANCE.months.contains(month) || month == "may";
    let year = tokens.list.get(at + 4).filter(|year| year.kind == Kind::Number && of(at + 3));
    let year = year.map(|year| tokens.text(year).to_owned()).filter(|year| year.len() == 4);
    let number = day(number);
    let mut words = vec![(month, Kind::Word), (number.as_str(), Kind::Ordinal)];
    words.extend(year.as_deref().map(|year| (year, Kind::Number)));
    known.then(|| put(tokens, at, if year.is_some() { 5 } else { 3 }, &words, list))
}

fn time(tokens: &mut Tokens, at: usize, list: &mut Vec<Token>) -> Option<usize> {
    let article = tokens.list.get(at).copied().filter(|_| matches!(tokens.text_at(at), "la" | "las"))?;
    let one = Some(1).filter(|_| tokens.text_at(at + 1) == "una");
    let hour = one.or_else(|| small(tokens, at + 1, 12)).filter(|_| tokens.goes_on(at + 1))?;
    let mut end = at + 2;
    let minutes = match tokens.text_at(end + 1) {
        _ if !stands(tokens, end, &["y"]) => None,
        "media" => Some(30),
        "cuarto" => Some(15),
        _ => small(tokens, end + 1, 59),
    };
    end += if minutes.is_some() { 2 } else { 0 };
    let half = match tokens.text_at(end + 2) {
        _ if !stands(tokens, end, &["de", "la"]) => None,
        "ma\u{f1}ana" | "manana" => Some("am"),
        "tarde" | "noche" => Some("pm"),
        _ => None,
    };
    end += if half.is_some() { 3 } else { 0 };
    if minutes.is_none() && half.is_none() {
        return None;
    }
    let (hour, minutes) = (hour.to_string(), minutes.map(|minutes| format!("{minutes:02}")));
    let mut words = vec![(hour.as_str(), Kind::Number)];
    words.extend(minutes.as_deref().map(|minutes| (minutes, Kind::Number)));
    words.extend(half.map(|half| (half, Kind::Word)));
    list.push(article);
    Some(1 + put(tokens, at + 1, end - at - 1, &words, list))
}
