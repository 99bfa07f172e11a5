//! From what was observed to evidence. Pure.

use std::cell::RefCell;
use std::collections::HashSet;

use candor_check::compare::References;
use candor_check::evidence::Entry;
use candor_check::field::{FieldEntry, FieldResult, Location, ReadFrom, judge_entries};
use candor_check::records::{
    Candidate, Facts, Judgement, Judging, QuotedPlaces, UnsafeMatch, Wording, conclude_by_time,
};
use candor_check::work::cancelled;
use candor_check::{Evidence, Failure};
use candor_hl7v2 as hl7v2;
use candor_json::{Value, json};

use crate::ack::Answers;
use crate::items::{self, Noticed, Read};
use crate::order::moment;
use crate::safety;
use crate::same_as::ByValue;
use crate::seen::{Message, Seen};
use crate::segments::SegmentCardinality;
use crate::settings::Settings;

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let wording = Wording {
        one: "message".to_owned(),
        several: "messages".to_owned(),
        selected_by: settings.correlate_by.described(),
        place: seen.place.clone(),
        field: "field",
    };
    let mut whole = Vec::new();
    whole.extend(settings.unique.as_ref().map(|unique| unique.judge(&seen.messages.candidates)));
    whole.extend(settings.sequence.as_ref().map(|sequence| sequence.judge(&seen.messages.candidates)));
    let shown = Shown::default();
    let others: Vec<ByValue<'_>> = seen.others.iter().map(ByValue::of).collect();
    let acknowledged = Answers::new(&seen.acknowledgments, &seen.acknowledged);
    // The message that has the value may be one that could not be read.
    let misses_another = |candidate: &Candidate<Message>| {
        let place = candidate.source.place();
        candidate.content.read().is_none_or(|message| {
            let judging = items::Judging::new(&message, candidate.content.offset());
            settings.same_as.iter().zip(&others).any(|(same, others)| !same.judge(&judging, others, &place).passed)
        })
    };
    let may_be_hidden = !settings.same_as.is_empty() && !seen.messages.unreadable.is_empty();
    let judging = Judging {
        rules: settings.rules(),
        asserts_content: settings.asserts_content(),
        whole,
        hangs_on_all: settings.ack.is_some()
            || seen.may_be_cancelled
            || may_be_hidden && seen.messages.candidates.iter().all(misses_another),
        wording: &wording,
    };
    let asserting = settings.asserting(seen.messages.environment);
    let facts = Facts::new(&seen.cancels);
    let names_event = settings.correlate_by.message_type().is_some_and(|kind| kind.contains('^'));
    let beside = Beside { seen, acknowledged: &acknowledged, others: &others };
    let judge = |candidate: &Candidate<Message>| {
        judge_message(settings, candidate, &beside, &shown, &|message, read| {
            safety::unsafe_match(read, &asserting, candidate, message, &facts, names_event)
        })
    };
    let evidence = conclude_by_time(&judging, &seen.messages, moment, judge);
    shown.with(evidence)
}

#[derive(Default)]
struct Shown {
    /// Remarks on the values of results: by path and source, a member of the evidence and its entry.
    remarks: RefCell<Vec<Remark>>,
    /// Violations of the structure: the place that tells the candidate, and the violation.
    violations: RefCell<Vec<(Location, Value)>>,
    warnings: RefCell<Vec<Value>>,
}

struct Remark {
    path: String,
    source: Location,
    /// Bytes that could not be decoded, in hex; U+FFFD is in their place.
    replaced: Option<String>,
    /// Escape sequences that are still in the text, and what each is.
    kept_escapes: Vec<(String, &'static str)>,
}

impl Remark {
    fn replaced(&self) -> Option<Value> {
        let Self { path, source, .. } = self;
        self.replaced.as_ref().map(|bytes| json!({"path": path, "source": source, "bytes": bytes}))
    }

    fn kept_escapes(&self) -> Option<Value> {
        let Self { path, source, kept_escapes, .. } = self;
        let escapes: Vec<Value> =
            kept_escapes.iter().map(|(sequence, meaning)| json!({"sequence": sequence, "meaning": meaning})).collect();
        (!escapes.is_empty()).then(|| json!({"path": path, "source": source, "escapes": escapes}))
    }
}

struct Beside<'b> {
    seen: &'b Seen,
    acknowledged: &'b Answers<'b>,
    others: &'b [ByValue<'b>],
}

fn judge_message(
    settings: &Settings,
    candidate: &Candidate<Message>,
    &Beside { seen, acknowledged, others }: &Beside<'_>,
    shown: &Shown,
    unsafe_match: &dyn Fn(&hl7v2::Message<'_>, &[Read<'_>]) -> Option<UnsafeMatch>,
) -> Judgement {
    let place = candidate.source.place();
    let references = References::default();
    let reading = ReadFrom { locator: &place.locator, span: place.span, references: &references };
    let message = candidate.content.read();
    let (mut fields, mut explained, mut undone, mut keeps_results) = (Vec::new(), Vec::new(), None, false);
    if let Some(message) = &message {
        let judging = items::Judging::new(message, candidate.content.offset());
        let selected_by = settings.correlate_by.fields().chain(settings.other_values());
        let mut read = items::reads(selected_by, &judging, reading);
        for judged in judge_entries(&settings.fields, &judging.whole(reading)) {
            for noted in judged.notes {
                let Noticed { at, place, replaced, kept_escapes } = noted.note;
                let result = judged.results.iter().find(|result| result.path == place);
                if let Some(result) = result
                    && let Some(source) = &result.source
                    && (replaced.is_some() || !kept_escapes.is_empty())
                {
                    let (path, source) = (result.path.clone(), source.clone());
                    shown.remarks.borrow_mut().push(Remark { path, source, replaced, kept_escapes });
                    keeps_results = true;
                }
                read.extend(at.map(|at| Read { field: noted.field, at }));
            }
            fields.extend(judged.results);
            explained.extend(judged.explained);
        }
        if fields.iter().any(|result| !result.passed) {
            let paths = settings.fields.iter().flat_map(FieldEntry::paths);
            explained.extend(paths.filter_map(|path| judging.without(path)).take(1));
        }
        let same_as = settings.same_as.iter().zip(others);
        fields.extend(same_as.map(|(same_as, others)| same_as.judge(&judging, others, &place)));
        fields.extend(settings.document.iter().flat_map(|document| document.judge(&judging, &place)));
        undone = unsafe_match(message, &read);
    }
    let cardinality =
        |segment: &SegmentCardinality| (Failure::StructureViolation, segment.judge(message.as_ref(), place.clone()));
    let mut constraints: Vec<_> = settings.segments.iter().map(cardinality).collect();
    if let (Some(structure), Some(message)) = (&settings.structure, &message) {
        let judged = structure.judge(message, &place, candidate.content.offset());
        constraints.extend(judged.results.into_iter().map(|result| (Failure::StructureViolation, result)));
        keeps_results |= !judged.violations.is_empty();
        let violations = judged.violations.into_iter().map(|violation| (place.clone(), violation));
        shown.violations.borrow_mut().extend(violations);
        let wrong = seen.wrong_counts.iter().filter(|wrong| wrong.concerns(&place));
        constraints.extend(wrong.map(|wrong| (Failure::StructureViolation, wrong.result())));
    }
    if let (Some(profile), Some(message)) = (&settings.profile, &message) {
        let judged = profile.judge(message, &place, candidate.content.offset());
        constraints.extend(judged.results.into_iter().map(|result| (Failure::StructureViolation, result)));
        shown.warnings.borrow_mut().extend(judged.warnings);
    }
    if let (Some(ack), Some(message)) = (&settings.ack, &message) {
        let results = ack.judge(message, candidate.content.at.as_deref(), acknowledged, &place);
        constraints.extend(results.into_iter().map(|result| (Failure::FieldMismatch, result)));
    }
    if message.is_none() {
        // Only an observation that this check did not make holds such a candidate.
        let unreadable = FieldResult::constraint("$readable", json!(true), json!(false), false).at(place);
        constraints.push((Failure::Malformed, unreadable));
    }
    Judgement { fields, constraints, explained, unsafe_match: undone, keeps_results, ..Judgement::default() }
}

impl Shown {
    fn with(self, evidence: Evidence) -> Evidence {
        let fields = evidence.results.iter().filter_map(|entry| match entry {
            Entry::Field(field) => Some(field),
            Entry::Phrase(_) => None,
        });
        let quoted: HashSet<(&str, Option<&Location>)> =
            fields.clone().map(|field| (field.path.as_str(), field.source.as_ref())).collect();
        let mut remarks = self.remarks.into_inner();
        remarks.retain(|remark| quoted.contains(&(remark.path.as_str(), Some(&remark.source))));
        let mut violations = self.violations.into_inner();
        if fields.clone().all(|field| field.passed) {
            violations.clear();
        }
        let places = QuotedPlaces::of(&evidence, |_| true);
        violations.retain(|(place, _)| !cancelled() && places.any_within(place));
        let violations: Vec<Value> = violations.into_iter().map(|(_, violation)| violation).collect();
        let add = |evidence: Evidence, name: &str, shown: Vec<Value>| {
            if shown.is_empty() { evidence } else { evidence.with(name, Value::Array(shown)) }
        };
        let evidence = add(evidence, "replaced_bytes", remarks.iter().filter_map(Remark::replaced).collect());
        let evidence = add(evidence, "kept_escapes", remarks.iter().filter_map(Remark::kept_escapes).collect());
        let evidence = add(evidence, "structure_violations", violations);
        add(evidence, "profile_warnings", self.warnings.into_inner())
    }
}
