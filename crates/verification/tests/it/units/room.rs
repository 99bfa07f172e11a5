//! The room that a delegate takes on the disk.

use std::fs;
use std::path::Path;

use crate::room::{Room, Taken, taken};

#[test]
fn what_a_folder_holds_is_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("d")).unwrap();
    let empty = taken(folder.path());
    fs::write(at("d/a"), vec![1; 1 << 20]).unwrap();
    fs::hard_link(at("d/a"), at("b")).unwrap();
    std::os::unix::fs::symlink("/usr", at("link")).unwrap();
    let full = taken(folder.path());
    assert_eq!(full.files, empty.files + 3);
    let added = full.bytes - empty.bytes;
    assert!((1 << 20..=(1 << 20) + 32768).contains(&added), "{added}");
    assert_eq!(taken(Path::new("/nowhere/at/all")), Taken::default());
}

#[test]
fn room_is_made_of_what_is_gone_with_the_delegate() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["tmp/d", "w"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["tmp/a", "tmp/d/b", "w/c"] {
        fs::write(at(name), "x").unwrap();
    }
    std::os::unix::fs::symlink(at("w"), at("tmp/link")).unwrap();
    let room = Room::new(vec![at("tmp")], at("w"));
    assert_eq!(room.make(), Ok(()));
    assert_eq!(fs::read_dir(at("tmp")).unwrap().count(), 0);
    assert!(at("w/c").exists());
}
