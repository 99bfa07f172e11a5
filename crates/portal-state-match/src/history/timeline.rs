//! The order of the rows of a log, as far as what is written decides it.

use std::cmp::Ordering;

use candor_check::compare::{CompareAs, Comparison, Date, DateForm, DateValue, Datum, Decimal};
use candor_json::Value;

/// Where a row is: somewhere from the first to before the second. What cannot be read is anywhere.
pub(crate) type Span = (i128, i128);

const ANYWHERE: Span = (i128::MIN, i128::MAX);

const HOUR: i128 = 3600 * 1_000_000_000;
/// The farthest a civil clock is ahead of and behind UTC.
const AHEAD: i128 = 14 * HOUR;
const BEHIND: i128 = 12 * HOUR;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    /// Each row's number in the list it was made from, with where it is, by where that begins.
    rows: Vec<(usize, Span)>,
}

impl Timeline {
    /// Orders rows by what each one's column holds; `None` where that is nothing, or several values.
    ///
    /// Without `read_as` values are numbers or dates, whichever more of them can be read as; text alone has no order.
    pub(crate) fn new(values: &[Option<Datum<'_>>], read_as: Option<CompareAs>) -> Self {
        let spans = match read_as {
            Some(CompareAs::Number) => numbers(values),
            Some(CompareAs::Date) => dates(values),
            Some(_) => texts(values),
            None => by_kind(numbers(values), dates(values)),
        };
        Self::of(spans.into_iter().map(|span| span.unwrap_or(ANYWHERE)).collect())
    }

    pub(crate) fn of(spans: Vec<Span>) -> Self {
        let mut rows: Vec<(usize, Span)> = spans.into_iter().enumerate().collect();
        rows.sort_by_key(|&(_, span)| span);
        Self { rows }
    }

    /// The rows' numbers, in order as far as there is one.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|(row, _)| *row)
    }

    /// Two rows whose order is not known; `None` where all of it is.
    pub(crate) fn tie(&self) -> Option<(usize, usize)> {
        // The row that reaches farthest so far: with none before it in doubt, none but it can be.
        let mut rows = self.rows.iter();
        let mut farthest = rows.next()?;
        for row in rows {
            if row.1.0 < farthest.1.1 {
                return Some((farthest.0, row.0));
            }
            farthest = row;
        }
        None
    }

    /// The rows each of which may be the last.
    pub(crate) fn last(&self) -> Vec<usize> {
        let Some(latest) = self.rows.iter().map(|(_, span)| span.0).max() else { return Vec::new() };
        self.rows.iter().filter(|(_, span)| span.1 > latest).map(|(row, _)| *row).collect()
    }

    /// True if rows are in the order of the steps, others between them: one row for each step. `fits` says whether a
    /// row is what a step asks for.
    pub(crate) fn has(&self, steps: usize, fits: impl Fn(usize, usize) -> bool) -> Comparison {
        if self.surely(steps, &fits) {
            return Comparison::Holds;
        }
        let possible = self.tie().is_some() && self.enough(steps, &fits) && self.possibly(steps, &fits);
        if possible { Comparison::Undecidable } else { Comparison::Fails }
    }

    /// Each step takes, of the rows that are behind the last step's row for certain, the one that ends first: no other
    /// choice leaves more for the steps behind it.
    fn surely(&self, steps: usize, fits: &impl Fn(usize, usize) -> bool) -> bool {
        let mut from = i128::MIN;
        (0..steps).all(|step| {
            let behind = self.rows.iter().filter(|(row, span)| span.0 >= from && fits(*row, step));
            let first = behind.map(|(_, span)| span.1).min();
            from = first.unwrap_or(from);
            first.is_some()
        })
    }

    /// True if no step would have to be before the one ahead of it. A row may be taken twice here, so that this is
    /// rather said too often than too rarely.
    fn possibly(&self, steps: usize, fits: &impl Fn(usize, usize) -> bool) -> bool {
        let mut latest = i128::MIN;
        (0..steps).all(|step| {
            let open = self.rows.iter().find(|(row, span)| span.1 > latest && fits(*row, step));
            if let Some((_, span)) = open {
                latest = latest.max(span.0);
            }
            open.is_some()
        })
    }

    /// Says if every step has a row of its own, its order aside: of steps that the same rows fit, as many as there are.
    fn enough(&self, steps: usize, fits: &impl Fn(usize, usize) -> bool) -> bool {
        let mut asked: Vec<(Vec<usize>, usize)> = Vec::new();
        for step in 0..steps {
            let rows: Vec<usize> = self.rows().filter(|row| fits(*row, step)).collect();
            match asked.iter_mut().find(|(known, _)| *known == rows) {
                Some((_, number)) => *number += 1,
                None => asked.push((rows, 1)),
            }
        }
        asked.iter().all(|(rows, number)| rows.len() >= *number)
    }
}

/// The reading that more values have; where as many have the other one, only if both read all.
fn by_kind(numbers: Vec<Option<Span>>, dates: Vec<Option<Span>>) -> Vec<Option<Span>> {
    let read = |spans: &[Option<Span>]| spans.iter().flatten().count();
    let (some, others) = (read(&numbers), read(&dates));
    match some.cmp(&others) {
        Ordering::Greater => numbers,
        Ordering::Less => dates,
        // Years alone are both, and in the same order.
        Ordering::Equal if numbers.iter().zip(&dates).all(|(a, b)| a.is_some() == b.is_some()) => numbers,
        Ordering::Equal => vec![None; numbers.len()],
    }
}

fn numbers(values: &[Option<Datum<'_>>]) -> Vec<Option<Span>> {
    let number = |datum: &Datum<'_>| match datum {
        Datum::Json(value) if value.is_number() => Decimal::json(&value.to_string()),
        other => Decimal::plain(other.string()?),
    };
    ranked(values.iter().map(|value| value.as_ref().and_then(number)).collect())
}

fn texts(values: &[Option<Datum<'_>>]) -> Vec<Option<Span>> {
    ranked(values.iter().map(|value| value.as_ref().and_then(|datum| datum.scalar().map(String::from))).collect())
}

fn ranked<T: Ord + Clone>(values: Vec<Option<T>>) -> Vec<Option<Span>> {
    let mut known: Vec<T> = values.iter().flatten().cloned().collect();
    known.sort_unstable();
    known.dedup();
    let rank = |value: T| known.binary_search(&value).ok().map(|at| (at as i128, at as i128 + 1));
    values.into_iter().map(|value| value.and_then(rank)).collect()
}

fn dates(values: &[Option<Datum<'_>>]) -> Vec<Option<Span>> {
    let date = |datum: &Datum<'_>| match DateValue::parse(datum.string()?, DateForm::Iso)? {
        DateValue::At(date) => Some(date),
        DateValue::Range(..) => None,
    };
    let dates: Vec<Option<Date>> = values.iter().map(|value| value.as_ref().and_then(date)).collect();
    let zoned = |date: &&Date| date.is_zoned();
    let mixed = dates.iter().flatten().any(|date| zoned(&date)) && !dates.iter().flatten().all(|date| zoned(&date));
    let span = |date: Date| match date.bounds() {
        (start, end) if mixed && !date.is_zoned() => (start - AHEAD, end + BEHIND),
        bounds => bounds,
    };
    dates.into_iter().map(|date| date.map(span)).collect()
}

/// A value of a column; `None` for null and for several.
pub(crate) fn single<'a>(mut values: Vec<Datum<'a>>) -> Option<Datum<'a>> {
    let one = values.pop().filter(|_| values.is_empty())?;
    let structure = matches!(&one, Datum::Json(value) if matches!(value.as_ref(), Value::Array(_) | Value::Object(_)));
    (!structure).then_some(one)
}
