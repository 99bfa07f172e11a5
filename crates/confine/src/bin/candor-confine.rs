//! The boundary as a program of its own, for libraries and tests that have no `candor`.

use std::process::ExitCode;

fn main() -> ExitCode {
    candor_confine::shim(std::env::args_os().skip(1).collect())
}
