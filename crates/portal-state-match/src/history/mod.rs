//! State over time: rows of a log, one history for each entity, held against the states it must and must not go through.

mod settings;
pub(crate) mod timeline;

use std::collections::{HashMap, HashSet};

use candor_check::compare::{Comparison, Datum, Rule};
use candor_check::field::{FieldReason, FieldResult};
use candor_check::records::{Candidate, Fault, Judgement, Observation, Unreadable, UnsafeMatch};
use candor_check::{Failure, Obstacle};
use candor_json::{Value, json};

pub(crate) use settings::{Columns, HistorySettings, States, WrittenHistory, WrittenStates};
use timeline::{Timeline, single};

use crate::identity::{Identities, Identity};
use crate::path::ColumnPath;
use crate::rows::Content;
use crate::synonyms::Synonyms;

/// An entity's rows, in the order in which they were read, and as far as is known in the order of time.
pub(crate) struct History<'a> {
    rows: Vec<&'a Candidate<Content>>,
    timeline: Timeline,
}

impl<'a> History<'a> {
    fn new(rows: Vec<&'a Candidate<Content>>, settings: &HistorySettings) -> Self {
        let value = |row: &&'a Candidate<Content>| single(settings.order_by.values(&row.content));
        let timeline = Timeline::new(&rows.iter().map(value).collect::<Vec<_>>(), settings.order_as);
        Self { rows, timeline }
    }

    /// The rows each of which may be the last one.
    pub(crate) fn last(&self) -> Vec<&'a Candidate<Content>> {
        self.timeline.last().into_iter().filter_map(|at| self.rows.get(at).copied()).collect()
    }

    /// Says that the order of its rows is not known, where it is not.
    fn doubt(&self, settings: &HistorySettings) -> Option<String> {
        let (a, b) = self.timeline.tie()?;
        let (a, b) = (self.rows.get(a)?, self.rows.get(b)?);
        let column = settings.order_by.as_str();
        Some(format!("Which of {} and {} is the earlier, `{column}` does not decide.", a.label, b.label))
    }

    /// The states of its rows, in the order of time as far as it is known.
    fn observed(&self, states: &States) -> Value {
        let rows = self.timeline.rows().filter_map(|at| self.rows.get(at));
        rows.map(|row| shown(&states.column.values(&row.content))).collect()
    }

    fn fitting(&self, states: &States, synonyms: &Synonyms) -> Vec<Vec<usize>> {
        let of_row = |row: &&Candidate<Content>| {
            let has = |state: &Value| {
                let values = states.column.values_for(&row.content, state);
                values.iter().any(|datum| synonyms.equal(datum, state, &[]))
            };
            states.values.iter().enumerate().filter(|(_, state)| has(state)).map(|(at, _)| at).collect()
        };
        self.rows.iter().map(of_row).collect()
    }

    /// Judges the sequence of states, and the states that must not appear.
    pub(crate) fn judge(&self, settings: &HistorySettings, synonyms: &Synonyms) -> Vec<(Failure, FieldResult)> {
        let sequence =
            settings.sequence.as_ref().map(|states| (Failure::OrderViolation, self.sequence(states, synonyms)));
        let never = settings.never.as_ref().map(|states| (Failure::ForbiddenFound, self.never(states, synonyms)));
        sequence.into_iter().chain(never).collect()
    }

    fn sequence(&self, states: &States, synonyms: &Synonyms) -> FieldResult {
        let judged = |synonyms: &Synonyms| {
            let fits = self.fitting(states, synonyms);
            self.timeline.has(states.values.len(), |row, step| fits.get(row).is_some_and(|steps| steps.contains(&step)))
        };
        let (with, without) = (judged(synonyms), judged(&Synonyms::default()));
        let observed = self.observed(states);
        let holds = with == Comparison::Holds;
        let mut result = FieldResult::constraint("$sequence", json!(states.values), observed, holds);
        if with != without {
            result.rules = vec![Rule::Synonyms];
        }
        let result = match with {
            Comparison::Undecidable => result.because(FieldReason::Undecidable),
            _ => result,
        };
        match self.last().first() {
            Some(row) => result.at(row.source.place()),
            None => result,
        }
    }

    /// The row that may be gone and without which the sequence does not hold. The last row is left out: it is judged with
    /// the assertions. `gone` gets a row, the column of the states, and the states that the row is in.
    pub(crate) fn unsafe_step(
        &self,
        settings: &HistorySettings,
        synonyms: &Synonyms,
        gone: impl Fn(&Candidate<Content>, &ColumnPath, &[&Value]) -> Option<UnsafeMatch>,
    ) -> Option<UnsafeMatch> {
        let states = settings.sequence.as_ref()?;
        let fits = self.fitting(states, synonyms);
        let holds = |is_left_out: &dyn Fn(usize) -> bool| {
            self.timeline.has(states.values.len(), |row, step| {
                fits.get(row).is_some_and(|steps| steps.contains(&step)) && !is_left_out(row)
            })
        };
        if holds(&|_| false) != Comparison::Holds {
            return None;
        }
        let last: HashSet<usize> = self.timeline.last().into_iter().collect();
        let of_row = |(at, (row, steps)): (usize, (&&Candidate<Content>, &Vec<usize>))| {
            let its_states: Vec<&Value> = steps.iter().filter_map(|step| states.values.get(*step)).collect();
            if its_states.is_empty() || last.contains(&at) {
                return None;
            }
            let found = gone(row, &states.column, &its_states)?;
            let (path, value) = (&found.result.path, candor_check::evidence::quoted(&found.result.actual));
            let why = format!("its sequence needs {}, in which {path} is {value}; leave it out by `where`", row.label);
            Some(UnsafeMatch { why, ..found })
        };
        let gone: Vec<Option<UnsafeMatch>> = self.rows.iter().zip(&fits).enumerate().map(of_row).collect();
        let without = |left_out: fn(&UnsafeMatch) -> bool| {
            holds(&|row| gone.get(row).and_then(Option::as_ref).is_some_and(left_out))
        };
        if without(|_| true) == Comparison::Holds {
            return None;
        }
        let is_certain = without(|found| !found.is_undecidable()) == Comparison::Fails;
        let mut found: Vec<UnsafeMatch> = gone.into_iter().flatten().collect();
        found.sort_by_key(|found| found.is_undecidable() == is_certain);
        let found = found.into_iter().next()?;
        match is_certain {
            true => Some(found),
            false => Some(UnsafeMatch { result: found.result.because(FieldReason::Undecidable), ..found }),
        }
    }

    fn never(&self, states: &States, synonyms: &Synonyms) -> FieldResult {
        let found = |synonyms: &Synonyms| {
            let fits = self.fitting(states, synonyms);
            fits.iter().position(|steps| !steps.is_empty())
        };
        let (with, without) = (found(synonyms), found(&Synonyms::default()));
        let observed = self.observed(states);
        // Where no state was seen at all, none was seen not to be there.
        let blank = self.rows.iter().all(|row| states.column.values(&row.content).is_empty());
        let holds = with.is_none() && !blank;
        let mut result = FieldResult::constraint("$never", json!(states.values), observed, holds);
        if with.is_some() != without.is_some() {
            result.rules = vec![Rule::Synonyms];
        }
        let result = if blank { result.because(FieldReason::Absent) } else { result };
        let row = with.and_then(|at| self.rows.get(at).copied()).or_else(|| self.last().first().copied());
        match row {
            Some(row) => result.at(row.source.place()),
            None => result,
        }
    }
}

fn shown(data: &[Datum<'_>]) -> Value {
    match data {
        [] => Value::Null,
        [one] => one.to_value(),
        several => several.iter().map(Datum::to_value).collect(),
    }
}

/// The histories of the rows that were selected, and rows that belong to none.
pub(crate) struct Histories<'a> {
    pub(crate) observation: Observation<History<'a>>,
    /// The histories whose rows have no known order, each in a sentence.
    pub(crate) doubts: Vec<String>,
}

/// Puts rows together that have the key's columns in common. A row that lacks one belongs to no known history, and may be
/// anybody's.
pub(crate) fn histories<'a>(rows: &'a Observation<Content>, settings: &HistorySettings) -> Histories<'a> {
    let mut grouped: Vec<Vec<&'a Candidate<Content>>> = Vec::new();
    let mut known: HashMap<Identity, usize> = HashMap::new();
    let mut unreadable = rows.unreadable.clone();
    let contents = rows.candidates.iter().map(|row| &row.content);
    let identities = Identities::new(&settings.key, &settings.rules, contents);
    for row in &rows.candidates {
        let Some(key) = identities.of(&row.content).whole() else {
            let columns: Vec<String> = settings.key.iter().map(|column| format!("`{}`", column.as_str())).collect();
            unreadable.push(Unreadable {
                place: row.source.place(),
                what: format!(
                    "{} has no {}, so Candor cannot tell whose state it is",
                    row.label,
                    columns.join(" and ")
                ),
                fault: Fault::Obstacle(Obstacle::Undecidable),
            });
            continue;
        };
        let at = *known.entry(key).or_insert(grouped.len());
        match grouped.get_mut(at) {
            Some(group) => group.push(row),
            None => grouped.push(vec![row]),
        }
    }
    let all: Vec<History<'_>> = grouped.into_iter().map(|rows| History::new(rows, settings)).collect();
    let doubts = all.iter().filter_map(|history| history.doubt(settings)).take(3).collect();
    let observation = Observation {
        considered: all.len() as u64,
        candidates: all.into_iter().filter_map(|history| candidate(history, settings)).collect(),
        near: rows.near.clone(),
        unreadable,
        notes: rows.notes.clone(),
        server: rows.server.clone(),
        environment: rows.environment,
    };
    Histories { observation, doubts }
}

/// A history is where its last row is.
fn candidate<'a>(history: History<'a>, settings: &HistorySettings) -> Option<Candidate<History<'a>>> {
    let last = *history.last().first()?;
    let of = |column: &ColumnPath| {
        let values = column.values(&last.content);
        format!("{} {}", column.as_str(), candor_check::evidence::quoted(&shown(&values)))
    };
    let key: Vec<String> = settings.key.iter().map(of).collect();
    let label = format!("the history of {}, last in {}", key.join(" and "), last.label);
    Some(Candidate { source: last.source.clone(), label: label.into(), content: history })
}

fn differing(first: Judgement, other: Judgement) -> Judgement {
    let passes = |judgement: &Judgement| judgement.fields.iter().all(|field| field.passed);
    let is_open = |judgement: &Judgement| judgement.fields.iter().all(|field| field.passed || field.is_undecidable());
    let unsafe_match = together(first.unsafe_match.clone(), other.unsafe_match.clone());
    let agree = passes(&first) == passes(&other) && is_open(&first) == is_open(&other);
    let failing = if passes(&first) { other } else { first };
    let open = |field: FieldResult| match field.passed {
        true => field,
        false => field.because(FieldReason::Undecidable),
    };
    let fields = failing.fields.into_iter().map(|field| if agree { field } else { open(field) }).collect();
    Judgement { fields, unsafe_match, ..failing }
}

/// The reason why both of two rows are unsafe, or, where it is one of them, what may.
fn together(first: Option<UnsafeMatch>, other: Option<UnsafeMatch>) -> Option<UnsafeMatch> {
    match (first, other) {
        (None, None) => None,
        (Some(one), Some(_)) => Some(one),
        (Some(one), None) | (None, Some(one)) => {
            Some(UnsafeMatch { result: one.result.because(FieldReason::Undecidable), ..one })
        }
    }
}

/// Joins the judgements of the rows that may be the last one: results on which all agree are kept, and the rest is
/// undecided.
pub(crate) fn agreed(judgements: Vec<Judgement>) -> Judgement {
    judgements
        .into_iter()
        .reduce(|mut first, other| {
            let same = |(one, another): (&FieldResult, &FieldResult)| one.path == another.path;
            if first.fields.len() != other.fields.len() || !first.fields.iter().zip(&other.fields).all(same) {
                return differing(first, other);
            }
            for (one, another) in first.fields.iter_mut().zip(other.fields) {
                if one.passed != another.passed || one.reason != another.reason {
                    let failing = if one.passed { another } else { one.clone() };
                    *one = FieldResult { passed: false, ..failing }.because(FieldReason::Undecidable);
                }
            }
            first.unsafe_match = together(first.unsafe_match, other.unsafe_match);
            first
        })
        .unwrap_or_default()
}
