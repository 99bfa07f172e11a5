//! The first step: text to tokens. Splits at white space, punctuation and between digits and
//! letters; folds case and Unicode forms; expands contractions; respells.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::chars::{is_apostrophe, is_ignorable, is_letter};
use super::numeral::numeral;
use super::token::{Kind, Pause, Sep, Text, Token, Tokens, short};
use crate::marks::Marks;
use crate::tables::{ABBREVIATIONS, BEHIND_ITS, CONTRACTIONS, SPELLING, TAGS};

pub(super) fn scan(segment: u32, text: &str, out: &mut Tokens) {
    let pause = match segment {
        0 => Pause::None,
        _ if out.reads_on.contains(&segment) => Pause::Short,
        _ if out.ended => Pause::Sentence,
        _ => Pause::Turn,
    };
    Scanner { text, at: 0, segment, pause, glue: false, out }.run();
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    segment: u32,
    /// The strongest pause since the last token.
    pause: Pause,
    /// True if a token ended here, with nothing since.
    glue: bool,
    out: &'a mut Tokens,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            if c == ' ' {
                self.glue = false;
                self.at += 1;
            } else if is_ignorable(c) {
                // within a word it is a part of the piece of letters; digits run together anyway
                self.glue = false;
                self.at += c.len_utf8();
            } else if c.is_ascii_digit() {
                self.digits();
            } else if full_width(c).is_some() {
                self.full_width_digits();
            } else if c == '.' && self.starts_decimal() {
                let end = self.at + 1 + digits_length(self.text, self.at + 1);
                let digits = self.text.get(self.at + 1..end).unwrap_or_default();
                let decimal = format!("{}0.{digits}", self.sign());
                self.push(&decimal, Kind::Decimal, end);
            } else if is_letter(c) || is_apostrophe(c) {
                self.letters();
            } else if let Some((tag, end)) = tag(self.rest()) {
                // not a word that the speaker said: a token of its own that never runs together with others
                self.glue = false;
                self.push(&format!("[{tag}]"), Kind::Word, self.at + end);
                self.glue = false;
            } else {
                if c == '%' || c == '\u{ff05}' {
                    self.glue = false;
                    self.push("percent", Kind::Word, self.at + c.len_utf8());
                    self.at -= c.len_utf8();
                }
                if matches!(c, '?' | '\u{ff1f}') {
                    self.out.asked.push((self.segment, short(self.at)));
                }
                let pause = self.pause_of(c);
                self.pause = self.pause.max(pause);
                self.glue = false;
                self.at += c.len_utf8();
            }
        }
        self.out.ended = self.pause == Pause::Sentence;
    }

    /// Pushes a token whose text in the segment runs from here to `end`, and goes there.
    fn push(&mut self, text: &str, kind: Kind, end: usize) {
        self.push_at(text, kind, (self.at, end));
        self.at = end;
    }

    fn push_at(&mut self, text: &str, kind: Kind, span: (usize, usize)) {
        let text = self.out.put(text);
        self.token(text, kind, span);
    }

    fn token(&mut self, text: Text, kind: Kind, span: (usize, usize)) {
        self.out.list.push(Token {
            text,
            span: (short(span.0), short(span.1)),
            segment: self.segment,
            kind,
            glued: self.glue,
            pause: self.pause,
            sep: Sep::None,
            apart: false,
            loose: false,
        });
        self.glue = true;
        self.pause = Pause::None;
    }

    /// `.5`, where the full stop neither ends a word nor lies among other digits and full stops.
    fn starts_decimal(&self) -> bool {
        !self.glue
            && self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit)
            && !self.before().is_some_and(|c| c == '.' || is_letter(c) || c.is_ascii_digit())
            && !self
                .text
                .as_bytes()
                .get(self.at + 1 + digits_length(self.text, self.at + 1)..)
                .is_some_and(|rest| matches!(rest, [b'.', next, ..] if next.is_ascii_digit()))
    }

    fn digits(&mut self) {
        let (text, kind, end) = numeral(self.text, self.at).unwrap_or_else(|| {
            let end = self.at + digits_length(self.text, self.at);
            let digits = self.text.get(self.at..end).unwrap_or_default();
            (digits.to_owned(), Kind::Number, end)
        });
        let sep = separator(self.text, self.at, end);
        let apart = self.before().is_some_and(|c| matches!(c, '$' | '€' | '£' | '¢'));
        if self.sign().is_empty() {
            self.push(&text, kind, end);
        } else {
            self.push(&format!("-{text}"), Kind::Decimal, end);
        }
        if let Some(token) = self.out.list.last_mut() {
            token.sep = sep;
            token.apart = apart;
        }
    }

    fn full_width_digits(&mut self) {
        let digits: String = self.rest().chars().map_while(full_width).collect();
        let end = self.at + digits.len() * '\u{ff10}'.len_utf8();
        self.push(&digits, Kind::Number, end);
    }

    /// The minus of the number here: `-5`, `-$5`. A hyphen after a letter or a digit is not a minus.
    fn sign(&self) -> &'static str {
        let mut before = self.text.get(..self.at).unwrap_or_default().chars().rev().peekable();
        before.next_if(|c| matches!(c, '$' | '£' | '€'));
        let minus = before.next().is_some_and(|c| matches!(c, '-' | '\u{2212}' | '\u{2013}'));
        let opens =
            before.next().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '=' | '$' | '<' | '>'));
        if minus && opens { "-" } else { "" }
    }

    /// Reads a word of only ASCII letters that no table respells, as most words are. False if the text here is not such
    /// a word.
    fn plain_word(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let behind = rest.get(length..).unwrap_or_default();
        let ends =
            length > 0 && behind.bytes().next().is_none_or(|byte| byte.is_ascii() && !matches!(byte, b'\'' | b'`'));
        if !ends || detached_suffix(behind).is_some() {
            return false;
        }
        let from = self.out.arena.len();
        let written = self.text.get(self.at..self.at + length).unwrap_or_default();
        let capitals = length > 1 && written.bytes().all(|byte| byte.is_ascii_uppercase());
        self.out.arena.push_str(written);
        let word = self.out.arena.get_mut(from..).unwrap_or_default();
        word.make_ascii_lowercase();
        let marks = Marks::of(word).and(if capitals { Marks::CAPITALS } else { Marks::default() });
        if marks.any(Marks::RESPELLED) {
            self.out.arena.truncate(from);
            return false;
        }
        let text = self.out.marked(short(from), marks);
        let kind = if length == 1 { Kind::Letter } else { Kind::Word };
        self.token(text, kind, (self.at, self.at + length));
        self.at += length;
        true
    }

    /// A piece of letters and apostrophes, with a detached suffix ("do n't") if one follows.
    fn letters(&mut self) {
        if self.plain_word() {
            return;
        }
        let start = self.at;
        let mut end = self.at;
        let mut has_letter = false;
        for c in self.rest().chars() {
            let letter = is_letter(c);
            if !letter && !is_apostrophe(c) && !is_ignorable(c) {
                break;
            }
            has_letter |= letter;
            end += c.len_utf8();
        }
        if !has_letter {
            self.at = end;
            self.glue = false;
            return;
        }
        let mut raw = fold(self.text.get(start..end).unwrap_or_default());
        // "uncle's been" is "uncle has been"
        if raw.ends_with("'s") && contraction(&raw).is_none() && is_been(self.text.get(end..).unwrap_or_default()) {
            raw.truncate(raw.len() - 2);
            for word in expand(&raw).into_iter().chain(["has".to_owned()]) {
                self.push_at(&word, Kind::Word, (start, end));
                self.glue = false;
            }
            self.at = end;
            return;
        }
        if let Some((suffix, length)) = detached_suffix(self.text.get(end..).unwrap_or_default()) {
            raw.push_str(suffix);
            end += length;
        }
        // "its not approved" without the apostrophe, not "its status"
        if raw == "its" && is_predicate(self.text.get(end..).unwrap_or_default()) {
            raw = "it's".to_owned();
        }
        if raw.bytes().all(|byte| byte.is_ascii_lowercase()) && contraction(&raw).is_none() {
            let word = SPELLING.get(raw.as_str()).copied().unwrap_or(&raw);
            let kind = if raw.len() == 1 { Kind::Letter } else { Kind::Word };
            self.push(word, kind, end);
            return;
        }
        for word in expand(&raw) {
            let mut chars = word.chars();
            let alone = chars.next().is_some_and(char::is_lowercase) && chars.next().is_none();
            let kind = if alone { Kind::Letter } else { Kind::Word };
            self.push_at(&word, kind, (start, end));
            self.glue = false;
        }
        self.at = end;
        self.glue = true;
    }

    fn pause_of(&self, c: char) -> Pause {
        let before = self.before();
        let after = self.rest().chars().nth(1);
        let open = |c: Option<char>| c.is_none_or(char::is_whitespace);
        match c {
            '!' | '?' | ';' | '\u{3002}' | '\u{ff01}' | '\u{ff1f}' | '\u{ff1b}' => Pause::Sentence,
            '.' if before == Some('.') || after == Some('.') => Pause::Short,
            '.' if after.is_some_and(char::is_alphanumeric) => Pause::None,
            '.' if self.glue && self.ends_abbreviation() && !self.ends_letters() => Pause::None,
            '.' => Pause::Sentence,
            ',' | ':' if after.is_some_and(char::is_alphanumeric) && before.is_some_and(char::is_alphanumeric) => {
                Pause::None
            }
            '-' if before == Some('-') || after == Some('-') || (open(before) && open(after)) => Pause::Short,
            ',' | ':' | '\u{2013}' | '\u{2014}' | '\u{2026}' | '\u{3001}' | '\u{ff0c}' | '(' | ')' | '[' | ']' => {
                Pause::Short
            }
            _ => Pause::None,
        }
    }

    /// True if letters end here that were written without full stops: "P B M." ends a sentence, "J. R." does not.
    fn ends_letters(&self) -> bool {
        let mut letters = self.out.list.iter().rev().take_while(|token| token.kind == Kind::Letter);
        let (Some(last), Some(before)) = (letters.next(), letters.next()) else { return false };
        let between = self.text.get(before.span.1 as usize..last.span.0 as usize);
        last.segment == self.segment && before.segment == self.segment && between.is_some_and(|text| text == " ")
    }

    fn ends_abbreviation(&self) -> bool {
        self.out
            .list
            .last()
            .is_some_and(|token| token.kind == Kind::Letter || ABBREVIATIONS.contains(self.out.text(token)))
    }
}

/// The tag in brackets that a text begins with, and the byte behind it.
fn tag(text: &str) -> Option<(String, usize)> {
    const LONGEST: usize = 32;
    let pairs = [('[', ']'), ('(', ')'), ('<', '>'), ('*', '*')];
    let (_, close) = pairs.into_iter().find(|(open, _)| text.starts_with(*open))?;
    let end = text.char_indices().skip(1).take(LONGEST).find(|(_, c)| *c == close)?.0;
    let inside = text.get(1..end)?.trim().to_ascii_lowercase();
    TAGS.contains_key(&*inside).then_some((inside, end + 1))
}

/// The sign that joins the digits from `at` to `end` to the digits before them.
fn separator(text: &str, at: usize, end: usize) -> Sep {
    let bytes = text.as_bytes();
    let before = |index: usize| at.checked_sub(index).and_then(|index| bytes.get(index)).copied();
    if !before(2).is_some_and(|byte| byte.is_ascii_digit()) {
        return Sep::None;
    }
    match before(1) {
        Some(b',') => Sep::Comma,
        Some(b'/') => Sep::Slash,
        Some(b':') => Sep::Colon,
        Some(b'-') => {
            let first = (2..=4).take_while(|index| before(*index).is_some_and(|byte| byte.is_ascii_digit())).count();
            let joined = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let alone = !joined(before(first + 2)) && !joined(bytes.get(end).copied());
            if alone && first <= 2 && end - at <= 2 { Sep::Range } else { Sep::None }
        }
        _ => Sep::None,
    }
}

fn digits_length(text: &str, at: usize) -> usize {
    text.as_bytes().get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Lower case, composed, without ignorable characters, with straight apostrophes.
fn fold(raw: &str) -> String {
    if raw.is_ascii() {
        return raw.to_ascii_lowercase().replace('`', "'");
    }
    let wide = |c: char| matches!(c, '\u{ff00}'..='\u{ffef}' | '\u{fb00}'..='\u{fb06}' | '\u{1d400}'..='\u{1d7ff}');
    let mut kept = String::with_capacity(raw.len());
    for c in raw.chars().filter(|c| !is_ignorable(*c)) {
        match c {
            _ if is_apostrophe(c) => kept.push('\''),
            _ if wide(c) => kept.extend(std::iter::once(c).nfkc()),
            _ => kept.push(c),
        }
    }
    let lower: String = kept.nfc().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect();
    let latin = lower.chars().any(|c| c.is_ascii_alphabetic());
    let lower = if latin { lower.chars().map(look_alike).collect() } else { lower };
    if is_nfc(&lower) { lower } else { lower.nfc().collect() }
}

fn full_width(c: char) -> Option<char> {
    let digit = u32::from(c).checked_sub(0xff10).filter(|digit| *digit < 10)?;
    char::from_digit(digit, 10)
}

/// True if a text goes on with "been".
fn is_been(rest: &str) -> bool {
    let word = rest.trim_start_matches(' ');
    let been = word.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("been"));
    been && rest.starts_with(' ') && !word.chars().nth(4).is_some_and(is_letter)
}

/// The Latin letter that a letter of another script looks like: a word with Latin letters is read with that one.
fn look_alike(c: char) -> char {
    const PAIRS: [(&str, &str); 2] = [
        (
            "\u{430}\u{435}\u{43e}\u{440}\u{441}\u{443}\u{445}\u{456}\u{458}\u{455}\u{4bb}\u{501}\u{51b}\u{51d}",
            "aeopcyxijshdqw",
        ),
        ("\u{3bf}\u{3b1}\u{3bd}\u{3c1}\u{3c4}\u{3b9}\u{3ba}\u{3c5}\u{3b5}\u{3c7}", "oavptikuex"),
    ];
    if c.is_ascii() {
        return c;
    }
    let lower = c.to_lowercase().next().unwrap_or(c);
    let found = PAIRS.iter().find_map(|(of, like)| like.chars().nth(of.chars().position(|one| one == lower)?));
    found.unwrap_or(c)
}

/// The next word cannot follow a possessive.
fn is_predicate(rest: &str) -> bool {
    let next = rest.strip_prefix(' ').and_then(|rest| rest.split(|c: char| !c.is_alphabetic()).next());
    next.is_some_and(|next| BEHIND_ITS.contains(next))
}

/// A contraction's suffix that white space separates from its word, as some corpora write it, with
/// the length of text it takes.
fn detached_suffix(rest: &str) -> Option<(&'static str, usize)> {
    let after_space = rest.strip_prefix(' ')?;
    if !after_space.starts_with(|c| matches!(c, 'n' | 'N') || is_apostrophe(c)) {
        return None;
    }
    ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"].into_iter().find_map(|suffix| {
        let own = || after_space.chars().take(suffix.len());
        let folded = own().map(|c| if is_apostrophe(c) { '\'' } else { c.to_ascii_lowercase() });
        let behind = after_space.chars().nth(suffix.len());
        let ends = !behind.is_some_and(|c| is_letter(c) || c.is_ascii_digit() || is_apostrophe(c));
        (ends && folded.eq(suffix.chars())).then(|| (suffix, 1 + own().map(char::len_utf8).sum::<usize>()))
    })
}

/// Suffixes that mean the same word in every contraction.
const SUFFIXES: [(&str, &str); 5] = [("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'m", "am")];

/// Longer than any contraction; looking up a longer text again and again would take too long.
const LONGEST_CONTRACTION: usize = 24;

fn contraction(piece: &str) -> Option<&'static str> {
    let short = piece.len() <= LONGEST_CONTRACTION;
    short.then(|| CONTRACTIONS.get(piece).copied())?
}

/// The words that a folded piece contracts, without apostrophes, in American spelling.
fn expand(raw: &str) -> Vec<String> {
    let split = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut tail: Vec<&str> = Vec::new();
    let mut base = raw;
    let mut words: Vec<String> = loop {
        if let Some(expansion) = contraction(base) {
            break split(expansion);
        }
        let trimmed = base.trim_matches('\'');
        if trimmed.len() < base.len() {
            base = trimmed;
            continue;
        }
        let cut = SUFFIXES.iter().find_map(|(suffix, word)| {
            let rest = base.strip_suffix(suffix)?;
            (!rest.is_empty()).then_some((rest, *word))
        });
        if let Some((rest, word)) = cut {
            tail.push(word);
            base = rest;
            continue;
        }
        let plain: String = base.replace('\'', "").nfc().collect();
        let known = contraction(&plain).or_else(|| SPELLING.get(plain.as_str()).copied());
        break known.map_or_else(|| vec![plain], split);
    };
    words.extend(tail.into_iter().rev().map(str::to_owned));
    words.retain(|word| !word.is_empty());
    words
}
