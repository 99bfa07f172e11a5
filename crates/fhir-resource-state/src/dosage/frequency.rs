//! How often: abbreviations, words and `Timing.repeat`, by what they mean.

use std::sync::LazyLock;

use candor_json::Value;

use super::words::{number, tokens};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frequency {
    Once,
    Rate { times: u64, hours: u64, when: Option<&'static str> },
    Monthly { times: u64, months: u64 },
}

/// Hours of a unit of time; months are of no fixed length.
const HOURS: [(&str, u64); 4] = [("h", 1), ("d", 24), ("wk", 168), ("mo", 0)];
/// The times of a day that a frequency may name, with the codes of `Timing.repeat.when`.
const WHEN: [(&str, &[&str]); 3] = [
    ("morning", &["MORN", "AC", "ACM", "CM", "PCM", "AM"]),
    ("evening", &["EVE", "NIGHT", "PM", "CV", "ACV", "PCV"]),
    ("bedtime", &["HS"]),
];
/// The most words that name a frequency: `four times each day at bedtime`.
const MOST_WORDS: usize = 6;

pub(crate) struct Row {
    pub(crate) code: &'static str,
    pub(crate) frequency: Frequency,
    /// Times, period and unit, if these are the whole meaning.
    pub(crate) repeat: Option<(u64, u64, &'static str)>,
    names: Vec<&'static str>,
}

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = super::rows(include_str!("frequencies.txt"));
    rows.filter_map(|row| {
        let [code, meaning, names] = row.as_slice() else { return None };
        let parts: Vec<&str> = meaning.split(' ').collect();
        let (frequency, repeat) = match parts.as_slice() {
            ["once"] => (Frequency::Once, None),
            [times, period, unit, when @ ..] => {
                let repeat = (times.parse().ok()?, period.parse().ok()?, *unit);
                let own = Frequency::of(repeat.0, repeat.1, unit)?;
                match when.first() {
                    None => (own, Some(repeat)),
                    Some(when) => (own.at(WHEN.iter().find(|(name, _)| name == when).map(|(name, _)| *name)), None),
                }
            }
            _ => return None,
        };
        Some(Row { code, frequency, repeat, names: names.split(' ').collect() })
    })
    .collect()
});

pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter()
}

impl Frequency {
    fn of(times: u64, period: u64, unit: &str) -> Option<Self> {
        let (_, hours) = HOURS.iter().find(|(name, _)| *name == unit)?;
        if times == 0 || period == 0 || times > 1_000 || period > 10_000 {
            return None;
        }
        let reduced = |times: u64, length: u64| {
            let by = gcd(times, length);
            (times / by, length / by)
        };
        Some(if *hours == 0 {
            let (times, months) = reduced(times, period);
            Self::Monthly { times, months }
        } else {
            let (times, hours) = reduced(times, period * hours);
            Self::Rate { times, hours, when: None }
        })
    }

    pub(crate) fn at(self, when: Option<&'static str>) -> Self {
        match self {
            Self::Rate { times, hours, .. } => Self::Rate { times, hours, when },
            other => other,
        }
    }

    /// Compares a written frequency with this one. If this one names a time of day, the written one has to name it.
    pub(crate) fn is_met_by(&self, written: &Self) -> bool {
        match (self, written) {
            (Self::Rate { times, hours, when }, Self::Rate { times: own, hours: own_hours, when: own_when }) => {
                times == own && hours == own_hours && (when.is_none() || when == own_when)
            }
            (one, other) => one == other,
        }
    }

    pub(crate) fn has_time_of_day(&self) -> bool {
        matches!(self, Self::Rate { when: Some(_), .. })
    }

    /// How often in so many days, where it is a whole number.
    pub(crate) fn in_days(&self, days: u64) -> Option<u64> {
        let Self::Rate { times, hours, .. } = self else { return None };
        let all = times.checked_mul(days.checked_mul(24)?)?;
        (all % hours == 0).then(|| all / hours)
    }

    /// A text that is a frequency and nothing else.
    ///
    /// ```text
    /// twice daily, 2 times a day, every 12 hours, BID, q.12.h
    /// ```
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let code: String = text.chars().filter(|c| !c.is_whitespace() && *c != '.').collect::<String>().to_uppercase();
        if let Some(row) = TABLE.iter().find(|row| row.names.contains(&code.as_str())) {
            return Some(row.frequency.clone());
        }
        // Q and a number of hours or days: Q36H.
        let coded = code
            .strip_prefix('Q')
            .and_then(|rest| Some((rest.get(..rest.len().checked_sub(1)?)?, rest.get(rest.len() - 1..)?)));
        if let Some((number, unit)) = coded
            && let Ok(period) = number.parse()
            && let Some(unit) = match unit {
                "H" => Some("h"),
                "D" => Some("d"),
                "W" => Some("wk"),
                _ => None,
            }
        {
            return Self::of(1, period, unit);
        }
        let words = tokens(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Self::of_words(&words)
    }

    fn of_words(words: &[&str]) -> Option<Self> {
        // A time of day comes last, or replaces the number of times.
        for (said, when) in [
            (&["at", "bedtime"][..], "bedtime"),
            (&["before", "bed"], "bedtime"),
            (&["nightly"], "bedtime"),
            (&["in", "the", "morning"], "morning"),
            (&["each", "morning"], "morning"),
            (&["every", "morning"], "morning"),
            (&["in", "the", "evening"], "evening"),
            (&["each", "evening"], "evening"),
            (&["every", "evening"], "evening"),
            (&["each", "night"], "bedtime"),
            (&["every", "night"], "bedtime"),
            (&["at", "night"], "bedtime"),
        ] {
            if let Some(rest) = words.strip_suffix(said) {
                let when = WHEN.iter().find(|(name, _)| *name == when).map(|(name, _)| *name);
                // Once at bedtime is once a day. A single dose at bedtime may be the only one.
                let often = match rest {
                    [] | ["once" | "one" | "1"] => Self::of(1, 1, "d"),
                    rest => Self::of_words(rest).filter(|often| *often != Self::Once),
                };
                return often.map(|often| often.at(when));
            }
        }
        let (times, rest) = match words {
            ["once" | "one" | "1"] | ["single", "dose"] | ["one", "time"] | ["one", "dose"] | ["once", "only"] => {
                return Some(Self::Once);
            }
            [first, "times" | "time" | "x" | "doses" | "dose", rest @ ..] => (number(first)?, rest),
            ["once", rest @ ..] => (1, rest),
            ["twice", rest @ ..] => (2, rest),
            ["thrice", rest @ ..] => (3, rest),
            rest => (1, rest),
        };
        let unit = |word: &str| {
            Some(match word {
                "hour" | "hours" | "hourly" | "h" | "hr" | "hrs" => "h",
                "day" | "days" | "daily" | "d" => "d",
                "week" | "weeks" | "weekly" | "wk" | "wks" => "wk",
                "month" | "months" | "monthly" | "mo" => "mo",
                _ => return None,
            })
        };
        match rest {
            ["a" | "an" | "per" | "each" | "every" | "/", word] => Self::of(times, 1, unit(word)?),
            ["every" | "each", "other", word] => Self::of(times, 2, unit(word)?),
            ["every" | "each", period, word] => Self::of(times, number(period)?, unit(word)?),
            [word @ ("hourly" | "daily" | "weekly" | "monthly")] => Self::of(times, 1, unit(word)?),
            _ => None,
        }
    }

    /// The longest frequency at the start of a text, in its tokens.
    pub(crate) fn leading(rest: &[String]) -> Option<(usize, Self)> {
        let words: Vec<&str> = rest.iter().take(MOST_WORDS).map(String::as_str).collect();
        (1..=words.len()).rev().find_map(|length| {
            let one = match words.get(..length)? {
                // In a sentence these words mean something else.
                ["one" | "1" | "d" | "h" | "now" | "am" | "pm" | "mo" | "wk" | "od" | "bed"] => None,
                [code] => Self::parse(code),
                window => Self::of_words(window),
            };
            Some((length, one?))
        })
    }

    /// `Timing.repeat`. Source: FHIR R4, Datatypes, 2.24.0.26 (Timing).
    pub(crate) fn of_repeat(repeat: &Value) -> Option<Self> {
        let whole = |name: &str| match repeat.get(name) {
            None => Some(None),
            Some(value) => {
                let text = value.to_string();
                let text = text.strip_suffix(".0").unwrap_or(&text);
                text.parse::<u64>().ok().map(Some)
            }
        };
        if whole("count")? == Some(1) {
            return Some(Self::Once);
        }
        let length = |name: &str| repeat.get(name).and_then(Value::as_array).map(Vec::len).filter(|length| *length > 0);
        let (frequency, period) = (whole("frequency")?, whole("period")?);
        // Two bounds name no single frequency.
        let open =
            |name: &str, own: Option<u64>| whole(name).is_none_or(|most| most.is_some_and(|most| Some(most) != own));
        if open("frequencyMax", frequency) || open("periodMax", period) {
            return None;
        }
        let unit = repeat.get("periodUnit").or_else(|| repeat.get("periodUnits")).and_then(Value::as_str);
        let codes: Vec<&str> =
            repeat.get("when").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let when = match codes.as_slice() {
            [code] => WHEN.iter().find(|(_, codes)| codes.contains(code)).map(|(name, _)| *name),
            _ => None,
        };
        let times = [length("timeOfDay"), Some(codes.len()).filter(|number| *number > 0)];
        let times = times.into_iter().flatten().next().and_then(|number| u64::try_from(number).ok());
        let in_week = length("dayOfWeek").and_then(|days| u64::try_from(days).ok());
        let rate = match (period, unit, in_week) {
            (Some(period), Some(unit), None) => Self::of(frequency.or(times).unwrap_or(1), period, unit),
            (None, None, None) => Self::of(times?, 1, "d"),
            (_, _, Some(days)) if frequency.is_none_or(|number| number == 1) => {
                Self::of(times.unwrap_or(1) * days, 1, "wk")
            }
            _ => None,
        };
        rate.map(|rate| rate.at(when))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// The names of the table, for a message about one that it does not have.
pub(crate) fn names() -> Vec<&'static str> {
    let words = ["once daily", "twice daily", "three times daily", "every 8 hours", "once weekly", "every other day"];
    TABLE.iter().flat_map(|row| row.names.iter().copied()).chain(words).collect()
}
