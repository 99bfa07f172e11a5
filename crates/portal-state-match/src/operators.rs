//! What an audit changes of the rows of a portal's files, and why each is a harm or none.

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, append, edited, get, items, members, put, reversed_members};
use serde_json::Value;

/// The operators of rows in JSON and NDJSON files.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("portal/other-member", other_member,
        "The row is about somebody else."),
    Operator::harm("portal/duplicate-row", duplicate_row,
        "The same request under another id is a second request."),
    Operator::harm("portal/shadow-row", shadow_row,
        "A second row of the same key has another status: which of them holds is not known."),
    Operator::harm("portal/soft-deleted", soft_deleted,
        "A row with a time of deletion is gone for whoever works with the portal."),
    Operator::equivalent("portal/column-order", column_order,
        "The columns of a row have names and no order."),
    Operator::equivalent("portal/extra-column", extra_column,
        "A system that keeps more of a row keeps the same row."),
    Operator::order("portal/row-order", row_order,
        "The rows of a table have no order (SQL: without ORDER BY it is not defined)."),
    Operator::breach("portal/forbidden-row", forbidden_row,
        "A row of the key and the columns that the criterion forbids."),
];

/// The row, where it is an object of a JSON text.
fn row<'a>(target: &Target<'a>) -> Option<&'a str> {
    target.record().filter(|row| row.starts_with('{') && strict_json::check(row).is_ok())
}

/// A row put in behind the target's.
fn behind(target: &Target<'_>, row: &str, sentence: String) -> Vec<Change> {
    let Some(end) = target.record().map(str::len) else { return Vec::new() };
    let with = match target.place.locator.ends_with("json") && !target.place.locator.ends_with("ndjson") {
        true => format!(", {row}"),
        false => format!("\n{}", row.replace('\n', " ")),
    };
    vec![target.change([Edit { span: end..end, with }], sentence)]
}

/// The row with another id, where it has one: a row of its own.
fn again(row: &str) -> String {
    let id = members(row).find(|(name, _)| name.eq_ignore_ascii_case("id"));
    let edit = id.and_then(|(name, value)| {
        let other = match value.strip_suffix('"') {
            Some(text) => format!("{text}-again\""),
            None => format!("{value}000"),
        };
        put(row, &[], &name, &other)
    });
    String::from_utf8_lossy(&edited(row.as_bytes(), edit.as_slice())).into_owned()
}

fn other_member(target: &Target<'_>) -> Vec<Change> {
    const WHO: [&str; 5] = ["member_id", "patient_id", "mrn", "subscriber_id", "patient"];
    let Some(row) = row(target) else { return Vec::new() };
    let Some((name, value)) = WHO.iter().find_map(|name| Some((*name, get(row, &[name])?))) else { return Vec::new() };
    let other = value.strip_suffix('"').map_or_else(|| format!("{value}1"), |text| format!("{text}1\""));
    let edit = put(row, &[], name, &other);
    let change = |edit| target.change([edit], format!("{name} became {other} (it was {value})."));
    edit.map(change).into_iter().collect()
}

fn duplicate_row(target: &Target<'_>) -> Vec<Change> {
    let Some(row) = row(target) else { return Vec::new() };
    behind(
        target,
        &again(row),
        format!("The row was put into {} a second time, with another id.", target.place.locator),
    )
}

fn shadow_row(target: &Target<'_>) -> Vec<Change> {
    let Some(row) = row(target).filter(|row| get(row, &["status"]).is_some()) else { return Vec::new() };
    let copy = again(row);
    let edit = put(&copy, &[], "status", "\"cancelled\"");
    let shadow = String::from_utf8_lossy(&edited(copy.as_bytes(), edit.as_slice())).into_owned();
    behind(target, &shadow, format!("A second row of the same key, cancelled, was put into {}.", target.place.locator))
}

fn soft_deleted(target: &Target<'_>) -> Vec<Change> {
    let Some(row) = row(target) else { return Vec::new() };
    let edit = put(row, &[], "deleted_at", "\"2026-01-01T00:00:00Z\"");
    edit.map(|edit| target.change([edit], "The row has a time of deletion.")).into_iter().collect()
}

fn column_order(target: &Target<'_>) -> Vec<Change> {
    let edit = row(target).and_then(reversed_members);
    edit.map(|edit| target.change([edit], "The columns of the row stand in the other order.")).into_iter().collect()
}

fn extra_column(target: &Target<'_>) -> Vec<Change> {
    let edit = row(target).and_then(|row| put(row, &[], "zz_source_system", "\"portal-2\""));
    edit.map(|edit| target.change([edit], "The row has one more column.")).into_iter().collect()
}

fn row_order(target: &Target<'_>) -> Vec<Change> {
    let Some(file) = target.file() else { return Vec::new() };
    let reversed = if target.place.locator.ends_with("ndjson") {
        let lines: Vec<&str> = file.lines().rev().collect();
        lines.join("\n") + "\n"
    } else {
        let mut rows: Vec<&str> = items(file.trim()).collect();
        rows.reverse();
        format!("[{}]", rows.join(", "))
    };
    let several =
        if target.place.locator.ends_with("ndjson") { file.lines().count() } else { items(file.trim()).count() };
    if several < 2 {
        return Vec::new();
    }
    let edit = Edit { span: 0..file.len(), with: reversed };
    vec![target.change_file([edit], format!("The rows of {} stand in the other order.", target.place.locator))]
}

/// A row of what the criterion selects, in the file of its resource.
fn forbidden_row(target: &Target<'_>) -> Vec<Change> {
    let Some(by) = target.forbidden.and_then(|assertion| assertion.get("correlate_by")) else { return Vec::new() };
    let Some(resource) = by.get("resource").and_then(Value::as_str) else { return Vec::new() };
    let name = target.place.locator.rsplit('/').next().unwrap_or_default();
    let (Some(file), true) = (target.file(), name.strip_suffix(".json") == Some(resource)) else { return Vec::new() };
    let mut row = serde_json::Map::new();
    // The columns of a row that is there, so that the new one is none of a kind of its own.
    if let Some(Ok(Value::Object(first))) = items(file.trim()).next().map(serde_json::from_str) {
        row.extend(first);
    }
    if let (Some(key), Some(value)) = (by.get("key").and_then(Value::as_str), by.get("value")) {
        row.insert(key.to_owned(), value.clone());
    }
    let columns = by.get("where").and_then(Value::as_object).into_iter().flatten();
    row.extend(columns.filter(|(_, value)| !value.is_object()).map(|(name, value)| (name.clone(), value.clone())));
    if let Some(id) = row.get_mut("id") {
        *id = Value::from("zz-audit");
    }
    let edit = append(file, &[], &Value::Object(row).to_string());
    let sentence = format!("A row of what is forbidden was put into {}.", target.place.locator);
    edit.map(|edit| target.change_file([edit], sentence)).into_iter().collect()
}
