//! Tokens: the data that the steps of normalization pass on.

use std::ops::Range;

use crate::marks::Marks;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word.
    Word,
    /// A single letter between other words, as in a spelled-out name.
    Letter,
    /// A whole number, as its digits.
    Number,
    /// A number with decimals, or a written fraction. It never runs together with digits next to it.
    Decimal,
    /// A place in an order: `3rd`.
    Ordinal,
}

impl Kind {
    /// True if consecutive tokens of this kind are one run of characters.
    pub(super) fn runs(self) -> bool {
        matches!(self, Self::Letter | Self::Number)
    }
}

/// The separation between a token and the one before it, apart from white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pause {
    /// Nothing that separates clauses.
    None,
    /// A comma, colon, dash or bracket.
    Short,
    /// Another turn of the same speaker begins.
    Turn,
    /// The end of a sentence, or a semicolon.
    Sentence,
}

/// The sign written between two groups of digits, if it is more than grouping: `3:30` is not `330`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sep {
    #[default]
    None,
    /// `1,5`, where the comma groups no thousands.
    Comma,
    Slash,
    Colon,
    /// `3-4`: two short numbers alone. More groups (`555-12-12`) are one run of digits.
    Range,
}

/// A word in the arena: its byte range, and the tables that hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) marks: Marks,
}

/// A token. `span` is a byte range of the segment's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: Text,
    pub(super) span: (u32, u32),
    pub(super) segment: u32,
    pub(super) kind: Kind,
    /// No character lies between this token and the one before it: `W|123`.
    pub(super) glued: bool,
    pub(super) pause: Pause,
    /// The sign that joins it to the digits before it.
    pub(super) sep: Sep,
    /// An amount of money begins with it: no part of the digits before.
    pub(super) apart: bool,
    /// A unit that may be another: dollars from a number of cents, of any currency, and pounds of money or weight.
    pub(super) loose: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    pub(super) arena: String,
    pub(super) list: Vec<Token>,
    pub(super) held: Marks,
    /// The places of question marks: segment and byte.
    pub(super) asked: Vec<(u32, u32)>,
    pub(super) ended: bool,
    /// Segments whose first characters go on with a number that the segment before ends with.
    pub(super) reads_on: Vec<u32>,
}

/// A length within a text that [`super::MAX_BYTES`] bounds.
pub(super) fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

pub(super) fn range(pair: (u32, u32)) -> Range<usize> {
    pair.0 as usize..pair.1 as usize
}

impl Tokens {
    pub(super) fn put(&mut self, text: &str) -> Text {
        let from = short(self.arena.len());
        self.arena.push_str(text);
        self.marked(from, Marks::of(text))
    }

    pub(super) fn marked(&mut self, from: u32, marks: Marks) -> Text {
        self.held = self.held.and(marks);
        Text { from, to: short(self.arena.len()), marks }
    }

    pub(super) fn text(&self, token: &Token) -> &str {
        self.arena.get(range((token.text.from, token.text.to))).unwrap_or_default()
    }

    pub(super) fn marks(&self, index: usize) -> Marks {
        self.list.get(index).map_or(Marks::default(), |token| token.text.marks)
    }

    pub(super) fn same(&self, one: &Token, other: &Token) -> bool {
        one.text.to - one.text.from == other.text.to - other.text.from && self.text(one) == self.text(other)
    }

    /// The text of the token at `index`, empty past the end.
    pub(super) fn text_at(&self, index: usize) -> &str {
        self.list.get(index).map_or("", |token| self.text(token))
    }

    /// True if the token at `index` is glued to the one before it or after it.
    pub(super) fn is_glued(&self, index: usize) -> bool {
        let glued = |index: usize| self.list.get(index).is_some_and(|token| token.glued);
        glued(index) || glued(index.saturating_add(1))
    }

    /// True if the token at `index` goes on in the sentence and turn of the one before it.
    pub(super) fn goes_on(&self, index: usize) -> bool {
        self.list.get(index).is_some_and(|token| token.pause < Pause::Turn)
    }
}
