//! Code that benches share: real messages, generated files, and the release binary.

pub mod cases;

use std::path::{Path, PathBuf};
use std::process::Command;

use candor_hl7v2::messages;

/// Every HL7 v2 message of `fixtures/`, with CR behind every segment and no line feed in it.
///
/// # Panics
/// When the fixtures cannot be read.
#[must_use]
pub fn hl7v2_corpus() -> Vec<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut files: Vec<_> = std::fs::read_dir(fixtures)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hl7v2-")))
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut corpus = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).expect("a file");
        for message in messages(&bytes).flatten() {
            let lines = message.segments().map(|segment| String::from_utf8_lossy(segment.piece().raw()).into_owned());
            corpus.push(lines.map(|line| line + "\r").collect());
        }
    }
    corpus
}

/// The `candor` binary, built for release.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn binary() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "--package",
            "candor-cli",
            "--features",
            "full",
            "--message-format",
            "json",
            "--quiet",
        ])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let executable = |line: &str| Some(line.split("\"executable\":\"").nth(1)?.split('"').next()?.to_owned());
    text.lines().find_map(executable).expect("cargo names the binary").into()
}
