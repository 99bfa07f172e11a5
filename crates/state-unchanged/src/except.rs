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
fn matches(pattern: &[char], text: &[char], bounds: &[char]) -> bool {
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

#[cfg(test)]
mod tests {
    use candor_json::json;
    use proptest::prelude::*;

    use super::*;

    fn exception(text: &str) -> Exception {
        candor_json::from_value(json!(text)).unwrap()
    }

    #[test]
    fn a_pattern_covers_records_and_what_is_below_its_path() {
        for (pattern, record, path, covered) in [
            ("fhir:Appointment/*", "Appointment/a.1", Some("status"), true),
            ("fhir:Appointment/*", "Appointment/a.1", None, true),
            ("fhir:Appointment/*", "Task/1", None, false),
            ("portal:orders/*.status", "orders/77", Some("status"), true),
            ("portal:orders/*.status", "orders/77", Some("status.code"), true),
            ("portal:orders/*.status", "orders/77", Some("statuses"), false),
            ("portal:orders/*.status", "orders/77", None, false),
            ("portal:orders/*.*", "orders/77", Some("a.b"), true),
            ("portal:orders/*.*.b", "orders/77", Some("a.b"), true),
            ("portal:orders/*.*.b", "orders/77", Some("a.c.b"), false),
            ("portal:orders/*.**.b", "orders/77", Some("a.c.b"), true),
            ("portal:orders/7?", "orders/77", None, true),
            ("portal:orders/7?", "orders/7", None, false),
            ("files:outbound/*.csv", "outbound/a.csv", None, true),
            ("files:outbound/*.csv", "outbound/b/a.csv", None, false),
            ("files:outbound/**.csv", "outbound/b/a.csv", None, true),
            ("files:outbound/*", "outbound/b/a.csv", None, false),
            ("files:outbound", "outbound/a.csv", None, false),
            ("portal:orders", "orders/77", None, true),
            ("portal:orders", "orders/77", Some("status"), true),
            ("portal:ord*", "orders/a/b", None, true),
            ("portal:orders", "orders_2/77", None, false),
            ("portal:orders", "a/orders", None, false),
            ("fhir:Appointment", "Appointment/a.1", None, true),
            ("hl7:LAB", "LAB/H/42", None, true),
            ("files:outbound/a.csv.$rows.1", "outbound/a.csv", Some("$rows.1.amount"), true),
            ("files:outbound/a.csv.$rows.1", "outbound/a.csv", Some("$rows.12.amount"), false),
            ("hl7:LAB/*/*", "LAB/H/42", None, true),
            ("hl7:LAB/*/*.PID.3", "LAB/H/42", Some("PID.3[2].1"), true),
            ("fhir:Appointment/*", "Appointment/", None, true),
        ] {
            let (part, _) = pattern.split_once(':').unwrap();
            let exception = exception(pattern);
            let is = path.map_or_else(
                || exception.covers(part, record),
                |path| exception.covers(part, record) || exception.covers_field(part, record, path),
            );
            assert_eq!(is, covered, "{pattern} {record} {path:?}");
            assert!(!exception.covers("other", record));
        }
    }

    #[test]
    fn what_excepts_everything_or_nothing_is_refused() {
        let error = |value: candor_json::Value| candor_json::from_value::<Exception>(value).unwrap_err().to_string();
        for text in
            ["fhir:**", "fhir:*/*", "hl7:*/*/*", "files:*", "portal:**.*", "fhir:", "Appointment/*", ":x", "fhir"]
        {
            assert!(error(json!(text)).contains(text), "{text}");
        }
        assert!(Pattern::parse("fhir:*/*").unwrap_err().contains("excepts everything"));
        assert!(Pattern::parse("Appointment/*").unwrap_err().contains("names no part"));
        assert!(error(json!({"added": "fhir:Appointment", "maximum": 1})).contains("`maximum`"));
        assert!(error(json!(3)).contains("an exception is 3; expected part:record"));
    }

    #[test]
    fn names_that_no_sandbox_has_are_refused() {
        let parts = [candor_fhir_resource_state::PART, candor_portal_state_match::PART];
        let said = |exception: candor_json::Value| {
            candor_json::from_value::<Exception>(exception).unwrap().check_names(&parts).err().unwrap_or_default()
        };
        for (exception, expected) in [
            (
                json!("fhir:Slots/s1.status"),
                "`fhir:Slots/s1.status` names `Slots`, which `fhir` does not have; did you mean `Slot`?",
            ),
            (json!("fhir:slot/*"), "did you mean `Slot`?"),
            (json!("fhir:Slots"), "did you mean `Slot`?"),
            (json!("fhir:Slots*/*"), "names `Slots*`"),
            (json!({"added": "fhir:Appointments", "max": 1}), "`added: fhir:Appointments` names `Appointments`"),
            (json!({"added": "fhir:Appointments/*"}), "did you mean `Appointment`?"),
            (json!({"added": "fihr"}), "names the part `fihr`, which does not exist; did you mean `fhir`?"),
            (json!("portals:orders/*"), "did you mean `portal`?"),
            (json!("elsewhere:orders/*"), "known are fhir, portal"),
        ] {
            assert!(said(exception.clone()).contains(expected), "{exception}: {}", said(exception.clone()));
        }
        for exception in [
            json!("fhir:Slot/s1.status"),
            json!("fhir:S*/s1.status"),
            json!("fhir:**/s1"),
            json!("fhir:*/*.meta"),
            json!("fhir:broken.json"),
            json!("fhir:exports/broken.ndjson"),
            json!({"added": "fhir"}),
            json!({"added": "fhir:Appointment"}),
            json!("portal:any_table/*"),
        ] {
            assert_eq!(said(exception.clone()), "", "{exception}");
        }
    }

    #[test]
    fn new_records_are_counted_by_kind() {
        let added: Exception = candor_json::from_value(json!({"added": "fhir:Appointment", "max": 1})).unwrap();
        let new = |collection, record| NewRecord { part: "fhir", collection, record };
        assert_eq!(added.allows_new(&new("Appointment", "Appointment/9")), Some(Some(1)));
        assert_eq!(added.allows_new(&new("Task", "Task/9")), None);
        let any: Exception = candor_json::from_value(json!({"added": "fhir"})).unwrap();
        assert_eq!(any.allows_new(&new("Task", "Task/9")), Some(None));
        assert!(!added.covers("fhir", "Appointment/9"));
    }

    proptest! {
        /// The same as a regular expression of the same meaning.
        #[test]
        fn wildcards_mean_what_they_say(pattern in "[ab/.*?]{0,7}", text in "[ab/.]{0,7}") {
            let mut regex = String::from("^");
            let mut rest = pattern.as_str();
            while let Some(c) = rest.chars().next() {
                if let Some(after) = rest.strip_prefix("**") {
                    regex.push_str("(?s:.*)");
                    rest = after;
                    continue;
                }
                match c {
                    '*' => regex.push_str("[^/]*"),
                    '?' => regex.push_str("[^/]"),
                    c => regex.push_str(&format!("\\x{:02x}", u32::from(c))),
                }
                rest = &rest[c.len_utf8()..];
            }
            regex.push('$');
            let chars = |text: &str| text.chars().collect::<Vec<char>>();
            let expected = regex::Regex::new(&regex).unwrap().is_match(&text);
            prop_assert_eq!(matches(&chars(&pattern), &chars(&text), &['/']), expected);
        }
    }
}
