//! `candor.Task`.

use std::path::PathBuf;

use candor_json::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::value::value as json_of;

/// A task: what was to be done, and the criteria that decide whether it was.
///
/// `Task(value)` takes a dict in the shape of a task file, `Task.read(path)` a file. Both raise `TaskError` with everything
/// that is wrong. A task that was read from a file is pickled as its path.
#[pyclass(frozen, module = "candor", skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) task: candor::Task,
    origin: Origin,
}

#[derive(Clone)]
enum Origin {
    Value(Value),
    File(PathBuf),
}

impl Task {
    fn of(value: Value) -> PyResult<Self> {
        let task = candor::Task::from_value(value.clone()).map_err(|error| errors::task(&error))?;
        Ok(Self { task, origin: Origin::Value(value) })
    }
}

#[pymethods]
impl Task {
    #[new]
    #[pyo3(signature = (value, *, mask=None))]
    fn new(value: &Bound<'_, PyAny>, mask: Option<&str>) -> PyResult<Self> {
        errors::masked(value.py(), json_of(value).and_then(Self::of), mask)
    }

    /// Reads a task file: JSON or YAML.
    #[staticmethod]
    #[pyo3(signature = (path, *, mask=None))]
    fn read(py: Python<'_>, path: PathBuf, mask: Option<&str>) -> PyResult<Self> {
        let task = py.detach(|| candor::Task::read(&path)).map_err(|error| errors::task(&error));
        Ok(Self { task: errors::masked(py, task, mask)?, origin: Origin::File(path) })
    }

    /// Reads the JSON of a task.
    #[staticmethod]
    #[pyo3(signature = (text, *, mask=None))]
    fn from_json(py: Python<'_>, text: &str, mask: Option<&str>) -> PyResult<Self> {
        let value = candor_json::from_str(text).map_err(|error| {
            let problem = (None::<PathBuf>, Some(error.line()), Some(error.column()), error.to_string());
            errors::TaskError::new_err((error.to_string(), vec![problem]))
        });
        errors::masked(py, value.and_then(Self::of), mask)
    }

    /// Its id.
    #[getter]
    fn id(&self) -> &str {
        self.task.id()
    }

    /// Its name, if it has one.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.task.name()
    }

    /// The instructions for whoever does the task.
    #[getter]
    fn prompt(&self) -> Option<&str> {
        self.task.prompt()
    }

    fn __repr__(&self) -> String {
        format!("<candor.Task {:?}>", self.task.id())
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyDict>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let class = py.get_type::<Self>();
        match &self.origin {
            Origin::Value(value) => Ok((class.getattr("from_json")?, (value.to_string(),))),
            Origin::File(path) => {
                let path = std::path::absolute(path)?;
                let path = path.to_str().ok_or_else(|| errors::other("the path of the task is not UTF-8"))?;
                Ok((class.getattr("read")?, (path.to_owned(),)))
            }
        }
    }
}
