//! The commands of this project's maintainers: `cargo xtask` without arguments lists them.

mod adapters;
mod bless;
mod commits;
mod dist;
mod doc;
mod examples;
mod features;
mod fuzz;
mod history;
mod package;
mod peers;
mod programs;
mod release;
mod screenshot;
mod source;
mod test;
mod tools;
mod weights;
mod wheel;
mod words;

use std::ffi::OsStr;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask test [ARG…]         install what the tests need and run all of them (ARGs go to cargo test)
cargo xtask soak [ARG…]         run the same tests in full size, as before a release
cargo xtask bless               rewrite every file of expectations: tests/cli, tests/messages; shrink weights.txt, words.txt
cargo xtask bless weights       write the lines of code of every crate into weights.txt, those that grew too
cargo xtask bless words         take sentences that are gone out of words.txt
cargo xtask commits             find commits that change many expectations, or add weight, without a reason
cargo xtask words               count the words of docs; find new sentences, and titles of commits, that break a rule of plain English
cargo xtask doc [ARG…]          document all libraries, from what their examples are built of
cargo xtask features [NAME…]    lint the build with each feature alone and with none; or with those (--sample: a few builds for all)
cargo xtask fuzz [SECONDS]      run every fuzz target that long (default 600), one after the other
cargo xtask bench [NAME]        run the benchmarks, or one of them
cargo xtask screenshot          make the picture at the top of the README, docs/result.png
cargo xtask package             package the published crates, and build the facade from these packages
cargo xtask adapters [NAME…]    test the adapters of the Python package with the real frameworks (--newest, --full)
cargo xtask wheel [PROFILE]     build the Python package and test it with every CPython at hand (--zig: for glibc 2.17)
cargo xtask dist [PROFILE]      build the command line as an archive for glibc 2.17, with its SHA-256
cargo xtask release LEVEL --dry-run
                                raise the version in a copy, package all crates in order, build the wheel and the archive
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(cargo) = std::env::var_os(wheel::AS_CARGO) {
        return match wheel::as_cargo(&cargo, &args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let as_rustdoc = [
        (doc::AS_RUSTDOC, doc::as_rustdoc as fn(&OsStr, &[String]) -> Result<(), String>),
        (examples::AS_RUSTDOC, examples::as_rustdoc),
    ];
    for (name, rustdoc) in as_rustdoc {
        if let Some(place) = std::env::var_os(name) {
            return ended(rustdoc(&place, &args));
        }
    }
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", &[][..]),
    };
    let done = match command {
        "test" => test::run(test::Size::Small, rest),
        test::ONE_PROGRAM => test::one_program(rest),
        "soak" => test::run(test::Size::Full, rest),
        "adapters" => adapters::run(rest),
        "bless" => bless::run(rest),
        "commits" => commits::run(),
        "dist" => dist::run(rest),
        "doc" => doc::run(rest),
        "features" => features::run(rest),
        "fuzz" => fuzz::run(rest),
        "bench" => bench(rest),
        "package" => package::run(rest),
        "release" => release::run(rest),
        "screenshot" => screenshot::run(),
        "wheel" => wheel::run(rest),
        "words" => words::run(rest),
        _ => {
            say(USAGE);
            return ExitCode::from(2);
        }
    };
    ended(done)
}

fn ended(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("{message}\n"));
            ExitCode::FAILURE
        }
    }
}

fn bench(args: &[String]) -> Result<(), String> {
    let mut cargo = cargo();
    cargo.args(["bench", "--package", "candor-benches"]).env("CANDOR_PEERS_PYTHON", peers::python()?);
    cargo.env("CANDOR_PEERS_NODE", peers::node()?);
    cargo.env("CANDOR_PEERS_SSHD", peers::sshd()?);
    cargo.env("CANDOR_PEERS_POSTGRES", peers::postgres()?);
    if let Some(name) = args.first() {
        cargo.args(["--bench", name]);
    }
    status(&mut cargo, "the benchmarks")
}

/// cargo, as if it were called by a shell. What the cargo around this program says of the package that it runs would make
/// build scripts run again, and everything that depends on them.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}

fn status(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what} failed: {status}")),
        Err(error) => Err(format!("{what} could not be started: {error}")),
    }
}

/// Writes to standard error, where a maintainer reads it.
fn say(text: &str) {
    use std::io::Write as _;
    // If standard error is closed, there is no other place for the message.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
