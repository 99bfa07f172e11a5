//! Files that assertions name: read from the folder of the task file, and put in the place of their name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use candor_check::CheckType;
use candor_json::{Value, json};

use crate::document::steps_of;
use crate::document::{Document, FileError};
use crate::task::Task;

pub(crate) type Files = Vec<(&'static str, Document)>;

/// The assertion with the content of the files that it names.
///
/// # Errors
/// The member whose file cannot be read, and why.
pub(crate) fn read(
    assertion: &Value,
    check: &CheckType,
    task: &Task,
) -> Result<(Value, Files), (&'static str, FileError)> {
    let (mut assertion, mut files) = (assertion.clone(), Vec::new());
    for &member in check.meta().files {
        let Some(Value::String(name)) = assertion.get(member) else { continue };
        let document = task.companion(name).unwrap_or_else(|| Err(without_folder(member)));
        let document = document.map_err(|error| (member, error))?;
        if let Some(place) = assertion.get_mut(member) {
            place.clone_from(document.value());
        }
        files.push((member, document));
    }
    Ok((assertion, files))
}

/// The files that the assertions of a task name, by the names that the task gives them.
pub(crate) fn all(task: &Task, checks: &[CheckType]) -> BTreeMap<String, Result<Document, FileError>> {
    let of = |assertion: &Value| -> Vec<String> {
        let check = checks.iter().find(|check| assertion.get("assert").is_some_and(|name| name == check.meta().assert));
        let members = check.map_or(&[][..], |check| check.meta().files);
        members.iter().filter_map(|member| Some(assertion.get(*member)?.as_str()?.to_owned())).collect()
    };
    let names = task.criteria.iter().flat_map(|criterion| of(&criterion.assertion));
    names.filter_map(|name| Some((name.clone(), task.companion(&name)?))).collect()
}

/// A program made the task, so that there is no folder to look for the file in.
fn without_folder(member: &str) -> FileError {
    let message =
        format!("it names a file, but the task was not read from one; put the content of the file into `{member}`");
    FileError { file: PathBuf::new(), position: None, message }
}

/// The check and member that a document is such a file of: it has the member's name at its top, and no criteria.
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

/// The faults of a file that assertions name; `None` if the document is not such a file.
pub(crate) fn lint(document: &Document, checks: &[CheckType]) -> Option<Result<(), FileError>> {
    let (check, member) = is_companion(document, checks)?;
    let assertion = json!({"assert": check.meta().assert, member: document.value()});
    Some(check.bind(assertion).map(drop).map_err(|invalid| {
        let steps = steps_of(&invalid.place);
        let within: Vec<&str> = steps.iter().skip(1).map(String::as_str).collect();
        document.error(&within, invalid.message)
    }))
}
