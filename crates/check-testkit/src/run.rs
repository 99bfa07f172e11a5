//! Running vectors.

use std::path::Path;

use candor_check::{CheckType, Evidence, PartType, Sandbox};

use crate::expectation::differences;
use crate::memory::InMemory;
use crate::messages::Messages;
use crate::once::run;
use crate::server::Server;
use crate::vector::{Vector, read_vectors};

/// Runs every vector of a folder and fails with all that came out differently, sentences included (`tests/messages/`).
///
/// # Panics
/// When a vector's outcome or sentence is not the expected one, or another one in memory than in a folder, when fewer than
/// `at_least` ran, or when not all of the three outcomes occur.
pub fn run_vectors(check: CheckType, parts: &[PartType], folder: impl AsRef<Path>, at_least: usize) {
    let vectors = read_vectors(folder.as_ref());
    let mut wrong = Vec::new();
    let mut messages = Messages::of(&folder.as_ref().file_name().unwrap().to_string_lossy());
    let mut in_memory = InMemory::of(check, parts, folder.as_ref());
    for (file, vector) in &vectors {
        let (root, server, evidence) = looked(check, parts, vector);
        let mut changing = vec![(root.path().display().to_string(), "[SANDBOX]")];
        changing.extend(server.as_ref().map(|server| (server.url(), "[SERVER]")));
        messages.add(file, &vector.id, &evidence, &changing);
        in_memory.compare(vector, &evidence, root.path(), server.as_ref());
        let found = differences(&vector.expected, &evidence, check.meta().evidence_key);
        if !found.is_empty() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let shown = candor_json::to_string_pretty(&evidence.to_value(check.meta().evidence_key)).unwrap();
            wrong.push(format!(
                "{} ({name}): {}\n  - {}\n  details: {}\n  evidence: {shown}",
                vector.id,
                vector.comment,
                found.join("\n  - "),
                evidence.details(),
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} vectors failed:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
    let reworded = messages.differences();
    assert!(reworded.is_empty(), "{}", reworded.join("\n"));
    in_memory.finish(vectors.len());
    assert!(vectors.len() >= at_least, "{} vectors ran, expected at least {at_least}", vectors.len());
    for status in ["passed", "failed", "unverifiable"] {
        assert!(vectors.iter().any(|(_, v)| v.expected.status == status), "no vector ends {status}");
    }
    println!("{} vectors", vectors.len());
}

/// How often a vector is run whose files grow meanwhile.
const TRIES: usize = 20;

/// Runs a vector in a folder. On a busy machine a growing file may grow before the check first reads it: then the
/// vector is run again, [`TRIES`] times at most.
fn looked(check: CheckType, parts: &[PartType], vector: &Vector) -> (tempfile::TempDir, Option<Server>, Evidence) {
    let mut tries = 0;
    loop {
        let root = tempfile::tempdir().unwrap();
        let server = vector.serve();
        vector.write_served(root.path(), server.as_ref());
        let growing = vector.grow(root.path());
        let evidence = match Sandbox::open(root.path(), parts) {
            Ok(sandbox) => run(check, vector.assertion.clone(), &sandbox),
            Err(error) => panic!("{}: {error}", vector.id),
        };
        let most = if growing.is_empty() { 1 } else { TRIES };
        for thread in growing {
            thread.join().unwrap();
        }
        tries += 1;
        if tries == most || differences(&vector.expected, &evidence, check.meta().evidence_key).is_empty() {
            return (root, server, evidence);
        }
    }
}
