//! The data files of `data/`, parsed once. A table is a file of lines; `#` starts a comment line.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::{WordMap, WordSet};

/// The lines of a data file that are not comments.
pub(crate) fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

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

/// The words of lines `NAME: WORD WORD`, and the names themselves, to the names.
fn named(file: &'static str) -> WordMap<&'static str> {
    let words = |(name, words): (&'static str, &'static str)| {
        words.split_whitespace().chain([name]).map(move |word| (word, name))
    };
    lines(file).filter_map(|line| line.split_once(':')).flat_map(words).collect()
}

/// The words of two sections; true for those of the first.
fn either(file: &'static str, one: &str, other: &str) -> WordMap<bool> {
    let of = |name: &str, is: bool| section(file, name).into_iter().map(move |word| (word, is));
    of(one, true).chain(of(other, false)).collect()
}

/// British spelling to American spelling.
pub(crate) static SPELLING: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| pairs(include_str!("../data/spelling.tsv")));

pub(crate) static CONTRACTIONS: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| pairs(include_str!("../data/contractions.tsv")));

/// Abbreviations that are words when their letters are spelled out.
pub(crate) static INITIALISMS: LazyLock<WordSet> =
    LazyLock::new(|| lines(include_str!("../data/initialisms.txt")).collect());

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
        let mut table: HashMap<&'static str, Vec<Vec<&'static str>>> = HashMap::new();
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
        self.0.keys().copied()
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

trait Table {
    fn of(lines: Vec<&'static str>) -> Self;
}

impl Table for Expressions {
    fn of(lines: Vec<&'static str>) -> Self {
        Self::new(lines)
    }
}

impl Table for WordSet {
    fn of(lines: Vec<&'static str>) -> Self {
        lines.into_iter().collect()
    }
}

macro_rules! tables {
    ($type:ident $name:ident $file:literal { $($(#[$doc:meta])* $field:ident: $table:ty = $($part:literal)+,)* }) => {
        pub(crate) struct $type { $($(#[$doc])* pub(crate) $field: $table,)* }

        pub(crate) static $name: LazyLock<$type> = LazyLock::new(|| {
            let file = include_str!(concat!("../data/", $file));
            $type { $($field: Table::of([$(section(file, $part)),+].concat()),)* }
        });

        #[allow(dead_code, reason = "the tests find every section")]
        impl $type {
            pub(crate) const SECTIONS: &'static [(&'static str, &'static str)] =
                &[$($((include_str!(concat!("../data/", $file)), $part)),+),*];
        }
    };
}

tables! { Negations NEGATIONS "negations.txt" {
    negates: Expressions = "negates",
    /// Expressions that hold such a word and negate nothing.
    harmless: Expressions = "does not negate",
    /// Words before which a leading "no" is an answer.
    answer_before: WordSet = "answer before",
    /// Auxiliaries that a "not" right after them negates.
    auxiliaries: WordSet = "auxiliaries",
    /// Expressions that negate the words right before them.
    behind: Expressions = "negates before",
    /// Prefixes that negate the next word only.
    next_word: WordSet = "negates the next word",
    ends: Expressions = "ends",
    /// First words of what negates a noun, and not the clause behind it.
    prepositions: WordSet = "prepositions",
    /// First words of what takes a negation back that reaches it.
    again: WordSet = "negates again",
    /// Expressions that deny the clause before them.
    denies: Expressions = "denies before",
    /// Words that begin a denial behind what it denies.
    but: WordSet = "but",
    /// Expressions behind which a negation may not reach.
    perhaps_free: Expressions = "perhaps not behind",
    /// Verbs that a negation may not reach.
    reports: WordSet = "reports",
    /// Expressions that may come between a "not" and the end of a denial.
    goes_on: Expressions = "denial goes on",
} }

tables! { Clauses CLAUSES "clauses.txt" {
    /// A clause ends before these.
    ends: Expressions = "ends",
    /// A clause ends before these when they follow a pause or a joining word.
    starts: WordSet = "starts",
    /// After a pause these may start a clause.
    perhaps_starts: WordSet = "perhaps starts",
    joins: WordSet = "joins",
    /// Subjects that are nothing else.
    subjects: WordSet = "subjects",
    /// Subjects where a verb follows.
    verb_subjects: WordSet = "subjects before a verb",
    determiners: WordSet = "determiners",
    verbs: WordSet = "verbs",
    between_verb: WordSet = "between subject and verb",
    no_subject: WordSet = "no subject",
    takes: WordSet = "takes a clause",
    /// Words that make the clause behind them a part of the one before.
    subordinates: WordSet = "subordinates",
    between_part: WordSet = "between",
    asides: Expressions = "asides",
    /// Verbs that begin another command behind an "and".
    anew: WordSet = "begins anew",
    openers: WordSet = "openers",
    pronouns: WordSet = "pronouns",
} }

/// Words after which a full stop does not end a sentence.
pub(crate) static ABBREVIATIONS: LazyLock<WordSet> =
    LazyLock::new(|| section(include_str!("../data/clauses.txt"), "abbreviations").into_iter().collect());

/// Words behind "its" that show an apostrophe to be left out: "its not approved".
pub(crate) static BEHIND_ITS: LazyLock<WordSet> =
    LazyLock::new(|| section(include_str!("../data/clauses.txt"), "behind its").into_iter().collect());

/// The role of turns that were not spoken on the call. In capitals, so that no folded label is the same.
pub(crate) const UNREAD: &str = "UNREAD";

/// Speaker label to role: `agent`, `caller`, or [`UNREAD`].
pub(crate) static SPEAKERS: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| named(include_str!("../data/speakers.txt")));

tables! { Corrections CORRECTIONS "corrections.txt" {
    /// All expressions that take back the words before them.
    all: Expressions = "strong" "weak",
    strong: Expressions = "strong",
    /// Those that replace what is farther away.
    far: Expressions = "far",
    /// Behind an apology that is about something else.
    else_about: WordSet = "of something else",
    /// Words for a value of any thing.
    any_thing: WordSet = "any thing",
    /// Expressions that take the sentence before them back.
    retracts: Expressions = "retracts",
    /// The beginning of "I am looking at the wrong line".
    looking: Expressions = "looking",
    /// The same, if they end their sentence.
    retracts_at_end: Expressions = "retracts at an end",
    /// Words that say that those before them are about something else.
    of_another: Expressions = "of another",
    /// Words of "that is the old plan".
    others: WordSet = "others",
    /// Words of what holds: "no, that's the only one".
    same: WordSet = "the same",
    /// Whose a value may be: "that is my husband's".
    persons: WordSet = "persons",
    /// Words of what a speaker is sorry for.
    bad_news: WordSet = "bad news",
    /// Beginnings of sentences that only ask to wait.
    waits: Expressions = "waits",
    /// Words that replace nothing.
    no_word: WordSet = "no new word",
    /// Verbs of change: "moved from A to B" leaves B.
    changes: WordSet = "changes",
    /// Expressions before a former state: "used to be A".
    former: Expressions = "former",
} }

pub(crate) struct Spanish {
    pub(crate) numbers: WordMap<u64>,
    pub(crate) values: WordMap<&'static str>,
    pub(crate) words: WordMap<&'static str>,
    /// Names of letters.
    pub(crate) letters: WordMap<&'static str>,
    pub(crate) open: WordSet,
    pub(crate) small: WordSet,
}

/// `data/es.tsv`.
pub(crate) static SPANISH: LazyLock<Spanish> = LazyLock::new(|| {
    let file = include_str!("../data/es.tsv");
    let rows = |name: &str| section(file, name).into_iter().filter_map(|line| line.split_once('\t'));
    Spanish {
        numbers: rows("numbers").filter_map(|(word, value)| Some((word, value.parse().ok()?))).collect(),
        values: rows("values").collect(),
        words: rows("words").collect(),
        letters: rows("letters").collect(),
        open: section(file, "open").into_iter().collect(),
        small: section(file, "small").into_iter().collect(),
    }
});

tables! { Languages LANGUAGES "languages.txt" {
    /// Words of other languages.
    words: WordSet = "words",
    /// Words of other languages that are parts of names as well.
    parts: WordSet = "parts of names",
    /// English words that other languages have as well.
    shared: WordSet = "shared",
} }

/// Words that carry no meaning of their own.
pub(crate) static SMALL: LazyLock<WordSet> =
    LazyLock::new(|| section(include_str!("../data/common.txt"), "words").into_iter().collect());

tables! { Stance STANCE "stance.txt" {
    conditional: Expressions = "conditional",
    /// Words that make the statement before them depend on what follows.
    depends: Expressions = "depends",
    /// Conditions where a clause follows.
    conditional_clause: WordSet = "conditional before a clause",
    /// Verbs of what is still open.
    open: WordSet = "open",
    /// Verbs of what is awaited.
    awaited: WordSet = "awaited",
    request: Expressions = "request",
    /// Conditions of an offer: what follows is stated.
    offers: Expressions = "offers",
    future: Expressions = "future",
    need: Expressions = "need",
    hedge: Expressions = "hedge",
    /// Expressions before another person's words.
    reported: Expressions = "reported",
    /// Expressions before the words of a person who is not believed.
    claimed: Expressions = "claimed",
    tells: Expressions = "tells",
    /// Expressions before a former state.
    past: Expressions = "past",
    /// Words that a "how" asks about.
    measures: WordSet = "measures",
    /// Verbs of saying, not of thinking.
    saying: WordSet = "saying",
    /// Sources that are not a person.
    records: WordSet = "records",
    persons: WordSet = "persons",
    days: WordSet = "days",
    /// Months. "May" is not one of them: it is a verb as well.
    months: WordSet = "months",
} }

tables! { Answers ANSWERS "answers.txt" {
    between: WordSet = "between",
    requests: WordSet = "requests",
    asked_for: WordSet = "asked for",
    chooses: Expressions = "chooses",
    /// No choice is made yet.
    undecided: Expressions = "undecided",
} }

/// Answers to the number of their line: those of one line exclude each other.
pub(crate) static CLASSES: LazyLock<WordMap<usize>> = LazyLock::new(|| {
    let line = |(number, line): (usize, &'static str)| line.split(' ').map(move |word| (word, number));
    let lines = lines(include_str!("../data/answers.txt")).take_while(|line| !line.starts_with('['));
    lines.enumerate().flat_map(line).collect()
});

/// Units of doses to the canonical one.
pub(crate) static UNITS: LazyLock<WordMap<&'static str>> = LazyLock::new(|| named(include_str!("../data/units.txt")));

/// Words and signs of currencies to their plurals.
pub(crate) static CURRENCIES: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| named(include_str!("../data/currencies.txt")));

/// The currency that a word names, or a word and the next one, and how many words its name has.
pub(crate) fn currency(word: &str, next: &str) -> Option<(&'static str, usize)> {
    let one = CURRENCIES.get(word).map(|name| (*name, 1));
    one.or_else(|| match (word, CURRENCIES.get(next)?) {
        ("us" | "american", name @ &"dollars") | ("mexican", name @ &"pesos") | ("swiss", name @ &"francs") => {
            Some((*name, 2))
        }
        _ => CURRENCIES.get(&*format!("{word} {next}")).map(|name| (*name, 2)),
    })
}

/// True for a word that is counted or measured, so that the number before it is not an amount of money.
pub(crate) fn is_measure(word: &str) -> bool {
    let time = word.strip_suffix('s').unwrap_or(word);
    UNITS.contains_key(word)
        || matches!(time, "second" | "minute" | "hour" | "day" | "week" | "month" | "year" | "time")
}

pub(crate) fn is_unit(word: &str) -> bool {
    UNITS.contains_key(word) || CURRENCIES.contains_key(word)
}

/// Tags in brackets; true if words were spoken there.
pub(crate) static TAGS: LazyLock<WordMap<bool>> =
    LazyLock::new(|| either(include_str!("../data/tags.txt"), "unheard", "sounds"));

tables! { Gaps GAPS "gaps.txt" {
    hidden: WordSet = "hidden",
    kinds: WordSet = "kinds",
    unheard: WordSet = "unheard",
    sounds: WordSet = "sounds",
} }

tables! { Records RECORDS "records.txt" {
    unspoken: WordSet = "unspoken types",
    cut_off: WordSet = "cut off",
    status: WordSet = "status",
    not_over: WordSet = "not over",
    broken_off: WordSet = "broken off",
    no_words: WordSet = "no words",
} }

tables! { Draft DRAFT "draft.txt" {
    outcomes: WordSet = "outcomes",
    numbers: WordSet = "numbers",
} }

/// `data/fillers.txt`.
pub(crate) const FILLERS_FILE: &str = include_str!("../data/fillers.txt");

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
pub(crate) static ALPHABET: LazyLock<WordMap<bool>> =
    LazyLock::new(|| either(include_str!("../data/spelling-alphabet.txt"), "sure", "in company"));

pub(crate) struct Ways(Expressions, pub(crate) WordMap<&'static str>);

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

tables! { Labels LABELS "labels.txt" {
    headings: WordSet = "headings",
    /// First words of a person's label.
    titles: WordSet = "titles",
    /// Words that no label holds.
    never: WordSet = "not in a label",
} }
