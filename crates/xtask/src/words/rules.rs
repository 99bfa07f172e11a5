//! The rules of plain English that a search finds, and the search.

pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// Only the beginning of a doc comment's paragraph, or of a title, breaks the rule.
    begins: bool,
    /// The words that break it, in lower case. A space lies between two words, and between a word and a mark.
    phrases: &'static [&'static str],
    /// Longer phrases that contain one of those and are good English.
    except: &'static [&'static str],
    pub(crate) instead: &'static str,
}

#[rustfmt::skip]
pub(crate) const RULES: [Rule; 10] = [
    Rule { name: "riddle", begins: true, phrases: &["what", "whether", "that", "all that", "one"], except: &["one of"],
        instead: "Name the thing first: subject, verb, object." },
    Rule { name: "stand", begins: false, phrases: &["stand", "stands", "stood"], except: &[],
        instead: "Things are, lie, contain, begin or end." },
    Rule { name: "hang", begins: false, phrases: &["hang on", "hangs on", "go by", "goes by", "come along", "comes along"],
        except: &[], instead: "Things depend on a thing, or follow from it." },
    Rule { name: "beside", begins: false, phrases: &["beside"], except: &[],
        instead: "Say `next to`, `except`, `as well as` or `in addition to`." },
    Rule { name: "no", begins: false,
        phrases: &["is no", "is none", "are no", "are none", "was no", "was none", "were no", "were none", "has none",
            "have none", "had none"],
        except: &["there is no", "there are no", "there was no", "there were no", "is no longer", "are no longer",
            "was no longer", "were no longer", "is no more", "are no more"],
        instead: "Say `is not a`, `there is no` or `does not have`." },
    Rule { name: "told", begins: false,
        phrases: &["told", "is said", "are said", "was said", "is looked at", "are looked at", "was looked at"], except: &[],
        instead: "Say who does it: Candor reads, the server sent, the author wrote." },
    Rule { name: "alone", begins: false, phrases: &["by itself alone"], except: &[], instead: "Say `only`, or leave it out." },
    Rule { name: "where", begins: false, phrases: &["where there is one"], except: &[], instead: "Say `if it has a` and name it." },
    Rule { name: "as-it-was", begins: false, phrases: &["as it was"], except: &[], instead: "Say `unchanged`." },
    Rule { name: "nobody", begins: false, phrases: &["nobody"], except: &["user nobody", "= nobody", "nobody : nogroup"],
        instead: "Say who: the author, the caller, the server." },
];

impl Rule {
    /// Says if a sentence breaks the rule. `first` is a sentence that begins a doc comment's paragraph or a title.
    pub(crate) fn is_broken(&self, words: &[String], first: bool) -> bool {
        let begin = words.iter().position(|word| word.contains(char::is_alphabetic)).unwrap_or(0);
        let places = if self.begins { begin..begin + usize::from(first) } else { 0..words.len() };
        let found = |phrases: &[&str], at: usize| phrases.iter().any(|phrase| is_at(words, at, phrase));
        places.into_iter().any(|at| {
            found(self.phrases, at)
                && !found(self.except, at)
                && !at.checked_sub(1).is_some_and(|at| found(self.except, at))
        })
    }
}

fn is_at(words: &[String], at: usize, phrase: &str) -> bool {
    let mut rest = words.iter().skip(at);
    phrase.split(' ').all(|word| rest.next().is_some_and(|found| found == word))
}

/// The words of a sentence in lower case, and its marks. A piece in code font is one mark.
pub(crate) fn words(sentence: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in sentence.split('`').enumerate() {
        if at % 2 == 1 {
            words.push("`".to_owned());
            continue;
        }
        let mut word = String::new();
        for c in part.chars().chain([' ']) {
            if c.is_alphanumeric() || "-_".contains(c) {
                word.extend(c.to_lowercase());
                continue;
            }
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            words.extend(Some(c.to_string()).filter(|_| !c.is_whitespace()));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(sentence: &str) -> Vec<&'static str> {
        let words = words(sentence);
        RULES.iter().filter(|rule| rule.is_broken(&words, true)).map(|rule| rule.name).collect()
    }

    #[test]
    fn every_phrase_breaks_its_rule() {
        for rule in &RULES {
            for phrase in rule.phrases {
                assert_eq!(broken(&format!("{phrase} x")), [rule.name], "{phrase}");
            }
            for phrase in rule.except {
                assert_eq!(broken(&format!("x {phrase}, y")), [""; 0], "{phrase}");
            }
        }
    }

    #[test]
    fn words_are_whole_and_code_is_none() {
        for (sentence, rules) in [
            ("- **What** is looked at", &["riddle", "told"][..]),
            ("One-sided, a stand-in that understands", &[]),
            ("It is, no doubt, `told` and `nobody`", &[]),
            ("There is no file, and this is\nno file.", &["no"]),
            ("Nobody's file", &["nobody"]),
        ] {
            assert_eq!(broken(sentence), rules, "{sentence}");
        }
        let riddle = words("What it is");
        assert!(RULES.iter().all(|rule| !rule.is_broken(&riddle, false)));
    }
}
