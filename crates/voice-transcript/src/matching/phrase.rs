//! A phrase as an assertion names it, ready to be looked for.

use std::fmt;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::fuzzy::Sounded;
use super::negation::doubt;
use crate::compare::HALF;
use crate::normalize::{As, Kind, Normalized, Read, Readings, Vocabulary};

/// How Candor compares a phrase with the words of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Word by word, normalized.
    #[default]
    Normalized,
    /// Character by character within a turn.
    Exact,
    /// A regular expression within a turn.
    Regex,
    /// Word by word, normalized, where words that sound the same are the same.
    Fuzzy,
}

/// A phrase ready to be looked for.
#[derive(Debug)]
pub struct Phrase {
    pub(super) needle: Needle,
}

/// The words of a phrase in both readings; the second only where it differs.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) said: Sounded,
    pub(super) meant: Option<Sounded>,
    /// It holds a sign of a currency, which only the second reading reads: without it a number may be of anything.
    pub(super) signed: bool,
    /// Other forms of the time of day in it, and whether they name the half of the day.
    pub(super) times: Vec<(Sounded, bool)>,
    /// The half of the day of that time.
    half: Option<&'static str>,
}

impl Words {
    fn of(text: &str, vocabulary: &Vocabulary) -> Self {
        let Readings { said, meant, .. } = Normalized::readings(vocabulary, &[text], &[]);
        // a phrase of nothing but sounds means nothing else
        let meant = meant.filter(|meant| !meant.is_empty()).map(Sounded::from);
        // a sign that is not before a number reads as nothing
        let signed = meant.is_some() && text.contains(['$', '\u{20ac}', '\u{a3}', '\u{a2}', '\u{a5}', '\u{20b9}']);
        let (times, half) =
            times(text, meant.as_deref().unwrap_or(&said)).map(|(times, half)| (times, Some(half))).unwrap_or_default();
        // "150 pounds" may be a weight or money
        let weight = meant.as_ref().filter(|_| text.contains("pound"));
        let money = weight.map(|weight| (weight.render().replace(" lb", " sterling"), true));
        let form = |(form, sure): (String, bool)| (Sounded::from(Normalized::meant(vocabulary, &[&form])), sure);
        Self { said: said.into(), meant, signed, times: times.into_iter().chain(money).map(form).collect(), half }
    }

    pub(super) fn doubt(&self) -> &'static str {
        match self.half {
            Some(_) => HALF,
            None if self.signed => doubt::SIGN,
            None => doubt::PART,
        }
    }

    /// Checks if the half of the day behind a word is not the phrase's.
    pub(super) fn is_other_half(&self, text: &Normalized, last: usize) -> bool {
        let Some(half) = self.half else { return false };
        let word = |at: usize| text.word(last + at).map(|word| word.text).unwrap_or_default();
        match (word(1), word(2), word(3)) {
            ("am" | "midnight", ..) | ("in", "the", "morning") => half == PM,
            ("pm" | "noon", ..) | ("in", "the", "afternoon" | "evening") => half == AM,
            _ => false,
        }
    }

    /// The second reading.
    pub(super) fn meant(&self) -> &Sounded {
        self.meant.as_ref().unwrap_or(&self.said)
    }
}

const AM: &str = "am";
const PM: &str = "pm";

/// The forms of a phrase with other forms of the time of day that is written in it (`14:45`, `2:45 p.m.`), and whether they
/// name its half of the day; that half.
fn times(text: &str, words: &Normalized) -> Option<(Vec<(String, bool)>, &'static str)> {
    // "3:00", "3 p.m."
    let written = |first: usize, last: usize| {
        let written = text.get(words.word(first)?.span.start..words.word(last)?.span.end)?;
        Some(written.contains(':') || words.word(last)?.kind == Kind::Word)
    };
    let time = words.values(As::Time, 0).find(|time| written(time.first, time.last) == Some(true))?;
    let [Read::Time { minutes, sure }] = *time.reads.as_slice() else { return None };
    let (first, last) = (words.word(time.first)?.span, words.word(time.last)?);
    let (hour, minutes, named) = (minutes / 60, format!("{:02}", minutes % 60), last.kind == Kind::Word);
    if !sure && hour != 12 {
        return None;
    }
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let (half, names): (_, &[&str]) = match hour {
        0..12 => (AM, &[AM, "in the morning"]),
        _ => (PM, &[PM, "in the afternoon", "in the evening"]),
    };
    let put = |form: String| Some(format!("{} {form} {}", text.get(..first.start)?, text.get(last.span.end..)?));
    let mut forms: Vec<(String, bool)> = Vec::new();
    for name in names {
        forms.push((put(format!("{twelve}:{minutes} {name}"))?, true));
        if minutes == "00" {
            forms.push((put(format!("{twelve} {name}"))?, true));
            forms.push((put(format!("{twelve} oclock {name}"))?, true));
        }
    }
    forms.push((put(format!("{hour:02}:{minutes}"))?, !named || hour > 12));
    match (hour, minutes.as_str()) {
        (12, "00") => forms.extend([(put("noon".to_owned())?, true), (put("12 noon".to_owned())?, true)]),
        (0, "00") => forms.push((put("midnight".to_owned())?, true)),
        _ if !named && hour != 12 => forms.push((put(format!("{twelve}:{minutes}"))?, false)),
        _ => {}
    }
    Some((forms, half))
}

#[derive(Debug)]
pub(super) enum Needle {
    /// Words; for a fuzzy phrase the similarity that is enough, in hundredths.
    Words(Box<Words>, Option<u32>),
    Exact(String),
    Regex(Regex),
}

/// Why a phrase cannot be looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhraseError {
    /// It holds no word, so it would be found everywhere or nowhere.
    Empty,
    /// It matches the empty text, so it would be found everywhere.
    MatchesNothing,
    /// It is not a regular expression, or too large a one.
    Regex(String),
    /// It has more words than a fuzzy phrase may have.
    TooLong,
}

impl fmt::Display for PhraseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the phrase holds no word to look for"),
            Self::MatchesNothing => {
                f.write_str("the regular expression matches the empty text, so it would be found everywhere")
            }
            Self::TooLong => write!(f, "a fuzzy phrase may have {LONGEST_FUZZY} words"),
            Self::Regex(problem) => write!(f, "not a regular expression: {problem}"),
        }
    }
}

impl std::error::Error for PhraseError {}

/// The similarity that is enough unless the author says otherwise, in hundredths.
const THRESHOLD: u32 = 85;

/// The most words of a fuzzy phrase: it takes time in proportion to them.
const LONGEST_FUZZY: usize = 60;

/// The largest compiled regular expression, in bytes.
const REGEX_SIZE: usize = 4 << 20;

/// The text or expression that a phrase looks for.
pub(crate) enum Reach<'a> {
    Words(String),
    Expression(&'a str),
}

impl Phrase {
    pub(crate) fn is_fuzzy(&self) -> bool {
        matches!(self.needle, Needle::Words(_, Some(_)))
    }

    /// The words of a phrase that is compared word by word.
    pub(super) fn words(&self) -> Option<&Words> {
        match &self.needle {
            Needle::Words(words, _) => Some(words),
            _ => None,
        }
    }

    pub(crate) fn reach(&self) -> Reach<'_> {
        match &self.needle {
            Needle::Words(words, _) => Reach::Words(words.said.render()),
            Needle::Exact(text) => Reach::Words(text.clone()),
            Needle::Regex(regex) => Reach::Expression(regex.as_str()),
        }
    }

    /// Prepares a phrase.
    ///
    /// # Errors
    /// When it could not tell anything: no words, an expression that is invalid or matches nothing at all.
    pub fn new(text: &str, mode: Mode) -> Result<Self, PhraseError> {
        Self::of(text, mode, &Vocabulary::default())
    }

    pub(crate) fn of(text: &str, mode: Mode, vocabulary: &Vocabulary) -> Result<Self, PhraseError> {
        let needle = match mode {
            Mode::Exact | Mode::Regex if text.trim().is_empty() => return Err(PhraseError::Empty),
            Mode::Normalized | Mode::Fuzzy => {
                let words = Words::of(text, vocabulary);
                if words.said.is_empty() {
                    return Err(PhraseError::Empty);
                }
                let threshold = (mode == Mode::Fuzzy).then_some(THRESHOLD);
                if threshold.is_some() && words.said.len() > LONGEST_FUZZY {
                    return Err(PhraseError::TooLong);
                }
                Needle::Words(Box::new(words), threshold)
            }
            Mode::Exact => Needle::Exact(text.to_owned()),
            Mode::Regex => {
                let regex = RegexBuilder::new(text)
                    .size_limit(REGEX_SIZE)
                    .build()
                    .map_err(|error| PhraseError::Regex(last_line(&error.to_string())))?;
                if regex.is_match("") {
                    return Err(PhraseError::MatchesNothing);
                }
                Needle::Regex(regex)
            }
        };
        Ok(Self { needle })
    }

    /// The same with another similarity that is enough, in hundredths. Only fuzzy phrases have one.
    pub fn with_threshold(mut self, threshold: u32) -> Self {
        if let Needle::Words(_, Some(own)) = &mut self.needle {
            *own = threshold.min(100);
        }
        self
    }
}

/// The problem itself: the lines before it draw the expression.
fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
