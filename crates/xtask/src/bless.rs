//! `cargo xtask bless`: rewrites every file of expectations as the tests find it.

use crate::{cargo, status};

/// The modules of tests that compare with files of expectations, whatever their package.
const MODULES: [&str; 3] = ["cli::", "conformance::", "formats::"];

/// Runs them with the variables that make `snapbox` and `trycmd` write instead of compare. Further arguments go to
/// `cargo test`.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let mut tests = cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]).env("SNAPSHOTS", "overwrite").env("TRYCMD", "overwrite");
    tests.args(["--test", "it", "--test", "alone"]).args(args).arg("--").args(MODULES);
    status(&mut tests, "rewriting the expectations")
}
