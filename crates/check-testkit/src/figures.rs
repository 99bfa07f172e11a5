//! How often a check is right on vectors that it need not get right: the figures of a report.

use std::path::Path;

use candor_check::{CheckType, PartType, Sandbox, Status};

use crate::once::run;
use crate::vector::read_vectors;

/// How the outcomes of a folder of vectors came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many vectors ran.
    pub vectors: usize,
    /// How many had the status expected.
    pub right: usize,
    /// How many passed.
    pub green: usize,
    /// How many passed and had to.
    pub earned: usize,
    /// How many had to pass.
    pub greens_expected: usize,
    /// How many failed where they had to pass.
    pub wrong_reds: usize,
    /// A line for each that came out differently.
    pub different: Vec<String>,
}

impl Figures {
    /// The share of greens that were earned; 1 if there are no greens.
    pub fn precision(&self) -> f64 {
        share(self.earned, self.green)
    }

    /// The share of the vectors expected to pass that passed; 1 if no vector is expected to pass.
    pub fn recall(&self) -> f64 {
        share(self.earned, self.greens_expected)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    let count = |number: usize| u32::try_from(number).map_or(f64::INFINITY, f64::from);
    if whole == 0 { 1.0 } else { count(part) / count(whole) }
}

/// Runs every vector of a folder and counts, without failing where one comes out differently.
///
/// # Panics
/// When a vector cannot be read or run.
pub fn figures(check: CheckType, parts: &[PartType], folder: impl AsRef<Path>) -> Figures {
    let mut figures = Figures::default();
    for (_, vector) in read_vectors(folder.as_ref()) {
        let root = tempfile::tempdir().unwrap();
        let server = vector.serve();
        vector.write_served(root.path(), server.as_ref());
        let sandbox = Sandbox::open(root.path(), parts).unwrap();
        let evidence = run(check, vector.assertion.clone(), &sandbox);
        let (found, expected) = (evidence.status().name(), vector.expected.status.as_str());
        let green = evidence.status() == Status::Passed;
        figures.vectors += 1;
        figures.right += usize::from(found == expected);
        figures.green += usize::from(green);
        figures.earned += usize::from(green && expected == "passed");
        figures.greens_expected += usize::from(expected == "passed");
        figures.wrong_reds += usize::from(evidence.status() == Status::Failed && expected == "passed");
        if found != expected {
            let line = format!("{}: {found}, expected {expected}: {}", vector.id, evidence.details());
            figures.different.push(line);
        }
    }
    figures
}
