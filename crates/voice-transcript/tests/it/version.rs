//! The version of normalization is another one whenever a normal form is: its forms of a fixed corpus are held by a digest.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use candor_voice_transcript::normalize::{Normalized, VERSION};
use candor_voice_transcript::transcript::{Extension, Transcript};
use sha2::{Digest, Sha256};

/// Every version and the digest of its normal forms, the last one first.
const VERSIONS: [(u32, &str); 5] = [
    (6, "145527d1aa14b27da65349ec22591ad4c22b29ff0d9b9566ad514f0ca0e37cb4"),
    (5, "cfbea1843ddb72f95f723f23ede2e06110e03586b0743eea2da38d162a727efd"),
    (4, "d2ec29d0ab26031e5752f565e6a69d8d0ef2eff054fc450f6a582c9f2e10514b"),
    (3, "586424ecd9d5703c9122166277cf1a11dbadef1e4cc01170af0b2cc3de4404cf"),
    (2, "9574272f2b771a295b7aa9d6e817301f098f3778295531702da2cab82bf06a32"),
];

/// The tables that make normal forms.
const TABLES: [&str; 11] = [
    "canonical.tsv",
    "contractions.tsv",
    "currencies.txt",
    "fillers.txt",
    "initialisms.txt",
    "numbers.tsv",
    "point.txt",
    "spelling-alphabet.txt",
    "spelling.tsv",
    "tags.txt",
    "units.txt",
];

/// The words and marks that the rules are about, to meet in every order.
const PIECES: [&str; 64] = [
    "one",
    "two",
    "fifteen",
    "twenty",
    "hundred",
    "million",
    "third",
    "oh",
    "double",
    "point",
    "and",
    "a half",
    "half past",
    "quarter to",
    "a",
    "i",
    "b",
    "b as in boy",
    "whiskey",
    "mike",
    "dash",
    "uh",
    "you know",
    "secur-",
    "security",
    "the the",
    "not",
    "no",
    "can't",
    "do n't",
    "O\u{2019}Brien's",
    "colour",
    "5",
    "12",
    "1985",
    "3/14/1985",
    "1985-03-14",
    "3:30",
    "3-4",
    "1.5",
    ".5",
    "-5",
    "1,250",
    "1/2",
    "$2.50",
    "\u{a2}",
    "dollars",
    "cents",
    "per cent",
    "%",
    "mg",
    "milligrams",
    "b i d",
    "March",
    "may",
    "of",
    "14th",
    "dr.",
    "co pay",
    "I.D.",
    "[music]",
    "[inaudible]",
    "\u{e9}\u{301}",
    "minus",
];
const GAPS: [&str; 10] = [" ", " ", " ", " ", "", "-", ", ", ". ", "? ", "\n"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The turns of every transcript that was recorded, call by call.
fn calls() -> Vec<Vec<String>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let folders = fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| path.to_string_lossy().contains("transcript-")).collect();
    folders.sort();
    let call = |path: PathBuf| {
        let read = Transcript::read(&fs::read(&path).unwrap(), Extension::of(&path.to_string_lossy())).ok()?;
        Some(read.turns.into_iter().map(|turn| turn.text).collect())
    };
    folders.iter().flat_map(|folder| files(folder)).filter_map(call).collect()
}

/// Every line of the tables, behind a number.
fn lines() -> Vec<Vec<String>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let table = |name: &&str| fs::read_to_string(data.join(name)).unwrap();
    let text = TABLES.iter().map(table).collect::<String>();
    text.lines().map(|line| vec![line.to_owned(), format!("Take 2 {line}, then")]).collect()
}

/// Pieces in an order that is always the same.
fn mixed() -> Vec<Vec<String>> {
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut text = || (0..8).flat_map(|_| [PIECES[next(64)], GAPS[next(10)]]).collect::<String>();
    (0..3000).map(|_| vec![text(), text()]).collect()
}

fn digest() -> String {
    let corpus: Vec<Vec<String>> = calls().into_iter().chain(lines()).chain(mixed()).collect();
    assert!(corpus.len() > 5000, "{} texts", corpus.len());
    let mut hash = Sha256::new();
    for texts in corpus {
        let segments: Vec<&str> = texts.iter().map(String::as_str).collect();
        for reading in [Normalized::of(&segments), Normalized::canonical(&segments)] {
            for word in reading.words() {
                let (text, kind, segment, span, pause) = (word.text, word.kind, word.segment, word.span, word.pause);
                hash.update(format!("{text} {kind:?} {segment} {span:?} {pause:?}\n"));
            }
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn another_normal_form_is_another_version() {
    let digest = digest();
    let (version, held) = VERSIONS[0];
    assert_eq!(
        version, VERSION,
        "write the new version here with its digest, before the others: (VERSION, \"{digest}\")"
    );
    assert_eq!(
        held, digest,
        "texts have other normal forms than version {version} gives them: raise `normalize::VERSION`, put it before this one \
         here with the digest above, and name it in docs/checks/voice-transcript.md and CHANGELOG.md. If only the corpus is \
         another one (a new fixture, a new line of a table that is in no text), its digest alone is"
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/checks/voice-transcript.md");
    assert!(fs::read_to_string(page).unwrap().contains(&format!("version {VERSION} of the pipeline")));
}
