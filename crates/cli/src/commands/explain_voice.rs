//! `candor explain --voice`: the turns of a call with what the check reads in them, or where a phrase comes near.

use std::io::{self, Read, Write};
use std::path::Path;

use candor::inner::report::is_steering;
use candor::inner::report::json::document;
use candor::inner::voice_transcript::explain::{self, ExplainedTurn, Near};
use candor::inner::voice_transcript::matching::Mode;
use candor::inner::voice_transcript::transcript::{Extension, MAX_BYTES, Transcript};
use candor_json::json;
use serde::Serialize;

use crate::exit::Outcome;
use crate::output::printable;

/// Runs it: 0 if the transcript was read and the phrase, if one is given, counts as said; else 1.
pub(super) fn run(file: &Path, phrase: Option<&str>, as_text: bool, out: &mut dyn Write) -> Result<Outcome, String> {
    let named = |problem: &dyn std::fmt::Display| format!("{}: {problem}", file.display());
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    crate::input::open(file)?.take(most).read_to_end(&mut bytes).map_err(|error| named(&error))?;
    let (shown, outcome) = match (Transcript::read(&bytes, Extension::of(&file.to_string_lossy())), phrase) {
        (Err(error), _) if as_text => {
            (format!("! {}\n", printable(&error.to_string())).into_bytes(), Outcome::Findings)
        }
        (Err(error), _) => (document(&json!({"fault": error.to_string()})), Outcome::Findings),
        (Ok(call), None) => (shown(&explain::turns(&call), as_text, turn), Outcome::Pass),
        (Ok(call), Some(phrase)) => {
            let near = explain::near(&call, phrase, Mode::default()).map_err(|error| format!("`{phrase}`: {error}"))?;
            let outcome = if near.iter().any(Near::is_said) { Outcome::Pass } else { Outcome::Findings };
            match near.is_empty() && as_text {
                true => (b"no turn has half of its words\n".to_vec(), outcome),
                false => (shown(&near, as_text, place), outcome),
            }
        }
    };
    match out.write_all(&shown).and_then(|()| out.flush()) {
        // Who reads may stop reading.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(outcome),
        written => written.map(|()| outcome).map_err(|error| named(&error)),
    }
}

fn shown<T: Serialize>(all: &[T], as_text: bool, text: impl Fn(&T) -> String) -> Vec<u8> {
    if as_text { all.iter().map(text).collect::<String>().into_bytes() } else { document(&all) }
}

/// Between the margin and what belongs to a turn.
const INDENT: &str = "                  ";

fn head(turn: usize, speaker: &str, text: &str) -> String {
    format!("{turn:>4}  {:<10}  {}\n", clean(speaker), clean(text))
}

fn turn(one: &ExplainedTurn) -> String {
    let ExplainedTurn { turn, speaker, text, normalized, meant, clauses, values, .. } = one;
    let line = |text: String| format!("{INDENT}{}\n", clean(&text));
    let meant = (meant != normalized).then(|| line(format!("= {meant}")));
    let clauses = clauses.iter().map(|clause| line(format!("| {}: {}", clause.labels.join(", "), clause.text)));
    let values = values.iter().map(|value| line(format!("# {} {}: {}", value.kind, value.value, value.text)));
    let lines = [head(*turn, speaker, text), line(normalized.clone())].into_iter();
    lines.chain(meant).chain(clauses).chain(values).collect()
}

fn place(near: &Near) -> String {
    let line = |text: String| format!("{INDENT}{}\n", clean(&text));
    let labels = (!near.labels.is_empty()).then(|| line(format!("| {}", near.labels.join(", "))));
    let verdicts =
        [("contains", &near.contains), ("contains, stated", &near.stated), ("not_contains", &near.not_contains)];
    let verdicts = verdicts.into_iter().map(|(member, verdict)| line(format!("{member}: {verdict}")));
    [head(near.turn, &near.speaker, &near.quote)].into_iter().chain(labels).chain(verdicts).collect()
}

fn clean(text: &str) -> String {
    text.replace(is_steering, " ")
}
