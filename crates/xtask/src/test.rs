//! `cargo xtask test` and `cargo xtask soak`: all tests of the workspace in one of two sizes, and one closing line.
//!
//! The peers of the tests are installed while the tests are built. This program starts every program of the tests
//! ([`one_program`]), so that no test inherits the environment of the build around it, and several at a time
//! ([`Programs`]), the longest ones first.

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::programs::{FOLDER, NOT_FOR_TESTS, Programs, Ran, lanes, leave};
use crate::{adapters, cargo, examples, features, peers, say, status};

/// The figures of one of cargo's lines `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
#[derive(Default)]
pub(crate) struct Counted {
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

    /// The value of `PROPTEST_CASES`, which `proptest` prefers to the number that a test sets. In small size a test
    /// takes its own number of inputs, or 256.
    fn cases(self) -> Option<&'static str> {
        match self {
            Self::Small => None,
            Self::Full => Some("2560"),
        }
    }
}

/// The value of `PROPTEST_MAX_GLOBAL_REJECTS`: how many inputs a test may refuse, four for each of the 4,000 that it takes at
/// most.
const REJECTS: &str = "16000";

/// All of the workspace, with everything that a release has.
pub(crate) const WHOLE: [&str; 3] = ["--workspace", "--features", "candor-cli/full"];

/// `cargo test` runs these by itself, besides the examples of documentation. `--lib` would also build libraries without
/// tests.
const ALL_BUT_EXAMPLES: &str = "--tests";

/// The command line without most of its parts: some checks are there without their sources, others are left out.
const LEFT_OUT: [&str; 5] =
    ["--package", "candor-cli", "--no-default-features", "--features", "fhir,portal,files,voice,workspace"];

/// Programs of others, which build the published crates from their packages.
const STRANGERS: [&str; 4] = ["--package", "candor-tests", "--test", "strangers"];

pub(crate) fn run(size: Size, args: &[String]) -> Result<(), String> {
    // Other arguments name tests, which may need nothing of what all tests need.
    let whole = args.iter().all(|arg| arg == "--locked");
    let mut counted = Counted::default();
    let mut green = true;
    if let (Size::Full, true) = (size, whole) {
        // Before the others are built, because its program has the same name as the whole one.
        green &= counted_run(tests(size)?.args(LEFT_OUT).args(args), None, &mut counted)?;
    }
    let (installed, programs) = std::thread::scope(|scope| {
        let installed = scope.spawn(installed);
        let programs = if whole { built(args) } else { Ok(Vec::new()) };
        (installed.join().unwrap_or_else(|_| Err("installing what the tests need broke off".to_owned())), programs)
    });
    let mut all = tests(size)?;
    all.args(WHOLE).args(args).envs(installed?).envs(programs?);
    let examples = match (size, whole) {
        (Size::Small, true) => {
            let mut tests = cargo();
            tests.args(["test", "--quiet", "--doc"]).args(WHOLE).args(args);
            Some(examples::command(tests)?)
        }
        _ => None,
    };
    if examples.is_some() {
        all.arg(ALL_BUT_EXAMPLES);
    }
    green &= counted_run(&mut all, examples.as_deref(), &mut counted)?;
    if let (Size::Full, true) = (size, whole) {
        green &= counted_run(tests(size)?.args(STRANGERS).args(args), None, &mut counted)?;
    }
    let Counted { passed, failed, ignored } = counted;
    let closing = format!("{passed} passed, {failed} failed, {ignored} skipped\n");
    std::io::stdout().lock().write_all(closing.as_bytes()).map_err(|e| e.to_string())?;
    // In small size they are stages of their own (.ci/run).
    if let (Size::Full, true) = (size, whole) {
        features::run(&[])?;
        adapters::run(&["--full".to_owned()])?;
        let mut doc = cargo();
        doc.env("RUSTDOCFLAGS", "-D warnings").args(["doc", "--no-deps", "--locked"]).args(WHOLE);
        status(&mut doc, "cargo doc")?;
    }
    match (green, passed) {
        (true, 0) => Err("no test ran".to_owned()),
        (true, _) => Ok(()),
        (false, _) => Err("the tests failed".to_owned()),
    }
}

/// A run of tests whose programs are started by [`one_program`].
fn tests(size: Size) -> Result<Command, String> {
    let own = std::env::current_exe().map_err(|error| format!("the place of this program is not known: {error}"))?;
    let mut tests = cargo();
    tests
        .env("CANDOR_TEST_SIZE", size.name())
        .env("PROPTEST_MAX_GLOBAL_REJECTS", REJECTS)
        .envs(size.cases().map(|cases| ("PROPTEST_CASES", cases)))
        .args(["test", "--no-fail-fast", "--config"])
        .arg(format!("target.'cfg(all())'.runner=[{:?}, {ONE_PROGRAM:?}]", own.display().to_string()));
    Ok(tests)
}

fn installed() -> Result<Vec<(&'static str, PathBuf)>, String> {
    Ok(vec![
        ("CANDOR_PEERS_PYTHON", peers::python()?),
        ("CANDOR_PEERS_PACKAGE", peers::package()?),
        ("CANDOR_PEERS_NODE", peers::node()?),
        ("CANDOR_PEERS_SSHD", peers::sshd()?),
        ("CANDOR_PEERS_POSTGRES", peers::postgres()?),
        ("CANDOR_PEERS_MARIADB", peers::mariadb()?),
        ("CANDOR_PEERS_CHROMIUM", peers::chromium()?),
    ])
}

/// Builds all tests and the programs that they start, once: a cargo that a test calls waits for the others. Returns the
/// variables that name these programs.
fn built(args: &[String]) -> Result<Vec<(&'static str, PathBuf)>, String> {
    let began = Instant::now();
    status(cargo().args(["test", "--no-run"]).args(WHOLE).args(args), "building the tests")?;
    // With a test, so that cargo chooses the features of dependencies as it does for all tests.
    status(cargo().args(["build", "--lib", "--test", "it"]).args(WHOLE).args(args), "building the libraries")?;
    say(&format!("{:8.1} s  all tests, built\n", began.elapsed().as_secs_f64()));
    let debug = peers::target().join("debug");
    let debug = std::path::absolute(&debug).map_err(|error| format!("{}: {error}", debug.display()))?;
    Ok(vec![("CANDOR_BUILT", debug.join("candor")), ("CANDOR_BUILT_MODULE", debug.join("lib_native.so"))])
}

/// The command by which cargo starts each program of the tests: `cargo xtask one-program PROGRAM ARG…`.
pub(crate) const ONE_PROGRAM: &str = "one-program";

/// Leaves a program of the tests to [`Programs`]. An example of the documentation is run at once, because its program is
/// gone afterwards.
pub(crate) fn one_program(args: &[String]) -> Result<(), String> {
    let (program, rest) = args.split_first().ok_or("no program of tests is named")?;
    let is_kept = Path::new(program).parent().is_some_and(|folder| folder.ends_with("deps"));
    match std::env::var_os(FOLDER) {
        Some(folder) if is_kept => {
            leave(Path::new(&folder), args).map_err(|e| format!("{program} could not be left: {e}"))
        }
        _ => {
            let mut command = Command::new(program);
            for name in NOT_FOR_TESTS {
                command.env_remove(name);
            }
            status(command.args(rest), program)
        }
    }
}

/// Runs the tests of a build, and perhaps another program at the same time, and says whether all of them passed.
pub(crate) fn counted_run(
    cargo: &mut Command,
    other: Option<&[String]>,
    counted: &mut Counted,
) -> Result<bool, String> {
    let programs =
        Programs::new(&peers::target()).map_err(|e| format!("a folder for the tests could not be made: {e}"))?;
    if let Some(other) = other {
        leave(&programs.left(), other).map_err(|e| format!("a program could not be left: {e}"))?;
    }
    let counted = Mutex::new((counted, true));
    let done = |ran: Ran| {
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        ran.output.lines().for_each(|line| counted.0.add(line));
        counted.1 &= ran.failed.is_none();
        let ending = ran.failed.map_or_else(String::new, |failed| format!("{failed}\n"));
        let text = format!("{}{ending}{:8.1} s  {}\n", ran.output, ran.seconds, ran.name);
        // Where standard output is gone, the closing line says so.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    };
    let is_green = std::thread::scope(|scope| {
        let running: Vec<_> = (0..lanes()).map(|_| scope.spawn(|| programs.run(done))).collect();
        let ended = cargo_run(cargo.env(FOLDER, programs.left()), &|line| {
            counted.lock().unwrap_or_else(PoisonError::into_inner).0.add(line);
        });
        programs.all_left.store(true, Ordering::SeqCst);
        for run in running {
            run.join().unwrap_or_else(|_| Err("running the tests broke off".to_owned()))?;
        }
        ended
    })?;
    let (_, all_passed) = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(is_green && all_passed)
}

/// Runs cargo, passes its output on line by line, and says whether it succeeded.
fn cargo_run(cargo: &mut Command, seen: &dyn Fn(&str)) -> Result<bool, String> {
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(|e| format!("cargo could not be started: {e}"))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.map_err(|e| format!("cargo's output could not be read: {e}"))?;
            let line = String::from_utf8_lossy(&line);
            seen(&line);
            let mut out = std::io::stdout().lock();
            writeln!(out, "{line}").map_err(|e| format!("the output could not be written: {e}"))?;
        }
    }
    let ended = child.wait().map_err(|e| format!("cargo could not be waited for: {e}"))?;
    Ok(ended.success())
}
