//! The runner: every probe of every criterion, judged by the ordinary engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use candor_check::difference::Change as Fields;
use candor_check::evidence::Entry;
use candor_check::field::Location;
use candor_check::operators::{Change, Kind, Operator, Target};
use candor_check::{Evidence, Sandbox, Status};
use candor_engine::{CriterionRun, Engine, FileError, Plan, Task};
use candor_json::Value;
use candor_scoring::{Stake, influences};
use futures_util::stream::{self, StreamExt as _};
use sha2::{Digest as _, Sha256};

use crate::accept;
use crate::additions::RecordChange;
use crate::apart;
use crate::distinct::Distinct;
use crate::fate::{Fate, accepts, forbids, rests_on};
use crate::ground::Ground;
use crate::leaf::{Asserted, LeafMutant, asserted, of_selection};
use crate::mend::part_of;
use crate::paths::is_of_another;
use crate::report::{
    ANOTHER_RECORD, CriterionReport, Finding, Grade, Influence, Killed, Order, Report, SAID_NOT_DONE, Survivor, Tried,
};
use crate::trial::{part_named, record_changes};

/// The part that holds the calls.
const CALLS: &str = "voice";
/// How many mutants are judged side by side.
const SIDE_BY_SIDE: usize = 4;
/// The part of a criterion that is about all parts: the state before the work, against which they are held.
const WHOLE_STATE: &str = "baseline";
/// The longest quotation of a change, in bytes.
const LONGEST: usize = 160;

/// A way to try a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Empty parts, and the state before the work.
    Null,
    /// Asserted values, deleted and replaced.
    Leaf,
    /// Changes that make the work wrong.
    Harm,
    /// Changes that leave the meaning unchanged.
    Equivalence,
    /// The influence of the criterion on the verdict.
    Influence,
    /// Other orders of files and candidates.
    Order,
}

impl Probe {
    /// All, by name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("null", Self::Null),
        ("leaf", Self::Leaf),
        ("harm", Self::Harm),
        ("equivalence", Self::Equivalence),
        ("influence", Self::Influence),
        ("order", Self::Order),
    ];

    /// The probe of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, probe)| *probe)
    }
}

/// The scope of an audit.
#[derive(Clone, Debug)]
pub struct Options {
    /// The probes; all by default.
    pub probes: Vec<Probe>,
    /// The most mutants of each probe of each criterion.
    pub mutants: usize,
    /// The seed of the choice of mutants, if there are more than that.
    pub seed: u64,
    /// True if the audit looks for additions that kill survivors.
    pub suggest: bool,
    /// Lets `harden` also give fields an alternative that accepts another form of the work.
    pub widen: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            probes: Probe::ALL.iter().map(|(_, probe)| *probe).collect(),
            mutants: 500,
            seed: 1,
            suggest: true,
            widen: false,
        }
    }
}

/// Why nothing was audited.
#[derive(Debug)]
pub enum AuditError {
    /// The task's own settings of the audit are wrong.
    Task(Box<FileError>),
    /// The sandbox cannot be read.
    Sandbox(String),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(error) => error.fmt(f),
            Self::Sandbox(what) => write!(f, "the sandbox cannot be audited: {what}"),
        }
    }
}

impl std::error::Error for AuditError {}

/// Audits a task over a sandbox in which its work was done. Nothing is written; a source that goes on living is captured
/// first.
///
/// # Errors
/// Settings of the audit that are wrong, or a sandbox that cannot be captured.
pub async fn audit(
    engine: &Engine,
    task: &Task,
    passing: &Sandbox,
    operators: &[&[Operator]],
    options: &Options,
) -> Result<Report, AuditError> {
    let ground = ground(engine, task, passing).await?;
    let mut report = audit_on(engine, task, &ground, operators, options).await?;
    if options.suggest {
        crate::mend::suggest(engine, task, &ground, &mut report).await;
    }
    Ok(report)
}

/// The files that an audit changes copies of.
///
/// # Errors
/// A sandbox that cannot be captured.
pub(crate) async fn ground(engine: &Engine, task: &Task, passing: &Sandbox) -> Result<Ground, AuditError> {
    let whole = engine.plan(Arc::new(task.clone()));
    let here = passing.with_work(engine.work().clone());
    // Of a call, the records that it is about are put back.
    let all = whole.reads(CALLS) && here.baseline().is_some();
    Ground::of(&here, |part| whole.reads(part) || whole.reads(WHOLE_STATE), all).await.map_err(AuditError::Sandbox)
}

/// Audits a task, without suggestions.
///
/// # Errors
/// Settings of the audit that are wrong.
pub(crate) async fn audit_on(
    engine: &Engine,
    task: &Task,
    ground: &Ground,
    operators: &[&[Operator]],
    options: &Options,
) -> Result<Report, AuditError> {
    let accepted = accept::read(task.audit_settings())
        .map_err(|message| AuditError::Task(Box::new(task.error_in_audit(&["accept"], message))))?;
    let whole = engine.plan(Arc::new(task.clone()));
    let empty = ground.empty().map_err(AuditError::Sandbox)?;
    let run = engine.run(&whole, &ground.sandbox).await;
    let stakes: Vec<Stake<'_>> = task
        .criteria
        .iter()
        .map(|one| Stake { weight: &one.weight, gate: one.gate, partial_credit: one.partial_credit })
        .collect();
    let influences = influences(&stakes, &task.pass);
    let mut audited = Audited {
        engine,
        ground,
        empty,
        plans: single_plans(engine, task),
        passing: &run.criterion_runs,
        assertions: task.criteria.iter().map(|one| &one.assertion).collect(),
        options,
        operators: operators.iter().flat_map(|list| list.iter()).collect(),
        made: BTreeMap::new(),
        distinct: Distinct::default(),
        mutants: 0,
        findings: Vec::new(),
    };
    let mut criteria = Vec::new();
    let mut selections = Vec::new();
    for (index, ran) in run.criterion_runs.iter().enumerate() {
        let guard = whole.review(index).is_some_and(|review| review.passes_on_nothing);
        let selection = |every| {
            let assertion = task.criteria.get(index).map(|one| &one.assertion);
            assertion.map(|one| selected_by(one, every)).unwrap_or_default()
        };
        let influence = match influences.get(index) {
            _ if !options.probes.contains(&Probe::Influence) => Influence::NotAsked,
            None | Some(candor_scoring::Influence::None) => Influence::Dead,
            Some(_) => Influence::Decides,
        };
        criteria.push(audited.criterion(index, ran, guard, &selection(false), influence).await);
        selections.push(selection(true));
    }
    if options.probes.contains(&Probe::Leaf) {
        audited.records_apart(&mut criteria, &selections).await;
    }
    let Audited { made, distinct, mutants, mut findings, .. } = audited;
    findings.extend(accept::apply(&accepted, &mut criteria));
    let missing: Vec<&str> =
        Probe::ALL.iter().filter(|(_, probe)| !options.probes.contains(probe)).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        let message = format!("not asked: {}; so that nothing is proven", missing.join(", "));
        findings.push(Finding { code: "probes", message });
    }
    let asked = |probe| options.probes.contains(&probe);
    let graded = |one: CriterionReport| one.graded(missing.is_empty(), asked(Probe::Leaf), asked(Probe::Harm));
    let criteria: Vec<CriterionReport> = criteria.into_iter().map(graded).collect();
    findings.extend(ground.gaps.iter().map(|gap| Finding { code: "gap", message: format!("not read: {gap}") }));
    if criteria.is_empty() {
        findings.push(Finding {
            code: "no_criteria",
            message: "the task has no criteria, so that nothing is audited".to_owned(),
        });
    }
    let cut: usize = criteria.iter().map(CriterionReport::cut).sum();
    if cut > 0 {
        let message =
            format!("{cut} mutants were left out by --mutants {}; what they would show is not known", options.mutants);
        findings.push(Finding { code: "cut", message });
    }
    Ok(Report {
        task_id: task.id.clone(),
        seed: options.seed,
        mutants,
        grade: criteria.iter().map(|one| one.grade).max().unwrap_or(Grade::Unaudited),
        has_baseline: ground.sandbox.baseline().is_some(),
        criteria,
        findings,
        operators: made,
        distinct: distinct.counts(),
    })
}

fn single_plans(engine: &Engine, task: &Task) -> Vec<Plan> {
    let single = |criterion: &candor_engine::Criterion| {
        let mut single = task.clone();
        single.criteria = vec![criterion.clone()];
        engine.plan(Arc::new(single))
    };
    task.criteria.iter().map(single).collect()
}

/// True for the result of a value in the source, false for that of a number or a form.
fn is_of_a_value(entry: &Entry) -> bool {
    match entry {
        Entry::Field(field) => !field.path.contains('$') || field.path.starts_with("$."),
        Entry::Phrase(_) => true,
    }
}

/// The values that an assertion selects by: records, and items of them. The forms of one concept are together. Without
/// `every`, numbers are left out, and texts of one or two letters: they may be in a record in many places. The `value`
/// of a row's key is not left out: a column of the row is equal to it.
fn selected_by(assertion: &Value, every: bool) -> Vec<Vec<String>> {
    fn texts(value: &Value, every: bool, found: &mut Vec<String>) {
        let least = if every { 1 } else { 3 };
        match value {
            Value::String(text) if text.chars().count() >= least => found.push(text.clone()),
            Value::Number(number) if every => found.push(number.to_string()),
            Value::Object(members) => members.values().for_each(|value| texts(value, every, found)),
            Value::Array(items) => items.iter().for_each(|value| texts(value, every, found)),
            _ => {}
        }
    }
    let mut found: Vec<Vec<String>> = Vec::new();
    fn alone(value: &Value, every: bool, found: &mut Vec<Vec<String>>) {
        let mut own = Vec::new();
        texts(value, every, &mut own);
        found.extend(own.into_iter().map(|text| vec![text]));
    }
    fn conditions(entries: &Value, every: bool, found: &mut Vec<Vec<String>>) {
        for entry in entries.as_array().into_iter().flatten() {
            for condition in entry.get("where").and_then(Value::as_array).into_iter().flatten() {
                condition.get("expected").into_iter().for_each(|value| alone(value, every, found));
            }
            let within = ["where", "fields"].iter().filter_map(|name| entry.get(*name));
            within.for_each(|own| conditions(own, every, found));
        }
    }
    for member in ["search", "correlate_by"] {
        for (name, value) in assertion.get(member).and_then(Value::as_object).into_iter().flat_map(|all| all.iter()) {
            let every = every || member == "correlate_by" && name == "value";
            match value.get("concept") {
                None if member == "search" => found.extend(tokens(value, every)),
                None => alone(value, every, &mut found),
                Some(concept) => {
                    let mut forms = Vec::new();
                    ["any", "names"]
                        .iter()
                        .filter_map(|name| concept.get(*name))
                        .for_each(|own| texts(own, every, &mut forms));
                    // Of `system|code` the record holds the code.
                    found.push(
                        forms.into_iter().map(|form| form.rsplit('|').next().unwrap_or(&form).to_owned()).collect(),
                    );
                }
            }
        }
    }
    for member in ["fields", "assertions"] {
        assertion.get(member).into_iter().for_each(|entries| conditions(entries, every, &mut found));
    }
    found.sort();
    found.dedup();
    found
}

/// The values of a search parameter, as a record holds them: of `system|code` the code. Values of which one is enough are
/// together.
fn tokens(value: &Value, every: bool) -> Vec<Vec<String>> {
    let least = if every { 1 } else { 3 };
    let of = |text: &str| -> Vec<String> {
        let values = text.split(',').map(|one| one.rsplit('|').find(|part| !part.is_empty()).unwrap_or(one));
        values.filter(|one| one.chars().count() >= least).map(str::to_owned).collect()
    };
    match value {
        // What is escaped is not split.
        Value::String(text) if text.contains('\\') => vec![vec![text.clone()]],
        Value::String(text) => Some(of(text)).filter(|forms| !forms.is_empty()).into_iter().collect(),
        Value::Number(number) if every => vec![vec![number.to_string()]],
        Value::Array(items) => items.iter().flat_map(|item| tokens(item, every)).collect(),
        Value::Object(members) => members.values().flat_map(|member| tokens(member, every)).collect(),
        _ => Vec::new(),
    }
}

struct Audited<'a> {
    engine: &'a Engine,
    ground: &'a Ground,
    empty: Sandbox,
    plans: Vec<Plan>,
    passing: &'a [CriterionRun],
    assertions: Vec<&'a Value>,
    options: &'a Options,
    operators: Vec<&'a Operator>,
    made: BTreeMap<String, usize>,
    distinct: Distinct,
    mutants: usize,
    findings: Vec<Finding>,
}

struct Mutant {
    operator: &'static str,
    change: Change,
}

impl Audited<'_> {
    async fn criterion(
        &mut self,
        index: usize,
        ran: &CriterionRun,
        guard: bool,
        selection: &[Vec<String>],
        influence: Influence,
    ) -> CriterionReport {
        let mut report = CriterionReport {
            criterion_id: ran.criterion_id.clone(),
            status: ran.status().name(),
            details: None,
            guard,
            null: Killed::NotAsked,
            baseline: Killed::NotAsked,
            leaf: Tried::default(),
            harm: Tried::default(),
            breach: Tried::default(),
            equivalence: Tried::default(),
            influence,
            order: Order::NotTried,
            grade: Grade::Unaudited,
            survivors: Vec::new(),
            runs_code: false,
            asserts_values: !selection.is_empty() || ran.evidence.results.iter().any(is_of_a_value),
            equivalents: Vec::new(),
        };
        if ran.status() != Status::Passed {
            report.details = Some(ran.evidence.details().to_owned());
            let message = format!(
                "{} does not pass on the sandbox in which the work was done, and was not audited",
                ran.criterion_id
            );
            self.findings.push(Finding { code: "not_passing", message });
            return report;
        }
        // What it runs is a folder of this machine, which no mutant changes.
        if self.plans.get(index).is_some_and(|plan| plan.runs_code(0)) {
            let message = format!("{} runs a command over the workspace, and was not audited", ran.criterion_id);
            self.findings.push(Finding { code: "runs_code", message });
            report.runs_code = true;
            return report;
        }
        if self.asked(Probe::Null) {
            report.null = if guard { Killed::Guard } else { self.nothing(index, &self.empty).await };
            report.baseline = match self.ground.sandbox.baseline() {
                None => Killed::NotGiven,
                Some(_) if guard => Killed::Guard,
                Some(before) => self.nothing(index, before).await,
            };
        }
        if report.baseline == Killed::Undecided {
            let message = format!("{} could not be decided on the baseline", ran.criterion_id);
            self.findings.push(Finding { code: "baseline_undecided", message });
        }
        let asserted = asserted(&ran.evidence, selection, self.ground);
        if self.asked(Probe::Leaf) {
            self.leaves(index, &asserted, &mut report).await;
        }
        for (probe, kind) in [
            (Probe::Harm, Kind::Harm),
            (Probe::Harm, Kind::Remark),
            (Probe::Harm, Kind::Breach),
            (Probe::Equivalence, Kind::Equivalence),
            (Probe::Order, Kind::Order),
        ] {
            // A guard is tried by what it forbids. Other wrong work is for other criteria.
            let applies = match kind {
                // How a record may be written differently is for the criteria that read it.
                _ if self.is_of_whole_state(index) => kind == Kind::Breach,
                Kind::Breach => guard || forbids(&ran.evidence),
                Kind::Harm | Kind::Remark => !guard,
                _ => true,
            };
            if self.asked(probe) && applies {
                self.operated(index, kind, ran, &asserted, &mut report).await;
            }
        }
        if self.asked(Probe::Harm) && !guard && self.plans.get(index).and_then(|plan| plan.part(0)) == Some(CALLS) {
            self.said_not_done(index, &mut report).await;
        }
        report
    }

    /// Puts each other part into its state from before the work: the call says that it was done, and it was not.
    async fn said_not_done(&mut self, index: usize, report: &mut CriterionReport) {
        for part in self.ground.compared().filter(|part| *part != CALLS).collect::<Vec<_>>() {
            let sentence = format!("{part}/ is in its state from before the work, and the calls are as they are.");
            let Some(change) = self.ground.undone(part, sentence) else { continue };
            let sandbox = self.ground.mutant(&change);
            let part = part_named(&sandbox, part);
            // Files may differ in bytes alone.
            let is_other = match part {
                Some(part) => !record_changes(part, &self.ground.sandbox, &sandbox, 1).await.is_empty(),
                None => false,
            };
            if !is_other {
                continue;
            }
            self.mutants += 1;
            self.distinct.add("harm", &change);
            *self.made.entry(SAID_NOT_DONE.to_owned()).or_default() += 1;
            report.harm.tried += 1;
            match self.covered(index, &sandbox).await {
                true => report.harm.covered += 1,
                false => report.survivors.push(self.survivor("harm", SAID_NOT_DONE, &change)),
            }
        }
    }

    fn is_of_whole_state(&self, index: usize) -> bool {
        self.plans.get(index).and_then(|plan| plan.part(0)) == Some(WHOLE_STATE)
    }

    fn asked(&self, probe: Probe) -> bool {
        self.options.probes.contains(&probe)
    }

    async fn judged(&self, index: usize, sandbox: &Sandbox) -> Option<Evidence> {
        let run = self.engine.run(self.plans.get(index)?, sandbox).await;
        run.criterion_runs.into_iter().next().map(|run| run.evidence)
    }

    async fn nothing(&self, index: usize, sandbox: &Sandbox) -> Killed {
        match self.judged(index, sandbox).await.map(|evidence| evidence.status()) {
            Some(Status::Passed) => Killed::Vacuous,
            Some(Status::Failed) => Killed::Killed,
            Some(Status::Unverifiable) | None => Killed::Undecided,
        }
    }

    /// The mutants that are judged: all, or as many as are asked for, chosen by the seed.
    fn chosen<T>(&self, mut all: Vec<T>, name: impl Fn(&T) -> String) -> (Vec<T>, usize) {
        let cut = all.len().saturating_sub(self.options.mutants);
        if cut > 0 {
            let rank = |one: &T| Sha256::digest(format!("{} {}", self.options.seed, name(one)));
            all.sort_by_cached_key(|one| rank(one).to_vec());
            all.truncate(self.options.mutants);
        }
        (all, cut)
    }

    async fn leaves(&mut self, index: usize, asserted: &[Asserted], report: &mut CriterionReport) {
        let all: Vec<LeafMutant> = asserted.iter().flat_map(Asserted::mutants).collect();
        let (chosen, cut) = self.chosen(all, |one| format!("{} {}", one.operator, one.path));
        report.leaf.cut = cut;
        let this = &*self;
        let results: Vec<(LeafMutant, Option<(Fate, usize)>)> = stream::iter(chosen)
            .map(|mutant| async move {
                let fate = this.leaf(index, &mutant).await;
                (mutant, fate)
            })
            .buffered(SIDE_BY_SIDE)
            .collect()
            .await;
        for (mutant, fate) in results {
            let Some((fate, at)) = fate else { continue };
            self.mutants += 1;
            mutant.tries.get(at).into_iter().for_each(|(change, _)| self.distinct.add("leaf", change));
            *self.made.entry(mutant.operator.to_owned()).or_default() += 1;
            report.leaf.tried += 1;
            match (fate, mutant.tries.get(at)) {
                (Fate::Passes, Some((change, _))) => {
                    report.survivors.push(self.survivor("leaf", mutant.operator, change));
                }
                (Fate::HeldUp, Some((change, _))) => {
                    let mut survivor = self.survivor("leaf", ANOTHER_RECORD, change);
                    survivor.sentence.push_str(" Another record holds the criterion up.");
                    report.survivors.push(survivor);
                }
                (fate, _) => {
                    report.leaf.good += 1;
                    report.leaf.undecided += usize::from(fate == Fate::Undecided);
                }
            }
        }
    }

    /// Adds the second record by which one of two criteria passes, where they select one record by different keys.
    async fn records_apart(&mut self, criteria: &mut [CriterionReport], selections: &[Vec<Vec<String>>]) {
        let is_tried = |one: &CriterionReport| one.status == Status::Passed.name() && !one.guard && !one.runs_code;
        for later in 1..criteria.len() {
            for earlier in (0..later).rev() {
                let both = criteria.get(later).is_some_and(is_tried) && criteria.get(earlier).is_some_and(is_tried);
                let changes = both.then(|| self.splits(earlier, later, selections)).flatten().unwrap_or_default();
                let mut survivor = None;
                for change in &changes {
                    if self.passes_apart(earlier, later, change).await {
                        survivor = Some(self.survivor("leaf", ANOTHER_RECORD, change));
                        break;
                    }
                }
                let Some(report) = criteria.get_mut(later).filter(|_| !changes.is_empty()) else { continue };
                self.mutants += 1;
                *self.made.entry(ANOTHER_RECORD.to_owned()).or_default() += 1;
                report.leaf.tried += 1;
                report.leaf.good += usize::from(survivor.is_none());
                if let Some(mut survivor) = survivor {
                    self.distinct.add("leaf", &survivor.change);
                    let id = self.passing.get(earlier).map_or("", |ran| ran.criterion_id.as_str());
                    survivor.sentence.push_str(&format!(" `{id}` passes by the other record."));
                    report.survivors.push(survivor);
                }
                break;
            }
        }
    }

    /// The changes that make two records of the one that two criteria passed on, by keys that the other one does not name.
    fn splits(&self, earlier: usize, later: usize, selections: &[Vec<Vec<String>>]) -> Option<Vec<Change>> {
        let part = self.plans.get(later)?.part(0)?;
        if self.plans.get(earlier)?.part(0) != Some(part) {
            return None;
        }
        let evidence = |index: usize| self.passing.get(index).map(|ran| &ran.evidence);
        let place = apart::shared(evidence(earlier)?, evidence(later)?)?;
        let own = |index: usize, other: usize| {
            let assertion = self.assertions.get(other)?;
            let named = |forms: &[String]| matches!(forms, [form] if apart::has(assertion, form));
            let forms = selections.get(index)?.iter().filter(|forms| !named(forms));
            let keys = forms.filter_map(|forms| of_selection(forms, &place, self.ground, true));
            Some(keys.filter(|key| !apart::names(assertion, key)).collect::<Vec<_>>())
        };
        let (first, second) = (own(earlier, later)?, own(later, earlier)?);
        let is_production = !self.ground.sandbox.environment().is_test();
        let files = self.ground.part_of(&place.locator);
        let target = Target { files, place: &place, is_production, forbidden: None };
        let harms = self.operators.iter().filter(|one| one.kind == Kind::Harm && one.part() == part);
        let copies: Vec<Change> = harms.flat_map(|operator| (operator.apply)(&target)).collect();
        let pairs = first.iter().flat_map(|lost| second.iter().map(move |lost_by_copy| (lost, lost_by_copy)));
        let split =
            pairs.flat_map(|(lost, by_copy)| copies.iter().filter_map(move |copy| apart::split(copy, lost, by_copy)));
        Some(split.collect())
    }

    /// Returns `true` if two criteria pass by different records, and no other criterion turns red.
    async fn passes_apart(&self, earlier: usize, later: usize, change: &Change) -> bool {
        let sandbox = self.ground.mutant(change);
        let (one, other) = (self.judged(earlier, &sandbox).await, self.judged(later, &sandbox).await);
        let (Some(one), Some(other)) = (one, other) else { return false };
        let both_pass = one.status() == Status::Passed && other.status() == Status::Passed;
        both_pass && apart::shared(&one, &other).is_none() && !self.covered(later, &sandbox).await
    }

    /// Judges the changes of a leaf in turn, up to the first that the assertion does not accept. `None` if it accepts all.
    async fn leaf(&self, index: usize, mutant: &LeafMutant) -> Option<(Fate, usize)> {
        for (at, (change, value)) in mutant.tries.iter().enumerate() {
            let evidence = self.judged(index, &self.ground.mutant(change)).await?;
            let fate = Fate::of(&evidence);
            let shown = value.as_deref().filter(|_| fate == Fate::Passes);
            if shown.is_some_and(|value| accepts(&evidence, &mutant.path, value)) {
                continue;
            }
            let fate =
                if fate == Fate::Passes && !rests_on(&evidence, &mutant.path, change) { Fate::HeldUp } else { fate };
            return Some((fate, at));
        }
        None
    }

    async fn operated(
        &mut self,
        index: usize,
        kind: Kind,
        ran: &CriterionRun,
        asserted: &[Asserted],
        report: &mut CriterionReport,
    ) {
        let phrases = ran.evidence.results.iter().filter_map(|entry| match entry {
            Entry::Phrase(phrase) if !phrase.forbidden => phrase.source.clone(),
            _ => None,
        });
        let mut places: Vec<Location> =
            ran.evidence.sources.iter().map(|source| source.place()).chain(phrases).collect();
        let mut seen = BTreeSet::new();
        places.retain(|place| seen.insert((place.locator.clone(), place.span)));
        let is_production = !self.ground.sandbox.environment().is_test();
        let forbidden = self.assertions.get(index).copied().filter(|_| kind == Kind::Breach);
        if forbidden.is_some() {
            // What is forbidden is not there: whatever else the part holds is where it is added.
            let part = self.plans.get(index).and_then(|plan| plan.part(0)).unwrap_or_default();
            let files = |part: &str| {
                self.ground.part_of(part).iter().map(|(locator, _)| Location::whole(locator)).collect::<Vec<_>>()
            };
            places = match self.is_of_whole_state(index) {
                true => {
                    let all = self.ground.sandbox.parts().iter().flat_map(|part| files(part.name()));
                    // A file that the work wrote has changed already.
                    let same = all.filter(|place| self.ground.is_as_before(&place.locator));
                    let parts = self.ground.sandbox.parts().iter();
                    same.chain(parts.map(|part| Location::whole(format!("{}/", part.name())))).collect()
                }
                false => files(part).into_iter().chain([Location::whole(format!("{part}/"))]).collect(),
            };
        }
        let mut all = Vec::new();
        for place in &places {
            let files = self.ground.part_of(&place.locator);
            let target = Target { files, place, is_production, forbidden };
            let part = match self.is_of_whole_state(index) {
                true => WHOLE_STATE,
                false => place.locator.split_once('/').map_or(place.locator.as_str(), |(part, _)| part),
            };
            for operator in self.operators.iter().filter(|one| one.kind == kind && one.part() == part) {
                let changes = (operator.apply)(&target).into_iter();
                // A harm that changes an asserted value is a leaf.
                let changes =
                    changes.filter(|change| !matches!(kind, Kind::Harm | Kind::Remark) || !touches(change, asserted));
                let changes = changes.filter(|change| !change.is_nothing());
                all.extend(changes.map(|change| Mutant { operator: operator.id, change }));
            }
        }
        all.dedup_by(|a, b| a.operator == b.operator && a.change == b.change);
        let (chosen, cut) =
            self.chosen(all, |one| format!("{} {} {}", one.operator, one.change.locator, one.change.sentence));
        let this = &*self;
        let results: Vec<(Mutant, Option<Evidence>, bool)> = stream::iter(chosen)
            .map(|mutant| async move {
                let sandbox = this.ground.mutant(&mutant.change);
                let evidence = this.judged(index, &sandbox).await;
                let passes = evidence.as_ref().is_some_and(|evidence| evidence.status() == Status::Passed);
                let covered = kind == Kind::Harm && passes && this.covered(index, &sandbox).await;
                (mutant, evidence, covered)
            })
            .buffered(SIDE_BY_SIDE)
            .collect()
            .await;
        let mut tried = Tried { cut, ..Tried::default() };
        let probe = match kind {
            Kind::Harm => "harm",
            Kind::Remark => "remark",
            Kind::Breach => "breach",
            Kind::Equivalence => "equivalence",
            Kind::Order => "order",
        };
        for (mutant, evidence, covered) in results {
            let Some(evidence) = evidence else { continue };
            // A file name that the criterion does not ask for is not an equivalent of one that it asks for.
            if kind == Kind::Equivalence && !asks_for(&evidence, &mutant.change) {
                continue;
            }
            let lives = kind == Kind::Harm && !covered && evidence.status() == Status::Passed;
            if lives && self.is_of_another_item(index, &mutant.change).await {
                continue;
            }
            self.mutants += 1;
            self.distinct.add(probe, &mutant.change);
            *self.made.entry(mutant.operator.to_owned()).or_default() += 1;
            tried.tried += 1;
            let fate = Fate::of(&evidence);
            let must_pass = matches!(kind, Kind::Equivalence | Kind::Order);
            let good = (fate == Fate::Passes) == must_pass;
            tried.undecided += usize::from(fate == Fate::Undecided);
            match (good, covered) {
                (true, _) => {
                    tried.good += 1;
                    report.equivalents.extend(must_pass.then(|| mutant.change.clone()));
                }
                (false, true) => tried.covered += 1,
                (false, false) => {
                    let mut survivor = self.survivor(probe, mutant.operator, &mutant.change);
                    if must_pass {
                        survivor.sentence = format!("{} It was judged: {}", survivor.sentence, evidence.details());
                    }
                    report.survivors.push(survivor);
                }
            }
        }
        match kind {
            Kind::Harm => report.harm = tried,
            // The report shows what a person has to judge, and does not count it.
            Kind::Remark => {}
            Kind::Breach => report.breach = tried,
            Kind::Equivalence => report.equivalence = tried,
            Kind::Order if tried.tried == 0 => {}
            Kind::Order => report.order = if tried.good == tried.tried { Order::Steady } else { Order::Flaky },
        }
    }

    /// Returns `true` if a change is wrong for another item of the record than the one that the criterion is about: another
    /// claim of a remittance, another result of a message.
    async fn is_of_another_item(&self, index: usize, change: &Change) -> bool {
        let passing = &self.ground.sandbox;
        let part = part_named(passing, part_of(&change.locator));
        let (Some(part), Some(assertion)) = (part, self.assertions.get(index)) else { return false };
        let records = record_changes(part, passing, &self.ground.mutant(change), 2).await;
        let assertion = assertion.to_string();
        let is_other = |record: &RecordChange| match &record.difference.change {
            Fields::Changed { fields } => fields
                .iter()
                .all(|field| field.before.is_some() && is_of_another(&field.path, &record.fields, &assertion)),
            Fields::Added | Fields::Removed => false,
        };
        !records.is_empty() && records.iter().all(is_other)
    }

    /// True if another criterion that passed before does not pass any more.
    async fn covered(&self, index: usize, sandbox: &Sandbox) -> bool {
        for (other, ran) in self.passing.iter().enumerate() {
            if other == index || ran.status() != Status::Passed {
                continue;
            }
            if self.judged(other, sandbox).await.is_some_and(|evidence| evidence.status() != Status::Passed) {
                return true;
            }
        }
        false
    }

    fn survivor(&self, probe: &'static str, operator: &str, change: &Change) -> Survivor {
        let file = self.ground.file(&change.locator).unwrap_or_default();
        let mut before = String::new();
        let mut after = String::new();
        for edit in &change.edits {
            let old = file.get(edit.span.clone()).unwrap_or_default();
            for (text, piece) in
                [(&mut before, String::from_utf8_lossy(old).into_owned()), (&mut after, edit.with.clone())]
            {
                if !text.is_empty() {
                    text.push_str(" … ");
                }
                text.push_str(&piece);
            }
        }
        Survivor {
            probe,
            operator: operator.to_owned(),
            sentence: change.sentence.clone(),
            locator: change.locator.clone(),
            before: cut(&before),
            after: cut(&after),
            accepted: None,
            suggestion: None,
            sibling: None,
            content: self.ground.changed(change),
            change: change.clone(),
        }
    }
}

/// True unless a criterion that selects files by name did not match the file under its new name.
fn asks_for(evidence: &Evidence, change: &Change) -> bool {
    if change.new_names().next().is_none() {
        return true;
    }
    let evidence = evidence.to_value("results");
    let Some(matched) = evidence.get("matchedPaths").and_then(Value::as_array) else { return true };
    change.new_names().all(|name| {
        let path = name.split_once('/').map_or(name, |(_, path)| path);
        matched.iter().any(|one| one.as_str() == Some(path))
    })
}

fn touches(change: &Change, asserted: &[Asserted]) -> bool {
    asserted.iter().filter(|one| one.locator == change.locator).flat_map(|one| &one.spans).any(|(span, _)| {
        change
            .edits
            .iter()
            .any(|edit| !edit.span.is_empty() && edit.span.start < span.end && span.start < edit.span.end)
    })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}… [cut: {} bytes]", text.get(..at).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}
