//! Python values as the contents of files.

use std::sync::Arc;

use candor_json::Value;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};

use crate::value::{is_bytes, value};

/// The bytes of a file.
pub(crate) type Bytes = Arc<[u8]>;

/// The contents of one file: bytes as they are, text in UTF-8, anything else as JSON.
///
/// # Errors
/// A value that has no form in JSON.
pub(crate) fn contents(any: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    match bytes_or_text(any)? {
        Some(bytes) => Ok(bytes),
        None => Ok(value(any)?.to_string().into_bytes().into()),
    }
}

/// The bytes of a file, if they are given as bytes or as text.
pub(crate) fn bytes_or_text(any: &Bound<'_, PyAny>) -> PyResult<Option<Bytes>> {
    if let Ok(bytes) = any.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().into()));
    }
    if let Ok(text) = any.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.as_bytes().into()));
    }
    if is_bytes(any) {
        let bytes = any.py().get_type::<PyBytes>().call1((any,))?;
        return Ok(Some(bytes.cast::<PyBytes>()?.as_bytes().into()));
    }
    Ok(None)
}

/// Rows or resources, a line each. Bytes and text are a whole file of them.
///
/// # Errors
/// A value that has no form in JSON, and any exception of an iterator.
pub(crate) fn records(any: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    if let Some(bytes) = bytes_or_text(any)? {
        return Ok(bytes);
    }
    Ok(match value(any)? {
        Value::Array(values) => lines(&values),
        value => lines(&[value]),
    })
}

/// FHIR resources: one of them, a file of them, or several of both.
///
/// # Errors
/// As [`records`].
pub(crate) fn resources(any: &Bound<'_, PyAny>) -> PyResult<Vec<Bytes>> {
    let is_one = any.is_instance_of::<PyDict>() || any.cast::<PyMapping>().is_ok() || any.hasattr("model_dump")?;
    if is_one || bytes_or_text(any)?.is_some() {
        return Ok(vec![records(any)?]);
    }
    let (mut files, mut values) = (Vec::new(), Vec::new());
    for item in any.try_iter()? {
        let item = item?;
        match bytes_or_text(&item)? {
            None => values.push(value(&item)?),
            Some(file) => {
                if !values.is_empty() {
                    files.push(lines(&values));
                    values.clear();
                }
                files.push(file);
            }
        }
    }
    if !values.is_empty() || files.is_empty() {
        files.push(lines(&values));
    }
    Ok(files)
}

fn lines(values: &[Value]) -> Bytes {
    let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
    // An empty file is not a file of records; a line feed is a file of lines, none of which is a record.
    if lines.is_empty() { b"\n".as_slice().into() } else { lines.into_bytes().into() }
}
