//! `cargo xtask bless`: rewrites every file of expectations as the tests find it, and the two lists that may only shrink.

use crate::{cargo, status, weights, wheel, words};

/// The modules of tests that compare with files of expectations, whatever their package.
const MODULES: [&str; 3] = ["cli::", "conformance::", "formats::"];

/// Runs them with the variables that make `snapbox` and `trycmd` write instead of compare. Further arguments go to
/// `cargo test`. The lists are rewritten first. `weights` or `words` as the only argument rewrites that list alone, and
/// the weights of crates that grew too.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let root = wheel::root()?;
    match args {
        [list] if list == "weights" => return weights::bless(&root, true),
        [list] if list == "words" => return words::bless(&root),
        _ => {}
    }
    weights::bless(&root, false)?;
    words::bless(&root)?;
    let mut tests = cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]).env("SNAPSHOTS", "overwrite").env("TRYCMD", "overwrite");
    tests.args(["--test", "it", "--test", "alone"]).args(args).arg("--").args(MODULES);
    status(&mut tests, "rewriting the expectations")
}
