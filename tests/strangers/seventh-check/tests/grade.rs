//! The seventh check beside those of Candor, in one task.

use candor::{Engine, Sandbox, Task, Verdict};
use seventh_check::CHECK;

fn graded(letters: &[&str], row: &str) -> candor::Run {
    let task = Task::from_value(serde_json::json!({"id": "send-letters", "criteria": [
        {"id": "sent", "assertion": {"assert": "queue-length", "most": 1}},
        {"id": "recorded", "assertion": {
            "assert": "portal-state-match",
            "correlate_by": {"resource": "letters", "key": "id", "value": "1"},
            "assertions": [{"path": "status", "expected": "sent"}],
        }},
    ]}));
    let folder = std::env::temp_dir().join(format!("seventh-check-{}-{}", std::process::id(), letters.len()));
    std::fs::create_dir_all(folder.join("queue")).unwrap();
    std::fs::create_dir_all(folder.join("portal")).unwrap();
    for letter in letters {
        std::fs::write(folder.join("queue").join(letter), "Dear").unwrap();
    }
    std::fs::write(folder.join("portal/letters.json"), row).unwrap();
    let engine = Engine::with(candor::checks().chain([CHECK]));
    let run = candor::blocking::run(&engine, &task.unwrap(), &Sandbox::open(&folder).unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    run
}

#[test]
fn it_passes_beside_another_check() {
    let run = graded(&["a.txt"], r#"[{"id": "1", "status": "sent"}]"#);
    assert_eq!(run.verdict(), Verdict::Pass, "{}", run.to_json());
}

#[test]
fn it_fails_with_its_own_sentence() {
    let run = graded(&["a.txt", "b.txt"], r#"[{"id": "1", "status": "sent"}]"#);
    let sent = run.criterion_run("sent").unwrap();
    assert_eq!(sent.reason(), Some("count_mismatch"));
    assert_eq!(sent.details(), "Found 2 letters in queue/, expected at most 1.");
    assert_eq!(run.verdict(), Verdict::Partial);
}
