//! Test suites that are the delegate's own.

use std::path::Path;

use candor::verification::CommandWords;

use crate::suite::{Ground, delegates_file};

#[test]
fn what_the_delegate_may_write_is_named() {
    let workspace = tempfile::tempdir().unwrap();
    for folder in ["tests", "api"] {
        std::fs::create_dir(workspace.path().join(folder)).unwrap();
    }
    for file in ["Makefile", "tests/test_a.py", "api/x.py", "report.md"] {
        std::fs::write(workspace.path().join(file), "").unwrap();
    }
    let absolute = format!("python3 {}/late.py", workspace.path().display());
    let is_operators = |path: &str| path.starts_with("safe/");
    let found = |command: &str, folder: &str| {
        let ground = Ground { workspace: workspace.path(), folder: Path::new(folder), is_operators: &is_operators };
        delegates_file(&CommandWords::parse(command).unwrap(), &ground)
    };
    for (command, folder, file) in [
        ("sh run.sh", "", Some("run.sh")),
        ("env X=1 sh run.sh", "", Some("run.sh")),
        ("env X=1 timeout 5s bash -eu ./run.sh", "", Some("run.sh")),
        ("sh -c 'cd x && sh run.sh'", "", Some("run.sh")),
        ("sh -c \"sh -c 'python3 a.py'\"", "", Some("a.py")),
        ("./run", "", Some("run")),
        ("pytest tests/test_a.py", "", Some("tests/test_a.py")),
        ("make -f Makefile", "", Some("Makefile")),
        ("pytest x.py", "api", Some("api/x.py")),
        (&absolute, "", Some("late.py")),
        ("sh safe/run.sh", "", None),
        ("sh -c 'test -s report.md && grep -q x report.md'", "", None),
        ("test -s report.md", "", None),
        ("python3 -m unittest discover tests", "", None),
        ("pytest -q", "", None),
        ("cargo test --offline", "", None),
        ("sh /opt/suite.sh", "", None),
        ("sh -c 'exit 0'", "", None),
    ] {
        assert_eq!(found(command, folder).as_deref(), file, "{command}");
    }
}

#[test]
fn a_program_that_a_path_finds_in_the_workspace_is_named() {
    let place = tempfile::tempdir().unwrap();
    let (workspace, bin) = (place.path().join("w"), place.path().join("bin"));
    for folder in [workspace.join("bin"), workspace.join("safe"), bin.clone()] {
        std::fs::create_dir_all(folder).unwrap();
    }
    for file in [workspace.join("bin/own"), workspace.join("safe/suite"), bin.join("other")] {
        std::fs::write(file, "").unwrap();
    }
    std::os::unix::fs::symlink(workspace.join("bin/own"), bin.join("linked")).unwrap();
    std::os::unix::fs::symlink(workspace.join("safe/suite"), bin.join("suite")).unwrap();
    let is_operators = |path: &str| path.starts_with("safe/");
    let ground = Ground { workspace: &workspace, folder: Path::new(""), is_operators: &is_operators };
    let path = std::env::join_paths([&bin, &workspace.join("bin")]).unwrap();
    let found = ["linked", "own", "other", "suite", "missing"].map(|program| ground.on_path(program, &path));
    assert_eq!(found, [Some("bin/own".to_owned()), Some("bin/own".to_owned()), None, None, None]);
}
