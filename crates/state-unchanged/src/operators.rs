//! What a criterion forbids that says that nothing changed: a record changed, added, or gone. Of parts that it compares, and in
//! which it excepts nothing.

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, leaves};
use serde_json::Value;

/// The operators of `state-unchanged`, over the files of any part.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::breach("baseline/record-changed", changed,
        "One value of a record is another one than before."),
    Operator::breach("baseline/record-added", added,
        "A file is there that was not there before, and what it holds with it."),
    Operator::breach("baseline/records-gone", gone,
        "A file is gone, and what it held with it."),
];

/// The part of the target, where the criterion compares it whole. `adds`: an exception for records that came is one, too.
fn compared<'t>(target: &Target<'t>, adds: bool) -> Option<&'t str> {
    let (part, path) = target.place.locator.split_once('/')?;
    let assertion = target.forbidden?;
    let of_part = |exception: &Value| {
        let added = || exception.get("added").filter(|_| adds)?.as_str();
        let text = exception.as_str().or_else(added).unwrap_or_default();
        text.split(':').next() == Some(part)
    };
    let is_excepted = assertion.get("except").and_then(Value::as_array).into_iter().flatten().any(of_part);
    let parts = assertion.get("parts").and_then(Value::as_array);
    let is_compared = parts.is_none_or(|parts| parts.iter().any(|one| one.as_str() == Some(part)));
    (is_compared && !is_excepted && !path.is_empty()).then_some(part)
}

/// The last text of a JSON file that is no name of a type or of a record.
fn changed(target: &Target<'_>) -> Vec<Change> {
    let change = || {
        compared(target, false)?;
        let file = target.file().filter(|file| strict_json::check(file.trim()).is_ok())?;
        let is_value = |leaf: &strict_json::Leaf| {
            let name = leaf.path.last().map(String::as_str).unwrap_or_default();
            let is_text = file.get(leaf.span.clone()).is_some_and(|text| text.starts_with('"') && text.len() > 2);
            is_text && !matches!(name, "resourceType" | "id" | "fullUrl" | "type" | "key") && !name.ends_with("_id")
        };
        let leaf = leaves(file).into_iter().rfind(is_value)?;
        let sentence = format!("{} in {} became \"changed\".", leaf.path.join("."), target.place.locator);
        Some(target.change_file([Edit { span: leaf.span, with: "\"changed\"".to_owned() }], sentence))
    };
    change().into_iter().collect()
}

fn added(target: &Target<'_>) -> Vec<Change> {
    // What a file of another part would have to hold so that it is a record is for that part to say.
    let Some(part) = compared(target, true).filter(|part| *part == "files") else { return Vec::new() };
    let locator = format!("{part}/zz-audit.txt");
    let sentence = format!("{locator} is there, which was not there before.");
    vec![Change::new(locator, vec![Edit { span: 0..0, with: "zz\n".to_owned() }], sentence)]
}

fn gone(target: &Target<'_>) -> Vec<Change> {
    if compared(target, false).is_none() || target.bytes().is_none_or(<[u8]>::is_empty) {
        return Vec::new();
    }
    let locator = target.place.locator.as_str();
    vec![Change::new(locator, Vec::new(), format!("{locator} is gone.")).with_file(locator, None)]
}
