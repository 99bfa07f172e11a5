//! Replaying a bundle: every stored observation is judged again and scored again, and held against what is stored.

use std::collections::BTreeMap;
use std::path::Path;

use candor_check::sandbox::Limits;
use candor_check::{Evidence, NORMALIZATION, Obstacle};
use candor_engine::{CriterionRun, Document, Engine, NotJudged, Observed, Plan, RunIdentity, Task, TaskRun};
use candor_json::{Map, Value, json};
use candor_scoring::{BenchmarkScorer, CriterionOutcome, Score, TaskResult};
use jiff::Timestamp;
use serde::Serialize;

use crate::compare::compare;
use crate::key::VerifyingKey;
use crate::manifest::{CriterionEntry, Kind, Manifest, TaskEntry, outcome};
use crate::read::{Bundle, Difference, MANIFEST, PARTS, SIGNATURE};
use crate::statement::{predicate, statement};
use crate::write::without;

/// The result of replaying a bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Replay {
    /// True if everything that the bundle still holds came out as it is stored.
    pub same: bool,
    /// Every place that came out differently.
    pub differences: Vec<Difference>,
    /// The criteria that were not judged, because what they were judged by is not in the bundle.
    pub left_out: Vec<String>,
    /// True if actual values are masked, so that nothing can be judged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// Why something could not be judged again, a sentence for each reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<String>,
    /// Who signed the bundle, and what is stated of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signed>,
    /// The task run as it came out; of a loop, that of the last look. Null of a benchmark.
    pub task_run: Value,
    /// The benchmark run as it came out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark_run: Option<Value>,
}

/// The signature of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Signed {
    /// The SHA-256 of the public key that the bundle names.
    pub keyid: String,
    /// True if the bundle was verified with a key from elsewhere, and the signature is that key's.
    pub verified: bool,
    /// The statement that was signed.
    pub statement: Value,
}

/// The result of judging stored observations by another task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejudged {
    /// The run by the other task. Criteria that the observations do not suffice for are unverifiable.
    pub run: TaskRun,
    /// Those criteria.
    pub left_out: Vec<String>,
}

/// Replays a bundle with the checks of an engine; with `key`, also verifies who signed it. No sandbox and no network is
/// needed.
#[must_use]
pub fn replay(bundle: &Bundle, engine: &Engine, key: Option<&VerifyingKey>) -> Replay {
    let mut replay = Replay {
        same: false,
        differences: bundle.damage.clone(),
        left_out: Vec::new(),
        masked: bundle.manifest.as_ref().is_some_and(|manifest| manifest.masked),
        not_judged: Vec::new(),
        signature: None,
        task_run: Value::Null,
        benchmark_run: None,
    };
    if let Some(manifest) = &bundle.manifest {
        Replaying { bundle, manifest, engine, replay: &mut replay, judged: 0 }.all(key);
    } else if key.is_some() {
        replay.differences.push(Difference::new(SIGNATURE, Value::Null, "a signature"));
    }
    replay.same = replay.differences.is_empty() && replay.not_judged.is_empty();
    replay
}

struct Replaying<'a> {
    bundle: &'a Bundle,
    manifest: &'a Manifest,
    engine: &'a Engine,
    replay: &'a mut Replay,
    judged: usize,
}

struct Again {
    result: TaskResult,
    run: Value,
}

impl Replaying<'_> {
    fn differs(&mut self, place: impl Into<String>, stored: impl Into<Value>, recomputed: impl Into<Value>) {
        self.replay.differences.push(Difference::new(place, stored, recomputed));
    }

    fn all(&mut self, key: Option<&VerifyingKey>) {
        if self.manifest.normalization > NORMALIZATION {
            let stored = self.manifest.normalization;
            self.replay.not_judged.push(format!(
                "values were compared by the rules of version {stored}, this version has {NORMALIZATION}; replay with the version of Candor that the bundle names ({})",
                self.manifest.candor
            ));
            return;
        }
        let mut results = Vec::new();
        for (number, task) in self.manifest.tasks.iter().enumerate() {
            let place = match self.manifest.kind {
                Kind::Check => "task_run".to_owned(),
                Kind::Bench | Kind::Loop => format!("task_runs[{number}]"),
            };
            results.push(self.task(&place, task));
        }
        self.verifier_is_one();
        let last = results.last().and_then(Option::as_ref).map(|again| again.run.clone());
        match self.manifest.kind {
            Kind::Bench => self.benchmark(&results),
            Kind::Check | Kind::Loop => self.replay.task_run = last.unwrap_or_default(),
        }
        self.something_was_judged();
        if self.manifest.kind == Kind::Check && self.manifest.tasks.len() != 1 {
            self.differs(format!("{MANIFEST}.tasks"), self.manifest.tasks.len(), 1);
        }
        self.signature(key);
    }

    /// A bundle in which nothing is left that could be judged is the same as nothing.
    fn something_was_judged(&mut self) {
        let criteria = self.manifest.tasks.iter().map(|task| task.criteria.len()).sum::<usize>();
        let why = match self.manifest.masked {
            true => "its actual values are masked, and what is masked cannot be judged again; its scores add up",
            false if criteria > 0 && self.judged == 0 => {
                "everything that could be judged was left out; its scores add up"
            }
            false => return,
        };
        if self.replay.differences.is_empty() && self.replay.not_judged.is_empty() {
            self.replay.not_judged.push(why.to_owned());
        }
    }

    fn verifier_is_one(&mut self) {
        let runs = self.manifest.tasks.iter().flat_map(|task| &task.criteria);
        let verifier = self.manifest.verifier_id.clone();
        let others: Vec<Value> = runs
            .filter_map(|criterion| criterion.outcome.get("verifier_id"))
            .filter(|id| id.as_str() != verifier.as_deref())
            .cloned()
            .collect();
        if let Some(other) = others.into_iter().next() {
            self.differs(format!("{MANIFEST}.verifier_id"), json!(verifier), other);
        }
    }

    fn part(&mut self, place: &str, name: &str) -> Option<Vec<u8>> {
        let part = self.bundle.part(name);
        let is_known = self.replay.differences.iter().any(|difference| difference.place == format!("{PARTS}{name}"));
        if part.is_none() && !is_known {
            self.differs(place, name, Value::Null);
        }
        part
    }

    fn task(&mut self, place: &str, entry: &TaskEntry) -> Option<Again> {
        let task = self.read_task(place, entry)?;
        if self.manifest.kind != Kind::Bench && task.id != entry.task_id {
            self.differs(format!("{place}.task_id"), entry.task_id.as_str(), task.id.as_str());
        }
        let ids: Vec<&str> = task.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
        let stored: Vec<&str> = entry.criteria.iter().map(|criterion| criterion.criterion_id.as_str()).collect();
        if ids != stored {
            self.differs(format!("{place}.criterion_runs"), json!(stored), json!(ids));
            return None;
        }
        self.part(&format!("{place}: settings"), &entry.settings);
        let name = task.name.clone();
        let plan = self.engine.plan(std::sync::Arc::new(task));
        let runs: Vec<Option<Value>> = entry
            .criteria
            .iter()
            .enumerate()
            .map(|(index, criterion)| self.criterion(place, &plan, index, criterion, entry))
            .collect();
        let outcomes: Option<Vec<CriterionOutcome<'_>>> =
            plan.task().criteria.iter().zip(&runs).map(|(criterion, run)| scored(criterion, run.as_ref()?)).collect();
        let Some(outcomes) = outcomes else {
            // What cannot be scored was named already, or its status and its score contradict each other.
            if self.replay.differences.is_empty() && self.replay.not_judged.is_empty() {
                self.differs(format!("{place}.criterion_runs"), "outcomes that cannot be scored", Value::Null);
            }
            return None;
        };
        let result = plan.score(outcomes);
        let run = TaskRun {
            id: entry.task_run_id.clone(),
            task_id: entry.task_id.clone(),
            task_name: name,
            result: result.clone(),
            criterion_runs: Vec::new(),
            scored: false,
        };
        let bare = without(&run, "criterion_runs");
        if let Some(stored) = self.json(&format!("{place}: run"), &entry.run) {
            compare(place, &stored, &bare, &mut self.replay.differences);
        }
        let mut whole = bare;
        if let Some(members) = whole.as_object_mut() {
            members.insert("criterion_runs".to_owned(), runs.into_iter().flatten().collect());
        }
        Some(Again { result, run: whole })
    }

    fn read_task(&mut self, place: &str, entry: &TaskEntry) -> Option<Task> {
        let bytes = self.part(&format!("{place}: task"), &entry.task)?;
        match task_of(self.bundle, entry, &bytes) {
            Ok(task) => Some(task),
            Err(why) => {
                self.differs(format!("{place}: task"), why, "a task");
                None
            }
        }
    }

    fn json(&mut self, place: &str, part: &str) -> Option<Value> {
        let bytes = self.part(place, part)?;
        let value = candor_json::from_slice(&bytes).ok();
        if value.is_none() {
            self.differs(place, "a part that is not JSON", "JSON");
        }
        value
    }

    /// The criterion run as it comes out; as it is stored where it cannot be judged again.
    fn criterion(
        &mut self,
        place: &str,
        plan: &Plan,
        index: usize,
        entry: &CriterionEntry,
        task: &TaskEntry,
    ) -> Option<Value> {
        let id = &entry.criterion_id;
        let place = format!("{place}.criterion_runs[{id}]");
        let identity = match identity(&entry.outcome, max_evidence(self.bundle, task)) {
            Some(identity) if identity.task_run_id == task.task_run_id => identity,
            _ => {
                self.differs(&place, Value::Object(entry.outcome.clone()), "id, task run, verifier and times");
                return None;
            }
        };
        let shown = match self.manifest.kind {
            Kind::Bench => format!("{}/{id}", task.task_id),
            Kind::Check | Kind::Loop => id.clone(),
        };
        // What was judged by may still be there for another criterion.
        let run_left_out = self.bundle.is_left_out(&entry.run);
        let is_left_out = run_left_out || entry.observation.as_ref().is_none_or(|part| self.bundle.is_left_out(part));
        let stored = match run_left_out {
            true => None,
            false => self.json(&place, &entry.run),
        };
        if let Some(stored) = &stored {
            compare(
                &format!("{MANIFEST}: {place}"),
                &Value::Object(entry.outcome.clone()),
                &Value::Object(outcome(stored)),
                &mut self.replay.differences,
            );
        }
        let Some(observation) = entry.observation.as_ref().filter(|_| !is_left_out) else {
            if !self.replay.left_out.contains(&shown) {
                self.replay.left_out.push(shown);
            }
            return Some(stored.unwrap_or_else(|| without_evidence(&entry.outcome)));
        };
        let bytes = self.part(&place, observation)?;
        let judged = match Observed::read(&bytes) {
            Ok(observed) => self.engine.judge_again(plan, index, &observed, identity),
            Err(error) => Err(NotJudged::Unreadable { check: "this version".to_owned(), problem: error.to_string() }),
        };
        match judged {
            Ok(run) => {
                self.judged += 1;
                let recomputed = json!(run);
                if let Some(stored) = stored {
                    compare(&place, &stored, &recomputed, &mut self.replay.differences);
                }
                Some(recomputed)
            }
            Err(why) => {
                self.replay.not_judged.push(format!("{shown}: {why}"));
                stored
            }
        }
    }

    fn benchmark(&mut self, results: &[Option<Again>]) {
        let Some(entry) = &self.manifest.benchmark else {
            self.differs(format!("{MANIFEST}.benchmark"), Value::Null, "a benchmark run");
            return;
        };
        let Some(stored) = self.json("benchmark_run", &entry.run) else { return };
        let mut scorer = BenchmarkScorer::new();
        for (task, again) in self.manifest.tasks.iter().zip(results) {
            let Some(again) = again else { return };
            scorer.add(Some(&task.task_id), &again.result);
        }
        let run = candor_engine::BenchmarkRun {
            id: stored.get("benchmark_run_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            benchmark_id: entry.benchmark_id.clone(),
            result: scorer.finish(),
            task_runs: Vec::new(),
        };
        let mut recomputed = without(&run, "task_runs");
        compare("benchmark_run", &stored, &recomputed, &mut self.replay.differences);
        if let Some(members) = recomputed.as_object_mut() {
            let runs = results.iter().flatten().map(|again| again.run.clone()).collect();
            members.insert("task_runs".to_owned(), runs);
        }
        self.replay.benchmark_run = Some(recomputed);
    }

    /// Holds the signature against the bundle and, if one is given, against a key.
    fn signature(&mut self, key: Option<&VerifyingKey>) {
        let bundle = self.bundle;
        let (Some(envelope), Some(signer)) = (&bundle.envelope, bundle.signer()) else {
            if key.is_some() && !self.replay.differences.iter().any(|difference| difference.place == SIGNATURE) {
                self.differs(SIGNATURE, Value::Null, "a signature: the bundle is not signed");
            }
            return;
        };
        let payload = envelope.payload();
        let stated: Value = candor_json::from_slice(&payload).unwrap_or_default();
        let result = match &self.manifest.benchmark {
            Some(entry) => bundle.part(&entry.run),
            None => self.manifest.tasks.last().and_then(|task| bundle.part(&task.run)),
        };
        let result = result.and_then(|bytes| candor_json::from_slice(&bytes).ok()).unwrap_or_default();
        let expected = statement(&bundle.manifest_bytes, &predicate(self.manifest, &result));
        compare("signature.json: statement", &stated, &expected, &mut self.replay.differences);
        let verified = key.is_some_and(|key| envelope.is_signed_by(key));
        if let Some(key) = key.filter(|_| !verified) {
            let by = envelope.key_id().unwrap_or_default();
            self.differs(SIGNATURE, format!("signed by {by}"), format!("signed by {}", key.id()));
        }
        self.replay.signature = Some(Signed { keyid: signer.id(), verified, statement: stated });
    }
}

fn task_of(bundle: &Bundle, entry: &TaskEntry, bytes: &[u8]) -> Result<Task, String> {
    let document = document(&entry.file, bytes)?;
    let task = Task::from_document(document)
        .map_err(|errors| errors.first().map_or_else(String::new, |error| error.to_string()))?;
    let folder = Path::new(&entry.file).parent().unwrap_or(Path::new(""));
    let mut files = BTreeMap::new();
    for (name, part) in &entry.files {
        let bytes = bundle.part(part).ok_or_else(|| format!("{name} is damaged or missing"))?;
        files.insert(name.clone(), Document::parse(&folder.join(name), &bytes));
    }
    files.extend(entry.unread.iter().map(|(name, unread)| (name.clone(), Err(unread.error()))));
    Ok(task.with_companions(files))
}

fn document(file: &str, bytes: &[u8]) -> Result<Document, String> {
    if file.is_empty() {
        let value = candor_json::from_slice(bytes).map_err(|error| error.to_string())?;
        return Document::from_value(value).map_err(|error| error.to_string());
    }
    Document::parse(Path::new(file), bytes).map_err(|error| error.to_string())
}

/// The limit on evidence that a task ran within; the default if the bundle does not name it.
fn max_evidence(bundle: &Bundle, task: &TaskEntry) -> u64 {
    let settings: Option<Value> = bundle.part(&task.settings).and_then(|bytes| candor_json::from_slice(&bytes).ok());
    let limit = settings.and_then(|settings| settings.pointer("/limits/max_evidence")?.as_u64());
    limit.unwrap_or_else(|| Limits::default().max_evidence)
}

fn identity(outcome: &Map<String, Value>, max_evidence: u64) -> Option<RunIdentity> {
    let text = |name: &str| outcome.get(name).and_then(Value::as_str);
    let time = |name: &str| text(name)?.parse::<Timestamp>().ok();
    Some(RunIdentity {
        id: text("id")?.to_owned(),
        task_run_id: text("task_run_id")?.to_owned(),
        verifier_id: text("verifier_id")?.to_owned(),
        started_at: time("started_at")?,
        completed_at: time("completed_at")?,
        max_evidence,
    })
}

impl Bundle {
    /// The task of a bundle of one task run, with the files that it names. `None` if it is damaged.
    #[must_use]
    pub fn task(&self) -> Option<Task> {
        let [entry] = self.manifest.as_ref()?.tasks.as_slice() else { return None };
        task_of(self, entry, &self.part(&entry.task)?).ok()
    }
}

fn scored<'a>(criterion: &'a candor_engine::Criterion, run: &Value) -> Option<CriterionOutcome<'a>> {
    let status = match run.get("status")?.as_str()? {
        "passed" => candor_scoring::Status::Passed,
        "failed" => candor_scoring::Status::Failed,
        "unverifiable" => candor_scoring::Status::Unverifiable,
        _ => return None,
    };
    let score: Score = run.get("score")?.to_string().parse().ok()?;
    let outcome = CriterionOutcome::new(&criterion.id, criterion.weight.clone(), status, score).ok()?;
    Some(outcome.on_axis(criterion.axis.as_deref()).as_gate(criterion.gate))
}

pub(crate) fn without_evidence(outcome: &Map<String, Value>) -> Value {
    let mut run = outcome.clone();
    run.insert("details".to_owned(), json!("The evidence was left out of this bundle."));
    run.insert("evidence".to_owned(), json!({}));
    Value::Object(run)
}

/// The criterion runs of a task as they come out, each with its assertion; nothing for those that cannot be judged.
pub(crate) fn judged_again(bundle: &Bundle, entry: &TaskEntry, engine: &Engine) -> Vec<Option<(CriterionRun, Value)>> {
    let task = bundle.part(&entry.task).and_then(|bytes| task_of(bundle, entry, &bytes).ok());
    let Some(task) = task else { return Vec::new() };
    let plan = engine.plan(std::sync::Arc::new(task));
    let max_evidence = max_evidence(bundle, entry);
    let one = |(index, criterion): (usize, &CriterionEntry)| {
        let observed = Observed::read(&bundle.part(criterion.observation.as_ref()?)?).ok()?;
        let run = engine.judge_again(&plan, index, &observed, identity(&criterion.outcome, max_evidence)?).ok()?;
        Some((run, plan.task().criteria.get(index)?.assertion.clone()))
    };
    entry.criteria.iter().enumerate().map(one).collect()
}

/// Judges the observations of a bundle by another task. A criterion is judged by the first stored one that observed the same:
/// the one of the same id, or any other.
///
/// # Errors
/// When the bundle is damaged, or is one of a benchmark or a loop.
pub fn rejudge(bundle: &Bundle, engine: &Engine, task: Task) -> Result<Rejudged, Vec<Difference>> {
    let one = |manifest: &Manifest| (manifest.kind == Kind::Check).then(|| manifest.tasks.first().cloned()).flatten();
    let Some(entry) = bundle.manifest.as_ref().and_then(one).filter(|_| bundle.damage.is_empty()) else {
        let mut damage = bundle.damage.clone();
        if damage.is_empty() {
            damage.push(Difference::new(MANIFEST, "several task runs", "one task run, as `candor check` writes it"));
        }
        return Err(damage);
    };
    let stored = bundle.part(&entry.task).ok_or_else(|| "the task is missing".to_owned());
    let stored = stored.and_then(|bytes| task_of(bundle, &entry, &bytes));
    let stored = stored.map_err(|why| vec![Difference::new("task_run: task", why, "a task")])?;
    let stored = engine.plan(std::sync::Arc::new(stored));
    let plan = engine.plan(std::sync::Arc::new(task));
    let mut left_out = Vec::new();
    let runs: Vec<CriterionRun> = (0..plan.task().criteria.len())
        .filter_map(|index| {
            let run = judged_by(bundle, engine, &entry, &stored, &plan, index);
            if run.as_ref().is_some_and(|(_, judged)| !judged) {
                left_out.extend(plan.task().criteria.get(index).map(|criterion| criterion.id.clone()));
            }
            run.map(|(run, _)| run)
        })
        .collect();
    let result = plan.score(runs.iter().filter_map(|run| run.outcome().ok()));
    let run = TaskRun {
        id: entry.task_run_id.clone(),
        task_id: plan.task().id.clone(),
        task_name: plan.task().name.clone(),
        result,
        criterion_runs: runs.clone(),
        scored: false,
    };
    Ok(Rejudged { run, left_out })
}

/// A criterion of another task, and whether it was judged by a stored observation.
fn judged_by(
    bundle: &Bundle,
    engine: &Engine,
    entry: &TaskEntry,
    stored: &Plan,
    plan: &Plan,
    index: usize,
) -> Option<(CriterionRun, bool)> {
    let criterion = plan.task().criteria.get(index)?;
    let of = |other: usize| entry.criteria.get(other).filter(|_| plan.observes_the_same(index, stored, other));
    let all: Vec<&CriterionEntry> = (0..entry.criteria.len()).filter_map(of).collect();
    let same_id = all.iter().find(|one| one.criterion_id == criterion.id);
    let found = same_id.or(all.first()).copied();
    let identity = identity(&found.or(entry.criteria.first())?.outcome, max_evidence(bundle, entry))?;
    let because = |why: String| {
        let evidence = Evidence::unverifiable(Obstacle::NoSource, Vec::new(), why);
        let run = engine.without_observation(plan, index, evidence, identity.clone())?;
        // A wrong assertion needs no observation.
        let is_judged = run.reason() != Some(Obstacle::NoSource.name());
        Some((run, is_judged))
    };
    let Some(found) = found else {
        return because(
            "The bundle holds no observation of what this criterion looks at: what it selects differs from every criterion of the bundle."
                .to_owned(),
        );
    };
    let observed = found.observation.as_ref().and_then(|part| bundle.part(part));
    let Some(observed) = observed.and_then(|bytes| Observed::read(&bytes).ok()) else {
        let id = &found.criterion_id;
        return because(format!(
            "The observation of `{id}`, which this criterion looks at, was left out of the bundle."
        ));
    };
    match engine.judge_again(plan, index, &observed, identity.clone()) {
        Ok(run) => Some((run, true)),
        Err(why) => because(format!("The stored observation cannot be judged: {why}.")),
    }
}

impl Replay {
    /// True if something could not be judged again, and everything that was judged came out as stored.
    #[must_use]
    pub fn is_not_judged(&self) -> bool {
        self.differences.is_empty() && !self.not_judged.is_empty()
    }
}
