//! Paths and codes in words, where a standard has words for them.

use candor_hl7v2_structure::{field_name, segment_name};
use candor_x12_guides::{meaning, segment_name as x12_segment_name};

use crate::model::CriterionRun;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standard {
    Hl7,
    X12,
    Other,
}

impl Standard {
    pub(super) fn of_part(part: &str) -> Self {
        match part {
            "hl7" => Self::Hl7,
            "x12" => Self::X12,
            _ => Self::Other,
        }
    }

    /// The standard of a criterion: by the member that holds its results, and by where they were read.
    pub(super) fn of(criterion: &CriterionRun) -> Self {
        match criterion.evidence_key() {
            Some("field_results") => Self::Hl7,
            Some("fieldResults") if criterion.sources().iter().any(|(place, _)| is_x12(&place.locator)) => Self::X12,
            Some("fieldResults")
                if criterion
                    .entries()
                    .iter()
                    .any(|entry| entry.source().is_some_and(|place| is_x12(&place.locator))) =>
            {
                Self::X12
            }
            _ => Self::Other,
        }
    }

    /// A path in words: `Patient Identification · Patient Identifier List · component 1`.
    pub(super) fn path(self, path: &str) -> Option<String> {
        if let Some(words) = constraint(path) {
            return Some(words.to_owned());
        }
        match self {
            Self::Hl7 => hl7(path),
            Self::X12 => x12(path),
            Self::Other => None,
        }
    }

    pub(super) fn code(self, path: &str, code: &str) -> Option<&'static str> {
        if self != Self::X12 {
            return None;
        }
        let (id, positions) = segment(path)?;
        meaning(id, usize::try_from(*positions.first()?).ok()?, code)
    }
}

fn is_x12(locator: &str) -> bool {
    locator.starts_with("x12/")
}

/// The constraints of a criterion apart from its fields, in words.
const CONSTRAINTS: &[(&str, &str)] = &[
    ("$arrived", "when the file arrived"),
    ("$balance", "sums that must agree"),
    ("$bytes", "the size in bytes"),
    ("$companions", "files that belong to it"),
    ("$contains", "text of the document"),
    ("$count", "how many there are"),
    ("$differences", "how much changed"),
    ("$encoding", "the encoding of the text"),
    ("$envelope", "the envelope around it"),
    ("$exclude", "the path of the file"),
    ("$exit", "how the command ended"),
    ("$failed", "tests that failed"),
    ("$format", "the format of the document"),
    ("$matches", "how many are as asserted"),
    ("$modified", "when the file was written"),
    ("$name", "the name of the file"),
    ("$never", "values that must not come"),
    ("$none", "files that must not be there"),
    ("$occurrences", "how often the text is there"),
    ("$order", "which one is the last"),
    ("$partials", "files that are not finished"),
    ("$path", "the path of the file"),
    ("$phrase", "what was said"),
    ("$placeholders", "what was left to fill in"),
    ("$protected", "files that must not change"),
    ("$readable", "it can be read"),
    ("$sequence", "the order in which they came"),
    ("$stable", "the file no longer grows"),
    ("$status", "the HTTP status of the answer"),
    ("$structure", "the structure that the standard asks for"),
    ("$time", "how long the answer took"),
    ("$unique", "what must be there only once"),
];

fn constraint(path: &str) -> Option<&'static str> {
    CONSTRAINTS.iter().find(|(name, _)| *name == path).map(|(_, words)| *words)
}

fn steps(path: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'.' if depth == 0 => {
                steps.extend(path.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    steps.extend(path.get(start..));
    steps.into_iter().map(|step| step.split('[').next().unwrap_or_default()).collect()
}

pub(super) fn segment(path: &str) -> Option<(&str, Vec<u32>)> {
    let steps = steps(path);
    let numbers: Vec<u32> = steps.iter().rev().map_while(|step| step.parse().ok()).collect();
    let id = steps.get(steps.len().checked_sub(numbers.len() + 1)?)?;
    let is_id =
        (2..=3).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_id.then(|| (*id, numbers.into_iter().rev().collect()))
}

fn hl7(path: &str) -> Option<String> {
    let (id, numbers) = segment(path)?;
    let mut words = vec![segment_name(id)?.to_owned()];
    if let Some(field) = numbers.first() {
        words.extend(field_name(id, *field).map(str::to_owned));
    }
    words.extend(numbers.get(1).map(|component| format!("component {component}")));
    words.extend(numbers.get(2).map(|part| format!("subcomponent {part}")));
    Some(words.join(" · "))
}

fn x12(path: &str) -> Option<String> {
    let (id, numbers) = segment(path)?;
    let mut words = vec![x12_segment_name(id)?.to_owned()];
    words.extend(numbers.first().map(|element| format!("element {element}")));
    words.extend(numbers.get(1).map(|component| format!("component {component}")));
    Some(words.join(" · "))
}
