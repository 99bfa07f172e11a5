//! The search for a mend where survivors live: an addition to the criterion's assertion, else a criterion that nothing
//! else changed.

use std::collections::BTreeMap;

use candor_check::Status;
use candor_check::difference::{CONTENT, Change as RecordChange, Difference};
use candor_check::{PartType, Sandbox, Status::Passed};
use candor_engine::{Document, Engine, Task};
use candor_json::{Value, json};

use crate::ground::Ground;
use crate::report::{CriterionReport, Report, SAID_NOT_DONE, Survivor};
use crate::suggest::{Judges, STATE_UNCHANGED, nothing_else};
use crate::trial::Trial;

/// The most survivors of a criterion for which additions are looked for.
const MOST_SURVIVORS: usize = 60;

/// The most fields of a record that are excepted one by one; of more the record is.
const MOST_PATHS: usize = 6;
/// The most bytes of files of which copies are kept as they were read.
const SMALL: usize = 1 << 20;

/// True if an addition may kill it: a rejected equivalent asks for less, not for more.
pub(crate) fn is_mendable(survivor: &Survivor) -> bool {
    survivor.accepted.is_none()
        && matches!(survivor.probe, "leaf" | "harm" | "breach")
        && survivor.operator != SAID_NOT_DONE
}

/// The sandboxes on which a criterion must go on passing.
pub(crate) fn judges<'a>(
    trial: Trial<'a>,
    ground: &Ground,
    also: &[Sandbox],
    report: &CriterionReport,
    days: bool,
) -> Judges<'a> {
    Judges {
        trial,
        passing: std::iter::once(&ground.sandbox).chain(also).cloned().collect(),
        equivalents: report.equivalents.iter().map(|change| ground.mutant(change)).collect(),
        days,
        keeps: ground.bytes() < SMALL,
        refused: std::sync::Mutex::default(),
    }
}

/// Gives each survivor the addition that kills it, where one is found.
pub(crate) async fn suggest(engine: &Engine, task: &Task, ground: &Ground, report: &mut Report) {
    let trial = Trial { engine, task };
    let mut sibling = Sibling::of(trial, ground, &[], report).await;
    for (criterion, one) in task.criteria.iter().zip(&mut report.criteria) {
        let judges = judges(trial, ground, &[], one, true);
        for survivor in one.survivors.iter_mut().filter(|survivor| is_mendable(survivor)).take(MOST_SURVIVORS) {
            let mutant = ground.mutant(&survivor.change);
            let part = part_of(&survivor.locator);
            match judges.find(criterion, &criterion.assertion, &mutant, part).await {
                Ok(found) => survivor.suggestion = Some(Value::Object(found.addition)),
                Err(_) => match &mut sibling {
                    Some(sibling) if sibling.kills(&mutant).await => survivor.sibling = Some(sibling.criterion.clone()),
                    _ => {}
                },
            }
        }
    }
}

pub(crate) fn part_of(locator: &str) -> &str {
    locator.split_once('/').map_or(locator, |(part, _)| part)
}

/// A criterion that nothing else changed, which passes wherever the others have to.
pub(crate) struct Sibling<'a> {
    engine: &'a Engine,
    task: Task,
    pub(crate) criterion: Value,
}

impl<'a> Sibling<'a> {
    /// Nothing where there is no state from before the work, or the task asserts so of every part already.
    pub(crate) async fn of(
        trial: Trial<'a>,
        ground: &Ground,
        also: &[Sandbox],
        report: &Report,
    ) -> Option<Sibling<'a>> {
        let before = ground.sandbox.baseline()?;
        let is_asserted = |part: &str| {
            trial.task.criteria.iter().map(|one| &one.assertion).any(|one| {
                let parts = one.get("parts").and_then(Value::as_array);
                one.get("assert").is_some_and(|name| name == STATE_UNCHANGED)
                    && parts.is_none_or(|parts| parts.iter().any(|own| own == part))
            })
        };
        let is_known = trial.engine.checks().iter().any(|check| check.meta().assert == STATE_UNCHANGED);
        let lives = report.criteria.iter().flat_map(|one| &one.survivors).any(is_mendable);
        if !is_known || !lives {
            return None;
        }
        let afters = || std::iter::once(&ground.sandbox).chain(also);
        // A part that the work made has no state from before it.
        let compares = |part: &&PartType| {
            let part = part.name();
            before.has(part) && afters().all(|after| after.has(part)) && !is_asserted(part)
        };
        let compared = before.parts().iter().filter(compares);
        let mut parts: Vec<String> = compared.map(|part| part.name().to_owned()).collect();
        let mut differences = Vec::new();
        for after in afters() {
            let diff = candor_state::diff(before, after, Some(&parts)).await.ok()?;
            parts.retain(|part| diff.unread.iter().all(|unread| unread.part != *part));
            differences.push(diff.differences);
        }
        for found in &mut differences {
            found.retain(|one| parts.contains(&one.part));
        }
        if parts.is_empty() {
            return None;
        }
        let mut id = "nothing-else".to_owned();
        while trial.task.criteria.iter().any(|one| one.id == id) {
            id.push_str("-changed");
        }
        for whole_records in [false, true] {
            let criterion = nothing_else(&id, &parts, &exceptions(&differences, whole_records));
            let document = Document::from_value(json!({"id": trial.task.id, "criteria": [criterion]})).ok()?;
            let sibling = Self { engine: trial.engine, task: Task::from_document(document).ok()?, criterion };
            if sibling.accepts(ground, also, report).await {
                return Some(sibling);
            }
        }
        None
    }

    async fn accepts(&self, ground: &Ground, also: &[Sandbox], report: &Report) -> bool {
        let equivalents = report.criteria.iter().flat_map(|one| &one.equivalents).map(|change| ground.mutant(change));
        for sandbox in std::iter::once(ground.sandbox.clone()).chain(also.iter().cloned()).chain(equivalents) {
            if self.status(&sandbox).await != Some(Passed) {
                return false;
            }
        }
        true
    }

    async fn status(&self, sandbox: &Sandbox) -> Option<Status> {
        let plan = self.engine.plan(std::sync::Arc::new(self.task.clone()));
        let run = self.engine.run(&plan, sandbox).await;
        run.criterion_runs.first().map(|run| run.status())
    }

    pub(crate) async fn kills(&self, sandbox: &Sandbox) -> bool {
        self.status(sandbox).await == Some(Status::Failed)
    }
}

/// The exceptions for what the work changed, over several demonstrations: new records by kind and number, changed ones by
/// their fields or as a whole.
pub(crate) fn exceptions(demonstrations: &[Vec<Difference>], whole_records: bool) -> Vec<Value> {
    let mut added: BTreeMap<String, usize> = BTreeMap::new();
    let mut others: Vec<Value> = Vec::new();
    for differences in demonstrations {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for one in differences {
            let whole = format!("{}:{}", one.part, one.record);
            let mut except = |text: String| {
                if !others.contains(&json!(text)) {
                    others.push(json!(text));
                }
            };
            match &one.change {
                // The path of a file is chosen; the key of another new record is given.
                RecordChange::Added if matches!(one.part.as_str(), "files" | "workspace") => except(whole),
                RecordChange::Added => {
                    let kind = if one.collection.is_empty() {
                        one.part.clone()
                    } else {
                        format!("{}:{}", one.part, one.collection)
                    };
                    *counts.entry(kind).or_default() += 1;
                }
                RecordChange::Changed { fields }
                    if !whole_records
                        && fields.len() <= MOST_PATHS
                        && fields.iter().all(|field| !matches!(field.path.as_str(), "" | CONTENT)) =>
                {
                    fields.iter().for_each(|field| except(format!("{whole}.{}", field.path)));
                }
                RecordChange::Changed { .. } | RecordChange::Removed => except(whole),
            }
        }
        for (kind, count) in counts {
            let most = added.entry(kind).or_default();
            *most = count.max(*most);
        }
    }
    let added = added.into_iter().map(|(kind, max)| json!({"added": kind, "max": max}));
    added.chain(others).collect()
}
