//! `every`: the claims, sets or messages of which each needs its answer.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Every {
    /// CLM01 of a claim, TRN02 of an inquiry about one.
    Claim,
    Set,
    /// An interchange, which a TA1 answers, or a functional group, which a 999 answers.
    Message,
}

/// By the transaction that answers and the one that asked: where the answer and the request have a claim's number.
pub(crate) fn claim_paths(answer: &str, request: &str) -> Option<(&'static [&'static str], &'static str)> {
    match (answer, request) {
        ("277", "837") => Some((&["2200D.TRN[*].2"], "CLM[*].1")),
        ("277", "276") => Some((&["2200D.TRN[1=2].2", "2200E.TRN[1=2].2"], "TRN[*].2")),
        ("835", "837") => Some((&["CLP[*].1"], "CLM[*].1")),
        _ => None,
    }
}

impl Every {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Set => "set",
            Self::Message => "message",
        }
    }

    pub(crate) fn problem(self, answer: &str, request: &str) -> Option<String> {
        let answers_messages = matches!(answer, "TA1" | "997" | "999");
        let other = match self {
            Self::Claim if claim_paths(answer, request).is_none() => "set",
            Self::Set if answer == "TA1" => "message",
            Self::Message if !answers_messages => "set",
            _ => return None,
        };
        let other = if self == Self::Claim && answer == "TA1" { "message" } else { other };
        let name = self.name();
        Some(format!("a {answer} does not answer a {request} {name} by {name}; write `every: {other}`"))
    }
}
