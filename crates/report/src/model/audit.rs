//! The report of an audit.

use candor_json::Value;

use super::read::Object;

/// The report of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The task.
    pub task_id: String,
    /// `proven`, `weak`, `unaudited` or `broken`.
    pub grade: String,
    /// How many mutants were judged.
    pub mutants: u64,
    /// The seed by which mutants were chosen.
    pub seed: u64,
    /// The sums over all criteria, by probe.
    pub totals: Vec<(String, Tried)>,
    /// The criteria, in the order of the task.
    pub criteria: Vec<AuditedCriterion>,
    /// The things that a reader must know about the audit itself.
    pub findings: Vec<String>,
}

/// How many mutants of a probe there were, and how many came out as they must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Killed; of equivalents accepted.
    pub good: u64,
    /// Killed by another criterion of the task.
    pub covered: u64,
    /// All.
    pub tried: u64,
}

/// The audit of one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedCriterion {
    /// Its id.
    pub criterion_id: String,
    /// Its status on the sandbox in which the work was done.
    pub status: String,
    /// Why it did not pass there.
    pub details: Option<String>,
    /// Its grade.
    pub grade: String,
    /// Its outcome where there is nothing, and where there is nothing yet.
    pub null: String,
    /// As `null`, on the state before the work.
    pub baseline: String,
    /// `decides`, `dead` or `not_asked`.
    pub influence: String,
    /// `steady`, `flaky` or `not_tried`.
    pub order: String,
    /// Leaves, harms, breaches and equivalents, by probe.
    pub probes: Vec<(String, Tried)>,
    /// The changes that did not come out as they must.
    pub survivors: Vec<Survivor>,
}

/// A mutant that did not come out as it must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// The probe.
    pub probe: String,
    /// The change: `fhir/second-dose`.
    pub operator: String,
    /// The same in one sentence.
    pub sentence: String,
    /// The file that was changed.
    pub locator: String,
    /// The value before, cut.
    pub before: String,
    /// The value now, cut.
    pub after: String,
    /// The reason why the author accepts it.
    pub accepted: Option<String>,
    /// The addition that would kill it, as JSON that is merged into the assertion.
    pub suggestion: Option<Value>,
}

const PROBES: [&str; 4] = ["leaf", "harm", "breach", "equivalence"];

fn probes(value: &Value) -> Vec<(String, Tried)> {
    let tried = |value: &Value| {
        let count = |name: &str| value.get(name).and_then(Value::as_u64);
        let good = count("killed").or_else(|| count("accepted")).unwrap_or_default();
        Some(Tried { good, covered: count("covered").unwrap_or_default(), tried: count("tried")? })
    };
    PROBES.iter().filter_map(|probe| Some(((*probe).to_owned(), tried(value.get(probe)?)?))).collect()
}

impl Audit {
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let report = Object::of(value, "")?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
        let findings = value.get("findings").and_then(Value::as_array).into_iter().flatten();
        let message = |finding: &Value| finding.get("message").and_then(Value::as_str).map(str::to_owned);
        Ok(Self {
            task_id: report.text("task_id")?.to_owned(),
            grade: report.text("grade")?.to_owned(),
            mutants: number("mutants"),
            seed: number("seed"),
            totals: value.get("totals").map(probes).unwrap_or_default(),
            criteria: report.required("criteria", AuditedCriterion::read)?,
            findings: findings.filter_map(message).collect(),
        })
    }
}

impl AuditedCriterion {
    fn read(value: &Value, place: &str) -> Result<Self, String> {
        let one = Object::of(value, place)?;
        let word = |name: &str| one.optional(name).unwrap_or_default();
        Ok(Self {
            criterion_id: one.text("criterion_id")?.to_owned(),
            status: one.text("status")?.to_owned(),
            details: one.optional("details"),
            grade: one.text("grade")?.to_owned(),
            null: word("null"),
            baseline: word("baseline"),
            influence: word("influence"),
            order: word("order"),
            probes: probes(value),
            survivors: one.list("survivors", Survivor::read)?.unwrap_or_default(),
        })
    }
}

impl Survivor {
    fn read(value: &Value, place: &str) -> Result<Self, String> {
        let one = Object::of(value, place)?;
        let word = |name: &str| one.optional(name).unwrap_or_default();
        Ok(Self {
            probe: one.text("probe")?.to_owned(),
            operator: one.text("operator")?.to_owned(),
            sentence: word("sentence"),
            locator: word("locator"),
            before: word("before"),
            after: word("after"),
            accepted: one.optional("accepted"),
            suggestion: value.get("suggestion").filter(|suggestion| !suggestion.is_null()).cloned(),
        })
    }
}
