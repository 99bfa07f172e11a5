//! The list of checks against the folders, and the published schemas against what is accepted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use candor_check::sandbox::Limits;
use candor_check::{CheckType, Sandbox};
use candor_check_testkit::read_vectors;
use candor_checks::{ALL, PARTS, SANDBOX_SCHEMA};
use candor_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The value as the validator of schemas takes it.
fn plain(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

fn names() -> BTreeSet<String> {
    ALL.iter().map(|check| check.meta().assert.to_owned()).collect()
}

#[test]
fn every_check_crate_is_listed() {
    let is_check = |path: &Path| {
        let library = fs::read_to_string(path.join("src/lib.rs")).unwrap_or_default();
        library.contains("pub const CHECK: CheckType")
    };
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    // The contract's own example is in a file of its own, not in a library's root.
    let found: BTreeSet<String> = crates
        .filter(|path| is_check(path))
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let of_workspaces: BTreeSet<String> =
        candor_workspace_checks::ALL.iter().map(|check| check.meta().assert.to_owned()).collect();
    assert_eq!(of_workspaces.len(), 10);
    assert_eq!(found.union(&of_workspaces).cloned().collect::<BTreeSet<_>>(), names());
    assert_eq!(ALL.len(), names().len());
}

/// The page of a check: its own, or the one that all checks of a part share; of a check of all parts that of tasks.
fn page(check: &CheckType) -> String {
    let meta = check.meta();
    let at = |name: &str| root().join(format!("docs/checks/{name}.md"));
    let own = at(meta.assert);
    let pages = [own, at(meta.part), root().join("docs/tasks.md")];
    fs::read_to_string(pages.iter().find(|page| page.is_file()).unwrap()).unwrap()
}

#[test]
fn every_check_has_vectors_a_page_and_a_schema() {
    for check in ALL {
        let name = check.meta().assert;
        // One of many kinds that share how they look at things needs fewer.
        let least = if root().join("crates").join(name).is_dir() { 40 } else { 10 };
        assert!(read_vectors(&root().join("conformance").join(name)).len() >= least, "{name} has too few vectors");
        let page = page(check);
        assert!(page.contains(name));
        let schema = check.schema();
        for member in schema["properties"].as_object().unwrap().keys().filter(|member| *member != "assert") {
            assert!(page.contains(&format!("`{member}`")), "the page of {name} does not name `{member}`");
        }
    }
}

#[test]
fn vectors_are_as_their_schema_says() {
    let text = fs::read_to_string(root().join("conformance/vector.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    for name in names() {
        for entry in fs::read_dir(root().join("conformance").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            if let Err(error) = validator.validate(&value) {
                panic!("{}: {} at {}", path.display(), error, error.instance_path());
            }
        }
    }
}

#[test]
fn what_a_check_accepts_its_schema_accepts() {
    for check in ALL {
        let name = check.meta().assert;
        let validator = jsonschema::validator_for(&plain(&check.schema())).unwrap();
        let mut refused_by_both = 0;
        for (_, vector) in read_vectors(&root().join("conformance").join(name)) {
            let assertion = plain(&vector.assertion);
            let valid = validator.validate(&assertion);
            match (check.bind(vector.assertion.clone()), valid) {
                (Ok(_), Err(error)) => {
                    panic!("{}: the schema refuses it: {error} at {}", vector.id, error.instance_path())
                }
                (Err(_), Err(_)) => refused_by_both += 1,
                _ => {}
            }
        }
        assert!(refused_by_both > 0, "the schema of {name} refuses nothing");
    }
}

fn sandbox_schema() -> Value {
    candor_json::from_str(SANDBOX_SCHEMA).unwrap()
}

#[test]
fn the_schema_of_a_sandbox_has_every_setting() {
    let schema = sandbox_schema();
    let members = |place: &str| -> BTreeSet<String> {
        schema.pointer(place).and_then(Value::as_object).unwrap().keys().cloned().collect()
    };
    let known = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<BTreeSet<_>>();
    for part in PARTS {
        assert_eq!(members(&format!("/properties/{}/properties", part.name())), known(part.keys()), "{}", part.name());
    }
    assert_eq!(members("/properties/limits/properties"), known(Limits::KEYS));
    let mut tables = known(&["environment", "baseline", "limits"]);
    tables.extend(PARTS.iter().map(|part| part.name().to_owned()));
    assert_eq!(members("/properties"), tables);
}

/// The places in a schema whose members have no text for a reader.
fn undescribed(schema: &Value, root: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let shared = member["$ref"].as_str().map(|reference| root.pointer(&reference[1..]).unwrap());
        if !member["description"].is_string() && !shared.is_some_and(|shared| shared["description"].is_string()) {
            found.push(format!("{place}/{name}"));
        }
        found.extend(undescribed(member, root, &format!("{place}/{name}")));
    }
    for way in schema["oneOf"].as_array().into_iter().flatten() {
        found.extend(undescribed(way, root, place));
    }
    found
}

#[test]
fn every_setting_of_a_sandbox_is_described() {
    let schema = sandbox_schema();
    assert_eq!(undescribed(&schema, &schema, ""), Vec::<String>::new());
    let mut silent = schema.clone();
    silent["properties"]["portal"]["properties"]["paging"]["oneOf"][1]["properties"]["size"] = candor_json::json!({});
    assert_eq!(undescribed(&silent, &silent, ""), ["/portal/paging/size"]);
}

/// The sandboxes of the docs, as texts of `sandbox.toml`.
fn documented() -> Vec<String> {
    let checks = fs::read_dir(root().join("docs/checks")).unwrap().map(|entry| entry.unwrap().path());
    let pages = checks.chain([root().join("docs/sandboxes.md")]);
    let blocks = |path: PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let blocks = text.split("```toml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned());
        blocks.collect::<Vec<_>>()
    };
    pages.flat_map(blocks).collect()
}

#[test]
fn the_schema_of_a_sandbox_accepts_what_is_one_and_refuses_what_is_none() {
    let validator = jsonschema::validator_for(&plain(&sandbox_schema())).unwrap();
    let value = |text: &str| toml::from_str::<serde_json::Value>(text).unwrap();
    let documented = documented();
    assert!(documented.len() >= 10, "{}", documented.len());
    for text in documented {
        let described = value(&text);
        let errors: Vec<String> = validator.iter_errors(&described).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{text}\n{errors:?}");
    }
    let refused_by_both = [
        "environment = \"prod\"",
        "baseline = 1",
        "[fhri]",
        "fhir = \"fhir/\"",
        "[limits]\ntimeout = 30",
        "[limits]\nmax_bytes = \"256 megabytes\"",
        "[limits]\nmax_file = 1",
        "[fhir]\nurl = \"https://fhir.example.org/r4\"\ntoken = \"abc\"",
        "[fhir]\nurl = \"https://fhir.example.org/r4\"\npath = \"fhir/\"",
        "[fhir]\nurl = \"https://fhir.example.org/r4\"\ngoogle = \"cloud\"",
        "[fhir]\nurl = \"https://fhir.example.org/r4\"\ntypes = []",
        "[hl7]\nurl = \"mllp://h\"",
        "[portal]\nurl = \"postgres://h/d\"\ntls = \"maybe\"",
        "[portal]\nkeys = {orders = []}",
        "[portal]\nurl = \"https://a.example/{resource}\"\npaging = \"pages\"",
        "[portal]\nurl = \"https://a.example/{resource}\"\npaging = {size = \"limit\"}",
        "[voice]\njudge = {url = \"https://judge.example.org/v1\"}",
        "[workspace]\nenv = \"A\"",
        "[workspace]\nmax_output = \"1\"",
    ];
    for text in refused_by_both {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sandbox.toml"), text).unwrap();
        assert!(Sandbox::open(folder.path(), PARTS).is_err(), "{text}");
        assert!(!validator.is_valid(&value(text)), "{text}");
    }
}
