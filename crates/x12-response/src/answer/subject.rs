//! Whom and what `answer` is about: `member_id` and `claim_id` select the sets that speak of them.

use candor_check::field::{FieldResult, Location};
use candor_json::{Value, json};
use candor_x12::Segment;

use super::settings::Answer;
use super::status;
use crate::path::ReadSet;

#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    member: Option<String>,
    claim: Option<String>,
}

/// NM101 of persons who are insured, or patients.
const PERSONS: [&str; 6] = ["IL", "QC", "03", "74", "QE", "DO"];

impl Subject {
    pub(crate) fn of(answer: Option<&Answer>) -> Self {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Self { member: text(answer.and_then(Answer::member_id)), claim: text(answer.and_then(Answer::claim_id)) }
    }

    pub(crate) fn number(&self) -> usize {
        usize::from(self.member.is_some()) + usize::from(self.claim.is_some())
    }

    /// Both in words, as [`crate::selection::Selection`] describes what is selected.
    pub(crate) fn described(&self) -> impl Iterator<Item = String> {
        let member = self.member.as_ref().map(|member| format!("member_id {member:?}"));
        let claim = self.claim.as_ref().map(|claim| format!("claim_id {claim:?}"));
        member.into_iter().chain(claim)
    }

    /// Which of the two a set does not have; nothing where it has them, or where it is rejected as a whole, so that it is the
    /// answer for everybody in it.
    fn lacks(&self, set: &ReadSet<'_>) -> [Option<&str>; 2] {
        if self.number() == 0 || set.damage().is_some() {
            return [None; 2];
        }
        let (transaction, segments) = (set.transaction(), set.segments());
        let member = self
            .member
            .as_deref()
            .filter(|wanted| !has_member(segments, &transaction, wanted) && !rejects_members(segments, &transaction));
        let claim = self
            .claim
            .as_deref()
            .filter(|wanted| !has_claim(segments, &transaction, wanted) && !rejects_claims(segments, &transaction));
        [member, claim]
    }

    pub(crate) fn is_in(&self, set: &ReadSet<'_>) -> bool {
        self.lacks(set) == [None; 2]
    }

    /// Results for those of the two that a set does not have.
    pub(crate) fn missing(&self, set: &ReadSet<'_>, place: &Location) -> Vec<FieldResult> {
        let result = |(name, wanted): (&str, Option<&str>)| {
            let result = FieldResult::constraint(format!("answer.{name}"), json!(wanted?), Value::Null, false);
            Some(result.at(place.clone()))
        };
        ["member_id", "claim_id"].into_iter().zip(self.lacks(set)).filter_map(result).collect()
    }
}

fn has_member(segments: &[Segment<'_>], transaction: &str, wanted: &str) -> bool {
    segments.iter().any(|segment| match segment.id().as_str() {
        "NM1" => PERSONS.contains(&&*segment.text(1)) && segment.text(9) == wanted,
        "REF" => transaction == "834" && segment.text(1) == "0F" && segment.text(2) == wanted,
        _ => false,
    })
}

fn has_claim(segments: &[Segment<'_>], transaction: &str, wanted: &str) -> bool {
    segments.iter().any(|segment| match (transaction, segment.id().as_str()) {
        ("835", "CLP") => segment.text(1) == wanted,
        ("277", "TRN") => segment.text(2) == wanted,
        ("277", "REF") => matches!(&*segment.text(1), "1K" | "D9" | "EJ") && segment.text(2) == wanted,
        _ => false,
    })
}

/// True if an AAA concerns more than the members with a number: at a level above them, or of a member without a number.
fn rejects_members(segments: &[Segment<'_>], transaction: &str) -> bool {
    if transaction == "277" {
        return rejects_claims(segments, transaction);
    }
    let mut is_named = false;
    segments.iter().any(|segment| {
        match segment.id().as_str() {
            "HL" => is_named = false,
            "NM1" if PERSONS.contains(&&*segment.text(1)) => is_named = !segment.text(9).is_empty(),
            _ => {}
        }
        segment.id().is("AAA") && !is_named
    })
}

fn rejects_claims(segments: &[Segment<'_>], transaction: &str) -> bool {
    let mut is_above = false;
    transaction == "277"
        && segments.iter().any(|segment| {
            if segment.id().is("HL") {
                is_above = matches!(&*segment.text(3), "21" | "19");
            }
            is_above && segment.id().is("STC") && status::rejects(segment)
        })
}
