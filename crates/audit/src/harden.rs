//! Mends what an audit finds: adds to a task file what kills its survivors, and leaves every other byte as it is.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use candor_check::operators::Operator;
use candor_check::{Sandbox, Status};
use candor_engine::edit::{Edit, edited};
use candor_engine::{Document, Engine, FileError, Task};
use candor_json::{Value, json};
use serde::Serialize;

use crate::additions::Addition;
use crate::audit::{AuditError, Options, audit_on, ground};
use crate::ground::Ground;
use crate::mend::{Sibling, is_mendable, judges, part_of};
use crate::report::{CriterionReport, Influence, Killed, Order, Report, Survivor};
use crate::suggest::NotFound;
use crate::trial::Trial;

/// How often what was mended is audited again.
const ROUNDS: usize = 6;

/// Is asked whether an addition is made.
pub type Ask<'a> = dyn FnMut(&Mended) -> bool + Send + 'a;

/// An addition to a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mended {
    /// The criterion that lets the survivor live.
    pub criterion_id: String,
    /// The survivor, in one sentence.
    pub survivor: String,
    /// The members that were merged into the assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addition: Option<Value>,
    /// The criterion that was added in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sibling: Option<Value>,
    /// For each field that is now one of several, the list of fields that passes as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<Value>,
}

/// A finding that was not mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The criterion; nothing where it is the task.
    pub criterion_id: Option<String>,
    /// The finding, in one sentence.
    pub what: String,
    /// Why it is left, and what to do.
    pub why: String,
}

/// A hardened task file.
#[derive(Clone, Debug)]
pub struct Hardened {
    /// The text of the file. Without additions it is the text that was given, byte for byte.
    pub text: String,
    /// The additions, in the order in which they were made.
    pub mended: Vec<Mended>,
    /// Findings that were not mended.
    pub left: Vec<Left>,
    /// How many additions would have killed a survivor, and were refused: they reject the work, or a form of it that was
    /// accepted.
    pub refused: usize,
    /// The audit of the file as it is now.
    pub report: Report,
}

impl Hardened {
    /// The file, what was added, what was left, and the audit, as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({"task": self.text, "added": self.mended, "left": self.left, "refused": self.refused, "audit": self.report.to_value()})
    }
}

/// Why nothing was hardened.
#[derive(Debug)]
pub enum HardenError {
    /// The task file is wrong: all that is.
    Task(Vec<FileError>),
    /// It cannot be audited.
    Audit(AuditError),
}

impl fmt::Display for HardenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(errors) => {
                let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Self::Audit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HardenError {}

/// Adds to a task file what kills the survivors of its audit. Each addition was tried: everything that passed on `passing`
/// still does, no equivalent that was accepted is rejected, and the survivor dies. `ask` decides about each; `|_| true` makes
/// them all. The name of the file says whether it is JSON or YAML, and what the paths in it are relative to.
///
/// # Errors
/// A task file that is wrong, or that cannot be audited.
pub async fn harden(
    engine: &Engine,
    file: &Path,
    text: &str,
    passing: &Sandbox,
    operators: &[&[Operator]],
    options: &Options,
    ask: &mut Ask<'_>,
) -> Result<Hardened, HardenError> {
    let task = read(file, text)?;
    let ground = ground(engine, &task, passing).await.map_err(HardenError::Audit)?;
    let hardening = Hardening { engine, file, ground: &ground, also: &[], operators, options, days: true };
    hardening.run(text, ask).await
}

pub(crate) fn read(file: &Path, text: &str) -> Result<Task, HardenError> {
    let document = Document::parse(file, text.as_bytes()).map_err(|error| HardenError::Task(vec![error]))?;
    Task::from_document(document).map_err(HardenError::Task)
}

pub(crate) struct Hardening<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) file: &'a Path,
    pub(crate) ground: &'a Ground,
    pub(crate) also: &'a [Sandbox],
    pub(crate) operators: &'a [&'a [Operator]],
    pub(crate) options: &'a Options,
    pub(crate) days: bool,
}

pub(crate) struct Pen<'p, 'a> {
    pub(crate) text: String,
    mended: Vec<Mended>,
    left: Vec<Left>,
    declined: HashSet<(String, String)>,
    refused: HashSet<(String, String)>,
    /// Other forms of the work that cannot be accepted without letting something live.
    pub(crate) unsound: HashSet<(String, String)>,
    ask: &'p mut Ask<'a>,
}

impl Hardening<'_> {
    pub(crate) async fn run(&self, text: &str, ask: &mut Ask<'_>) -> Result<Hardened, HardenError> {
        let mut pen = Pen {
            text: text.to_owned(),
            mended: Vec::new(),
            left: Vec::new(),
            declined: HashSet::new(),
            refused: HashSet::new(),
            unsound: HashSet::new(),
            ask,
        };
        let options = self.unsuggested();
        let (mut round, mut widens) = (0, self.options.widen);
        loop {
            round += 1;
            let task = read(self.file, &pen.text)?;
            let audited = audit_on(self.engine, &task, self.ground, self.operators, &options).await;
            let report = audited.map_err(HardenError::Audit)?;
            let before = pen.mended.len();
            pen.left.clear();
            if task.criteria.is_empty() {
                pen.leave(
                    None,
                    "the task has no criteria".to_owned(),
                    "nothing can be added to what asserts nothing".to_owned(),
                );
            }
            let trial = Trial { engine: self.engine, task: &task };
            let mut sibling = Sibling::of(trial, self.ground, self.also, &report).await;
            for (index, one) in report.criteria.iter().enumerate() {
                self.criterion(index, trial, one, &mut sibling, &mut pen).await;
            }
            if pen.mended.len() == before || round >= ROUNDS {
                if std::mem::take(&mut widens) {
                    self.widen(report, &mut pen).await?;
                    continue;
                }
                let Pen { text, mended, left, refused, .. } = pen;
                return Ok(Hardened { text, mended, left, refused: refused.len(), report });
            }
        }
    }

    pub(crate) fn unsuggested(&self) -> Options {
        Options { suggest: false, ..self.options.clone() }
    }

    async fn criterion(
        &self,
        index: usize,
        trial: Trial<'_>,
        report: &CriterionReport,
        sibling: &mut Option<Sibling<'_>>,
        pen: &mut Pen<'_, '_>,
    ) {
        let Some(criterion) = trial.task.criteria.get(index) else { return };
        let id = criterion.id.as_str();
        for (what, why) in beyond_mending(report) {
            pen.leave(Some(id), what, why);
        }
        for survivor in report.survivors.iter().filter(|one| is_left(one) && one.probe == "equivalence") {
            let key = (id.to_owned(), survivor.change.sentence.clone());
            let why = match self.options.widen {
                false => {
                    "it is the same work written otherwise; an addition only makes the criterion stricter, so loosen it, or try --widen"
                }
                true if pen.declined.contains(&key) => "the alternative was declined",
                true if pen.unsound.contains(&key) => "an alternative that accepts it lets wrong work pass",
                true => "it is the same work written otherwise, and no alternative to a field accepts it; loosen it",
            };
            pen.leave(Some(id), survivor.sentence.clone(), why.to_owned());
        }
        if report.status != "passed" {
            return;
        }
        let judges = judges(trial, self.ground, self.also, report, self.days);
        let mut assertion = criterion.assertion.clone();
        for target in self.targets(index, trial, report) {
            if judges.kills(criterion, &assertion, &target.sandbox).await.is_some() {
                continue;
            }
            if pen.declined.contains(&(id.to_owned(), target.sentence.clone())) {
                pen.leave(Some(id), target.sentence, "the addition was declined".to_owned());
                continue;
            }
            let why = match judges.find(criterion, &assertion, &target.sandbox, &target.part).await {
                Ok(found) => match pen.add(self.file, index, id, &target.sentence, &found.addition) {
                    Ok(true) => {
                        assertion = found.assertion;
                        continue;
                    }
                    Ok(false) => "the addition was declined".to_owned(),
                    Err(why) => why,
                },
                Err(why) => match self.by_sibling(id, &target, sibling, pen).await {
                    Some(Ok(())) => continue,
                    Some(Err(why)) => why,
                    None => reason(why, self.ground.sandbox.baseline().is_some()),
                },
            };
            pen.leave(Some(id), target.sentence, why);
        }
        let refused = judges.refused.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        pen.refused.extend(refused.into_iter().map(|addition| (id.to_owned(), addition)));
    }

    /// Adds the criterion that nothing else changed, where it kills. Once it is there, it kills others as well.
    async fn by_sibling(
        &self,
        id: &str,
        target: &Target,
        sibling: &mut Option<Sibling<'_>>,
        pen: &mut Pen<'_, '_>,
    ) -> Option<Result<(), String>> {
        let criterion = match sibling {
            Some(sibling) if sibling.kills(&target.sandbox).await => sibling.criterion.clone(),
            _ => return None,
        };
        let is_there = |mended: &Mended| mended.sibling.as_ref() == Some(&criterion);
        if pen.mended.iter().any(is_there) {
            return Some(Ok(()));
        }
        let added = pen.add_criterion(id, &target.sentence, self.file, criterion);
        Some(added.and_then(|added| if added { Ok(()) } else { Err("the addition was declined".to_owned()) }))
    }

    /// The states that have to fail: survivors, and the sandboxes in which nothing was done.
    fn targets(&self, index: usize, trial: Trial<'_>, report: &CriterionReport) -> Vec<Target> {
        let mut targets = Vec::new();
        let task = std::sync::Arc::new(trial.task.clone());
        let part = self.engine.plan(task).part(index).unwrap_or_default();
        let nothing = [
            (report.null, self.ground.empty().ok(), "It passes where every part is empty."),
            (report.baseline, self.ground.sandbox.baseline().cloned(), "It passes before the work was done."),
        ];
        for (killed, sandbox, sentence) in nothing {
            if let (Killed::Vacuous, Some(sandbox)) = (killed, sandbox) {
                targets.push(Target { sandbox, part: part.to_owned(), sentence: sentence.to_owned() });
            }
        }
        for survivor in report.survivors.iter().filter(|survivor| is_mendable(survivor)) {
            targets.push(Target {
                sandbox: self.ground.mutant(&survivor.change),
                part: part_of(&survivor.locator).to_owned(),
                sentence: survivor.sentence.clone(),
            });
        }
        targets
    }
}

/// A sandbox on which a criterion must not pass.
struct Target {
    sandbox: Sandbox,
    part: String,
    sentence: String,
}

fn reason(why: NotFound, has_baseline: bool) -> String {
    let text = match why {
        NotFound::Lives => "no addition to the assertion notices it",
        NotFound::TooStrict => "what would notice it also rejects the work, or the same work written otherwise",
    };
    let hint = if has_baseline { "" } else { "; with --baseline, `state-unchanged` would be tried as well" };
    format!("{text}{hint}")
}

/// True if a survivor is a finding that no addition mends. A remark is for a person to judge, and is not a finding.
fn is_left(survivor: &Survivor) -> bool {
    survivor.accepted.is_none() && survivor.probe != "remark" && !is_mendable(survivor)
}

/// Findings that no addition can mend, with the reason.
fn beyond_mending(report: &CriterionReport) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if report.status != Status::Passed.name() {
        let details = report.details.clone().unwrap_or_default();
        let why = "it was not audited; give a sandbox in which the work was done, or correct the criterion";
        found.push((format!("It does not pass: {details}"), why.to_owned()));
        return found;
    }
    if report.runs_code {
        let what = "It runs a command over the workspace.".to_owned();
        found.push((what, "an audit does not change what a command reads".to_owned()));
    }
    for survivor in report.survivors.iter().filter(|one| is_left(one) && one.probe != "equivalence") {
        let why = match survivor.probe {
            "order" => "another order changes the outcome; select by a value, or set `match`",
            _ => "no criterion about a call notices it; assert the record in a criterion of its own",
        };
        found.push((survivor.sentence.clone(), why.to_owned()));
    }
    if report.influence == Influence::Dead {
        let why = "its weight is for its author to set; or give it `gate: true`";
        found.push(("No verdict on the task depends on it.".to_owned(), why.to_owned()));
    }
    if report.order == Order::Flaky && report.survivors.iter().all(|survivor| survivor.probe != "order") {
        let why = "select by a value, or set `match`".to_owned();
        found.push(("Another order changes the outcome.".to_owned(), why));
    }
    found
}

impl Pen<'_, '_> {
    fn leave(&mut self, criterion: Option<&str>, what: String, why: String) {
        self.left.push(Left { criterion_id: criterion.map(str::to_owned), what, why });
    }

    pub(crate) fn asked(&mut self, mended: Mended, edits: &[Edit], file: &Path) -> Result<bool, String> {
        // Whether it can be written is known before anybody is asked.
        let text = edited(file, &self.text, edits).map_err(|error| error.to_string())?;
        if !(self.ask)(&mended) {
            self.declined.insert((mended.criterion_id, mended.survivor));
            return Ok(false);
        }
        self.text = text;
        self.mended.push(mended);
        Ok(true)
    }

    /// Merges an addition into the assertion of the criterion at `index`.
    fn add(
        &mut self,
        file: &Path,
        index: usize,
        id: &str,
        survivor: &str,
        addition: &Addition,
    ) -> Result<bool, String> {
        let document = Document::parse(file, self.text.as_bytes()).map_err(|error| error.to_string())?;
        let at = index.to_string();
        let written = document.value().get("criteria").and_then(|all| all.get(index)?.get("assertion"));
        let steps = ["criteria", at.as_str(), "assertion"].map(str::to_owned).to_vec();
        let mut edits = Vec::new();
        for (name, value) in addition {
            match (written.and_then(|assertion| assertion.get(name)), value) {
                (Some(_), Value::Array(items)) => {
                    let steps: Vec<String> = steps.iter().cloned().chain([name.clone()]).collect();
                    let append = |item| Edit::Append { steps: steps.clone(), value: escaped(item) };
                    edits.extend(items.iter().map(append));
                }
                _ => edits.push(Edit::Put { steps: steps.clone(), name: name.clone(), value: escaped(value) }),
            }
        }
        let mended = Mended {
            criterion_id: id.to_owned(),
            survivor: survivor.to_owned(),
            addition: Some(Value::Object(addition.clone())),
            sibling: None,
            alternatives: None,
        };
        self.asked(mended, &edits, file)
    }

    fn add_criterion(&mut self, id: &str, survivor: &str, file: &Path, criterion: Value) -> Result<bool, String> {
        let edit = Edit::Append { steps: vec!["criteria".to_owned()], value: escaped(&criterion) };
        let mended = Mended {
            criterion_id: id.to_owned(),
            survivor: survivor.to_owned(),
            addition: None,
            sibling: Some(criterion),
            alternatives: None,
        };
        self.asked(mended, &[edit], file)
    }
}

/// A value whose texts are escaped, so that nothing in them is read as a placeholder.
pub(crate) fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("${", "$${")),
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), escaped(value))).collect())
        }
        other => other.clone(),
    }
}
