//! Writes a task file from demonstrations: what changed between the state before the work and the states after it.

mod fields;
mod names;
mod render;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use candor_check::difference::Change;
use candor_check::draft::{Came, Selection};
use candor_check::operators::Operator;
use candor_check::{PartType, Sandbox, Status};
use candor_engine::{Criterion, Document, Engine, Task};
use candor_json::{Value, json};
use candor_state::Unread;

use crate::additions::{RecordChange, Rules};
use crate::audit::{AuditError, Options, audit_on, ground};
use crate::harden::{HardenError, Hardened, Hardening, read};
use crate::mend::exceptions;
use crate::suggest::STATE_UNCHANGED;
use crate::trial::{Trial, record_changes};
use fields::{Fields, Known, fields_of};
use render::{Page, Written};

/// The most records about which criteria are drafted.
const MOST_RECORDS: usize = 60;
/// The name that the drafted file is read under.
const FILE: &str = "draft.yaml";

/// Why nothing was drafted.
#[derive(Debug)]
#[non_exhaustive]
pub enum DraftError {
    /// There is no demonstration.
    NoDemonstration,
    /// A demonstration changed nothing.
    NoDifference {
        /// Which of them, from 1.
        number: usize,
        /// How many records were compared.
        records: u64,
    },
    /// Something could not be compared.
    Unread(Vec<Unread>),
    /// About none of the changes a criterion can be written that passes after the work and not before it.
    Nothing(Vec<String>),
    /// The draft cannot be audited.
    Audit(AuditError),
    /// The draft is not a task file, which is a defect of Candor.
    Broken(String),
}

impl fmt::Display for DraftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDemonstration => f.write_str("a draft needs the state after the work: give it by --after"),
            Self::NoDifference { number, records } => write!(
                f,
                "there is nothing to draft: BEFORE and AFTER {number} do not differ ({records} records were compared)"
            ),
            Self::Unread(unread) => {
                f.write_str("nothing was drafted, because something could not be compared:")?;
                for one in unread {
                    let side = one.side.map(|side| format!(" {side}")).unwrap_or_default();
                    let place = one.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
                    write!(f, "\n{}{side}{place}: {}", one.part, one.what)?;
                }
                Ok(())
            }
            Self::Nothing(reasons) => {
                f.write_str("there is nothing to draft: no criterion can be written about what changed")?;
                reasons.iter().try_for_each(|reason| write!(f, "\n{reason}"))
            }
            Self::Audit(error) => error.fmt(f),
            Self::Broken(what) => write!(f, "the draft cannot be read back, which is a defect of Candor: {what}"),
        }
    }
}

impl std::error::Error for DraftError {}

impl From<HardenError> for DraftError {
    fn from(error: HardenError) -> Self {
        match error {
            HardenError::Audit(error) => Self::Audit(error),
            HardenError::Task(errors) => {
                Self::Broken(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// The id and the prompt of a draft.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'a> {
    /// The id of the task; `drafted-task` by default.
    pub id: Option<&'a str>,
    /// The prompt.
    pub prompt: Option<&'a str>,
}

/// Drafts a task file from one or several demonstrations of the same work, each begun from `before`: a criterion for each
/// record that came or changed, selected by what identifies it, with fields for what the work set, and `state-unchanged` for
/// everything else. Values that systems make up are left out, and of several demonstrations what differs between them; comments
/// say so. The draft is hardened. It passes on every demonstration, and no criterion but guards passes on `before`.
///
/// # Errors
/// A demonstration that changed nothing, or a state that cannot be read.
pub async fn draft(
    engine: &Engine,
    before: &Sandbox,
    afters: &[Sandbox],
    operators: &[&[Operator]],
    about: About<'_>,
) -> Result<Hardened, DraftError> {
    let before = before.with_work(engine.work().clone());
    let afters: Vec<Sandbox> =
        afters.iter().map(|after| after.with_work(engine.work().clone()).with_baseline(before.clone())).collect();
    let Some((first, others)) = afters.split_first() else { return Err(DraftError::NoDemonstration) };
    let mut demonstrations = Vec::new();
    let mut records = 0;
    for (number, after) in (1..).zip(&afters) {
        let diff = candor_state::diff_of_work(&before, after, None).await.map_err(DraftError::Broken)?;
        if !diff.unread.is_empty() {
            return Err(DraftError::Unread(diff.unread));
        }
        if diff.differences.is_empty() {
            return Err(DraftError::NoDifference { number, records: diff.records });
        }
        records = records.max(diff.records);
        demonstrations.push(diff.differences);
    }
    let stub = stub()?;
    let drafting = Drafting { trial: Trial { engine, task: &stub }, before: &before, afters: &afters };
    let mut changes: Vec<(PartType, RecordChange)> = Vec::new();
    for part in first.parts() {
        // Seen from after the work, so that the fields of what came and changed are those of now.
        let found = record_changes(*part, first, &before, MOST_RECORDS).await;
        changes.extend(found.into_iter().map(|change| (*part, change)));
    }
    let of_first = demonstrations.first().map(Vec::as_slice).unwrap_or_default();
    let new_names: BTreeSet<String> = of_first
        .iter()
        .filter(|one| one.change == Change::Added)
        .flat_map(|one| {
            let key = one.name().strip_prefix(one.collection.as_str()).map(|key| key.trim_start_matches('/'));
            [Some(one.record.clone()), key.map(str::to_owned)]
        })
        .flatten()
        .collect();
    let (mut written, mut reasons) = (Vec::new(), Vec::new());
    for (part, change) in changes.iter().take(MOST_RECORDS) {
        let (criteria, why) = drafting.about(*part, change, &new_names).await;
        written.extend(criteria);
        reasons.extend(why);
    }
    let more = of_first.len().saturating_sub(changes.len().min(MOST_RECORDS));
    if more > 0 {
        reasons.push(format!("No criteria were drafted for {more} more records that changed: see candor diff."));
    }
    if written.is_empty() {
        return Err(DraftError::Nothing(reasons));
    }
    words::unique(&mut written);
    let head = words::head(&demonstrations, records, &reasons);
    let page = |written: &[Written]| {
        let page = Page {
            id: about.id.unwrap_or("drafted-task"),
            prompt: about.prompt,
            head: head.clone(),
            criteria: written,
        };
        page.text()
    };
    let file = Path::new(FILE);
    let task = read(file, &page(&written))?;
    let on = ground(engine, &task, first).await.map_err(DraftError::Audit)?;
    let options = Options { suggest: false, ..Options::default() };
    let report = audit_on(engine, &task, &on, operators, &options).await.map_err(DraftError::Audit)?;
    for (one, audited) in written.iter_mut().zip(&report.criteria) {
        let rejected = audited.survivors.iter().filter(|survivor| matches!(survivor.probe, "equivalence" | "order"));
        let rejected: Vec<Sandbox> = rejected.map(|survivor| on.mutant(&survivor.change)).collect();
        drafting.loosen(one, &rejected).await;
    }
    written.extend(drafting.nothing_else(&demonstrations, &written).await);
    words::unique(&mut written);
    let text = page(&written);
    let task = read(file, &text)?;
    let on = ground(engine, &task, first).await.map_err(DraftError::Audit)?;
    let hardening = Hardening { engine, file, ground: &on, also: others, operators, options: &options, days: false };
    let mut hardened = hardening.run(&text, &mut |_| true).await?;
    words::add_left(&mut hardened);
    Ok(hardened)
}

fn stub() -> Result<Task, DraftError> {
    let value = json!({"id": "draft", "criteria": [{"id": "draft", "assertion": {}}]});
    let broken = |what: String| DraftError::Broken(what);
    let document = Document::from_value(value).map_err(|error| broken(error.to_string()))?;
    Task::from_document(document)
        .map_err(|errors| broken(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))
}

struct Drafting<'a> {
    trial: Trial<'a>,
    before: &'a Sandbox,
    afters: &'a [Sandbox],
}

impl Drafting<'_> {
    async fn passes(&self, assertion: &Value, sandbox: &Sandbox) -> bool {
        let Some(criterion): Option<&Criterion> = self.trial.task.criteria.first() else { return false };
        let evidence = self.trial.judged(criterion, assertion.clone(), sandbox).await;
        evidence.is_some_and(|evidence| evidence.status() == Status::Passed)
    }

    /// The criteria about a record, or the reason for the lack of any.
    async fn about(
        &self,
        part: PartType,
        change: &RecordChange,
        new_names: &BTreeSet<String>,
    ) -> (Vec<Written>, Option<String>) {
        let difference = &change.difference;
        let became = words::told(difference);
        let came = Came {
            collection: &difference.collection,
            key: &change.key,
            fields: &change.fields,
            is_new: difference.change == Change::Removed,
        };
        let selections = part.selections(&came);
        if selections.is_empty() {
            let why = format!("No criterion for {}: {became}. No check here reads what is in it.", part.name());
            return (Vec::new(), Some(why));
        }
        let mut found = Vec::new();
        for selection in &selections {
            let mut written = self.written(part, change, selection, new_names);
            written.about = format!("{became} ({}).", difference.place.locator);
            if let Some(fitted) = self.fitted(written).await {
                found.push(fitted);
                // Those that compare fields are several ways to one record.
                if selection.fields.is_some() {
                    break;
                }
            }
        }
        let why = "No way to select it passes on every demonstration and not before the work.";
        let why = found.is_empty().then(|| format!("No criterion for {}: {became}. {why}", part.name()));
        (found, why)
    }

    fn written(
        &self,
        part: PartType,
        change: &RecordChange,
        selection: &Selection,
        new_names: &BTreeSet<String>,
    ) -> Written {
        let mut assertion = selection.assertion.clone();
        let mut found = Fields::default();
        let is_gone = change.difference.change == Change::Added;
        let (mut changed, mut gone) = (None, Vec::new());
        if let Change::Changed { fields } = &change.difference.change {
            let set = fields.iter().filter(|field| field.before.is_some());
            changed = Some(set.map(|field| field.path.clone()).collect::<BTreeSet<String>>());
            gone = fields.iter().filter(|field| field.before.is_none()).map(|field| field.path.clone()).collect();
        }
        if let (Some(member), false) = (selection.fields, is_gone) {
            let rules = Rules { made_up: part.made_up(), days: false };
            let known = Known { fields: &change.fields, changed: changed.as_ref(), gone: &gone, new_names, rules };
            found = fields_of(&known, selection);
            if let Some(members) = assertion.as_object_mut().filter(|_| !found.asserted.is_empty()) {
                members.insert(member.to_owned(), json!(found.asserted));
            }
        }
        if let (true, Some(members)) = (is_gone, assertion.as_object_mut()) {
            members.insert("count".to_owned(), json!(0));
        }
        Written {
            id: words::id(&change.difference, selection),
            label: words::label(&change.difference, selection, &found.asserted),
            assertion,
            fields: selection.fields,
            about: String::new(),
            left_out: found.left_out,
        }
    }

    /// The criterion without what does not pass on a demonstration; nothing where none is left, or it passes before the work.
    async fn fitted(&self, mut written: Written) -> Option<Written> {
        for (number, after) in self.afters.iter().enumerate() {
            if self.passes(&written.assertion, after).await {
                continue;
            }
            let why = match number {
                0 => "the check does not read it so",
                _ => "it differs between the demonstrations",
            };
            self.drop_items(&mut written, after, why).await;
            if !self.passes(&written.assertion, after).await {
                return None;
            }
        }
        (!self.passes(&written.assertion, self.before).await).then_some(written)
    }

    /// Leaves out the fields or phrases that do not pass on a sandbox by themselves.
    async fn drop_items(&self, written: &mut Written, sandbox: &Sandbox, why: &str) {
        let member = written.fields.unwrap_or("contains");
        let Some(items) = written.assertion.get(member).and_then(Value::as_array).cloned() else { return };
        let mut kept = Vec::new();
        for item in items {
            let mut single = written.assertion.clone();
            single.as_object_mut().map(|members| members.insert(member.to_owned(), json!([item])));
            if self.passes(&single, sandbox).await {
                kept.push(item);
            } else {
                written.left_out.entry(why.to_owned()).or_default().insert(words::name_of(&item));
            }
        }
        if let Some(members) = written.assertion.as_object_mut() {
            match kept.is_empty() {
                true => drop(members.shift_remove(member)),
                false => drop(members.insert(member.to_owned(), Value::Array(kept))),
            }
        }
    }

    /// Leaves out what rejects the same work written otherwise, unless the criterion would pass before the work without it.
    async fn loosen(&self, written: &mut Written, rejected: &[Sandbox]) {
        for sandbox in rejected {
            if self.passes(&written.assertion, sandbox).await {
                continue;
            }
            let mut looser = written.clone();
            self.drop_items(&mut looser, sandbox, "the same may be written otherwise").await;
            if !self.passes(&looser.assertion, self.before).await && self.passes(&looser.assertion, sandbox).await {
                *written = looser;
            }
        }
    }

    async fn nothing_else(
        &self,
        demonstrations: &[Vec<candor_check::difference::Difference>],
        written: &[Written],
    ) -> Option<Written> {
        let known = self.trial.engine.checks().iter().any(|check| check.meta().assert == STATE_UNCHANGED);
        let parts: Vec<&str> = self
            .before
            .parts()
            .iter()
            .filter(|part| known && self.before.has(part.name()))
            .map(PartType::name)
            .collect();
        if parts.is_empty() {
            return None;
        }
        let globs: Vec<&str> = written
            .iter()
            .filter_map(|one| one.assertion.get("path")?.as_str())
            .filter(|path| path.contains('*') && !path.contains('['))
            .collect();
        for whole_records in [false, true] {
            let mut except: Vec<Value> = Vec::new();
            for one in exceptions(demonstrations, whole_records) {
                let text = one.as_str().or_else(|| one.get("added")?.as_str()).unwrap_or_default();
                let (part, record) = text.split_once(':').unwrap_or((text, ""));
                if !parts.contains(&part) {
                    continue;
                }
                let glob = globs.iter().find(|glob| part == "files" && names::matches(glob, record));
                let one = glob.map_or(one.clone(), |glob| json!(format!("files:{glob}")));
                if !except.contains(&one) {
                    except.push(one);
                }
            }
            let assertion = json!({"assert": STATE_UNCHANGED, "parts": parts, "except": except});
            let mut passes = true;
            for after in self.afters {
                passes = passes && self.passes(&assertion, after).await;
            }
            if passes {
                return Some(Written {
                    id: "nothing-else".to_owned(),
                    label: "Nothing else changed".to_owned(),
                    assertion,
                    fields: Some("except"),
                    about: "Everything else stays unchanged. This needs the state from before the work: candor check --baseline.".to_owned(),
                    left_out: BTreeMap::new(),
                });
            }
        }
        None
    }
}
