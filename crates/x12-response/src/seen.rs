//! Observations: the transaction sets that the selection left, and each as it is kept between observing and judging.

use std::sync::Arc;

use candor_check::Failure;
use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::records::{Bytes, Moment, Observation};
use candor_json::{Value, json};
use candor_x12::{CODES, Delimiters, Excerpt, Finding, SetView};
use serde::{Deserialize, Serialize, Serializer};

use crate::claims::RemittedClaim;
use crate::order::Sent;
use crate::request::Requests;

/// The transaction sets that the selection left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where they were looked for.
    pub place: String,
    /// The sets.
    pub sets: Observation<Content>,
    /// Where `answers` is asserted: the requests that may have been answered.
    #[serde(default)]
    pub requests: Requests,
    /// Where `validate` is asserted: X12's own codes of what could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Coded>,
    /// Something is cut off that was, or may have been, a remittance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cuts_remittance: bool,
    /// The remittances' statements about claims that one of them reverses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<RemittedClaim>,
}

/// X12's own code of a place that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coded {
    /// The place.
    pub place: Location,
    /// The element that reports it, and the code: `IK502:2`.
    pub code: String,
}

/// A transaction set or a TA1, with the ISA and GS it is seen with, as its source wrote them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Content {
    delimiters: Declared,
    isa: SharedPart,
    gs: Option<SharedPart>,
    body: Part,
    /// True if offsets count in a file; those of an event count in its payload.
    located: bool,
    /// The line of the file in which the body begins, where that was asked for.
    #[serde(default)]
    line: Option<u64>,
    envelope: Vec<Disagreement>,
    /// True if something about the envelope could not be found out.
    envelope_unknown: bool,
    /// Where its segments begin that have no id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    text: Bytes,
    offset: u64,
}

/// A part that the sets of one interchange or group hold together.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Part")]
struct SharedPart(Arc<Part>);

impl From<Part> for SharedPart {
    fn from(part: Part) -> Self {
        Self(Arc::new(part))
    }
}

impl Serialize for SharedPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl SharedPart {
    fn of(excerpt: Excerpt<'_>, before: Option<&Self>) -> Self {
        match before {
            Some(before) if before.0.excerpt() == excerpt => before.clone(),
            _ => Part::of(excerpt).into(),
        }
    }
}

/// The delimiters of an ISA, as bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Declared {
    element: u8,
    component: Option<u8>,
    repetition: Option<u8>,
    terminator: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Disagreement {
    code: String,
    path: String,
    expected: String,
    found: Option<String>,
    offset: u64,
    hinders_reading: bool,
}

impl Part {
    fn of(excerpt: Excerpt<'_>) -> Self {
        Self { text: Bytes(excerpt.bytes.into()), offset: excerpt.offset }
    }

    fn excerpt(&self) -> Excerpt<'_> {
        Excerpt { bytes: &self.text.0, offset: self.offset }
    }
}

impl Content {
    /// `before` is the set that was read last.
    pub(crate) fn new(view: &SetView<'_>, located: bool, damaged: Vec<u64>, before: Option<&Self>) -> Self {
        let declared = &view.delimiters;
        Self {
            delimiters: Declared {
                element: declared.element(),
                component: declared.component(),
                repetition: declared.repetition(),
                terminator: declared.terminator().to_vec(),
            },
            isa: SharedPart::of(view.isa, before.map(|before| &before.isa)),
            gs: view.gs.map(|gs| SharedPart::of(gs, before.and_then(|before| before.gs.as_ref()))),
            body: Part::of(view.body),
            located,
            line: None,
            envelope: Vec::new(),
            envelope_unknown: false,
            damaged,
        }
    }

    /// How many bytes it holds, about.
    pub(crate) fn size(&self) -> u64 {
        const OVERHEAD: usize = 512;
        let parts = [Some(&*self.isa.0), self.gs.as_ref().map(|gs| &*gs.0), Some(&self.body)];
        parts.into_iter().flatten().map(|part| part.text.0.len()).sum::<usize>() as u64 + OVERHEAD as u64
    }

    pub(crate) fn add(&mut self, findings: &[Finding]) {
        self.envelope.extend(findings.iter().map(|finding| Disagreement {
            code: finding.code.to_owned(),
            path: finding.path.to_owned(),
            expected: finding.expected.clone(),
            found: finding.found.clone(),
            offset: finding.offset,
            hinders_reading: finding.hinders_reading,
        }));
    }

    pub(crate) fn envelope_is_unknown(&mut self) {
        self.envelope_unknown = true;
    }

    /// The candidate as paths see it; `None` when this was not kept by this check.
    pub(crate) fn view(&self) -> Option<SetView<'_>> {
        let declared = &self.delimiters;
        Some(SetView {
            delimiters: Delimiters::new(
                declared.element,
                declared.component,
                declared.repetition,
                &declared.terminator,
            )?,
            isa: self.isa.0.excerpt(),
            gs: self.gs.as_ref().map(|gs| gs.0.excerpt()),
            body: self.body.excerpt(),
        })
    }

    /// When its interchange was sent; nothing where ISA has no date.
    pub(crate) fn moment(&self) -> Option<Moment> {
        Sent::of(&self.view()?).moment()
    }

    pub(crate) fn damaged(&self) -> &[u64] {
        &self.damaged
    }

    pub(crate) fn offset(&self) -> u64 {
        self.body.offset
    }

    pub(crate) fn begins_in(&mut self, line: u64) {
        self.line = Some(line);
    }

    pub(crate) fn line(&self) -> Option<u64> {
        self.line
    }

    pub(crate) fn located(&self) -> bool {
        self.located
    }

    /// The disagreements as results: all of them, or those that may make text be read wrongly.
    pub(crate) fn violations(&self, strict: bool, place: &Location) -> Vec<(Failure, FieldResult)> {
        let counts = |disagreement: &&Disagreement| strict || disagreement.hinders_reading;
        let mut violations: Vec<(Failure, FieldResult)> =
            self.envelope.iter().filter(counts).map(|disagreement| self.violation(disagreement, place)).collect();
        if strict && self.envelope_unknown {
            let result = FieldResult::constraint("$envelope", json!("sound"), Value::Null, false);
            violations.push((Failure::StructureViolation, result.because(FieldReason::Undecidable).at(place.clone())));
        }
        violations
    }

    fn violation(&self, disagreement: &Disagreement, place: &Location) -> (Failure, FieldResult) {
        let result = FieldResult::constraint(
            disagreement.path.as_str(),
            json!(disagreement.expected),
            json!(disagreement.found),
            false,
        );
        let length = disagreement.found.as_ref().map_or(0, |found| found.len() as u64);
        let place = if self.located {
            Location::bytes(place.locator.as_str(), disagreement.offset..disagreement.offset + length)
        } else {
            place.clone()
        };
        let result = match CODES.iter().find(|code| **code == disagreement.code) {
            Some(code) => result.because(FieldReason::Code(code)),
            None => result,
        };
        (Failure::StructureViolation, result.at(place))
    }
}
