//! The bodies of the voice fuzz targets: any bytes as a transcript, any text normalized and searched for, any phrase in any
//! turns.

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

/// Looks for a phrase in turns, in every mode: the phrase up to a NUL, then the turns, each up to a NUL. The first character of
/// a turn chooses its speaker and its times. The place of an occurrence is in its turns.
///
/// # Panics
/// When it is not.
pub fn turns(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut parts = text.split('\0');
    let phrase = parts.next().unwrap_or_default();
    let turns: Vec<Turn> = parts.filter_map(turn).collect();
    let heard = Heard::new(&turns, &Speakers::default());
    for mode in [Mode::Normalized, Mode::Exact, Mode::Regex, Mode::Fuzzy] {
        let Ok(phrase) = Phrase::new(phrase, mode) else { continue };
        for found in [None, Some("agent")].into_iter().flat_map(|role| heard.occurrences(&phrase, role).take(100)) {
            let (quote, (negation, from)) = (heard.quote(&found), found.negation);
            let begins = turns.get(found.turn).is_some_and(|turn| turn.text.is_char_boundary(found.at.1));
            assert!(begins, "an occurrence begins outside its turn");
            let from = if negation == found.last_turn { from } else { 0 };
            let last = turns.get(found.last_turn).and_then(|turn| turn.text.get(from..found.end));
            assert!(last.is_some_and(|last| quote.ends_with(last)), "an occurrence ends outside its turn");
            assert!(!quote.is_empty(), "an occurrence quotes nothing");
        }
    }
}

fn turn(part: &str) -> Option<Turn> {
    let first = part.chars().next()?;
    let (kind, text) = (u64::from(first), part.get(first.len_utf8()..)?);
    let speaker = [Some("agent"), Some("caller"), Some("Dr. Lee"), None][(kind % 4) as usize];
    // milliseconds, in no order
    let start = (kind & 4 != 0).then_some(kind * 500);
    Some(Turn {
        speaker: speaker.map(str::to_owned),
        text: text.to_owned(),
        spoken: kind & 8 == 0,
        start,
        end: start.map(|start| start + 1_000),
        ..Turn::default()
    })
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
