//! The removal of whole folders.

use std::{fs, io};

use crate::removal::remove_tree;

#[test]
fn a_wide_and_a_nested_folder_go_and_what_links_lead_to_stays() {
    let root = tempfile::tempdir().unwrap();
    let outside = root.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "x").unwrap();
    for nested in [false, true] {
        let tree = root.path().join("tree");
        for i in 0..200 {
            let folder = tree.join(if nested { format!("only/{}/{i}/deep", i % 3) } else { format!("{i}") });
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), "x").unwrap();
            std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        }
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && outside.join("kept").exists());
    }
    assert_eq!(remove_tree(&root.path().join("tree")).unwrap_err().kind(), io::ErrorKind::NotFound);
}
