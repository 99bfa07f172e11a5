//! Programs of strangers, built offline from the packages of the published crates and nothing else of this workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), &target).unwrap()),
        }
    }
}

/// The programs' folder outside the workspace's sources, with the packages made and the third-party versions pinned.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let packaging = candor_tests::cargo()
            .args(["run", "--quiet", "--offline", "--package", "candor-xtask", "--", "package"])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(packaging.status.success(), "{}", String::from_utf8_lossy(&packaging.stderr));
        let folder = root().join("target/strangers");
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        copy(&root().join("tests/strangers"), &folder);
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        folder
    })
}

fn cargo(arguments: &[&str]) -> Output {
    let root = root();
    candor_tests::cargo()
        .args(arguments)
        .arg("--offline")
        .arg("--config")
        .arg(root.join("target/package/unpacked/cargo.toml"))
        .arg("--target-dir")
        .arg(root.join("target"))
        .current_dir(programs())
        .output()
        .unwrap()
}

/// The tests that ran, each with whether it passed.
fn tests_of(output: &Output) -> BTreeMap<String, bool> {
    let text = String::from_utf8_lossy(&output.stdout);
    let ran: BTreeMap<String, bool> = text
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "))
        .map(|(name, result)| (name.to_owned(), result == "ok"))
        .collect();
    assert!(ran.len() >= 6, "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    ran
}

#[test]
fn the_json_of_a_host_is_as_without_candor() {
    let without = tests_of(&cargo(&["test", "--package", "host-json", "--no-default-features", "--no-fail-fast"]));
    assert!(without.values().all(|passed| *passed), "these tests are wrong without Candor, too: {without:?}");

    let with = tests_of(&cargo(&["test", "--package", "host-json", "--no-fail-fast"]));
    let failed: Vec<&str> = with.iter().filter(|(_, passed)| !**passed).map(|(name, _)| name.as_str()).collect();
    assert!(failed.is_empty(), "depending on Candor changes the host's JSON: {failed:?}");
    // With Candor a test more runs: values of the host are given to it.
    assert_eq!((without.len(), with.len()), (6, 7));
}

#[test]
fn a_seventh_check_needs_the_facade_alone() {
    let manifest = fs::read_to_string(programs().join("seventh-check/Cargo.toml")).unwrap();
    assert_eq!(manifest.matches("candor").count(), 1, "it depends on `candor` alone");
    let output = cargo(&["test", "--package", "seventh-check"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("test result: ok. 4 passed"), "{text}");
}
