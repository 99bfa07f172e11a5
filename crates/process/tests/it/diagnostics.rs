//! Findings in the real output of known tools, which `output/make.sh` writes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use candor_process::{Diagnostics, diagnostics, plain, uncoloured};
use proptest::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/output")
}

fn output(name: &str) -> String {
    let path = folder().join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    plain(&uncoloured(&text))
}

/// An output with the beginning of its first error, a part of that error, and the failed tests.
const OUTPUTS: &[(&str, &str, &str, &[&str])] = &[
    ("cargo-build", "src/lib.rs:1:33: error[E0425]: ", "cannot find value `c`", &[]),
    ("cargo-clippy", "src/lib.rs:1:13: error: ", "clippy::ptr-arg", &[]),
    (
        "cargo-test",
        "src/lib.rs:6:17: tests::adds: ",
        "left: -1; right: 3",
        &["tests::adds", "tests::fails_with_a_reason"],
    ),
    ("eslint", "/project/a.js:1:7: ", "no-unused-vars", &[]),
    ("gcc", "a.c:2:25: error: ", "undeclared", &[]),
    ("gcc-link", "b.c:(.text+0x5): ", "undefined reference to `other'", &[]),
    ("go-build", "./calc.go:3:37: ", "undefined: c", &[]),
    ("go-panic", "/project/calc_test.go:5: panic: ", "assignment to entry in nil map", &["TestPanics"]),
    ("go-test", "calc_test.go:7: TestAdd: ", "want 3", &["TestAdd", "TestSeveral", "TestSeveral/negative"]),
    ("go-test-json", "calc_test.go:7: ", "want 3", &["TestAdd", "TestSeveral/negative", "TestSeveral"]),
    ("go-vet", "./calc.go:5:14: ", "fmt.Printf format %d", &[]),
    ("javac", "src/test/java/CalcTest.java:1: error: ", "package org.junit does not exist", &[]),
    ("jest", "sum.test.js:3:42: sum › adds: ", "Expected: 3; Received: -1", &["sum › adds", "throws"]),
    ("make-cargo", "src/lib.rs:1:33: error[E0425]: ", "cannot find value `c`", &[]),
    ("make-gcc", "a.c:2:25: error: ", "undeclared", &[]),
    ("make-missing", "No rule to make target", "'nothing'", &[]),
    ("make-not-found", "no-such-program", "No such file or directory", &[]),
    ("mvn-compile", "/project/src/main/java/Calc.java:2:47: ", "cannot find symbol; symbol: variable c", &[]),
    ("mvn-test", "CalcTest.adds:5: ", "expected:<3> but was:<-1>", &["CalcTest.adds", "CalcTest.breaks"]),
    ("mypy", "calc.py:10: error: ", "[return-value]", &[]),
    ("node-missing", "/project/missing.js:1:1: ", "Cannot find module './nothing'", &[]),
    ("node-syntax", "/project/broken.js:1: ", "Unexpected token ';'", &[]),
    (
        "node-test",
        "/project/sum.test.js:5:1: adds: ",
        "expected: 3; actual: -1",
        &["adds", "adds negatives", "of several"],
    ),
    (
        "node-test-spec",
        "/project/sum.test.js:5:29: adds: ",
        "expected: 3; actual: -1",
        &["adds", "adds negatives", "of several"],
    ),
    ("npm-eslint", "/project/a.js:1:7: ", "no-unused-vars", &[]),
    ("npm-missing", "Missing script", "\"nothing\"", &[]),
    ("pytest", "test_calc.py:7: ", "AssertionError: -1 != 3", PYTEST),
    ("pytest-import", "test_a.py:1: ", "No module named 'nothing_of_this_name'", &["test_a.py"]),
    ("pytest-no-summary", "test_calc.py:7: ", "AssertionError: -1 != 3", &["AddTest.test_adds", "AddTest.test_breaks"]),
    ("pytest-q", "test_calc.py:7: ", "AssertionError: -1 != 3", PYTEST),
    ("python-syntax", "broken.py:1: ", "SyntaxError: '(' was never closed", &[]),
    ("python-traceback", "/project/calc.py:6: ", "TypeError: unsupported operand", &[]),
    ("ruff", "calc.py:1:8: F401 ", "`os` imported but unused", &[]),
    ("ruff-concise", "calc.py:1:8: F401 ", "`os` imported but unused", &[]),
    ("rustc", "src/lib.rs:1:33: error[E0425]: ", "cannot find value `c`", &[]),
    ("tsc", "a.ts:1:7: error TS2322: ", "not assignable to type 'number'", &[]),
    ("tsc-pretty", "a.ts:1:7: error TS2322: ", "not assignable to type 'number'", &[]),
    ("unittest", "/project/calc.py:6: ", "TypeError: unsupported operand", UNITTEST),
    (
        "unittest-import",
        "/project/test_a.py:1: ",
        "nothing_of_this_name",
        &["test_a (unittest.loader._FailedTest.test_a)"],
    ),
    (
        "vitest",
        "missing.test.js:2:1: Error: ",
        "Cannot find module './nothing'",
        &["missing.test.js", "sum.test.js > sum > adds", "sum.test.js > throws"],
    ),
];
const PYTEST: &[&str] = &["test_calc.py::AddTest::test_adds", "test_calc.py::AddTest::test_breaks"];
const UNITTEST: &[&str] = &["test_breaks (test_calc.AddTest.test_breaks)", "test_adds (test_calc.AddTest.test_adds)"];

#[test]
fn the_first_error_and_the_failed_tests_are_named() {
    for (name, begins, holds, tests) in OUTPUTS {
        let found = diagnostics(&output(name));
        let first = found.errors.first().unwrap_or_else(|| panic!("{name}: {found:?}"));
        assert!(first.starts_with(begins) && first.contains(holds), "{name}: {first}");
        assert_eq!(found.tests, *tests, "{name}");
        assert!(found.errors.iter().all(|error| !error.ends_with(':')), "{name}: {found:?}");
    }
}

#[test]
fn the_table_is_read_whole() {
    let table: toml::Table = toml::from_str(include_str!("../../data/diagnostics.toml")).unwrap();
    assert!(table.get("form").and_then(toml::Value::as_array).is_some_and(|forms| forms.len() >= 30));
    // A form that cannot be read would leave the whole table out.
    assert!(!diagnostics(&output("cargo-build")).errors.is_empty());
}

#[test]
fn every_output_has_its_line_here() {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.filter_map(|name| Some(name.strip_suffix(".txt")?.to_owned())).collect();
    assert_eq!(files, OUTPUTS.iter().map(|(name, ..)| (*name).to_owned()).collect());
}

#[test]
fn one_output_of_several_tools_names_the_errors_of_each() {
    let found = diagnostics(&["make-cargo", "eslint", "pytest"].map(output).join("\n"));
    for place in ["src/lib.rs:1:33", "src/lib.rs:2:23", "/project/a.js:1:7", "/project/a.js:2:7", "test_calc.py:7"] {
        assert!(found.errors.iter().any(|error| error.starts_with(place)), "{place}: {found:?}");
    }
    assert_eq!((found.more_errors, found.tests.as_slice()), (1, strings(PYTEST).as_slice()));
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn the_sentence_is_bounded_and_says_how_much_more_there_is() {
    let many: String = (0..50).map(|n| format!("test t{n} ... FAILED\nerror: e{n} {}\n", "x".repeat(1000))).collect();
    let sentence = diagnostics(&many).sentence().unwrap();
    assert!(sentence.starts_with("Failed tests: t0, t1, ") && sentence.contains(", t19, and 30 more. First errors: "));
    assert!(sentence.ends_with("… | and 45 more."), "{sentence}");
    assert!(sentence.chars().count() < 3000);
}

#[test]
fn output_that_no_tool_wrote_names_nothing() {
    for text in
        ["", "done", "It is an error to think so.", "0 errors", "All tests passed: 3", "FAILED (errors=1)", "error:"]
    {
        assert_eq!(diagnostics(text), Diagnostics::default(), "{text}");
    }
}

/// Lines that begin findings and never end them, over and over: only so many of the first ones take work.
#[test]
fn ten_megabytes_of_garbage_take_no_more_time_than_reading_them() {
    let garbage =
        ["x", "\n", "error: a\n", "E   a\n", "TypeError: a\n", "● a\n", "--- FAIL: T (0)\n", "  1:7 error a\n", "a: "];
    for line in garbage {
        let text = line.repeat((10 << 20) / line.len());
        let found = diagnostics(&text);
        // Work that is not linear takes hours.
        assert!(found.errors.iter().chain(&found.tests).map(String::len).sum::<usize>() < 20_000);
    }
}

proptest! {
    #[test]
    fn whatever_was_written_is_told_on_one_line_within_bounds(
        lines in prop::collection::vec(
            prop_oneof![
                "\\PC{0,40}",
                Just("error: x".to_owned()), Just(" --> a.rs:1:2".to_owned()), Just("E   x".to_owned()),
                Just("  File \"a.py\", line 3".to_owned()), Just("ValueError: \u{1b}[31mx".to_owned()),
                Just("not ok 1 - é".to_owned()), Just("\t● \u{202e}x".to_owned()), Just("make: *** x".to_owned()),
            ],
            0..60,
        ),
    ) {
        let found = diagnostics(&plain(&uncoloured(&lines.join("\n"))));
        if let Some(sentence) = found.sentence() {
            prop_assert!(!sentence.contains(['\n', '\u{1b}', '\u{202e}']), "{}", sentence);
            prop_assert!(sentence.chars().count() < 9000);
        }
    }

    #[test]
    fn colours_are_taken_away_and_nothing_else(texts in prop::collection::vec("[a-z0-9 \n]{0,9}", 0..9)) {
        let coloured: String = texts.iter().map(|text| format!("\u{1b}[1;31m{text}\u{1b}[0m")).collect();
        prop_assert_eq!(uncoloured(&coloured), texts.concat());
    }
}
