//! The check: settings, selection, judgement.

use std::cell::RefCell;

use candor_check::{
    Bytes, Candidate, Cardinality, Check, Entry, Evidence, EvidenceSource, Failure, Fault, Field, FieldResult,
    Judgement, Judging, Match, Meta, NearMiss, NotYet, Observation, Obstacle, Place, Reading, RecordRules, References,
    Sandbox, Unreadable, Unverifiable, Wording, closest, conclude,
};
use candor_hl7v2::{self as hl7v2, Declared};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::correlation::{Correlation, Selected, Sent};
use crate::path::MessagePath;
use crate::segments::SegmentCardinality;
use crate::source::{MessageSource, PART};

/// Settings of `hl7-structural`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hl7Structural {
    #[serde(default)]
    correlate_by: Correlation,
    #[serde(default, deserialize_with = "fields")]
    fields: Vec<Field<MessagePath>>,
    #[serde(default)]
    segments: Vec<SegmentCardinality>,
    #[serde(default, rename = "match")]
    matching: Match,
    #[serde(default, deserialize_with = "given")]
    count: Option<Cardinality>,
    /// Waiting for live sources.
    #[serde(default, rename = "within")]
    _within: NotYet,
    /// Abstract message structures.
    #[serde(default, rename = "structure")]
    _structure: NotYet,
    /// Conformance profiles.
    #[serde(default, rename = "profile")]
    _profile: NotYet,
    /// Acknowledgments.
    #[serde(default, rename = "ack")]
    _ack: NotYet,
    /// No message sent twice.
    #[serde(default, rename = "unique")]
    _unique: NotYet,
    /// Order across messages.
    #[serde(default, rename = "sequence")]
    _sequence: NotYet,
}

fn fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Field<MessagePath>>, D::Error> {
    let fields = Vec::<Field<MessagePath>>::deserialize(deserializer)?;
    Ok(fields.into_iter().map(Field::where_empty_is_nothing).collect())
}

/// A member that is there has a value: `null` is none.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cardinality>, D::Error> {
    Cardinality::deserialize(deserializer).map(Some)
}

/// A message as it was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its bytes, from MSH on.
    pub text: Bytes,
    /// Where they begin in the file; nothing for an event, whose payload stands in JSON.
    pub offset: Option<u64>,
}

/// What the check looks at: the messages that `correlate_by` left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where messages were looked for.
    pub place: String,
    /// The messages.
    pub messages: Observation<Message>,
}

impl Check for Hl7Structural {
    const META: Meta = Meta {
        assert: "hl7-structural",
        about: "Asserts what the HL7 v2 messages say that were sent",
        part: PART,
        evidence_key: "field_results",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        let source = sandbox.source::<MessageSource>().await?;
        let mut selecting = Selecting::new(self, sandbox.limits().max_total_bytes.max(LEAST_HELD));
        selecting.seen.unreadable.extend(source.unreadable.iter().cloned());
        selecting.seen.notes.extend(source.notes.iter().cloned());
        if let Some(events) = &source.events {
            selecting.seen.unreadable.extend(events.unreadable.iter().cloned());
            for event in &events.events {
                let from = format!("line {} of {}", event.line, event.place.locator);
                let stream = Stream { sha256: &events.sha256, from, event: Some((&event.place, &event.at)) };
                match event.payload.as_str() {
                    Some(text) if !text.trim().is_empty() => selecting.read(text.as_bytes(), &event.place, &stream)?,
                    _ => selecting.recording(event.place.clone(), "the event has no message in `payload`"),
                }
            }
        }
        for file in &source.files {
            let stream = Stream { sha256: &file.sha256, from: file.locator.clone(), event: None };
            selecting.read(&file.bytes, &Place::whole(file.locator.as_str()), &stream)?;
        }
        Ok(Seen { place: source.place.clone(), messages: selecting.finish() })
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        let wording = Wording {
            one: "message".to_owned(),
            several: "messages".to_owned(),
            selected_by: self.correlate_by.described(),
            place: seen.place.clone(),
            field: "field",
        };
        let judging = Judging {
            rules: RecordRules { matching: self.matching, count: self.count },
            asserts_content: !self.fields.is_empty() || !self.segments.is_empty(),
            wording: &wording,
        };
        let replaced = RefCell::new(Vec::new());
        let evidence = conclude(&judging, &seen.messages, |candidate| self.judge_message(candidate, &replaced));
        with_replaced(evidence, &replaced.into_inner())
    }
}

impl Hl7Structural {
    fn judge_message(&self, candidate: &Candidate<Message>, replaced: &RefCell<Vec<(String, Place)>>) -> Judgement {
        let place = candidate.source.place();
        let references = References::default();
        let reading = Reading { locator: &place.locator, span: place.span, references: &references };
        let message = hl7v2::messages(&candidate.content.text.0).next().and_then(Result::ok);
        let field = |field: &Field<MessagePath>| {
            let Some(message) = &message else { return field.evaluate(Default::default(), reading) };
            let selected = field.path.select(message, candidate.content.offset);
            let result = field.evaluate(selected.selection, reading);
            if selected.replaced.is_some()
                && let Some(source) = &result.source
            {
                replaced.borrow_mut().push((result.path.clone(), source.clone()));
            }
            result
        };
        let fields = self.fields.iter().map(field).collect();
        let cardinality = |segment: &SegmentCardinality| {
            (Failure::StructureViolation, segment.judge(message.as_ref(), place.clone()))
        };
        let mut constraints: Vec<_> = self.segments.iter().map(cardinality).collect();
        if message.is_none() {
            // Only an observation that this check did not make holds such a candidate.
            let unreadable = FieldResult::constraint("$readable", json!(true), json!(false), false).at(place);
            constraints.push((Failure::Malformed, unreadable));
        }
        Judgement { fields, constraints, unsafe_modifier: None }
    }
}

/// Names the results whose value holds U+FFFD in place of bytes that could not be decoded.
fn with_replaced(evidence: Evidence, replaced: &[(String, Place)]) -> Evidence {
    let shown = |result: &FieldResult| {
        replaced.iter().any(|(path, place)| *path == result.path && Some(place) == result.source.as_ref())
    };
    let fields = evidence.results.iter().filter_map(|entry| match entry {
        Entry::Field(field) if shown(field) => Some(json!({"path": field.path, "source": field.source})),
        _ => None,
    });
    let fields: Vec<Value> = fields.collect();
    if fields.is_empty() { evidence } else { evidence.with("replaced_bytes", Value::Array(fields)) }
}

/// What candidates may always take in memory, however small the limits: files within them were read already.
const LEAST_HELD: u64 = 64 << 20;

/// Bytes that messages are read from.
struct Stream<'a> {
    sha256: &'a str,
    /// What a person would call it.
    from: String,
    /// Of an event, the place of its line and when it was recorded.
    event: Option<(&'a Place, &'a str)>,
}

/// Selection in progress.
struct Selecting<'a> {
    check: &'a Hl7Structural,
    seen: Observation<Message>,
    /// Places that could not be read, beyond those that are kept.
    more_unreadable: usize,
    held: u64,
    limit: u64,
}

impl<'a> Selecting<'a> {
    /// The most unreadable places that are kept one by one.
    const MOST_UNREADABLE: usize = 1000;
    /// What a candidate takes beside its text, about.
    const OVERHEAD: u64 = 512;

    fn new(check: &'a Hl7Structural, limit: u64) -> Self {
        Self { check, seen: Observation::default(), more_unreadable: 0, held: 0, limit }
    }

    fn read(&mut self, bytes: &[u8], place: &Place, stream: &Stream<'_>) -> Result<(), Unverifiable> {
        let mut number = 0;
        for item in hl7v2::messages(bytes) {
            number += 1;
            match item {
                Ok(message) => {
                    let offset = stream.event.is_none().then_some(message.span().start as u64);
                    let label = match (stream.event, number) {
                        (Some(_), 1) => format!("the message of {}", stream.from),
                        _ => format!("message {number} of {}", stream.from),
                    };
                    let place = match offset {
                        Some(start) => Place::bytes(place.locator.as_str(), start..message.span().end as u64),
                        None => place.clone(),
                    };
                    self.message(&message, place, label, offset, stream)?;
                }
                Err(error) => {
                    let (start, end) = (error.span.start as u64, error.span.end as u64);
                    let (place, what) = match stream.event {
                        None => (Place::bytes(place.locator.as_str(), start..end), error.to_string()),
                        Some(_) => (place.clone(), format!("the payload cannot be read, {error}")),
                    };
                    self.unreadable(Unreadable { place, what, fault: Fault::System });
                }
            }
        }
        Ok(())
    }

    fn message(
        &mut self,
        message: &hl7v2::Message<'_>,
        place: Place,
        label: String,
        offset: Option<u64>,
        stream: &Stream<'_>,
    ) -> Result<(), Unverifiable> {
        self.seen.considered += 1;
        let at = stream.event.map(|(_, at)| at);
        match self.check.correlate_by.select(&Sent { message, place: place.clone(), at }) {
            Selected::Yes => {}
            Selected::No(results) => {
                let near = NearMiss::of(place, label, &results);
                self.seen.near = closest(self.seen.near.take(), near);
                return Ok(());
            }
            Selected::Undecidable(result) => {
                let actual = candor_check::quoted(&result.actual);
                let expected = candor_check::quoted(&result.expected);
                let what = format!("{actual} does not decide whether {label} was sent since {expected}");
                self.unreadable(Unreadable { place, what, fault: Fault::Obstacle(Obstacle::Undecidable) });
                return Ok(());
            }
        }
        self.held = self.held.saturating_add(message.raw().len() as u64 + Self::OVERHEAD);
        if self.held > self.limit {
            let details = format!("the messages{} are more than the limit max_total_bytes", self.selected_by());
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
        }
        self.note_replaced(message, &label, offset);
        self.seen.candidates.push(Candidate {
            source: EvidenceSource { locator: place.locator, sha256: Some(stream.sha256.to_owned()), span: place.span },
            label,
            content: Message { text: Bytes(message.raw().to_vec()), offset },
        });
        Ok(())
    }

    fn selected_by(&self) -> String {
        let described = self.check.correlate_by.described();
        if described.is_empty() { described } else { format!(" {described}") }
    }

    /// Says that a field that is asserted holds bytes that cannot be decoded.
    fn note_replaced(&mut self, message: &hl7v2::Message<'_>, label: &str, offset: Option<u64>) {
        const MOST_NOTES: usize = 20;
        let replaced = |field: &&Field<MessagePath>| field.path.select(message, offset).replaced.is_some();
        if self.seen.notes.len() < MOST_NOTES
            && let Some(field) = self.check.fields.iter().find(replaced)
        {
            let charset = match message.charset() {
                Declared::Known(_) => "the character set of MSH-18",
                Declared::Nothing(_) | Declared::Unknown(_) => "its character set",
            };
            self.seen.notes.push(format!(
                "{} of {label} holds bytes that {charset} does not have; they are read as U+FFFD.",
                field.path_text
            ));
        }
    }

    fn recording(&mut self, place: Place, what: &str) {
        self.unreadable(Unreadable { place, what: what.to_owned(), fault: Fault::Recording });
    }

    fn unreadable(&mut self, unreadable: Unreadable) {
        // One that is no failure of the system under test decides what comes of it, so it is kept.
        let decides =
            unreadable.fault != Fault::System && self.seen.unreadable.iter().all(|kept| kept.fault == Fault::System);
        if self.seen.unreadable.len() < Self::MOST_UNREADABLE || decides {
            self.seen.unreadable.push(unreadable);
        } else {
            self.more_unreadable += 1;
        }
    }

    fn finish(mut self) -> Observation<Message> {
        if self.more_unreadable > 0 {
            self.seen.notes.push(format!("{} more places could not be read.", self.more_unreadable));
        }
        self.seen
    }
}
