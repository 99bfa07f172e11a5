//! A command's exit as the verdict.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::time::Duration;

use candor_verification::verifiers::TestSuite;
use candor_verification::{Claim, Verifier, VerifierInput, VerifierVerdict};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
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
    let mess = TestSuite::new(["sh", "-c", "rm done && touch left"]);
    assert_eq!((verify(&mess).unwrap(), verify(&mess).unwrap()), (VerifierVerdict::Passed, VerifierVerdict::Passed));
    assert!(folder.path().join("done").exists() && !folder.path().join("left").exists(), "it ran in a copy");
    let slow = TestSuite { time_limit: Duration::from_millis(100), ..TestSuite::new(["sleep", "60"]) };
    let VerifierVerdict::Failed { reason } = verify(&slow).unwrap() else { panic!("the delegate is to mend it") };
    assert_eq!(reason, "the test suite did not end within 0.1 s, and was ended");
    let none = verify(&TestSuite::new(["candor-no-such-command"])).unwrap_err();
    assert!(none.to_string().contains("cannot be started"), "{none}");
}

#[test]
fn the_reason_of_a_test_suite_names_what_mends() {
    let input = VerifierInput {
        build_result: Claim::default(),
        eval_result: None,
        workspace: std::path::PathBuf::new(),
        iteration: 0,
    };
    let reason = |script: &str, suite: &dyn Fn(TestSuite) -> TestSuite| {
        let suite = suite(TestSuite::new(["sh", "-c", script]));
        match runtime().block_on(suite.verify(&input)).unwrap() {
            VerifierVerdict::Failed { reason } | VerifierVerdict::Unverifiable { reason } => reason,
            VerifierVerdict::Passed => panic!("{script} passed"),
        }
    };
    // More than the tail comes behind what matters.
    let failing = "echo 'test tests::adds ... FAILED'; echo 'error: bad' >&2; echo ' --> a.rs:1:2' >&2; \
                   i=0; while [ $i -lt 200 ]; do echo 'for more information see the manual' >&2; i=$((i+1)); done; exit 1";
    let named = reason(failing, &|suite| suite);
    assert!(named.contains("Failed test: tests::adds. Error: a.rs:1:2: error: bad."), "{named}");
    let tail = reason("printf 'nothing known é%s' \"$(printf 'y%.0s' 1 2 3 4)\"; exit 1", &|suite| TestSuite {
        tail: 5,
        ..suite
    });
    assert!(tail.ends_with(":\nyyyy"), "{tail}");
    assert!(reason("kill -SEGV $$", &|suite| suite).contains("signal 11 (SIGSEGV)"));
}

#[test]
fn however_a_suite_of_the_delegate_ends_is_its_doing() {
    let folder = tempfile::tempdir().unwrap();
    let input = VerifierInput {
        build_result: Claim::default(),
        eval_result: None,
        workspace: folder.path().to_owned(),
        iteration: 0,
    };
    let verify = |script: &str| {
        // Whoever started this test may have it ignore them.
        let command = ["env", "--default-signal=HUP,INT,TERM", "sh", "-c", script];
        runtime().block_on(TestSuite::new(command).verify(&input))
    };
    for signal in ["KILL", "TERM", "HUP", "INT"] {
        let verdict = verify(&format!("kill -{signal} $$; sleep 5"));
        let Ok(VerifierVerdict::Failed { reason }) = verdict else { panic!("{signal}: {verdict:?}") };
        assert!(reason.contains("ended by signal"), "{reason}");
    }
    for code in [129, 130, 137, 143] {
        let verdict = verify(&format!("exit {code}"));
        let Ok(VerifierVerdict::Failed { reason }) = verdict else { panic!("{code}: {verdict:?}") };
        assert!(reason.contains("ended by signal"), "{reason}");
    }
    for code in [126, 127] {
        let error = verify(&format!("exit {code}")).unwrap_err().to_string();
        assert!(error.contains("cannot be started"), "{error}");
        // In a file of the workspace it is the delegate's.
        std::fs::write(folder.path().join("run.sh"), format!("echo gone >&2; exit {code}")).unwrap();
        let verdict = runtime().block_on(TestSuite::new(["sh", "run.sh"]).verify(&input)).unwrap();
        let reason = format!("the test suite ended with {code}:\ngone");
        assert_eq!(verdict, VerifierVerdict::Failed { reason });
    }
    for fault in
        ["kill -SEGV $$", "kill -ABRT $$", "kill -BUS $$", "kill -ILL $$", "kill -FPE $$", "exit 139", "exit 2"]
    {
        let verdict = verify(&format!("{fault}; sleep 5"));
        assert!(matches!(verdict, Ok(VerifierVerdict::Failed { .. })), "{fault}: {verdict:?}");
    }
}
