//! The lines of an evaluator's answer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use proptest::prelude::*;

use crate::lines::{Line, Says, read};

const IDS: &[&str] = &["a", "a b", "a-b"];

fn one(text: &str) -> Option<(String, Line)> {
    let (id, mut lines) = read(text, "w0rd", IDS).pop_first()?;
    Some((id, lines.remove(0)))
}

fn quotes_of(text: &str) -> Vec<String> {
    one(text).unwrap().1.quotes
}

#[test]
fn a_line_names_a_criterion_and_says_one_of_three() {
    for (text, id, says, quote) in [
        ("w0rd a PASS \"the letter\"", "a", Says::Pass, Some("the letter")),
        ("  w0rd\ta-b  FAIL   \"no reason\"  ", "a-b", Says::Fail, Some("no reason")),
        ("w0rd a b UNVERIFIABLE \"x\" since it is empty", "a b", Says::Unverifiable, Some("x")),
        ("w0rd a PASS", "a", Says::Pass, None),
        ("w0rd a PASS \"\"", "a", Says::Pass, None),
        ("w0rd a PASS \" \"", "a", Says::Pass, None),
        ("w0rd a PASS the letter", "a", Says::Pass, None),
        ("w0rd a PASS \"open", "a", Says::Pass, None),
    ] {
        let (named, line) = one(text).unwrap();
        assert_eq!((named.as_str(), line.says), (id, says), "{text}");
        assert_eq!(line.quotes.first().map(String::as_str), quote, "{text}");
    }
}

#[test]
fn one_verdict_in_many_forms_is_one_verdict() {
    for text in [
        "w0rd a PASS \"the letter\"",
        "- w0rd a PASS \"the letter\"",
        "* w0rd a PASS \"the letter\"",
        "• w0rd a PASS \"the letter\"",
        "1. w0rd a PASS \"the letter\"",
        "12) w0rd a PASS \"the letter\"",
        "- [ ] w0rd a PASS \"the letter\"",
        "> w0rd a PASS \"the letter\"",
        "## w0rd a PASS \"the letter\"",
        "**w0rd a PASS** \"the letter\"",
        "**w0rd** **a** **PASS** \"the letter\"",
        "`w0rd a PASS` \"the letter\"",
        "`w0rd a PASS \"the letter\"`",
        "_w0rd_ `a`: _PASS_ — \"the letter\"",
        "W0RD a PASS \"the letter\"",
        "w0rd A pass \"the letter\"",
        "w0rd a Passed: \"the letter\"",
        "w0rd a: PASS, \"the letter\"",
        "w0rd: a: PASS: \"the letter\".",
        "w0rd a PASS “the letter”",
        "w0rd a PASS „the letter“",
        "w0rd a PASS «the letter»",
        "w0rd a PASS `the letter`",
        "w0rd a PASS 'the letter'",
        "| w0rd | a | PASS | \"the letter\" |",
        "w0rd a PASS - \"the letter\" (line 3 of the report)",
    ] {
        let (id, line) = one(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((id.as_str(), line.says), ("a", Says::Pass), "{text}");
        assert_eq!(line.quotes.first().map(String::as_str), Some("the letter"), "{text}");
    }
    let mut ids = read("w0rd x FAIL\nw0rd X PASS \"y\"", "w0rd", &["x", "X"]);
    assert_eq!((ids.remove("x").unwrap()[0].says, ids.remove("X").unwrap()[0].says), (Says::Fail, Says::Pass));
}

#[test]
fn every_other_line_is_ignored() {
    for text in [
        "PASS",
        "a PASS \"x\"",
        "word a PASS \"x\"",
        "w0rdy a PASS \"x\"",
        "w0rd PASS \"x\"",
        "w0rd c PASS \"x\"",
        "w0rd a",
        "w0rd a PASS|FAIL|UNVERIFIABLE \"x\"",
        "w0rd a not PASS \"x\"",
        "w0rd a PASSING \"x\"",
        "w0rd a PASS/FAIL \"x\"",
        "it would be wrong to say w0rd a PASS \"x\"",
        "w0rd a-c PASS \"x\"",
        "w0rd a.1 PASS \"x\"",
        "10 w0rd a PASS \"x\"",
    ] {
        assert_eq!(one(text), None, "{text}");
    }
}

#[test]
fn quotes_may_hold_quotation_marks() {
    assert_eq!(quotes_of(r#"w0rd a PASS "say \"yes\" now""#), [r#"say "yes" now"#, r#"say \"yes\" now"#]);
    assert_eq!(quotes_of(r#"w0rd a PASS "say "yes" now""#), ["say ", r#"say "yes" now"#]);
    assert_eq!(quotes_of(r#"w0rd a PASS "C:\dir\new""#), ["C:\\dir\new", r"C:\dir\new"]);
    assert_eq!(quotes_of("w0rd a PASS \"one\\n\\ttwo\"")[0], "one\n\ttwo");
    assert!(quotes_of(&format!("w0rd a PASS \"{}\"", "x".repeat((16 << 10) + 1))).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(300)) })]

    #[test]
    fn no_text_without_the_word_says_anything(text in "(\\PC|\n){0,80}") {
        prop_assert!(read(&text.replace("w0rd", ""), "w0rd", IDS).is_empty());
    }

    #[test]
    fn what_is_quoted_is_read_again(quote in "[ -~]{0,20}[a-z]") {
        let escaped = quote.replace('\\', "\\\\").replace('"', "\\\"");
        let line = format!("w0rd a PASS \"{escaped}\"");
        prop_assert_eq!(&quotes_of(&line)[0], &quote);
    }

    #[test]
    fn lines_of_other_criteria_change_nothing(says in "PASS|FAIL|UNVERIFIABLE", noise in "[ -~]{0,20}") {
        let text = format!("{noise}\nw0rd a {says} \"q q\"\nw0rd c FAIL \"x\"\n{noise}");
        prop_assert_eq!(read(&text, "w0rd", IDS).len(), 1);
    }
}
