//! Archives, as `tar` reads them.

use proptest::prelude::*;

use crate::tar::{Archive, record};

#[test]
fn tar_reads_what_is_written() {
    let long = format!("files/{}/ä.json", "x".repeat(150));
    let files: [(&str, &[u8]); 4] =
        [("task.json", b"{}"), (&long, b"long"), ("sandbox/empty", b""), ("sandbox/block", &[7; 512])];
    let mut archive = Archive::default();
    archive.folder("sandbox");
    files.iter().for_each(|(path, content)| archive.file(path, content));
    let folder = tempfile::tempdir().unwrap();
    let tar = folder.path().join("a.tar");
    std::fs::write(&tar, archive.finish()).unwrap();
    let run = std::process::Command::new("tar").arg("xf").arg(&tar).arg("-C").arg(folder.path()).output().unwrap();
    assert!(run.status.success() && run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    for (path, content) in files {
        assert_eq!(std::fs::read(folder.path().join(path)).unwrap(), content, "{path}");
    }
}

proptest! {
    #[test]
    fn a_record_says_how_long_it_is(value in "\\PC{0,1200}") {
        let text = record("path", &value);
        let (length, _) = text.split_once(' ').unwrap();
        prop_assert_eq!(length.parse::<usize>().unwrap(), text.len());
    }
}
