//! Exceptions: `part:record`, `part:record.path`, and how many new records there may be.

use candor_check::PartType;
use candor_check::difference::Difference;
use candor_check::records::Unreadable;
use candor_check::settings::nearest;
use candor_json::Value;
use serde::Deserialize;
use serde::de::Error as _;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exception {
    Covered(Pattern),
    Added(Added),
}

/// New records, so many at most.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Added {
    added: Target,
    max: Option<u64>,
}

/// `part:record` or `part:record.path`, with wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    part: String,
    text: Vec<char>,
}

/// `part`, `part:collection`, or `part:record` with wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target(Pattern);

impl<'de> Deserialize<'de> for Exception {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Pattern::parse(&text).map(Self::Covered).map_err(D::Error::custom),
            value @ Value::Object(_) => Added::deserialize(value).map(Self::Added).map_err(D::Error::custom),
            other => {
                let expected =
                    "expected part:record, as in \"portal:orders/*\", or {added: \"fhir:Appointment\", max: 1}";
                Err(D::Error::custom(format!("an exception is {other}; {expected}")))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (part, rest) = text.split_once(':').unwrap_or((&text, ""));
        if !is_name(part) {
            return Err(D::Error::custom(format!("`added: {text:?}` names no part, as in \"fhir:Appointment\"")));
        }
        Ok(Self(Pattern { part: part.to_owned(), text: rest.chars().collect() }))
    }
}

fn is_name(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

impl Pattern {
    /// Reads an exception.
    ///
    /// # Errors
    /// The fault: it names no part, or excepts everything.
    fn parse(text: &str) -> Result<Self, String> {
        let example = "as in \"fhir:Appointment/*\" or \"portal:members/*.last_login\"";
        let Some((part, record)) = text.split_once(':').filter(|(part, _)| is_name(part)) else {
            return Err(format!("the exception {text:?} names no part; write part:record, {example}"));
        };
        if record.is_empty() {
            return Err(format!("the exception {text:?} names no record; write part:record, {example}"));
        }
        // `*.last_login` names a field; `*/*` and `**` leave nothing that would be held.
        if !record.chars().any(|c| !matches!(c, '*' | '?' | '/' | '.')) {
            return Err(format!("the exception {text:?} excepts everything: leave the part out of `parts` instead"));
        }
        Ok(Self { part: part.to_owned(), text: record.chars().collect() })
    }

    /// The collection that it names; nothing where it names a file that cannot be read, or any collection.
    fn collection(&self) -> Option<Vec<char>> {
        const OF_FILES: [&str; 13] =
            ["json", "ndjson", "jsonl", "xml", "ttl", "txt", "csv", "gz", "zip", "bz2", "xz", "zst", "tmp"];
        let text: String = self.text.iter().collect();
        let extension = text.rsplit(['/', '.']).next().unwrap_or_default();
        if text.len() > extension.len() && OF_FILES.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            return None;
        }
        let end = self.text.iter().position(|c| matches!(c, '/' | '.')).unwrap_or(self.text.len());
        let named = self.text.get(..end).filter(|named| !named.is_empty())?;
        (!named.windows(2).any(|two| two == ['*', '*'])).then(|| named.to_vec())
    }

    fn is_of(&self, part: &str) -> bool {
        self.part == part
    }

    /// If it names a collection of records, as in `portal:orders`. Of files the record is the whole path.
    fn is_collection(&self) -> bool {
        !matches!(self.part.as_str(), "files" | "workspace") && !self.text.iter().any(|c| matches!(c, '/' | '.'))
    }

    fn covers(&self, record: &[char]) -> bool {
        let end = || record.iter().position(|c| *c == '/').filter(|_| self.is_collection());
        matches(&self.text, record, &['/'])
            || end().is_some_and(|end| matches(&self.text, record.get(..end).unwrap_or_default(), &['/']))
    }

    fn covers_field(&self, record: &[char], path: &[char]) -> bool {
        let ends = || {
            path.iter().enumerate().filter(|(_, c)| matches!(c, '.' | '/' | '[')).map(|(at, _)| at).chain([path.len()])
        };
        let splits = self.text.iter().enumerate().filter(|(_, c)| **c == '.').map(|(at, _)| at);
        splits.into_iter().any(|at| {
            let (of_record, of_path) =
                (self.text.get(..at).unwrap_or_default(), self.text.get(at + 1..).unwrap_or_default());
            matches(of_record, record, &['/'])
                && ends().any(|end| matches(of_path, path.get(..end).unwrap_or_default(), &['/', '.']))
        })
    }
}

/// True if a text matches a pattern: `**` is anything, `*` anything but the characters of `bounds`, `?` one character
/// that is not among them.
pub(crate) fn matches(pattern: &[char], text: &[char], bounds: &[char]) -> bool {
    // The places of the pattern that the text so far may reach; the loop visits each once for each character.
    let mut places = vec![false; pattern.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    skip_stars(pattern, &mut places);
    for c in text {
        let mut next = vec![false; pattern.len() + 1];
        for (at, _) in places.iter().enumerate().filter(|(_, reached)| **reached) {
            let crosses = !bounds.contains(c);
            let (stays, goes) = match (pattern.get(at), pattern.get(at + 1)) {
                (Some('*'), Some('*')) => (true, false),
                // The second star of two: the first one matches for both.
                (Some('*'), _) if at > 0 && pattern.get(at - 1) == Some(&'*') => (false, false),
                (Some('*'), _) => (crosses, false),
                (Some('?'), _) => (false, crosses),
                (Some(own), _) => (false, own == c),
                (None, _) => (false, false),
            };
            for (reached, place) in [(stays, at), (goes, at + 1)] {
                if let Some(place) = next.get_mut(place).filter(|_| reached) {
                    *place = true;
                }
            }
        }
        skip_stars(pattern, &mut next);
        places = next;
    }
    places.last().copied().unwrap_or_default()
}

/// A star may match nothing.
fn skip_stars(pattern: &[char], places: &mut [bool]) {
    for (at, sign) in pattern.iter().enumerate() {
        if *sign == '*' && places.get(at).copied().unwrap_or_default() {
            places.get_mut(at + 1).into_iter().for_each(|next| *next = true);
        }
    }
}

fn meant(name: &str, known: &[&str]) -> Option<String> {
    nearest(name, known).map(|near| format!("; did you mean `{near}`?"))
}

/// The part of this name, or the end of a sentence that names those there are.
pub(crate) fn part_named<'p>(name: &str, parts: &'p [PartType]) -> Result<&'p PartType, String> {
    parts.iter().find(|part| part.name() == name).ok_or_else(|| {
        let known: Vec<&str> = parts.iter().map(PartType::name).collect();
        meant(name, &known).unwrap_or_else(|| format!("; known are {}", known.join(", ")))
    })
}

pub(crate) struct NewRecord<'r> {
    pub(crate) part: &'r str,
    pub(crate) collection: &'r str,
    pub(crate) record: &'r str,
}

impl Exception {
    pub(crate) fn part(&self) -> &str {
        &self.pattern().part
    }

    pub(crate) fn written(&self) -> String {
        let pattern = |pattern: &Pattern| match pattern.text.is_empty() {
            true => pattern.part.clone(),
            false => format!("{}:{}", pattern.part, pattern.text.iter().collect::<String>()),
        };
        match self {
            Self::Covered(covered) => format!("`{}`", pattern(covered)),
            Self::Added(Added { added: Target(target), .. }) => format!("`added: {}`", pattern(target)),
        }
    }

    fn pattern(&self) -> &Pattern {
        match self {
            Self::Covered(pattern) => pattern,
            Self::Added(added) => &added.added.0,
        }
    }

    /// Refuses a part that does not exist, and a collection that its format does not have.
    pub(crate) fn check_names(&self, parts: &[PartType]) -> Result<(), String> {
        let (pattern, written) = (self.pattern(), self.written());
        let part = part_named(&pattern.part, parts).map_err(|rest| {
            format!("the exception {written} names the part `{}`, which does not exist{rest}", pattern.part)
        })?;
        let names = part.collection_names();
        let Some(collection) = pattern.collection().filter(|_| !names.is_empty()) else { return Ok(()) };
        if names.iter().any(|name| matches(&collection, &name.chars().collect::<Vec<char>>(), &['/'])) {
            return Ok(());
        }
        let collection: String = collection.iter().collect();
        let rest = meant(&collection, &names).unwrap_or_default();
        Err(format!("the exception {written} names `{collection}`, which `{}` does not have{rest}", pattern.part))
    }

    /// The part, and the collection in it, of which any number of new records may come, if it allows that.
    pub(crate) fn opens(&self) -> Option<(String, Option<String>)> {
        if matches!(self, Self::Added(Added { max: Some(_), .. })) {
            return None;
        }
        let pattern = self.pattern();
        let text: String = pattern.text.iter().collect();
        let all = text.strip_suffix("/**").or_else(|| text.strip_suffix("/*"));
        let all = all.or_else(|| pattern.is_collection().then_some(text.as_str()).filter(|text| !text.is_empty()));
        let collection = match self {
            Self::Covered(_) => Some(all?.to_owned()),
            Self::Added(_) => Some(all.unwrap_or(&text).to_owned()).filter(|text| !text.is_empty()),
        };
        Some((pattern.part.clone(), collection))
    }

    pub(crate) fn covers(&self, part: &str, record: &str) -> bool {
        let Self::Covered(pattern) = self else { return false };
        pattern.is_of(part) && pattern.covers(&record.chars().collect::<Vec<char>>())
    }

    /// As [`Self::covers`], by the name that the record shares with others, by its own, or as a table of any rows.
    pub(crate) fn covers_whole(&self, difference: &Difference) -> bool {
        let covers = |record: &str| self.covers(&difference.part, record);
        let is_table = difference.record == difference.collection;
        covers(difference.name())
            || covers(&difference.record)
            || (is_table && covers(&format!("{}/", difference.record)))
    }

    /// As [`Self::covers`], of a file that cannot be read.
    pub(crate) fn covers_place(&self, part: &str, unreadable: &Unreadable) -> bool {
        let place = unreadable.place.locator.strip_prefix(part).and_then(|rest| rest.strip_prefix('/'));
        place.is_some_and(|record| self.covers(part, record))
    }

    pub(crate) fn covers_field(&self, part: &str, record: &str, path: &str) -> bool {
        let Self::Covered(pattern) = self else { return false };
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        pattern.is_of(part) && pattern.covers_field(&chars(record), &chars(path))
    }

    /// How many new records of a kind there may be, where this is about them; no number is any number.
    pub(crate) fn allows_new(&self, new: &NewRecord<'_>) -> Option<Option<u64>> {
        let Self::Added(Added { added: Target(target), max }) = self else { return None };
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        // A table without rows is its own record, and a pattern of its rows means it.
        let is_table = || new.record == new.collection && target.covers(&chars(&format!("{}/", new.record)));
        let is_meant = target.is_of(new.part)
            && (target.text.is_empty()
                || target.text == chars(new.collection)
                || target.covers(&chars(new.record))
                || is_table());
        is_meant.then_some(*max)
    }
}
