//! Endpoints that answer once, or that answer the verifier otherwise than others.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_check::{CheckType, Evidence, Sandbox};
use candor_json::{Value, json};
use candor_workspace_checks::{ENDPOINT_RESPONDS, RESPONSE_TIME, WORKSPACE};

/// A request, and when it came.
type Asked = Arc<Mutex<Vec<(Instant, String)>>>;

/// A server whose answers are these, one after the other, each held back; the last one stays.
fn server(answers: &[(&'static str, u64)]) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/health", listener.local_addr().unwrap());
    let (asked, answers) = (Asked::default(), answers.to_vec());
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let (mut request, mut buffer) = (Vec::new(), [0; 1024]);
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut buffer) {
                    Ok(read @ 1..) => request.extend(&buffer[..read]),
                    _ => break,
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let (status, delay) = answers[number.min(answers.len() - 1)];
            // Answers only those who name the verifier.
            let status =
                if status == "candor" && !request.to_lowercase().contains("candor") { "403 No" } else { status };
            kept.lock().unwrap().push((Instant::now(), request));
            std::thread::sleep(Duration::from_millis(delay));
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        }
    });
    (url, asked)
}

fn sandbox() -> (tempfile::TempDir, Sandbox) {
    let root = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::open(root.path(), &[WORKSPACE]).unwrap();
    (root, sandbox)
}

fn run(check: CheckType, assertion: Value, sandbox: &Sandbox) -> Evidence {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(check.run(assertion, sandbox))
}

/// With a clock on which the seconds between two requests are milliseconds.
fn hurried(check: CheckType, assertion: Value) -> Evidence {
    let (_root, sandbox) = sandbox();
    run(check, assertion, &sandbox.with_work(sandbox.work().clone().hurried()))
}

fn responds(answers: &[(&'static str, u64)]) -> (Evidence, Vec<String>) {
    let (url, asked) = server(answers);
    let evidence = hurried(ENDPOINT_RESPONDS, json!({"assert": "endpoint-responds", "url": url}));
    let asked = asked.lock().unwrap().iter().map(|(_, request)| request.to_lowercase()).collect();
    (evidence, asked)
}

#[test]
fn both_answers_must_hold_and_a_difference_is_named() {
    let (evidence, asked) = responds(&[("200 OK", 0)]);
    assert!(evidence.status().name() == "passed" && asked.len() == 2, "{evidence:?}");
    assert!(evidence.details().ends_with("/health was answered with 200."), "{}", evidence.details());
    for (answers, details) in [
        (
            [("200 OK", 0), ("503 Busy", 0)],
            "was answered with 200; asked again after 2 s it was answered with 503; expected 2xx.",
        ),
        (
            [("503 Busy", 0), ("200 OK", 0)],
            "was answered with 503; asked again after 2 s it was answered with 200; expected 2xx.",
        ),
        (
            [("200 OK", 0), ("garbage", 0)],
            "was answered with 200; asked again after 2 s it was not answered: the reply is not valid HTTP; expected 2xx.",
        ),
    ] {
        let (evidence, asked) = responds(&answers);
        assert!(evidence.status().name() == "failed" && asked.len() == 2, "{answers:?}");
        assert!(evidence.details().ends_with(details), "{}", evidence.details());
    }
    // Two that both hold are a pass, and differ.
    let (evidence, _) = responds(&[("200 OK", 0), ("204 None", 0)]);
    assert_eq!(evidence.status().name(), "passed");
    assert!(
        evidence.details().contains("with 200; asked again after 2 s it was answered with 204."),
        "{}",
        evidence.details()
    );
    let data = evidence.attributed("fieldResults", Some(("c", "v")));
    let answers = data.pointer("/evidence/evidence_data/answers").unwrap();
    assert_eq!((&answers[0]["status"], &answers[1]["status"]), (&json!(200), &json!(204)), "{data:#}");
}

#[test]
fn no_request_says_who_asks() {
    let (evidence, asked) = responds(&[("candor", 0)]);
    assert_eq!(evidence.status().name(), "failed", "{asked:?}");
    assert!(
        asked.iter().all(|request| request.contains("user-agent: mozilla/5.0 (") && !request.contains("candor")),
        "{asked:?}"
    );
    let (url, asked) = server(&[("200 OK", 0)]);
    let headers = json!({"User-Agent": "own"});
    hurried(ENDPOINT_RESPONDS, json!({"assert": "endpoint-responds", "url": url, "headers": headers}));
    let asked = asked.lock().unwrap();
    assert!(
        asked.iter().all(|(_, request)| request.to_lowercase().matches("user-agent: own").count() == 1),
        "{asked:?}"
    );
}

#[test]
fn the_slower_of_two_answers_decides() {
    for (answers, passes) in [
        ([("200 OK", 0), ("200 OK", 400)], false),
        ([("200 OK", 400), ("200 OK", 0)], false),
        ([("200 OK", 0), ("200 OK", 0)], true),
    ] {
        for percentile in [1, 100] {
            let run = || {
                let (url, asked) = server(&answers);
                let assertion =
                    json!({"assert": "response-time", "url": url, "limit": "200ms", "percentile": percentile});
                let evidence = hurried(RESPONSE_TIME, assertion);
                let times = asked.lock().unwrap().len();
                (evidence.status().name() == "passed", times, evidence.details().to_owned())
            };
            let mut ran = run();
            // A busy machine may be late; it is never early.
            for _ in 0..20 {
                if passes && !ran.0 {
                    ran = run();
                }
            }
            assert_eq!((ran.0, ran.1), (passes, 2), "{}", ran.2);
        }
    }
    let (url, asked) = server(&[("200 OK", 0)]);
    hurried(RESPONSE_TIME, json!({"assert": "response-time", "url": url, "limit": "1m", "samples": 3}));
    assert_eq!(asked.lock().unwrap().len(), 3);
}

#[test]
fn seconds_pass_between_the_two() {
    let (_root, sandbox) = sandbox();
    for (check, more) in [(ENDPOINT_RESPONDS, json!({})), (RESPONSE_TIME, json!({"limit": "1m"}))] {
        let (url, asked) = server(&[("200 OK", 0)]);
        let mut assertion = json!({"assert": check.meta().assert, "url": url});
        assertion.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(run(check, assertion, &sandbox).status().name(), "passed");
        let asked = asked.lock().unwrap();
        assert!(asked.len() == 2 && asked[1].0 - asked[0].0 >= Duration::from_millis(1900), "{asked:?}");
    }
}
