//! Files that a command runs.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;

use candor_process::runs_file_of;

#[test]
fn a_file_is_found_behind_programs_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tests")).unwrap();
    for file in ["run.sh", "tests/test_a.py"] {
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    let at = folder.path().join("run.sh").display().to_string();
    for (command, expected) in [
        (&["sh", "run.sh"][..], true),
        (&["./run.sh"], true),
        (&["sh", "-eu", &at], true),
        (&["timeout", "5s", "sh", "./run.sh"], true),
        (&["env", "X=1", "sh", "run.sh"], true),
        (&["sh", "-c", "'sh' run.sh; true"], true),
        // The program is not installed, whatever files it is given.
        (&["sh", "-c", "candor-no-such tests/test_a.py"], false),
        (&["env", "candor-no-such", "tests/test_a.py"], false),
        (&["candor-no-such", "run.sh"], false),
        // No file of the folder has a say.
        (&["sh", "-c", "exit 127"], false),
        (&["sh", "/etc/passwd"], false),
        (&["sh", "tests"], false),
        (&["npm", "test"], false),
        (&[], false),
    ] {
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        assert_eq!(runs_file_of(&words, folder.path()), expected, "{command:?}");
    }
}

#[test]
fn an_interpreter_says_nothing_of_a_program_that_is_missing() {
    let (folder, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |name: &str| bin.path().join(name).display().to_string();
    for (name, content) in [
        ("python3.12", "\x7fELF".to_owned()),
        ("pytest", format!("#!{}\nimport pytest\n", at("python3.12"))),
        ("python3", "#!/bin/sh\nexec python3.12\n".to_owned()),
        ("shim", format!("#!{}\n", at("python3"))),
        ("npx", format!("#!{}\n", at("node"))),
        ("node", "\x7fELF".to_owned()),
    ] {
        std::fs::write(at(name), content).unwrap();
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (command, expected) in [
        (vec![at("python3.12"), "-m".to_owned(), "unittest".to_owned()], true),
        (vec!["env".to_owned(), "A=1".to_owned(), at("node"), "--test".to_owned()], true),
        (vec![at("pytest"), "-q".to_owned()], true),
        // A shell may say so.
        (vec![at("python3"), "-m".to_owned(), "unittest".to_owned()], false),
        (vec![at("shim")], false),
        (vec![at("npx"), "jest".to_owned()], false),
        (vec!["sh".to_owned(), "-c".to_owned(), format!("{} -V && missing", at("node"))], false),
    ] {
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        assert_eq!(runs_file_of(&words, folder.path()), expected, "{command:?}");
    }
}
