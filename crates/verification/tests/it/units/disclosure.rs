//! How much a reason gives away at each level.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_engine::TaskRun;
use candor_scoring::TaskScorer;
use candor_verification::{Disclose, Disclosed, LEVELS};
use proptest::prelude::*;

use crate::common::runtime;

#[test]
fn a_reason_holds_nothing_of_the_operators_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("expected.txt");
    std::fs::write(&file, "42 patients\n").unwrap();
    let path = file.display();
    for (reason, kept) in [
        ("ended with 1:\n1c1\n< 42 patients\n---\n> x".to_owned(), "ended with 1:\n1c1\n---".to_owned()),
        (format!("--- {path}\n+++ out.txt\n@@ -1 +1 @@\n-42 patients\n+x\nFAILED test_a"), "FAILED test_a".to_owned()),
        (
            format!("diff \"{path}\" out.txt, {path}:3: see {path}."),
            "diff \"[outside]\" out.txt, [outside]:3: see [outside].".to_owned(),
        ),
        (
            "GET /health/live is 500; src/a.rs:3: a < b".to_owned(),
            "GET /health/live is 500; src/a.rs:3: a < b".to_owned(),
        ),
    ] {
        assert_eq!(Disclosed::said(Disclose::Gap, "suite", &reason).text(), format!("suite: {kept}"));
        assert_eq!(Disclosed::said(Disclose::Full, "suite", &reason).text(), format!("suite: {reason}"));
    }
    for printed in
        ["*** 1 ****\n! 42 patients\n--- 1 ----\n! x", "42 patients |\tx", "1 64 4 170 x", "42 patients\n\tx"]
    {
        for program in ["diff -c", "sh -c 'cmp -bl", "/usr/bin/comm", "git diff --no-index"] {
            let by = format!("test suite `{program} {path} out.txt`");
            let told = Disclosed::said(Disclose::Gap, &by, &format!("it ended with 1:\n{printed}")).text().to_owned();
            assert_eq!(told, format!("{}: it ended with 1.", by.replace(&path.to_string(), "[outside]")));
        }
    }
    for (reason, kept) in [
        ("x. The end of what it wrote: < 42 patients | --- | > x", "x. The end of what it wrote: ---"),
        ("x. The end of what it wrote: 1c1 | < 42 patients | --- | > x", "x. The end of what it wrote: 1c1 | ---"),
        ("at file:///tmp/a/b.js:3:4, /tmp/none/x2:", "at file:[outside]:3:4, [outside]:"),
        (
            "FAILED tests/a.py::b and/or http://127.0.0.1:80/tmp/a",
            "FAILED tests/a.py::b and/or http://127.0.0.1:80/tmp/a",
        ),
    ] {
        assert_eq!(Disclosed::said(Disclose::Criterion, reason, "x").text(), kept);
    }
    let by = format!("test suite `diff {path} out.txt`");
    assert_eq!(Disclosed::said(Disclose::Criterion, &by, "x").text(), "test suite `diff [outside] out.txt`");
}

proptest! {
    /// Below `full` a reason holds no path of this machine and no line of a comparison, with any text around them.
    #[test]
    fn nothing_around_it_gives_it_away(before in "[ -~]{0,12}", behind in "[ :.,;)0-9]{0,4}") {
        let reason = format!("{before} /etc/passwd{behind}\n< secret\n{before}");
        let told = Disclosed::said(Disclose::Gap, "suite", &reason).text().to_owned();
        prop_assert!(!told.contains(" /etc/passwd") && !told.contains("secret"), "{told}");
    }
}

/// An order that is a draft, and a criterion on its status.
fn row(id: &str, expected: &str) -> candor_json::Value {
    candor_json::json!({"id": id, "label": id, "assertion": {"assert": "portal-state-match", "count": 1,
        "correlate_by": {"resource": "orders", "key": "id", "value": "7"},
        "assertions": [{"path": "status", "expected": expected}]}})
}

fn told(criteria: Vec<candor_json::Value>, level: Disclose) -> String {
    let document = candor_engine::Document::from_value(candor_json::json!({"id": "t", "criteria": criteria}));
    let task = candor_engine::Task::from_document(document.unwrap()).unwrap();
    let engine = candor_engine::Engine::new(candor_checks::ALL.iter().copied(), "test");
    let sandbox = candor_check::Sandbox::builder().file("portal/orders.json", *br#"[{"id": "7", "status": "draft"}]"#);
    let sandbox = sandbox.build(candor_checks::PARTS).unwrap();
    let run = runtime().block_on(engine.run(&engine.plan(std::sync::Arc::new(task)), &sandbox));
    Disclosed::of(level, &run).text().to_owned()
}

#[test]
fn an_outage_is_named_next_to_a_failure_and_not_counted() {
    let server = candor_json::json!({"id": "server", "label": "server", "assertion": {"assert": "fhir-resource-state",
        "resource_type": "Patient", "search": {"family": "Ngata"}}});
    let beside = "1 criterion could not be verified, which is not counted against the work";
    let failed_and_outage = || vec![row("status", "sent"), server.clone()];
    assert_eq!(told(failed_and_outage(), Disclose::None), "the work could not be verified");
    assert_eq!(told(failed_and_outage(), Disclose::Count), format!("1 of 2 criteria is not met.\n{beside}."));
    let labels = format!("1 of 2 criteria is not met:\n- status\n{beside}:\n- server");
    assert_eq!(told(failed_and_outage(), Disclose::Criterion), labels);
    for level in [Disclose::Gap, Disclose::Full] {
        let gap = told(failed_and_outage(), level);
        assert!(gap.contains(&format!("\n{beside}:\n- server: ")), "{gap}");
    }
    for alone in [vec![row("status", "sent")], vec![row("status", "draft"), server.clone()]] {
        assert!(!told(alone, Disclose::Gap).contains("not counted"));
    }
}

#[test]
fn what_is_told_of_no_criteria_is_a_sentence() {
    let (id, task_id, result) = ("tr_1".to_owned(), "t".to_owned(), TaskScorer::new().finish());
    let none = TaskRun { id, task_id, task_name: None, result, criterion_runs: Vec::new(), scored: false };
    for level in LEVELS.iter().map(|(_, level)| *level).filter(|level| *level != Disclose::None) {
        assert!(Disclosed::of(level, &none).text().starts_with("the task has no criteria"), "{level:?}");
        let (one, other) = (row("one", "draft"), row("other", "draft"));
        let passed = told(vec![one, other], level);
        assert_eq!(passed, "no criterion failed, and together they make no pass.", "{level:?}");
    }
}
