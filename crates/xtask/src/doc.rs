//! `cargo xtask doc`: the documentation of all libraries, where a warning is an error.
//!
//! `cargo doc` compiles every dependency once more. Here each library is documented from what its examples are built of:
//! this program is cargo's rustdoc, and leaves what it is asked to test as a program that documents ([`Programs`]).
//! The soak runs `cargo doc`, which documents programs too.
//!
//! [`Programs`]: crate::programs::Programs

use std::path::Path;

use crate::programs::{FOLDER, leave};
use crate::test::{Counted, WHOLE, counted_run};
use crate::{cargo, peers};

/// The variable that makes this program cargo's rustdoc. It names the folder of the documentation.
pub(crate) const AS_RUSTDOC: &str = "CANDOR_XTASK_RUSTDOC";

/// Arguments of rustdoc that only tests take, each with a value.
const OF_TESTS: [&str; 4] = ["--test-args", "--test-run-directory", "--test-runtool", "--test-runtool-arg"];

/// Arguments for cargo.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| format!("the place of this program is not known: {error}"))?;
    let folder = peers::target().join("doc");
    let folder = std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut doc = cargo();
    doc.env("RUSTDOC", own).env(AS_RUSTDOC, folder).args(["test", "--doc"]).args(WHOLE).args(args);
    match counted_run(&mut doc, None, &mut Counted::default())? {
        true => Ok(()),
        false => Err("the documentation has warnings".to_owned()),
    }
}

/// Leaves the documentation of a library to [`run`].
pub(crate) fn as_rustdoc(folder: &std::ffi::OsStr, args: &[String]) -> Result<(), String> {
    let left = std::env::var_os(FOLDER).ok_or_else(|| format!("{FOLDER} is not set"))?;
    let words = documents(args, &folder.to_string_lossy());
    leave(Path::new(&left), &words).map_err(|error| format!("a library could not be left: {error}"))
}

/// The command that documents what rustdoc is asked to test.
fn documents(args: &[String], folder: &str) -> Vec<String> {
    let mut words = ["rustdoc", "--deny", "warnings", "--out-dir", folder].map(str::to_owned).to_vec();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if OF_TESTS.contains(&arg.as_str()) {
            args.next();
        } else if arg != "--test" && arg != "--no-run" {
            words.push(arg.clone());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_only_tests_take_is_left_out() {
        let args =
            "--crate-name glob --test src/lib.rs --test-run-directory a -L deps --test-runtool b --extern c=d --no-run";
        let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
        let words = super::documents(&args, "target/doc").join(" ");
        assert_eq!(
            words,
            "rustdoc --deny warnings --out-dir target/doc --crate-name glob src/lib.rs -L deps --extern c=d"
        );
    }
}
