//! The seventh check and its part, together with those of Candor.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use candor::json::json;
use candor::{Engine, PartType, Run, Sandbox, SandboxBuilder, SandboxError, Task, Verdict};
use seventh_check::{CHECK, PART};

fn parts() -> Vec<PartType> {
    candor::parts().chain([PART]).collect()
}

fn graded(sandbox: &Sandbox) -> Run {
    let task = Task::from_value(json!({"id": "send-letters", "criteria": [
        {"id": "sent", "assertion": {"assert": "queue-length", "most": 1}},
        {"id": "recorded", "assertion": {
            "assert": "portal-state-match",
            "correlate_by": {"resource": "letters", "key": "id", "value": "1"},
            "assertions": [{"path": "status", "expected": "sent"}],
        }},
    ]}));
    let engine = Engine::with(candor::checks().chain([CHECK]));
    candor::blocking::run(&engine, &task.unwrap(), sandbox).unwrap()
}

/// A sandbox in which the letter is recorded as sent.
fn recorded() -> SandboxBuilder {
    Sandbox::builder().portal("letters", json!([{"id": "1", "status": "sent"}]))
}

#[test]
fn it_passes_beside_another_check() {
    let sandbox = recorded().with_file("queue/a.txt", "Dear").build_with(&parts()).unwrap();
    let run = graded(&sandbox);
    assert_eq!(run.verdict(), Verdict::Pass, "{}", run.to_json());
}

#[test]
fn it_fails_with_its_own_sentence() {
    let sandbox = recorded().with_file("queue/a.txt", "Dear").build_with(&parts()).unwrap();
    let run = graded(&sandbox.with_file("queue/b.txt", "Dear"));
    let sent = run.criterion_run("sent").unwrap();
    assert_eq!(sent.reason(), Some("count_mismatch"));
    assert_eq!(sent.details(), "Found 2 letters in the queue, expected at most 1.");
    assert_eq!(run.verdict(), Verdict::Partial);
    // The sandbox that it was made from stays as it is.
    assert_eq!(graded(&sandbox).verdict(), Verdict::Pass);
}

#[test]
fn it_reads_a_server_by_its_own_scheme_and_settings() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
        stream.write_all(b"a.txt\nb.txt\n").unwrap();
        line
    });
    let settings = format!("[queue]\nurl = \"queue://{address}/letters\"\nprefix = \"out-\"\n");
    let run = graded(&recorded().settings(&settings).build_with(&parts()).unwrap());
    assert_eq!(server.join().unwrap(), "letters out-\n");
    assert_eq!(run.criterion_run("sent").unwrap().reason(), Some("count_mismatch"));
}

#[test]
fn a_wrong_setting_is_named_with_its_place() {
    let build = |toml: &str| recorded().settings(toml).build_with(&parts());
    let message = |result: Result<Sandbox, SandboxError>| result.unwrap_err().to_string();
    let error = message(build("[queue]\nurl = \"queue://h:1/l\"\nprefxi = \"a\"\n"));
    assert!(error.contains(":3:1: [queue] unknown setting `prefxi`; did you mean `prefix`?"), "{error}");
    let error = message(build("[queue]\nurl = \"https://h/l\"\n"));
    assert!(error.contains(":2:1: [queue] `url` is not the URL of a queue"), "{error}");
    // Without its part the table is not known.
    let error = message(recorded().settings("[queue]\nurl = \"queue://h:1/l\"\n").build());
    assert!(error.contains("unknown table `queue`"), "{error}");
}
