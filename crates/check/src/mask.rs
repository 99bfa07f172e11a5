//! Masks: keyed hashes in the place of what evidence quotes from the ground truth.
//!
//! The author's own words stay: paths, expected values, phrases. Everything else is taken for ground truth. Sentences are
//! made anew from what is masked, because a check writes values into them in its own way.

use std::collections::BTreeSet;

use candor_json::{Map, Value, json};

use crate::evidence::{Candidates, Entry, Evidence, Nearest, PhraseResult, SourceRef, VerificationRecord};
use crate::field::{FieldResult, Location};
use crate::outcome::{Failure, Reason};

/// The keyed hash of a text, as it is shown: `masked:` and 16 hex digits.
pub trait Mask {
    /// The hash. Equal texts have equal hashes.
    fn hash(&self, text: &str) -> String;
}

/// Members of evidence that hold how often something was examined, and nothing of what was there.
const COUNTS: [&str; 2] = ["polls", "polls_cut"];
/// Results that are numbers of things, counted by the check.
const COUNTED: &str = "$count";
/// The longest extension of a name that is kept.
const LONGEST_EXTENSION: usize = 8;

impl Evidence {
    /// The same evidence with keyed hashes in the place of actual values and of the names of what was read. `assertion` is
    /// what the author wrote.
    #[must_use]
    pub fn masked(self, mask: &dyn Mask, assertion: &Value) -> Self {
        let masking = Masking { mask, authored: Authored::of(assertion) };
        let results: Vec<Entry> = self.results.iter().map(|entry| masking.entry(entry)).collect();
        let details = masking.details(&self, &results);
        let candidates = Candidates {
            nearest: self.candidates.nearest.as_ref().map(|nearest| masking.nearest(nearest)),
            ..self.candidates
        };
        let sources = self.sources.iter().map(|source| masking.source(source)).collect();
        let extra = self.extra.iter().map(|(name, value)| (name.clone(), masking.member(name, value))).collect();
        let record = self.record.as_ref().map(|record| VerificationRecord {
            evidence_type: record.evidence_type,
            evidence_data: masking.members(&record.evidence_data),
            timestamp: record.timestamp.clone(),
        });
        self.replaced(details, results, candidates, sources, extra, record)
    }
}

struct Masking<'a> {
    mask: &'a dyn Mask,
    authored: Authored,
}

impl Masking<'_> {
    /// A value of the ground truth: null stays null, an array is masked item by item, everything else by its text.
    fn value(&self, value: &Value) -> Value {
        match value {
            Value::Null => Value::Null,
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::String(text) => json!(self.mask.hash(text)),
            other => json!(self.mask.hash(&other.to_string())),
        }
    }

    fn members(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.value(value))).collect::<Map<_, _>>().into()
            }
            other => self.value(other),
        }
    }

    fn member(&self, name: &str, value: &Value) -> Value {
        match value {
            value if COUNTS.contains(&name) => value.clone(),
            Value::Array(names) if name == "matchedPaths" => names
                .iter()
                .map(|name| name.as_str().map_or_else(|| self.value(name), |name| json!(self.name(name))))
                .collect(),
            other => self.value(other),
        }
    }

    /// A name of something that was read: its hash, and its extension.
    fn name(&self, name: &str) -> String {
        let hash = self.mask.hash(name);
        let file = name.split(['#', '?', '!']).next().unwrap_or_default();
        let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
        let extension = file.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| {
            let plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
            plain && (1..=LONGEST_EXTENSION).contains(&extension.len())
        });
        // A server's address, and a row of a table, have no extension.
        match extension.filter(|_| !name.contains("://") && !name.contains(char::is_whitespace)) {
            Some(extension) => format!("{hash}.{extension}"),
            None => hash,
        }
    }

    fn location(&self, place: &Location) -> Location {
        Location { locator: self.name(&place.locator), span: place.span }
    }

    fn source(&self, source: &SourceRef) -> SourceRef {
        SourceRef {
            locator: self.name(&source.locator).into(),
            sha256: source.sha256.as_ref().map(|sha256| self.mask.hash(sha256).into()),
            span: source.span,
            record: source.record.as_ref().map(|record| self.mask.hash(&record.to_string()).into()),
        }
    }

    fn entry(&self, entry: &Entry) -> Entry {
        match entry {
            Entry::Field(field) => Entry::Field(self.field(field)),
            Entry::Phrase(phrase) => Entry::Phrase(PhraseResult {
                phrase: self.authored_text(&phrase.phrase),
                quote: phrase.quote.as_ref().map(|quote| self.mask.hash(quote)),
                source: phrase.source.as_ref().map(|source| self.location(source)),
                ..phrase.clone()
            }),
        }
    }

    fn field(&self, field: &FieldResult) -> FieldResult {
        let counted = field.path == COUNTED && field.actual.is_number();
        FieldResult {
            path: if self.authored.has_path(&field.path) { field.path.clone() } else { self.mask.hash(&field.path) },
            expected: self.expected(field),
            actual: if counted { field.actual.clone() } else { self.value(&field.actual) },
            source: field.source.as_ref().map(|source| self.location(source)),
            ..field.clone()
        }
    }

    /// The expected value, where the author wrote it: some checks expect what another place of the ground truth says.
    fn expected(&self, field: &FieldResult) -> Value {
        match &field.expected {
            expected if field.path == COUNTED || self.authored.has(expected) => expected.clone(),
            other => self.value(other),
        }
    }

    fn authored_text(&self, text: &str) -> String {
        if self.authored.has_text(text) { text.to_owned() } else { self.mask.hash(text) }
    }

    fn nearest(&self, nearest: &Nearest) -> Nearest {
        Nearest {
            place: self.location(&nearest.place),
            label: self.name(&nearest.label),
            first_mismatch: nearest.first_mismatch.as_ref().map(|field| self.field(field)),
            matched: nearest.matched,
        }
    }

    fn details(&self, evidence: &Evidence, results: &[Entry]) -> String {
        let open: Vec<&Entry> = results.iter().filter(|entry| !entry.passed()).collect();
        let first = open.first().map(|entry| match entry {
            Entry::Field(field) => {
                format!("{} is {}, expected {}", field.path, shown(&field.actual), shown(&field.expected))
            }
            Entry::Phrase(phrase) => {
                let said = if phrase.found { "was said" } else { "was not said" };
                format!("\"{}\" {said}", phrase.phrase)
            }
        });
        let all = results.len() + evidence.cut.results;
        let of = match (open.len() + evidence.cut.open, all) {
            (1, 1) => "The result does not match".to_owned(),
            (open, all) => format!("{open} of {all} results do not match"),
        };
        match (evidence.reason(), first) {
            (Some(Reason::Failed(Failure::InvalidAssertion | Failure::UnsupportedAssertion)), _) => {
                // Nothing was read.
                evidence.details().to_owned()
            }
            (None, _) if all == 1 => "The result matches. What was read is masked.".to_owned(),
            (None, _) => format!("All {all} results match. What was read is masked."),
            (Some(_), Some(first)) => format!("{of}: {first}. What was read is masked."),
            (Some(_), None) => "What was found is masked; the result without a mask says more.".to_owned(),
        }
    }
}

fn shown(value: &Value) -> String {
    if value.is_null() { "nothing".to_owned() } else { value.to_string() }
}

struct Authored {
    texts: Vec<String>,
    values: Vec<Value>,
    words: BTreeSet<String>,
}

impl Authored {
    fn of(assertion: &Value) -> Self {
        let mut authored = Self { texts: Vec::new(), values: Vec::new(), words: BTreeSet::new() };
        authored.add(assertion, 0);
        authored
    }

    fn add(&mut self, value: &Value, depth: usize) {
        // As deep as a task file may be.
        if depth > 130 {
            return;
        }
        match value {
            Value::String(text) => self.add_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.add(item, depth + 1)),
            Value::Object(members) => {
                for (name, value) in members {
                    self.add_text(name);
                    self.add(value, depth + 1);
                }
            }
            _ => {}
        }
        self.values.push(value.clone());
    }

    fn add_text(&mut self, text: &str) {
        self.words.extend(words(text).map(str::to_owned));
        self.texts.push(text.to_owned());
    }

    /// Returns `true` if a value is one that the author wrote, in whole or in all of its parts.
    fn has(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => true,
            Value::String(text) => self.has_text(text),
            Value::Array(items) => items.iter().all(|item| self.has(item)),
            Value::Object(members) => members.iter().all(|(name, value)| self.has_text(name) && self.has(value)),
            Value::Number(_) => self.values.contains(value),
        }
    }

    fn has_text(&self, text: &str) -> bool {
        self.texts.iter().any(|written| written == text)
    }

    /// True if a path holds nothing but what the author wrote, positions, and names of the standards: `$count`, `ISA.13`,
    /// `PID.5.1`.
    fn has_path(&self, path: &str) -> bool {
        let constraint =
            path.strip_prefix('$').is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        let position = |word: &str| word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        let segment =
            |word: &str| word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let mut of_path = words(path);
        let first = of_path.next().unwrap_or_default();
        let is_segment = segment(first) && words(path).skip(1).all(position);
        constraint || is_segment || words(path).all(|word| self.words.contains(word) || position(word))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
