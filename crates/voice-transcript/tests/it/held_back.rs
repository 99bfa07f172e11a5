//! Vectors that were written by somebody who has not seen this crate, from the contract alone: `conformance/held-back`.
//! They are counted and not held: run with `--nocapture` to see precision, recall and each that came out differently.
//! `CANDOR_VOICE_VECTORS` names another folder.

use std::path::{Path, PathBuf};

use candor_voice_transcript::{CHECK, PART};

const HELD_BACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/held-back");

#[test]
fn held_back() {
    let folder = std::env::var_os("CANDOR_VOICE_VECTORS").map_or_else(|| PathBuf::from(HELD_BACK), PathBuf::from);
    let inner = folder.join("voice-transcript");
    let folder: &Path = if inner.is_dir() { &inner } else { &folder };
    if !folder.is_dir() {
        println!("no folder {}", folder.display());
        return;
    }
    let figures = candor_check_testkit::figures(CHECK, &[PART], folder);
    for line in &figures.different {
        println!("- {line}");
    }
    println!(
        "{} vectors, {} right; {} greens, {} earned: precision {:.3}; {} must pass: recall {:.3}; {} wrong reds",
        figures.vectors,
        figures.right,
        figures.green,
        figures.earned,
        figures.precision(),
        figures.greens_expected,
        figures.recall(),
        figures.wrong_reds,
    );
    assert!(figures.vectors > 0, "{} holds no vector", folder.display());
}
