//! Delegates that are real commands and a real endpoint.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use candor_verification::delegates::{CommandPerAttempt, HttpEndpoint, LinesCommand};
use candor_verification::process::Limited;
use candor_verification::{Delegate, DelegateError, DelegateId, Request};

fn id() -> DelegateId {
    DelegateId("agent".to_owned())
}

fn request(attempt: u32) -> Request {
    Request { prompt: "Book \"it\".\nNow.".to_owned(), attempt, session: "s-1".to_owned() }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn command(words: &[&str]) -> Vec<std::ffi::OsString> {
    words.iter().map(Into::into).collect()
}

fn broke(error: DelegateError) -> String {
    match error {
        DelegateError::Broke(what) => what,
        DelegateError::Unreachable(what) => panic!("unreachable: {what}"),
    }
}

#[test]
fn a_command_per_attempt_reads_the_prompt() {
    let script = "cat; echo \" $CANDOR_ATTEMPT $CANDOR_SESSION\"";
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", script]), Limited::default());
    let claim = runtime().block_on(delegate.attempt(&request(2))).unwrap();
    assert_eq!(claim.response, "Book \"it\".\nNow. 2 s-1");
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", "echo no >&2; exit 7"]), Limited::default());
    assert_eq!(broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err()), "it ended with 7\nno");
    let mut delegate = CommandPerAttempt::new(id(), command(&["candor-no-such"]), Limited::default());
    let error = runtime().block_on(delegate.attempt(&request(0))).unwrap_err();
    assert!(matches!(error, DelegateError::Unreachable(_)), "{error}");
}

const AGENT: &str = r#"
import json, os, sys, time
n = 0
for line in sys.stdin:
    asked = json.loads(line); n += 1
    if asked["attempt"] == 7: time.sleep(60)
    if asked["attempt"] == 8: print("Done."); sys.stdout.flush(); continue
    if asked["attempt"] == 9: sys.exit(0)
    print(json.dumps({"response": f"{n} {asked['session']} {asked['prompt']}", "tool_calls": [1]})); sys.stdout.flush()
"#;

#[test]
fn a_command_that_is_kept_running_keeps_what_it_knows() {
    let limited = Limited { time: Duration::from_secs(20), ..Limited::default() };
    let mut delegate = LinesCommand::new(id(), command(&["python3", "-c", AGENT]), limited);
    runtime().block_on(async {
        assert_eq!(delegate.attempt(&request(0)).await.unwrap().response, "1 s-1 Book \"it\".\nNow.");
        assert!(delegate.attempt(&request(1)).await.unwrap().response.starts_with("2 "));
        assert!(broke(delegate.attempt(&request(8)).await.unwrap_err()).contains("no JSON"));
        // It is started anew, and answers its own question.
        assert!(delegate.attempt(&request(1)).await.unwrap().response.starts_with("1 "));
        assert!(broke(delegate.attempt(&request(9)).await.unwrap_err()).contains("ended without an answer"));
        assert!(delegate.attempt(&request(1)).await.unwrap().response.starts_with("1 "));
        delegate.end().await;
    });
}

#[test]
fn time_is_limited_per_attempt() {
    let limited = Limited { time: Duration::from_millis(700), ..Limited::default() };
    let mut delegate = LinesCommand::new(id(), command(&["python3", "-c", AGENT]), limited);
    let began = Instant::now();
    let error = runtime().block_on(delegate.attempt(&request(7))).unwrap_err();
    assert!(broke(error).contains("took longer than 0.7 s"));
    assert!(began.elapsed() < Duration::from_secs(20));
}

/// Answers one request with these bytes, and gives back what it was sent.
fn serve(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/agent", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        (&stream).write_all(answer.as_bytes()).unwrap();
        head + &String::from_utf8(body).unwrap()
    });
    (url, served)
}

#[test]
fn an_endpoint_is_asked_with_its_session() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 21\r\nConnection: close\r\n\r\n{\"response\": \"Done.\"}";
    let (url, served) = serve(answer);
    let secret = candor_check::Secret::new("token-1".to_owned());
    let mut delegate = HttpEndpoint::new(id(), url, Some(secret), Duration::from_secs(10));
    assert_eq!(runtime().block_on(delegate.attempt(&request(1))).unwrap().response, "Done.");
    let asked = served.join().unwrap();
    assert!(asked.to_ascii_lowercase().contains("authorization: bearer token-1"), "{asked}");
    assert!(asked.ends_with(r#"{"prompt":"Book \"it\".\nNow.","attempt":1,"session":"s-1"}"#), "{asked}");
}

#[test]
fn what_an_endpoint_does_wrong_is_told_apart() {
    for (answer, unreachable) in [
        ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            false,
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{\"response\":", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nDone.", false),
    ] {
        let (url, served) = serve(answer);
        let mut delegate = HttpEndpoint::new(id(), url, None, Duration::from_secs(10));
        let error = runtime().block_on(delegate.attempt(&request(0))).unwrap_err();
        assert_eq!(matches!(error, DelegateError::Unreachable(_)), unreachable, "{answer}: {error}");
        served.join().unwrap();
    }
    let mut nobody = HttpEndpoint::new(id(), "http://127.0.0.1:1/", None, Duration::from_secs(10));
    let error = runtime().block_on(nobody.attempt(&request(0))).unwrap_err();
    assert!(matches!(error, DelegateError::Unreachable(_)), "{error}");
}
