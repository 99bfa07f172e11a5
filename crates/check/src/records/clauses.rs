//! Results that did not pass, as the clauses of one sentence.

use super::described;
use crate::evidence::quoted;
use crate::field::FieldResult;
use crate::settings::Cardinality;

/// How many failed results a sentence names.
pub(super) const NAMED: usize = 10;

/// Groups of results that did not pass, as clauses, each group with the label behind it: `status is "draft", expected
/// "booked"; start is nothing, expected "2026-11-20" (Appointment/a)`. Beyond [`NAMED`] results the rest is a number, with
/// `more` that are in no group.
pub(super) fn described_each<'a>(
    groups: impl Iterator<Item = (&'a [&'a FieldResult], &'a str)>,
    more: usize,
) -> String {
    let (mut clauses, mut named, mut all) = (Vec::new(), 0, more);
    for (results, label) in groups {
        all += results.len();
        let shown = results.get(..results.len().min(NAMED - named)).unwrap_or_default();
        if shown.is_empty() {
            continue;
        }
        named += shown.len();
        let shown: Vec<String> = shown.iter().map(|result| clause(result)).collect();
        clauses.push(format!("{}{label}", shown.join("; ")));
    }
    match all - named {
        0 => clauses.join("; "),
        more => format!("{}; and {more} more", clauses.join("; ")),
    }
}

/// A result within a sentence that names what was selected: the number of candidates needs no path.
pub(super) fn clause(result: &FieldResult) -> String {
    match (result.path.as_str(), Cardinality::from_value(&result.expected)) {
        ("$count", Ok(asked)) => format!("found {}, expected {}", quoted(&result.actual), asked.in_words()),
        _ => described(result),
    }
}
