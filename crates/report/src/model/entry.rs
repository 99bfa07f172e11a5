//! The results within the evidence of a criterion.

use candor_check::compare::Operator;
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::records::described;
use candor_json::{Map, Value};

use super::CriterionRun;

/// The members of evidence that hold results.
const KEYS: [&str; 4] = ["fieldResults", "field_results", "assertionResults", "phraseResults"];

/// A result within evidence.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A comparison.
    Field(FieldEntry),
    /// The outcome of a phrase.
    Phrase(PhraseEntry),
}

/// Where something was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, row, message or URL.
    pub locator: String,
    /// First byte, and the byte after the last one.
    pub span: Option<(u64, u64)>,
}

/// A comparison: what was asserted, what was seen, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldEntry {
    /// The path as the author wrote it.
    pub path: String,
    /// The expected value.
    pub expected: Value,
    /// The value that was found.
    pub actual: Value,
    /// True if it passed.
    pub passed: bool,
    /// The operator, where it is not `equals`.
    pub op: Option<String>,
    /// The equivalence rules that made the difference.
    pub rules: Vec<String>,
    /// Why it did not pass, where there is more to say.
    pub reason: Option<String>,
    /// Where the value was read from.
    pub source: Option<Place>,
}

/// The outcome of one phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseEntry {
    /// The phrase as the author wrote it.
    pub phrase: String,
    /// True if a turn has the phrase with the meaning asked for.
    pub found: bool,
    /// The 0-based turn.
    pub turn: Option<u64>,
    /// True if that is as asserted.
    pub passed: bool,
    /// True if it must not be said.
    pub forbidden: bool,
    /// The words of the transcript that the result rests on.
    pub quote: Option<String>,
    /// Why it did not pass.
    pub reason: Option<String>,
    /// Where it was read from.
    pub source: Option<Place>,
}

/// The candidate that came closest.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Where it was read from.
    pub place: Place,
    /// A person's name for it.
    pub label: String,
    /// How many of its fields match, and of how many.
    pub matched: (u64, u64),
    /// The first field that kept it from matching.
    pub first_mismatch: Option<FieldEntry>,
}

impl Entry {
    /// Returns `true` if it is as asserted.
    #[must_use]
    pub fn passed(&self) -> bool {
        match self {
            Self::Field(field) => field.passed,
            Self::Phrase(phrase) => phrase.passed,
        }
    }

    /// Where it was read from.
    #[must_use]
    pub fn source(&self) -> Option<&Place> {
        match self {
            Self::Field(field) => field.source.as_ref(),
            Self::Phrase(phrase) => phrase.source.as_ref(),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        let members = value.as_object()?;
        match members.get("phrase").and_then(Value::as_str) {
            Some(phrase) => Some(Self::Phrase(PhraseEntry {
                phrase: phrase.to_owned(),
                found: flag(members, "found"),
                turn: members.get("turn").and_then(Value::as_u64),
                passed: flag(members, "passed"),
                forbidden: flag(members, "forbidden"),
                quote: text(members, "quote"),
                reason: text(members, "reason"),
                source: members.get("source").and_then(Place::read),
            })),
            None => FieldEntry::read(value).map(Self::Field),
        }
    }
}

fn flag(members: &Map<String, Value>, name: &str) -> bool {
    members.get(name).and_then(Value::as_bool).unwrap_or_default()
}

fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).map(str::to_owned)
}

impl Place {
    fn read(value: &Value) -> Option<Self> {
        let locator = value.get("locator")?.as_str()?.to_owned();
        let span = value.get("span").and_then(|span| Some((span.get(0)?.as_u64()?, span.get(1)?.as_u64()?)));
        Some(Self { locator, span })
    }
}

/// The keys of the record that a place is in.
pub(crate) fn record_at<'r>(records: &'r [(Place, String)], place: &Place) -> Option<&'r str> {
    let holds = |record: &Place| match (record.span, place.span) {
        (Some((start, end)), Some((from, to))) => start <= from && to <= end,
        _ => true,
    };
    let found = records.iter().find(|(record, _)| record.locator == place.locator && holds(record));
    found.map(|(_, keys)| keys.as_str())
}

impl FieldEntry {
    fn read(value: &Value) -> Option<Self> {
        let members = value.as_object()?;
        let value = |name: &str| members.get(name).cloned().unwrap_or_default();
        let rules = members.get("rule").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            path: text(members, "path")?,
            expected: value("expected"),
            actual: value("actual"),
            passed: flag(members, "passed"),
            op: text(members, "op"),
            rules: rules.filter_map(|rule| rule.as_str().map(str::to_owned)).collect(),
            reason: text(members, "reason"),
            source: members.get("source").and_then(Place::read),
        })
    }

    /// In words: `status is "draft", expected "submitted"`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let reason = match self.reason.as_deref() {
            Some("undecidable") => Some(FieldReason::Undecidable),
            Some("type_mismatch") => Some(FieldReason::TypeMismatch),
            Some("count_mismatch") => Some(FieldReason::CountMismatch),
            _ => None,
        };
        let operator = self.op.as_deref().and_then(Operator::named).unwrap_or(Operator::Equals);
        let result = FieldResult::constraint(&self.path, self.expected.clone(), self.actual.clone(), self.passed)
            .with_operator(operator);
        let result = match &self.source {
            Some(place) => result.at(Location { locator: place.locator.clone(), span: place.span }),
            None => result,
        };
        described(&reason.map_or(result.clone(), |reason| result.because(reason)))
    }
}

impl CriterionRun {
    /// The member of the evidence that holds the results.
    #[must_use]
    pub fn evidence_key(&self) -> Option<&'static str> {
        KEYS.into_iter().find(|key| self.evidence.contains_key(*key))
    }

    /// Field and phrase results, in the order of the evidence.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let results = self.evidence_key().and_then(|key| self.evidence.get(key)).and_then(Value::as_array);
        results.into_iter().flatten().filter_map(Entry::read).collect()
    }

    /// How many candidates were considered, and how many the selection left.
    #[must_use]
    pub fn candidates(&self) -> Option<(u64, u64)> {
        let candidates = self.evidence.get("candidates")?;
        Some((candidates.get("considered")?.as_u64()?, candidates.get("matched")?.as_u64()?))
    }

    /// The candidate that came closest.
    #[must_use]
    pub fn nearest(&self) -> Option<Nearest> {
        let nearest = self.evidence.get("candidates")?.get("nearest")?;
        let number = |name: &str| nearest.get(name).and_then(Value::as_u64).unwrap_or_default();
        Some(Nearest {
            place: Place::read(nearest)?,
            label: nearest.get("label")?.as_str()?.to_owned(),
            matched: (number("matched"), number("of")),
            first_mismatch: nearest.get("first_mismatch").and_then(FieldEntry::read),
        })
    }

    /// The places of records, each with the keys by which people know the record.
    #[must_use]
    pub fn records(&self) -> Vec<(Place, String)> {
        let sources = self.evidence.get("sources").and_then(Value::as_array).into_iter().flatten();
        sources.filter_map(|source| Some((Place::read(source)?, source.get("record")?.as_str()?.to_owned()))).collect()
    }

    /// Where what is quoted was read from, each with the SHA-256 of the file or object.
    #[must_use]
    pub fn sources(&self) -> Vec<(Place, Option<String>)> {
        let sources = self.evidence.get("sources").and_then(Value::as_array).into_iter().flatten();
        let hash = |source: &Value| source.get("sha256").and_then(Value::as_str).map(str::to_owned);
        sources.filter_map(|source| Some((Place::read(source)?, hash(source)))).collect()
    }
}
