//! Results as Python gets them: the bytes that the command line writes, and exact fractions in addition.

use candor::{Format, Run, Score};
use candor_json::{Value, json};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::job::Give;

/// A task run as `candor.Run` is made from it: its JSON, its fractions, its lines, and whether a check broke.
pub(crate) type Parts = (String, String, String, bool);

/// The parts of a task run.
///
/// # Errors
/// Never: what is written is text.
pub(crate) fn parts(run: &Run) -> PyResult<Parts> {
    let (json, lines) = (text(run.render(Format::Json))?, text(run.render(Format::Ndjson))?);
    Ok((json, exact(run).to_string(), lines, run.is_broken()))
}

/// A task run as a result, and its evidence bundle if there is one.
pub(crate) fn checked(run: &Run, bundle: Option<Vec<u8>>) -> Give {
    let parts = parts(run);
    Box::new(move |py| {
        let bundle = bundle.map(|bytes| PyBytes::new(py, &bytes));
        Ok((parts?, bundle).into_pyobject(py)?.into_any().unbind())
    })
}

/// The fractions of a task run, in the places where its JSON has floats.
fn exact(run: &Run) -> Value {
    let bounds = |(low, high): &(Score, Score)| json!([digits(low), digits(high)]);
    let axes = run.axes().map(|(name, axis)| {
        let (score, coverage) = (digits(&axis.score), digits(&axis.coverage));
        (name.to_owned(), json!({"score": score, "interval": bounds(&axis.interval), "coverage": coverage}))
    });
    json!({
        "score": digits(&run.score()),
        "interval": bounds(&run.interval()),
        "coverage": digits(&run.coverage()),
        "axes": axes.collect::<candor_json::Map<_, _>>(),
        "criterion_runs": run.criterion_runs().map(|one| json!([digits(&one.score()), digits(&one.share())])).collect::<Vec<_>>(),
    })
}

/// A fraction as `fractions.Fraction` reads it.
pub(crate) fn digits(score: &Score) -> String {
    let (numerator, denominator) = score.to_digits();
    format!("{numerator}/{denominator}")
}

/// Bytes that are text.
pub(crate) fn text(bytes: Vec<u8>) -> PyResult<String> {
    String::from_utf8(bytes).map_err(errors::other)
}

/// Text as a result.
pub(crate) fn give_text(made: PyResult<String>) -> Give {
    Box::new(move |py| Ok(made?.into_pyobject(py)?.into_any().unbind()))
}

/// An error as a result.
pub(crate) fn give_error(error: PyErr) -> Give {
    Box::new(move |_| Err(error))
}
