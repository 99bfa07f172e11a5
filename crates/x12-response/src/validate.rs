//! `validate`: a transaction set by SNIP type.

use std::cell::OnceCell;

use candor_check::Failure;
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_json::{Value, json};
use candor_x12::Segment;
use candor_x12_guides::{Finding, Guide, Loops, has_situations, validate, validate_by_dictionary, validate_situations};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::answer::{Balance, Tree};
use crate::lines;
use crate::path::ReadSet;

/// The types that are asked for, in order.
#[derive(Clone, Debug)]
pub(crate) struct Validate(Vec<u8>);

impl<'de> Deserialize<'de> for Validate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut types = Vec::<u8>::deserialize(deserializer)?;
        types.sort_unstable();
        types.dedup();
        if types.is_empty() || types.iter().any(|kind| !(1..=4).contains(kind)) {
            let known = "1 (envelope), 2 (guide), 3 (balancing), 4 (situations)";
            return Err(D::Error::custom(format!("`validate` is a list of SNIP types: {known}")));
        }
        Ok(Self(types))
    }
}

const BALANCED: [&str; 3] = ["820", "835", "837"];

pub(crate) fn is_balanced_transaction(transaction: &str) -> bool {
    BALANCED.contains(&transaction)
}

/// The validation of a set: results, and findings with all that is known of each.
#[derive(Default)]
pub(crate) struct Validated {
    pub(crate) results: Vec<(Failure, FieldResult)>,
    pub(crate) findings: Vec<Value>,
}

impl Validate {
    pub(crate) fn envelope(&self) -> bool {
        self.0.contains(&1)
    }

    pub(crate) fn problem(&self, transaction: Option<&str>) -> Option<String> {
        match transaction {
            Some("TA1") if self.0 != [1] => Some("a TA1 segment can be validated by type 1 only".to_owned()),
            Some(transaction) if self.0 == [4] && !has_rules(transaction) => {
                Some(format!("there are no situational rules, type 4, of {transaction}"))
            }
            Some(transaction) if self.0 == [3] && !BALANCED.contains(&transaction) => {
                Some(format!("type 3 is for {}; {transaction} has nothing to balance", BALANCED.join(", ")))
            }
            _ => None,
        }
    }

    /// Types 2 to 4; the first is that of the envelope. `line` is that in which the set begins.
    pub(crate) fn judge(&self, set: &ReadSet<'_>, place: &Location, line: Option<u64>) -> Validated {
        let mut validated = Validated::default();
        if self.0 == [1] {
            return validated;
        }
        let transaction = set.transaction();
        let line = &Lines { set, first: line, ends: OnceCell::new() };
        let (Some(guide), Some(loops)) = (Guide::of(&transaction, &set.guide()), set.loops()) else {
            self.by_dictionary(set, place, line, &mut validated);
            return validated;
        };
        let by_guide = self.0.contains(&2).then(|| (2, validate(guide, set.view())));
        let by_situation = self.0.contains(&4).then(|| (4, validate_situations(loops, set.segments())));
        for (kind, (findings, more)) in by_guide.into_iter().chain(by_situation) {
            for finding in findings {
                let source = located(set, place, finding.offset, finding.length);
                let line = line.of(finding.offset);
                validated.findings.push(shown(&finding, &source, line));
                validated.results.push((Failure::StructureViolation, result(&finding, guide.id(), line).at(source)));
            }
            if more > 0 {
                let actual = json!(format!("{more} more findings"));
                let result = FieldResult::constraint("$validate", json!([kind]), actual, false).at(place.clone());
                validated.results.push((Failure::StructureViolation, result));
            }
        }
        let mut void = Vec::new();
        void.extend(guide.gaps().in_words().filter(|_| self.0.contains(&2)).map(|gaps| format!("type 2: {gaps}")));
        let gaps = void.len();
        if self.0.contains(&4) && !has_situations(guide) {
            void.push(format!("type 4: there are no situational rules of {}", guide.id()));
        }
        if self.0.contains(&3) && !BALANCED.contains(&transaction.as_str()) {
            void.push(format!("type 3: a {transaction} has nothing to balance"));
        } else if self.0.contains(&3) {
            balance(&transaction, loops, set, place, line, &mut validated);
        }
        if validated.results.is_empty() {
            // Types that find nothing to check cannot pass on their own; next to other types, the result mentions them.
            let result = match void.len() - gaps == self.0.len() {
                true => undecidable(&self.0, &void.join("; "), place),
                false => {
                    let actual = std::iter::once("no findings".to_owned()).chain(void).collect::<Vec<_>>().join("; ");
                    let sound = FieldResult::constraint("$validate", json!(self.0), json!(actual), true);
                    (Failure::StructureViolation, sound.at(place.clone()))
                }
            };
            validated.results.push(result);
        }
        validated
    }

    /// A set of a guide without tables is held to the base standard; that it fits its guide is not known.
    fn by_dictionary(&self, set: &ReadSet<'_>, place: &Location, line: &Lines<'_, '_>, validated: &mut Validated) {
        let by_base = self.0.contains(&2).then(|| validate_by_dictionary(set.segments()));
        let (findings, more) = by_base.unwrap_or_default();
        for finding in findings {
            let source = located(set, place, finding.offset, finding.length);
            let line = line.of(finding.offset);
            validated.findings.push(shown(&finding, &source, line));
            let found = result(&finding, "005010", line).at(source);
            validated.results.push((Failure::StructureViolation, found));
        }
        let why = format!("a set of guide {:?}, of which there are no tables", set.guide());
        let more = if more > 0 { format!("; {more} more findings") } else { String::new() };
        validated.results.push(undecidable(&self.0, &format!("{why}{more}"), place));
    }
}

/// Type 3. A set that cannot be balanced is not one that is balanced.
fn balance(
    transaction: &str,
    loops: &Loops,
    set: &ReadSet<'_>,
    place: &Location,
    line: &Lines<'_, '_>,
    validated: &mut Validated,
) {
    let tree = Tree::of(loops, set.segments());
    let why = match unbalanced_part(transaction, &tree, set.segments()) {
        Some(why) => Some(why),
        None => Balance::of(transaction, &tree).and_then(|Balance { faults, unknown }| {
            for (fault, number) in faults {
                let segment = tree.segment(number);
                let source = segment.map(|segment| located(set, place, segment.offset(), segment.raw().len()));
                let source = source.unwrap_or_else(|| place.clone());
                let line = segment.and_then(|segment| line.of(segment.offset()));
                validated.findings.push(
                    json!({"code": "SNIP3", "expected": "a balance", "found": fault, "line": line, "source": source}),
                );
                let result = FieldResult::constraint("$balance", json!(true), json!(fault), false);
                validated.results.push((Failure::StructureViolation, result.at(source)));
            }
            unknown.map(|(why, _)| why)
        }),
    };
    validated.results.extend(why.map(|why| undecidable(&[3], &format!("type 3: {why}"), place)));
}

/// The part of a set that makes its balance undecidable: claims and services outside of their loops, no claim at all, a
/// line without its charge.
pub(crate) fn unbalanced_part(transaction: &str, tree: &Tree<'_>, segments: &[Segment<'_>]) -> Option<String> {
    let homes: &[(&str, &str)] = match transaction {
        "835" => &[("CLP", "2100"), ("SVC", "2110")],
        "837" => &[("CLM", "2300"), ("SV1", "2400"), ("SV2", "2400"), ("SV3", "2400")],
        _ => return None,
    };
    let stray = segments.iter().enumerate().find_map(|(number, segment)| {
        let (id, home) = homes.iter().find(|(id, _)| segment.id().is(id))?;
        let is_home = tree.occurrence(number).is_some_and(|occurrence| tree.id(occurrence) == *home);
        (!is_home).then(|| format!("{id}, segment {}, is not in a loop {home}", number + 1))
    });
    if stray.is_some() || transaction == "835" {
        return stray;
    }
    if !segments.iter().any(|segment| segment.id().is("CLM")) {
        return Some("there is no claim, CLM".to_owned());
    }
    let is_charged = |&line: &usize| ["SV1", "SV2", "SV3"].iter().any(|id| tree.first(line, id).is_some());
    let line = tree.all(&["2400"]).into_iter().find(|line| !is_charged(line))?;
    let number = tree.first(line, "LX").map_or(0, |number| number + 1);
    Some(format!("the line of LX, segment {number}, has no charge"))
}

fn undecidable(types: &[u8], why: &str, place: &Location) -> (Failure, FieldResult) {
    let result = FieldResult::constraint("$validate", json!(types), json!(why), false);
    (Failure::StructureViolation, result.because(FieldReason::Undecidable).at(place.clone()))
}

fn has_rules(transaction: &str) -> bool {
    Guide::all().any(|guide| guide.transaction() == transaction && has_situations(guide))
}

fn located(set: &ReadSet<'_>, place: &Location, offset: u64, length: usize) -> Location {
    match set.is_located() {
        true => Location::bytes(place.locator.as_str(), offset..offset + length as u64),
        false => place.clone(),
    }
}

struct Lines<'l, 'a> {
    set: &'l ReadSet<'a>,
    first: Option<u64>,
    ends: OnceCell<Vec<usize>>,
}

impl Lines<'_, '_> {
    fn of(&self, offset: u64) -> Option<u64> {
        let (first, body) = (self.first?, self.set.view().body);
        let before = usize::try_from(offset.checked_sub(body.offset)?).ok().filter(|at| *at <= body.bytes.len())?;
        let ends = self.ends.get_or_init(|| lines::ends(body.bytes));
        Some(first + ends.partition_point(|end| *end < before) as u64)
    }
}

/// The place of a finding as a path: `2000A.2300.CLM05-2`.
fn path(finding: &Finding) -> String {
    let loops = if finding.loops.is_empty() { String::new() } else { format!("{}.", finding.loops) };
    let element = finding.element.map(|element| format!("{element:02}")).unwrap_or_default();
    let component = finding.component.map(|component| format!("-{component}")).unwrap_or_default();
    format!("{loops}{}{element}{component}", finding.segment)
}

fn result(finding: &Finding, guide: &str, line: Option<u64>) -> FieldResult {
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let expected = format!("{} ({}, segment {}{line})", finding.expected, guide, finding.position);
    FieldResult::constraint(path(finding), json!(expected), json!(finding.found), false)
        .because(FieldReason::Code(finding.code))
}

fn shown(finding: &Finding, source: &Location, line: Option<u64>) -> Value {
    json!({
        "code": finding.code, "loop": finding.loops, "segment": finding.segment, "position": finding.position,
        "element": finding.element, "component": finding.component, "expected": finding.expected,
        "found": finding.found, "line": line, "source": source,
    })
}
