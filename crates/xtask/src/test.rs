//! `cargo xtask test` and `cargo xtask soak`: all tests of the workspace in one of two sizes, and one closing line.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, ExitStatus, Stdio};

use crate::{adapters, cargo, peers};

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

    /// The value of `PROPTEST_MAX_GLOBAL_REJECTS`: how many inputs a test may refuse, four for each that it takes.
    fn rejects(self) -> &'static str {
        match self {
            Self::Small => "1024",
            Self::Full => "10240",
        }
    }
}

/// The checks without anything that they can leave out.
const CHECKS: &str = "fhir,hl7,portal,files,voice,x12,workspace";

/// What is tested, in turn: everything, then what builds say that leave parts out.
const RUNS: [&[&str]; 3] = [
    &["--workspace", "--features", "candor-cli/full"],
    &["--package", "candor-cli", "--no-default-features", "--features", CHECKS],
    &["--package", "candor-cli", "--no-default-features"],
];

pub(crate) fn run(size: Size, args: &[String]) -> Result<(), String> {
    // Other arguments name tests, which may be none of the smaller builds'.
    let runs = if args.iter().all(|arg| arg == "--locked") { RUNS.len() } else { 1 };
    let (python, package, node) = (peers::python()?, peers::package()?, peers::node()?);
    let mut counted = Counted::default();
    let mut failed = None;
    for what in RUNS.iter().take(runs) {
        let mut cargo = cargo();
        cargo
            .env("CANDOR_TEST_SIZE", size.name())
            .env("PROPTEST_CASES", size.cases())
            .env("PROPTEST_MAX_GLOBAL_REJECTS", size.rejects())
            .env("CANDOR_PEERS_PYTHON", &python)
            .env("CANDOR_PEERS_PACKAGE", &package)
            .env("CANDOR_PEERS_NODE", &node)
            .env("CANDOR_PEERS_SSHD", peers::sshd()?)
            .env("CANDOR_PEERS_POSTGRES", peers::postgres()?)
            .env("CANDOR_PEERS_MARIADB", peers::mariadb()?)
            .env("CANDOR_PEERS_CHROMIUM", peers::chromium()?)
            .args(["test", "--no-fail-fast"])
            .args(*what)
            .args(args);
        let status = counted_run(&mut cargo, &mut counted)?;
        failed = failed.or_else(|| (!status.success()).then_some(status));
    }
    let Counted { passed, failed: red, ignored } = counted;
    let closing = format!("{passed} passed, {red} failed, {ignored} skipped\n");
    std::io::stdout().lock().write_all(closing.as_bytes()).map_err(|e| e.to_string())?;
    // In small size they are a stage of their own (.ci/run).
    if let (Size::Full, true) = (size, runs == RUNS.len()) {
        adapters::run(&["--full".to_owned()])?;
    }
    match (failed, passed) {
        (None, 0) => Err("no test ran".to_owned()),
        (None, _) => Ok(()),
        (Some(status), _) => Err(format!("the tests failed: {status}")),
    }
}

/// Runs tests, shows what they print, and counts them.
fn counted_run(cargo: &mut Command, counted: &mut Counted) -> Result<ExitStatus, String> {
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(|e| format!("cargo could not be started: {e}"))?;
    if let Some(stdout) = child.stdout.take() {
        let mut out = std::io::stdout().lock();
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.map_err(|e| format!("cargo's output could not be read: {e}"))?;
            let line = String::from_utf8_lossy(&line);
            counted.add(&line);
            writeln!(out, "{line}").map_err(|e| format!("the output could not be written: {e}"))?;
        }
    }
    child.wait().map_err(|e| format!("cargo could not be waited for: {e}"))
}
