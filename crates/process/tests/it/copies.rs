//! Copies of folders.

use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use candor_process::{Copied, CopyError, Most, copy};

const ALL: Most = Most { entries: 100, file: 1000, bytes: 10_000 };

#[test]
fn a_copy_is_the_same_and_apart() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join("work").join(name);
    fs::create_dir_all(at("deep/er")).unwrap();
    fs::write(at("deep/er/run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(at("deep/er/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().append(true).open(at("deep/er/run.sh")).unwrap().set_modified(then).unwrap();
    fs::write(root.path().join("secret"), "s").unwrap();
    symlink("er/run.sh", at("deep/inside")).unwrap();
    for (target, link) in [("../secret", "out"), ("nowhere", "dead"), (at("deep").to_str().unwrap(), "absolute")] {
        symlink(target, at(link)).unwrap();
    }
    // Within by another way: it leads out of the folder and in again.
    symlink("../work/deep", at("around")).unwrap();
    let into = root.path().join("copy");
    fs::create_dir(&into).unwrap();
    let mut copied = copy(&at(""), &into, ALL).unwrap();
    let metadata = fs::metadata(into.join("deep/inside")).unwrap();
    assert_eq!((metadata.mode() & 0o777, metadata.modified().unwrap()), (0o755, then));
    copied.left_out.sort();
    let left_out = ["dead", "out"].map(PathBuf::from).to_vec();
    assert_eq!(copied, Copied { files: 1, left_out });
    for link in ["absolute", "around"] {
        let led = fs::canonicalize(into.join(link)).unwrap();
        assert_eq!(led, fs::canonicalize(into.join("deep")).unwrap(), "{link}");
    }
    fs::write(into.join("deep/er/run.sh"), "changed").unwrap();
    assert_eq!(fs::read(at("deep/er/run.sh")).unwrap(), b"#!/bin/sh\n");
}

#[test]
fn no_link_of_a_copy_leads_to_the_original() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    let at = |name: &str| work.join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::write(at("f"), "one").unwrap();
    symlink("../..", at("a/b/s")).unwrap();
    // `a/b/s` is the folder, so that `..` after it is outside: name by name it never gets there.
    let tricky = PathBuf::from("a/b/s/..").join("work/f");
    symlink(&tricky, at("tricky")).unwrap();
    symlink("tricky", at("after")).unwrap();
    symlink(at("f"), at("a/b/absolute")).unwrap();
    symlink(&work, at("self")).unwrap();
    let into = root.path().join("copy");
    fs::create_dir(&into).unwrap();
    let mut copied = copy(&work, &into, ALL).unwrap();
    copied.left_out.sort();
    assert_eq!(copied.left_out, ["after", "tricky"].map(PathBuf::from));
    assert!(fs::symlink_metadata(into.join("tricky")).is_err());
    fs::write(at("f"), "two").unwrap();
    for link in ["a/b/absolute", "a/b/s/f", "self/f"] {
        assert_eq!(fs::read_to_string(into.join(link)).unwrap(), "one", "{link}");
    }
}

#[test]
fn holes_stay_holes() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["from", "to"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    let mut sparse = File::create(root.path().join("from/sparse")).unwrap();
    sparse.write_all(b"begin").unwrap();
    sparse.seek(io::SeekFrom::Start(64 << 20)).unwrap();
    sparse.write_all(b"end").unwrap();
    sparse.set_len(128 << 20).unwrap();
    let most = Most { entries: 10, file: 1 << 30, bytes: 1 << 30 };
    copy(&root.path().join("from"), &root.path().join("to"), most).unwrap();
    let copied = fs::metadata(root.path().join("to/sparse")).unwrap();
    assert_eq!(copied.len(), 128 << 20);
    assert!(copied.blocks() * 512 < 4 << 20, "{} blocks", copied.blocks());
    let same = |name: &str| fs::read(root.path().join(name)).unwrap();
    assert!(same("from/sparse") == same("to/sparse"));
}

#[test]
fn there_is_a_most_of_everything() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["from/sub", "to"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    for name in ["a", "sub/b"] {
        fs::write(root.path().join("from").join(name), "x".repeat(20)).unwrap();
    }
    let with = |most: Most| {
        let into = tempfile::tempdir_in(root.path().join("to")).unwrap();
        copy(&root.path().join("from"), into.path(), most)
    };
    assert_eq!(with(Most { entries: 3, file: 20, bytes: 40 }).unwrap().files, 2);
    assert!(matches!(with(Most { entries: 2, ..ALL }), Err(CopyError::Entries)));
    assert!(matches!(with(Most { file: 19, ..ALL }), Err(CopyError::File(_))));
    assert!(matches!(with(Most { bytes: 39, ..ALL }), Err(CopyError::Bytes)));
    // Lengths and numbers are asked for before anything is written.
    let sparse = root.path().join("from/sparse");
    File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
    let into = tempfile::tempdir_in(root.path().join("to")).unwrap();
    let all = |most: Most| copy(&root.path().join("from"), into.path(), most);
    assert!(matches!(all(Most { file: 8 << 30, bytes: 8 << 30, ..ALL }), Err(CopyError::File(_))));
    assert!(matches!(all(Most { entries: 2, ..ALL }), Err(CopyError::Entries)));
    assert_eq!(fs::read_dir(into.path()).unwrap().count(), 0);
    fs::remove_file(sparse).unwrap();
    let gone = copy(&root.path().join("not"), &root.path().join("to"), ALL);
    assert!(matches!(gone, Err(CopyError::Io(path, _)) if path.as_os_str().is_empty()));
}
