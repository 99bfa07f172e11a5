//! Criteria with other assertions, judged by the ordinary engine.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use candor_check::difference::{Change, Recording, differences};
use candor_check::sandbox::{OpenedPart, PartRecord};
use candor_check::{Evidence, Obstacle, PartType, Sandbox, Unverifiable};
use candor_engine::{Criterion, Engine, Plan, Task};
use candor_json::Value;
use candor_state::Nothing;
use tempfile::TempDir;

use crate::additions::RecordChange;

#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) task: &'a Task,
}

impl Trial<'_> {
    /// The evidence of a criterion with an assertion. `None` if it is not bound to a check.
    pub(crate) async fn judged(&self, criterion: &Criterion, assertion: Value, sandbox: &Sandbox) -> Option<Evidence> {
        self.run(&self.plan(criterion, assertion)?, sandbox).await
    }

    /// A criterion with an assertion, for several sandboxes. `None` if it is not bound to a check.
    pub(crate) fn plan(&self, criterion: &Criterion, assertion: Value) -> Option<Plan> {
        let mut single = self.task.clone();
        single.criteria = vec![Criterion { assertion, ..criterion.clone() }];
        let plan = self.engine.plan(Arc::new(single));
        plan.is_bound(0).then_some(plan)
    }

    pub(crate) async fn run(&self, plan: &Plan, sandbox: &Sandbox) -> Option<Evidence> {
        let run = self.engine.run(plan, sandbox).await;
        run.criterion_runs.into_iter().next().map(|run| run.evidence)
    }
}

pub(crate) fn part_named(sandbox: &Sandbox, name: &str) -> Option<PartType> {
    sandbox.parts().iter().find(|part| part.name() == name).copied()
}

/// Differences in a part, from `before` to `after`, up to `most` records, with the fields that each had before, or has
/// if it is new. Empty if the part cannot be read.
pub(crate) async fn record_changes(
    part: PartType,
    before: &Sandbox,
    after: &Sandbox,
    most: usize,
) -> Vec<RecordChange> {
    let (mut of_before, mut of_after) = (None, None);
    let was = recording(part, before, &mut of_before).await;
    let is = recording(part, after, &mut of_after).await;
    if was.is_none() && is.is_none() {
        return Vec::new();
    }
    let compare = move || {
        let nothing = Nothing;
        let was = was.as_ref().map_or(&nothing as &dyn OpenedPart, Recording::part);
        let is = is.as_ref().map_or(&nothing as &dyn OpenedPart, Recording::part);
        let mut found = Vec::new();
        let done = differences(part.name(), was, is, &mut |difference| {
            found.push(difference);
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if done.is_err() || found.is_empty() {
            return Vec::new();
        }
        let mut changes: Vec<RecordChange> = found
            .into_iter()
            .map(|difference| RecordChange { difference, key: String::new(), fields: Vec::new() })
            .collect();
        read(was, false, &mut changes);
        read(is, true, &mut changes);
        changes
    };
    let done = before.work().wait(compare).await.unwrap_or_default();
    drop((of_before, of_after));
    done
}

/// Reads the fields of the records that are read from one side: those that came from `after`, all others from `before`.
fn read(source: &dyn OpenedPart, is_new: bool, changes: &mut [RecordChange]) {
    let is_of_side = |change: &&RecordChange| (change.difference.change == Change::Added) == is_new;
    let mut names: HashMap<String, u32> = HashMap::new();
    for change in changes.iter().filter(is_of_side) {
        names.insert(change.difference.name().to_owned(), 0);
    }
    let _ = source.records(&mut |record: PartRecord| {
        let name = record.name();
        let Some(number) = names.get_mut(&name) else { return ControlFlow::Continue(()) };
        *number += 1;
        let is_it = |change: &&mut RecordChange| {
            let difference = &change.difference;
            (difference.change == Change::Added) == is_new && difference.name() == name && difference.number == *number
        };
        if let Some(change) = changes.iter_mut().find(is_it) {
            change.fields = source.fields(&record).unwrap_or_default();
            change.key.clone_from(&record.key);
        }
        ControlFlow::Continue(())
    });
}

async fn recording(part: PartType, sandbox: &Sandbox, kept: &mut Option<TempDir>) -> Option<Recording> {
    let scratch = || {
        let failed = |error: std::io::Error| Unverifiable::new(Obstacle::SourceUnavailable, error.to_string());
        let folder = tempfile::tempdir().map_err(failed)?;
        let path = folder.path().to_owned();
        *kept = Some(folder);
        Ok(path)
    };
    Recording::of(sandbox, part, scratch).await.ok()
}
