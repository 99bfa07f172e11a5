//! The data files of `data/`.

use crate::tables::{
    Answers, CLASSES, CONTRACTIONS, Clauses, Corrections, Draft, FILLERS_FILE, Gaps, INITIALISMS, Labels, Languages,
    NUMBERS, Negations, Records, SPELLING, Stance, WAYS, lines, section,
};

/// Every line of every table is understood: a misspelt line would otherwise be left out in silence.
#[test]
fn every_line_is_read() {
    let count = |file: &'static str| lines(file).count();
    assert_eq!(SPELLING.len(), count(include_str!("../../../data/spelling.tsv")));
    assert_eq!(CONTRACTIONS.len(), count(include_str!("../../../data/contractions.tsv")));
    assert_eq!(INITIALISMS.len(), count(include_str!("../../../data/initialisms.txt")));
    assert_eq!(NUMBERS.len(), count(include_str!("../../../data/numbers.tsv")));
    let sections = [
        Negations::SECTIONS,
        Clauses::SECTIONS,
        Corrections::SECTIONS,
        Languages::SECTIONS,
        Stance::SECTIONS,
        Answers::SECTIONS,
        Gaps::SECTIONS,
        Records::SECTIONS,
        Draft::SECTIONS,
        Labels::SECTIONS,
        &[(include_str!("../../../data/clauses.txt"), "abbreviations")],
    ]
    .concat();
    let fillers = ["hesitations", "words", "between pauses"].map(|name| (FILLERS_FILE, name));
    let tags = ["unheard", "sounds"].map(|name| (include_str!("../../../data/tags.txt"), name));
    let alphabet = ["sure", "in company"].map(|name| (include_str!("../../../data/spelling-alphabet.txt"), name));
    for (file, name) in sections.into_iter().chain(fillers).chain(tags).chain(alphabet) {
        assert!(!section(file, name).is_empty(), "{name}");
    }
    assert_eq!(WAYS.1.len(), count(include_str!("../../../data/canonical.tsv")));
    assert!(!CLASSES.is_empty());
}

/// Normalizing twice must change nothing, so a value of a table must not be a key of a table.
#[test]
fn tables_do_not_feed_each_other() {
    for (key, words) in CONTRACTIONS.iter() {
        for word in words.split(' ') {
            assert!(!CONTRACTIONS.contains_key(word), "{key}: {word}");
            assert!(!SPELLING.contains_key(word), "{key}: {word}");
            assert!(!NUMBERS.contains_key(word), "{key}: {word}");
        }
    }
    for (british, american) in SPELLING.iter() {
        for text in [british, american] {
            assert!(text.bytes().all(|byte| byte.is_ascii_lowercase()), "{text}");
            assert!(text.len() > 1 && !NUMBERS.contains_key(text), "{text}");
        }
        assert!(!SPELLING.contains_key(american), "{british}");
        assert!(!CONTRACTIONS.contains_key(american), "{british}");
        assert!(!CONTRACTIONS.contains_key(british), "{british}");
    }
    for (way, form) in WAYS.1.iter() {
        assert!(WAYS.1.keys().all(|other| !format!(" {form} ").contains(&format!(" {other} "))), "{way}: {form}");
    }
    for word in INITIALISMS.iter() {
        assert!(!SPELLING.contains_key(word) && !CONTRACTIONS.contains_key(word) && !NUMBERS.contains_key(word));
    }
}
