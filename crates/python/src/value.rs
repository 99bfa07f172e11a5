//! Python values as JSON values: exact numbers, dates as they are written, models by their aliases.

use candor_json::{Map, Number, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType};

/// As deep as JSON is read elsewhere.
const DEEPEST: usize = 128;

/// A JSON value of a Python value: `None`, `bool`, `int`, `float`, `Decimal`, `str`, dates and times, UUIDs, enumerations,
/// pydantic models, mappings, and whatever can be iterated.
///
/// # Errors
/// `TypeError` for what has no form in JSON, `ValueError` for a number that is not finite and for nesting without end.
/// What an iterator raises is raised.
pub(crate) fn value(any: &Bound<'_, PyAny>) -> PyResult<Value> {
    read(any, 0)
}

fn read(any: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err(format!("the value is nested more than {DEEPEST} levels deep")));
    }
    if any.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = any.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = any.cast::<PyString>() {
        // A member of an enumeration of texts is a text as well.
        return text.extract().map(Value::String);
    }
    if any.is_instance_of::<PyInt>() {
        return number(&any.py().get_type::<PyInt>().call_method1("__repr__", (any,))?.extract::<String>()?);
    }
    if let Ok(float) = any.cast::<PyFloat>() {
        return Number::from_f64(float.value()).map(Value::Number).ok_or_else(|| not_finite(any));
    }
    if let Ok(members) = any.cast_exact::<PyDict>() {
        return members
            .iter()
            .map(|(name, member)| Ok((key(&name)?, read(&member, depth + 1)?)))
            .collect::<PyResult<Map<_, _>>>()
            .map(Value::Object);
    }
    if let Ok(list) = any.cast::<PyList>() {
        return list.iter().map(|item| read(&item, depth + 1)).collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(tuple) = any.cast::<PyTuple>() {
        return tuple.iter().map(|item| read(&item, depth + 1)).collect::<PyResult<_>>().map(Value::Array);
    }
    if let Some(value) = special(any, depth)? {
        return Ok(value);
    }
    if let Ok(mapping) = any.cast::<PyMapping>() {
        let members = mapping.items()?.iter().map(|item| {
            let (name, member) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            Ok((key(&name)?, read(&member, depth + 1)?))
        });
        return members.collect::<PyResult<Map<_, _>>>().map(Value::Object);
    }
    if is_bytes(any) {
        return Err(PyTypeError::new_err(
            "bytes are not a JSON value; decode them, or give the file as a whole as bytes",
        ));
    }
    match any.try_iter() {
        Ok(items) => items.map(|item| read(&item?, depth + 1)).collect::<PyResult<_>>().map(Value::Array),
        Err(_) => Err(PyTypeError::new_err(format!(
            "a {} is not a JSON value; give a dict, a list, text, a number, a date or a pydantic model",
            any.get_type().name()?
        ))),
    }
}

/// The value of an object that is not of JSON's own types but has exactly one form in JSON.
fn special(any: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Value>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static DATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static TIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = any.py();
    let is = |cell: &PyOnceLock<Py<PyType>>, module, name| any.is_instance(cell.import(py, module, name)?.as_any());
    if is(&DECIMAL, "decimal", "Decimal")? {
        let finite: bool = any.call_method0("is_finite")?.extract()?;
        return if finite { number(&any.str()?.extract::<String>()?).map(Some) } else { Err(not_finite(any)) };
    }
    if is(&DATE, "datetime", "date")? || is(&TIME, "datetime", "time")? {
        return any.call_method0("isoformat")?.extract().map(Value::String).map(Some);
    }
    if is(&UUID, "uuid", "UUID")? {
        return any.str()?.extract().map(Value::String).map(Some);
    }
    if is(&ENUM, "enum", "Enum")? {
        return read(&any.getattr("value")?, depth + 1).map(Some);
    }
    if any.hasattr("model_dump")? {
        let settings = PyDict::new(py);
        settings.set_item("by_alias", true)?;
        settings.set_item("exclude_none", true)?;
        return read(&any.call_method("model_dump", (), Some(&settings))?, depth + 1).map(Some);
    }
    Ok(None)
}

fn number(digits: &str) -> PyResult<Value> {
    let number = candor_json::from_str::<Number>(digits);
    number.map(Value::Number).map_err(|_| PyValueError::new_err(format!("{digits} is not a JSON number")))
}

fn not_finite(any: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("{any} is not a JSON number; leave the member out, or give None"))
}

fn key(name: &Bound<'_, PyAny>) -> PyResult<String> {
    name.extract().map_err(|_| {
        let kind = name.get_type().name().map(|kind| kind.to_string()).unwrap_or_default();
        PyTypeError::new_err(format!("the member {name} has a {kind} as its name; names are text"))
    })
}

/// True if a value is the bytes of a file.
pub(crate) fn is_bytes(any: &Bound<'_, PyAny>) -> bool {
    any.is_instance_of::<PyBytes>()
        || any.get_type().name().is_ok_and(|name| name == "bytearray" || name == "memoryview")
}
