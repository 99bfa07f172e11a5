//! The text of a dosage, read from its first word to its last.

use std::sync::LazyLock;

use super::amount::Amount;
use super::frequency::Frequency;
use super::route;
use super::words::{number, tokens};

/// The meaning of a dosage text.
#[derive(Debug, Default)]
pub(crate) struct Sig {
    pub(crate) text: String,
    /// Amounts, each with its possible readings: two tablets (20 mg) are 20 mg or 40 mg.
    pub(crate) amounts: Vec<Vec<Amount>>,
    pub(crate) frequencies: Vec<Frequency>,
    pub(crate) routes: Vec<&'static str>,
    pub(crate) days: Vec<u64>,
    pub(crate) as_needed: bool,
    /// An amount may be a limit.
    pub(crate) limits: bool,
    /// Another amount or frequency may be chosen, follow or replace.
    pub(crate) chooses: bool,
    /// Words that may negate, replace or condition the rest.
    pub(crate) doubt: Option<String>,
    /// Those of them that take the order back.
    takes_back: Option<String>,
    /// The first words that no table has.
    unread: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Nothing,
    AsNeeded,
    Limit,
    Doubt,
    Other,
    Back,
    Amounts(Vec<Vec<Amount>>),
    Frequency(Frequency),
    Route(&'static str),
    Days(u64),
}

pub(crate) static WORDS: LazyLock<Vec<(Vec<String>, Piece)>> = LazyLock::new(|| {
    let rows = super::rows(include_str!("sig-words.txt")).filter_map(|row| match row.as_slice() {
        [kind, phrases] => Some((*kind, *phrases)),
        _ => None,
    });
    let phrases = rows.flat_map(|(kind, phrases)| phrases.split('|').map(move |phrase| (kind, phrase)));
    let piece = |kind: &str| match kind {
        "prn" => Piece::AsNeeded,
        "limit" => Piece::Limit,
        "doubt" => Piece::Doubt,
        "other" => Piece::Other,
        "back" => Piece::Back,
        _ => Piece::Nothing,
    };
    phrases.map(|(kind, phrase)| (tokens(phrase), piece(kind))).collect()
});

impl Sig {
    pub(crate) fn read(text: String) -> Self {
        let tokens = tokens(&text);
        let mut sig = Self { text, ..Self::of(&tokens) };
        // A text with a decimal comma is not read whole, but it may name another amount.
        if let Some(pointed) = with_points(&tokens) {
            sig.amounts = Self::of(&pointed).amounts;
        }
        sig
    }

    fn of(tokens: &[String]) -> Self {
        let mut sig = Self::default();
        let (mut rest, mut is_unread) = (tokens, false);
        while let Some(first) = rest.first() {
            let (length, piece) = match longest(rest) {
                Some((length, piece)) => (length, Some(piece)),
                None => (1, None),
            };
            let (read, after) = rest.split_at(length.min(rest.len()));
            let now_unread = piece.is_none() && (sig.unread.is_none() || is_unread);
            match piece {
                None if sig.unread.is_none() || is_unread => {
                    let words = [sig.unread.take(), Some(first.clone())];
                    sig.unread = Some(words.into_iter().flatten().collect::<Vec<_>>().join(" "));
                }
                None => {}
                Some(Piece::Nothing) => {}
                Some(Piece::AsNeeded) => sig.as_needed = true,
                Some(kind @ (Piece::Limit | Piece::Doubt | Piece::Other | Piece::Back)) => {
                    sig.limits |= matches!(kind, Piece::Limit);
                    sig.chooses |= matches!(kind, Piece::Other | Piece::Back);
                    if matches!(kind, Piece::Back) || negates(read, after) {
                        sig.takes_back.get_or_insert_with(|| read.join(" "));
                    }
                    sig.doubt.get_or_insert_with(|| read.join(" "));
                }
                Some(Piece::Amounts(amounts)) => sig.amounts.extend(amounts),
                Some(Piece::Frequency(one)) => sig.often(one),
                Some(Piece::Route(one)) => {
                    let is_either = one == "topical" && read.last().is_some_and(|word| word == "skin");
                    let one = if is_either && sig.has_patch() { "topical or transdermal" } else { one };
                    if !sig.routes.contains(&one) {
                        sig.routes.push(one);
                    }
                }
                Some(Piece::Days(days)) => sig.days.push(days),
            }
            is_unread = now_unread;
            rest = after;
        }
        sig
    }

    /// Adds a frequency; "daily" and "in the morning" are one.
    fn often(&mut self, one: Frequency) {
        if let Some(own) = self.frequencies.iter_mut().find(|own| own.is_met_by(&one)) {
            *own = one;
        } else if !self.frequencies.iter().any(|own| one.is_met_by(own)) {
            self.frequencies.push(one);
        }
    }

    fn has_patch(&self) -> bool {
        self.amounts.iter().flatten().any(Amount::is_patch)
    }

    /// Every word has a meaning, and none makes that of another uncertain.
    pub(crate) fn is_whole(&self) -> bool {
        self.doubt.is_none() && self.unread.is_none()
    }

    /// Why the text opens elements that hold, as a clause.
    pub(crate) fn taken_back(&self) -> Option<String> {
        self.takes_back.as_ref().map(|words| self.may_change(words))
    }

    fn may_change(&self, words: &str) -> String {
        format!("the text {:?} says {words:?}, which may change the dosage", self.text)
    }

    /// Why the text does not decide, as a clause.
    pub(crate) fn open(&self) -> Option<String> {
        let text = &self.text;
        self.doubt.as_ref().map(|words| self.may_change(words)).or_else(|| {
            self.unread.as_ref().map(|word| format!("the text {text:?} has {word:?}, which Candor does not read"))
        })
    }
}

/// The words with points for decimal commas, if there are any. `1000,000` may have either.
fn with_points(tokens: &[String]) -> Option<Vec<String>> {
    let pointed = |token: &String| {
        let (whole, fraction) = token.split_once(',')?;
        let is_decimal = whole == "0" || fraction.len() != 3;
        (is_decimal && !fraction.contains(',')).then(|| format!("{whole}.{fraction}"))
    };
    let has_any = tokens.iter().any(|token| pointed(token).is_some());
    has_any.then(|| tokens.iter().map(|token| pointed(token).unwrap_or_else(|| token.clone())).collect())
}

/// Negates a part of the dosage: `not 40 mg`.
fn negates(read: &[String], after: &[String]) -> bool {
    let is_no = read.last().is_some_and(|word| matches!(word.as_str(), "no" | "not" | "never" | "don't"));
    let is_part = |piece: &Piece| {
        matches!(piece, Piece::AsNeeded | Piece::Amounts(_) | Piece::Frequency(_) | Piece::Route(_) | Piece::Days(_))
    };
    is_no && longest(after).is_some_and(|(_, piece)| is_part(&piece))
}

fn longest(rest: &[String]) -> Option<(usize, Piece)> {
    let words = WORDS
        .iter()
        .filter(|(phrase, _)| rest.starts_with(phrase))
        .map(|(phrase, piece)| (phrase.len(), piece.clone()));
    let route = route::leading(rest).map(|(length, name)| (length, Piece::Route(name)));
    let often = Frequency::leading(rest)
        .filter(|(length, one)| *one != Frequency::Once || !may_repeat(rest.get(*length..).unwrap_or_default()));
    let often = often.map(|(length, one)| (length, Piece::Frequency(one)));
    let all = words.chain(amounts(rest)).chain(part(rest)).chain(time(rest)).chain(often).chain(route);
    all.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// If the words after "once" may be of every day: `with breakfast`, `for 5 days`.
fn may_repeat(after: &[String]) -> bool {
    let is_by_meals = after.first().is_some_and(|word| matches!(word.as_str(), "with" | "before" | "after"));
    is_by_meals || matches!(time(after), Some((_, Piece::Days(2..))))
}

/// For how long: `for 5 days`, `x 5 days`, and `over 2 hours`, which does not name days.
fn time(rest: &[String]) -> Option<(usize, Piece)> {
    let [how, count, unit, ..] = rest else { return None };
    let count = number(count)?;
    let piece = match (how.as_str(), unit.as_str()) {
        ("for" | "x", "day" | "days") => Piece::Days(count),
        ("for" | "x", "week" | "weeks") => Piece::Days(count.checked_mul(7)?),
        ("over", "hour" | "hours" | "h" | "hr" | "hrs" | "minute" | "minutes" | "min" | "mins") => Piece::Nothing,
        _ => return None,
    };
    Some((3, piece))
}

/// An amount at the start of a text, in its tokens.
fn amount(rest: &[String]) -> Option<(usize, Vec<Amount>)> {
    let ends = match rest {
        [_, to, high, ..] if matches!(to.as_str(), "-" | "to") && decimal(high).is_some() => vec![0, 2],
        _ => vec![0],
    };
    let from = ends.last()? + 1;
    let (length, unit) = [3, 1].into_iter().find_map(|length| {
        let unit = rest.get(from..from + length)?.concat();
        Some((length, Amount::named_unit(&unit)?))
    })?;
    let amounts = ends.into_iter().map(|at| Amount::of(&decimal(rest.get(at)?)?, unit)).collect::<Option<_>>()?;
    Some((from + length, amounts))
}

fn decimal(token: &str) -> Option<String> {
    let fraction =
        [("1 / 2", "0.5"), ("1 / 4", "0.25"), ("3 / 4", "0.75")].into_iter().find(|(name, _)| *name == token);
    if let Some((_, number)) = fraction {
        return Some(number.to_owned());
    }
    let is_written = token.starts_with(|c: char| c.is_ascii_digit());
    if is_written { Some(token.to_owned()) } else { number(token).map(|number| number.to_string()) }
}

/// A part of an amount: `half of an 80 mg tablet`.
fn part(rest: &[String]) -> Option<(usize, Piece)> {
    let is = |at: usize, words: &[&str]| rest.get(at).is_some_and(|token| words.contains(&token.as_str()));
    let by = if is(0, &["half"]) { "0.5".to_owned() } else { decimal(rest.first()?)? };
    let by = Amount::of(&by, "form:dose")?;
    let of = 1 + usize::from(is(1, &["of"]));
    let from = of + usize::from(is(of, &["a", "an", "one", "the"]));
    let (length, whole) = amount(rest.get(from..)?).filter(|_| from > 1)?;
    let [whole] = whole.as_slice() else { return None };
    let end = from + length;
    let form = rest.get(end).and_then(|unit| Amount::named_unit(unit)).filter(|unit| unit.starts_with("form:"));
    (!whole.is_counted()).then(|| (end + usize::from(form.is_some()), Piece::Amounts(vec![vec![whole.times(&by)]])))
}

/// Amounts, and how many of them: `40 mg`, `2 x 20 mg`, `2 20 mg tablets`, `2 tablets of 20 mg`.
fn amounts(rest: &[String]) -> Option<(usize, Piece)> {
    let piece = |length: usize, amounts: Vec<Vec<Amount>>| Some((length, Piece::Amounts(amounts)));
    let each = |amounts: Vec<Amount>| amounts.into_iter().map(|one| vec![one]).collect::<Vec<_>>();
    let after = |at: usize| rest.get(at..).unwrap_or_default();
    let is = |at: usize, words: &[&str]| rest.get(at).is_some_and(|token| words.contains(&token.as_str()));
    if let Some((length, found)) = amount(rest) {
        // Into how many doses an amount is divided is not read.
        if is(length - 1, &["doses"]) {
            return None;
        }
        let [count] = found.as_slice() else { return piece(length, each(found)) };
        if !count.is_counted() {
            if is(length, &["/", "per"]) {
                // A concentration is not a dose; a rate is not read.
                return amount(after(length + 1))
                    .map(|(more, _)| more)
                    .or_else(|| {
                        Amount::named_unit(rest.get(length + 1)?).filter(|unit| !unit.starts_with("form:")).map(|_| 1)
                    })
                    .and_then(|more| piece(length + 1 + more, Vec::new()));
            }
            return piece(length, each(found));
        }
        let of = usize::from(is(length, &["of"]));
        if let Some((more, strengths)) = amount(after(length + of))
            && let [strength] = strengths.as_slice()
            && !strength.is_counted()
        {
            let end = length + of + more;
            let said = usize::from(is(end, &["each", "total"]));
            if is(end, &["total"]) {
                return piece(end + said, vec![vec![count.clone()], vec![strength.clone()]]);
            }
            let mut readings = vec![strength.times(count)];
            if of + said == 0 {
                readings.push(strength.clone());
            }
            return piece(end + said, vec![vec![count.clone()], readings]);
        }
        return piece(length, each(found));
    }
    let count = Amount::of(&decimal(rest.first()?)?, "form:dose")?;
    let by = usize::from(is(1, &["x"]));
    let (length, strengths) = amount(after(1 + by))?;
    let [strength] = strengths.as_slice() else { return None };
    let end = 1 + by + length;
    // Two 20 mg tablets are two tablets, too.
    let form = rest.get(end).and_then(|unit| Amount::named_unit(unit)).filter(|unit| unit.starts_with("form:"));
    let counted = form.and_then(|form| Amount::of(&decimal(rest.first()?)?, form));
    let amounts = std::iter::once(strength.times(&count)).chain(counted.clone()).map(|one| vec![one]).collect();
    piece(end + usize::from(counted.is_some()), amounts)
}
