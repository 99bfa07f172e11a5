//! `conformance/stored`: every later version reads the files that this version wrote. `CANDOR_STORE=1` writes those
//! that are missing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use candor_bundle::{Recorded, Terms, of_check};
use candor_check::Sandbox;
use candor_check_testkit::{FileSpec, Vector, read_vectors};
use candor_json::Value;
use candor_report::{Format, Style, task_run};
use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns};

use crate::common::{at, engine, replayed, run, task_of};

const FORMATS: [(&str, Format); 2] = [("json", Format::Json), ("ndjson", Format::Ndjson)];
/// How many bundles there are at least.
const AT_LEAST: usize = 40;

fn conformance() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

fn folder() -> PathBuf {
    conformance().join("stored")
}

/// The smallest vector of each status that needs nothing but files.
fn smallest(vectors: Vec<Vector>) -> BTreeMap<String, Vector> {
    let mut found: BTreeMap<String, ((bool, usize), Vector)> = BTreeMap::new();
    for vector in vectors {
        let size = |spec: &FileSpec| match spec {
            FileSpec::Content(bytes, _) => Some(bytes.len()),
            FileSpec::Folder => Some(0),
            _ => None,
        };
        let Some(size) = vector.files.values().map(size).sum::<Option<usize>>() else { continue };
        let without_ground = matches!(vector.expected.reason.as_deref(), Some("invalid_assertion" | "no_source"));
        if without_ground || !vector.serves.is_empty() {
            continue;
        }
        // Empty sandboxes last.
        let rank = (size == 0, size);
        match found.get(&vector.expected.status) {
            Some((better, _)) if *better <= rank => {}
            _ => drop(found.insert(vector.expected.status.clone(), (rank, vector))),
        }
    }
    found.into_iter().map(|(status, (_, vector))| (status, vector)).collect()
}

fn store() {
    for check in candor_checks::ALL {
        let name = check.meta().assert;
        let vectors = read_vectors(&conformance().join(name)).into_iter().map(|(_, vector)| vector);
        for (status, vector) in smallest(vectors.collect()) {
            let file = |extension: &str| folder().join(name).join(format!("{status}.{extension}"));
            if file("candor").exists() {
                continue;
            }
            let root = tempfile::tempdir().unwrap();
            vector.write_sandbox(root.path());
            let sandbox = Sandbox::open(root.path(), candor_checks::PARTS).unwrap();
            let (engine, task) = (engine(), task_of(std::slice::from_ref(&vector.assertion)));
            let run = run(&engine, &task, &sandbox);
            let terms = Terms { at: at(), agent_id: None, key: None, masked: false };
            let bundle = of_check(&engine, Recorded { task: &task, run: &run, sandbox: &sandbox }, &terms).unwrap();
            let shown = candor_json::to_string(&run).unwrap();
            assert!(!shown.contains(&*root.path().to_string_lossy()), "{name}/{status} names a folder of this machine");
            fs::create_dir_all(folder().join(name)).unwrap();
            fs::write(file("candor"), bundle).unwrap();
            for (extension, format) in FORMATS {
                fs::write(file(extension), task_run(&run, format, Style { color: false, width: 100 })).unwrap();
            }
        }
    }
}

#[test]
fn what_was_stored_is_read_and_comes_out_the_same() {
    if std::env::var_os("CANDOR_STORE").is_some() {
        store();
    }
    let (mut bundles, mut checks) = (0, 0);
    for check in candor_checks::ALL {
        let Ok(files) = fs::read_dir(folder().join(check.meta().assert)) else {
            panic!("conformance/stored has nothing of {}", check.meta().assert)
        };
        checks += 1;
        for bundle in
            files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "candor"))
        {
            bundles += 1;
            let stored: Value = candor_json::from_slice(&fs::read(bundle.with_extension("json")).unwrap()).unwrap();
            let replay = replayed(fs::read(&bundle).unwrap());
            assert!(replay.same, "{}: {replay:#?}", bundle.display());
            assert_eq!(replay.task_run, stored, "{}", bundle.display());
            let status = bundle.file_stem().unwrap().to_string_lossy().into_owned();
            assert_eq!(stored["criterion_runs"][0]["status"], status.as_str());
            let mut runs = StoredRuns::new(Limits::default());
            let lines = fs::read(bundle.with_extension("ndjson")).unwrap();
            runs.read("stored", lines.as_slice(), |_| {}).unwrap();
            let StoredOutcome::Task(scored) = runs.finish(|_| {}).outcome else { panic!("{}", bundle.display()) };
            let scored = candor_json::to_value(&scored.result).unwrap();
            for member in ["verdict", "score", "interval", "coverage", "conclusive", "axes"] {
                assert_eq!(scored[member], stored[member], "{}", bundle.display());
            }
        }
    }
    assert!(bundles >= AT_LEAST && checks == candor_checks::ALL.len(), "{bundles} bundles of {checks} checks");
}
