//! Which crates are published, and with what: `docs/embedding.md` and the manifests agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use candor_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn packages() -> BTreeMap<String, Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .output()
        .unwrap();
    let value: Value = candor_json::from_slice(&output.stdout).unwrap();
    let packages = value["packages"].as_array().unwrap().iter();
    packages.map(|package| (package["name"].as_str().unwrap().to_owned(), package.clone())).collect()
}

/// A package that may be published: its manifest restricts no registry.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

/// The crates in the first column of the table of `docs/embedding.md` with this heading.
fn listed(heading: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs/embedding.md")).unwrap();
    let table = text.split(&format!("| {heading} |")).nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    table.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned())).collect()
}

#[test]
fn the_page_lists_every_published_crate_and_no_other() {
    let (public, carried) = (listed("public crate"), listed("carried crate"));
    assert!(public.len() >= 14, "{public:?}");
    assert!(public.is_disjoint(&carried));
    let listed: BTreeSet<&String> = public.union(&carried).collect();
    let packages = packages();
    let published: BTreeSet<&String> =
        packages.iter().filter(|(_, package)| is_published(package)).map(|(name, _)| name).collect();
    assert_eq!(listed, published);
}

#[test]
fn what_a_published_crate_needs_is_published() {
    let packages = packages();
    for (name, package) in packages.iter().filter(|(_, package)| is_published(package)) {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        for dependency in dependencies.filter(|dependency| dependency["kind"] != "dev") {
            let needed = dependency["name"].as_str().unwrap();
            let Some(ours) = packages.get(needed) else { continue };
            assert!(is_published(ours), "{name} needs {needed}, which is not published");
            let version = ours["version"].as_str().unwrap();
            assert_eq!(dependency["req"], format!("^{version}"), "{name} gives no version of {needed}");
        }
    }
    // A crate that nothing public needs is not published.
    let needed: BTreeSet<String> = packages
        .values()
        .filter(|package| is_published(package))
        .flat_map(|package| package["dependencies"].as_array().unwrap().clone())
        .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
        .collect();
    for carried in listed("carried crate") {
        assert!(needed.contains(&carried), "nothing that is published needs {carried}");
    }
}

#[test]
fn every_published_crate_says_what_it_is() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let together = fs::read_to_string(root().join("tests/src/lib.rs")).unwrap();
    let compiler = Command::new(env!("CARGO")).arg("--version").output().unwrap();
    let compiler = String::from_utf8(compiler.stdout).unwrap();
    for (name, package) in packages().iter().filter(|(_, package)| is_published(package)) {
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
        let texts = |member: &str| package[member].as_array().unwrap().len();
        assert!(package["description"].as_str().unwrap().len() >= 20, "{name}");
        assert!((1..=5).contains(&texts("keywords")) && texts("categories") >= 1, "{name}");
        assert!(package["metadata"]["docs"]["rs"].is_object(), "{name} has no settings for docs.rs");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        // Addresses are added when there is a place to point at; none is invented.
        assert!(package["repository"].is_null() && package["homepage"].is_null(), "{name}");
        let minimum = package["rust_version"].as_str().unwrap();
        assert!(workspace.contains(&format!("rust-version = \"{minimum}\"")), "{name}");
        assert!(compiler.starts_with(&format!("cargo {minimum}.")), "{name} wants {minimum}, CI has {compiler}");
        let readme = fs::read_to_string(folder.join(package["readme"].as_str().unwrap())).unwrap();
        assert!(readme.starts_with(&format!("# {name}\n")), "{name}");
        assert!(readme.contains("```rust\n") && readme.contains("\n## Its place\n"), "{name}");
        let library = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let elsewhere = format!("crates/{}/README.md\")]", folder.file_name().unwrap().to_string_lossy());
        let is_run = library.contains("#[doc = include_str!(\"../README.md\")]") || together.contains(&elsewhere);
        assert!(is_run, "{name} does not run its README");
    }
}

#[test]
fn the_facade_depends_on_no_crate_whose_types_could_change() {
    let packages = packages();
    let dependencies = packages["candor"]["dependencies"].as_array().unwrap().iter();
    for dependency in dependencies.filter(|dependency| dependency["kind"].is_null()) {
        let name = dependency["name"].as_str().unwrap();
        let stable = dependency["req"].as_str().unwrap().starts_with("^1");
        assert!(stable || name.starts_with("candor-"), "{name} is at 0.x");
    }
}
