//! The `candor` binary, for tests that run it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// Where it is: built once with every feature, by the same cargo with the same profile as the tests.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn candor() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--package", "candor-cli", "--features", "full", "--message-format", "json", "--quiet"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8(output.stdout).unwrap();
        let executable =
            |line: &str| Some(PathBuf::from(serde_json::from_str::<Value>(line).ok()?["executable"].as_str()?));
        messages.lines().find_map(executable).expect("cargo names the binary")
    })
}
