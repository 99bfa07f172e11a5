//! The digests of protected files, and what is found to have changed.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::SystemTime;

use proptest::prelude::*;

use crate::protection::{Changes, FileDigests, Protection, guard, is_protected, protect_globs};

#[test]
fn what_is_changed_removed_or_new_is_named_and_caches_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["tests/unit", "src", ".cargo"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["tests/a.py", "tests/b.py", "tests/unit/c.py", "src/lib.rs", "Makefile"] {
        fs::write(at(name), "one").unwrap();
    }
    let globs = protect_globs(&["tests/**", "conftest.py", "Makefile", ".cargo/**"].map(str::to_owned)).unwrap();
    let before = Protection::digests(&globs, folder.path()).unwrap();
    assert_eq!(before.len(), 4);
    let protection = Protection::new(globs, before);
    assert_eq!(protection.changes(folder.path()).unwrap(), Changes::default());
    fs::write(at("src/lib.rs"), "two").unwrap();
    fs::create_dir(at("tests/__pycache__")).unwrap();
    fs::write(at("tests/__pycache__/a.cpython-312.pyc"), "x").unwrap();
    let changes = protection.changes(folder.path()).unwrap();
    let caches = vec!["tests/__pycache__/a.cpython-312.pyc".into()];
    assert_eq!(changes, Changes { said: Vec::new(), caches });
    fs::write(at("tests/a.py"), "assert True").unwrap();
    fs::remove_file(at("tests/b.py")).unwrap();
    std::os::unix::fs::symlink("unit/c.py", at("tests/b.py")).unwrap();
    fs::remove_file(at("tests/unit/c.py")).unwrap();
    fs::write(at("tests/.hidden.py"), "x").unwrap();
    fs::write(at("conftest.py"), "x").unwrap();
    fs::write(at(".cargo/config.toml"), "x").unwrap();
    let said = protection.changes(folder.path()).unwrap().said;
    assert_eq!(
        said,
        [
            ".cargo/config.toml is new",
            "conftest.py is new",
            "tests/.hidden.py is new",
            "tests/a.py was changed",
            "tests/b.py was changed",
            "tests/unit/c.py was removed"
        ]
    );
    assert!(protect_globs(&["/etc/**".to_owned()]).is_err());
}

/// A file that was there is protected whatever its folder is called; a cache that was not there is one, wherever it is.
#[test]
fn what_was_there_is_no_cache() {
    for name in ["target", ".tox", "__pycache__", ".gradle", "node_modules/.cache", ".pytest_cache"] {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let (own, near) = (format!("tests/{name}/test_a.py"), format!("{name}/built"));
        for path in [&own, &near] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "one").unwrap();
        }
        let globs = protect_globs(&["tests/**".to_owned()]).unwrap();
        let before = Protection::digests(&globs, folder.path()).unwrap();
        let protection = Protection::new(globs, before);
        assert_eq!(protection.changes(folder.path()).unwrap(), Changes::default(), "{name}");
        // A build next to the tests is not run if it is new or was changed.
        fs::write(at(&near), "two").unwrap();
        fs::write(at(&format!("{name}/more")), "two").unwrap();
        let changes = protection.changes(folder.path()).unwrap();
        assert_eq!(changes.caches, [near.as_str().into(), PathBuf::from(format!("{name}/more"))], "{name}");
        assert!(changes.said.is_empty(), "{changes:?}");
        fs::write(at(&own), "two").unwrap();
        assert_eq!(protection.changes(folder.path()).unwrap().said, [format!("{own} was changed")]);
        fs::remove_dir_all(at("tests")).unwrap();
        assert_eq!(protection.changes(folder.path()).unwrap().said, [format!("{own} was removed")]);
    }
}

/// Make rebuilds what is not newer than its source, whatever times the delegate gave it.
#[test]
fn nothing_in_a_copy_is_newer_than_what_is_protected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["it.c", "it.o", "it"] {
        fs::write(at(path), path).unwrap();
    }
    let protection = Protection::new(protect_globs(&["*.c".to_owned()]).unwrap(), FileDigests::new());
    let ahead = SystemTime::now() + std::time::Duration::from_secs(1_000_000);
    File::open(at("it")).unwrap().set_modified(ahead).unwrap();
    let guard = guard(Some(&protection), None, folder.path()).unwrap();
    assert_eq!(guard.renewed, ["it", "it.c"].map(PathBuf::from));
    candor_process::renew(folder.path(), &guard.renewed).unwrap();
    let time = |path: &str| fs::metadata(at(path)).unwrap().modified().unwrap();
    assert!(time("it.c") > time("it") && time("it.c") > time("it.o") && time("it.c") < ahead);
}

proptest! {
    #[test]
    fn what_a_glob_matches_is_protected_hidden_or_not(glob in "[a-c*./]{1,8}", path in "[a-c./]{1,12}") {
        if let Ok(globs) = protect_globs(&[glob]) {
            let matched = globs.iter().any(|glob| glob.matches(&path));
            prop_assert!(!matched || is_protected(&globs, &path));
        }
    }
}
