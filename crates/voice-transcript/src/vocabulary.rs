//! The member `vocabulary`: the words that a task adds to the tables of its language.

use candor_check::settings::placed;
use serde::Deserialize;

use crate::matching::{is_never_exchanged, is_opposite};
use crate::normalize::{Kind, Language, Normalized, Vocabulary};
use crate::tables::SPANISH;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WrittenVocabulary {
    words: Vec<String>,
    initialisms: Vec<String>,
    homophones: Vec<Vec<String>>,
}

/// The most entries of a list.
const MOST: usize = 1_000;

const MOST_OF_A_SOUND: usize = 20;

/// The most characters of a word.
const LONGEST: usize = 64;

const LONGEST_INITIALISM: usize = 6;

impl WrittenVocabulary {
    /// The tables of a language with these words.
    ///
    /// # Errors
    /// The first entry that is not what its list holds, with its place.
    pub(crate) fn read(&self, language: Language) -> Result<Vocabulary, String> {
        let mut vocabulary = Vocabulary {
            words: each("vocabulary.words", &self.words, MOST, |entry| word(entry, language))?,
            initialisms: each("vocabulary.initialisms", &self.initialisms, MOST, |entry| initialism(entry, language))?,
            ..Vocabulary::of(language)
        };
        few("vocabulary.homophones", self.homophones.len(), MOST)?;
        for (index, group) in self.homophones.iter().enumerate() {
            let place = format!("vocabulary.homophones[{index}]");
            if group.len() < 2 {
                return Err(placed(&place, &format!("expected 2 or more words, found {}", group.len())));
            }
            let mut before: Vec<String> = Vec::new();
            each::<(), ()>(&place, group, MOST_OF_A_SOUND, |entry| {
                let word = word(entry, language)?;
                if is_fixed(&word, language) {
                    return Err(format!("{entry:?} is never exchanged for another word"));
                }
                if let Some(other) = before.iter().find(|other| is_opposite(other, &word)) {
                    return Err(format!("{entry:?} is the opposite of {other:?}"));
                }
                if let Some(group) = vocabulary.homophones.insert(word.clone(), index) {
                    return Err(format!("{entry:?} is in `vocabulary.homophones[{group}]` already"));
                }
                before.push(word);
                Ok(())
            })?;
        }
        Ok(vocabulary)
    }
}

/// True if a word, or in Spanish the English word for it, is never exchanged for another.
fn is_fixed(word: &str, language: Language) -> bool {
    let english = SPANISH.words.get(word).filter(|_| language == Language::Es);
    is_never_exchanged(word) || english.is_some_and(|english| is_never_exchanged(english))
}

fn few(place: &str, count: usize, most: usize) -> Result<(), String> {
    if count <= most { Ok(()) } else { Err(placed(place, &format!("expected at most {most} entries, found {count}"))) }
}

/// Reads each entry of a list; an error gets the place of its entry.
fn each<T, C: FromIterator<T>>(
    place: &str,
    entries: &[String],
    most: usize,
    mut read: impl FnMut(&str) -> Result<T, String>,
) -> Result<C, String> {
    few(place, entries.len(), most)?;
    let entries = entries.iter().enumerate();
    entries.map(|(index, entry)| read(entry).map_err(|why| placed(&format!("{place}[{index}]"), &why))).collect()
}

/// The word that an entry is, or the part of a message with what it is instead.
fn one_word(entry: &str, language: Language) -> Result<String, String> {
    let length = entry.chars().count();
    if length > LONGEST {
        return Err(format!("{length} characters"));
    }
    let said = Normalized::readings(&Vocabulary::of(language), &[entry], &[]).said;
    let letter = |c: char| c.is_ascii_alphabetic() || c == '\'' || !(c.is_ascii() || c.is_numeric());
    match said.word(0) {
        Some(word) if said.len() == 1 && word.kind == Kind::Word && length > 1 && entry.chars().all(letter) => {
            Ok(word.text.to_owned())
        }
        _ => Err(shown(entry, &said.render())),
    }
}

/// An entry, with the words that Candor reads in it where they are others.
fn shown(entry: &str, said: &str) -> String {
    let same = said.is_empty() || said == entry.to_lowercase();
    if same { format!("{entry:?}") } else { format!("{entry:?}, which Candor reads as {said:?}") }
}

fn word(entry: &str, language: Language) -> Result<String, String> {
    one_word(entry, language).map_err(|found| format!("expected one word of 2 to {LONGEST} letters, found {found}"))
}

fn initialism(entry: &str, language: Language) -> Result<String, String> {
    let fits = |entry: &str| {
        (2..=LONGEST_INITIALISM).contains(&entry.len()) && entry.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let lower = entry.to_ascii_lowercase();
    let bare = entry.replace(['.', ' '], "");
    let found = match one_word(entry, language) {
        // "TEN" would be the number in a call
        Ok(word) if word == lower && fits(entry) => return Ok(lower),
        _ if bare != entry && fits(&bare) => format!("{entry:?}; did you mean `{bare}`?"),
        Ok(word) => shown(entry, &word),
        Err(found) => found,
    };
    Err(format!("expected an abbreviation of 2 to {LONGEST_INITIALISM} letters, found {found}"))
}
