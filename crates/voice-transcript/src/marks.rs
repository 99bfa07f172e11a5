//! Which tables hold a word: looked up once a word, so that every step passes over the words that none of its tables holds,
//! and over a text without such words altogether.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::tables::{
    ALPHABET, ASIDES, CLASSES, CLAUSES, CONTRACTIONS, CORRECTIONS, Expressions, HESITATIONS, NEGATIONS, NUMBERS,
    SPELLING, STANCE, WAYS,
};
use crate::words::WordMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u32);

impl Marks {
    /// `data/contractions.tsv` or `data/spelling.tsv`.
    pub(crate) const RESPELLED: Self = Self(1);
    /// `data/numbers.tsv`.
    pub(crate) const NUMBER: Self = Self(1 << 1);
    /// Begins with a digit or a minus, as all numbers do that were read.
    pub(crate) const DIGITS: Self = Self(1 << 2);
    /// Begins with a bracket: a tag.
    pub(crate) const TAG: Self = Self(1 << 3);
    /// Written in capitals: "IP".
    pub(crate) const CAPITALS: Self = Self(1 << 4);
    /// `or`, `nor`.
    pub(crate) const OR: Self = Self(1 << 9);
    pub(crate) const NO: Self = Self(1 << 10);
    /// Sounds of `data/fillers.txt`.
    pub(crate) const HESITATION: Self = Self(1 << 11);
    /// Begins an aside of `data/fillers.txt`.
    pub(crate) const ASIDE: Self = Self(1 << 12);
    /// `data/spelling-alphabet.txt`.
    pub(crate) const ALPHABET: Self = Self(1 << 13);
    /// Begins a way of `data/canonical.tsv`.
    pub(crate) const WAY: Self = Self(1 << 14);
    /// Begins a negation of `data/negations.txt`.
    pub(crate) const NEGATES: Self = Self(1 << 15);
    /// Begins what negates nothing there.
    pub(crate) const HARMLESS: Self = Self(1 << 16);
    /// Negates the next word.
    pub(crate) const NEXT_WORD: Self = Self(1 << 17);
    pub(crate) const AUXILIARY: Self = Self(1 << 18);
    /// A clause of `data/clauses.txt` ends before what begins with it.
    pub(crate) const ENDS: Self = Self(1 << 19);
    /// A clause may start with it.
    pub(crate) const STARTS: Self = Self(1 << 20);
    pub(crate) const JOINS: Self = Self(1 << 21);
    /// Begins what takes a value back (`data/corrections.txt`).
    pub(crate) const CORRECTION: Self = Self(1 << 22);
    /// Begins a marker of `data/stance.txt`.
    pub(crate) const STANCE: Self = Self(1 << 23);
    /// A day or a month there.
    pub(crate) const CALENDAR: Self = Self(1 << 24);
    /// `data/answers.txt`.
    pub(crate) const ANSWER: Self = Self(1 << 25);
    /// Begins what tells of a change: "from", "used to be".
    pub(crate) const FORMER: Self = Self(1 << 26);

    pub(crate) fn of(word: &str) -> Self {
        let listed = LEXICON.get(word).copied().unwrap_or_default();
        match word.as_bytes().first() {
            Some(b'0'..=b'9' | b'-') => listed.and(Self::DIGITS),
            Some(b'[') => listed.and(Self::TAG),
            _ => listed,
        }
    }

    /// The tables of both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }
}

/// Every word of the tables above.
static LEXICON: LazyLock<WordMap<Marks>> = LazyLock::new(|| {
    let mut words: HashMap<&'static str, Marks> = HashMap::new();
    let mut put = |mark: Marks, all: &mut dyn Iterator<Item = &'static str>| {
        for word in all {
            let marks = words.entry(word).or_default();
            *marks = marks.and(mark);
        }
    };
    put(Marks::RESPELLED, &mut CONTRACTIONS.keys().copied().chain(SPELLING.keys().copied()));
    put(Marks::NUMBER, &mut NUMBERS.keys().copied());
    put(Marks::OR, &mut ["or", "nor"].into_iter());
    put(Marks::NO, &mut ["no"].into_iter());
    put(Marks::HESITATION, &mut HESITATIONS.iter().copied());
    put(Marks::ALPHABET, &mut ALPHABET.keys().copied());
    put(Marks::NEXT_WORD, &mut NEGATIONS.next_word.iter().copied());
    put(Marks::AUXILIARY, &mut NEGATIONS.auxiliaries.iter().copied());
    put(Marks::STARTS, &mut CLAUSES.starts.iter().copied());
    put(Marks::JOINS, &mut CLAUSES.joins.iter().copied());
    put(Marks::CALENDAR, &mut STANCE.days.iter().copied().chain(STANCE.months.iter().copied()));
    put(Marks::ANSWER, &mut CLASSES.keys().copied());
    put(Marks::FORMER, &mut ["from"].into_iter());
    put(Marks::STANCE, &mut STANCE.conditional_clause.iter().copied().chain(["according", "otherwise"]));
    let beginnings: [(Marks, &Expressions); 19] = [
        (Marks::FORMER, &CORRECTIONS.former),
        (Marks::ASIDE, &ASIDES),
        (Marks::WAY, WAYS.expressions()),
        (Marks::NEGATES, &NEGATIONS.negates),
        (Marks::NEGATES, &NEGATIONS.ends),
        (Marks::HARMLESS, &NEGATIONS.harmless),
        (Marks::ENDS, &CLAUSES.ends),
        (Marks::CORRECTION, &CORRECTIONS.all),
        (Marks::CORRECTION, &CORRECTIONS.retracts),
        (Marks::CORRECTION, &CORRECTIONS.retracts_at_end),
        (Marks::CORRECTION, &CORRECTIONS.of_another),
        (Marks::CORRECTION, &CORRECTIONS.looking),
        (Marks::STANCE, &STANCE.depends),
        (Marks::STANCE, &STANCE.conditional),
        (Marks::STANCE, &STANCE.future),
        (Marks::STANCE, &STANCE.need),
        (Marks::STANCE, &STANCE.hedge),
        (Marks::STANCE, &STANCE.past),
        (Marks::STANCE, &STANCE.reported),
    ];
    for (mark, expressions) in beginnings {
        put(mark, &mut expressions.first_words());
    }
    words.into_iter().collect()
});
