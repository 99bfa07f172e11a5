//! A folder of this machine.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::files_live::suite::{Place, conforms};

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

/// Writes a file in a folder of this machine, its folders included.
pub(crate) fn put(folder: &Path, path: &str, bytes: &[u8]) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

/// Adds to a file in a folder of this machine.
pub(crate) fn append(folder: &Path, path: &str, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().append(true).open(folder.join(path)).unwrap();
    std::io::Write::write_all(&mut file, bytes).unwrap();
}

impl Place for Folder {
    fn files(&self) -> String {
        format!("url = \"file://{}\"", self.0.path().display())
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        put(self.0.path(), path, bytes);
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        append(self.0.path(), path, bytes);
    }

    fn folder(&self) -> Option<&Path> {
        Some(self.0.path())
    }
}

conforms!(super::Folder::new, with links);

#[test]
fn without_a_folder_there_is_no_source() {
    let assertion = candor_json::json!({"assert": "sftp-file-present", "path": "*", "count": 0});
    candor_tests::grade::described("", assertion).is("unverifiable no_source", &["no `files/` folder"]);
}
