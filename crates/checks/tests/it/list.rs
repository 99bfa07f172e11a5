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

use candor_check::CheckType;
use candor_check_testkit::read_vectors;
use candor_checks::ALL;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
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
        let validator = jsonschema::validator_for(&check.schema()).unwrap();
        let mut refused_by_both = 0;
        for (_, vector) in read_vectors(&root().join("conformance").join(name)) {
            let valid = validator.validate(&vector.assertion);
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
