//! The functions of the module that work without an `Engine`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use candor::stored::StoredRuns;
use candor::{Format, LintOptions};
use pyo3::prelude::*;

use crate::contents::{bytes_or_text, contents as bytes_of};
use crate::engine::{Engine, pretty};
use crate::errors;
use crate::job::{Job, start, start_computing};
use crate::outcome::{digits, give_error, give_text, text};
use crate::sandbox::Sandbox;
use crate::value::value;

/// How much of a file is read at a time.
const BUFFER: usize = 1 << 20;

/// Starts to look for what is wrong or weak in tasks: files, or dicts in the shape of one.
#[pyfunction]
pub(crate) fn lint(engine: &Engine, tasks: Vec<Bound<'_, PyAny>>, notes: bool) -> PyResult<Job> {
    enum Given {
        File(PathBuf),
        Value(candor_json::Value),
    }
    let given = tasks.iter().map(|task| match task.extract::<PathBuf>() {
        Ok(file) => Ok(Given::File(file)),
        Err(_) => value(task).map(Given::Value),
    });
    let given = given.collect::<PyResult<Vec<_>>>()?;
    let (engine, mut options) = (engine.engine(), LintOptions::default());
    if notes {
        options = options.with_notes();
    }
    start_computing(move || {
        let mut findings = candor::Findings::default();
        for task in given {
            let found = match task {
                Given::File(file) => engine.lint(file, options),
                Given::Value(value) => engine.lint_value(value, options),
            };
            match found {
                Ok(found) => findings.extend(found),
                Err(error) => return give_error(errors::task(&error)),
            }
        }
        give_text(findings.render(Format::Json).map_err(errors::other).and_then(text))
    })
}

/// Starts to compare two sandboxes.
#[pyfunction]
#[pyo3(signature = (before, after, parts=None))]
pub(crate) fn diff(before: &Sandbox, after: &Sandbox, parts: Option<Vec<String>>) -> PyResult<Job> {
    let (before, after) = (before.sandbox()?, after.sandbox()?);
    start(async move {
        match candor::state::diff(&before, &after, parts.as_deref()).await {
            Ok(diff) => {
                let json = text(diff.render(Format::Json).unwrap_or_default());
                let parts = (diff.told(), diff.is_complete(), diff.counts());
                Box::new(move |py: Python<'_>| Ok((json?, parts).into_pyobject(py)?.into_any().unbind()))
            }
            Err(error) => give_error(errors::other(error)),
        }
    })
}

/// Starts to write what a sandbox holds into a folder.
#[pyfunction]
#[pyo3(signature = (sandbox, into, parts=None))]
pub(crate) fn capture(sandbox: &Sandbox, into: PathBuf, parts: Option<Vec<String>>) -> PyResult<Job> {
    let sandbox = sandbox.sandbox()?;
    start(async move {
        match candor::state::capture(&sandbox, &into, parts.as_deref()).await {
            Ok(capture) => {
                let parts = (capture.to_json(), capture.is_complete());
                Box::new(move |py: Python<'_>| Ok(parts.into_pyobject(py)?.into_any().unbind()))
            }
            Err(error) => give_error(errors::other(error)),
        }
    })
}

/// Starts to score stored criterion runs: names with bytes, or with nothing for files of these names.
#[pyfunction]
pub(crate) fn score(inputs: Vec<(PathBuf, Option<Bound<'_, PyAny>>)>) -> PyResult<Job> {
    let given = inputs.into_iter().map(|(name, bytes)| {
        let bytes = bytes.map(|bytes| bytes_or_text(&bytes)).transpose()?.flatten();
        Ok((name, bytes))
    });
    let given = given.collect::<PyResult<Vec<_>>>()?;
    start_computing(move || {
        let mut runs = StoredRuns::new();
        for (path, bytes) in given {
            let name = path.display().to_string();
            let read = match bytes {
                Some(bytes) => runs.read(&name, &*bytes),
                None => match File::open(&path) {
                    Ok(file) => runs.read(&name, BufReader::with_capacity(BUFFER, file)),
                    Err(error) => return give_error(errors::unreadable(&error, &path)),
                },
            };
            if let Err(error) = read {
                return give_error(errors::other(error));
            }
        }
        let score = runs.finish();
        let (json, notes) = (text(score.render(Format::Json)), score.notes().to_vec());
        let exact = candor_json::json!({"score": digits(&score.score())}).to_string();
        Box::new(move |py: Python<'_>| Ok((json?, exact, notes).into_pyobject(py)?.into_any().unbind()))
    })
}

/// Starts to explain an X12 file.
#[pyfunction]
pub(crate) fn x12(contents: &Bound<'_, PyAny>) -> PyResult<Job> {
    let contents = bytes_of(contents)?;
    start_computing(move || give_text(candor::explain::x12(&contents).map_err(errors::other)))
}

/// Starts to explain a call.
#[pyfunction]
#[pyo3(signature = (contents, name=None))]
pub(crate) fn call(contents: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<Job> {
    let contents = bytes_of(contents)?;
    start_computing(move || give_text(candor::explain::call(&contents, name.as_deref()).map_err(errors::other)))
}

/// The table of checks, as JSON.
#[pyfunction]
pub(crate) fn checks() -> PyResult<String> {
    candor::checks_table(Format::Json).map_err(errors::other).and_then(text)
}

/// A schema, as JSON.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub(crate) fn schema(name: Option<&str>) -> PyResult<String> {
    candor::schema(name).map(|schema| pretty(&schema)).map_err(errors::other)
}

/// The version, and whether this build has what only tests use.
#[pyfunction]
pub(crate) fn features() -> (&'static str, bool) {
    (env!("CARGO_PKG_VERSION"), cfg!(debug_assertions))
}

/// Panics, so that a test sees what becomes of a panic. Released packages do not have it.
#[cfg(debug_assertions)]
#[pyfunction]
#[expect(clippy::panic, reason = "a panic is what the test is about")]
pub(crate) fn panic_for_test() -> PyResult<Job> {
    start(async { panic!("for a test") })
}
