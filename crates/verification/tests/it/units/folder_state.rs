//! Folders that are written to.

use crate::folder_state::FolderState;

#[test]
fn every_write_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("portal");
    let absent = FolderState::of(&part);
    assert!(absent.is_same(&FolderState::of(&part)));
    std::fs::create_dir_all(part.join("more")).unwrap();
    std::fs::write(part.join("more/a.json"), "[1]").unwrap();
    let was = FolderState::of(&part);
    assert!(was.is_same(&FolderState::of(&part)) && !was.is_same(&absent));
    std::fs::write(part.join("more/b.json"), "[]").unwrap();
    assert!(!was.is_same(&FolderState::of(&part)));
    std::fs::remove_file(part.join("more/b.json")).unwrap();
    // The folder itself was written to.
    assert!(!was.is_same(&FolderState::of(&part)));
}
