//! The words by which a call is read: the tables of its language, and what a task adds to them (`vocabulary`).

use std::collections::{HashMap, HashSet};

use candor_check::settings::placed;
use serde::Deserialize;

use crate::matching::{is_never_exchanged, is_opposite};
use crate::normalize::{Kind, Language, Normalized};

/// The member `vocabulary` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenVocabulary {
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    initialisms: Vec<String>,
    #[serde(default)]
    homophones: Vec<Vec<String>>,
}

/// A language, and a task's own words in their normalized form. `Default` adds no word to English.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) language: Language,
    words: HashSet<String>,
    initialisms: HashSet<String>,
    /// Each word with the index of its group.
    homophones: HashMap<String, usize>,
}

/// The most entries of a list.
const MOST: usize = 1_000;

/// The most words of one sound.
const MOST_OF_A_SOUND: usize = 20;

/// The most characters of a word.
const LONGEST: usize = 64;

const LONGEST_INITIALISM: usize = 6;

impl Vocabulary {
    pub(crate) fn of(language: Language) -> Self {
        Self { language, ..Self::default() }
    }

    /// The tables with a task's own words.
    ///
    /// # Errors
    /// The first entry that is not what its list holds, with its place.
    pub(crate) fn new(language: Language, written: &WrittenVocabulary) -> Result<Self, String> {
        let mut vocabulary = Self::of(language);
        vocabulary.words = each("vocabulary.words", &written.words, MOST, |entry| word(entry, language))?;
        vocabulary.initialisms = each("vocabulary.initialisms", &written.initialisms, MOST, initialism)?;
        let groups = &written.homophones;
        few("vocabulary.homophones", groups.len(), MOST)?;
        for (index, group) in groups.iter().enumerate() {
            let place = format!("vocabulary.homophones[{index}]");
            if group.len() < 2 {
                return Err(placed(&place, &format!("expected 2 or more words, found {}", group.len())));
            }
            let mut before: Vec<String> = Vec::new();
            each::<(), ()>(&place, group, MOST_OF_A_SOUND, |entry| {
                let word = word(entry, language)?;
                if is_never_exchanged(&word) || before.iter().any(|other| is_opposite(other, &word)) {
                    return Err(format!("{entry:?} is never exchanged for another word"));
                }
                if vocabulary.homophones.insert(word.clone(), index).is_some() {
                    return Err(format!("{entry:?} is given twice"));
                }
                before.push(word);
                Ok(())
            })?;
        }
        Ok(vocabulary)
    }

    /// True if a word is one of the task's own.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    pub(crate) fn has_initialism(&self, word: &str) -> bool {
        self.initialisms.contains(word)
    }

    /// The group of words that sound like this one.
    pub(crate) fn homophones_of(&self, word: &str) -> Option<usize> {
        self.homophones.get(word).copied()
    }
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

/// An entry as the words of a call have it.
fn word(entry: &str, language: Language) -> Result<String, String> {
    let expected = format!("expected one word of 2 to {LONGEST} letters");
    let length = entry.chars().count();
    if length > LONGEST {
        return Err(format!("{expected}, found {length} characters"));
    }
    let said = Normalized::readings(&Vocabulary::of(language), &[entry], &[]).said;
    let letters = entry.chars().all(|c| c.is_ascii_alphabetic() || c == '\'' || !c.is_ascii());
    match (said.word(0), said.len()) {
        (Some(word), 1) if letters && word.kind == Kind::Word => Ok(word.text.to_owned()),
        (Some(word), _) if letters && !matches!(word.kind, Kind::Word | Kind::Letter) => {
            Err(format!("{expected}, found the number {entry:?}"))
        }
        _ => Err(format!("{expected}, found {entry:?}")),
    }
}

fn initialism(entry: &str) -> Result<String, String> {
    let fits = |entry: &str| {
        (2..=LONGEST_INITIALISM).contains(&entry.len()) && entry.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let lower = entry.to_ascii_lowercase();
    // "TEN" would be the number in a call
    if fits(entry) && word(entry, Language::En).is_ok_and(|word| word == lower) {
        return Ok(lower);
    }
    let bare: String = entry.chars().filter(|c| !matches!(c, '.' | ' ')).take(LONGEST).collect();
    let meant = if bare != entry && fits(&bare) { format!("; did you mean `{bare}`?") } else { String::new() };
    let found: String = entry.chars().take(LONGEST).collect();
    Err(format!("expected an abbreviation of 2 to {LONGEST_INITIALISM} letters, found {found:?}{meant}"))
}

#[cfg(test)]
mod tests {
    use candor_check::CheckType;
    use serde_json::{Value, json};

    fn refusal(vocabulary: Value) -> Option<String> {
        let assertion = json!({"assert": "voice-transcript", "contains": ["Humira"], "vocabulary": vocabulary});
        CheckType::bind(&crate::CHECK, assertion).err().map(|error| error.to_string())
    }

    #[test]
    fn lists_and_words_have_bounds() {
        // words of letters alone, each another one
        let word = |index: u32| -> String {
            let letter = |digit: u32| char::from_digit(10 + digit % 26, 36).unwrap();
            ['x', letter(index / 676), letter(index / 26), letter(index)].into_iter().collect()
        };
        let words = |count: u32| (0..count).map(word).collect::<Vec<_>>();
        let pairs = |count: u32| words(2 * count).chunks(2).map(<[_]>::to_vec).collect::<Vec<_>>();
        for allowed in [
            json!({"words": words(1_000), "homophones": [words(20)]}),
            json!({"homophones": pairs(1_000)}),
            json!({"words": ["a".repeat(64)], "initialisms": ["abcdef"]}),
        ] {
            assert_eq!(refusal(allowed), None);
        }
        for (vocabulary, error) in [
            (json!({"words": words(1_001)}), "vocabulary.words: expected at most 1000 entries, found 1001"),
            (json!({"initialisms": words(1_001)}), "vocabulary.initialisms: expected at most 1000 entries, found 1001"),
            (json!({"homophones": pairs(1_001)}), "vocabulary.homophones: expected at most 1000 entries, found 1001"),
            (json!({"homophones": [words(21)]}), "vocabulary.homophones[0]: expected at most 20 entries, found 21"),
        ] {
            assert_eq!(refusal(vocabulary).as_deref(), Some(error));
        }
    }
}
