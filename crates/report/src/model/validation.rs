//! Files that were held to their standards.

use serde::Deserialize;

/// The result of `candor validate`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Validation {
    /// The files that were read.
    pub files: Vec<ValidatedFile>,
    /// The files whose format is unknown.
    #[serde(default)]
    pub skipped: Vec<String>,
}

/// A file with its findings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ValidatedFile {
    /// The name of the file.
    pub file: String,
    /// The standard to which it was held.
    pub standard: String,
    /// Its transaction sets, messages or resources.
    #[serde(default)]
    pub units: Vec<String>,
    /// The findings, in the order of the file.
    #[serde(default)]
    pub findings: Vec<Violation>,
    /// The number of findings that are not listed.
    #[serde(default)]
    pub more_findings: u64,
    /// The parts that were not checked.
    #[serde(default)]
    pub not_looked_at: Vec<String>,
}

/// A place of a file that its standard does not allow.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Violation {
    /// The code of the standard: `IK403:7`, `unknown-element`.
    pub code: String,
    /// The part of the validation that found it.
    #[serde(default)]
    pub rule: String,
    /// `error` or `warning`.
    pub severity: String,
    /// The transaction set, message or resource.
    #[serde(default)]
    pub unit: String,
    /// The place in it.
    pub path: String,
    /// The line of the file, from 1.
    pub line: Option<u64>,
    /// The expected value.
    pub expected: String,
    /// The value that is there, if there is one.
    pub found: Option<String>,
}

/// Violations of the same kind at the same path, over all files.
pub(crate) struct SameViolation<'v> {
    pub(crate) first: &'v Violation,
    /// The file of the first one.
    pub(crate) file: &'v str,
    pub(crate) count: usize,
}

impl Validation {
    /// The numbers of errors and of warnings.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let counts = self.files.iter().map(ValidatedFile::counts);
        counts.fold((0, 0), |(errors, warnings), (more, others)| (errors + more, warnings + others))
    }

    /// Violations by severity, code and path, the most frequent first.
    pub(crate) fn grouped(&self) -> Vec<SameViolation<'_>> {
        let mut groups: Vec<SameViolation<'_>> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (file, one) in self.files.iter().flat_map(|file| file.findings.iter().map(move |one| (&file.file, one))) {
            let place = *places.entry((&one.severity, &one.code, &one.path)).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.count += 1,
                None => groups.push(SameViolation { first: one, file, count: 1 }),
            }
        }
        groups.sort_by_key(|group| (group.first.is_warning(), std::cmp::Reverse(group.count)));
        groups
    }
}

impl ValidatedFile {
    /// The numbers of errors and of warnings.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let warnings = self.findings.iter().filter(|finding| finding.is_warning()).count() as u64;
        (self.findings.len() as u64 - warnings + self.more_findings, warnings)
    }
}

impl Violation {
    /// Checks for a finding that may be right.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.severity == "warning"
    }

    /// As a sentence: `CLM05-2 is "X", expected one of B`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let found = self.found.as_ref().map_or_else(|| "missing".to_owned(), |found| format!("{found:?}"));
        format!("{} is {found}, expected {}", self.path, self.expected)
    }
}
