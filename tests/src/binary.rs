//! The `candor` binary, for tests that run it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use candor_json::Value;

/// cargo, as if it were called by a shell. What the cargo around a test says of the test's package would make build scripts
/// run again, and everything that depends on them.
#[must_use]
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}

/// Where it is: the one that `cargo xtask test` built and named in `CANDOR_BUILT`, or one that is built now, with every
/// feature, by the same cargo with the same profile as the tests. Naming a test as well makes cargo choose the features
/// of dependencies as it does for all tests, so that nothing is built a second time.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn candor() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(built) = std::env::var_os("CANDOR_BUILT") {
            return built.into();
        }
        let output = cargo()
            .args(["build", "--workspace", "--features", "candor-cli/full", "--bin", "candor", "--test", "it"])
            .args(["--message-format", "json", "--quiet"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8(output.stdout).unwrap();
        let executable = |line: &str| {
            let message: Value = candor_json::from_str(line).ok()?;
            let is_program = message["target"]["name"] == "candor" && message["target"]["kind"][0] == "bin";
            is_program.then(|| Some(PathBuf::from(message["executable"].as_str()?))).flatten()
        };
        messages.lines().find_map(executable).expect("cargo names the binary")
    })
}
