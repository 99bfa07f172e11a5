//! Which crate may depend on which.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use candor_json::Value;

const CHECKS: [&str; 8] = [
    "candor-fhir-resource-state",
    "candor-hl7-structural",
    "candor-portal-state-match",
    "candor-sftp-file-present",
    "candor-state-unchanged",
    "candor-voice-transcript",
    "candor-workspace-checks",
    "candor-x12-response",
];

fn metadata() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .unwrap();
    let value: Value = candor_json::from_slice(&output.stdout).unwrap();
    value["packages"].as_array().unwrap().clone()
}

/// The crates of this workspace that each one is built from, tests and the JSON of all of them aside.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let ours = |dependency: &&Value| {
        let name = dependency["name"].as_str().unwrap();
        dependency["kind"].is_null() && name.starts_with("candor") && name != "candor-json"
    };
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    metadata()
        .iter()
        .map(|package| {
            (name(package), package["dependencies"].as_array().unwrap().iter().filter(ours).map(name).collect())
        })
        .collect()
}

#[test]
fn arrows_point_one_way() {
    let arrows = arrows();
    let allowed = |package: &str| -> Vec<&str> {
        match package {
            "candor-confine" | "candor-glob" | "candor-hl7v2" | "candor-http" | "candor-json" | "candor-x12"
            | "candor-scoring" | "candor-ucum" | "candor-xtask" | "candor-test-size" => vec![],
            "candor-process" => vec!["candor-confine"],
            "candor-check" => vec!["candor-ucum"],
            "candor-hl7v2-structure" | "candor-mllp" => vec!["candor-hl7v2"],
            "candor-fhirpath" | "candor-fhir-search" => vec!["candor-ucum"],
            "candor-x12-guides" => vec!["candor-x12"],
            "candor-validate" => vec![
                "candor-check",
                "candor-fhirpath",
                "candor-hl7-structural",
                "candor-hl7v2",
                "candor-hl7v2-structure",
                "candor-x12",
                "candor-x12-guides",
                "candor-x12-response",
            ],
            "candor-check-testkit" => vec!["candor-check", "candor-test-size"],
            "candor-http-source" => vec!["candor-check", "candor-http"],
            "candor-checks" => CHECKS.into_iter().chain(["candor-check"]).collect(),
            "candor-engine" => vec!["candor-check", "candor-scoring"],
            "candor-verification" => {
                vec![
                    "candor-check",
                    "candor-confine",
                    "candor-engine",
                    "candor-glob",
                    "candor-http",
                    "candor-process",
                    "candor-scoring",
                ]
            }
            "candor-telemetry" => vec!["candor-http", "candor-verification"],
            "candor-report" => vec![
                "candor-check",
                "candor-engine",
                "candor-hl7v2",
                "candor-hl7v2-structure",
                "candor-scoring",
                "candor-x12",
                "candor-x12-guides",
            ],
            "candor-bundle" => vec!["candor-check", "candor-engine", "candor-scoring"],
            "candor" => {
                vec![
                    "candor-audit",
                    "candor-bundle",
                    "candor-check",
                    "candor-checks",
                    "candor-engine",
                    "candor-fhir-resource-state",
                    "candor-hl7-structural",
                    "candor-http",
                    "candor-report",
                    "candor-scoring",
                    "candor-state",
                    "candor-validate",
                    "candor-verification",
                    "candor-voice-transcript",
                    "candor-x12-guides",
                    "candor-x12-response",
                ]
            }
            "candor-python" => vec!["candor"],
            "candor-server" => vec![
                "candor",
                "candor-audit",
                "candor-checks",
                "candor-engine",
                "candor-fhir-search",
                "candor-mllp",
                "candor-report",
                "candor-scoring",
                "candor-state",
            ],
            "candor-state" => vec!["candor-check"],
            "candor-audit" => vec!["candor-check", "candor-engine", "candor-scoring", "candor-state"],
            // The manifest gives the reason for each crate other than the facade: commands do what programs can do.
            "candor-cli" => vec![
                "candor",
                "candor-check",
                "candor-mllp",
                "candor-server",
                "candor-state",
                "candor-telemetry",
                "candor-x12-guides",
            ],
            check if CHECKS.contains(&check) => {
                vec![
                    "candor-check",
                    "candor-confine",
                    "candor-fhir-search",
                    "candor-fhirpath",
                    "candor-glob",
                    "candor-hl7v2",
                    "candor-hl7v2-structure",
                    "candor-http",
                    "candor-http-source",
                    "candor-process",
                    "candor-ucum",
                    "candor-x12",
                    "candor-x12-guides",
                ]
            }
            // Tests and benches may use everything.
            "candor-tests" | "candor-benches" => CHECKS
                .into_iter()
                .chain([
                    "candor",
                    "candor-audit",
                    "candor-bundle",
                    "candor-check",
                    "candor-checks",
                    "candor-confine",
                    "candor-engine",
                    "candor-fhir-search",
                    "candor-fhirpath",
                    "candor-hl7v2",
                    "candor-hl7v2-structure",
                    "candor-mllp",
                    "candor-process",
                    "candor-report",
                    "candor-scoring",
                    "candor-server",
                    "candor-state",
                    "candor-tests",
                    "candor-ucum",
                    "candor-validate",
                    "candor-verification",
                    "candor-x12",
                    "candor-x12-guides",
                ])
                .collect(),
            other => panic!("{other} has no arrows here"),
        }
    };
    for (package, dependencies) in &arrows {
        let allowed = allowed(package);
        let wrong: Vec<&String> = dependencies.iter().filter(|d| !allowed.contains(&d.as_str())).collect();
        assert!(wrong.is_empty(), "{package} may not depend on {wrong:?}");
    }
    assert!(arrows.len() >= 20);
}

#[test]
fn folders_packages_and_lints_go_together() {
    for package in metadata() {
        let manifest = package["manifest_path"].as_str().unwrap();
        let folder = std::path::Path::new(manifest).parent().unwrap();
        let name = package["name"].as_str().unwrap();
        let folder_name = folder.file_name().unwrap().to_string_lossy();
        let expected = if folder_name == "candor" { "candor".to_owned() } else { format!("candor-{folder_name}") };
        assert_eq!(name, expected);
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        if folder.parent().is_some_and(|parent| parent.ends_with("crates")) {
            let text = std::fs::read_to_string(manifest).unwrap();
            assert!(text.contains("[lints]\nworkspace = true"), "{name} does not take the workspace's lints");
        }
    }
}

/// The crates that a package is built from, itself among them, tests aside.
fn crates_of(package: &str, features: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none", "--no-dedupe"])
        .args(["--package", package, "--format", "{p}"])
        .args(features)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let name = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    String::from_utf8(output.stdout).unwrap().lines().filter(|line| !line.is_empty()).map(name).collect()
}

/// ARCHITECTURE.md says what a default build costs; these crates are what it must not begin to cost again.
#[test]
fn a_default_build_leaves_out_what_is_heavy() {
    let x12 = crates_of("candor-x12-response", &[]);
    // Three of them are jiff with its zones, for `zone`.
    assert!(x12.len() <= 50, "{} crates: {x12:?}", x12.len());
    let heavy = [
        "libssh2-sys",
        "openssl-sys",
        "libz-sys",
        "libsqlite3-sys",
        "mysql",
        "tokio-postgres",
        "object_store",
        "pgp",
        "lopdf",
        "starlark",
        "candor-telemetry",
        "candor-server",
    ];
    let of = |crates: &BTreeSet<String>| -> Vec<&str> {
        let has = |name: &&str| crates.iter().any(|krate| krate.split(' ').next() == Some(*name));
        heavy.into_iter().filter(has).collect()
    };
    assert_eq!(of(&crates_of("candor-cli", &[])), Vec::<&str>::new());
    // The same search finds them where they are.
    assert!(of(&crates_of("candor-cli", &["--features", "full"])).len() >= 8);
}
