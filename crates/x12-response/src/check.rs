//! The check: what is observed, and what follows from it.

use std::cell::RefCell;
use std::sync::Arc;

use candor_check::work::cancelled;
use candor_check::{
    Candidate, Check, Entry, Evidence, Failure, Fault, Field, FieldResult, Judgement, Judging, Meta, Observation,
    Obstacle, Place, Reading, RecordReview, References, Review, Sandbox, Unreadable, Unverifiable, Wording, closest,
    conclude,
};
use candor_x12::Walk;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::observe::{self, From, Held};
use crate::path::{ReadSet, SetPath};
use crate::request::Requests;
use crate::seen::Content;
use crate::settings::{Envelope, Members, Settings};
use crate::source::{Interchanges, PART, obstacle};
use crate::validate::Validate;

/// Settings of `x12-response`.
#[derive(Debug)]
pub struct X12Response(Arc<Settings>);

impl<'de> Deserialize<'de> for X12Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        Settings::try_from(members).map(|settings| Self(Arc::new(settings))).map_err(serde::de::Error::custom)
    }
}

/// What the check looks at: the transaction sets that the selection left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where they were looked for.
    pub place: String,
    /// The sets.
    pub sets: Observation<Content>,
    /// Where `answers` is asserted: the requests that may have been answered.
    #[serde(default)]
    pub requests: Requests,
}

impl Check for X12Response {
    const META: Meta = Meta {
        assert: "x12-response",
        about: "Asserts what X12 transaction sets answer",
        part: PART,
        files: &[],
        evidence_key: "fieldResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        let source = sandbox.source::<Interchanges>().await?;
        let room = sandbox.limits().max_total_bytes;
        let mut gathered = Gathered { seen: Observation::default(), requests: Requests::default(), more: 0, room };
        gathered.seen.unreadable.extend(source.unreadable.iter().cloned());
        gathered.seen.notes.extend(source.notes.iter().cloned());
        for event in source.events.iter().flat_map(|events| &events.events) {
            let from = From {
                place: event.place.clone(),
                name: format!("line {} of {}", event.line, event.place.locator),
                located: false,
                selection: &self.0.selection,
                room: gathered.room,
            };
            match event.payload.as_str() {
                Some(text) if !text.trim().is_empty() => {
                    let limits = observe::x12_limits(sandbox.limits());
                    let mut held = from.read(Walk::from_slice_with(text.as_bytes(), limits));
                    for candidate in &mut held.candidates {
                        candidate.source.sha256 = source.events.as_ref().map(|events| events.sha256.clone());
                    }
                    self.gather(&mut gathered, held)?;
                }
                _ => gathered.seen.unreadable.push(Unreadable {
                    place: event.place.clone(),
                    what: "the event has no interchange in `payload`".to_owned(),
                    fault: Fault::Recording,
                }),
            }
        }
        if let Some(events) = &source.events {
            gathered.seen.unreadable.extend(events.unreadable.iter().cloned());
        }
        let Some(folder) = &source.folder else { return Ok(gathered.finish(&source)) };
        for file in &source.files {
            if let Some(answers) = self.0.answers.clone().filter(|answers| answers.holds(file)) {
                let (folder, entry, mut requests) =
                    (folder.clone(), file.clone(), std::mem::take(&mut gathered.requests));
                let read = move || {
                    answers.read(&folder, &entry, &mut requests);
                    Ok(requests)
                };
                gathered.requests = sandbox.blocking(&file.locator, read).await?;
                continue;
            }
            let (settings, room) = (Arc::clone(&self.0), gathered.room);
            let (folder, entry) = (folder.clone(), file.clone());
            let read = move || observe::file(&folder, &entry, &settings.selection, room, settings.validate.is_some());
            match sandbox.blocking(&file.locator, read).await {
                Ok(held) => self.gather(&mut gathered, held)?,
                Err(why) => gathered.seen.unreadable.push(obstacle(&file.locator, why)),
            }
        }
        Ok(gathered.finish(&source))
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        let settings = &*self.0;
        let ta1 = settings.selection.asks_for_ta1();
        let noun = if ta1 { "TA1 segment" } else { "transaction set" };
        let wording = Wording {
            one: noun.to_owned(),
            several: format!("{noun}s"),
            selected_by: settings.selection.described(),
            place: seen.place.clone(),
            field: "field",
        };
        let violated = |candidate: &Candidate<Content>| !self.violations(candidate).is_empty();
        // A sound envelope alone adds no result: the number of candidates is then what is seen.
        let asserts_content = !settings.fields.is_empty()
            || settings.answer.is_some()
            || settings.validate.is_some()
            || settings.answers.is_some()
            || seen.sets.candidates.iter().any(violated);
        let judging = Judging {
            rules: settings.rules,
            asserts_content,
            whole: Vec::new(),
            hangs_on_all: false,
            wording: &wording,
        };
        let shown = Shown::default();
        let evidence = conclude(&judging, &seen.sets, |candidate| self.judge_set(candidate, &seen.requests, &shown));
        shown.with(evidence)
    }

    fn review(&self) -> Review {
        let settings = &*self.0;
        let review = RecordReview {
            one: if settings.selection.asks_for_ta1() { "TA1 segment" } else { "readable transaction set" },
            member: "fields",
            fields: &settings.fields,
            rules: settings.rules,
            selected: !settings.selection.correlation.0.is_empty(),
            select_by: "correlate_by",
            beside: settings.answer.is_some()
                || settings.validate.is_some()
                || settings.answers.is_some()
                || settings.envelope == Envelope::Strict,
            whole: false,
        };
        review.review()
    }
}

impl X12Response {
    fn violations(&self, candidate: &Candidate<Content>) -> Vec<(Failure, FieldResult)> {
        let validated = self.0.validate.as_ref().is_some_and(Validate::envelope);
        match self.0.envelope {
            _ if validated => candidate.content.violations(true, &candidate.source.place()),
            Envelope::Off => Vec::new(),
            mode => candidate.content.violations(mode == Envelope::Strict, &candidate.source.place()),
        }
    }

    fn judge_set(&self, candidate: &Candidate<Content>, requests: &Requests, shown: &Shown) -> Judgement {
        let place = candidate.source.place();
        let references = References::default();
        let reading = Reading { locator: &place.locator, span: place.span, references: &references };
        let set = candidate.content.view().map(|view| ReadSet::new(view, candidate.content.located()));
        let field = |field: &Field<SetPath>| match &set {
            Some(set) => set.evaluate(field, reading),
            None => field.evaluate(Default::default(), reading),
        };
        let mut fields: Vec<FieldResult> = self.0.fields.iter().map(field).collect();
        if let (Some(answer), Some(set)) = (&self.0.answer, &set) {
            let answered = answer.judge(set, &place);
            fields.extend(answered.results);
            shown.quoted.borrow_mut().extend(answered.quoted.into_iter().map(|value| (place.clone(), value)));
        }
        if let (Some(answers), Some(set)) = (&self.0.answers, &set) {
            fields.extend(answers.judge(set, requests, &place));
        }
        let mut constraints = self.violations(candidate);
        if let (Some(validate), Some(set)) = (&self.0.validate, &set) {
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
        Judgement { fields, constraints, unsafe_modifier: None }
    }

    fn gather(&self, gathered: &mut Gathered, held: Held) -> Result<(), Unverifiable> {
        if held.over_the_limit {
            let selected = self.0.selection.described();
            let details = format!("the transaction sets {selected} are more than the limit max_total_bytes");
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details.replace("  ", " ")));
        }
        let seen = &mut gathered.seen;
        seen.considered += held.considered;
        seen.near = closest(seen.near.take(), held.near);
        seen.candidates.extend(held.candidates);
        seen.unreadable.extend(held.unreadable);
        gathered.more += held.more_unreadable;
        gathered.room = gathered.room.saturating_sub(held.size);
        Ok(())
    }
}

/// What evidence shows beside results, each with the place of its set.
#[derive(Default)]
struct Shown {
    /// The segments that answers rest on.
    quoted: RefCell<Vec<(Place, Value)>>,
    /// What validation found.
    findings: RefCell<Vec<(Place, Value)>>,
}

impl Shown {
    /// Adds what belongs to the sets whose results were kept.
    fn with(self, evidence: Evidence) -> Evidence {
        let Self { quoted, findings } = self;
        let add = |evidence: Evidence, name: &str, shown: Vec<(Place, Value)>, of: fn(&FieldResult) -> bool| {
            let is_kept = |place: &Place| {
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

fn within(inner: &Place, outer: &Place) -> bool {
    let inside = match (inner.span, outer.span) {
        (Some((start, end)), Some((from, to))) => from <= start && end <= to,
        _ => true,
    };
    inner.locator == outer.locator && inside
}

fn readable(passed: bool, place: Place) -> FieldResult {
    FieldResult::constraint("$readable", json!(true), json!(passed), passed).at(place)
}

/// What was observed so far.
struct Gathered {
    seen: Observation<Content>,
    requests: Requests,
    /// Places that could not be read, beyond those that are kept.
    more: usize,
    room: u64,
}

impl Gathered {
    fn finish(mut self, source: &Interchanges) -> Seen {
        if self.more > 0 {
            self.seen.notes.push(format!("{} more places could not be read.", self.more));
        }
        Seen { place: source.place.clone(), sets: self.seen, requests: self.requests }
    }
}
