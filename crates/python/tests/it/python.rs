//! The package in Python: built by cargo, installed as a wheel into the environment that `cargo xtask test` made, tested by
//! `crates/python/tests/*.py`.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use candor_json::Value;

/// Runs a command to its end, and gives what it printed.
fn ran(command: &mut Command) -> String {
    let output = command.output().expect("the program is installed");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}\n{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// The command line and the module, of one build with every feature: the one that `cargo xtask test` made, or one that is
/// made now.
fn built() -> (PathBuf, PathBuf) {
    if let (Some(command), Some(module)) = (std::env::var_os("CANDOR_BUILT"), std::env::var_os("CANDOR_BUILT_MODULE")) {
        return (command.into(), module.into());
    }
    let mut cargo = Command::new(env!("CARGO"));
    // What the cargo around this test says of its package would make build scripts run again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let messages = ran(cargo
        .args(["build", "--package", "candor-cli", "--package", "candor-confine", "--package", "candor-python"])
        .args(["--features", "candor-cli/full"])
        .args(["--message-format", "json", "--quiet"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));
    let (mut command, mut module) = (None, None);
    for message in messages.lines().filter_map(|line| candor_json::from_str::<Value>(line).ok()) {
        match (message["target"]["name"].as_str(), message["executable"].as_str(), message["filenames"][0].as_str()) {
            (Some("candor"), Some(executable), _) => command = Some(PathBuf::from(executable)),
            (Some("_native"), _, Some(file)) => module = Some(PathBuf::from(file)),
            _ => {}
        }
    }
    (command.expect("cargo names the command"), module.expect("cargo names the module"))
}

#[test]
fn the_package_in_python() {
    let python = std::env::var_os("CANDOR_PEERS_PACKAGE")
        .expect("`cargo xtask test` makes the environment of the package and names its Python in CANDOR_PEERS_PACKAGE");
    let (command, module) = built();
    let out = command.parent().unwrap().join("python");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // As a released module is: without the names of what is in it.
    let stripped = out.join("_native.so");
    std::fs::create_dir_all(&out).unwrap();
    ran(Command::new("strip").args(["--strip-debug", "-o"]).arg(&stripped).arg(&module));
    let confine = command.with_file_name("candor-confine");
    let wheel = ran(Command::new(&python).arg(here.join("tests/dev_wheel.py")).arg(&stripped).arg(&confine).arg(&out));
    ran(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"])
        .args(["--force-reinstall", wheel.trim()]));
    let tests = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations", "5"])
        .arg(here.join("tests"))
        .env("CANDOR", &command)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(here.join("tests"))
        .status()
        .expect("Python runs");
    assert!(tests.success(), "the tests in Python failed");
}
