//! Reads from a line the members of a criterion run that scoring needs.

use std::borrow::Cow;

use candor_json::text::unquoted;

use super::json::{Member, SyntaxError, WHOLE_ESCAPES, items, members};
use super::{MAX_AXIS_BYTES, Problem, cut};
use crate::{CriterionOutcome, NumberError, PassRule, Score, Status, Weight};

#[derive(Debug, Clone)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) column: u64,
}

pub(crate) type Wrong = (u64, Problem);

/// A line with the members of a criterion run; [`outcome`](Record::outcome) reads the numbers and the status.
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    pub(crate) task_run_id: Option<At<Cow<'a, str>>>,
    pub(crate) task_id: Option<At<Cow<'a, str>>>,
    pub(crate) criterion_id: Option<At<Cow<'a, str>>>,
    pub(crate) task_pass: Option<At<PassRule>>,
    axis: Option<At<Cow<'a, str>>>,
    weight: Option<At<&'a str>>,
    gate: Option<At<bool>>,
    status: Option<At<&'a str>>,
    score: Option<At<&'a str>>,
    passed: Option<At<bool>>,
    reason: Option<At<&'a str>>,
    /// Read for its errors alone: the score counts.
    share: Option<At<()>>,
    /// The column behind the line's last character.
    end: u64,
}

impl From<SyntaxError> for Wrong {
    fn from(error: SyntaxError) -> Self {
        (column(error.at), unexpected("something else", error.expected))
    }
}

fn column(offset: usize) -> u64 {
    u64::try_from(offset).unwrap_or(u64::MAX - 1) + 1
}

fn unexpected(found: impl Into<String>, expected: &'static str) -> Problem {
    Problem::Unexpected { found: found.into(), expected }
}

/// A value as an error message shows it: its kind, or itself where it is short and plain.
fn shown(value: &str) -> Cow<'_, str> {
    match value.as_bytes().first() {
        Some(b'{') => "an object".into(),
        Some(b'[') => "an array".into(),
        _ => cut(value),
    }
}

const STATUS: &str = "`status`: \"passed\", \"failed\" or \"unverifiable\"";
const SCORE: &str = "`score`: a number from 0 to 1";
const WEIGHT: &str = "`weight`: a number at or above 0";
const SHARE: &str = "`share`: a number from 0 to 1";
const TASK_PASS: &str = "`task_pass`: \"all\", or a number above 0 and up to 1";
const CRITERION_ID: &str = "`criterion_id`: a string";

impl<'a> Record<'a> {
    /// Gives the criterion run that a line is to `each`, or every criterion run of the task run that it is. Returns the
    /// ids of a task run without criteria, for which `each` is not called.
    pub(crate) fn read_each(
        line: &'a str,
        mut each: impl FnMut(&Record<'a>) -> Result<(), Wrong>,
    ) -> Result<Option<Record<'a>>, Wrong> {
        let mut record = Record { end: column(line.len()), ..Record::default() };
        let mut runs = None;
        let mut hidden = false;
        members(line, |member| {
            hidden |= member.name == "scored" && member.value == "true";
            if member.name == "criterion_runs" {
                runs = Some((member.value, member.at));
            }
            record.take(member)
        })?;
        let Some((runs, at)) = runs.filter(|_| record.criterion_id.is_none()) else {
            record.is_whole()?;
            return each(&record).map(|()| None);
        };
        if hidden {
            return Err((
                record.end,
                unexpected("a task run whose criteria are hidden", "a task run with its criteria"),
            ));
        }
        let mut count = 0;
        items(runs, |item, offset| {
            count += 1;
            let mut run = Record { end: column(item.len()), ..Record::default() };
            let read = members(item, |member| run.take(member)).and_then(|()| run.is_whole());
            read.map_err(|(column, problem)| (column + (at + offset) as u64, problem))?;
            run.task_run_id = record.task_run_id.clone();
            run.task_id = record.task_id.clone();
            each(&run).map_err(|(column, problem)| (column + (at + offset) as u64, problem))
        })?;
        Ok((count == 0).then_some(record))
    }

    /// Refuses a line that lacks a member of a criterion run.
    fn is_whole(&self) -> Result<(), Wrong> {
        for (there, name, expected) in [
            (self.criterion_id.is_some(), "criterion_id", CRITERION_ID),
            (self.status.is_some(), "status", STATUS),
            (self.score.is_some(), "score", SCORE),
        ] {
            if !there {
                return Err((self.end, unexpected(format!("an object without `{name}`"), expected)));
            }
        }
        Ok(())
    }

    /// Keeps a member that scoring needs. A null is as good as none.
    fn take(&mut self, member: Member<'a>) -> Result<(), Wrong> {
        let name = member.name.as_ref();
        match name {
            "task_run_id" => put(&mut self.task_run_id, &member, |m| text(m, "`task_run_id`: a string")),
            "task_id" => put(&mut self.task_id, &member, |m| text(m, "`task_id`: a string")),
            "task_pass" => put(&mut self.task_pass, &member, pass_rule),
            "share" => put(&mut self.share, &member, share),
            "criterion_id" => put(&mut self.criterion_id, &member, |m| text(m, CRITERION_ID)),
            "axis" => put(&mut self.axis, &member, |m| text(m, "`axis`: a string")),
            "weight" => put(&mut self.weight, &member, |m| Ok(m.value)),
            "status" => put(&mut self.status, &member, |m| Ok(m.value)),
            "score" => put(&mut self.score, &member, |m| Ok(m.value)),
            "reason" => put(&mut self.reason, &member, |m| Ok(m.value)),
            "gate" => put(&mut self.gate, &member, |m| truth(m, "`gate`: true or false")),
            "passed" => put(&mut self.passed, &member, |m| truth(m, "`passed`: true or false")),
            _ => Ok(()),
        }
    }

    /// The criterion run, if its values are right and agree with each other.
    pub(crate) fn outcome(&self) -> Result<CriterionOutcome<'_>, Wrong> {
        let number = |at: &At<&str>, expected, error: NumberError| {
            (at.column, unexpected(format!("{} ({error})", shown(at.value)), expected))
        };
        let weight: Weight = match &self.weight {
            None => Weight::ONE,
            Some(at) => at.value.parse().map_err(|error| number(at, WEIGHT, error))?,
        };
        // Both were seen to be there.
        let score_at = self.score.as_ref().ok_or((self.end, unexpected("nothing", SCORE)))?;
        let status_at = self.status.as_ref().ok_or((self.end, unexpected("nothing", STATUS)))?;
        let score: Score = score_at.value.parse().map_err(|error| number(score_at, SCORE, error))?;
        let status = match unquoted(status_at.value).as_deref() {
            Some("passed") => Status::Passed,
            Some("failed") => Status::Failed,
            Some("unverifiable") => Status::Unverifiable,
            _ => return Err((status_at.column, unexpected(shown(status_at.value), STATUS))),
        };
        if let Some(at) = self.passed.as_ref().filter(|at| at.value != (status == Status::Passed)) {
            return Err((at.column, Problem::PassedAgainstStatus));
        }
        if let Some(at) = self.axis.as_ref().filter(|at| at.value.len() > MAX_AXIS_BYTES) {
            return Err((at.column, Problem::AxisTooLong { bytes: at.value.len() }));
        }
        let id = self.criterion_id.as_ref().map_or("", |at| at.value.as_ref());
        let outcome = CriterionOutcome::new(id, weight, status, score)
            .map_err(|error| (score_at.column, Problem::Inconsistent(error)))?;
        let axis = self.axis.as_ref().map(|at| at.value.as_ref());
        Ok(outcome.on_axis(axis).as_gate(self.gate.as_ref().is_some_and(|at| at.value)))
    }

    /// If the task file is wrong, so that no work can meet the criterion.
    pub(crate) fn is_invalid(&self) -> bool {
        let reason = self.reason.as_ref().and_then(|at| unquoted(at.value));
        matches!(reason.as_deref(), Some("invalid_assertion" | "unsupported_assertion"))
    }

    /// The column of the axis, or the first column if the line has no axis.
    pub(crate) fn axis_column(&self) -> u64 {
        self.axis.as_ref().map_or(1, |at| at.column)
    }
}

fn put<'a, T>(
    slot: &mut Option<At<T>>,
    member: &Member<'a>,
    read: impl FnOnce(&Member<'a>) -> Result<T, Wrong>,
) -> Result<(), Wrong> {
    let column = column(member.at);
    if slot.is_some() {
        return Err((column, unexpected(format!("`{}` a second time", member.name), "each member once")));
    }
    if member.value != "null" {
        *slot = Some(At { value: read(member)?, column });
    }
    Ok(())
}

fn text<'a>(member: &Member<'a>, expected: &'static str) -> Result<Cow<'a, str>, Wrong> {
    unquoted(member.value).ok_or_else(|| {
        let expected = if member.value.starts_with('"') { WHOLE_ESCAPES } else { expected };
        (column(member.at), unexpected(shown(member.value), expected))
    })
}

fn pass_rule(member: &Member<'_>) -> Result<PassRule, Wrong> {
    // `all` is a text, and a threshold is a number: "0.8" in quotes is not one.
    let text = match unquoted(member.value).as_deref() {
        Some("all") => "all",
        Some(_) => "",
        None => member.value,
    };
    text.parse().map_err(|_| (column(member.at), unexpected(shown(member.value), TASK_PASS)))
}

fn share(member: &Member<'_>) -> Result<(), Wrong> {
    let read: Result<Score, NumberError> = member.value.parse();
    let wrong = |error| (column(member.at), unexpected(format!("{} ({error})", shown(member.value)), SHARE));
    read.map(drop).map_err(wrong)
}

fn truth(member: &Member<'_>, expected: &'static str) -> Result<bool, Wrong> {
    match member.value {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err((column(member.at), unexpected(shown(other), expected))),
    }
}
