//! Errors as the exceptions of `candor._errors`.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::{PyErr, import_exception};

import_exception!(candor._errors, BundleError);
import_exception!(candor._errors, Error);
import_exception!(candor._errors, InternalError);
import_exception!(candor._errors, SandboxError);
import_exception!(candor._errors, TaskError);

/// A place of a file: path, line, column, and what is wrong there.
type Problem = (Option<PathBuf>, Option<usize>, Option<usize>, String);

/// Everything that is wrong with a task.
pub(crate) fn task(error: &candor::TaskError) -> PyErr {
    let problems: Vec<Problem> = match error {
        candor::TaskError::Invalid(problems) => problems
            .iter()
            .map(|problem| {
                let (line, column) = problem.position().unzip();
                (problem.file().cloned(), line, column, problem.message().to_owned())
            })
            .collect(),
        _ => Vec::new(),
    };
    TaskError::new_err((error.to_string(), problems))
}

/// Why a sandbox cannot be opened or made.
pub(crate) fn sandbox(error: &candor::SandboxError) -> PyErr {
    let (path, position) = match error {
        candor::SandboxError::Description { path, position, .. } => (Some(path.clone()), *position),
        _ => (None, None),
    };
    let (line, column) = position.unzip();
    SandboxError::new_err((error.to_string(), path, line, column))
}

/// A file that cannot be read, as `open` of Python says it.
pub(crate) fn unreadable(error: &std::io::Error, path: &std::path::Path) -> PyErr {
    // The constructor of `OSError` chooses the class by the number.
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((error.raw_os_error(), text, path.as_os_str().to_owned()))
}

/// Any other sentence.
pub(crate) fn other(error: impl std::fmt::Display) -> PyErr {
    Error::new_err(error.to_string())
}

/// An error without what it quotes: `candor._errors.masked` keeps its class and its place.
pub(crate) fn masked<T>(py: Python<'_>, made: PyResult<T>, mask: Option<&str>) -> PyResult<T> {
    match (made, mask) {
        (Err(error), Some(mask)) => {
            let hide = py.import("candor._errors")?.getattr("masked")?;
            Err(PyErr::from_value(hide.call1((error.into_value(py), mask))?))
        }
        (made, _) => made,
    }
}
