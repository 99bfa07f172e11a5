//! Commands within their limits.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::time::{Duration, Instant};

use candor_verification::process::{self, Ended, Limited};
use candor_verification::verifiers::TestSuite;
use candor_verification::{Claim, Verifier, VerifierInput, VerifierVerdict};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn sh(script: &str, limited: &Limited) -> process::Ran {
    let command = ["sh", "-c", script].map(Into::into);
    runtime().block_on(process::run(&command, limited)).unwrap()
}

#[test]
fn what_it_wrote_is_cut_from_the_front_and_steers_no_terminal() {
    let limited = Limited { output: 8, ..Limited::default() };
    let ran = sh("printf '0123456789\\033[2Jab'; exit 3", &limited);
    assert_eq!((ran.ended, ran.cut), (Ended::Code(3), true));
    assert_eq!(ran.stdout, b"89\x1b[2Jab");
    assert_eq!(ran.tail(), "89[2Jab");
}

#[test]
fn it_sees_its_input_and_no_environment_but_what_is_given() {
    // Cargo sets this variable for the test itself.
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
    let environment = vec![("GIVEN".into(), "yes".into())];
    let limited = Limited { input: b"hello".to_vec(), environment, ..Limited::default() };
    let ran = sh("cat; echo \" ${GIVEN} [${CARGO_PKG_NAME}]\"", &limited);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "hello yes []\n");
}

#[test]
fn its_time_ends_it_with_everything_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let limited = Limited { time: Duration::from_millis(300), folder: folder.path().to_owned(), ..Limited::default() };
    let began = Instant::now();
    let ran = sh("(while :; do echo x >> beat; sleep 0.05; done) & sleep 60", &limited);
    assert_eq!(ran.ended, Ended::TimedOut);
    assert!(began.elapsed() < Duration::from_secs(20));
    let beats = || std::fs::metadata(folder.path().join("beat")).map_or(0, |m| m.len());
    std::thread::sleep(Duration::from_millis(200));
    let then = beats();
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(beats(), then, "a child went on");
}

#[test]
fn a_test_suite_passes_by_its_exit_alone() {
    let folder = tempfile::tempdir().unwrap();
    let input = VerifierInput {
        build_result: Claim { response: "All tests pass.".to_owned(), ..Claim::default() },
        eval_result: None,
        workspace: folder.path().to_owned(),
        iteration: 0,
    };
    let suite = TestSuite::new(["sh", "-c", "test -f done || { echo 'done is not there' >&2; exit 1; }"]);
    let verify = |suite: &TestSuite| runtime().block_on(suite.verify(&input));
    let VerifierVerdict::Failed { reason } = verify(&suite).unwrap() else { panic!("the file is not there") };
    assert!(reason.contains("done is not there"), "{reason}");
    std::fs::write(folder.path().join("done"), "").unwrap();
    assert_eq!(verify(&suite).unwrap(), VerifierVerdict::Passed);
    let slow = TestSuite { time_limit: Duration::from_millis(100), ..TestSuite::new(["sleep", "60"]) };
    assert!(matches!(verify(&slow).unwrap(), VerifierVerdict::Unverifiable { .. }));
    let none = verify(&TestSuite::new(["candor-no-such-command"])).unwrap_err();
    assert!(none.to_string().contains("cannot be started"), "{none}");
}
