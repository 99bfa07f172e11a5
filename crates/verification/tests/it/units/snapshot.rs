//! Copies of a workspace.

use std::fs;
use std::path::{Path, PathBuf};

use candor_verification::{Snapshot, VerifierVerdict};

#[test]
fn a_copy_holds_what_was_there_and_nothing_from_elsewhere() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "s").unwrap();
    let work = tempfile::tempdir().unwrap();
    let at = |path: &str| work.path().join(path);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::write(at("a/b/file"), "one").unwrap();
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, at(name)).unwrap();
    link("b/file", "a/inside");
    link("b", "a/folder");
    link(outside.path().join("secret").to_str().unwrap(), "out");
    link("nowhere", "dangling");
    let snapshot = Snapshot::read_only(work.path()).unwrap();
    assert_eq!(snapshot.left_out(), ["dangling", "out"].map(PathBuf::from));
    let copy = snapshot.path().to_owned();
    fs::write(at("a/b/file"), "two").unwrap();
    for path in ["a/b/file", "a/inside", "a/folder/file"] {
        assert_eq!(fs::read_to_string(copy.join(path)).unwrap(), "one", "{path}");
    }
    assert!(!copy.join("out").exists() && fs::symlink_metadata(copy.join("dangling")).is_err());
    assert!(copy.join("a/folder").canonicalize().unwrap().starts_with(copy.canonicalize().unwrap()));
    assert!(fs::metadata(copy.join("a/b/file")).unwrap().permissions().readonly());
    drop(snapshot);
    assert!(!copy.exists());
}

#[test]
fn what_is_left_out_has_its_place() {
    let outside = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    let link = |target: &Path, name: &str| std::os::unix::fs::symlink(target, work.path().join(name)).unwrap();
    link(outside.path(), "out");
    link(Path::new("nowhere"), "dangling");
    link(Path::new("/bin/sh"), "python");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let copy = runtime.block_on(Snapshot::taken(work.path())).unwrap().unwrap();
    let real = |path: PathBuf| path.canonicalize();
    // A copy of the copy is as good.
    let again = runtime.block_on(Snapshot::taken(copy.path())).unwrap().unwrap();
    for copy in [&copy, &again] {
        let dangling = copy.path().join("dangling");
        assert!(fs::symlink_metadata(&dangling).is_ok() && !dangling.exists());
        assert_eq!(real(copy.path().join("out")).unwrap(), Path::new("/dev/null"));
        let python = real(copy.path().join("python")).unwrap();
        assert_eq!(python, real("/bin/sh".into()).unwrap(), "an environment of Python leads to its program");
    }
    assert!(runtime.block_on(Snapshot::taken(Path::new(""))).unwrap().is_none());
}

#[test]
fn what_nobody_could_read_is_the_work_s_and_no_outage() {
    let work = tempfile::tempdir().unwrap();
    let deep = "import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(100):\n    os.mkdir('d' * 60); os.chdir('d' * 60)\n\
                open('TODO', 'w')\n";
    let made = std::process::Command::new("python3").args(["-c", deep]).arg(work.path()).status().unwrap();
    assert!(made.success());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let untaken = |path: &Path| runtime.block_on(Snapshot::taken(path)).unwrap_err();
    let VerifierVerdict::Failed { reason } = untaken(work.path()) else { panic!("it is the work's") };
    assert!(reason.contains("in ddd") && reason.contains("so deep") && reason.len() < 300, "{reason}");
    // A folder that was removed, and one that is a file now.
    let file = work.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [Path::new("/nowhere/at/all"), &file] {
        assert!(matches!(untaken(path), VerifierVerdict::Failed { .. }), "{}", path.display());
    }
}

#[test]
fn what_cannot_be_copied_is_an_error_and_not_left_out() {
    assert!(Snapshot::of(Path::new("/nowhere/at/all")).unwrap_err().contains("cannot be copied"));
}
