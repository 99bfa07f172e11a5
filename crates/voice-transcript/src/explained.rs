//! What the check reads in a call: its clauses with their labels, its values, and where a phrase came near and what kept it
//! from counting. For authors; `candor explain --voice` prints it.

use crate::matching::{Heard, Listed, Mode, Occurrence, Phrase, PhraseError, Said, Stance};
use crate::transcript::Turn;
use crate::value::spans;

/// A clause with its labels, or a part of one where labels change within it. Every word is in exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The turn it stands in.
    pub turn: usize,
    /// What was said.
    pub text: String,
    /// What the clause does with it: `stated` alone, or what keeps it from being stated.
    pub labels: Vec<&'static str>,
}

/// A value that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The turn it begins in.
    pub turn: usize,
    /// `date`, `time`, `amount`, `dose`, `identifier` or `number`.
    pub kind: &'static str,
    /// As it is compared.
    pub value: String,
    /// What was said.
    pub text: String,
}

/// A place where a phrase stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The turn it begins in.
    pub turn: usize,
    /// What was said, with the negation that reaches it.
    pub quote: String,
    /// Whether it counts in `contains`: `counts`, `does not count`, `cannot be told`.
    pub counts: &'static str,
    /// Whether it counts with `stated: true`.
    pub stated: &'static str,
    /// The labels of its clause, or what else keeps it from counting.
    pub labels: Vec<&'static str>,
}

fn labels(said: Said, stance: Stance, listed: Listed) -> Vec<&'static str> {
    let said = match said {
        Said::Plain => None,
        Said::Negated => Some("negated"),
        Said::Doubtful => Some("perhaps negated, taken back or part of a longer number"),
        Said::Corrected => Some("taken back"),
    };
    let listed = match listed {
        Listed::No => None,
        Listed::Perhaps => Some("perhaps one of several alternatives"),
        Listed::Yes => Some("one of several alternatives"),
    };
    let labels: Vec<&str> = said.into_iter().chain(stance.names()).chain(listed).collect();
    if labels.is_empty() { vec!["stated"] } else { labels }
}

/// The clauses of a call, in the order in which they were spoken.
///
/// ```
/// use candor_voice_transcript::explained::clauses;
/// use candor_voice_transcript::matching::{Heard, Speakers};
/// use candor_voice_transcript::transcript::{Extension, Transcript};
/// let call = Transcript::read(b"Rep: It isn't 80 dollars, it's 95 dollars.", Extension::Other).unwrap();
/// let heard = Heard::new(&call.turns, &Speakers::default());
/// let clauses: Vec<_> = clauses(&heard, &call.turns).into_iter().map(|one| (one.text, one.labels.join(", "))).collect();
/// assert_eq!(clauses[0], ("It isn't 80 dollars".to_owned(), "negated".to_owned()));
/// assert_eq!(clauses[1], ("it's 95 dollars".to_owned(), "stated".to_owned()));
/// ```
pub fn clauses(heard: &Heard<'_>, turns: &[Turn]) -> Vec<Clause> {
    heard
        .pieces()
        .into_iter()
        .filter_map(|(turn, from, to, said, stance, listed)| {
            let text = turns.get(turn)?.text.get(from..to)?.to_owned();
            Some(Clause { turn, text, labels: labels(said, stance, listed) })
        })
        .collect()
}

/// The values of a call, each as the widest thing that it is.
pub fn values(heard: &Heard<'_>) -> Vec<Span> {
    let place = |stretch: usize, first: usize, last: usize| heard.at_words(stretch, first, last);
    let of = |(stretch, words)| {
        let found = spans(words).into_iter();
        found.filter_map(move |(kind, value, first, last)| Some((kind, value, place(stretch, first, last)?)))
    };
    let all = heard.meant().flat_map(of);
    all.map(|(kind, value, at)| Span { turn: at.turn, kind, value, text: heard.quote(&at) }).collect()
}

/// Where a phrase stands in a call, whoever says it, and whether that counts.
///
/// # Errors
/// A phrase that cannot be looked for.
pub fn near(heard: &Heard<'_>, phrase: &str) -> Result<Vec<Near>, PhraseError> {
    let phrase = Phrase::new(phrase, Mode::Normalized)?;
    Ok(heard.occurrences(&phrase, None).map(|at| told(heard, &at)).collect())
}

fn told(heard: &Heard<'_>, at: &Occurrence) -> Near {
    const COUNTS: &str = "counts";
    const NOT: &str = "does not count";
    const OPEN: &str = "cannot be told";
    let counts = match (at.said, at.listed()) {
        (Said::Negated | Said::Corrected, _) | (_, Listed::Yes) => NOT,
        _ if at.stance.any(Stance::CONDITIONAL) => NOT,
        (Said::Doubtful, _) | (_, Listed::Perhaps) => OPEN,
        _ if at.stance.any(Stance::PERHAPS_CONDITIONAL.and(Stance::CLAIMED)) => OPEN,
        _ => COUNTS,
    };
    let stated = match counts {
        _ if !at.stance.may_be_stated() => NOT,
        COUNTS if !at.stance.is_stated() => OPEN,
        counts => counts,
    };
    let quote = heard.quote(at);
    Near { turn: at.turn, quote, counts, stated, labels: labels(at.said, at.stance, at.listed()) }
}
