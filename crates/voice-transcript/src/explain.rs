//! Explains what the check reads in a call: each turn with its speaker, the two forms in which phrases are looked for,
//! its clauses with their labels and its values; and where a phrase came near, and what kept it from counting.
//! For authors.

use serde::Serialize;

use crate::compare::Counts;
use crate::constraint::{Constraints, Scope, counts};
use crate::matching::{Close, Heard, Listed, Mode, Occurrence, Phrase, PhraseError, Said, Speaker, Speakers, Stance};
use crate::normalize::Normalized;
use crate::transcript::Transcript;
use crate::value::spans;

/// A turn, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedTurn {
    /// Its place in the call, from 0 on.
    pub turn: usize,
    /// Who spoke it: a role, a label with `?` if nothing says what it means, `(not spoken)`, or `?`.
    pub speaker: String,
    /// The words of the turn.
    pub text: String,
    /// The text as it is compared.
    pub normalized: String,
    /// The same with numbers, dates and spellings in one form.
    pub meant: String,
    /// When it begins, in milliseconds from the beginning of the call.
    pub start: Option<u64>,
    /// When it ends.
    pub end: Option<u64>,
    /// Its clauses, or their parts where labels change within one. Every word is in exactly one.
    pub clauses: Vec<Clause>,
    /// The values that begin in it.
    pub values: Vec<Span>,
}

/// A clause with its labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// The words of the clause.
    pub text: String,
    /// The labels that the clause gives its words: only `stated`, or those that keep them from being stated.
    pub labels: Vec<&'static str>,
}

/// A value in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// `date`, `time`, `amount`, `dose`, `identifier`, `number`, `answer` or `name`.
    pub kind: &'static str,
    /// As it is compared.
    pub value: String,
    /// The words of the value.
    pub text: String,
}

/// A place where a phrase occurs, or comes near.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Near {
    /// The turn it begins in.
    pub turn: usize,
    /// Who spoke it.
    pub speaker: String,
    /// The words there, with the negation that reaches them.
    pub quote: String,
    /// The labels of its clause; none if the phrase does not occur there.
    pub labels: Vec<&'static str>,
    /// The verdict on it in `contains`: `counts`, `does not count: …` or `undecidable: …`.
    pub contains: String,
    /// The same with `stated: true`.
    pub stated: String,
    /// The same in `not_contains`.
    pub not_contains: String,
}

impl Near {
    /// Checks if a phrase of `contains` counts as said here.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.contains == COUNTS
    }
}

const COUNTS: &str = "counts";

/// The turns of a call, as they are read.
///
/// ```
/// use candor_voice_transcript::explain::turns;
/// use candor_voice_transcript::transcript::{Extension, Transcript};
///
/// let call = Transcript::read(b"Rep: It isn't 80 dollars, it's 95 dollars.", Extension::Other)?;
/// let turn = &turns(&call)[0];
/// assert_eq!((turn.speaker.as_str(), turn.values[1].value.as_str()), ("rep", "95 dollars"));
/// assert_eq!((turn.clauses[0].text.as_str(), turn.clauses[0].labels[0]), ("It isn't 80 dollars", "negated"));
/// # Ok::<(), candor_voice_transcript::transcript::TranscriptError>(())
/// ```
#[must_use]
pub fn turns(call: &Transcript) -> Vec<ExplainedTurn> {
    let speakers = Speakers::default();
    let heard = Heard::new(&call.turns, &speakers);
    let explained = |(turn, spoken): (usize, &crate::transcript::Turn)| {
        let texts = [spoken.text.as_str()];
        ExplainedTurn {
            turn,
            speaker: speaker(&speakers, call, turn),
            text: spoken.text.clone(),
            normalized: Normalized::of(&texts).render(),
            meant: Normalized::canonical(&texts).render(),
            start: spoken.start,
            end: spoken.end,
            clauses: Vec::new(),
            values: Vec::new(),
        }
    };
    let mut turns: Vec<ExplainedTurn> = call.turns.iter().enumerate().map(explained).collect();
    for piece in heard.pieces() {
        let Some(turn) = turns.get_mut(piece.turn) else { continue };
        let text = turn.text.get(piece.from..piece.to).unwrap_or_default().to_owned();
        turn.clauses.push(Clause { text, labels: labels(piece.said, piece.doubt, piece.stance, piece.listed) });
    }
    for (stretch, words) in heard.meant() {
        let text = |at: usize| heard.at_words(stretch, at, at).map(|at| heard.text(&at)).unwrap_or_default();
        let capital = |at: usize| text(at).starts_with(char::is_uppercase);
        for (kind, value, first, last) in spans(words, capital) {
            let Some(at) = heard.at_words(stretch, first, last) else { continue };
            let Some(turn) = turns.get_mut(at.turn) else { continue };
            turn.values.push(Span { kind, value, text: heard.text(&at) });
        }
    }
    turns
}

fn speaker(speakers: &Speakers, call: &Transcript, turn: usize) -> String {
    match call.turns.get(turn).map(|turn| speakers.speaker(turn)) {
        Some(Speaker::Unread) => "(not spoken)".to_owned(),
        Some(Speaker::Known { role, .. }) => role,
        Some(Speaker::Perhaps(label)) => format!("{label}?"),
        _ => "?".to_owned(),
    }
}

fn labels(said: Said, doubt: &'static str, stance: Stance, listed: Listed) -> Vec<&'static str> {
    let said = match said {
        Said::Plain => None,
        Said::Negated => Some("negated"),
        Said::Doubtful => Some(doubt),
        Said::Corrected => Some("taken back"),
    };
    let listed = match listed {
        Listed::No => None,
        Listed::Perhaps => Some("perhaps an alternative"),
        Listed::Yes => Some("alternative"),
    };
    let labels: Vec<&str> = said.into_iter().chain(stance.names()).chain(listed).collect();
    if labels.is_empty() { vec!["stated"] } else { labels }
}

/// Finds the places of a phrase in a call, by any speaker, with the verdict on each. If none counts, it adds the turns
/// that have the most of its words.
///
/// # Errors
/// A phrase that cannot be looked for.
pub fn near(call: &Transcript, phrase: &str, mode: Mode) -> Result<Vec<Near>, PhraseError> {
    let phrase = Phrase::new(phrase, mode)?;
    let speakers = Speakers::default();
    let heard = Heard::new(&call.turns, &speakers);
    let (any, stated) = (Constraints::default(), Constraints { stated: true, ..Constraints::default() });
    let (any, stated) = (Scope::new(&any, &heard, None), Scope::new(&stated, &heard, None));
    let told = |at: Occurrence| Near {
        turn: at.turn,
        speaker: speaker(&speakers, call, at.turn),
        quote: heard.quote(&at),
        labels: labels(at.said, at.doubt, at.stance, at.listed),
        contains: verdict(counts(false, false, &any, &at)),
        stated: verdict(counts(false, false, &stated, &at)),
        not_contains: verdict(counts(false, true, &any, &at)),
    };
    let mut found: Vec<Near> = heard.occurrences(&phrase, None).map(told).collect();
    if !found.iter().any(Near::is_said) {
        let places: Vec<usize> = found.iter().map(|near| near.turn).collect();
        let closest = closest(&heard, &phrase).into_iter().filter(|close| !places.contains(&close.turn));
        found.extend(closest.map(|close| missed(speaker(&speakers, call, close.turn), call, &close)));
    }
    Ok(found)
}

/// The turns with the most words of a phrase, if that is half of them.
fn closest<'a>(heard: &'a Heard<'_>, phrase: &'a Phrase) -> Vec<Close<'a>> {
    const MOST: usize = 8;
    let all = heard.close(phrase, None);
    let best = all.iter().map(|close| close.met).max().unwrap_or_default();
    all.into_iter().filter(|close| close.met == best && best * 2 >= close.of).take(MOST).collect()
}

fn missed(speaker: String, call: &Transcript, close: &Close<'_>) -> Near {
    let why = match close.missing.as_slice() {
        [] => "its words do not follow one another, or are a part of a longer number".to_owned(),
        missing => format!("not said there: {}", missing.join(" ")),
    };
    let why = format!("does not count: {why}");
    Near {
        turn: close.turn,
        speaker,
        quote: call.turns.get(close.turn).map(|turn| turn.text.clone()).unwrap_or_default(),
        labels: Vec::new(),
        contains: why.clone(),
        stated: why.clone(),
        not_contains: why,
    }
}

fn verdict(counts: Counts) -> String {
    match counts {
        Counts::Yes => COUNTS.to_owned(),
        Counts::Unsure(why) => format!("undecidable: {why}"),
        Counts::No(why) => format!("does not count: {why}"),
    }
}
