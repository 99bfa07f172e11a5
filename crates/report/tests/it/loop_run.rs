//! The record of a loop in every format.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use candor_json::{Value, json};
use candor_report::{Format, Style, loop_run};
use proptest::prelude::*;

const PLAIN: Style = Style { color: false, width: 80 };
/// The characters that move a cursor, and those that turn the direction of writing.
const STEERS: [char; 2] = ['\u{1b}', '\u{202e}'];
const GAP: &str = "No requests row with member_id \"W1\" in portal/.";

fn failed() -> Value {
    let reason = format!("1 of 2 criteria is not met:\n- Submitted: {GAP}");
    let attempt = |number: u32, score: f64| {
        json!({
            "attempt": number, "prompt": "Submit.", "claim": {"response": "Done.\nReally."}, "outcome": "failed",
            "reason": reason, "score": score, "task_run": null, "looks": 1,
            "started_at": "2026-11-20T09:30:00Z", "completed_at": "2026-11-20T09:30:01Z",
        })
    };
    json!({
        "loop_id": "lp_1", "task_id": "pa", "verifier_id": "v", "delegate_id": "d",
        "outcome": "verification_failed", "status": "escalated_to_human", "reason": reason,
        "first_score": 1.0 / 3.0, "last_score": 0.5, "result": null,
        "attempts": [attempt(0, 1.0 / 3.0), attempt(1, 0.5)], "history": [],
        "escalation": {
            "task_id": "pa", "prompt": "Submit.", "attempts": [],
            "open_criteria": [{"criterion_id": "s", "label": "Submitted", "status": "failed", "reason": "no_candidate", "evidence_gap": GAP}],
        },
    })
}

fn shown(record: &Value, format: Format, told: bool) -> String {
    String::from_utf8(loop_run(record, format, told, PLAIN).unwrap()).unwrap()
}

#[test]
fn text_tells_every_attempt_and_the_end() {
    assert_eq!(
        shown(&failed(), Format::Text, false),
        "✗ attempt 1  score 0.33\n    it said: Done.\n    1 of 2 criteria is not met:\n    - Submitted: No requests row with member_id \
         \"W1\" in portal/.\n\
         ✗ attempt 2  score 0.5\n    it said: Done.\n    the reason is that of attempt 1\n\
         verification_failed: escalated to a human after 2 attempts\n\
         score of the first attempt 0.33, of the last 0.5\n\
         open: Submitted\n"
    );
}

#[test]
fn what_progress_has_told_is_not_told_again() {
    assert_eq!(
        shown(&failed(), Format::Text, true),
        "verification_failed: escalated to a human after 2 attempts\n\
         score of the first attempt 0.33, of the last 0.5\n\
         open: Submitted\n"
    );
}

#[test]
fn a_person_is_told_what_the_delegate_was_not() {
    let mut record = failed();
    record["attempts"][1]["reason"] = json!("1 of 2 criteria is not met.");
    let text = shown(&record, Format::Text, true);
    assert!(text.ends_with(&format!("open: Submitted: {GAP}\n")), "{text}");
}

#[test]
fn every_end_says_why() {
    for (outcome, end) in [
        ("passed", "passed: the work is verified\n"),
        ("unverifiable", "unverifiable after 2 attempts\n    The portal does not answer.\n"),
        ("broken", "broken after 2 attempts\n    The portal does not answer.\n"),
    ] {
        let mut record = failed();
        record["outcome"] = json!(outcome);
        record["reason"] = json!("The portal does not answer.");
        let text = shown(&record, Format::Text, true);
        assert!(text.contains(end), "{text}");
    }
}

#[test]
fn a_pass_names_the_criteria_that_failed() {
    let mut record = failed();
    record["outcome"] = json!("passed");
    record["escalation"] = Value::Null;
    record["attempts"][1]["task_run"] = json!({"passed_with_failures": ["mg-dose"], "criterion_runs": [1, 2, 3]});
    assert!(shown(&record, Format::Text, true).contains("passed, 1 of 3 criteria failed: mg-dose\n"));
}

#[test]
fn json_is_the_record_and_ndjson_a_line_an_attempt() {
    let record = failed();
    assert_eq!(candor_json::from_str::<Value>(&shown(&record, Format::Json, true)).unwrap(), record);
    let lines: Vec<Value> =
        shown(&record, Format::Ndjson, true).lines().map(|line| candor_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]), (3, &record["attempts"][0]));
    assert_eq!((&lines[2]["task_id"], lines[2].get("attempts")), (&json!("pa"), None));
}

#[test]
fn markdown_is_a_table_of_attempts() {
    let markdown = shown(&failed(), Format::Markdown, false);
    assert!(markdown.starts_with("# pa\n\n**verification_failed: escalated to a human after 2 attempts**\n"));
    assert!(markdown.contains("| ✗ | 1 | 0.33 | 1 of 2 criteria is not met:<br>"), "{markdown}");
}

#[test]
fn every_format_says_how_a_delegate_broke_off_and_what_it_wrote_to_standard_error() {
    let mut record = failed();
    record["outcome"] = json!("passed");
    record["escalation"] = Value::Null;
    for at in 0..2 {
        record["attempts"][at]["reason"] = Value::Null;
        record["attempts"][at]["outcome"] = json!("passed");
    }
    record["attempts"][0]["delegate_error"] = json!("it ended with exit code 7\nno");
    record["attempts"][1]["delegate_stderr"] = json!("1\n2\n3\n4\n5\nthe disk is nearly full");
    for (format, told) in
        [(Format::Text, false), (Format::Text, true), (Format::Markdown, false), (Format::Html, false)]
    {
        let shown = shown(&record, format, told);
        assert!(shown.contains("the delegate broke off: it ended with exit code 7"), "{format:?} {shown}");
        assert!(shown.contains("it wrote to standard error: …"), "{format:?} {shown}");
        assert!(shown.contains("the disk is nearly full") && !shown.contains("1\n2"), "{format:?} {shown}");
    }
    for format in [Format::Json, Format::Ndjson] {
        assert!(shown(&record, format, true).contains("the disk is nearly full"));
    }
}

#[test]
fn what_is_no_record_or_no_format_is_refused() {
    assert!(loop_run(&json!({}), Format::Text, false, PLAIN).unwrap_err().contains("not the record of a loop"));
    assert!(loop_run(&failed(), Format::Junit, false, PLAIN).is_err());
}

proptest! {
    #[test]
    fn nothing_that_was_written_steers_a_terminal_or_leaves_its_cell(text in "(\\PC|[\u{1b}\n|<\u{202e}]){0,60}") {
        let mut record = failed();
        record["attempts"][0]["claim"]["response"] = json!(text);
        record["attempts"][0]["reason"] = json!(text);
        record["escalation"]["open_criteria"][0]["label"] = json!(text);
        record["escalation"]["open_criteria"][0]["evidence_gap"] = json!(text);
        for told in [false, true] {
            prop_assert!(!shown(&record, Format::Text, told).contains(STEERS));
        }
        let markdown = shown(&record, Format::Markdown, false);
        let rows = markdown.lines().filter(|line| line.starts_with('|'));
        prop_assert!(rows.clone().count() == 4 && !markdown.contains(STEERS), "{}", markdown);
    }
}
