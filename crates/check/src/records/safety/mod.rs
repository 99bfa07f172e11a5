//! "Safe by default": whether a candidate says, or another record says of it, that the work was not done, was undone or was
//! a test. Checks find elements and records; this decides what they mean. Pure.

mod table;
mod undone;

use candor_json::Value;

pub use table::{Condition, Matters, SafetyRow, SafetyTable, Undoes, Values};
pub use undone::{Fact, FactRole, Facts};

use super::RecordRules;
use crate::evidence::quoted;
use crate::field::{FieldReason, FieldResult, Location};
use crate::sandbox::Environment;

/// The assertions of a criterion, as far as rows of a table ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asserting {
    /// `allow_modifiers: true`: the author accepts whatever a candidate says of itself.
    pub allow_modifiers: bool,
    /// True if work is asserted, and not form alone.
    pub work: bool,
    /// The environment of the sandbox.
    pub environment: Environment,
}

impl Asserting {
    /// `match: all` asserts form, and so does a criterion that `reads_values` of nothing.
    #[must_use]
    pub fn new(allow_modifiers: bool, rules: RecordRules, reads_values: bool, environment: Environment) -> Self {
        let work = reads_values && rules.matching != super::Match::All;
        Self { allow_modifiers, work, environment }
    }

    /// Returns `true` if a row matters here.
    #[must_use]
    pub fn concerns(&self, row: &SafetyRow) -> bool {
        !self.allow_modifiers
            && match row.matters {
                Matters::Always => true,
                Matters::Work => self.work,
                Matters::Production => self.environment == Environment::Production,
            }
    }
}

/// An element of a candidate that a row is about.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its path, as evidence writes it.
    pub path: String,
    /// The value there.
    pub value: Value,
    /// Where it is.
    pub source: Location,
    /// True if the author named this very value.
    pub named: bool,
    /// The member that the author asserts to name it: `status`, as `assert` quotes it.
    pub assert: String,
}

/// Why a candidate that satisfies every field is not a proof of work.
#[derive(Clone, Debug, PartialEq)]
pub struct UnsafeMatch {
    /// The element that says so; undecidable where it may.
    pub result: FieldResult,
    /// The reason why the candidate is unsafe, and how to assert or allow it, as the rest of a sentence.
    pub why: String,
}

impl UnsafeMatch {
    /// Returns `true` if it is not known to be unsafe.
    #[must_use]
    pub fn is_undecidable(&self) -> bool {
        self.result.is_undecidable()
    }
}

/// The first element of a candidate that a row of the table makes unsafe. `elements` gives the elements that a row is about,
/// of those that the criterion reads.
pub fn unsafe_element(
    table: &SafetyTable,
    asserting: &Asserting,
    elements: impl Fn(&SafetyRow) -> Vec<Element>,
) -> Option<UnsafeMatch> {
    let own = table.rows().iter().filter(|row| row.undoes.is_none() && asserting.concerns(row));
    let mut found = own.flat_map(|row| elements(row).into_iter().map(move |element| (row, element)));
    found.find_map(|(row, element)| row.values.hold(&element.value).then(|| row.unsafe_match(element))?)
}

impl SafetyRow {
    /// The effect of an unsafe value of this row on its record; nothing where the author named it.
    #[must_use]
    pub fn unsafe_match(&self, element: Element) -> Option<UnsafeMatch> {
        if element.named {
            return None;
        }
        let Element { path, value, source, assert, .. } = element;
        let why = format!("{path} is {}; assert `{assert}` or write `allow_modifiers: true`", quoted(&value));
        Some(UnsafeMatch { result: self.quoted(path, value).at(source), why })
    }
}

/// The record that undid a candidate: `own` are the facts of the candidate that the criterion reads.
#[must_use]
pub fn undone(table: &SafetyTable, asserting: &Asserting, facts: &Facts<'_>, own: &[Fact]) -> Option<UnsafeMatch> {
    let mut open = None;
    for row in table.rows().iter().filter(|row| row.undoes.is_some() && asserting.concerns(row)) {
        let name = row.name();
        for fact in own.iter().filter(|fact| fact.row == name && fact.role == FactRole::Undone) {
            let Some(undoing) = facts.undoing(fact) else { continue };
            let by = undoing.by;
            let result = row.quoted(by.path.clone(), by.value.clone()).at(by.place.clone());
            let quote = format!("{} is {} in {}", by.path, quoted(&by.value), by.label);
            if undoing.is_certain {
                let why = format!("a later record undoes it: {quote}; write `allow_modifiers: true` to count it");
                return Some(UnsafeMatch { result, why });
            }
            let why = format!("a record may undo it, and no number or time says so: {quote}");
            open.get_or_insert(UnsafeMatch { result: result.because(FieldReason::Undecidable), why });
        }
    }
    open
}

/// Checks whether a candidate itself undoes an earlier record, so that it does not prove the work that it takes back. It is
/// undecidable if that record is not among those that were read. `own` are the facts of the candidate that the criterion
/// reads, `named` says whether the author named such a value.
#[must_use]
pub fn undoes_another(
    table: &SafetyTable,
    asserting: &Asserting,
    facts: &Facts<'_>,
    own: &[Fact],
    named: impl Fn(&SafetyRow, &Fact) -> bool,
) -> Option<UnsafeMatch> {
    let mut open = None;
    for row in table.rows().iter().filter(|row| row.undoes.is_some() && asserting.concerns(row)) {
        let name = row.name();
        for fact in own.iter().filter(|fact| fact.row == name && fact.role == FactRole::Undoes && !named(row, fact)) {
            let (path, quote) = (&fact.path, quoted(&fact.value));
            let result = row.quoted(path.clone(), fact.value.clone()).at(fact.place.clone());
            let advice = format!("{path} is {quote}; assert `{path}` or write `allow_modifiers: true`");
            let why = match facts.undoes_earlier(fact) {
                Some(true) => {
                    return Some(UnsafeMatch { result, why: format!("it undoes an earlier record: {advice}") });
                }
                Some(false) => {
                    format!("it may undo an earlier record, and no number or time says so: {path} is {quote}")
                }
                None => format!("it undoes a record that was not found before it: {advice}"),
            };
            open.get_or_insert(UnsafeMatch { result: result.because(FieldReason::Undecidable), why });
        }
    }
    open
}
