//! Additions to an assertion that kill a survivor: tried, not guessed. The audit suggests them, and `harden` adds them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use candor_check::{Evidence, Sandbox, Status};
use candor_engine::{Criterion, Plan};
use candor_json::{Value, json};

use crate::additions::{Addition, Rules, additions, merged};
use crate::trial::{Trial, part_named, record_changes};

/// The most additions that are tried for one survivor.
const MOST_TRIED: usize = 80;
/// The most records that are read of those that a survivor changed.
pub(crate) const MOST_RECORDS: usize = 20;

pub(crate) struct Judges<'a> {
    pub(crate) trial: Trial<'a>,
    /// Sandboxes in which the work was done: the criterion passes on each, and still has to.
    pub(crate) passing: Vec<Sandbox>,
    /// The same, written otherwise: those that it accepts, and still has to.
    pub(crate) equivalents: Vec<Sandbox>,
    pub(crate) days: bool,
    /// True if what was read of an equivalent is kept for the next addition: of small files only.
    pub(crate) keeps: bool,
    /// Additions that kill, and reject the work or another form of it: as text, each once.
    pub(crate) refused: Mutex<BTreeSet<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) addition: Addition,
    pub(crate) assertion: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    Lives,
    TooStrict,
}

impl Judges<'_> {
    /// The status of the criterion on a sandbox, with an assertion, if it does not pass.
    pub(crate) async fn kills(&self, criterion: &Criterion, assertion: &Value, survivor: &Sandbox) -> Option<Status> {
        self.fails(&self.trial.plan(criterion, assertion.clone())?, survivor).await
    }

    async fn fails(&self, plan: &Plan, survivor: &Sandbox) -> Option<Status> {
        let evidence = self.trial.run(plan, survivor).await?;
        (evidence.status() != Status::Passed).then_some(evidence.status())
    }

    async fn accepts(&self, plan: &Plan) -> bool {
        for sandbox in self.passing.iter().chain(&self.equivalents) {
            let evidence = self.trial.run(plan, sandbox).await;
            if !self.keeps {
                sandbox.close();
            }
            if evidence.is_none_or(|evidence| evidence.status() != Status::Passed) {
                return false;
            }
        }
        true
    }

    /// The first addition to `assertion` that kills a survivor of a part and nothing else. One that fails it comes before one
    /// that leaves it undecided.
    pub(crate) async fn find(
        &self,
        criterion: &Criterion,
        assertion: &Value,
        survivor: &Sandbox,
        part: &str,
    ) -> Result<Found, NotFound> {
        let Some(passing) = self.passing.first() else { return Err(NotFound::Lives) };
        let Some(part) = part_named(passing, part) else { return Err(NotFound::Lives) };
        let records = record_changes(part, passing, survivor, MOST_RECORDS).await;
        let matched = self.trial.judged(criterion, assertion.clone(), passing).await;
        let matched = matched.map_or(0, |evidence: Evidence| evidence.candidates.matched);
        let name = assertion.get("assert").and_then(Value::as_str).unwrap_or_default();
        let Some(check) = self.trial.engine.checks().iter().find(|check| check.meta().assert == name) else {
            return Err(NotFound::Lives);
        };
        let rules = Rules { made_up: part.made_up(), days: self.days };
        let mut why = NotFound::Lives;
        let mut undecided = None;
        for addition in additions(&check.schema(), assertion, &records, matched, rules).into_iter().take(MOST_TRIED) {
            let with = merged(assertion, &addition);
            let Some(plan) = self.trial.plan(criterion, with.clone()) else { continue };
            let Some(status) = self.fails(&plan, survivor).await else { continue };
            if status == Status::Unverifiable && undecided.is_some() {
                continue;
            }
            if !self.accepts(&plan).await {
                why = NotFound::TooStrict;
                let text = Value::Object(addition).to_string();
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
                continue;
            }
            let found = Found { addition, assertion: with };
            match status {
                Status::Unverifiable => undecided = Some(found),
                _ => return Ok(found),
            }
        }
        undecided.ok_or(why)
    }
}

/// The check of a criterion added to those of a task: nothing else changed.
pub(crate) const STATE_UNCHANGED: &str = "state-unchanged";

/// A criterion of weight 0 that all others depend on: nothing changed but what the work changed.
pub(crate) fn nothing_else(id: &str, parts: &[String], except: &[Value]) -> Value {
    json!({
        "id": id,
        "label": "Nothing else changed",
        "weight": 0,
        "gate": true,
        "assertion": {"assert": STATE_UNCHANGED, "parts": parts, "except": except},
    })
}
