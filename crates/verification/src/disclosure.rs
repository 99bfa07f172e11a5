//! How much of a rubric a reason gives away.

use std::path::Path;

use candor_check::Status;
use candor_engine::{CriterionRun, TaskRun};
use serde::{Deserialize, Serialize};

/// How much the delegate may read about work that did not pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disclose {
    /// Only that the work is not verified.
    None,
    /// How many criteria are not met.
    Count,
    /// Which ones, by their labels.
    Criterion,
    /// Which ones, and for each what was missing where.
    #[default]
    Gap,
    /// Every result that did not pass, with what was expected and what was found.
    Full,
}

/// The levels by name.
pub const LEVELS: &[(&str, Disclose)] = &[
    ("none", Disclose::None),
    ("count", Disclose::Count),
    ("criterion", Disclose::Criterion),
    ("gap", Disclose::Gap),
    ("full", Disclose::Full),
];

const NOT_VERIFIED: &str = "the work could not be verified";

/// A reason that gives away no more than its level allows. It is made by [`Disclosed::of`] from a task run, and by
/// [`Disclosed::said`] from what another verifier or a hook said: what is above the level is left out before there is a
/// text, so that no text can hold it.
///
/// ```compile_fail
/// use candor_verification::{Disclose, Disclosed};
/// let more = Disclosed { level: Disclose::None, text: "the rubric wants status = booked".into() };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosed {
    level: Disclose,
    text: String,
}

impl Disclosed {
    /// The part of a task run that `level` allows to disclose: its criteria that failed, and those that could not be
    /// verified, which are not counted against the work if others failed.
    #[must_use]
    pub fn of(level: Disclose, run: &TaskRun) -> Self {
        Self::open(level, run, |_| false)
    }

    /// As [`Disclosed::of`], of a run in which criteria that are `charged` count as failed: the work is the cause that they
    /// could not be verified.
    #[must_use]
    pub fn charging(level: Disclose, run: &TaskRun, charged: impl Fn(&CriterionRun) -> bool) -> Self {
        Self::open(level, run, charged)
    }

    fn open(level: Disclose, run: &TaskRun, charged: impl Fn(&CriterionRun) -> bool) -> Self {
        let with = |status| run.criterion_runs.iter().filter(move |run| run.status() == status);
        let is_failed = |run: &&CriterionRun| run.status() == Status::Failed || charged(run);
        let failed: Vec<&CriterionRun> = run.criterion_runs.iter().filter(is_failed).collect();
        let outages: Vec<&CriterionRun> = with(Status::Unverifiable).filter(|run| !charged(run)).collect();
        let (open, outages) = if failed.is_empty() { (outages, Vec::new()) } else { (failed, outages) };
        Self { level, text: told(level, &open, run.criterion_runs.len()) + &told_of_outages(level, &outages) }
    }

    /// The part of a reason that `level` allows to disclose. The reason is that of a hook, or of a verifier other than
    /// the criteria.
    ///
    /// ```
    /// use candor_verification::{Disclose, Disclosed};
    /// let told = |level| Disclosed::said(level, "report.star", "report.md is not there").text().to_owned();
    /// assert_eq!(told(Disclose::Criterion), "report.star");
    /// assert_eq!(told(Disclose::Gap), "report.star: report.md is not there");
    /// ```
    #[must_use]
    pub fn said(level: Disclose, by: &str, reason: &str) -> Self {
        let text = match level {
            Disclose::None => NOT_VERIFIED.to_owned(),
            Disclose::Count => "A check other than the criteria is not met.".to_owned(),
            Disclose::Criterion => kept_back(by),
            Disclose::Gap => format!("{}: {}", kept_back(by), kept_back(&without_comparison(by, reason))),
            Disclose::Full => format!("{by}: {reason}"),
        };
        Self { level, text }
    }

    /// The level.
    #[must_use]
    pub fn level(&self) -> Disclose {
        self.level
    }

    /// The reason.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn told(level: Disclose, open: &[&CriterionRun], of: usize) -> String {
    let count = || match open.len() {
        0 if of == 0 => "the task has no criteria, so that there is nothing that could be met".to_owned(),
        0 => "no criterion failed, and together they make no pass".to_owned(),
        1 if of == 1 => "the one criterion is not met".to_owned(),
        1 => format!("1 of {of} criteria is not met"),
        n => format!("{n} of {of} criteria are not met"),
    };
    let each = |say: &dyn Fn(&CriterionRun) -> String| -> String {
        if open.is_empty() {
            return format!("{}.", count());
        }
        let lines: Vec<String> = open.iter().map(|run| format!("- {}", say(run))).collect();
        format!("{}:\n{}", count(), lines.join("\n"))
    };
    match level {
        Disclose::None => NOT_VERIFIED.to_owned(),
        Disclose::Count => format!("{}.", count()),
        Disclose::Criterion => each(&|run| run.label.clone()),
        Disclose::Gap => each(&|run| gap(run)),
        Disclose::Full => each(&|run| {
            let results = run.evidence.results.iter().filter(|entry| !entry.passed());
            let lines = results.map(|entry| format!("\n    {}", entry.to_value()));
            format!("{}: {}{}", run.label, run.evidence.details(), lines.collect::<String>())
        }),
    }
}

fn gap(run: &CriterionRun) -> String {
    let details = run.evidence.details();
    kept_back(&format!("{}: {}", run.label, without_comparison(details, details)))
}

/// The criteria that could not be verified next to others that failed.
fn told_of_outages(level: Disclose, outages: &[&CriterionRun]) -> String {
    let criteria = if outages.len() == 1 { "criterion" } else { "criteria" };
    let line = |run: &&CriterionRun| match level {
        Disclose::Criterion => format!("\n- {}", run.label),
        Disclose::Full => format!("\n- {}: {}", run.label, run.evidence.details()),
        _ => format!("\n- {}", gap(run)),
    };
    let (end, lines) = match level {
        Disclose::Count => (".", String::new()),
        _ => (":", outages.iter().map(line).collect::<String>()),
    };
    match outages.len() {
        n if n > 0 && level != Disclose::None => {
            format!("\n{n} {criteria} could not be verified, which is not counted against the work{end}{lines}")
        }
        _ => String::new(),
    }
}

/// A reason without what only an operator knows: paths of this machine, and the lines of a file that a comparison printed.
fn kept_back(reason: &str) -> String {
    let is_hunk = |line: &str| line.trim_start().starts_with("@@ -");
    let has_hunks = reason.lines().any(is_hunk);
    let has_blocks = reason.contains("***************");
    let printed = |line: &str| {
        let line = line.trim_start();
        let of_normal = line.starts_with("< ") || line.starts_with("> ") || line == "<" || line == ">";
        let of_blocks = has_blocks && ["! ", "- ", "+ "].iter().any(|mark| line.starts_with(mark));
        of_normal || of_blocks || has_hunks && (line.starts_with(['-', '+']) || is_hunk(line))
    };
    let without_lines = |line: &str| {
        let (before, wrote) =
            line.rfind(WROTE).and_then(|at| line.split_at_checked(at + WROTE.len())).unwrap_or(("", line));
        let parts: Vec<&str> = wrote.split(" | ").filter(|part| !printed(part)).collect();
        (!before.is_empty() || !parts.is_empty()).then(|| without_paths(&format!("{before}{}", parts.join(" | "))))
    };
    let kept: Vec<String> = reason.split('\n').filter_map(without_lines).collect();
    kept.join("\n")
}

const WROTE: &str = "The end of what it wrote: ";
/// Programs that print the lines in which two files differ, and then end with 1. Source: the manuals of POSIX.1-2017,
/// GNU diffutils, Git and wdiff.
const COMPARISONS: [&str; 8] = ["diff", "cmp", "comm", "diff3", "sdiff", "colordiff", "wdiff", "vimdiff"];
/// How they say that files differ.
const DIFFER: &str = "ended with 1";

/// A reason of a command that is a comparison, without what it printed.
fn without_comparison(command: &str, reason: &str) -> String {
    let command = command.split('`').nth(1).unwrap_or_default();
    let apart = |character: char| character.is_whitespace() || "'\";|&()/".contains(character);
    let compares = command.split(apart).any(|word| COMPARISONS.contains(&word));
    let end = reason.find(DIFFER).map(|at| at + DIFFER.len()).filter(|_| compares);
    match end.and_then(|end| Some((reason.get(..end)?, reason.get(end..)?))) {
        Some((kept, printed)) if !printed.starts_with(|next: char| next.is_ascii_digit()) => format!("{kept}."),
        _ => reason.to_owned(),
    }
}

/// Folders of the system, whose paths say nothing of an operator.
const OF_SYSTEM: [&str; 4] = ["/usr/", "/bin/", "/sbin/", "/lib"];

/// A line in which every path from the root, below a folder that is there, is `[outside]`, but for those of the system.
/// Whether anything is at the path is not looked at: the delegate could ask so.
fn without_paths(line: &str) -> String {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | ',' | ';' | '=' | '<' | '>' | '|')
    };
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, from)) = rest.find('/').and_then(|at| rest.split_at_checked(at)) {
        kept.push_str(before);
        let token = from.split(ends).next().unwrap_or_default();
        let path = without_place(token);
        let mut names = path.split('/').filter(|name| !name.is_empty());
        let first = names.next().map(|name| format!("/{name}")).unwrap_or_default();
        let is_relative =
            kept.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '@' | '/'));
        let is_of_system = OF_SYSTEM.iter().any(|folder| format!("{first}/").starts_with(folder));
        let is_outside =
            !is_relative && !is_of_system && names.next().is_some() && Path::new(&first).symlink_metadata().is_ok();
        kept.push_str(if is_outside { "[outside]" } else { "/" });
        rest = from.get(if is_outside { path.len() } else { 1 }..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

/// A path without what follows it: `file:12:3`, `see /a/b.`
fn without_place(token: &str) -> &str {
    let mut path = token;
    loop {
        let shorter = path.trim_end_matches([':', '.']);
        let numberless = shorter.trim_end_matches(|c: char| c.is_ascii_digit());
        let shorter = if numberless.ends_with(':') { numberless } else { shorter };
        if shorter.len() == path.len() {
            return path;
        }
        path = shorter;
    }
}
