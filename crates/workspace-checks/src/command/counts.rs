//! How many tests ran, as the output of known runners says.
//!
//! The tested code's own process wrote the output that is counted here: the count guards against a suite that ran
//! nothing, and not against one that lies.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use candor_process::uncoloured;
use regex::Regex;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// How many ran, skipped ones aside.
    pub ran: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many were skipped.
    pub skipped: u64,
    /// How many failures are not of a test: a suite that did not load, a build, a plan that was not fulfilled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub broken: u64,
    /// The names of the runners whose lines were counted.
    pub by: Vec<String>,
    /// The first failed tests by name, where a report names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Counts {
    /// Returns `true` if only words of no known runner say how many tests passed, so that some may be counted twice.
    pub(super) fn is_rough(&self) -> bool {
        self.ran > 0 && self.failed == 0 && self.broken == 0 && self.by.iter().all(|by| by == WORDS)
    }
}

/// How many failed tests of reports are kept by name.
pub(super) const NAMES: usize = 20;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    pattern: String,
    /// Members of the line, in whatever order it has them.
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    kind: Kind,
    first: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Sum,
    Each,
    Beside,
    /// No test ran.
    None,
    /// Some tests ran, and the line does not say how many.
    Some,
    Broken,
    Plan,
    /// How many tests ran, on the largest of its lines: a suite counts what its own suites counted.
    Most,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    runner: Vec<Row>,
    /// The meaning of `{NAME}` in a pattern.
    parts: BTreeMap<String, String>,
}

impl Table {
    fn pattern(&self, written: &str) -> Option<Regex> {
        let whole = |so_far: String, (name, part): (&String, &String)| so_far.replace(&format!("{{{name}}}"), part);
        Regex::new(&self.parts.iter().fold(written.to_owned(), whole)).ok()
    }
}

pub(super) struct Runner {
    row: Row,
    pattern: Regex,
    members: Vec<Regex>,
    first: Option<Regex>,
}

pub(super) static RUNNERS: LazyLock<Vec<Runner>> = LazyLock::new(|| {
    // The table is part of the program; a test reads it whole.
    let table = toml::from_str::<Table>(include_str!("../../data/runners.toml"));
    let Ok(mut table) = table else { return Vec::new() };
    let rows = std::mem::take(&mut table.runner);
    let runner = |row: Row| {
        let pattern = table.pattern(&row.pattern)?;
        let first = row.first.as_deref().map_or(Some(None), |first| table.pattern(first).map(Some))?;
        let members = row.members.iter().map(|member| table.pattern(member)).collect::<Option<_>>()?;
        Some(Runner { row, pattern, members, first })
    };
    rows.into_iter().filter_map(runner).collect()
});

/// The rows that any runner's output may match; what a runner counts says more.
const WORDS: &str = "words";

/// The longest line that a runner sums up in.
const LONGEST: usize = 2000;

/// Counts what an output says; `None` when nothing in it is a known runner's summary. Of an output that was `cut` only the
/// end is there, so that a plan says nothing.
pub(super) fn of(output: &str, cut: bool) -> Option<Counts> {
    let lines: Vec<String> = output
        .lines()
        .map(uncoloured)
        .map(|line| line.trim_end().to_owned())
        .filter(|line| line.len() <= LONGEST)
        .collect();
    let mut tally = Tally::default();
    for runner in RUNNERS.iter() {
        let first = runner.first.as_ref().is_none_or(|first| lines.iter().any(|line| first.is_match(line)));
        if !first || runner.row.name == WORDS && tally.counts.by.iter().any(|by| by != WORDS) {
            continue;
        }
        let mut any = false;
        for line in &lines {
            any |= tally.add(runner, line);
        }
        if any && !tally.counts.by.contains(&runner.row.name) {
            tally.counts.by.push(runner.row.name.clone());
        }
    }
    let Tally { mut counts, uncounted, ended, planned, some, most } = tally;
    counts.ran = counts.ran.saturating_sub(uncounted);
    if let Some((ran, failed, skipped)) = most {
        counts.ran = counts.ran.saturating_add(ran.saturating_sub(skipped));
        counts.failed = counts.failed.saturating_add(failed);
        counts.skipped = counts.skipped.saturating_add(skipped);
    }
    // Other runners' tests may print what looks like a plan.
    let planned_alone = counts.by.iter().all(|by| by == "tap");
    if !cut && planned_alone && planned > ended {
        counts.broken = counts.broken.saturating_add(planned - ended);
    }
    let nothing = Counts { by: counts.by.clone(), ..Counts::default() };
    // That some package has no tests says nothing where others ran some.
    let unknown = counts.by.is_empty() || (some && counts == nothing);
    (!unknown).then_some(counts)
}

#[derive(Default)]
struct Tally {
    counts: Counts,
    uncounted: u64,
    ended: u64,
    planned: u64,
    /// True if some tests ran that no line counts.
    some: bool,
    /// The tests that ran, failed and were skipped on the largest line of [`Kind::Most`].
    most: Option<(u64, u64, u64)>,
}

impl Tally {
    /// Takes a line; whether it says anything of how many tests ran or failed.
    fn add(&mut self, runner: &Runner, line: &str) -> bool {
        let Some(found) = runner.pattern.captures(line) else { return false };
        let there = |name: &str| found.name(name).is_some();
        let number = |name: &str| -> Option<u64> {
            // A word in the place of a number is one test.
            let of = |pattern: &Regex, captures: &regex::Captures<'_>| {
                let own = pattern.capture_names().flatten().filter(|own| own.trim_end_matches('_') == name);
                let found = own.filter_map(|own| captures.name(own));
                found.map(|found| found.as_str().parse::<u64>().unwrap_or(1)).reduce(u64::saturating_add)
            };
            let in_line = |member: &Regex| {
                member.captures_iter(line).filter_map(|found| of(member, &found)).reduce(u64::saturating_add)
            };
            of(&runner.pattern, &found)
                .into_iter()
                .chain(runner.members.iter().filter_map(in_line))
                .reduce(u64::saturating_add)
        };
        let failed = || number("failed").unwrap_or(0).saturating_add(number("errors").unwrap_or(0));
        let counts = &mut self.counts;
        let plus = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        match runner.row.kind {
            Kind::None => return true,
            Kind::Some => {
                self.some = true;
                return false;
            }
            Kind::Broken => {
                let broken = number("broken").unwrap_or(1);
                plus(&mut counts.broken, broken);
                return broken > 0;
            }
            Kind::Plan => {
                plus(&mut self.planned, number("planned").unwrap_or(0));
                return true;
            }
            Kind::Each => {
                self.ended += 1;
                if there("skipped") {
                    counts.skipped += 1;
                } else {
                    counts.ran += 1;
                    counts.failed += u64::from(there("failed"));
                }
                return true;
            }
            Kind::Most => {
                let counted = (number("ran").unwrap_or(0), failed(), number("skipped_of_ran").unwrap_or(0));
                self.most = self.most.max(Some(counted));
                return true;
            }
            Kind::Beside => {
                plus(&mut counts.failed, failed());
            }
            Kind::Sum => {
                let ran = number("ran").unwrap_or_else(|| number("passed").unwrap_or(0).saturating_add(failed()));
                plus(&mut counts.ran, ran);
                plus(&mut counts.failed, failed());
                plus(&mut counts.broken, number("broken").unwrap_or(0));
            }
        }
        plus(&mut counts.skipped, number("skipped").unwrap_or(0));
        let skipped_of_ran = number("skipped_of_ran").unwrap_or(0);
        plus(&mut counts.skipped, skipped_of_ran);
        plus(&mut self.uncounted, skipped_of_ran);
        ["ran", "passed", "failed", "errors", "broken", "skipped", "skipped_of_ran"]
            .iter()
            .any(|name| number(name).is_some())
    }
}
