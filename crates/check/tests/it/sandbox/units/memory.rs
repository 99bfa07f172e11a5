//! The paths of files in memory.

use std::sync::Arc;

use crate::sandbox::memory::{Memory, MemoryFile, plain};

#[test]
fn paths_are_made_plain_or_refused() {
    for (path, expected) in [
        ("x12/a.edi", Some("x12/a.edi")),
        ("./x12//a.edi", Some("x12/a.edi")),
        ("hl7/", Some("hl7")),
        ("", None),
        ("/", None),
        (".", None),
        ("/etc/passwd", None),
        ("x12/../hl7/a", None),
        ("a\0b", None),
    ] {
        assert_eq!(plain(path).as_deref(), expected, "{path:?}");
    }
}

#[test]
fn a_folder_is_there_by_its_files_or_by_its_name() {
    let file = || MemoryFile { bytes: Arc::from(&b""[..]), modified: None };
    let mut memory = Memory::default();
    memory.files.insert("hl7/in/a".to_owned(), file());
    memory.files.insert("hl7x".to_owned(), file());
    memory.folders.insert("fhir/empty".to_owned());
    for (path, is_folder) in
        [("hl7", true), ("hl7/in", true), ("hl7x", false), ("hl", false), ("fhir", true), ("fhir/empty", true)]
    {
        assert_eq!(memory.is_folder(path), is_folder, "{path}");
    }
    assert_eq!(memory.below("hl7").count(), 1);
    assert_eq!(memory.below("").count(), 2);
}
