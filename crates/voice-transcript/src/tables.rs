//! The data files of `data/`, parsed once. A table is a file of lines; `#` starts a comment line.

use std::sync::LazyLock;

use crate::words::{WordMap, WordSet};

/// The lines of a data file that are not comments.
fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

/// The lines of one `[section]` of a data file.
pub(crate) fn section(file: &'static str, name: &str) -> Vec<&'static str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in lines(file) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(title) => inside = title == name,
            None if inside => found.push(line),
            None => {}
        }
    }
    found
}

fn pairs(file: &'static str) -> WordMap<&'static str> {
    lines(file).filter_map(|line| line.split_once('\t')).collect()
}

/// British spelling to American spelling.
pub(crate) static SPELLING: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| pairs(include_str!("../data/spelling.tsv")));

/// Contracted form to its full words.
pub(crate) static CONTRACTIONS: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| pairs(include_str!("../data/contractions.tsv")));

/// Abbreviations that are words when their letters are spelled out.
pub(crate) static INITIALISMS: LazyLock<WordSet> =
    LazyLock::new(|| lines(include_str!("../data/initialisms.txt")).collect());

/// Words after which "point" is a noun.
pub(crate) static POINT_IS_A_NOUN_AFTER: LazyLock<WordSet> =
    LazyLock::new(|| lines(include_str!("../data/point.txt")).collect());

/// The place of a word in the grammar of spoken cardinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberClass {
    /// 0 to 9.
    Digit,
    /// 10 to 19.
    Teen,
    /// 20, 30, … 90.
    Tens,
    /// `hundred`.
    Hundred,
    /// `thousand` and its powers.
    Scale,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberWord {
    pub(crate) class: NumberClass,
    pub(crate) ordinal: bool,
    pub(crate) value: u64,
}

/// Number words.
pub(crate) static NUMBERS: LazyLock<WordMap<NumberWord>> = LazyLock::new(|| {
    lines(include_str!("../data/numbers.tsv"))
        .filter_map(|line| {
            let mut columns = line.split('\t');
            let (word, class, value) = (columns.next()?, columns.next()?, columns.next()?);
            let (class, ordinal) = match class.strip_suffix("-ordinal") {
                Some(class) => (class, true),
                None => (class, false),
            };
            let class = match class {
                "digit" => NumberClass::Digit,
                "teen" => NumberClass::Teen,
                "tens" => NumberClass::Tens,
                "hundred" => NumberClass::Hundred,
                "scale" => NumberClass::Scale,
                _ => return None,
            };
            let value = value.parse().ok()?;
            Some((word, NumberWord { class, ordinal, value }))
        })
        .collect()
});

/// Expressions of one or more words, looked up by their first word.
#[derive(Debug)]
pub(crate) struct Expressions(WordMap<Vec<Vec<&'static str>>>);

impl Expressions {
    fn new(entries: Vec<&'static str>) -> Self {
        let mut table: std::collections::HashMap<&'static str, Vec<Vec<&'static str>>> =
            std::collections::HashMap::new();
        for entry in entries {
            let words: Vec<&'static str> = entry.split(' ').collect();
            if let Some(first) = words.first() {
                table.entry(first).or_default().push(words);
            }
        }
        for list in table.values_mut() {
            list.sort_by_key(|words| std::cmp::Reverse(words.len()));
        }
        Self(table.into_iter().collect())
    }

    pub(crate) fn first_words(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.words()
    }

    /// The number of words of the longest expression that begins at `at`, where `word` gives the word at an index.
    pub(crate) fn at<'a>(&self, at: usize, word: impl Fn(usize) -> Option<&'a str>) -> Option<usize> {
        self.0.get(word(at)?)?.iter().find_map(|entry| {
            let all =
                entry.iter().enumerate().all(|(offset, expected)| word(at.saturating_add(offset)) == Some(*expected));
            all.then_some(entry.len())
        })
    }
}

/// Expressions that negate, and others that only look as if they did.
pub(crate) struct Negations {
    pub(crate) negates: Expressions,
    /// Expressions that hold such a word and negate nothing.
    pub(crate) harmless: Expressions,
    /// Words before which a leading "no" is an answer.
    pub(crate) answer_before: WordSet,
    /// Auxiliaries that a "not" right after them negates.
    pub(crate) auxiliaries: WordSet,
    /// Expressions that negate the words right before them.
    pub(crate) behind: Expressions,
    /// Prefixes that negate the next word only.
    pub(crate) next_word: WordSet,
    pub(crate) ends: Expressions,
    /// First words of what negates a noun, and not the clause behind it.
    pub(crate) prepositions: WordSet,
    /// First words of what takes a negation back that reaches it.
    pub(crate) again: WordSet,
    /// Expressions that deny the clause before them.
    pub(crate) denies: Expressions,
    /// Expressions that may come between a "not" and the end of a denial.
    pub(crate) goes_on: Expressions,
}

/// `data/negations.txt`.
pub(crate) static NEGATIONS: LazyLock<Negations> = LazyLock::new(|| {
    let file = include_str!("../data/negations.txt");
    Negations {
        negates: Expressions::new(section(file, "negates")),
        harmless: Expressions::new(section(file, "does not negate")),
        answer_before: section(file, "answer before").into_iter().collect(),
        auxiliaries: section(file, "auxiliaries").into_iter().collect(),
        behind: Expressions::new(section(file, "negates before")),
        next_word: section(file, "negates the next word").into_iter().collect(),
        ends: Expressions::new(section(file, "ends")),
        prepositions: section(file, "prepositions").into_iter().collect(),
        again: section(file, "negates again").into_iter().collect(),
        denies: Expressions::new(section(file, "denies before")),
        goes_on: Expressions::new(section(file, "denial goes on")),
    }
});

/// Where clauses end.
pub(crate) struct Clauses {
    /// A clause ends before these.
    pub(crate) ends: Expressions,
    /// A clause ends before these when they follow a pause or a joining word.
    pub(crate) starts: WordSet,
    /// After a pause these may start a clause.
    pub(crate) perhaps_starts: WordSet,
    pub(crate) joins: WordSet,
    /// Subjects that are nothing else.
    pub(crate) subjects: WordSet,
    /// Subjects where a verb follows.
    pub(crate) verb_subjects: WordSet,
    pub(crate) determiners: WordSet,
    pub(crate) verbs: WordSet,
    pub(crate) between_verb: WordSet,
    pub(crate) no_subject: WordSet,
    pub(crate) takes: WordSet,
    /// Words that make the clause behind them a part of the one before.
    pub(crate) subordinates: WordSet,
    pub(crate) between_part: WordSet,
    pub(crate) asides: Expressions,
    /// Verbs that begin another command behind an "and".
    pub(crate) anew: WordSet,
    pub(crate) openers: WordSet,
}

/// `data/clauses.txt`.
pub(crate) static CLAUSES: LazyLock<Clauses> = LazyLock::new(|| {
    let file = include_str!("../data/clauses.txt");
    let words = |name: &str| -> WordSet { section(file, name).into_iter().collect() };
    Clauses {
        ends: Expressions::new(section(file, "ends")),
        starts: section(file, "starts").into_iter().collect(),
        perhaps_starts: section(file, "perhaps starts").into_iter().collect(),
        joins: words("joins"),
        subjects: words("subjects"),
        verb_subjects: words("subjects before a verb"),
        determiners: words("determiners"),
        verbs: words("verbs"),
        between_verb: words("between subject and verb"),
        no_subject: words("no subject"),
        takes: words("takes a clause"),
        subordinates: words("subordinates"),
        between_part: words("between"),
        asides: Expressions::new(section(file, "asides")),
        anew: words("begins anew"),
        openers: words("openers"),
    }
});

/// Words after which a full stop does not end a sentence.
pub(crate) static ABBREVIATIONS: LazyLock<WordSet> =
    LazyLock::new(|| section(include_str!("../data/clauses.txt"), "abbreviations").into_iter().collect());

/// Speaker label to role: `agent`, `caller`, or `unread` for what was not spoken.
pub(crate) static SPEAKERS: LazyLock<WordMap<&'static str>> = LazyLock::new(|| {
    lines(include_str!("../data/speakers.txt"))
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(role, labels)| labels.split(' ').map(move |label| (label, role)))
        .collect()
});

pub(crate) struct Corrections {
    /// All expressions that take back the words before them.
    pub(crate) all: Expressions,
    pub(crate) strong: Expressions,
    /// Those that replace what is farther away.
    pub(crate) far: Expressions,
    /// Behind an apology that is about something else.
    pub(crate) else_about: WordSet,
    /// Expressions that take the sentence before them back.
    pub(crate) retracts: Expressions,
    /// The same, if they end their sentence.
    pub(crate) retracts_at_end: Expressions,
    /// Words that say that those before them are about something else.
    pub(crate) of_another: Expressions,
    /// Words that replace nothing.
    pub(crate) no_word: WordSet,
    /// Verbs of change: "moved from A to B" leaves B.
    pub(crate) changes: WordSet,
    /// Expressions before a former state: "used to be A".
    pub(crate) former: Expressions,
}

/// `data/corrections.txt`.
pub(crate) static CORRECTIONS: LazyLock<Corrections> = LazyLock::new(|| {
    let file = include_str!("../data/corrections.txt");
    let words = |name: &str| -> WordSet { section(file, name).into_iter().collect() };
    Corrections {
        all: Expressions::new([section(file, "strong"), section(file, "weak")].concat()),
        strong: Expressions::new(section(file, "strong")),
        far: Expressions::new(section(file, "far")),
        else_about: words("of something else"),
        retracts: Expressions::new(section(file, "retracts")),
        retracts_at_end: Expressions::new(section(file, "retracts at an end")),
        of_another: Expressions::new(section(file, "of another")),
        no_word: words("no new word"),
        changes: words("changes"),
        former: Expressions::new(section(file, "former")),
    }
});

pub(crate) struct Spanish {
    pub(crate) numbers: WordMap<u64>,
    pub(crate) values: WordMap<&'static str>,
    pub(crate) words: WordMap<&'static str>,
    pub(crate) open: WordSet,
}

/// `data/es.tsv`.
pub(crate) static SPANISH: LazyLock<Spanish> = LazyLock::new(|| {
    let file = include_str!("../data/es.tsv");
    let rows = |name: &str| section(file, name).into_iter().filter_map(|line| line.split_once('\t'));
    Spanish {
        numbers: rows("numbers").filter_map(|(word, value)| Some((word, value.parse().ok()?))).collect(),
        values: rows("values").collect(),
        words: rows("words").collect(),
        open: section(file, "open").into_iter().collect(),
    }
});

pub(crate) struct Languages {
    /// Words of other languages.
    pub(crate) words: WordSet,
    /// Words of other languages that are parts of names as well.
    pub(crate) parts: WordSet,
    /// English words that other languages have as well.
    pub(crate) shared: WordSet,
}

/// `data/languages.txt`.
pub(crate) static LANGUAGES: LazyLock<Languages> = LazyLock::new(|| {
    let words = |name: &str| section(include_str!("../data/languages.txt"), name).into_iter().collect();
    Languages { words: words("words"), parts: words("parts of names"), shared: words("shared") }
});

/// Words that carry no meaning of their own.
pub(crate) static SMALL: LazyLock<WordSet> =
    LazyLock::new(|| section(include_str!("../data/common.txt"), "words").into_iter().collect());

pub(crate) struct Stance {
    pub(crate) conditional: Expressions,
    /// Words that make the statement before them depend on what follows.
    pub(crate) depends: Expressions,
    /// Conditions where a clause follows.
    pub(crate) conditional_clause: WordSet,
    /// Verbs of what is still open.
    pub(crate) open: WordSet,
    pub(crate) request: Expressions,
    pub(crate) future: Expressions,
    pub(crate) need: Expressions,
    pub(crate) hedge: Expressions,
    /// Expressions before another person's words.
    pub(crate) reported: Expressions,
    /// Expressions before the words of a person who is not believed.
    pub(crate) claimed: Expressions,
    pub(crate) tells: Expressions,
    /// Sources that are not a person.
    pub(crate) records: WordSet,
    pub(crate) days: WordSet,
    /// Months. "May" is not one of them: it is a verb as well.
    pub(crate) months: WordSet,
}

/// `data/stance.txt`.
pub(crate) static STANCE: LazyLock<Stance> = LazyLock::new(|| {
    let file = include_str!("../data/stance.txt");
    let expressions = |name: &str| Expressions::new(section(file, name));
    let words = |name: &str| -> WordSet { section(file, name).into_iter().collect() };
    Stance {
        conditional: expressions("conditional"),
        depends: expressions("depends"),
        conditional_clause: words("conditional before a clause"),
        open: words("open"),
        request: expressions("request"),
        future: expressions("future"),
        need: expressions("need"),
        hedge: expressions("hedge"),
        reported: expressions("reported"),
        claimed: expressions("claimed"),
        tells: expressions("tells"),
        records: words("records"),
        days: words("days"),
        months: words("months"),
    }
});

pub(crate) struct Answers {
    /// Answers to the number of their line: those of one line exclude each other.
    pub(crate) classes: WordMap<usize>,
    pub(crate) between: WordSet,
    pub(crate) requests: WordSet,
    pub(crate) asked_for: WordSet,
    pub(crate) chooses: Expressions,
    /// No choice is made yet.
    pub(crate) undecided: Expressions,
}

/// `data/answers.txt`.
pub(crate) static ANSWERS: LazyLock<Answers> = LazyLock::new(|| {
    let file = include_str!("../data/answers.txt");
    let line = |(number, line): (usize, &'static str)| line.split(' ').map(move |word| (word, number));
    Answers {
        classes: lines(file).take_while(|line| !line.starts_with('[')).enumerate().flat_map(line).collect(),
        between: section(file, "between").into_iter().collect(),
        requests: section(file, "requests").into_iter().collect(),
        asked_for: section(file, "asked for").into_iter().collect(),
        chooses: Expressions::new(section(file, "chooses")),
        undecided: Expressions::new(section(file, "undecided")),
    }
});

/// Units of doses to the canonical one.
pub(crate) static UNITS: LazyLock<WordMap<&'static str>> = LazyLock::new(|| {
    lines(include_str!("../data/units.txt"))
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(unit, names)| names.split_whitespace().chain([unit]).map(move |name| (name, unit)))
        .collect()
});

/// Tags in brackets; true if words were spoken there.
pub(crate) static TAGS: LazyLock<WordMap<bool>> = LazyLock::new(|| {
    let file = include_str!("../data/tags.txt");
    let of = |name: &str, unheard: bool| section(file, name).into_iter().map(move |tag| (tag, unheard));
    of("unheard", true).chain(of("sounds", false)).collect()
});

pub(crate) struct Gaps {
    pub(crate) hidden: WordSet,
    pub(crate) kinds: WordSet,
    pub(crate) unheard: WordSet,
    pub(crate) sounds: WordSet,
}

/// `data/gaps.txt`.
pub(crate) static GAPS: LazyLock<Gaps> = LazyLock::new(|| {
    let words = |name: &str| -> WordSet { section(GAPS_FILE, name).into_iter().collect() };
    Gaps { hidden: words("hidden"), kinds: words("kinds"), unheard: words("unheard"), sounds: words("sounds") }
});

const GAPS_FILE: &str = include_str!("../data/gaps.txt");

/// `data/fillers.txt`.
const FILLERS_FILE: &str = include_str!("../data/fillers.txt");

/// Sounds and words that say nothing.
pub(crate) static FILLERS: LazyLock<WordSet> =
    LazyLock::new(|| ["hesitations", "words"].into_iter().flat_map(|name| section(FILLERS_FILE, name)).collect());

/// Sounds alone.
pub(crate) static HESITATIONS: LazyLock<WordSet> =
    LazyLock::new(|| section(FILLERS_FILE, "hesitations").into_iter().collect());

/// Asides between pauses that mean nothing.
pub(crate) static ASIDES: LazyLock<Expressions> =
    LazyLock::new(|| Expressions::new(section(FILLERS_FILE, "between pauses")));

/// Words of a listener while another speaker reads out a number.
pub(crate) static ACKNOWLEDGEMENTS: LazyLock<Expressions> =
    LazyLock::new(|| Expressions::new(lines(include_str!("../data/acknowledgements.txt")).collect()));

/// Words of spelling alphabets, and whether they are nothing else.
pub(crate) static ALPHABET: LazyLock<WordMap<bool>> = LazyLock::new(|| {
    let file = include_str!("../data/spelling-alphabet.txt");
    let of = |name: &str, sure: bool| section(file, name).into_iter().map(move |word| (word, sure));
    of("sure", true).chain(of("in company", false)).collect()
});

pub(crate) struct Ways(Expressions, WordMap<&'static str>);

impl Ways {
    pub(crate) fn expressions(&self) -> &Expressions {
        &self.0
    }

    /// The longest way that begins at `at`: its number of words, and the form.
    pub(crate) fn at<'a>(&self, at: usize, word: impl Fn(usize) -> Option<&'a str>) -> Option<(usize, &'static str)> {
        let length = self.0.at(at, &word)?;
        let way: Vec<&str> = (at..at + length).filter_map(&word).collect();
        Some((length, *self.1.get(way.join(" ").as_str())?))
    }
}

/// `data/canonical.tsv`.
pub(crate) static WAYS: LazyLock<Ways> = LazyLock::new(|| {
    let forms = pairs(include_str!("../data/canonical.tsv"));
    Ways(Expressions::new(forms.keys().copied().collect()), forms)
});

/// Words that a fuzzy match never exchanges.
pub(crate) static CRITICAL: LazyLock<WordSet> = LazyLock::new(|| lines(include_str!("../data/critical.txt")).collect());

/// Words of one sound to the first of them.
pub(crate) static HOMOPHONES: LazyLock<WordMap<&'static str>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let first = line.split(' ').next().unwrap_or_default();
        line.split(' ').map(move |word| (word, first))
    };
    lines(include_str!("../data/homophones.txt")).flat_map(line).collect()
});

/// Pairs of prefixes that turn a word's meaning.
pub(crate) static OPPOSITES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let none = |prefix: &'static str| if prefix == "-" { "" } else { prefix };
    let pair = |line: &'static str| line.split_once(' ').map(|(one, other)| (none(one), none(other)));
    lines(include_str!("../data/opposites.txt")).filter_map(pair).collect()
});

/// Things that have numbers: the number after one is not an amount of money.
pub(crate) static NUMBERED: LazyLock<WordSet> = LazyLock::new(|| lines(include_str!("../data/numbered.txt")).collect());

/// Words that are spelled nearly alike.
pub(crate) static DISTINCT: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| lines(include_str!("../data/distinct.txt")).filter_map(|line| line.split_once(' ')).collect());

/// Words for the label before the colon of a line.
pub(crate) struct Labels {
    pub(crate) headings: WordSet,
    /// First words of a person's label.
    pub(crate) titles: WordSet,
    /// Words that no label holds.
    pub(crate) never: WordSet,
}

/// `data/labels.txt`.
pub(crate) static LABELS: LazyLock<Labels> = LazyLock::new(|| {
    let file = include_str!("../data/labels.txt");
    Labels {
        headings: section(file, "headings").into_iter().collect(),
        titles: section(file, "titles").into_iter().collect(),
        never: section(file, "not in a label").into_iter().collect(),
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of every table is understood: a misspelt line would otherwise be left out in silence.
    #[test]
    fn every_line_is_read() {
        let count = |file: &'static str| lines(file).count();
        assert_eq!(SPELLING.len(), count(include_str!("../data/spelling.tsv")));
        assert_eq!(CONTRACTIONS.len(), count(include_str!("../data/contractions.tsv")));
        assert_eq!(INITIALISMS.len(), count(include_str!("../data/initialisms.txt")));
        assert_eq!(NUMBERS.len(), count(include_str!("../data/numbers.tsv")));
        let negations = include_str!("../data/negations.txt");
        for name in
            ["negates", "does not negate", "answer before", "auxiliaries", "negates before", "negates the next word"]
        {
            assert!(!section(negations, name).is_empty(), "{name}");
        }
        let labels = include_str!("../data/labels.txt");
        for name in ["headings", "titles", "not in a label"] {
            assert!(!section(labels, name).is_empty(), "{name}");
        }
        let stance = include_str!("../data/stance.txt");
        for name in [
            "conditional",
            "conditional before a clause",
            "open",
            "request",
            "future",
            "need",
            "hedge",
            "reported",
            "claimed",
            "tells",
            "records",
            "days",
            "months",
        ] {
            assert!(!section(stance, name).is_empty(), "{name}");
        }
        for name in ["hesitations", "words", "between pauses"] {
            assert!(!section(FILLERS_FILE, name).is_empty(), "{name}");
        }
        for name in ["unheard", "sounds"] {
            assert!(!section(include_str!("../data/tags.txt"), name).is_empty(), "{name}");
        }
        for name in ["hidden", "kinds", "unheard", "sounds"] {
            assert!(!section(GAPS_FILE, name).is_empty(), "{name}");
        }
        for name in ["sure", "in company"] {
            assert!(!section(include_str!("../data/spelling-alphabet.txt"), name).is_empty(), "{name}");
        }
        assert_eq!(WAYS.1.len(), count(include_str!("../data/canonical.tsv")));
        assert!(!ANSWERS.classes.is_empty() && !ANSWERS.between.is_empty() && !ANSWERS.requests.is_empty());
        let clauses = include_str!("../data/clauses.txt");
        for name in ["ends", "starts", "joins", "abbreviations", "perhaps starts"] {
            assert!(!section(clauses, name).is_empty(), "{name}");
        }
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
        for word in INITIALISMS.keys() {
            assert!(!SPELLING.contains_key(word) && !CONTRACTIONS.contains_key(word) && !NUMBERS.contains_key(word));
        }
    }
}
