//! `cargo xtask bless`: rewrites every file of expectations as the tests find it.

use crate::{cargo, status};

/// The test binaries that compare with files of expectations, whatever their package.
const BINARIES: [&str; 3] = ["cli", "conformance", "formats"];

/// Runs them with the variables that make `snapbox` and `trycmd` write instead of compare. Further arguments go to
/// `cargo test`.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let mut tests = cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]).env("SNAPSHOTS", "overwrite").env("TRYCMD", "overwrite");
    for binary in BINARIES {
        tests.args(["--test", binary]);
    }
    status(tests.args(args), "rewriting the expectations")
}
