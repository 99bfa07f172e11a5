//! Files that assertions name: read beside the task file, and put in the place of their name.

use std::path::{Path, PathBuf};

use candor_check::CheckType;
use serde_json::{Value, json};

use crate::document::steps_of;
use crate::document::{Document, FileError};

/// The files of an assertion, each with the member that names it.
pub(crate) type Files = Vec<(&'static str, Document)>;

/// The assertion with the content of the files that it names.
///
/// # Errors
/// The member whose file cannot be read, and why.
pub(crate) fn read(
    assertion: &Value,
    check: &CheckType,
    folder: Option<&Path>,
) -> Result<(Value, Files), (&'static str, FileError)> {
    let (mut assertion, mut files) = (assertion.clone(), Vec::new());
    for &member in check.meta().files {
        let Some(Value::String(name)) = assertion.get(member) else { continue };
        let folder = folder.ok_or_else(|| (member, without_folder(member)))?;
        let document = Document::read(&folder.join(name)).map_err(|error| (member, error))?;
        if let Some(place) = assertion.get_mut(member) {
            place.clone_from(document.value());
        }
        files.push((member, document));
    }
    Ok((assertion, files))
}

/// A program made the task, so that there is no folder to look for the file in.
fn without_folder(member: &str) -> FileError {
    let message =
        format!("it names a file, but the task was not read from one; put the content of the file into `{member}`");
    FileError { file: PathBuf::new(), position: None, message }
}

/// Whether a document is such a file, and of which check: it has the member's name at its top, and no criteria.
fn is_companion<'a>(document: &Document, checks: &'a [CheckType]) -> Option<(&'a CheckType, &'static str)> {
    let value = document.value();
    if value.get("criteria").is_some() || value.get("tasks").is_some() {
        return None;
    }
    checks.iter().find_map(|check| {
        let member = check.meta().files.iter().find(|&&member| value.get(member).is_some())?;
        Some((check, *member))
    })
}

/// What is wrong with a file that assertions name; `None` when the document is no such file.
pub(crate) fn lint(document: &Document, checks: &[CheckType]) -> Option<Result<(), FileError>> {
    let (check, member) = is_companion(document, checks)?;
    let assertion = json!({"assert": check.meta().assert, member: document.value()});
    Some(check.bind(assertion).map(drop).map_err(|invalid| {
        let steps = steps_of(&invalid.place);
        let within: Vec<&str> = steps.iter().skip(1).map(String::as_str).collect();
        document.error(&within, invalid.message)
    }))
}
