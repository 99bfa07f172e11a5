//! `name`: rules for the names of files, and for their numbers without a gap.

use std::collections::HashSet;
use std::ops::Range;

use candor_check::Failure;
use candor_check::field::FieldResult;
use candor_json::{Value, json};
use jiff::civil::{Date, DateTime, Time};
use serde::{Deserialize, Deserializer};

const MOST_PARTS: usize = 64;
/// The longest name that is examined, in bytes. Source: Amazon S3, object keys; `NAME_MAX` of Linux is 255.
const LONGEST: usize = 1024;
const MOST_DIGITS: usize = 18;
/// How many gaps, repeats and names are named.
const MOST_NAMED: usize = 20;

#[derive(Clone, Debug)]
pub(crate) struct NameRule {
    pub(crate) pattern: NamePattern,
    pub(crate) consecutive: Option<String>,
}

/// A name with places that are read: `835_{date:%Y%m%d}_{seq:04}.edi`.
#[derive(Clone, Debug)]
pub(crate) struct NamePattern {
    written: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Place { name: String, kind: Kind },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    /// Digits, at least so many.
    Number {
        width: usize,
    },
    /// A day or a time, as `strftime` writes it.
    Date(Vec<DatePart>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum DatePart {
    Text(char),
    /// The character behind `%`.
    Digits(char),
}

pub(crate) type Captures = Vec<(String, Value)>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    pattern: String,
    consecutive: Option<String>,
}

impl<'de> Deserialize<'de> for NameRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { pattern, consecutive } = Members::deserialize(deserializer)?;
        rule(&pattern, consecutive).map_err(serde::de::Error::custom)
    }
}

pub(super) fn rule(pattern: &str, consecutive: Option<String>) -> Result<NameRule, String> {
    let pattern = NamePattern::parse(pattern)?;
    if let Some(number) = &consecutive {
        let is_number = |part: &Part| matches!(part, Part::Place { name, kind: Kind::Number { .. } } if name == number);
        if !pattern.parts.iter().any(is_number) {
            return Err(format!(
                "`consecutive` is `{number}`, and the pattern has no number of that name; write `{{{number}:04}}`"
            ));
        }
    }
    Ok(NameRule { pattern, consecutive })
}

impl NamePattern {
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("`pattern` is {written:?}: {what}");
        let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), written);
        while let Some(next) = rest.chars().next() {
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
            match next {
                '{' | '}' if rest.starts_with(next) => {
                    rest = rest.get(1..).unwrap_or_default();
                    text.push(next);
                }
                '{' => {
                    let Some((inside, behind)) = rest.split_once('}') else {
                        return Err(wrong("a `{` is not closed; write `{{` for the character".to_owned()));
                    };
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.push(place(inside).map_err(wrong)?);
                    rest = behind;
                }
                '}' => return Err(wrong("a `}` closes nothing; write `}}` for the character".to_owned())),
                '/' => {
                    return Err(wrong(
                        "it is held against the name of a file, which has no `/`; put folders into `path`".to_owned(),
                    ));
                }
                other => text.push(other),
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        let mut names = HashSet::new();
        let twice = parts.iter().find_map(|part| match part {
            Part::Place { name, .. } if !names.insert(name.as_str()) => Some(name),
            _ => None,
        });
        match twice {
            Some(name) => Err(wrong(format!("it names `{name}` twice"))),
            None if parts.len() > MOST_PARTS => Err(wrong(format!("it has more than {MOST_PARTS} parts"))),
            None => Ok(Self { written: written.to_owned(), parts }),
        }
    }

    pub(crate) fn places(&self) -> Vec<&str> {
        let places = self.parts.iter().filter_map(|part| match part {
            Part::Place { name, .. } => Some(name.as_str()),
            Part::Text(_) => None,
        });
        places.collect()
    }

    /// The texts at the places of the name of a file; `None` where the name does not fit. Texts are as long as they can be.
    pub(crate) fn captures(&self, path: &str) -> Option<Captures> {
        let name = path.rsplit(['/', '!']).next().unwrap_or(path);
        if name.len() > LONGEST {
            return None;
        }
        let mut matching = Matching {
            parts: &self.parts,
            name,
            found: Vec::new(),
            failed: vec![false; self.parts.len() * (name.len() + 1)],
        };
        if !matching.from(0, 0) {
            return None;
        }
        let places = self.parts.iter().filter_map(|part| match part {
            Part::Place { name, kind } => Some((name, kind)),
            Part::Text(_) => None,
        });
        let found = places.zip(matching.found);
        found.map(|((place, kind), at)| Some((place.clone(), kind.value(name.get(at)?)?))).collect()
    }

    pub(crate) fn result(&self, path: &str) -> FieldResult {
        FieldResult::constraint("$name", json!(self.written), json!(path), self.captures(path).is_some())
    }
}

fn place(inside: &str) -> Result<Part, String> {
    let (name, kind) = inside.split_once(':').unwrap_or((inside, ""));
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !is_name {
        return Err(format!("`{{{inside}}}` has no name of lower-case letters, digits and `_`"));
    }
    let digits = kind.strip_suffix('d').unwrap_or(kind);
    let kind = match kind {
        "" => Kind::Text,
        "d" => Kind::Number { width: 1 },
        _ if kind.contains('%') => Kind::Date(date_parts(kind)?),
        _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => match digits.parse() {
            Ok(width @ 1..=MOST_DIGITS) => Kind::Number { width },
            _ => {
                return Err(format!(
                    "`{{{inside}}}` asks for a number of {digits} digits; expected 1 to {MOST_DIGITS}"
                ));
            }
        },
        other => {
            return Err(format!("`{other}` in `{{{inside}}}` is neither digits (`04`), `d`, nor a date (`%Y%m%d`)"));
        }
    };
    Ok(Part::Place { name: name.to_owned(), kind })
}

fn date_parts(format: &str) -> Result<Vec<DatePart>, String> {
    let (mut parts, mut characters) = (Vec::new(), format.chars());
    while let Some(next) = characters.next() {
        parts.push(match (next, if next == '%' { characters.next() } else { None }) {
            ('%', Some('%')) => DatePart::Text('%'),
            ('%', Some(directive)) if width(directive) > 0 => DatePart::Digits(directive),
            ('%', other) => {
                let other = other.map(String::from).unwrap_or_default();
                return Err(format!("`%{other}` is not read; expected %Y, %y, %m, %d, %j, %H, %M or %S"));
            }
            (text, _) => DatePart::Text(text),
        });
    }
    let has =
        |directives: &[char]| parts.iter().any(|part| matches!(part, DatePart::Digits(d) if directives.contains(d)));
    if has(&['Y', 'y']) && (has(&['j']) || has(&['m']) && has(&['d'])) {
        Ok(parts)
    } else {
        Err(format!("`{format}` names no day; write a year (%Y), a month (%m) and a day (%d)"))
    }
}

/// How many digits a directive has; 0 where it is not read. Source: POSIX.1-2017, `strftime`.
fn width(directive: char) -> usize {
    match directive {
        'Y' => 4,
        'j' => 3,
        'y' | 'm' | 'd' | 'H' | 'M' | 'S' => 2,
        _ => 0,
    }
}

struct Matching<'a> {
    parts: &'a [Part],
    name: &'a str,
    found: Vec<Range<usize>>,
    /// Parts and places from which the rest does not fit, so that each is tried once.
    failed: Vec<bool>,
}

impl Matching<'_> {
    fn from(&mut self, index: usize, at: usize) -> bool {
        let Some(part) = self.parts.get(index) else { return at == self.name.len() };
        let place = index * (self.name.len() + 1) + at;
        if self.failed.get(place) == Some(&true) {
            return false;
        }
        let rest = self.name.get(at..).unwrap_or_default();
        let fits = match part {
            Part::Text(text) => rest.starts_with(text.as_str()) && self.from(index + 1, at + text.len()),
            Part::Place { kind, .. } => {
                let depth = self.found.len();
                kind.lengths(rest).any(|length| {
                    self.found.truncate(depth);
                    self.found.push(at..at + length);
                    self.from(index + 1, at + length)
                })
            }
        };
        if let Some(failed) = self.failed.get_mut(place) {
            *failed = !fits;
        }
        fits
    }
}

impl Kind {
    /// How long what a text begins with can be; what is tried first comes first.
    fn lengths(&self, text: &str) -> impl Iterator<Item = usize> + use<> {
        let ends = match self {
            Self::Text => 1..=text.len(),
            Self::Number { width } => {
                let digits = text.bytes().take_while(u8::is_ascii_digit).take(MOST_DIGITS).count();
                let longest = if text.starts_with('0') && *width > 1 { digits.min(*width) } else { digits };
                *width..=longest
            }
            Self::Date(parts) => {
                let length = date(parts, text).map_or(0, |(length, _)| length);
                length.max(1)..=length
            }
        };
        let boundaries: Vec<usize> = ends.rev().filter(|end| text.is_char_boundary(*end)).collect();
        boundaries.into_iter()
    }

    fn value(&self, text: &str) -> Option<Value> {
        match self {
            Self::Text => Some(json!(text)),
            Self::Number { .. } => text.parse::<u64>().ok().map(Value::from),
            Self::Date(parts) => date(parts, text).map(|(_, value)| value),
        }
    }
}

fn date(parts: &[DatePart], text: &str) -> Option<(usize, Value)> {
    let (mut at, mut has_time) = (0, false);
    let [mut year, mut month, mut day, mut of_year, mut hour, mut minute, mut second] = [None::<i16>; 7];
    for part in parts {
        match part {
            DatePart::Text(character) => {
                text.get(at..)?.strip_prefix(*character)?;
                at += character.len_utf8();
            }
            DatePart::Digits(directive) => {
                let digits = text.get(at..at + width(*directive))?;
                if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                let number: i16 = digits.parse().ok()?;
                let place = match directive {
                    'Y' | 'y' => &mut year,
                    'm' => &mut month,
                    'd' => &mut day,
                    'j' => &mut of_year,
                    'H' => &mut hour,
                    'M' => &mut minute,
                    _ => &mut second,
                };
                has_time |= matches!(directive, 'H' | 'M' | 'S');
                // Source: POSIX.1-2017, `strptime`: 69 to 99 are of the twentieth century.
                *place = Some(match (directive, number) {
                    ('y', 69..) => 1900 + number,
                    ('y', _) => 2000 + number,
                    _ => number,
                });
                at += digits.len();
            }
        }
    }
    let small = |number: Option<i16>| i8::try_from(number.unwrap_or_default()).ok();
    let day = match of_year {
        Some(day) => Date::new(year?, 1, 1).ok()?.with().day_of_year(day).build().ok()?,
        None => Date::new(year?, small(month)?, small(day)?).ok()?,
    };
    let time = Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()?;
    let value = if has_time { DateTime::from_parts(day, time).to_string() } else { day.to_string() };
    Some((at, json!(value)))
}

impl NameRule {
    /// Says if the numbers of all names follow one another, each once. `None` where that is not asserted.
    pub(crate) fn in_sequence(&self, paths: &[String]) -> Option<(Failure, FieldResult)> {
        let number = self.consecutive.as_deref().filter(|_| !paths.is_empty())?;
        let place = format!("$name.{number}");
        let (mut numbers, mut unfit) = (Vec::new(), Vec::new());
        for path in paths {
            let captured = self.pattern.captures(path).into_iter().flatten().find(|(name, _)| name == number);
            match captured.and_then(|(_, value)| value.as_u64()) {
                Some(found) => numbers.push(found),
                None => unfit.push(path),
            }
        }
        if !unfit.is_empty() {
            unfit.truncate(MOST_NAMED);
            let result = FieldResult::constraint("$name", json!(self.pattern.written), json!(unfit), false);
            return Some((Failure::FieldMismatch, result));
        }
        numbers.sort_unstable();
        let (mut missing, mut repeated) = (Vec::new(), Vec::new());
        for pair in numbers.windows(2) {
            let [before, after] = pair else { continue };
            match after - before {
                0 => repeated.push(*after),
                1 => {}
                2 => missing.push((before + 1).to_string()),
                _ => missing.push(format!("{} to {}", before + 1, after - 1)),
            }
        }
        repeated.dedup();
        let holds = missing.is_empty() && repeated.is_empty();
        missing.truncate(MOST_NAMED);
        repeated.truncate(MOST_NAMED);
        let (first, last) = (numbers.first()?, numbers.last()?);
        let actual = match holds {
            true => json!(format!("{first} to {last}")),
            false => json!({"missing": missing, "repeated": repeated}),
        };
        let expected = json!(format!("{first} to {last}, each once"));
        Some((Failure::CountMismatch, FieldResult::constraint(&place, expected, actual, holds)))
    }
}
