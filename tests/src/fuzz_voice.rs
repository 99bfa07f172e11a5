//! The bodies of the voice fuzz targets: any bytes as a transcript, any text normalized and searched for.

use candor_voice_transcript::matching::{Heard, Mode, Phrase, Said, Speakers};
use candor_voice_transcript::normalize::{Normalized, Pause};
use candor_voice_transcript::transcript::{Extension, Format, Transcript, Turn};

/// Reads bytes as a transcript of either extension and of every format: every turn is at its span, and a search for
/// phrases does not panic.
///
/// # Panics
/// When a turn is not in the bytes, or an occurrence quotes nothing.
pub fn transcript(data: &[u8]) {
    let told = [Extension::Json, Extension::Other].map(|extension| Transcript::read(data, extension));
    let named = Format::names().filter_map(Format::named).map(|format| Transcript::read_as(data, format));
    for call in told.into_iter().chain(named).flatten() {
        for turn in &call.turns {
            assert!(data.get(turn.span.clone()).is_some_and(|bytes| !bytes.is_empty()), "a turn is not in the bytes");
        }
        let heard = Heard::new(&call.turns, &Speakers::default());
        for (text, mode) in [
            ("date of birth", Mode::Normalized),
            ("5", Mode::Exact),
            ("[a-z]+", Mode::Regex),
            ("take fifteen milligrams daily", Mode::Fuzzy),
        ] {
            let phrase = Phrase::new(text, mode).expect("a phrase");
            for found in heard.occurrences(&phrase, None).take(100) {
                assert!(!heard.quote(&found).is_empty(), "an occurrence quotes nothing");
            }
        }
    }
}

/// Normalizes a text (a NUL ends a turn): words are at their spans, normalizing twice changes nothing, and a text is
/// found in itself.
///
/// # Panics
/// When one of these does not hold.
pub fn normalize(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let segments: Vec<&str> = text.split('\0').collect();
    let words = Normalized::of(&segments);
    for word in words.words() {
        let source = segments.get(word.segment).and_then(|segment| segment.get(word.span.clone()));
        assert!(source.is_some_and(|source| !source.is_empty()), "a word is not in the text");
        assert!(!word.text.is_empty(), "a word without characters");
    }
    let mut before = (0, 0);
    for word in Normalized::canonical(&segments).words() {
        let source = segments.get(word.segment).and_then(|segment| segment.get(word.span.clone()));
        assert!(source.is_some_and(|source| !source.is_empty()), "a canonical word is not in the text");
        assert!(before <= (word.segment, word.span.start), "canonical words are in another order");
        before = (word.segment, word.span.start);
    }
    if words.words().all(|word| word.pause < Pause::Turn) {
        let once = words.render();
        assert_eq!(Normalized::of(&[&once]).render(), once, "normalizing twice is not once");
    }
    let Ok(phrase) = Phrase::new(text, Mode::Normalized) else { return };
    let turns = [Turn { speaker: Some("agent".to_owned()), text: text.to_owned(), spoken: true, ..Turn::default() }];
    let heard = Heard::new(&turns, &Speakers::default());
    let found = heard.occurrences(&phrase, None).next();
    assert!(found.is_some_and(|found| found.said == Said::Plain), "a text is not found in itself");
}
