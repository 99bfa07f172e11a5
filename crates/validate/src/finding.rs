//! Findings about a file: a single list for every format that shows it.

use serde::Serialize;

use crate::Standard;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The standard does not allow it.
    Error,
    /// It may be right, for all that the files show.
    Warning,
}

/// A violation of a standard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The code of the standard: `IK403:7`, `102`; of FHIR a name of the violation: `unknown-element`.
    pub code: String,
    /// Which part of the validation found it: `type 2`, `structure`, `elements`.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// The transaction set, message or resource: `837 0001`.
    pub unit: String,
    /// The place in it, as a path.
    pub path: String,
    /// The line of the file, from 1.
    pub line: Option<u64>,
    /// The byte of the file.
    pub offset: Option<u64>,
    /// The expected content.
    pub expected: String,
    /// The content found; `None` if it is missing.
    pub found: Option<String>,
}

impl Finding {
    /// The finding as a sentence: `CLM05-2 is "X", expected one of B`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let found = match &self.found {
            Some(found) => format!("{found:?}"),
            None => "nothing".to_owned(),
        };
        format!("{} is {found}, expected {}", self.path, self.expected)
    }
}

/// The outcome of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The name of the file, as the caller gave it.
    pub file: String,
    /// The standard that it was read as.
    pub standard: Standard,
    /// The transaction sets, messages or resources that were read.
    pub units: Vec<String>,
    /// The violations, in the order of the file.
    pub findings: Vec<Finding>,
    /// Findings beyond those that are listed.
    pub more_findings: usize,
    /// The parts that were not validated.
    pub not_looked_at: Vec<String>,
}

const MOST_FINDINGS: usize = 10_000;
const MOST_UNITS: usize = 10_000;

impl Report {
    /// A file of which nothing is known yet.
    #[must_use]
    pub fn of(file: &str, standard: Standard) -> Self {
        let (units, findings, not_looked_at) = (Vec::new(), Vec::new(), Vec::new());
        Self { file: file.to_owned(), standard, units, findings, more_findings: 0, not_looked_at }
    }

    /// True if the standard allows everything that was validated.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.more_findings == 0 && self.findings.iter().all(|finding| finding.severity == Severity::Warning)
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        } else {
            self.more_findings += 1;
        }
    }

    pub(crate) fn read(&mut self, unit: &str) {
        if self.units.len() < MOST_UNITS {
            self.units.push(unit.to_owned());
        }
    }

    /// Says once that something was not looked at.
    pub(crate) fn leave_out(&mut self, what: String) {
        if !self.not_looked_at.contains(&what) {
            self.not_looked_at.push(what);
        }
    }
}
