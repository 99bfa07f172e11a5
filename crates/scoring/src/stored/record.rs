//! One line: the members of a criterion run that scoring needs.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{MAX_AXIS_BYTES, Problem, cut};
use crate::{CriterionOutcome, NumberError, Score, Status, Weight};

/// Text borrowed from the line, unless it holds escapes. A type of its own, since an optional `Cow`
/// is never borrowed.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// The members, as they stand; all others are skipped without being kept.
#[derive(Debug, Deserialize)]
struct Members<'a> {
    #[serde(borrow, default)]
    task_run_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    task_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    criterion_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    axis: Option<Text<'a>>,
    #[serde(borrow, default)]
    weight: Option<&'a RawValue>,
    #[serde(default)]
    gate: Option<bool>,
    #[serde(borrow, default)]
    status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    score: Option<&'a RawValue>,
    #[serde(default)]
    passed: Option<bool>,
    /// Only a whole task run has this.
    #[serde(default)]
    criterion_runs: Option<IgnoredAny>,
}

/// One line that is a criterion run by its members; their values are read by
/// [`outcome`](Record::outcome).
#[derive(Debug)]
pub(crate) struct Record<'a> {
    line: &'a [u8],
    pub(crate) task_run_id: Option<Text<'a>>,
    pub(crate) task_id: Option<Text<'a>>,
    pub(crate) criterion_id: Option<Text<'a>>,
    pub(crate) axis: Option<Text<'a>>,
    weight: Option<&'a RawValue>,
    gate: bool,
    status: &'a RawValue,
    score: &'a RawValue,
    passed: Option<bool>,
}

type At<T> = Result<T, (u64, Problem)>;

fn unexpected(found: impl Into<String>, expected: &'static str) -> Problem {
    Problem::Unexpected { found: found.into(), expected }
}

const A_LINE: &str = "one criterion run as a JSON object";

impl<'a> Record<'a> {
    pub(crate) fn read(line: &'a [u8]) -> At<Record<'a>> {
        let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        // An array would be read as the members in their order.
        if line.get(start) != Some(&b'{') {
            let column = u64::try_from(start).unwrap_or(0) + 1;
            return Err((column, unexpected("something else than an object", A_LINE)));
        }
        let members: Members<'a> = serde_json::from_slice(line).map_err(|error| {
            let text = error.to_string();
            let said = text.rsplit_once(" at line ").map_or(text.as_str(), |(said, _)| said);
            let column = u64::try_from(error.column()).unwrap_or(0).max(1);
            (column, unexpected(format!("text that does not fit ({})", cut(said)), A_LINE))
        })?;
        let end = u64::try_from(line.len()).unwrap_or(0).max(1);
        if members.criterion_runs.is_some() && members.criterion_id.is_none() {
            let expected = "a criterion run (`--format ndjson` writes a task run as its criterion runs)";
            return Err((end, unexpected("a whole task run", expected)));
        }
        let missing = |name: &str, expected| (end, unexpected(format!("an object without `{name}`"), expected));
        if members.criterion_id.is_none() {
            return Err(missing("criterion_id", "the criterion's id, a string"));
        }
        let status = members.status.ok_or_else(|| missing("status", EXPECTED_STATUS))?;
        let score = members.score.ok_or_else(|| missing("score", EXPECTED_SCORE))?;
        Ok(Record {
            line,
            task_run_id: members.task_run_id,
            task_id: members.task_id,
            criterion_id: members.criterion_id,
            axis: members.axis,
            weight: members.weight,
            gate: members.gate.unwrap_or(false),
            status,
            score,
            passed: members.passed,
        })
    }

    /// The column at which borrowed text stands; 1 for text that was not borrowed.
    pub(crate) fn column(&self, text: Option<&Text<'a>>) -> u64 {
        match text {
            Some(Text(Cow::Borrowed(text))) => self.place(text),
            _ => 1,
        }
    }

    /// The column of a part of the line.
    fn place(&self, part: &str) -> u64 {
        let offset = (part.as_ptr() as usize).checked_sub(self.line.as_ptr() as usize);
        let inside = offset.filter(|offset| *offset < self.line.len()).unwrap_or(0);
        u64::try_from(inside).unwrap_or(0) + 1
    }

    /// The criterion run, if its values are right and agree with each other.
    pub(crate) fn outcome(&self) -> At<CriterionOutcome<'_>> {
        let number = |raw: &RawValue, expected: &'static str, error: NumberError| {
            let found = format!("{} ({error})", cut(raw.get()));
            (self.place(raw.get()), unexpected(found, expected))
        };
        let weight = match self.weight {
            None => Weight::ONE,
            Some(raw) => raw.get().parse().map_err(|error| number(raw, "a weight, a number at or above 0", error))?,
        };
        let score: Score = self.score.get().parse().map_err(|error| number(self.score, EXPECTED_SCORE, error))?;
        let status: Status = serde_json::from_str(self.status.get()).map_err(|_| {
            let found = format!("status {}", cut(self.status.get()));
            (self.place(self.status.get()), unexpected(found, EXPECTED_STATUS))
        })?;
        if self.passed.is_some_and(|passed| passed != (status == Status::Passed)) {
            return Err((self.place(self.status.get()), Problem::PassedAgainstStatus));
        }
        let axis = self.axis.as_ref().map(|axis| axis.0.as_ref());
        if let Some(name) = axis.filter(|name| name.len() > MAX_AXIS_BYTES) {
            let bytes = name.len();
            return Err((self.column(self.axis.as_ref()), Problem::AxisTooLong { bytes }));
        }
        let id = self.criterion_id.as_ref().map_or("", |id| id.0.as_ref());
        let outcome = CriterionOutcome::new(id, weight, status, score)
            .map_err(|error| (self.place(self.score.get()), Problem::Inconsistent(error)))?;
        Ok(outcome.on_axis(axis).as_gate(self.gate))
    }
}

const EXPECTED_STATUS: &str = "`status`: \"passed\", \"failed\" or \"unverifiable\"";
const EXPECTED_SCORE: &str = "`score`: a number from 0 to 1";
