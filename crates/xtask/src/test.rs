//! `cargo xtask test` and `cargo xtask soak`: all tests of the workspace in one of two sizes, and one closing line.

use std::io::{BufRead, BufReader, Write as _};
use std::process::Stdio;

use crate::{cargo, peers};

/// The figures of one of cargo's lines `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
#[derive(Default)]
struct Counted {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counted {
    fn add(&mut self, line: &str) {
        let Some(figures) = line.strip_prefix("test result: ") else { return };
        for figure in figures.split([';', '.']) {
            let mut words = figure.split_whitespace();
            if let (Some(Ok(number)), Some(word)) = (words.next().map(str::parse::<u64>), words.next()) {
                match word {
                    "passed" => self.passed += number,
                    "failed" => self.failed += number,
                    "ignored" => self.ignored += number,
                    _ => {}
                }
            }
        }
    }
}

/// How much the tests try: `candor-test-size` reads it from `CANDOR_TEST_SIZE`.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    Small,
    Full,
}

impl Size {
    /// The value of `CANDOR_TEST_SIZE`.
    fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Full => "full",
        }
    }

    /// The value of `PROPTEST_CASES`, which `proptest` reads for tests that do not set a number of their own.
    fn cases(self) -> &'static str {
        match self {
            Self::Small => "256",
            Self::Full => "2560",
        }
    }
}

pub(crate) fn run(size: Size, args: &[String]) -> Result<(), String> {
    let (python, node) = (peers::python()?, peers::node()?);
    let mut child = cargo()
        .env("CANDOR_TEST_SIZE", size.name())
        .env("PROPTEST_CASES", size.cases())
        .env("CANDOR_PEERS_PYTHON", python)
        .env("CANDOR_PEERS_NODE", node)
        .env("CANDOR_PEERS_SSHD", peers::sshd()?)
        .env("CANDOR_PEERS_POSTGRES", peers::postgres()?)
        .env("CANDOR_PEERS_MARIADB", peers::mariadb()?)
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(args)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cargo could not be started: {e}"))?;
    let mut counted = Counted::default();
    if let Some(stdout) = child.stdout.take() {
        let mut out = std::io::stdout().lock();
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.map_err(|e| format!("cargo's output could not be read: {e}"))?;
            let line = String::from_utf8_lossy(&line);
            counted.add(&line);
            writeln!(out, "{line}").map_err(|e| format!("the output could not be written: {e}"))?;
        }
    }
    let status = child.wait().map_err(|e| format!("cargo could not be waited for: {e}"))?;
    let Counted { passed, failed, ignored } = counted;
    let closing = format!("{passed} passed, {failed} failed, {ignored} skipped\n");
    std::io::stdout().lock().write_all(closing.as_bytes()).map_err(|e| e.to_string())?;
    match (status.success(), passed) {
        (true, 0) => Err("no test ran".to_owned()),
        (true, _) => Ok(()),
        (false, _) => Err(format!("the tests failed: {status}")),
    }
}
