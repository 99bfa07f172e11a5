//! The findings of an audit.

use candor_check::operators::{Change, Operator};
use candor_json::{Value, json};
use serde::Serialize;

/// The operator of a leaf survivor that only shows that several records satisfy the criterion.
pub(crate) const ANOTHER_RECORD: &str = "leaf/another-record";
/// A harm of all parts but the calls.
pub(crate) const SAID_NOT_DONE: &str = "voice/said-not-done";
/// The changes that an audit makes itself, as they need two states: no part has them in its list.
pub const OPERATORS: &[Operator] = &[Operator::harm(
    SAID_NOT_DONE,
    |_| Vec::new(),
    "Who says on a call that something is done has not done it: the record shows it, in its state from before the work.",
)];

/// How far a criterion, or a task, proved itself. Each is worse than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Every probe that applies came out as it must.
    Proven,
    /// A harm lives, an equivalent is rejected, or a part of the audit was left out.
    Weak,
    /// No probe applied: nothing is known of it.
    Unaudited,
    /// It passes though nothing happened, no verdict depends on it, it depends on an order, or a value it asserts may be another.
    Broken,
}

/// The outcome of a criterion on empty parts, or on the state before the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Killed {
    /// It does not pass, as it must not.
    Killed,
    /// It could not be decided, which is not a pass: what it reads is not there, or could not be read.
    Undecided,
    /// It passes though nothing happened.
    Vacuous,
    /// It asserts that something is not there, so that it passes by its nature.
    Guard,
    /// There was no baseline to run it on.
    NotGiven,
    /// The probe was not asked for.
    NotAsked,
}

/// The influence of a criterion on the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Influence {
    /// The verdict may depend on it.
    Decides,
    /// No verdict depends on it.
    Dead,
    /// The probe was not asked for.
    NotAsked,
}

/// The influence of the order of files and candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// In every order that was tried it passes.
    Steady,
    /// In another order it does not.
    Flaky,
    /// Nothing could be put in another order, or the probe was not asked for.
    NotTried,
}

/// How many mutants of a probe there were, and how many came out as they must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Killed; of equivalents accepted.
    pub good: usize,
    /// Killed by another criterion of the task.
    pub covered: usize,
    /// Killed by becoming undecidable; they are among `good`.
    pub undecided: usize,
    /// All.
    pub tried: usize,
    /// Left out by `--mutants`.
    pub cut: usize,
}

impl Tried {
    pub(crate) fn add(&mut self, other: Self) {
        self.good += other.good;
        self.covered += other.covered;
        self.undecided += other.undecided;
        self.tried += other.tried;
        self.cut += other.cut;
    }

    fn to_value(self, good: &str) -> Value {
        let mut value = json!({good: self.good, "tried": self.tried});
        for (name, count) in [("covered", self.covered), ("undecided", self.undecided), ("cut", self.cut)] {
            if count > 0 {
                put(&mut value, name, json!(count));
            }
        }
        value
    }
}

fn put(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

/// A mutant that did not come out as it must.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// `leaf`, `harm`, `breach`, `equivalence` or `order`; `remark` where a person has to judge, and no grade depends
    /// on it.
    pub probe: &'static str,
    /// The operator that made the change: `fhir/second-dose`.
    pub operator: String,
    /// The same in one sentence, with the place.
    pub sentence: String,
    /// The file that was changed.
    pub locator: String,
    /// The text before the change, cut.
    pub before: String,
    /// The text after the change, cut.
    pub after: String,
    /// The reason why the author accepts it, if the author does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// An addition that kills it, to be merged into the assertion: lists are appended to, other members set. It was
    /// tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Value>,
    /// A criterion to add to the task that kills it, where no addition to the assertion does. It was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sibling: Option<Value>,
    /// The content of the changed file.
    #[serde(skip)]
    pub content: Vec<u8>,
    #[serde(skip)]
    pub(crate) change: Change,
}

/// The results of a criterion.
#[derive(Clone, Debug)]
pub struct CriterionReport {
    /// Its id.
    pub criterion_id: String,
    /// Its status on the sandbox in which the work was done. One that does not pass is not audited.
    pub status: &'static str,
    /// Why it did not pass.
    pub details: Option<String>,
    /// True if it asserts that something is not there.
    pub guard: bool,
    /// On empty parts.
    pub null: Killed,
    /// On the state before the work.
    pub baseline: Killed,
    /// Asserted values, deleted and replaced.
    pub leaf: Tried,
    /// Changes that make the work wrong.
    pub harm: Tried,
    /// Of a guard, what it forbids.
    pub breach: Tried,
    /// Changes that leave the meaning unchanged.
    pub equivalence: Tried,
    /// Its influence on the verdict.
    pub influence: Influence,
    /// The influence of orders on it.
    pub order: Order,
    /// Its grade.
    pub grade: Grade,
    /// Mutants that did not come out as they must, those that the author accepts included.
    pub survivors: Vec<Survivor>,
    /// True if it runs a command over the workspace, which no mutant changes.
    pub(crate) runs_code: bool,
    /// The assertion names values, not numbers and form alone.
    pub(crate) asserts_values: bool,
    pub(crate) equivalents: Vec<Change>,
}

impl CriterionReport {
    /// The grade that follows from the rest.
    /// `all_asked`: nothing is proven by some of the probes, nor where mutants were left out. `leaf` and `harm` are true
    /// if these probes were asked for.
    pub(crate) fn graded(self, all_asked: bool, leaf: bool, harm: bool) -> Self {
        let lives = |probes: &[&str]| {
            self.survivors.iter().any(|survivor| {
                survivor.accepted.is_none() && survivor.operator != ANOTHER_RECORD && probes.contains(&survivor.probe)
            })
        };
        // That one of several records may be wrong is a harm; that a value may be anything is worse.
        let is_another = |survivor: &Survivor| survivor.operator == ANOTHER_RECORD && survivor.accepted.is_none();
        let another = self.survivors.iter().any(is_another);
        let vacuous = self.null == Killed::Vacuous || self.baseline == Killed::Vacuous;
        let tried = self.leaf.tried + self.harm.tried + self.breach.tried;
        // That it notices other harms does not show that it looks at any value.
        let unseen = leaf && self.asserts_values && self.leaf.good + self.breach.good == 0;
        let others_apply = !matches!(self.null, Killed::Guard | Killed::NotAsked)
            || self.influence != Influence::NotAsked
            || self.order != Order::NotTried
            || self.equivalence.tried > 0;
        let nothing = if leaf || harm { tried == 0 } else { self.runs_code || !others_apply };
        let grade = if self.status != "passed" {
            Grade::Unaudited
        } else if vacuous
            || self.influence == Influence::Dead
            || self.order == Order::Flaky
            || lives(&["leaf", "breach"])
        {
            Grade::Broken
        } else if lives(&["harm", "equivalence"]) || another {
            Grade::Weak
        } else if nothing || unseen {
            Grade::Unaudited
        } else if !all_asked || self.cut() > 0 {
            Grade::Weak
        } else {
            Grade::Proven
        };
        let details = match grade {
            Grade::Unaudited if all_asked && self.details.is_none() => Some(match tried {
                0 => "No operator of the audit can change what it asserts.".to_owned(),
                _ => "None of the values that it asserts could be changed, so nothing shows that it looks at one."
                    .to_owned(),
            }),
            _ => self.details.clone(),
        };
        Self { grade, details, ..self }
    }

    /// How many mutants `--mutants` left out.
    pub(crate) fn cut(&self) -> usize {
        self.leaf.cut + self.harm.cut + self.breach.cut + self.equivalence.cut
    }

    fn to_value(&self) -> Value {
        let mut value = json!({
            "criterion_id": self.criterion_id,
            "status": self.status,
            "null": self.null,
            "baseline": self.baseline,
            "leaf": self.leaf.to_value("killed"),
            "harm": self.harm.to_value("killed"),
            "equivalence": self.equivalence.to_value("accepted"),
            "influence": self.influence,
            "order": self.order,
            "grade": self.grade,
            "survivors": self.survivors,
        });
        if let Some(details) = &self.details {
            put(&mut value, "details", json!(details));
        }
        if self.guard {
            put(&mut value, "guard", json!(true));
        }
        if self.guard || self.breach.tried > 0 {
            put(&mut value, "breach", self.breach.to_value("killed"));
        }
        value
    }
}

/// Something about the audit itself that its reader must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `not_passing`, `stale_accept`, `gap`, `cut`, `no_criteria`, `runs_code`, `probes`, `baseline_undecided`.
    pub code: &'static str,
    /// In one sentence.
    pub message: String,
}

/// The findings of an audit of a task.
#[derive(Clone, Debug)]
pub struct Report {
    /// The task.
    pub task_id: String,
    /// Which mutants are taken where there are more than asked for.
    pub seed: u64,
    /// How many mutants were judged.
    pub mutants: usize,
    /// The worst grade of a criterion.
    pub grade: Grade,
    /// True if there was a baseline.
    pub has_baseline: bool,
    /// The criteria, in the order of the task.
    pub criteria: Vec<CriterionReport>,
    /// Further findings.
    pub findings: Vec<Finding>,
    /// How many mutants each operator made, over all criteria.
    pub operators: std::collections::BTreeMap<String, usize>,
    /// How many different changes each probe made: one change is tried on every criterion that it may concern, and counts
    /// there each time.
    pub distinct: std::collections::BTreeMap<&'static str, usize>,
}

impl Report {
    /// The sum of one probe over all criteria.
    #[must_use]
    pub fn total(&self, of: fn(&CriterionReport) -> Tried) -> Tried {
        let mut sum = Tried::default();
        self.criteria.iter().for_each(|criterion| sum.add(of(criterion)));
        sum
    }

    /// How many different changes a probe made: `leaf`, `harm`, `breach`, `equivalence` or `order`.
    #[must_use]
    pub fn distinct(&self, probe: &str) -> usize {
        self.distinct.get(probe).copied().unwrap_or_default()
    }

    /// True if the task holds: every criterion passed, none is broken, and none could not be audited.
    #[must_use]
    pub fn holds(&self, strict: bool) -> bool {
        let all_passed = self.criteria.iter().all(|criterion| criterion.status == "passed");
        let stale = self.findings.iter().any(|finding| finding.code == "stale_accept");
        all_passed
            && !stale
            && !self.criteria.is_empty()
            && (self.grade == Grade::Proven || self.grade == Grade::Weak && !strict)
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut totals = json!({
            "leaf": self.total(|one| one.leaf).to_value("killed"),
            "harm": self.total(|one| one.harm).to_value("killed"),
            "equivalence": self.total(|one| one.equivalence).to_value("accepted"),
        });
        let breach = self.total(|one| one.breach);
        if breach.tried > 0 {
            put(&mut totals, "breach", breach.to_value("killed"));
        }
        for (probe, total) in totals.as_object_mut().into_iter().flatten() {
            put(total, "distinct", json!(self.distinct(probe)));
        }
        json!({
            "task_id": self.task_id,
            "seed": self.seed,
            "mutants": self.mutants,
            "grade": self.grade,
            "totals": totals,
            "criteria": self.criteria.iter().map(CriterionReport::to_value).collect::<Vec<_>>(),
            "findings": self.findings,
            "operators": self.operators,
        })
    }
}
