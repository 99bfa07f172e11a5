//! Copies of what changes meanwhile, and of a process that is ending.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::copied::{CopyError, Most};
use crate::copy::{Copying, FOLDER};
use crate::ending;

const ALL: Most = Most { entries: 100, file: 1000, bytes: 10_000 };

/// A folder that becomes a link to another one while it is copied: what is there is never read, by neither way of opening.
#[test]
fn what_takes_the_place_of_a_folder_is_not_read() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir_all(at("work/sub")).unwrap();
    fs::create_dir(at("outside")).unwrap();
    fs::write(at("outside/secret"), "s").unwrap();
    let top = openat(CWD, at("work"), FOLDER, Mode::empty()).unwrap();
    let copying = Copying::new(at("work").canonicalize().unwrap(), top, ALL);
    assert!(copying.beneath(Path::new("sub"), FOLDER).is_ok());
    assert!(copying.by_names(Path::new("sub"), FOLDER).is_ok());
    fs::remove_dir(at("work/sub")).unwrap();
    symlink(at("outside"), at("work/sub")).unwrap();
    for below in ["sub", "sub/secret", "../outside/secret"] {
        let read = copying.beneath(Path::new(below), OFlags::RDONLY);
        assert!(read.is_err(), "{below}");
        let read = copying.by_names(Path::new(below), OFlags::RDONLY | OFlags::NOFOLLOW);
        assert!(read.is_err() || below.starts_with(".."), "{below}");
    }
    let changed = copying.entries(Path::new("sub"), |_, _, _| Ok(()));
    assert!(matches!(changed, Err(CopyError::Changed(path)) if path == Path::new("sub")));
}

#[test]
fn no_file_is_begun_in_a_process_that_is_ending() {
    const ALONE: &str = "CANDOR_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        // It ends everything in its process, so it has one of its own.
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "units::copy::no_file_is_begun_in_a_process_that_is_ending"]);
        let again = again.env(ALONE, "1").output().unwrap();
        assert!(again.status.success() && String::from_utf8_lossy(&again.stdout).contains("1 passed"), "{again:?}");
        return;
    }
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("from"), "x").unwrap();
    let top = openat(CWD, root.path(), FOLDER, Mode::empty()).unwrap();
    let mut copying = Copying::new(root.path().to_owned(), top, ALL);
    let into = |name: &str| root.path().join(name);
    copying.file(Path::new("from"), &into("before")).unwrap();
    // The folder has been listed by then.
    ending::end_everything();
    assert!(matches!(copying.file(Path::new("from"), &into("after")), Err(CopyError::Io(..))));
    assert!(into("before").exists() && !into("after").exists());
}
