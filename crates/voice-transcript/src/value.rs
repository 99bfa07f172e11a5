//! Values that were said: ids, numbers, amounts, doses, dates and times, found behind a phrase and compared.

use serde::Deserialize;

use crate::constraint::{Anchor, Counts};
use crate::matching::{Heard, Listed, Occurrence, Said};
use crate::normalize::{Kind, Normalized, Pause, Word};
use crate::tables::{STANCE, UNITS};

/// What kind of value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum As {
    /// Digits and letters that follow one another.
    Digits,
    /// One number, compared as a decimal.
    Number,
    /// Dollars and cents.
    Amount,
    /// A number and a unit.
    Dose,
    /// A day.
    Date,
    /// A time of day.
    Time,
}

/// A value as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Read {
    Text(String),
    Date {
        year: Option<u32>,
        month: u32,
        day: u32,
    },
    /// Minutes since midnight; without `am` or `pm` below one o'clock in the afternoon it may be either.
    Time {
        minutes: u32,
        sure: bool,
    },
}

/// A value that is asserted.
#[derive(Debug)]
pub(crate) struct Value {
    /// The phrase it is said behind.
    pub(crate) after: Anchor,
    /// Who says it; anybody where this is not given.
    pub(crate) role: Option<String>,
    /// How many turns behind the phrase it may be said.
    pub(crate) within_turns: usize,
    kind: As,
    expected: Read,
}

impl Value {
    /// `None` when what is expected is no value of its kind.
    pub(crate) fn new(
        after: Anchor,
        role: Option<String>,
        within_turns: usize,
        kind: As,
        expected: &str,
    ) -> Option<Self> {
        let words = Normalized::canonical(&[expected]);
        let (reads, _) = read(&words, 0, words.len(), kind)?;
        let expected = reads.into_iter().last()?;
        Some(Self { after, role, within_turns, kind, expected })
    }

    /// What was said of it on a call, the last time it was: where, and whether it is what is expected.
    pub(crate) fn said(&self, heard: &Heard<'_>) -> Option<(Occurrence, Counts)> {
        let role = self.after.role.as_deref();
        let mut last = None;
        for place in heard.occurrences(&self.after.phrase, role).filter(|place| place.said == Said::Plain) {
            last = self.behind(heard, &place).or(last);
        }
        last
    }

    fn behind(&self, heard: &Heard<'_>, place: &Occurrence) -> Option<(Occurrence, Counts)> {
        for part in heard.behind(place, self.role.as_deref(), self.within_turns) {
            let mut at = part.from;
            while at < part.to {
                let found = read(part.words, at, part.to, self.kind);
                let Some((reads, end)) = found.filter(|(_, end)| !part.taken_back(at, *end)) else {
                    at += 1;
                    continue;
                };
                let occurrence = heard.at_words(part.stretch, at, end)?;
                let counts = match (reads.last().map(|whole| self.compare(whole)), occurrence.said) {
                    (_, Said::Doubtful | Said::Negated) => Counts::Unsure,
                    _ if occurrence.listed() != Listed::No || is_bound(part.words, at) => Counts::Unsure,
                    (Some(Counts::Yes), _) => Counts::Yes,
                    (Some(Counts::Unsure), _) => Counts::Unsure,
                    _ if reads.iter().any(|part| self.compare(part) == Counts::Yes) => Counts::Unsure,
                    _ => Counts::No(MISMATCH),
                };
                return Some((occurrence, counts));
            }
        }
        None
    }

    fn compare(&self, said: &Read) -> Counts {
        let equal = |same: bool| if same { Counts::Yes } else { Counts::No(MISMATCH) };
        match (said, &self.expected) {
            (Read::Date { year, month, day }, Read::Date { year: y, month: m, day: d }) => match (year, y) {
                _ if (month, day) != (m, d) => Counts::No(MISMATCH),
                (Some(year), Some(y)) if *year < 100 || *y < 100 => equal(year % 100 == y % 100),
                (Some(year), Some(y)) => equal(year == y),
                (None, None) => Counts::Yes,
                _ => Counts::Unsure,
            },
            (Read::Time { minutes, sure }, Read::Time { minutes: m, sure: s }) => match minutes == m {
                true if sure == s || (*sure && *s) => Counts::Yes,
                _ if (!sure || !s) && minutes % 720 == m % 720 => Counts::Unsure,
                _ => Counts::No(MISMATCH),
            },
            (said, expected) => equal(said == expected),
        }
    }
}

pub(crate) const MISMATCH: &str = "value_mismatch";

/// The value that begins at a word: what it may be, the whole last, and its last word.
fn read(words: &Normalized, at: usize, to: usize, kind: As) -> Option<(Vec<Read>, usize)> {
    let reader = Reader { words, to };
    match kind {
        As::Digits => reader.digits(at),
        As::Number => reader.number(at).map(|(text, end)| (vec![Read::Text(text)], end)),
        As::Amount => reader.amount(at),
        As::Dose => reader.dose(at),
        As::Date => reader.date(at),
        As::Time => reader.time(at),
    }
}

struct Reader<'a> {
    words: &'a Normalized,
    to: usize,
}

/// The most words of one value.
const LONGEST: usize = 64;

impl<'a> Reader<'a> {
    fn word(&self, at: usize) -> Option<Word<'a>> {
        self.words.word(at).filter(|_| at < self.to)
    }

    fn text(&self, at: usize) -> &'a str {
        self.word(at).map(|word| word.text).unwrap_or_default()
    }

    /// The word at `at`, when it goes on in the sentence before it.
    fn next(&self, at: usize) -> Option<Word<'a>> {
        self.word(at).filter(|word| word.pause < Pause::Turn)
    }

    fn digits(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let runs = |at: usize| self.word(at).filter(|word| matches!(word.kind, Kind::Letter | Kind::Number));
        let first = runs(at)?;
        let alone =
            matches!(first.text, "a" | "i") && runs(at + 1).is_none_or(|next| next.span.start > first.span.end + 1);
        if alone {
            return None;
        }
        let (mut reads, mut text, mut end) = (Vec::new(), String::new(), at);
        while let Some(word) = runs(end).filter(|_| end < at + LONGEST) {
            if end > at && word.pause >= Pause::Turn {
                reads.push(Read::Text(text.clone()));
            }
            text.push_str(word.text);
            end += 1;
        }
        if !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        reads.push(Read::Text(text));
        Some((reads, end - 1))
    }

    /// A decimal without needless zeros, and its last word.
    fn number(&self, at: usize) -> Option<(String, usize)> {
        let first = self.word(at)?;
        if first.kind == Kind::Decimal && !first.text.contains('/') {
            return Some((plain(first.text), at));
        }
        let mut text = String::new();
        let mut end = at;
        while let Some(word) = self.word(end).filter(|word| word.kind == Kind::Number && end < at + LONGEST) {
            if end > at && word.pause >= Pause::Turn {
                break;
            }
            text.push_str(word.text);
            end += 1;
        }
        (end > at).then(|| (plain(&text), end - 1))
    }

    fn amount(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let (whole, mut end) = self.number(at)?;
        let dollars = matches!(self.text(end + 1), "dollar" | "dollars");
        if self.next(end + 1).is_some_and(|next| next.pause == Pause::None && is_measure(next.text)) {
            return None;
        }
        if matches!(self.text(end + 1), "cent" | "cents") {
            return Some((vec![Read::Text(cents("0", &whole))], end + 1));
        }
        end += usize::from(dollars);
        let from = if self.text(end + 1) == "and" { end + 2 } else { end + 1 };
        if dollars
            && self.next(from).is_some()
            && let Some((part, last)) = self.number(from)
            && (matches!(self.text(last + 1), "cent" | "cents"))
        {
            return Some((vec![Read::Text(cents(&whole, &part))], last + 1));
        }
        Some((vec![Read::Text(whole)], end))
    }

    fn dose(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let (number, end) = self.number(at)?;
        let unit = UNITS.get(self.next(end + 1)?.text)?;
        Some((vec![Read::Text(format!("{number} {unit}"))], end + 1))
    }

    fn date(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        let day_at = |at: usize| {
            let word = self.word(at).filter(|word| matches!(word.kind, Kind::Number | Kind::Ordinal))?;
            let day: u32 = word.text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            (1..=31).contains(&day).then_some(day)
        };
        let (month, day, end) = if let Some(month) = self.month(at) {
            let day = if self.text(at + 1) == "the" { at + 2 } else { at + 1 };
            (month, day_at(day)?, day)
        } else if let Some(day) = day_at(at) {
            let of = if self.text(at + 1) == "of" { at + 2 } else { at + 1 };
            match (self.month(of), self.number_of(at + 1, 31)) {
                (Some(month), _) => (month, day, of),
                (None, Some(second)) if (1..=12).contains(&day) && self.year(at + 2).is_some() => (day, second, at + 1),
                _ => return None,
            }
        } else {
            // 1985-03-14
            let year =
                self.word(at).filter(|word| word.kind == Kind::Number && word.text.len() == 4)?.text.parse().ok()?;
            let (month, day) = (self.number_of(at + 1, 12)?, self.number_of(at + 2, 31)?);
            return Some((vec![Read::Date { year: Some(year), month, day }], at + 2));
        };
        let (year, end) = match self.year(end + 1) {
            Some((year, last)) => (Some(year), last),
            None => (None, end),
        };
        Some((vec![Read::Date { year, month, day }], end))
    }

    fn month(&self, at: usize) -> Option<u32> {
        const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        let text = self.text(at);
        let named = STANCE.months.contains(text) || MONTHS.contains(&text);
        let number = MONTHS.iter().position(|month| text.starts_with(month)).filter(|_| named)?;
        u32::try_from(number + 1).ok()
    }

    fn number_of(&self, at: usize, most: u32) -> Option<u32> {
        let number: u32 = self.next(at).filter(|word| word.kind == Kind::Number)?.text.parse().ok()?;
        (1..=most).contains(&number).then_some(number)
    }

    /// A year as one number or in pairs, and its last word.
    fn year(&self, at: usize) -> Option<(u32, usize)> {
        let word = self.next(at).filter(|word| word.kind == Kind::Number)?;
        let pair = self.next(at + 1).filter(|next| next.kind == Kind::Number && next.text.len() == 2);
        match (word.text.len(), pair) {
            (2, Some(pair)) if matches!(word.text, "19" | "20") => {
                Some((format!("{}{}", word.text, pair.text).parse().ok()?, at + 1))
            }
            (2 | 4, _) => Some((word.text.parse().ok()?, at)),
            _ => None,
        }
    }

    fn time(&self, at: usize) -> Option<(Vec<Read>, usize)> {
        match self.text(at) {
            "noon" => return Some((vec![Read::Time { minutes: 720, sure: true }], at)),
            "midnight" => return Some((vec![Read::Time { minutes: 0, sure: true }], at)),
            _ => {}
        }
        let hour: u32 = self.word(at).filter(|word| word.kind == Kind::Number)?.text.parse().ok()?;
        let minute = self.next(at + 1).filter(|word| word.kind == Kind::Number && word.text.len() == 2);
        let minute: Option<u32> = minute.and_then(|word| word.text.parse().ok()).filter(|minute| *minute < 60);
        let behind = at + 1 + usize::from(minute.is_some());
        let half = match self.text(behind) {
            "am" => Some(0),
            "pm" => Some(12),
            _ => None,
        };
        let minute = minute.or_else(|| (self.text(at + 1) == "oclock").then_some(0));
        let half = half.or(match self.text(behind + 1) {
            _ if self.text(behind) != "oclock" => None,
            "am" => Some(0),
            "pm" => Some(12),
            _ => None,
        });
        let behind = behind + usize::from(self.text(behind) == "oclock");
        if hour > 23 || (minute.is_none() && half.is_none()) || (half.is_some() && !(1..=12).contains(&hour)) {
            return None;
        }
        let hours = match half {
            Some(half) => hour % 12 + half,
            None => hour,
        };
        let sure = half.is_some() || hour > 12 || hour == 0;
        let end = if half.is_some() { behind } else { behind - 1 };
        Some((vec![Read::Time { minutes: hours * 60 + minute.unwrap_or_default(), sure }], end))
    }
}

/// Whether the value at a word is only a bound: "less than", "at least", "up to".
fn is_bound(words: &Normalized, at: usize) -> bool {
    let word =
        |back: usize| at.checked_sub(back).and_then(|at| words.word(at)).map(|word| word.text).unwrap_or_default();
    match (word(2), word(1)) {
        ("less" | "more" | "fewer" | "greater" | "higher" | "lower" | "over" | "under", "than") => true,
        ("at", "least" | "most") | ("up", "to") => true,
        (_, before) => matches!(before, "under" | "over" | "below" | "above" | "exceed" | "exceeding"),
    }
}

/// What is counted behind a number that is no amount of money.
fn is_measure(word: &str) -> bool {
    let time = word.strip_suffix('s').unwrap_or(word);
    UNITS.get(word).is_some()
        || matches!(time, "second" | "minute" | "hour" | "day" | "week" | "month" | "year" | "time")
}

/// A decimal without leading zeros before and trailing zeros behind its point.
fn plain(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

fn cents(whole: &str, part: &str) -> String {
    plain(&format!("{whole}.{part:0>2}"))
}
