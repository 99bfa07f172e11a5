//! How well phrases are found in a speech recognizer's transcript, compared with a person's transcript of the same
//! call: ACI-Bench's pairs.
//!
//! A phrase of the human transcript was spoken, so finding it in the recognizer's is right (recall). The same phrase
//! with another number, unit, side, or with a negation more or less was not spoken, so finding that is wrong
//! (precision). Run with `--nocapture` to see the figures; `docs/checks/voice-transcript.md` repeats them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail by panicking")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use candor_voice_transcript::matching::{Heard, Mode, Phrase, Said, Speakers};
use candor_voice_transcript::transcript::{Extension, Transcript, Turn};

const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/transcript-aci-bench/pairs");

fn turns(path: &Path) -> Vec<Turn> {
    Transcript::read(&fs::read(path).unwrap(), Extension::Other).unwrap().turns
}

/// Windows of four words of the human transcript that hold no mark of a pause, every fifth of them.
fn phrases(turns: &[Turn]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for turn in turns {
        let words: Vec<&str> = turn.text.split_whitespace().collect();
        for window in words.windows(4).step_by(5) {
            let plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '\'');
            let long = window.iter().filter(|word| word.len() > 3).count();
            if window.iter().all(plain) && long >= 2 {
                found.push(window.iter().map(|word| word.to_lowercase()).collect());
            }
        }
    }
    found
}

/// Words whose exchange makes another statement.
const CHANGED: [(&str, &str); 34] = [
    ("one", "two"),
    ("two", "three"),
    ("three", "two"),
    ("four", "five"),
    ("five", "nine"),
    ("six", "seven"),
    ("seven", "eleven"),
    ("ten", "two"),
    ("twelve", "twenty"),
    ("thirteen", "thirty"),
    ("fifteen", "fifty"),
    ("fifty", "fifteen"),
    ("sixteen", "sixty"),
    ("twenty", "twelve"),
    ("thirty", "thirteen"),
    ("forty", "fourteen"),
    ("sixty", "sixteen"),
    ("hundred", "thousand"),
    ("milligrams", "micrograms"),
    ("milligram", "microgram"),
    ("left", "right"),
    ("right", "left"),
    ("days", "weeks"),
    ("weeks", "months"),
    ("months", "years"),
    ("years", "months"),
    ("daily", "weekly"),
    ("morning", "evening"),
    ("not", "now"),
    ("no", "any"),
    ("never", "always"),
    ("without", "with"),
    ("increase", "decrease"),
    ("positive", "negative"),
];

/// The phrase with another number, unit, side, or without its negation.
fn changed(phrase: &[String]) -> Option<Vec<String>> {
    let at = phrase.iter().position(|word| {
        CHANGED.iter().any(|(from, _)| from == word) || word.parse::<u32>().is_ok_and(|number| number > 0)
    })?;
    let mut other = phrase.to_vec();
    other[at] = match CHANGED.iter().find(|(from, _)| *from == other[at]) {
        Some((_, to)) => (*to).to_owned(),
        None => (other[at].parse::<u32>().ok()? + 1).to_string(),
    };
    Some(other)
}

/// The phrase with a negation more.
fn negated(phrase: &[String]) -> Option<Vec<String>> {
    let verb = |word: &&String| {
        matches!(word.as_str(), "is" | "are" | "was" | "were" | "have" | "has" | "do" | "can" | "will")
    };
    let at = phrase.iter().position(|word| verb(&word))?;
    let mut other = phrase.to_vec();
    other.insert(at + 1, "not".to_owned());
    Some(other)
}

#[derive(Default)]
struct Score {
    said: usize,
    found: usize,
    unsaid: usize,
    wrong: Vec<String>,
}

#[test]
fn recall_and_precision() {
    let mut scores = [Score::default(), Score::default()];
    let mut pairs = 0;
    let mut files: Vec<_> = fs::read_dir(PAIRS).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for human in files.iter().filter(|path| path.to_string_lossy().ends_with("-human.txt")) {
        let recognized = turns(Path::new(&human.to_string_lossy().replace("-human.txt", "-asr.txt")));
        let written = turns(human);
        pairs += 1;
        let plain = |turns: &[Turn]| -> String {
            let text: Vec<String> = turns.iter().map(|turn| turn.text.to_lowercase()).collect();
            format!(" {} ", text.join(" ").split_whitespace().collect::<Vec<_>>().join(" "))
                .replace(" n't", " not")
                .replace("n't", " not")
        };
        let (written_text, recognized_text) = (plain(&written), plain(&recognized));
        let stands = |phrase: &str| {
            let padded = format!(" {phrase} ");
            written_text.contains(&padded) || recognized_text.contains(&padded)
        };
        let heard = Heard::new(&recognized, &Speakers::default());
        let mut seen = HashSet::new();
        for words in phrases(&written) {
            let phrase = words.join(" ");
            if !seen.insert(phrase.clone()) {
                continue;
            }
            for (score, mode) in scores.iter_mut().zip([Mode::Normalized, Mode::Fuzzy]) {
                let found = |text: &str| {
                    let phrase = Phrase::new(text, mode).unwrap();
                    heard.occurrences(&phrase, None).next().map(|at| (at.said, heard.quote(&at)))
                };
                score.said += 1;
                score.found += usize::from(found(&phrase).is_some());
                for other in [changed(&words), negated(&words)].into_iter().flatten() {
                    let other = other.join(" ");
                    if stands(&other) {
                        continue;
                    }
                    score.unsaid += 1;
                    // under a negation it counts as not said
                    if let Some((Said::Plain, quote)) = found(&other) {
                        score.wrong.push(format!("{other:?} in {quote:?}"));
                    }
                }
            }
        }
    }
    assert!(pairs >= 10, "{pairs} pairs");
    for (score, (mode, least)) in scores.iter().zip([("normalized", 0.80), ("fuzzy", 0.85)]) {
        let share = |part: usize, of: usize| part as f64 / of as f64;
        let recall = share(score.found, score.said);
        let precision = share(score.found, score.found + score.wrong.len());
        println!(
            "{mode}: recall {recall:.3} of {} phrases; {} of {} changed ones found, precision {precision:.4}",
            score.said,
            score.wrong.len(),
            score.unsaid
        );
        assert!(score.unsaid >= 200, "{} changed phrases", score.unsaid);
        assert!(score.wrong.is_empty(), "{mode}: numbers, doses, negations: {:#?}", score.wrong);
        assert!(recall > least, "{mode}: recall {recall}");
    }
}

/// How the check reads the same words without punctuation: of the phrases that a person's transcript says plainly, how
/// many count as negated or taken back, how many are undecidable, and how many still count.
#[test]
fn plain_phrases_without_punctuation() {
    let mut files: Vec<_> = fs::read_dir(PAIRS).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut said, mut counted, mut denied, mut open) = (0_usize, 0_usize, Vec::new(), Vec::new());
    for human in files.iter().filter(|path| path.to_string_lossy().ends_with("-human.txt")) {
        let written = turns(human);
        let mut bare = written.clone();
        for turn in &mut bare {
            let mark = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '-' | '"' | '(' | ')');
            turn.text = turn.text.to_lowercase().replace(mark, " ").split_whitespace().collect::<Vec<_>>().join(" ");
        }
        let (speakers, mut seen) = (Speakers::default(), HashSet::new());
        let (with, without) = (Heard::new(&written, &speakers), Heard::new(&bare, &speakers));
        let all = |heard: &Heard<'_>, phrase: &Phrase| -> Vec<(Said, String)> {
            heard.occurrences(phrase, None).map(|at| (at.said, heard.quote(&at))).collect()
        };
        for phrase in phrases(&written).into_iter().map(|words| words.join(" ")) {
            let wanted = Phrase::new(&phrase, Mode::Normalized).unwrap();
            let plain = |found: &[(Said, String)]| found.iter().any(|(said, _)| *said == Said::Plain);
            if !seen.insert(phrase) || !plain(&all(&with, &wanted)) {
                continue;
            }
            said += 1;
            let found = all(&without, &wanted);
            match found.iter().find(|(said, _)| *said == Said::Doubtful).or(found.first()) {
                _ if plain(&found) => counted += 1,
                Some((Said::Doubtful, quote)) => open.push(quote.clone()),
                Some((_, quote)) => denied.push(quote.clone()),
                None => {}
            }
        }
    }
    let share = |part: usize| part as f64 / said as f64;
    println!(
        "without punctuation: {said} phrases that are said plainly; recall {:.4}, negated {:.4} ({}), undecidable {:.4} ({})",
        share(counted),
        share(denied.len()),
        denied.len(),
        share(open.len()),
        open.len(),
    );
    for (kind, quotes) in [("negated", &denied), ("undecidable", &open)] {
        for quote in quotes {
            println!("- {kind}: {quote}");
        }
    }
    assert!(said > 1_000, "{said} phrases");
    assert!(share(denied.len()) <= 0.005, "{} negated", denied.len());
    assert!(share(open.len()) <= 0.02, "{} undecidable", open.len());
    assert!(share(counted) >= 0.85, "{counted} of {said}");
}
