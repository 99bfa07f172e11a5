//! Evidence: everything a check saw that decided its outcome. A pass cannot be built without something that was seen.

mod cut;
mod shared;

use candor_json::{Map, Value, json};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::field::{FieldResult, Location, shown};
use crate::outcome::{Failure, Obstacle, Reason, Share, Status};
use crate::records::Label;

use cut::Cut;
pub use shared::SharedText;

/// A thing that decided: a field result, or what came of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A comparison.
    Field(FieldResult),
    /// A phrase on a call.
    Phrase(PhraseResult),
}

/// The outcome of one phrase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhraseResult {
    /// The phrase as the author wrote it.
    pub phrase: String,
    /// True if a turn has the phrase with the meaning asked for: not only under a negation, for one.
    pub found: bool,
    /// The 0-based turn of the first match within its call.
    pub turn: Option<usize>,
    /// True if that is as asserted.
    pub passed: bool,
    /// True if it must not be said.
    pub forbidden: bool,
    /// The words of the transcript that the result rests on, verbatim.
    pub quote: Option<String>,
    /// Why it did not pass, where there is more to say (`negated`, `undecidable`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Location>,
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

    /// Its weight in the share.
    #[must_use]
    pub fn weight(&self) -> Share {
        match self {
            Self::Field(field) => field.weight.clone(),
            Self::Phrase(_) => Share::one(),
        }
    }

    /// The entry as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        candor_json::to_value(self).unwrap_or(Value::Null)
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Field(field) => field.serialize(serializer),
            Self::Phrase(phrase) => phrase.serialize(serializer),
        }
    }
}

impl From<FieldResult> for Entry {
    fn from(field: FieldResult) -> Self {
        Self::Field(field)
    }
}

/// A candidate, or something looked through, that did not match: which one came closest and what kept it from matching.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Its place in the ground truth.
    pub place: Location,
    /// A person's name for it: `message 2 of hl7/out.hl7`.
    pub label: String,
    /// The first field that kept it from matching.
    pub first_mismatch: Option<FieldResult>,
    /// How many of its fields matched, and of how many.
    pub matched: (usize, usize),
}

impl Nearest {
    fn to_value(&self) -> Value {
        json!({
            "locator": self.place.locator,
            "span": self.place.span,
            "label": self.label,
            "matched": self.matched.0,
            "of": self.matched.1,
            "first_mismatch": self.first_mismatch,
        })
    }
}

/// How many things were looked at, and how many were left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// How many were looked through.
    pub considered: u64,
    /// How many the selection left.
    pub matched: u64,
    /// On a failure, the one that came closest.
    pub nearest: Option<Nearest>,
}

/// Where something quoted was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRef {
    /// The file, row, message or URL: a path relative to the sandbox for a folder source.
    pub locator: SharedText,
    /// SHA-256 of the file or object the locator names, in lower-case hex.
    pub sha256: Option<SharedText>,
    /// First byte, and the byte after the last one, of what was examined.
    pub span: Option<(u64, u64)>,
    /// The keys by which people know the record: `MSH-10 C0001`, `ST02 4321, TRN02 93175`, `Appointment/7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Label>,
}

impl SourceRef {
    /// The place without the hash.
    #[must_use]
    pub fn place(&self) -> Location {
        Location { locator: self.locator.to_string(), span: self.span }
    }

    /// The same, with what it has in common with `other` held once.
    pub(crate) fn shared_with(self, other: &Self) -> Self {
        let sha256 = match (self.sha256, &other.sha256) {
            (Some(sha256), Some(other)) => Some(sha256.or_same(other)),
            (sha256, _) => sha256,
        };
        let record = match (self.record, &other.record) {
            (Some(record), Some(other)) => Some(record.shared_with(other)),
            (record, _) => record,
        };
        Self { locator: self.locator.or_same(&other.locator), sha256, record, ..self }
    }
}

/// A verified fact, as one record that can be handed on by itself. The check says what kind of thing it looked at, what
/// it saw and when; whoever runs it adds for which criterion, and who verified.
#[derive(Clone, Debug, PartialEq)]
pub struct VerificationRecord {
    /// The kind of thing that the check read: `file`, `command`, `http_response`.
    pub evidence_type: &'static str,
    /// The data that was seen.
    pub evidence_data: Value,
    /// When it was seen, RFC 3339; of an observation that is judged again the time of the observation.
    pub timestamp: String,
}

impl VerificationRecord {
    /// The record as JSON: `{criterion, verified, evidence_type, evidence_data, timestamp, verifier_id}`, the first and
    /// the last of them null where `by` (criterion and verifier) is not known.
    #[must_use]
    pub fn to_value(&self, verified: bool, by: Option<(&str, &str)>) -> Value {
        json!({
            "criterion": by.map(|(criterion, _)| criterion),
            "verified": verified,
            "evidence_type": self.evidence_type,
            "evidence_data": self.evidence_data,
            "timestamp": self.timestamp,
            "verifier_id": by.map(|(_, verifier)| verifier),
        })
    }
}

/// The evidence of a check: what it saw, and what follows from that. Built by [`Evidence::passed`],
/// [`Evidence::failed`] and [`Evidence::unverifiable`] only, so that a pass always quotes an observation, and no
/// failure passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    status: Status,
    reason: Option<Reason>,
    share: Share,
    details: String,
    /// Field or phrase results. [`conclude`](fn@crate::records::conclude) leaves some of `match: all` out where there are very
    /// many; the member `cut` counts them.
    pub results: Vec<Entry>,
    /// The candidates that the check considered.
    pub candidates: Candidates,
    /// Where what is quoted was read from.
    pub sources: Vec<SourceRef>,
    /// Further members of this check's evidence (`matchedPaths`).
    pub extra: Map<String, Value>,
    pub(crate) record: Option<VerificationRecord>,
    pub(crate) cut: Cut,
    by_the_work: bool,
}

impl Evidence {
    /// The assertion holds. Falls back to [`Obstacle::Undecidable`] if a result did not pass or there are no results,
    /// so that every pass rests on an observation.
    #[must_use]
    pub fn passed(results: Vec<Entry>, details: impl Into<String>) -> Self {
        if results.is_empty() || !results.iter().all(Entry::passed) {
            return Self::unverifiable(Obstacle::Undecidable, results, "nothing was observed that could earn a pass");
        }
        Self::new(Status::Passed, None, Share::one(), results, details)
    }

    /// The assertion does not hold. `share` is the weighted share of passed results, or 0.
    #[must_use]
    pub fn failed(failure: Failure, share: Share, results: Vec<Entry>, details: impl Into<String>) -> Self {
        Self::new(Status::Failed, Some(Reason::Failed(failure)), share, results, details)
    }

    /// It could not be decided.
    #[must_use]
    pub fn unverifiable(obstacle: Obstacle, results: Vec<Entry>, details: impl Into<String>) -> Self {
        let reason = Some(Reason::Unverifiable(obstacle));
        Self::new(Status::Unverifiable, reason, Share::zero(), results, details)
    }

    fn new(
        status: Status,
        reason: Option<Reason>,
        share: Share,
        results: Vec<Entry>,
        details: impl Into<String>,
    ) -> Self {
        Self {
            status,
            reason,
            share,
            details: without_stops_after_questions(details.into()),
            results,
            candidates: Candidates::default(),
            sources: Vec::new(),
            extra: Map::new(),
            record: None,
            cut: Cut::default(),
            by_the_work: false,
        }
    }

    /// With the work that is examined as the cause of what is unverifiable: an endless test, a file without permissions. The
    /// criterion stays unverifiable; a loop sends the work back.
    #[must_use]
    pub fn by_the_work(self) -> Self {
        let by_the_work = self.status == Status::Unverifiable;
        Self { by_the_work, ..self }
    }

    /// Returns `true` if it is unverifiable because of the work itself.
    #[must_use]
    pub fn is_by_the_work(&self) -> bool {
        self.by_the_work && self.status == Status::Unverifiable
    }

    /// With what was examined and where it was read.
    #[must_use]
    pub fn over(self, candidates: Candidates, sources: Vec<SourceRef>) -> Self {
        Self { candidates, sources, ..self }
    }

    /// With a further member.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.extra.insert(name.to_owned(), value);
        self
    }

    /// Adds a record of what was seen, which the JSON has as `evidence`, next to the results.
    #[must_use]
    pub fn recorded(self, record: VerificationRecord) -> Self {
        Self { record: Some(record), ..self }
    }

    /// With one more sentence in its details.
    #[must_use]
    pub fn adding(self, sentence: &str) -> Self {
        Self { details: format!("{} {sentence}", self.details), ..self }
    }

    /// The same in other words: its details say more of what it found.
    #[must_use]
    pub fn with_details(self, details: impl Into<String>) -> Self {
        Self { details: details.into(), ..self }
    }

    pub(crate) fn replaced(
        self,
        details: String,
        results: Vec<Entry>,
        candidates: Candidates,
        sources: Vec<SourceRef>,
        extra: Map<String, Value>,
        record: Option<VerificationRecord>,
    ) -> Self {
        Self { details, results, candidates, sources, extra, record, ..self }
    }

    #[must_use]
    pub(crate) fn with_share(self, share: Share) -> Self {
        if self.status == Status::Failed { Self { share, ..self } } else { self }
    }

    /// Of more results than it has: of so many that passed, of so many that did not, and of their weights.
    #[must_use]
    pub(crate) fn leaving_out(mut self, (passed, open): (usize, usize), weights: Weights) -> Self {
        let results = passed + open;
        (self.cut.results, self.cut.open, self.cut.before, self.cut.weights) = (results, open, results, weights);
        self
    }

    /// The same results, which do not decide it, for another reason.
    #[must_use]
    pub fn undecided(self, details: impl Into<String>) -> Self {
        let evidence = Self::unverifiable(Obstacle::Undecidable, self.results, details);
        Self { cut: self.cut, ..evidence.over(self.candidates, self.sources) }
    }

    /// With what the system under test wrote too vaguely to decide as a failure: what `undecidable: fail` asks for.
    #[must_use]
    pub fn with_vague_failed(self) -> Self {
        let vague = |entry: &Entry| matches!(entry, Entry::Field(field) if field.is_vague());
        if self.reason != Some(Reason::Unverifiable(Obstacle::Undecidable)) || !self.results.iter().any(vague) {
            return self;
        }
        let reason = Some(Reason::Failed(Failure::FieldMismatch));
        let share = share_with(self.results.iter(), &self.cut.weights);
        Self { status: Status::Failed, reason, share, ..self }
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why it did not pass.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The weighted share of results that passed, exact: 1 of a pass, 0 of what is unverifiable. The engine makes the
    /// score of it.
    #[must_use]
    pub fn share(&self) -> &Share {
        &self.share
    }

    /// A plain sentence: what was looked for, where, and what was found instead.
    #[must_use]
    pub fn details(&self) -> &str {
        &self.details
    }

    /// The evidence as JSON, its results under `key`.
    #[must_use]
    pub fn to_value(&self, key: &str) -> Value {
        self.attributed(key, None)
    }

    /// The evidence as JSON, its results under `key`, its record (where the check makes one) with the criterion's id and
    /// the verifier's.
    #[must_use]
    pub fn attributed(&self, key: &str, by: Option<(&str, &str)>) -> Value {
        candor_json::to_value(self.written(key, by)).unwrap_or(Value::Null)
    }

    /// The members of [`Evidence::attributed`], to be written without a value of every result in memory.
    #[must_use]
    pub fn written<'e>(&'e self, key: &'e str, by: Option<(&'e str, &'e str)>) -> impl Serialize + 'e {
        Written { evidence: self, key, by }
    }
}

struct Written<'e> {
    evidence: &'e Evidence,
    key: &'e str,
    by: Option<(&'e str, &'e str)>,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Evidence { results, candidates, sources, extra, record, cut, status, .. } = self.evidence;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(self.key, results)?;
        if let Some(cut) = cut.to_value(self.key) {
            map.serialize_entry("cut", &cut)?;
        }
        if let Some(record) = record {
            map.serialize_entry("evidence", &record.to_value(*status == Status::Passed, self.by))?;
        }
        if self.evidence.is_by_the_work() {
            map.serialize_entry("caused_by", "workspace")?;
        }
        // Its own members of these names come below.
        for (name, value) in extra.iter().filter(|(name, _)| !["candidates", "sources"].contains(&name.as_str())) {
            map.serialize_entry(name, value)?;
        }
        let candidates = json!({
            "considered": candidates.considered,
            "matched": candidates.matched,
            "nearest": candidates.nearest.as_ref().map(Nearest::to_value),
        });
        map.serialize_entry("candidates", &candidates)?;
        map.serialize_entry("sources", sources)?;
        map.end()
    }
}

/// The weighted share of passed entries; 0 if there are no entries or their weights sum to 0.
#[must_use]
pub fn share(entries: &[Entry]) -> Share {
    share_with(entries.iter(), &Weights::default())
}

/// The share of these entries and of more, which have these weights.
pub(crate) fn share_with<'e>(entries: impl Iterator<Item = &'e Entry> + Clone, more: &Weights) -> Share {
    let Weights { passed, failed } = more;
    let total: Share = entries.clone().map(Entry::weight).chain([passed.clone(), failed.clone()]).sum();
    entries.filter(|e| e.passed()).map(Entry::weight).chain([passed.clone()]).sum::<Share>().out_of(&total)
}

/// The weights of entries that passed, and of those that did not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weights {
    pub(crate) passed: Share,
    pub(crate) failed: Share,
}

impl Weights {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let sum = |passed| -> Share { entries.iter().filter(|e| e.passed() == passed).map(Entry::weight).sum() };
        Self { passed: sum(true), failed: sum(false) }
    }
}

/// Sentences whose last part may be a question: "did you mean `status`?" takes no full stop.
fn without_stops_after_questions(details: String) -> String {
    let details = details.replace("`?. ", "`? ");
    match details.strip_suffix('.').filter(|rest| rest.ends_with("`?")) {
        Some(question) => question.to_owned(),
        None => details,
    }
}

/// A value as a sentence quotes it: JSON, cut short.
#[must_use]
pub fn quoted(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = match value {
        Value::Null => return "nothing".to_owned(),
        other => shown(other).to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
