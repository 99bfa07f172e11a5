//! Delegates that are real commands and a real endpoint.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use candor_verification::delegates::{CommandPerAttempt, HttpEndpoint, LinesCommand};
use candor_verification::process::Limited;
use candor_verification::{Delegate, DelegateError, DelegateId, Request};

/// A time limit that no test reaches, but for one that hangs.
const AMPLE: Duration = Duration::from_secs(600);

/// Tries up to 21 times until the result is right. For results that depend on a time limit: a busy machine may be late
/// once.
fn right<T>(try_it: impl Fn() -> T, is_right: impl Fn(&T) -> bool) -> T {
    let mut last = try_it();
    for _ in 0..20 {
        if is_right(&last) {
            break;
        }
        last = try_it();
    }
    last
}

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
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_end_of_standard_error_of_a_delegate_that_answered_is_kept() {
    let wrote = |mut delegate: CommandPerAttempt| {
        runtime().block_on(async {
            delegate.attempt(&request(0)).await.unwrap();
            delegate.stderr().await
        })
    };
    let of = |script: &str| CommandPerAttempt::new(id(), command(&["sh", "-c", script]), Limited::default());
    assert_eq!(wrote(of("echo 'two warnings' >&2; echo done")).as_deref(), Some("two warnings"));
    assert_eq!(wrote(of("echo done; echo ' ' >&2")), None);
    let long = wrote(of("head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2")).unwrap();
    assert!(long.starts_with("…x") && long.ends_with("the end"), "{long}");
    // One that goes on is ended first, so that everything it wrote was read.
    let lines = "read -r _; echo 'two warnings' >&2; echo '{\"response\": \"done\"}'; cat";
    let mut delegate = LinesCommand::new(id(), command(&["sh", "-c", lines]), Limited::default());
    let wrote = runtime().block_on(async {
        delegate.attempt(&request(0)).await.unwrap();
        delegate.end().await;
        (delegate.stderr().await, delegate.stderr().await)
    });
    assert_eq!(wrote, (Some("two warnings".to_owned()), None));
}

#[test]
fn a_command_per_attempt_reads_the_prompt() {
    let script = "cat; echo \" $CANDOR_ATTEMPT $CANDOR_SESSION\"";
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", script]), Limited::default());
    let claim = runtime().block_on(delegate.attempt(&request(2))).unwrap();
    assert_eq!(claim.response, "Book \"it\".\nNow. 2 s-1");
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", "echo no >&2; exit 7"]), Limited::default());
    assert_eq!(broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err()), "it ended with exit code 7\nno");
    // The next prompt quotes the end of it.
    let long = "head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 7";
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", long]), Limited::default());
    let error = broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err());
    assert!(error.starts_with("it ended with exit code 7\n…x") && error.ends_with("the end"), "{error}");
    assert_eq!(error.chars().count(), 2027);
    // A shell that ran is a delegate that was asked, whatever it could not start.
    for (words, code) in [(&["sh", "-c", "candor-no-such"][..], 127), (&["sh", "-c", "echo no >&2; exit 126"], 126)] {
        let mut delegate = CommandPerAttempt::new(id(), command(words), Limited::default());
        let error = broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err());
        assert!(error.starts_with(&format!("it ended with exit code {code}\n")), "{error}");
        let mut delegate = LinesCommand::new(id(), command(words), Limited::default());
        let error = broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err());
        assert!(error.contains(&format!("; it ended with exit code {code}\n")), "{error}");
    }
    let mut delegate = LinesCommand::new(id(), command(&["candor-no-such"]), Limited::default());
    let error = runtime().block_on(delegate.attempt(&request(0))).unwrap_err();
    assert!(matches!(error, DelegateError::Unreachable(_)), "{error}");
    let mut delegate = CommandPerAttempt::new(id(), command(&["candor-no-such"]), Limited::default());
    let error = runtime().block_on(delegate.attempt(&request(0))).unwrap_err();
    assert!(matches!(error, DelegateError::Unreachable(_)), "{error}");
}

const AGENT: &str = r#"
import json, os, sys, time
n = 0
for line in sys.stdin:
    asked = json.loads(line); n += 1
    if asked["attempt"] == 7: time.sleep(3600)
    if asked["attempt"] == 8: print("Done."); sys.stdout.flush(); continue
    if asked["attempt"] == 9: sys.exit(0)
    print(json.dumps({"response": f"{n} {asked['session']} {asked['prompt']}", "tool_calls": [1]})); sys.stdout.flush()
"#;

#[test]
fn a_command_that_is_kept_running_keeps_what_it_knows() {
    let limited = Limited { time: AMPLE, ..Limited::default() };
    let mut delegate = LinesCommand::new(id(), command(&["python3", "-c", AGENT]), limited);
    runtime().block_on(async {
        assert_eq!(delegate.attempt(&request(0)).await.unwrap().response, "1 s-1 Book \"it\".\nNow.");
        assert!(delegate.attempt(&request(1)).await.unwrap().response.starts_with("2 "));
        assert!(broke(delegate.attempt(&request(8)).await.unwrap_err()).contains("not JSON"));
        // It is started anew, and answers its own question.
        assert!(delegate.attempt(&request(1)).await.unwrap().response.starts_with("1 "));
        assert!(broke(delegate.attempt(&request(9)).await.unwrap_err()).contains("ended without an answer"));
        assert!(delegate.attempt(&request(1)).await.unwrap().response.starts_with("1 "));
        delegate.end().await;
    });
}

#[test]
fn a_command_that_is_kept_running_and_breaks_off_tells_the_end_of_what_it_wrote() {
    let script = "head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; echo no credentials >&2; read asked; ";
    let told = |how: &str, time: u64| {
        let limited = Limited { time: Duration::from_secs(time), ..Limited::default() };
        let mut delegate = LinesCommand::new(id(), command(&["sh", "-c", &format!("{script}{how}")]), limited);
        broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err())
    };
    for (how, time, expected) in [
        ("exit 3", 600, "it ended without an answer; it ended with exit code 3\n…xxx"),
        ("sleep 3600", 1, "the time limit of an attempt\n…xxx"),
    ] {
        let told = right(|| told(how, time), |told| told.ends_with("xx\nno credentials"));
        assert!(told.contains(expected) && told.ends_with("xx\nno credentials") && told.len() < 2200, "{told}");
    }
}

/// Answers twice, the second time when it is asked for the next already.
const LATE: &str = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {"response": "late", "attempt": 0, "session": asked["session"]}
    if asked["attempt"] == 2: said = {"response": "other", "session": "s-0"}
    print(json.dumps(said)); sys.stdout.flush()
"#;

#[test]
fn an_answer_that_says_what_it_answers_is_held_to_it() {
    let limited = Limited { time: AMPLE, ..Limited::default() };
    let mut delegate = LinesCommand::new(id(), command(&["python3", "-c", LATE]), limited);
    runtime().block_on(async {
        assert_eq!(delegate.attempt(&request(0)).await.unwrap().response, "late");
        let late = broke(delegate.attempt(&request(1)).await.unwrap_err());
        assert!(late.contains("another attempt than 1"), "{late}");
        let other = broke(delegate.attempt(&request(2)).await.unwrap_err());
        assert!(other.contains("another session"), "{other}");
        delegate.end().await;
    });
}

#[test]
fn time_is_limited_per_attempt() {
    let limited = Limited { time: Duration::from_millis(700), ..Limited::default() };
    let mut delegate = LinesCommand::new(id(), command(&["python3", "-c", AGENT]), limited);
    // Waiting for it takes an hour.
    let error = runtime().block_on(delegate.attempt(&request(7))).unwrap_err();
    assert!(broke(error).contains("it was ended after 0.7 s"));
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
    let secret = candor_check::sandbox::Secret::new("token-1".to_owned());
    let mut delegate = HttpEndpoint::new(id(), url, Some(secret), AMPLE);
    assert_eq!(runtime().block_on(delegate.attempt(&request(1))).unwrap().response, "Done.");
    let asked = served.join().unwrap();
    assert!(asked.to_ascii_lowercase().contains("authorization: bearer token-1"), "{asked}");
    assert!(asked.ends_with(r#"{"prompt":"Book \"it\".\nNow.","attempt":1,"session":"s-1"}"#), "{asked}");
}

fn unreachable(error: &DelegateError) -> bool {
    matches!(error, DelegateError::Unreachable(_))
}

fn asked(url: impl Into<String>, time: Duration) -> DelegateError {
    let mut delegate = HttpEndpoint::new(id(), url, None, time);
    runtime().block_on(delegate.attempt(&request(0))).unwrap_err()
}

/// How an error answers the question "was the request taken?": no, unknown or yes.
fn taken(error: &DelegateError) -> &'static str {
    match error {
        DelegateError::Unreachable(_) => "no",
        DelegateError::Lost(_) => "unknown",
        DelegateError::Broke(_) => "yes",
    }
}

#[test]
fn a_request_that_was_not_taken_is_told_from_work_that_broke_off() {
    for (status, expected) in [
        ("301 Moved", "no"),
        ("302 Found", "no"),
        ("307 Temporary Redirect", "no"),
        ("400 Bad Request", "no"),
        ("404 Not Found", "no"),
        ("407 Proxy Authentication Required", "no"),
        ("410 Gone", "no"),
        ("429 Too Many Requests", "no"),
        ("500 Internal Server Error", "yes"),
        ("502 Bad Gateway", "unknown"),
        ("503 Busy", "no"),
        ("504 Gateway Timeout", "unknown"),
    ] {
        let answer = format!(
            "HTTP/1.1 {status}\r\nLocation: http://127.0.0.1:1/\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\
             Connection: close\r\n\r\n"
        );
        let (url, served) = serve(answer.leak());
        let error = asked(url, AMPLE);
        assert_eq!(taken(&error), expected, "{status}: {error}");
        served.join().unwrap();
    }
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{\"response\":",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nDone.",
        "HTTP/1.1 200 O",
        "",
    ] {
        let (url, served) = serve(answer);
        let error = asked(url, AMPLE);
        assert!(!unreachable(&error), "{answer}: {error}");
        served.join().unwrap();
    }
}

#[test]
fn a_connection_that_is_not_made_is_no_work_of_the_delegate() {
    for url in ["http://127.0.0.1:1/", "http://candor-test.invalid/", "no-url"] {
        let error = asked(url, AMPLE);
        assert!(unreachable(&error), "{url}: {error}");
    }
    // The server does not speak TLS.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.read(&mut [0; 1 << 10]);
    });
    let error = asked(format!("https://{address}/"), AMPLE);
    assert!(unreachable(&error), "{error}");
    served.join().unwrap();
    // The system accepts connections, and the server never writes: TLS fails, and over HTTP the request counts as sent.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    for (scheme, taken) in [("https", false), ("http", true)] {
        let ask = || asked(format!("{scheme}://{address}/"), Duration::from_millis(600));
        let error = right(ask, |error| unreachable(error) != taken);
        assert_eq!(unreachable(&error), !taken, "{scheme}: {error}");
    }
}

#[test]
fn what_runs_on_this_machine_is_behind_no_proxy() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "delegates::an_endpoint_is_asked_with_its_session"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        again.env(name, "http://127.0.0.1:1");
    }
    let again = again.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    assert!(again.status.success() && String::from_utf8_lossy(&again.stdout).contains("1 passed"), "{again:?}");
}

#[test]
fn an_answer_that_is_too_long_is_none() {
    let script = "head -c 9000000 /dev/zero | tr '\\0' x; echo; echo PASS";
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", script]), Limited::default());
    let error = broke(runtime().block_on(delegate.attempt(&request(0))).unwrap_err());
    assert!(error.starts_with("its answer is longer than 8388608 bytes"), "{}", error.len());
    // Standard error is not part of its answer.
    let script = "head -c 9000000 /dev/zero >&2; echo Done.";
    let mut delegate = CommandPerAttempt::new(id(), command(&["sh", "-c", script]), Limited::default());
    assert_eq!(runtime().block_on(delegate.attempt(&request(0))).unwrap().response, "Done.");
}

#[test]
fn what_is_said_unasked_is_the_answer_to_nothing() {
    let script = r#"
import sys
for line in sys.stdin:
    print('{"response": "one"}\n{"response": "two"}', flush=True)
"#;
    let limited = Limited { time: AMPLE, ..Limited::default() };
    let mut delegate = LinesCommand::new(id(), command(&["python3", "-c", script]), limited);
    runtime().block_on(async {
        assert_eq!(delegate.attempt(&request(0)).await.unwrap().response, "one");
        let error = broke(delegate.attempt(&request(1)).await.unwrap_err());
        assert_eq!(error, "it said more than it was asked for");
        assert_eq!(delegate.attempt(&request(2)).await.unwrap().response, "one");
        delegate.end().await;
    });
}

/// Answers each request with the next of these heads, the last one for ever, and counts them.
fn busy(heads: Vec<String>) -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/agent", listener.local_addr().unwrap());
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                let mut buffer = [0; 1024];
                let read = stream.read(&mut buffer).unwrap();
                request.extend(&buffer[..read]);
            }
            let number = counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let head = heads.get(number).or(heads.last()).unwrap();
            let body = r#"{"response": "Done."}"#;
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 {head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        }
    });
    (url, count)
}

#[test]
fn a_busy_endpoint_is_asked_again_within_the_time_of_the_attempt() {
    let date = |seconds: i64| {
        let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    };
    let heads = vec![
        "429 Too Many Requests\r\nRetry-After: 0\r\n".to_owned(),
        format!("503 Service Unavailable\r\nRetry-After: {}\r\n", date(1)),
        "503 Service Unavailable\r\nRetry-After: soon\r\n".to_owned(),
        "200 OK\r\n".to_owned(),
    ];
    let (url, count) = busy(heads);
    let mut delegate = HttpEndpoint::new(id(), url, None, AMPLE);
    let began = Instant::now();
    assert_eq!(runtime().block_on(delegate.attempt(&request(0))).unwrap().response, "Done.");
    assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 4);
    assert!(began.elapsed() >= Duration::from_secs(1), "it did not wait as long as it was asked to");
    // One that stays busy was given nothing, and never longer than an attempt may take.
    for (head, most) in
        [("503 Busy\r\nRetry-After: 3600\r\n", 1), ("429 Busy\r\nRetry-After: 1\r\n", 2), ("503 Busy\r\n", 2)]
    {
        let ask = || {
            let (url, count) = busy(vec![head.to_owned()]);
            (asked(url, Duration::from_secs(2)), count.load(std::sync::atomic::Ordering::SeqCst))
        };
        let is_right = |(error, times): &(DelegateError, usize)| {
            unreachable(error) && error.to_string().contains("asked for more time") && (1..=most).contains(times)
        };
        let (error, times) = right(ask, is_right);
        assert!(unreachable(&error) && error.to_string().contains("asked for more time"), "{head}: {error}");
        assert!((1..=most).contains(&times), "{head}: asked {times} times");
    }
}
