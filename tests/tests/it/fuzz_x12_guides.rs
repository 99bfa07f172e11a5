//! The fuzz bodies of the X12 guides over real files.

use candor_tests::fuzz_x12_guides::{for_each_set, x12_answers, x12_guides};

#[test]
fn the_bodies_hold_for_real_files() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut asked = 0;
    for folder in ["x12-lfh/demo", "x12-pyx12", "x12-moov/example_5010_835"] {
        for entry in std::fs::read_dir(fixtures.join(folder)).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            for_each_set(&bytes, |_| asked += 1);
            x12_guides(&bytes);
            x12_answers(&bytes);
        }
    }
    assert!(asked > 10, "{asked} sets");
}
