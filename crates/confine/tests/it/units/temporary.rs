//! Temporary folders and their end.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::Duration;
use std::{fs, io};

use crate::temporary::{again, listed, locked, shared, swept, temporary};

#[test]
fn a_folder_is_private_and_gone_with_its_holder() {
    let (one, other) = (temporary("copy").unwrap(), temporary("copy").unwrap());
    let (path, parent) = (one.path().to_owned(), one.path().parent().unwrap().to_owned());
    assert!(one.path() != other.path() && other.path().starts_with(&parent));
    assert_eq!(fs::metadata(&parent).unwrap().mode() & 0o066, 0);
    fs::create_dir_all(path.join("a/b")).unwrap();
    fs::write(path.join("a/b/file"), "x").unwrap();
    for (folder, mode) in [("a/b", 0o000), ("a", 0o500)] {
        fs::set_permissions(path.join(folder), fs::Permissions::from_mode(mode)).unwrap();
    }
    drop(one);
    assert!(!path.exists() && other.path().is_dir());
}

#[test]
fn what_its_holder_could_not_remove_stays_on_the_list() {
    let root = tempfile::tempdir().unwrap();
    let (parent, away) = (root.path().join("parent"), root.path().join("away"));
    for kept in [false, true] {
        fs::create_dir(&parent).unwrap();
        let held = listed(&mut shared(), &parent).unwrap();
        let path = held.path.clone();
        if kept {
            // Nothing below a file can be removed.
            fs::rename(&parent, &away).unwrap();
            fs::write(&parent, "").unwrap();
        }
        drop(held);
        assert_eq!(shared().made.contains(&path), kept);
        if !kept {
            fs::remove_dir(&parent).unwrap();
        }
    }
}

#[test]
fn a_try_that_outlasts_the_time_is_not_the_last_one() {
    for (most, tries) in [(Duration::ZERO, 1), (Duration::from_nanos(1), 2)] {
        let mut tried = 0;
        let done = again(most, || {
            tried += 1;
            Err(io::ErrorKind::DirectoryNotEmpty.into())
        });
        assert_eq!((done.unwrap_err().kind(), tried), (io::ErrorKind::DirectoryNotEmpty, tries));
    }
}

#[test]
fn what_nobody_holds_is_removed_and_nothing_else() {
    let parent = tempfile::tempdir().unwrap();
    let at = |name: &str| parent.path().join(name);
    let held = locked(parent.path()).unwrap();
    fs::write(held.path.join("file"), "x").unwrap();
    for name in ["candor-run-dead/copy", "candor-other", "elsewhere"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    fs::write(at("candor-run-file"), "x").unwrap();
    std::os::unix::fs::symlink(at("elsewhere"), at("candor-run-link")).unwrap();
    swept(parent.path());
    assert!(!at("candor-run-dead").exists());
    for name in ["candor-other", "elsewhere", "candor-run-file", "candor-run-link"] {
        assert!(at(name).exists(), "{name}");
    }
    assert!(held.path.join("file").exists());
    let path = held.path.clone();
    drop(held);
    assert!(!path.exists());
}

#[test]
fn what_another_process_holds_stays_until_it_ends() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("candor-run-other");
    fs::create_dir(&folder).unwrap();
    let script = "exec 9<\"$1\"; flock 9; echo held; read wait";
    let mut holder = std::process::Command::new("sh");
    holder.args(["-c", script, "sh"]).arg(&folder);
    let mut holder = holder.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = [0; 5];
    io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    swept(parent.path());
    assert!(folder.exists());
    holder.kill().unwrap();
    holder.wait().unwrap();
    swept(parent.path());
    assert!(!folder.exists());
}
