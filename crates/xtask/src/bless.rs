//! `cargo xtask bless`: rewrites every file of expectations as the tests find it, and the list of weights.

use crate::{cargo, status, weights, wheel};

/// The modules of tests that compare with files of expectations, whatever their package.
const MODULES: [&str; 3] = ["cli::", "conformance::", "formats::"];

/// Runs them with the variables that make `snapbox` and `trycmd` write instead of compare. Further arguments go to
/// `cargo test`. The list is rewritten first. `weights` as the only argument rewrites the list alone, and the weights of
/// crates that grew too.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let root = wheel::root()?;
    match args {
        [list] if list == "weights" => return weights::bless(&root, true),
        _ => {}
    }
    weights::bless(&root, false)?;
    let mut tests = cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]).env("SNAPSHOTS", "overwrite").env("TRYCMD", "overwrite");
    tests.args(["--test", "it", "--test", "alone"]).args(args).arg("--").args(MODULES);
    status(&mut tests, "rewriting the expectations")
}
