//! `candor explain --format json`, and both formats over every real file. tests/cli/explain.trycmd has trees and turns.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use candor_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn explain(file: &Path, format: &str) -> Output {
    Command::new(candor_tests::candor()).args(["explain", "--format", format]).arg(file).output().unwrap()
}

#[test]
fn json_has_the_loop_and_the_meaning_of_every_segment() {
    let file = root().join("fixtures/x12-lfh/271_005010X279A1/subscriber-health-benefit-check-error.271");
    let output = explain(&file, "json");
    let sets: Value = candor_json::from_slice(&output.stdout).unwrap();
    let segments = sets[0]["segments"].as_array().unwrap();
    let aaa = segments.iter().find(|segment| segment["id"] == "AAA").unwrap();
    assert!(aaa["loop"].as_str().unwrap().starts_with("2000A"), "{aaa}");
    assert!(aaa["means"]["AAA03"].is_string(), "{aaa}");
    assert_eq!(sets[0]["guide"], "005010X279A1");
}

/// Every real file is explained, or the explanation names the part that cannot be read; both formats have the same
/// segments.
#[test]
fn every_file_is_explained() {
    let mut open = vec![root().join("fixtures")];
    let mut explained = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = if entry.is_dir() { Vec::new() } else { std::fs::read(&entry).unwrap() };
            if entry.is_dir() {
                open.push(entry);
            } else if bytes.starts_with(b"ISA") {
                let (text, json) = (explain(&entry, "text"), explain(&entry, "json"));
                assert!(matches!(text.status.code(), Some(0 | 1)), "{}", entry.display());
                assert_eq!(text.status.code(), json.status.code(), "{}", entry.display());
                let text = String::from_utf8(text.stdout).unwrap();
                let sets: Value = candor_json::from_slice(&json.stdout).unwrap();
                for set in sets.as_array().unwrap() {
                    for segment in set["segments"].as_array().into_iter().flatten().skip(1) {
                        let shown = segment["text"].as_str().unwrap();
                        assert!(text.contains(shown), "{}: {shown}", entry.display());
                    }
                }
                explained += 1;
            }
        }
    }
    assert!(explained > 80, "{explained}");
}

#[test]
fn the_turns_of_a_call_beside_their_normalized_form() {
    let file = root().join("fixtures/transcript-deepgram-captions/test/dg_utterances.json");
    let mut command = Command::new(candor_tests::candor());
    let output = command.args(["explain", "--voice", "--format", "json"]).arg(&file).output().unwrap();
    let turns: Value = candor_json::from_slice(&output.stdout).unwrap();
    assert!(turns[0]["text"].as_str().unwrap().starts_with("Yeah. As as much as"), "{turns}");
    assert!(turns[0]["normalized"].as_str().unwrap().starts_with("yeah as as much as it is"), "{turns}");
    assert_eq!((&turns[0]["turn"], &turns[0]["start"]), (&0.into(), &80.into()));
}
