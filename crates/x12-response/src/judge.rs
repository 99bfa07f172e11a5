//! From what was observed to evidence. Pure.

use std::cell::RefCell;

use candor_check::compare::References;
use candor_check::evidence::Entry;
use candor_check::field::{Field, FieldResult, Location, ReadFrom};
use candor_check::records::{Candidate, Judgement, Judging, Wording, conclude};
use candor_check::work::cancelled;
use candor_check::{Evidence, Failure};
use serde_json::{Value, json};

use crate::path::{ReadSet, SetPath};
use crate::request::Requests;
use crate::seen::{Content, Seen};
use crate::settings::{Envelope, Settings};
use crate::validate::Validate;

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let ta1 = settings.selection.asks_for_ta1();
    let noun = if ta1 { "TA1 segment" } else { "transaction set" };
    let wording = Wording {
        one: noun.to_owned(),
        several: format!("{noun}s"),
        selected_by: settings.selection.described(),
        place: seen.place.clone(),
        field: "field",
    };
    let violated = |candidate: &Candidate<Content>| !violations(settings, candidate).is_empty();
    // A sound envelope alone adds no result: the number of candidates is then what is seen.
    let asserts_content = !settings.fields.is_empty()
        || settings.answer.is_some()
        || settings.validate.is_some()
        || settings.answers.is_some()
        || seen.sets.candidates.iter().any(violated);
    let judging =
        Judging { rules: settings.rules, asserts_content, whole: Vec::new(), hangs_on_all: false, wording: &wording };
    let shown = Shown::default();
    let evidence = conclude(&judging, &seen.sets, |candidate| judge_set(settings, candidate, &seen.requests, &shown));
    shown.with(evidence)
}

fn violations(settings: &Settings, candidate: &Candidate<Content>) -> Vec<(Failure, FieldResult)> {
    let validated = settings.validate.as_ref().is_some_and(Validate::envelope);
    match settings.envelope {
        _ if validated => candidate.content.violations(true, &candidate.source.place()),
        Envelope::Off => Vec::new(),
        mode => candidate.content.violations(mode == Envelope::Strict, &candidate.source.place()),
    }
}

fn judge_set(settings: &Settings, candidate: &Candidate<Content>, requests: &Requests, shown: &Shown) -> Judgement {
    let place = candidate.source.place();
    let references = References::default();
    let reading = ReadFrom { locator: &place.locator, span: place.span, references: &references };
    let set = candidate.content.view().map(|view| ReadSet::new(view, candidate.content.located()));
    let field = |field: &Field<SetPath>| match &set {
        Some(set) => set.evaluate(field, reading),
        None => field.evaluate(Default::default(), reading),
    };
    let mut fields: Vec<FieldResult> = settings.fields.iter().map(field).collect();
    if let (Some(answer), Some(set)) = (&settings.answer, &set) {
        let answered = answer.judge(set, &place);
        fields.extend(answered.results);
        shown.quoted.borrow_mut().extend(answered.quoted.into_iter().map(|value| (place.clone(), value)));
    }
    if let (Some(answers), Some(set)) = (&settings.answers, &set) {
        fields.extend(answers.judge(set, requests, &place));
    }
    let mut constraints = violations(settings, candidate);
    if let (Some(validate), Some(set)) = (&settings.validate, &set) {
        let validated = validate.judge(set, &place, candidate.content.line());
        constraints.extend(validated.results);
        shown.findings.borrow_mut().extend(validated.findings.into_iter().map(|value| (place.clone(), value)));
    }
    if set.is_none() {
        // Only an observation that this check did not make holds such a candidate.
        constraints.push((Failure::Malformed, readable(false, place)));
    } else if fields.is_empty() && constraints.is_empty() {
        // Beside candidates whose envelope is violated, this one's is seen to be sound.
        let sound = FieldResult::constraint("$envelope", json!("sound"), json!("sound"), true);
        constraints.push((Failure::StructureViolation, sound.at(place)));
    }
    Judgement { fields, constraints, ..Judgement::default() }
}

/// What evidence shows beside results, each with the place of its set.
#[derive(Default)]
struct Shown {
    /// The segments that answers rest on.
    quoted: RefCell<Vec<(Location, Value)>>,
    /// What validation found.
    findings: RefCell<Vec<(Location, Value)>>,
}

impl Shown {
    /// Adds what belongs to the sets whose results were kept.
    fn with(self, evidence: Evidence) -> Evidence {
        let Self { quoted, findings } = self;
        let add = |evidence: Evidence, name: &str, shown: Vec<(Location, Value)>, of: fn(&FieldResult) -> bool| {
            let is_kept = |place: &Location| {
                evidence.results.iter().any(|entry| match entry {
                    Entry::Field(result) => of(result) && result.source.as_ref().is_some_and(|at| within(at, place)),
                    Entry::Phrase(_) => false,
                })
            };
            let kept: Vec<Value> =
                shown.into_iter().filter(|(place, _)| !cancelled() && is_kept(place)).map(|(_, value)| value).collect();
            if kept.is_empty() { evidence } else { evidence.with(name, Value::Array(kept)) }
        };
        let evidence =
            add(evidence, "answer_segments", quoted.into_inner(), |result| result.path.starts_with("answer."));
        add(evidence, "findings", findings.into_inner(), |result| !result.passed)
    }
}

fn within(inner: &Location, outer: &Location) -> bool {
    let inside = match (inner.span, outer.span) {
        (Some((start, end)), Some((from, to))) => from <= start && end <= to,
        _ => true,
    };
    inner.locator == outer.locator && inside
}

fn readable(passed: bool, place: Location) -> FieldResult {
    FieldResult::constraint("$readable", json!(true), json!(passed), passed).at(place)
}
