//! How many tests ran, as the output of known runners says.
//!
//! What is counted here is what the tested code's own process wrote: it guards against a suite that ran nothing, and not
//! against one that lies.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// Tests, as a runner counted them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// How many ran, skipped ones aside.
    pub ran: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many were skipped.
    pub skipped: u64,
    /// Which runners said so.
    pub by: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    pattern: String,
    #[serde(default)]
    each: bool,
    #[serde(default)]
    none: bool,
    #[serde(default)]
    first: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    runner: Vec<Row>,
}

struct Runner {
    row: Row,
    pattern: Regex,
    first: Option<Regex>,
}

static RUNNERS: LazyLock<Vec<Runner>> = LazyLock::new(|| {
    // The table is part of the program; a test reads it whole.
    let table = toml::from_str::<Table>(include_str!("../../data/runners.toml"));
    let rows = table.map_or_else(|_| Vec::new(), |table| table.runner);
    let runner = |row: Row| {
        let pattern = Regex::new(&row.pattern).ok()?;
        let first = row.first.as_deref().map(Regex::new).transpose().ok()?;
        Some(Runner { row, pattern, first })
    };
    rows.into_iter().filter_map(runner).collect()
});

/// The longest line that a runner sums up in.
const LONGEST: usize = 2000;

/// Counts what an output says; `None` when nothing in it is a known runner's summary.
pub(super) fn of(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut heard: Vec<&Runner> = Vec::new();
    for line in output.lines() {
        let line = uncoloured(line);
        if line.len() > LONGEST {
            continue;
        }
        for runner in RUNNERS.iter() {
            if let Some(first) = &runner.first
                && !heard.iter().any(|heard| std::ptr::eq(*heard, runner))
            {
                if first.is_match(&line) {
                    heard.push(runner);
                }
                continue;
            }
            if add(runner, &line, &mut counts) && !counts.by.contains(&runner.row.name) {
                counts.by.push(runner.row.name.clone());
            }
        }
    }
    (!counts.by.is_empty()).then_some(counts)
}

fn add(runner: &Runner, line: &str, counts: &mut Counts) -> bool {
    let Some(found) = runner.pattern.captures(line) else { return false };
    if runner.row.none {
        return true;
    }
    let there = |name: &str| found.name(name).is_some();
    if runner.row.each {
        match (there("skipped"), there("failed")) {
            (true, _) => counts.skipped += 1,
            (false, failed) => {
                counts.ran += 1;
                counts.failed += u64::from(failed);
            }
        }
        return true;
    }
    let number = |name: &str| found.name(name).and_then(|text| text.as_str().parse::<u64>().ok());
    let any =
        ["ran", "passed", "failed", "errors", "skipped"].iter().any(|name| there(name)) || line.ends_with("total");
    let failed = number("failed").unwrap_or(0).saturating_add(number("errors").unwrap_or(0));
    let skipped_of_ran = number("skipped_of_ran").unwrap_or(0);
    let ran = match number("ran") {
        Some(ran) => ran.saturating_sub(skipped_of_ran),
        None => number("passed").unwrap_or(0).saturating_add(failed),
    };
    counts.ran = counts.ran.saturating_add(ran);
    counts.failed = counts.failed.saturating_add(failed);
    counts.skipped = counts.skipped.saturating_add(number("skipped").unwrap_or(0)).saturating_add(skipped_of_ran);
    any
}

/// A line without the sequences that colour it.
fn uncoloured(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next() == Some('[') {
            // CSI … final byte. Source: ECMA-48, 5.4.
            chars.by_ref().find(|c| ('@'..='~').contains(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_table_is_read_whole() {
        let table = toml::from_str::<Table>(include_str!("../../data/runners.toml")).unwrap();
        assert_eq!(table.runner.len(), RUNNERS.len());
    }

    #[test]
    fn every_runner_is_understood() {
        for (output, ran, failed, skipped, by) in [
            (
                "running 3 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                2,
                0,
                1,
                "libtest",
            ),
            (
                "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                0,
                0,
                0,
                "libtest",
            ),
            (
                "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\ntest result: ok. 4 passed; 0 failed; 0 ignored;",
                7,
                1,
                0,
                "libtest",
            ),
            ("     Summary [   0.005s] 3 tests run: 3 passed, 2 skipped", 3, 0, 2, "nextest"),
            ("     Summary [   0.005s] 3/9 tests run: 2 passed, 1 failed, 0 skipped", 3, 1, 0, "nextest"),
            ("============ 3 passed, 1 skipped in 0.02s ============", 3, 0, 1, "pytest"),
            (
                "\u{1b}[31m==== \u{1b}[31m\u{1b}[1m1 failed\u{1b}[0m, \u{1b}[32m2 passed\u{1b}[0m\u{1b}[31m in 0.10s\u{1b}[0m",
                3,
                1,
                0,
                "pytest",
            ),
            ("2 passed in 0.01s", 2, 0, 0, "pytest"),
            ("1 failed, 2 passed, 1 warning, 1 error in 1.00s", 4, 2, 0, "pytest"),
            ("============ no tests ran in 0.01s ============", 0, 0, 0, "pytest"),
            ("Ran 0 tests in 0.000s\n\nOK", 0, 0, 0, "unittest"),
            ("Ran 3 tests in 0.001s", 3, 0, 0, "unittest"),
            (
                "--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)\nok  \tx\t0.003s",
                2,
                0,
                1,
                "go",
            ),
            ("?   \texample.org/x\t[no test files]", 0, 0, 0, "go"),
            (
                "{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"pass\",\"Package\":\"x\",\"Test\":\"TestA\",\"Elapsed\":0}",
                1,
                0,
                0,
                "go-json",
            ),
            ("TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP no database", 2, 1, 1, "tap"),
            ("1..0 # no tests", 0, 0, 0, "tap"),
            ("Tests:       1 failed, 2 passed, 3 total", 3, 1, 0, "jest"),
            ("Tests:       0 total", 0, 0, 0, "jest"),
            ("      Tests  1 failed | 3 passed (4)", 4, 1, 0, "vitest"),
            ("  3 passing (10ms)\n  1 failing", 4, 1, 0, "mocha"),
            ("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1", 2, 0, 1, "surefire"),
            (
                "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 1 ms",
                3,
                0,
                0,
                "dotnet",
            ),
            ("3 examples, 1 failure, 1 pending", 2, 1, 1, "rspec"),
            ("3 runs, 5 assertions, 0 failures, 0 errors, 0 skips", 3, 0, 0, "minitest"),
            ("OK (3 tests, 5 assertions)", 3, 0, 0, "phpunit"),
        ] {
            let counts = of(output).unwrap_or_else(|| panic!("nothing was understood of {output}"));
            assert_eq!((counts.ran, counts.failed, counts.skipped), (ran, failed, skipped), "{output}");
            assert_eq!(counts.by, [by], "{output}");
        }
    }

    #[test]
    fn what_is_no_summary_counts_nothing() {
        for output in
            ["", "ok\tx\t0.003s", "All tests pass.", "ok 1 - not TAP without its plan", "in 3s", "3 passed the door"]
        {
            assert_eq!(of(output), None, "{output}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(output in "[ -~\\n\u{1b}]{0,200}") {
            let _ = of(&output);
        }
    }
}
