//! Vectors that were written by somebody who has not seen this crate, from the contract alone: `conformance/held-back`.
//! Not each of them is held: precision and recall are, at what the first run came to. Run with `--nocapture` to see both, and
//! each vector that came out differently. `CANDOR_VOICE_VECTORS` names another folder, whose figures are not held.

use std::path::{Path, PathBuf};

use candor_voice_transcript::{CHECK, PART};

const HELD_BACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/held-back");

/// 94 of 97, for both.
const LEAST: f64 = 0.969;

#[test]
fn held_back() {
    let other = std::env::var_os("CANDOR_VOICE_VECTORS").map(PathBuf::from);
    let held = other.is_none();
    let folder = other.unwrap_or_else(|| PathBuf::from(HELD_BACK));
    let inner = folder.join("voice-transcript");
    let folder: &Path = if inner.is_dir() { &inner } else { &folder };
    assert!(folder.is_dir(), "no folder {}", folder.display());
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
    if held {
        assert!(figures.vectors >= 207, "{} vectors are left", figures.vectors);
        assert!(figures.precision() >= LEAST && figures.recall() >= LEAST, "{:#?}", figures.different);
    }
}
