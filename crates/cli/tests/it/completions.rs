//! Completions know every command.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails it by panicking")]

use std::process::Command;

#[test]
fn each_shell_completes_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = Command::new(env!("CARGO_BIN_EXE_candor")).args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{shell}");
        for command in ["validate", "loop", "baseline", "max-verify-retries"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}
