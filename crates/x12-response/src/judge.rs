//! From what was observed to evidence. Pure.

use std::cell::RefCell;

use candor_check::compare::References;
use candor_check::evidence::Entry;
use candor_check::field::{FieldReason, FieldResult, Judged, Location, ReadFrom, judge_entries};
use candor_check::records::{
    Asserting, Candidate, Judgement, Judging, QuotedPlaces, Unreadable, Wording, conclude_by_time,
};
use candor_check::sandbox::Environment;
use candor_check::work::cancelled;
use candor_check::{Evidence, Failure};
use candor_json::{Value, json};
use candor_x12::{FAULT_CODES, ParseErrorKind};
use candor_x12_guides::Part;

use crate::answer::Answer;
use crate::answered::Standing;
use crate::claims::History;
use crate::glossed::glossed;
use crate::items::SetThing;
use crate::path::{ReadSet, SetPath};
use crate::request::Requests;
use crate::safety::{Read, hangs_on_remittances, unsafe_match};
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
    let history = History::of(&seen.claims);
    let asserting = asserting(settings, seen.sets.environment);
    let violated = |candidate: &Candidate<Content>| !violations(settings, candidate).is_empty();
    // A sound envelope alone adds no result: the number of candidates is then what is seen.
    let asserts_content = !settings.fields.is_empty()
        || settings.answer.is_some()
        || settings.validate.is_some()
        || settings.answers.is_some()
        || seen.sets.candidates.iter().any(violated);
    let beside = Beside { requests: &seen.requests, history: &history, asserting };
    // What is cut off or was not read may be the remittance that takes back what is asserted.
    let hangs_on_all = (seen.cuts_remittance || seen.sets.unreadable.iter().any(Unreadable::is_outage))
        && settings.reads_remittances()
        && seen.sets.candidates.iter().any(|candidate| {
            let hangs = |set: &ReadSet<'_>| {
                let place = candidate.source.place();
                let references = References::default();
                let reading = ReadFrom { locator: &place.locator, span: place.span, references: &references };
                let (reads, _) = judged(settings, set, reading);
                hangs_on_remittances(settings, &reads, set, &place)
            };
            read(candidate).as_ref().is_some_and(hangs)
                && judge_set(settings, candidate, &beside, &Shown::default()).fields.iter().all(|field| field.passed)
        });
    let whole = every_answered(settings, seen, &beside).map(|result| (Failure::FieldMismatch, result));
    let whole = whole.into_iter().collect();
    let judging = Judging { rules: settings.rules, asserts_content, whole, hangs_on_all, wording: &wording };
    let shown = Shown::default();
    let judge = |candidate: &Candidate<Content>| judge_set(settings, candidate, &beside, &shown);
    let evidence = conclude_by_time(&judging, &seen.sets, |candidate| candidate.content.moment(), judge);
    glossed(shown.with(coded(evidence, seen)))
}

fn violations(settings: &Settings, candidate: &Candidate<Content>) -> Vec<(Failure, FieldResult)> {
    let validated = settings.validate.as_ref().is_some_and(Validate::envelope);
    match settings.envelope {
        _ if validated => candidate.content.violations(true, &candidate.source.place()),
        Envelope::Off => Vec::new(),
        mode => candidate.content.violations(mode == Envelope::Strict, &candidate.source.place()),
    }
}

fn asserting(settings: &Settings, environment: Environment) -> Asserting {
    Asserting::new(settings.allow_modifiers, settings.rules, !settings.asserts_form_only(), environment)
}

fn every_answered(settings: &Settings, seen: &Seen, beside: &Beside<'_>) -> Option<FieldResult> {
    let answers = settings.answers.as_ref().filter(|answers| answers.every.is_some())?;
    let standing = |candidate: &Candidate<Content>| {
        let Judgement { fields, constraints, unsafe_match, .. } =
            judge_set(settings, candidate, beside, &Shown::default());
        let results = fields.iter().chain(constraints.iter().map(|(_, result)| result));
        let open = results.filter(|result| !result.passed).map(FieldResult::is_undecidable);
        let open: Vec<bool> = open.chain(unsafe_match.map(|found| found.is_undecidable())).collect();
        match open.as_slice() {
            [] => Standing::Meets,
            open if open.iter().all(|open| *open) => Standing::Open,
            _ => Standing::Fails,
        }
    };
    let candidates = seen.sets.candidates.iter();
    let sets: Vec<_> = candidates
        .filter_map(|candidate| Some((read(candidate)?, candidate.source.place(), standing(candidate))))
        .collect();
    answers.judge_every(settings.selection.transaction_name()?, &sets, &seen.requests, &seen.place)
}

fn read(candidate: &Candidate<Content>) -> Option<ReadSet<'_>> {
    let content = &candidate.content;
    let set = ReadSet::new(content.view()?, content.located());
    Some(set.damaged_at(content.damaged().first().copied()))
}

/// Gives what could not be read the codes by which X12 reports it.
fn coded(mut evidence: Evidence, seen: &Seen) -> Evidence {
    let of = |place: &Location| {
        let coded = seen.codes.iter().find(|coded| coded.place == *place)?;
        FAULT_CODES.iter().find(|code| **code == coded.code)
    };
    for entry in &mut evidence.results {
        if let Entry::Field(result) = entry
            && result.path == "$readable"
            && let Some(code) = result.source.as_ref().and_then(of)
        {
            *result = result.clone().because(FieldReason::Code(code));
        }
    }
    evidence
}

struct Beside<'b> {
    requests: &'b Requests,
    history: &'b History<'b>,
    asserting: Asserting,
}

fn judge_set(settings: &Settings, candidate: &Candidate<Content>, beside: &Beside<'_>, shown: &Shown) -> Judgement {
    let place = candidate.source.place();
    let references = References::default();
    let reading = ReadFrom { locator: &place.locator, span: place.span, references: &references };
    let set = read(candidate);
    let (mut fields, mut explained, mut reads, mut keeps_results) = (Vec::new(), Vec::new(), Vec::new(), false);
    if let Some(set) = &set {
        let (read, entries) = judged(settings, set, reading);
        reads = read;
        for entry in entries {
            fields.extend(entry.results);
            explained.extend(entry.explained);
        }
    }
    if let (Some(answer), Some(set)) = (&settings.answer, &set) {
        let answered = answer.judge(set, &place, beside.history);
        fields.extend(answered.results);
        keeps_results = !answered.quoted.is_empty();
        shown.quoted.borrow_mut().extend(answered.quoted.into_iter().map(|value| (place.clone(), value)));
    }
    if let (Some(answers), Some(set)) = (&settings.answers, &set) {
        let claim = settings.answer.as_ref().and_then(Answer::claim_id);
        fields.extend(answers.judge(set, beside.requests, claim, &place));
    }
    let mut constraints = violations(settings, candidate);
    if let (Some(validate), Some(set)) = (&settings.validate, &set) {
        constraints.extend(candidate.content.damaged().iter().map(|&at| unnamed_segment(set, at, &place)));
        let validated = validate.judge(set, &place, candidate.content.line());
        constraints.extend(validated.results);
        keeps_results |= !validated.findings.is_empty();
        shown.findings.borrow_mut().extend(validated.findings.into_iter().map(|value| (place.clone(), value)));
    }
    if set.is_none() {
        // Only an observation that this check did not make holds such a candidate.
        constraints.push((Failure::Malformed, readable(false, place)));
    } else if fields.is_empty() && constraints.is_empty() {
        // Other candidates have a violated envelope; state that this one's is sound.
        let sound = FieldResult::constraint("$envelope", json!("sound"), json!("sound"), true);
        constraints.push((Failure::StructureViolation, sound.at(place)));
    }
    let unsafe_match = set
        .as_ref()
        .and_then(|set| unsafe_match(&reads, &beside.asserting, set, &candidate.source.place(), beside.history));
    Judgement { fields, constraints, unsafe_match, explained, keeps_results, ..Judgement::default() }
}

/// The fields that read a set, those of `correlate_by` first, and what came of `fields`.
fn judged<'s>(
    settings: &'s Settings,
    set: &ReadSet<'_>,
    reading: ReadFrom<'_>,
) -> (Vec<Read<'s>>, Vec<Judged<'s, SetPath, Part>>) {
    let entries = judge_entries(&settings.fields, &SetThing::whole(set, reading));
    let mut reads: Vec<Read<'s>> = settings.selection.correlation.0.iter().map(|field| (field, Part::Set)).collect();
    reads.extend(entries.iter().flat_map(|entry| &entry.notes).map(|noted| (noted.field, noted.note)));
    (reads, entries)
}

/// The result of a segment that has no id, by X12's own code.
fn unnamed_segment(set: &ReadSet<'_>, at: u64, place: &Location) -> (Failure, FieldResult) {
    let place = if set.is_located() { Location::bytes(place.locator.as_str(), at..at) } else { place.clone() };
    let result =
        FieldResult::constraint("$validate", json!("a segment id"), json!(format!("none at byte {at}")), false);
    let code = ParseErrorKind::InvalidSegmentId.code().unwrap_or_default();
    (Failure::Malformed, result.because(FieldReason::Code(code)).at(place))
}

#[derive(Default)]
struct Shown {
    quoted: RefCell<Vec<(Location, Value)>>,
    findings: RefCell<Vec<(Location, Value)>>,
}

impl Shown {
    fn with(self, evidence: Evidence) -> Evidence {
        let Self { quoted, findings } = self;
        let add = |evidence: Evidence, name: &str, shown: Vec<(Location, Value)>, of: fn(&FieldResult) -> bool| {
            let places = QuotedPlaces::of(&evidence, of);
            let is_kept = |place: &Location| !cancelled() && places.any_within(place);
            let kept: Vec<Value> =
                shown.into_iter().filter(|(place, _)| is_kept(place)).map(|(_, value)| value).collect();
            if kept.is_empty() { evidence } else { evidence.with(name, Value::Array(kept)) }
        };
        let evidence =
            add(evidence, "answer_segments", quoted.into_inner(), |result| result.path.starts_with("answer."));
        add(evidence, "findings", findings.into_inner(), |result| !result.passed)
    }
}

fn readable(passed: bool, place: Location) -> FieldResult {
    FieldResult::constraint("$readable", json!(true), json!(passed), passed).at(place)
}
