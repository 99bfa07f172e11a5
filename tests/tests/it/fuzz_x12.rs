//! The fuzz bodies of X12 over real files.

use candor_tests::fuzz_x12::{x12, x12_path};

#[test]
fn the_bodies_hold_for_real_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/x12-lfh/demo");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for first in [0, 1, 40, 255] {
            x12(&[&[first], bytes.as_slice()].concat());
        }
        read += 1;
    }
    assert!(read > 5);
    x12(b"");
    x12_path(b"EB[3=30].1");
    x12_path(b"eb/3");
    x12_path(b"\xff");
}
