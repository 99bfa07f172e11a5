//! Private copies of a workspace.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::fs;
use std::os::unix::fs::symlink;

use candor_check::sandbox::{Folder, WorkspaceGuard};
use candor_check::{Obstacle, Sandbox};
use candor_workspace_checks::WORKSPACE;
use tempfile::TempDir;

use crate::copy::Copy;

fn sandbox(limits: &str) -> (TempDir, Folder) {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("workspace/deep/er")).unwrap();
    fs::write(root.path().join("sandbox.toml"), limits).unwrap();
    let sandbox = Sandbox::open(root.path(), &[WORKSPACE]).unwrap();
    (root, sandbox.folder("workspace").unwrap())
}

#[test]
fn it_is_named_as_the_workspace_and_gone_afterwards() {
    let (root, folder) = sandbox("");
    symlink("../secret", root.path().join("workspace/deep/out")).unwrap();
    fs::write(root.path().join("workspace/deep/er/a"), "a").unwrap();
    let copy = Copy::of(&folder, &WorkspaceGuard::default()).unwrap();
    assert_eq!((copy.files, &copy.left_out[..]), (1, &["workspace/deep/out".to_owned()][..]));
    let gone = copy.work();
    assert_eq!(fs::read(gone.join("deep/er/a")).unwrap(), b"a");
    drop(copy);
    assert!(!gone.exists());
}

#[test]
fn limits_are_kept() {
    for (limits, named) in [
        ("[limits]\nmax_bytes = \"10B\"", "is larger than 10 bytes (limit max_bytes)"),
        ("[limits]\nmax_total_bytes = \"30B\"", "holds more than 30 bytes (limit max_total_bytes)"),
        ("[limits]\nmax_files = 3", "holds more than 3 files (limit max_files)"),
    ] {
        let (root, folder) = sandbox(limits);
        for name in ["a", "b"] {
            fs::write(root.path().join("workspace").join(name), "x".repeat(20)).unwrap();
        }
        let Err(why) = Copy::of(&folder, &WorkspaceGuard::default()) else { panic!("{limits}") };
        assert_eq!(why.obstacle, Obstacle::LimitExceeded);
        assert!(why.details.contains(named), "{}", why.details);
    }
}
