//! Voice transcripts: an hour of speech and two hundred phrases; normalization compared with the one of Whisper.
//!
//! The hour is made of the consultations of `fixtures/`, said one after the other. Where `CANDOR_PEERS_PYTHON` is set, as
//! `cargo xtask bench` does, Whisper's own English normalizer (PyPI: `whisper-normalizer`) runs first over the same turns and
//! prints its time.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use candor_voice_transcript::matching::{Heard, Mode, Phrase, Speakers};
use candor_voice_transcript::normalize::Normalized;
use candor_voice_transcript::transcript::{Extension, Transcript, Turn};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

/// Words of an hour of conversation.
const HOUR: usize = 9_000;

fn main() {
    if let Some(python) = std::env::var_os("CANDOR_PEERS_PYTHON") {
        in_python(&python);
    }
    divan::main();
}

fn in_python(python: &std::ffi::OsStr) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("whisper_english.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).spawn().expect("a Python");
    let texts: Vec<String> = hour().into_iter().map(|turn| turn.text.replace('\n', " ")).collect();
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(texts.join("\n").as_bytes()).expect("its input");
    drop(stdin);
    assert!(child.wait().expect("its end").success());
}

/// The turns of real dialogues until there is an hour of them.
fn hour() -> Vec<Turn> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut turns: Vec<Turn> = Vec::new();
    for file in ["transcript-aci-bench/virtscribe-0-human.txt", "transcript-primock57/day1-consultation02.json"] {
        let bytes = std::fs::read(fixtures.join(file)).expect("a file");
        turns.extend(Transcript::read(&bytes, Extension::of(file)).expect("a transcript").turns);
    }
    let count = |turns: &[Turn]| turns.iter().map(|turn| turn.text.split_whitespace().count()).sum::<usize>();
    let (one, mut hour) = (turns.clone(), turns);
    while count(&hour) < HOUR {
        hour.extend(one.iter().cloned());
    }
    hour
}

/// Phrases of four words from all over the hour, every second with a word that is not there.
fn phrases(turns: &[Turn]) -> Vec<String> {
    let words: Vec<&str> = turns.iter().flat_map(|turn| turn.text.split_whitespace()).collect();
    let step = words.len() / 200;
    let phrase = |at: usize| {
        let four = words[at * step..at * step + 4].join(" ");
        if at.is_multiple_of(2) { four } else { format!("{four} zeppelin") }
    };
    let phrases: Vec<String> = (0..200).map(phrase).collect();
    assert_eq!(phrases.len(), 200);
    phrases
}

fn found(bencher: Bencher<'_, '_>, mode: Mode) {
    let turns = hour();
    let phrases = phrases(&turns);
    bencher.counter(ItemsCount::new(phrases.len())).bench_local(|| {
        let heard = Heard::new(black_box(&turns), &Speakers::default());
        let said = |text: &String| {
            let phrase = Phrase::new(text, mode).expect("a phrase");
            usize::from(heard.occurrences(&phrase, None).next().is_some())
        };
        phrases.iter().map(said).sum::<usize>()
    });
}

/// An hour and two hundred phrases: normalizing both, and looking for them.
#[divan::bench]
fn candor_hour_of_200_phrases(bencher: Bencher) {
    found(bencher, Mode::Normalized);
}

#[divan::bench(sample_count = 10)]
fn candor_hour_of_200_fuzzy_phrases(bencher: Bencher) {
    found(bencher, Mode::Fuzzy);
}

/// Both readings of every turn.
#[divan::bench]
fn candor_normalize(bencher: Bencher) {
    let turns = hour();
    let bytes = turns.iter().map(|turn| turn.text.len()).sum::<usize>();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let words = |turn: &Turn| {
            let texts = [turn.text.as_str()];
            Normalized::of(black_box(&texts)).len() + Normalized::canonical(black_box(&texts)).len()
        };
        turns.iter().map(words).sum::<usize>()
    });
}

#[divan::bench]
fn candor_hear(bencher: Bencher) {
    let turns = hour();
    bencher.bench_local(|| Heard::new(black_box(&turns), &Speakers::default()).turns_read(None));
}
