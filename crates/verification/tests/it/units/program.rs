//! Commands that name the same program.

use std::ffi::OsString;
use std::fs;

use candor_verification::same_program;

fn words(line: &str) -> Vec<OsString> {
    match line.split_once(" -c ") {
        Some((before, code)) => before.split(' ').chain(["-c", code]).map(OsString::from).collect(),
        None => line.split(' ').map(OsString::from).collect(),
    }
}

#[test]
fn the_same_program_is_found_under_other_names() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    for name in ["agent", "agent.py", "other", "other.py"] {
        fs::write(at(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink("agent", at("link")).unwrap();
    symlink("../link", at("sub/again")).unwrap();
    symlink("/bin/sh", at("shell")).unwrap();
    fs::hard_link(at("agent"), at("hard")).unwrap();
    let absolute = at("agent").display().to_string();
    let folders = [folder.path()];
    let same = |a: &str, b: &str| same_program(&words(a), &words(b), &folders);
    for other in [
        "./agent",
        "./agent --evaluate",
        "./link",
        "./sub/../agent",
        "sub/again -x",
        "./hard",
        &absolute,
        "sh agent",
        "sh ./agent",
        "sh -eu ./link x",
        "./shell agent",
        "env agent",
        "env A=1 B=2 ./agent",
        "env -i timeout 5 sh ./agent --evaluate",
        "nohup nice -n 5 ./agent",
        "sh -c ./agent",
        "sh -c cat >/dev/null; exec ./agent --evaluate",
        "bash -c A=1 ./link",
    ] {
        assert!(same("./agent", other) && same(other, "./agent"), "{other}");
    }
    for (a, b) in
        [("python3 agent.py", "python3 -u ./agent.py x"), ("python3 -m agent", "python3 -B -m agent --evaluate")]
    {
        assert!(same(a, b), "{a} {b}");
    }
    for (a, b) in [
        ("./agent", "./other"),
        ("sh agent", "sh other"),
        ("python3 agent.py", "python3 other.py agent.py"),
        ("python3 -m agent", "python3 -m other"),
        ("sh -c cat; ./agent", "sh -c cat; ./other"),
        ("sh -c true", "sh -c false"),
        ("env A=1 ./agent", "env A=1 ./other"),
        ("timeout 5 ./agent", "timeout 5 ./other"),
        ("no-such-program", "no-such-other"),
        ("cat", "sh agent"),
    ] {
        assert!(!same(a, b) && !same(b, a), "{a} {b}");
    }
    for line in ["sh -c true", "no-such-program x", "python3", "./agent"] {
        assert!(same(line, line), "{line}");
    }
    assert!(same("no-such-program x", "no-such-program y"));
}
