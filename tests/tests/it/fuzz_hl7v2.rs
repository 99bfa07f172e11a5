//! The fuzz bodies over real messages, cut off and with bytes exchanged.

use candor_tests::fuzz_hl7v2::{hl7v2, hl7v2_path, read};

#[test]
fn real_messages_damaged() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");
    let folders = std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with("hl7v2-"));
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()));
    let mut files: Vec<_> = files.collect();
    files.sort();
    // Ten and the nine ways of damage have no common factor, so each is explained. Every file is read whole; in small size
    // every fourth one is damaged.
    let (places, explained, damaged_files) =
        (candor_test_size::pick(10, 400), candor_test_size::pick(10, 1), candor_test_size::pick(4, 1));
    let (mut runs, mut explanations) = (0, 0);
    for (number, file) in files.iter().enumerate() {
        let bytes = std::fs::read(file).unwrap();
        hl7v2(&bytes);
        let step = bytes.len() / places + 1;
        for at in (0..bytes.len()).step_by(step).filter(|_| number.is_multiple_of(damaged_files)) {
            let cut = std::iter::once(bytes[..at].to_vec());
            let exchanged = [0, b'\r', b'\\', b'^', b'|', 0x0B, 0x1C, 0xFF].into_iter().map(|byte| {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                damaged
            });
            for damaged in cut.chain(exchanged) {
                if runs % explained == 0 {
                    hl7v2(&damaged);
                    explanations += 1;
                } else {
                    read(&damaged);
                }
                runs += 1;
            }
        }
    }
    println!("{} files, {runs} damaged copies, {explanations} of them explained", files.len());
    assert!(files.len() > 400 && runs > 8_000 && explanations > 800, "{runs} {explanations}");
}

#[test]
fn paths_damaged() {
    for path in ["OBX[3.1=2345-7][11=F].5[*].1.2", "PID-3[2]-4.2", "MSH[9.1=A].2.1"] {
        for at in 0..=path.len() {
            hl7v2_path(&path.as_bytes()[..at]);
            hl7v2_path(&path.as_bytes()[at..]);
            for byte in b"[]=*.-0A\n\xC3" {
                let damaged = [&path.as_bytes()[..at], &[*byte], &path.as_bytes()[at..]].concat();
                hl7v2_path(&damaged);
            }
        }
    }
}
