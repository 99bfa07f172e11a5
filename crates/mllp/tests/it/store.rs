//! The folder that frames are written to.

use std::fs;
use std::path::Path;

use candor_mllp::Store;

#[test]
fn what_a_killed_recorder_left_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    // No process has this number: it is above what Linux allows.
    let dead = folder.path().join(".mllp-00000003-4294967295-0.part");
    let own = folder.path().join(format!(".mllp-00000004-{}-0.part", std::process::id()));
    let other = folder.path().join(".notes.part");
    for file in [&dead, &own, &other] {
        fs::write(file, "MSH|").unwrap();
    }
    Store::open(folder.path()).unwrap();
    assert_eq!([&dead, &own, &other].map(|file| file.exists()), [!Path::new("/proc/self").exists(), true, true]);
}
