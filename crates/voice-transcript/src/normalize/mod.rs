//! Text to comparable words, by rule: same text, same words, on every machine.
//!
//! The steps, in order:
//! 1. Text is split at white space, at punctuation (hyphens too, apostrophes not) and between digits
//!    and letters. Case is folded, composed and decomposed characters are made one (NFC), invisible
//!    characters dropped, `%` read as a word. Accents stay. A letter of another script in a word of Latin letters is what it
//!    looks like.
//! 2. Contractions are expanded (`can't`, `cannot` and `can not` are one), British spellings made
//!    American, other apostrophes dropped (`O'Brien` is `obrien`).
//! 3. Number words become digits: cardinals, ordinals, `double four`, `oh` among digits, `point five`.
//! 4. Letters that spell a listed abbreviation become it: `I D`, `D.O.B.`
//! 5. Digits and single letters that follow one another run together, so that `1234`, `12 34`, `1-2-3-4`,
//!    `twelve thirty-four` and `one two three four` are the same. So do years in pairs.
//!
//! The tables are the files of `data/`. Each word has its place in the text.

mod canonical;
mod cardinal;
mod chars;
mod grams;
mod joins;
mod numeral;
mod scan;
mod spoken;
mod token;
mod values;
mod vocabulary;

use std::ops::Range;
use std::sync::OnceLock;

use grams::Grams;
pub(crate) use joins::{Boundary, Cut};
pub(crate) use token::Sep;
pub use token::{Kind, Pause};
use token::{Token, Tokens, range, short};
pub(crate) use values::{As, Read, Typed};
pub use vocabulary::Language;
pub(crate) use vocabulary::Vocabulary;

use crate::marks::Marks;

/// The version of the pipeline: another one may give other words for the same text.
pub const VERSION: u32 = 6;

/// The longest text that is normalized in one piece, in bytes. Callers cut or refuse what is longer.
pub const MAX_BYTES: usize = 64 << 20;

/// A normalized text: one or more segments (the turns of one speaker that follow one another) read
/// as one stretch of words.
///
/// ```
/// use candor_voice_transcript::normalize::Normalized;
/// let said = Normalized::of(&["My member I.D. is W one two, three four.", "Born the third of March, nineteen eighty-five."]);
/// assert_eq!(said.render(), "my member id is w 1 2 3 4 born the 3rd of march 19 85");
/// ```
#[derive(Debug)]
pub struct Normalized {
    chars: String,
    marks: Vec<Option<Boundary>>,
    words: Vec<Token>,
    asked: Vec<(u32, u32)>,
    held: Marks,
    grams: Grams,
    values: OnceLock<Vec<(As, usize)>>,
}

/// A text as spoken, as it is meant where that differs, and, where it is not English, with the English words by which
/// clauses are labelled, one for one.
#[derive(Debug)]
pub(crate) struct Readings {
    pub(crate) said: Normalized,
    pub(crate) meant: Option<Normalized>,
    pub(crate) glossed: Option<Normalized>,
}

/// A word of a [`Normalized`] text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its normalized form.
    pub text: &'a str,
    /// Its kind: word, letter, number and so on.
    pub kind: Kind,
    /// The index of its segment.
    pub segment: usize,
    /// The bytes of the segment's text it comes from.
    pub span: Range<usize>,
    /// The pause before it.
    pub pause: Pause,
    pub(crate) marks: Marks,
}

impl Normalized {
    /// Normalizes segments as one stretch. Text beyond [`MAX_BYTES`] altogether is not read.
    pub fn of(segments: &[&str]) -> Self {
        let mut tokens = scanned(segments, &[]);
        numbers(&mut tokens, &Vocabulary::default());
        Self::joined(tokens)
    }

    /// The same with what people mean by what they say: without sounds and repeats, with amounts, days, units and characters
    /// that are spelled out in one form (`canonical`).
    ///
    /// ```
    /// use candor_voice_transcript::normalize::Normalized;
    /// let said = Normalized::canonical(&["It's, uh, W as in whiskey one two. Take fifteen milligrams twice a day, that's $2.50."]);
    /// assert_eq!(said.render(), "it is w 1 2 take 15 mg twice daily that is 2.50 dollars");
    /// ```
    pub fn canonical(segments: &[&str]) -> Self {
        Self::meant(&Vocabulary::default(), segments)
    }

    /// The same with a task's own abbreviations.
    pub(crate) fn meant(vocabulary: &Vocabulary, segments: &[&str]) -> Self {
        let mut tokens = scanned(segments, &[]);
        let source = canonical::Source(segments);
        canonical::before_numbers(&mut tokens, &source);
        numbers(&mut tokens, vocabulary);
        canonical::behind_numbers(&mut tokens, &source);
        Self::joined(tokens)
    }

    /// Both readings of a text by the words of a task, where some segments go on with a number that the one before ends
    /// with.
    pub(crate) fn readings(vocabulary: &Vocabulary, segments: &[&str], reads_on: &[usize]) -> Readings {
        let spanish = vocabulary.language == Language::Es;
        let source = canonical::Source(segments);
        let mut first = scanned(segments, reads_on);
        if spanish {
            canonical::spanish::values(&mut first);
        }
        let mut second = first.clone();
        canonical::before_numbers(&mut second, &source);
        if first.list == second.list {
            numbers(&mut first, vocabulary);
            second = first.clone();
        } else {
            numbers(&mut first, vocabulary);
            numbers(&mut second, vocabulary);
        }
        canonical::behind_numbers(&mut second, &source);
        let same = first.list.len() == second.list.len()
            && first.list.iter().zip(&second.list).all(|(one, other)| first.text(one) == second.text(other));
        let glossed = spanish.then(|| {
            let mut glossed = first.clone();
            canonical::spanish::gloss(&mut glossed);
            Self::joined(glossed)
        });
        Readings { said: Self::joined(first), meant: (!same).then(|| Self::joined(second)), glossed }
    }

    fn joined(mut tokens: Tokens) -> Self {
        let (chars, marks) = joins::join(&mut tokens);
        let grams = Grams::of(&chars);
        Self {
            chars,
            marks,
            words: tokens.list,
            asked: tokens.asked,
            held: tokens.held,
            grams,
            values: OnceLock::new(),
        }
    }

    pub(crate) fn is_capital(&self, index: usize, segments: &[&str]) -> bool {
        let word = self.word(index);
        let from = word.and_then(|word| segments.get(word.segment)?.get(word.span.start..));
        from.is_some_and(|from| from.starts_with(char::is_uppercase))
    }

    /// True if the word is the "I" of "I am", and no letter.
    pub(crate) fn is_pronoun(&self, index: usize) -> bool {
        let verb = |word: &Word<'_>| {
            let auxiliary = word.marks.any(Marks::AUXILIARY) && !matches!(word.text, "is" | "are" | "has" | "does");
            auxiliary
                || matches!(word.text, "mean" | "meant" | "think" | "see" | "guess" | "believe" | "know" | "misspoke")
        };
        let next = self.word(index + 1).filter(|next| next.pause == Pause::None);
        self.word(index).is_some_and(|word| word.text == "i") && next.is_some_and(|next| verb(&next))
    }

    /// True if a question mark lies between the word at `index` and the next.
    pub(crate) fn asked_behind(&self, index: usize) -> bool {
        let Some(word) = self.words.get(index) else { return false };
        let next = self.words.get(index + 1).map_or((u32::MAX, u32::MAX), |next| (next.segment, next.span.0));
        let first = self.asked.partition_point(|mark| *mark < (word.segment, word.span.1));
        self.asked.get(first).is_some_and(|mark| *mark < next)
    }

    /// True if any of these tables may hold a word of it; if false, none does.
    pub(crate) fn may_have(&self, marks: Marks) -> bool {
        self.held.any(marks)
    }

    pub(crate) fn marks_at(&self, index: usize) -> Marks {
        self.words.get(index).map_or(Marks::default(), |token| token.text.marks)
    }

    /// True if it has no words to compare.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The word at an index.
    pub fn word(&self, index: usize) -> Option<Word<'_>> {
        let token = self.words.get(index)?;
        Some(Word {
            text: self.text(token),
            kind: token.kind,
            segment: token.segment as usize,
            span: range(token.span),
            pause: token.pause,
            marks: token.text.marks,
        })
    }

    /// All words.
    pub fn words(&self) -> impl Iterator<Item = Word<'_>> {
        (0..self.words.len()).filter_map(|index| self.word(index))
    }

    /// The words as text. Normalizing it again gives it again, but for the ends of sentences, which are not written.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(self.chars.len() + self.words.len());
        for token in &self.words {
            if !text.is_empty() && !token.glued {
                text.push(' ');
            }
            text.push_str(self.text(token));
        }
        text
    }

    fn text(&self, token: &Token) -> &str {
        self.chars.get(range((token.text.from, token.text.to))).unwrap_or_default()
    }

    /// True if the characters of a phrase may be in a row here; if false, they are not.
    pub(crate) fn may_hold(&self, phrase: &Self) -> bool {
        self.grams.may_hold(&phrase.grams)
    }

    /// All characters of all words in a row.
    pub(crate) fn chars(&self) -> &str {
        &self.chars
    }

    /// The boundary at a byte of [`Self::chars`].
    pub(crate) fn boundary(&self, at: usize) -> Option<Boundary> {
        self.marks.get(at).copied()?
    }

    /// Tells if a phrase may begin or end before the word at an index; always after the last word.
    pub(crate) fn cut_at(&self, index: usize) -> Cut {
        let at = self.words.get(index).map_or(self.chars.len(), |word| word.text.from as usize);
        self.boundary(at).map_or(Cut::Never, |boundary| boundary.cut)
    }

    /// Tells if a phrase may end behind the word at an index. A word ends for sure before a count of strengths:
    /// "metoprolol | two 25 mg tablets".
    pub(crate) fn end_at(&self, index: usize) -> Cut {
        match self.cut_at(index + 1) {
            Cut::Doubtful if self.words.get(index).is_some_and(|word| word.kind == Kind::Word) => Cut::Free,
            cut => cut,
        }
    }

    /// The index of the word that starts at or holds a byte of [`Self::chars`].
    pub(crate) fn word_at(&self, at: usize) -> usize {
        self.words.partition_point(|token| (token.text.to as usize) <= at)
    }

    /// The words that a byte range of a segment's text touches, first and last. A range without a word
    /// has the word behind it as its first. A word of a contraction that the range breaks off inside
    /// ("I can|not") is its first word.
    pub(crate) fn words_in(&self, segment: usize, span: Range<usize>) -> (usize, usize) {
        let until = |at: usize| {
            self.words.partition_point(|token| (token.segment as usize, token.span.1 as usize) <= (segment, at))
        };
        let (first, behind) = (until(span.start), until(span.end));
        let broken = self
            .words
            .get(behind)
            .is_some_and(|token| token.segment as usize == segment && (token.span.0 as usize) < span.end);
        let last = if broken { behind } else { behind.saturating_sub(1) };
        (first, last.max(first))
    }
}

/// The words of segments, before anything is read into them.
fn scanned(segments: &[&str], reads_on: &[usize]) -> Tokens {
    let reads_on = reads_on.iter().map(|segment| short(*segment)).collect();
    let mut tokens = Tokens { reads_on, ..Tokens::default() };
    let bytes = segments.iter().map(|segment| segment.len()).sum::<usize>().min(MAX_BYTES);
    tokens.arena.reserve(bytes);
    // a word has some four letters, and a space behind it
    tokens.list.reserve(bytes / 5);
    let mut left = MAX_BYTES;
    for (index, segment) in segments.iter().enumerate() {
        if segment.len() > left {
            break;
        }
        left -= segment.len();
        scan::scan(short(index), segment, &mut tokens);
    }
    tokens
}

fn numbers(tokens: &mut Tokens, vocabulary: &Vocabulary) {
    cardinal::written_ordinals(tokens);
    cardinal::cardinals(tokens);
    spoken::doubles(tokens);
    if tokens.held.any(Marks::DIGITS) {
        spoken::zeros(tokens);
        spoken::decimals(tokens);
        spoken::minus(tokens);
    }
    spoken::initialisms(tokens, vocabulary);
}
