//! The report as a person reads it.

use std::fmt::Write as _;

use candor_check::explain::plain;

use crate::report::{CriterionReport, Grade, Killed, Order, Report, Tried};

impl Grade {
    /// The grade's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Unaudited => "unaudited",
            Self::Weak => "weak",
            Self::Broken => "broken",
        }
    }
}

impl Report {
    /// The report as text: a line a criterion, then what did not come out as it must.
    #[must_use]
    pub fn told(&self) -> String {
        let mut text = String::new();
        let unknown = match self.has_baseline {
            true => "",
            false => ". No --baseline was given: whether a criterion passes before the work is not known.",
        };
        let (grade, mutants, seed) = (self.grade.name(), self.mutants, self.seed);
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{}: {grade} ({mutants} mutants, seed {seed}){unknown}", plain(&self.task_id));
        let harms = self.total(|one| one.harm).tried;
        if harms > self.distinct("harm") {
            let _ = writeln!(text, "Harms: {harms} tried, of {} distinct changes.", self.distinct("harm"));
        }
        for one in &self.criteria {
            let line = plain(&format!("{}: {}", one.criterion_id, one.summary()));
            let _ = writeln!(text, "{:<9} {line}", one.grade.name());
            for survivor in &one.survivors {
                let label = match &survivor.accepted {
                    Some(because) => format!("accepted because {because}"),
                    None if matches!(survivor.probe, "equivalence" | "order") => "rejected".to_owned(),
                    None if survivor.probe == "remark" => "to be judged by a person".to_owned(),
                    None => "lives".to_owned(),
                };
                let line = plain(&format!("{label}: {} [{}]", survivor.sentence, survivor.operator));
                let _ = writeln!(text, "          {line}");
                if let Some(suggestion) = &survivor.suggestion {
                    let _ = writeln!(text, "            add: {}", plain(&suggestion.to_string()));
                }
                if survivor.sibling.is_some() {
                    text.push_str("            add: a criterion `state-unchanged`; candor harden writes it\n");
                }
            }
        }
        for finding in &self.findings {
            let _ = writeln!(text, "note: {}", plain(&finding.message));
        }
        text
    }

    /// A line for a README: the share of the mutants that came out as they must.
    #[must_use]
    pub fn badge(&self) -> String {
        let color = match self.grade {
            Grade::Proven => "brightgreen",
            Grade::Weak => "yellow",
            Grade::Unaudited => "lightgrey",
            Grade::Broken => "red",
        };
        let (harm, leaf) = (self.total(|one| one.harm), self.total(|one| one.leaf));
        let tried = harm.tried + leaf.tried;
        let good = harm.good + harm.covered + leaf.good;
        format!(
            "![rubric audit: {grade}, {good} of {tried} wrong states noticed](https://img.shields.io/badge/rubric_audit-{grade}_{good}%2F{tried}-{color})",
            grade = self.grade.name()
        )
    }
}

impl CriterionReport {
    fn summary(&self) -> String {
        if let Some(details) = self.details.as_ref().filter(|_| self.status != "passed") {
            return format!("it does not pass: {details}");
        }
        let mut parts = Vec::new();
        match self.null {
            Killed::Vacuous => parts.push("passes on empty parts".to_owned()),
            Killed::Guard => parts.push("a guard".to_owned()),
            _ => {}
        }
        if self.baseline == Killed::Vacuous {
            parts.push("passes before the work".to_owned());
        }
        let counted = |tried: Tried, what: &str, verb: &str| {
            let covered = if tried.covered > 0 { format!(" and {} covered", tried.covered) } else { String::new() };
            let undecided =
                if tried.undecided > 0 { format!(" ({} undecided)", tried.undecided) } else { String::new() };
            (tried.tried > 0).then(|| format!("{} of {} {what} {verb}{undecided}{covered}", tried.good, tried.tried))
        };
        parts.extend(counted(self.leaf, "leaves", "killed"));
        parts.extend(counted(self.harm, "harms", "killed"));
        parts.extend(counted(self.breach, "breaches", "killed"));
        parts.extend(counted(self.equivalence, "equivalents", "accepted"));
        if self.influence == crate::report::Influence::Dead {
            parts.push("no verdict depends on it".to_owned());
        }
        if self.order == Order::Flaky {
            parts.push("another order changes it".to_owned());
        }
        if let Some(why) = &self.details {
            parts.push(why.trim_end_matches('.').to_owned());
        } else if parts.is_empty() {
            let made = if self.grade == Grade::Unaudited { "no probe applies" } else { "no mutant was made" };
            parts.push(made.to_owned());
        }
        parts.join(", ")
    }

    /// The reason why the criterion does not hold, for a build server; `None` if it passed and is proven.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        (self.grade != Grade::Proven || self.status != "passed").then(|| {
            let lives = self.survivors.iter().filter(|one| one.accepted.is_none() && one.probe != "remark");
            let sentences: Vec<&str> = lives.map(|survivor| survivor.sentence.as_str()).collect();
            format!("{}: {}. {}", self.grade.name(), self.summary(), sentences.join(" ")).trim_end().to_owned()
        })
    }
}
