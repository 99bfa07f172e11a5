//! Alternatives to fields that reject the same work written otherwise: each compares where the other form has what the field
//! compares. As with additions, whether one is sound is tried, not guessed: what the task noticed it still has to notice,
//! also where the work is written that way.

use std::collections::BTreeSet;

use candor_check::difference::Change;
use candor_check::draft::without_positions;
use candor_check::{Sandbox, Status};
use candor_engine::edit::{Edit, edited};
use candor_engine::{Criterion, Document};
use candor_json::{Map, Value, json};

use crate::additions::{RecordChange, codes};
use crate::audit::{audit_on, ground};
use crate::harden::{HardenError, Hardening, Mended, Pen, escaped, read};
use crate::mend::part_of;
use crate::report::{CriterionReport, Report, Survivor};
use crate::suggest::MOST_RECORDS;
use crate::trial::{Trial, part_named, record_changes};

const FIELDS: &str = "fields";
const SAYS_NO_VALUE: [&str; 5] = ["empty", "notEmpty", "count", "notEquals", "notContains"];

/// The values of a record in both forms, by their paths.
type Known = [(String, Value)];

/// Checks if a survivor is the same work written otherwise, and rejected.
fn is_rejected(survivor: &&Survivor) -> bool {
    survivor.probe == "equivalence" && survivor.accepted.is_none()
}

/// The lists of fields of an entry, in the forms that they may have in records that were written otherwise.
fn alternatives(entry: &Value, records: &[RecordChange]) -> Vec<Vec<Value>> {
    let own = [json!([entry])];
    let lists = entry.get("one_of").and_then(Value::as_array).map_or(&own[..], Vec::as_slice);
    let mut all = Vec::new();
    for record in records {
        let Change::Changed { fields } = &record.difference.change else { continue };
        let came = fields.iter().filter_map(|field| Some((field.path.clone(), field.after.clone()?)));
        let known: Vec<(String, Value)> = came.chain(record.fields.iter().cloned()).collect();
        for list in lists.iter().filter_map(Value::as_array) {
            for form in [coded, referred, timed] {
                let of = |field: &Value| {
                    let field = field.as_object()?;
                    let op = field.get("op").and_then(Value::as_str).unwrap_or_default();
                    form(field, field.get("path")?.as_str()?, &known).filter(|_| !SAYS_NO_VALUE.contains(&op))
                };
                all.extend(list.iter().map(of).collect::<Option<Vec<Value>>>());
            }
        }
    }
    all
}

/// The member of a choice that is a reference where it was a concept: FHIR's `medication[x]`.
fn choice<'p>(path: &'p str, known: &Known) -> Option<(&'p str, &'p str)> {
    let (choice, rest) = path.split_once("CodeableConcept.")?;
    let reference = format!("{choice}Reference.reference");
    known.iter().any(|(path, _)| *path == reference).then_some((choice, rest))
}

/// The codes of a concept, in either form of a choice. Another code of their systems contradicts them.
fn coded(field: &Map<String, Value>, path: &str, known: &Known) -> Option<Value> {
    let (choice, rest) = choice(path, known)?;
    let is_equal = field.get("op").is_none_or(|op| op == "equals") && rest.starts_with("coding");
    let any = codes(&format!("{choice}CodeableConcept"), known);
    (is_equal && !any.is_empty()).then(|| json!({"path": choice, "concept": {"any": any}}))
}

/// The same comparison in the resource that is referred to.
fn referred(field: &Map<String, Value>, path: &str, known: &Known) -> Option<Value> {
    let (choice, rest) = choice(path, known)?;
    let step = |step: &str| match step.parse::<usize>() {
        Ok(at) => format!("[{at}]"),
        Err(_) => format!(".{step}"),
    };
    let steps: String = rest.split('.').map(step).collect();
    let mut other = Map::new();
    other.insert("fhirpath".to_owned(), json!(format!("{choice}.resolve().code{steps}")));
    other.extend(field.iter().filter(|(name, _)| *name != "path").map(|(name, value)| (name.clone(), value.clone())));
    Some(Value::Object(other))
}

/// How often, in each form of a dosage, where a code says it.
fn timed(_: &Map<String, Value>, path: &str, known: &Known) -> Option<Value> {
    let path = without_positions(path);
    let (element, _) = path.split_once(".timing.")?;
    let coded = format!("{element}.timing.code.coding.code");
    let (_, code) = known.iter().find(|(path, _)| without_positions(path) == coded)?;
    Some(json!({"dosage": {"frequency": code}}))
}

/// Returns `true` if everything that was noticed still is. In another form of the work, a value may be at another place.
fn is_no_weaker(before: &CriterionReport, after: &CriterionReport, same_form: bool) -> bool {
    let lives = |report: &CriterionReport| -> BTreeSet<(&str, String, Option<String>)> {
        let lives = report.survivors.iter().filter(|one| !matches!(one.probe, "equivalence" | "remark"));
        let named = |one: &Survivor| (one.probe, one.operator.clone(), same_form.then(|| one.change.sentence.clone()));
        lives.map(named).collect()
    };
    let (was, is) = (lives(before), lives(after));
    after.grade <= before.grade
        && (after.null, after.baseline) == (before.null, before.baseline)
        && is.is_subset(&was)
        && (same_form || is.iter().all(|(probe, ..)| *probe != "leaf"))
}

async fn passes(trial: Trial<'_>, criterion: &Criterion, fields: Value, sandbox: &Sandbox) -> bool {
    let mut assertion = criterion.assertion.clone();
    if let Some(members) = assertion.as_object_mut() {
        members.insert(FIELDS.to_owned(), fields);
    }
    let evidence = trial.judged(criterion, assertion, sandbox).await;
    evidence.is_some_and(|evidence| evidence.status() == Status::Passed)
}

impl Hardening<'_> {
    /// Gives the fields that reject another form of the work an alternative, one form after the other.
    pub(crate) async fn widen(&self, mut report: Report, pen: &mut Pen<'_, '_>) -> Result<(), HardenError> {
        let all = report.criteria.iter().enumerate();
        let rejected = |(at, one): (usize, &CriterionReport)| {
            one.survivors.iter().filter(is_rejected).map(|survivor| (at, survivor.clone())).collect::<Vec<_>>()
        };
        for (at, survivor) in all.flat_map(rejected).collect::<Vec<_>>() {
            let task = read(self.file, &pen.text)?;
            let Some(criterion) = task.criteria.get(at) else { continue };
            let trial = Trial { engine: self.engine, task: &task };
            let form = self.ground.mutant(&survivor.change);
            let part = part_of(&survivor.locator);
            let found = self.found(trial, criterion, &form, part).await.unwrap_or_default();
            let Some((edits, also)) = self.written(&pen.text, at, &found) else { continue };
            let Ok(text) = edited(self.file, &pen.text, &edits) else { continue };
            let Some(wider) = self.still_notices(&text, &report, at, &form).await? else {
                pen.unsound.insert((criterion.id.clone(), survivor.change.sentence.clone()));
                continue;
            };
            let mended = Mended {
                criterion_id: criterion.id.clone(),
                survivor: survivor.change.sentence.clone(),
                addition: None,
                sibling: None,
                alternatives: Some(also),
            };
            if pen.asked(mended, &edits, self.file).is_ok_and(|is_made| is_made) {
                report = wider;
            }
        }
        Ok(())
    }

    /// For each field that rejects a form, the alternative that accepts it.
    async fn found(
        &self,
        trial: Trial<'_>,
        criterion: &Criterion,
        form: &Sandbox,
        part: &str,
    ) -> Option<Vec<(usize, Vec<Value>)>> {
        let part = part_named(&self.ground.sandbox, part)?;
        let records = record_changes(part, &self.ground.sandbox, form, MOST_RECORDS).await;
        let mut found = Vec::new();
        for (at, entry) in criterion.assertion.get(FIELDS)?.as_array()?.iter().enumerate() {
            if passes(trial, criterion, json!([entry]), form).await {
                continue;
            }
            let mut all = alternatives(entry, &records).into_iter();
            let accepts = loop {
                let list = all.next()?;
                if passes(trial, criterion, json!(list), form).await {
                    break list;
                }
            };
            found.push((at, accepts));
        }
        Some(found)
    }

    /// The edits that write alternatives into a task file, and what they add. `None` if there is nothing to write.
    fn written(&self, text: &str, criterion: usize, found: &[(usize, Vec<Value>)]) -> Option<(Vec<Edit>, Value)> {
        let document = Document::parse(self.file, text.as_bytes()).ok()?;
        let criterion = criterion.to_string();
        let to_fields = ["criteria", &criterion, "assertion", FIELDS].map(str::to_owned);
        let mut also = Map::new();
        let mut edits = Vec::new();
        for (at, list) in found {
            let entry = document.value().pointer(&format!("/{}/{at}", to_fields.join("/")))?;
            let value = escaped(&json!(list));
            let name = at.to_string();
            also.insert(format!("{FIELDS}[{at}]"), json!(list));
            edits.push(match entry.get("one_of") {
                Some(_) => {
                    let steps = to_fields.iter().cloned().chain([name, "one_of".to_owned()]).collect();
                    Edit::Append { steps, value }
                }
                None => Edit::Put { steps: to_fields.to_vec(), name, value: json!({"one_of": [[entry], value]}) },
            });
        }
        (!edits.is_empty()).then_some((edits, Value::Object(also)))
    }

    /// The audit of a wider task, if all that was noticed still is, and the criterion notices as much in the other form.
    async fn still_notices(
        &self,
        text: &str,
        before: &Report,
        at: usize,
        form: &Sandbox,
    ) -> Result<Option<Report>, HardenError> {
        let task = read(self.file, text)?;
        let form = ground(self.engine, &task, form).await.map_err(HardenError::Audit)?;
        let options = self.unsuggested();
        let wider = audit_on(self.engine, &task, self.ground, self.operators, &options).await;
        let wider = wider.map_err(HardenError::Audit)?;
        let otherwise = audit_on(self.engine, &task, &form, self.operators, &options).await;
        let otherwise = otherwise.map_err(HardenError::Audit)?;
        let of_form = before.criteria.get(at).zip(otherwise.criteria.get(at));
        let is_sound = before.criteria.iter().zip(&wider.criteria).all(|(was, is)| is_no_weaker(was, is, true))
            && of_form.is_some_and(|(was, is)| is_no_weaker(was, is, false));
        Ok(is_sound.then_some(wider))
    }
}
