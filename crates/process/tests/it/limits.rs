//! Commands within their limits.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::time::Duration;

use candor_process::{Ended, Limited, Ran, run, run_until};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn sh(script: &str, limited: &Limited) -> Ran {
    let command = ["sh", "-c", script].map(Into::into);
    runtime().block_on(run(&command, limited)).unwrap()
}

/// A time limit that no test reaches, but for one that hangs.
const HOUR: Duration = Duration::from_secs(3600);

/// How many times a loop in the folder has written its line.
fn beats(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("beat")).map_or(0, |m| m.len())
}

/// True once a loop that writes a line every 50 ms has been ended.
fn is_silent(folder: &Path) -> bool {
    (0..10).any(|_| {
        let then = beats(folder);
        std::thread::sleep(Duration::from_millis(500));
        beats(folder) == then
    })
}

#[test]
fn what_it_wrote_is_cut_from_the_front_and_steers_no_terminal() {
    let limited = Limited { output: 8, ..Limited::default() };
    let ran = sh("printf '0123456789\\033[2Jab'; exit 3", &limited);
    assert_eq!((ran.ended, ran.cut), (Ended::Code(3), true));
    assert_eq!(ran.stdout, b"89\x1b[2Jab");
    assert_eq!(ran.tail(), "89ab");
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
    let ran = sh("(while :; do echo x >> beat; sleep 0.05; done) & sleep 3600", &limited);
    assert_eq!(ran.ended, Ended::TimedOut);
    assert!(is_silent(folder.path()), "a child went on");
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_system_limits_ends_it_by_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let limited = Limited { folder: folder.path().to_owned(), file_size: Some(1 << 20), ..Limited::default() };
    // SIGXFSZ. Nothing that it starts is without the limits, however soon.
    let script = "exec dd if=/dev/zero of=large bs=65536 count=64";
    assert_eq!(sh(script, &limited).ended, Ended::Signal(25));
    let first = ["cat", "/proc/self/limits"].map(Into::into);
    for _ in 0..candor_test_size::pick(50, 1000) {
        let ran = runtime().block_on(run(&first, &limited)).unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let size = said.lines().find(|line| line.starts_with("Max file size")).unwrap();
        assert!(size.contains(&(1 << 20).to_string()), "{size}");
    }
    assert_eq!(std::fs::metadata(folder.path().join("large")).unwrap().len(), 1 << 20);
    let exact = Limited { file_size: Some(1000), ..limited.clone() };
    sh("sleep 0.3; exec dd if=/dev/zero of=odd bs=10 count=200", &exact);
    assert_eq!(std::fs::metadata(folder.path().join("odd")).unwrap().len(), 1000);
    let limited = Limited { cpu: Some(Duration::from_millis(500)), ..Limited::default() };
    // SIGXCPU, or SIGKILL where the hard limit comes first.
    assert!(matches!(sh("while :; do :; done", &limited).ended, Ended::Signal(24 | 9)));
}

#[test]
fn what_cannot_be_started_is_told_with_limits_and_without() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text"), "x").unwrap();
    let text = folder.path().join("text");
    for file_size in [None, Some(1 << 20)] {
        let limited = Limited { file_size, folder: folder.path().to_owned(), ..Limited::default() };
        for name in ["candor-no-such", "/candor/no/such", text.to_str().unwrap(), ""] {
            let why = runtime().block_on(run(&[name.into()], &limited)).unwrap_err();
            assert!(why.starts_with(&format!("`{name}` cannot be started: ")), "{why}");
        }
        // What it is given is its own, whatever a shell would make of it.
        let words = ["printf", "%s|", "a b", "$HOME", "", "-x", "\"'"].map(Into::into);
        let ran = runtime().block_on(run(&words, &limited)).unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "a b|$HOME||-x|\"'|");
    }
}

#[test]
fn it_needs_no_runtime_and_ends_once_nobody_wants_it() {
    let folder = tempfile::tempdir().unwrap();
    let limited = Limited { time: HOUR, folder: folder.path().to_owned(), ..Limited::default() };
    let script = |text: &str| ["sh", "-c", text].map(Into::into).to_vec();
    let ran = run_until(&script("exit 4"), &limited, || false).unwrap();
    assert_eq!(ran.ended, Ended::Code(4));
    let endless = script("while :; do echo x >> beat; sleep 0.05; done");
    let given_up = run_until(&endless, &limited, || beats(folder.path()) > 0);
    assert!(given_up.is_err() && beats(folder.path()) > 0);
    assert!(is_silent(folder.path()), "it went on");
}

#[test]
fn a_child_that_holds_its_output_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let limited = Limited { time: HOUR, folder: folder.path().to_owned(), ..Limited::default() };
    // Waiting for the child takes an hour.
    let ran = sh("(while :; do echo x >> beat; sleep 0.05; done) & echo done; echo why >&2; exit 5", &limited);
    assert_eq!(
        (ran.ended, ran.cut, &ran.stdout[..], &ran.stderr[..]),
        (Ended::Code(5), false, &b"done\n"[..], &b"why\n"[..])
    );
    assert!(is_silent(folder.path()), "a child went on");
    // One that ended within its time was not too slow because of whom it left behind. A busy machine may be late by the
    // 300 ms that are left; if the wait for the output counted, every run would be too late.
    let limited = Limited { time: Duration::from_millis(700), ..Limited::default() };
    assert!((0..100).any(|_| sh("sleep 3600 & sleep 0.4; echo done", &limited).ended == Ended::Code(0)));
}
