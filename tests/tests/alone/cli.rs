//! The command line as files. `tests/cli/NAME.trycmd` holds commands, each with its exit code and all that it prints.
//! `CONTRIBUTING.md` says how to write one, and `cargo xtask bless` rewrites the exit codes and the output.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use trycmd::TestCases;
use trycmd::schema::Bin;

/// The programs of the system that a file may run. Others are `candor` and the scripts of `tests/cli/bin`.
const PROGRAMS: [&str; 2] = ["cat", "sh"];

#[test]
fn every_command_prints_what_its_file_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // Files without inputs of their own run in the root of the project.
    std::env::set_current_dir(root).unwrap();
    let candor = candor_tests::candor();
    let mut programs = vec![("candor".to_owned(), candor.to_owned())];
    programs.extend(PROGRAMS.iter().map(|name| ((*name).to_owned(), Path::new("/bin").join(name))));
    for script in fs::read_dir("tests/cli/bin").unwrap().map(|script| script.unwrap()) {
        programs.push((script.file_name().into_string().unwrap(), root.join("tests/cli/bin").join(script.file_name())));
    }
    holds_only(&programs.iter().map(|(name, _)| name.as_str()).collect());
    let cases = TestCases::new();
    for (name, path) in programs {
        assert!(path.is_file(), "{}", path.display());
        cases.register_bin(name, Bin::Path(path));
    }
    cases.env("CANDOR", candor.display().to_string());
    cases.env("FIXTURES", root.join("fixtures").display().to_string());
    cases.insert_var("[VERSION]", env!("CARGO_PKG_VERSION")).unwrap();
    cases.case("tests/cli/*.trycmd");
}

/// `trycmd` skips a command that it does not know, so that a slip of the pen would pass.
fn holds_only(programs: &BTreeSet<&str>) {
    let mut commands = 0;
    for file in fs::read_dir("tests/cli").unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "trycmd") {
            for command in fs::read_to_string(&file).unwrap().lines().filter_map(|line| line.strip_prefix("$ ")) {
                let program = command.split(' ').find(|word| !word.contains('=')).unwrap_or_default();
                assert!(programs.contains(program), "{}: `{program}` is not known", file.display());
                commands += 1;
            }
        }
    }
    assert!(commands > 250, "{commands}");
}
