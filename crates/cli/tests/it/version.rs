//! `candor --version --verbose`.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails it by panicking")]

use std::process::Command;

fn printed(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_candor")).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Features of this package, each with whether this build has it.
macro_rules! features {
    ($($name:tt)*) => { [$(($name, cfg!(feature = $name))),*] };
}

#[test]
fn both_flags_in_either_order_and_nothing_else() {
    let text = printed(&["--version", "--verbose"]);
    assert!(text.contains("\nleft out: "), "{text}");
    assert_eq!(text, printed(&["--verbose", "-V"]));
    for other in [&["--version"][..], &["--verbose"], &["check", "--version", "--verbose"], &[]] {
        assert!(!printed(other).contains("\nleft out: "), "{other:?}");
    }
}

#[test]
fn every_feature_of_the_manifest_is_named_once() {
    let manifest = include_str!("../../Cargo.toml");
    let features = manifest.split("[features]").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap();
    let declared = features.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    let mut declared: Vec<&str> =
        declared.map(|(name, _)| name).filter(|name| !["default", "full"].contains(name)).collect();
    declared.sort_unstable();
    let text = printed(&["--version", "--verbose"]);
    let line = |head: &str| -> Vec<&str> {
        let line = text.lines().find_map(|line| line.strip_prefix(head)).unwrap();
        line.split(", ").filter(|name| *name != "none").collect()
    };
    let (built, left_out) = (line("features: "), line("left out: "));
    let mut named = [built.clone(), left_out.clone()].concat();
    named.sort_unstable();
    assert_eq!(named, declared);
    for (name, is_in) in features![
        "fhir" "hl7" "portal" "files" "voice" "x12" "workspace" "http" "html" "sqlite"
        "sftp" "cloud" "databases" "pgp" "pdf" "state" "server" "telemetry" "script" "fhir-sdk"
    ] {
        assert_eq!((built.contains(&name), left_out.contains(&name)), (is_in, !is_in), "{name}: {text}");
    }
}
