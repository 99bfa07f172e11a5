//! Turns in another language than the one that is read: what they say is undecidable (`data/languages.txt`).

use std::collections::HashSet;

use crate::marks::Marks;
use crate::normalize::{Kind, Language, Normalized, Vocabulary, Word};
use crate::tables::{LANGUAGES, SMALL, SPANISH};

/// The fewest words of other languages in a turn that may say anything in its own.
const PLAINLY: usize = 3;
/// The fewest words without one that English tables know.
const FEWEST: usize = 6;
/// The same, where one of them is known to be of another language.
const FEWEST_KNOWN: usize = 4;

#[derive(Default)]
struct Words<'a> {
    all: Vec<&'a str>,
    /// Those of another script.
    script: usize,
    /// Those that are words of another language.
    known: usize,
    /// Those of the language that is read.
    english: usize,
    /// English ones that other languages have as well, and the task's own.
    shared: usize,
    /// Different words of other languages, names or not.
    function: HashSet<&'a str>,
}

fn is_spanish(word: &str) -> bool {
    SPANISH.words.contains_key(word)
        || SPANISH.values.contains_key(word)
        || SPANISH.numbers.contains_key(word)
        || SPANISH.small.contains(word)
}

impl<'a> Words<'a> {
    fn count(&mut self, word: &Word<'a>) {
        if LANGUAGES.words.contains(word.text) || LANGUAGES.parts.contains(word.text) {
            self.function.insert(word.text);
        }
        self.known += usize::from(LANGUAGES.words.contains(word.text));
        if LANGUAGES.shared.contains(word.text) {
            self.shared += 1;
        } else if !LANGUAGES.words.contains(word.text) {
            self.english += usize::from(word.marks != Marks::default() || SMALL.contains(word.text));
        }
    }

    fn are_foreign(&self) -> bool {
        let count = self.all.len();
        let english = self.english + if self.known > 0 { 0 } else { self.shared };
        let fewest = if self.known > 0 { FEWEST_KNOWN } else { FEWEST };
        self.script * 2 > count || (english == 0 && count >= fewest)
    }
}

/// The segments that are not in a language, in order, and whether they are plainly in another one.
pub(super) fn foreign(text: &Normalized, vocabulary: &Vocabulary) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let mut words = Words::default();
    let mut all = text.words().peekable();
    while let Some(word) = all.next() {
        if word.kind == Kind::Word
            && !word.marks.any(Marks::TAG.and(Marks::HESITATION))
            && !words.all.contains(&word.text)
        {
            if vocabulary.words.contains(word.text) {
                // a drug has one name in many languages
                words.shared += 1;
            } else if vocabulary.language == Language::Es {
                words.english += usize::from(is_spanish(word.text));
            } else {
                words.count(&word);
            }
            // enough to tell the script
            if words.all.len() < FEWEST {
                words.all.push(word.text);
                let other = |c: char| c.is_alphabetic() && !matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
                words.script += usize::from(word.text.chars().any(other));
            }
        }
        if all.peek().is_none_or(|next| next.segment != word.segment) {
            if words.are_foreign() {
                found.push((word.segment, words.function.len() >= PLAINLY));
            }
            words = Words::default();
        }
    }
    found
}
