//! Equivalence rules: what `using` may name, and what each does to a text.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::money::{amount, one_amount};
use super::reference::References;

/// An equivalence rule of `using`. Every rule is applied to both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Upper and lower case are the same.
    Case,
    /// Surrounding space is dropped, runs of white space are one space.
    Whitespace,
    /// Letters are compared without their accents.
    Accents,
    /// Punctuation is deleted, but for what makes an amount another one: its decimal sign, its sign and its brackets.
    Punctuation,
    /// Amounts are compared as numbers, whatever their currency sign, groups, decimal sign, sign and brackets.
    Money,
    /// Only the digits 0–9 are compared.
    Digits,
    /// Zeros in front are dropped.
    LeadingZeros,
    /// Arrays are compared in any order.
    Unordered,
    /// FHIR references are compared by their target.
    Reference,
    /// FHIR quantities are compared across the units of UCUM.
    Ucum,
    /// FHIR codes are compared by system and code, concepts by any of their codings.
    Code,
    /// ICD-10 codes with or without the dot, in any case.
    Icd10,
    /// National Drug Codes of 10 and 11 digits.
    Ndc,
    /// Names of persons: case, accents, punctuation, and the space before a suffix.
    PersonName,
    /// Words that an assertion lists as meaning the same. No rule of `using`: it is in the results that such a list
    /// decided.
    Synonyms,
}

/// Every rule with its name in `using`, in the order in which the rules are applied.
pub const RULES: &[(&str, Rule)] = &[
    ("unordered", Rule::Unordered),
    ("reference", Rule::Reference),
    ("ucum", Rule::Ucum),
    ("code", Rule::Code),
    ("ndc", Rule::Ndc),
    ("icd10", Rule::Icd10),
    ("person_name", Rule::PersonName),
    ("accents", Rule::Accents),
    ("case", Rule::Case),
    ("money", Rule::Money),
    ("punctuation", Rule::Punctuation),
    ("digits", Rule::Digits),
    ("leading_zeros", Rule::LeadingZeros),
    ("whitespace", Rule::Whitespace),
];

impl Rule {
    /// The rule of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        RULES.iter().find(|(n, _)| *n == name).map(|&(_, rule)| rule)
    }

    /// The rule's name in `using` and in evidence.
    #[must_use]
    pub fn name(self) -> &'static str {
        RULES.iter().find(|(_, rule)| *rule == self).map_or("synonyms", |&(name, _)| name)
    }

    fn apply<'a>(self, text: Cow<'a, str>, references: &References) -> Cow<'a, str> {
        let changed = match self {
            // These are about values that are not texts.
            Self::Unordered | Self::Ucum | Self::Code | Self::Synonyms => return text,
            Self::Reference => references.target(&text).into_owned(),
            Self::Ndc => match ndc_11(&text) {
                Some(code) => code,
                None => return text,
            },
            Self::Icd10 => text.replace('.', "").trim().to_uppercase(),
            Self::PersonName => person_name(&text),
            Self::Accents => without_accents(&text),
            Self::Case => folded(&text),
            Self::Money => match amount(&text) {
                Some(amount) => amount,
                None => return text,
            },
            Self::Punctuation => amount(&text).unwrap_or_else(|| {
                let bare: String = text.chars().filter(|&c| !is_punctuation(c)).collect();
                // What is left may be an amount: `5€!`.
                amount(&bare).unwrap_or(bare)
            }),
            // a text without a digit stays as it is: "unknown" is not "N/A"
            Self::Digits if !text.contains(|c: char| c.is_ascii_digit()) => return text,
            Self::Digits => text.chars().filter(char::is_ascii_digit).collect(),
            Self::LeadingZeros => without_leading_zeros(&text).to_owned(),
            Self::Whitespace => text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        Cow::Owned(changed)
    }
}

pub(crate) fn applied<'a>(rules: &[Rule], text: &'a str, references: &References) -> Cow<'a, str> {
    let in_order = RULES.iter().filter(|(_, rule)| rules.contains(rule));
    in_order.fold(Cow::Borrowed(text), |text, (_, rule)| rule.apply(text, references))
}

/// Compares two amounts; `None` without a rule that reads amounts, or if a text is not an amount.
pub(crate) fn amounts(rules: &[Rule], a: &str, b: &str) -> Option<bool> {
    let read = rules.iter().any(|rule| matches!(rule, Rule::Money | Rule::Punctuation));
    read.then(|| one_amount(a, b)).flatten()
}

/// The text as the rules leave it, whatever FHIR references are in it.
///
/// ```
/// use candor_check::compare::{Rule, normalized};
/// assert_eq!(normalized(&[Rule::Punctuation, Rule::Case], "PA-1001"), "pa1001");
/// ```
#[must_use]
pub fn normalized<'a>(rules: &[Rule], text: &'a str) -> Cow<'a, str> {
    applied(rules, text, &References::default())
}

/// Simple case folding: what differs only in case becomes the same text, `ß` and `SS` included.
fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

fn without_accents(text: &str) -> String {
    text.nfd().filter(|&c| !is_combining_mark(c)).nfc().collect()
}

fn without_leading_zeros(text: &str) -> &str {
    let rest = text.trim_start_matches('0');
    match rest.chars().next() {
        Some(c) if c.is_alphanumeric() => rest,
        // At least one character stays: `0` is not nothing, `0.5` keeps its zero.
        _ => text.get(text.len() - rest.len() - usize::from(rest.len() < text.len())..).unwrap_or(text),
    }
}

/// ASCII punctuation and the marks of the Unicode blocks that hold nothing else.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿')
        || ('\u{2010}'..='\u{2027}').contains(&c)
        || ('\u{2030}'..='\u{205E}').contains(&c)
        || ('\u{3001}'..='\u{3003}').contains(&c)
        || ('\u{3008}'..='\u{3011}').contains(&c)
}

fn person_name(text: &str) -> String {
    let spaced = text.replace(',', " ");
    let kept: String = folded(&without_accents(&spaced)).chars().filter(|&c| !is_punctuation(c)).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A National Drug Code as 11 digits (5-4-2), where it can be known: 11 digits, or 10 in three parts.
///
/// Source: FDA, National Drug Code formats 4-4-2, 5-3-2 and 5-4-1; HIPAA's 11 digits pad the short part with a zero.
fn ndc_11(text: &str) -> Option<String> {
    let text = text.trim();
    let parts: Vec<&str> = text.split('-').collect();
    if !parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    match *parts.as_slice() {
        [whole] if whole.len() == 11 => Some(whole.to_owned()),
        [labeler, product, package] => match (labeler.len(), product.len(), package.len()) {
            (5, 4, 2) | (4, 4, 2) | (5, 3, 2) | (5, 4, 1) => Some(format!("{labeler:0>5}{product:0>4}{package:0>2}")),
            _ => None,
        },
        _ => None,
    }
}

/// Returns `true` if one is a bare 10-digit National Drug Code that may or may not be the other.
pub(crate) fn ndc_undecidable(a: &str, b: &str) -> bool {
    let could_be = |bare: &str, code: &str| {
        let bare = bare.trim();
        let Some(code) = ndc_11(code) else { return false };
        bare.len() == 10
            && bare.is_ascii()
            && [0, 5, 9].iter().any(|&at| {
                let (head, tail) = bare.split_at(at);
                format!("{head}0{tail}") == code
            })
    };
    could_be(a, b) || could_be(b, a)
}
