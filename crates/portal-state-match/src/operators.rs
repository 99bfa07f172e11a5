//! The changes of an audit to the rows of a portal's files, and why each is a harm or none.

mod table;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{self, Edit, append, edited, get, items, members, put, reversed_members};
use candor_json::Value;

use table::Table;

/// The operators of rows in JSON, NDJSON and CSV files.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("portal/other-member", other_member,
        "The row is about somebody else: another member of the table, if it has one."),
    Operator::harm("portal/duplicate-row", duplicate_row,
        "The same request under another id is a second request."),
    Operator::harm("portal/shadow-row", shadow_row,
        "A second row of the same key has another status: which of them holds is not known."),
    Operator::harm("portal/soft-deleted", soft_deleted,
        "A row with a time of deletion is gone for whoever works with the portal."),
    Operator::harm("portal/reverted-later", reverted_later,
        "A later row of the same key has another status: what was done did not last."),
    Operator::equivalent("portal/column-order", column_order,
        "The columns of a row have names and no order."),
    Operator::equivalent("portal/extra-column", extra_column,
        "A system that keeps more of a row keeps the same row."),
    Operator::equivalent("portal/as-ndjson", as_ndjson,
        "A list of rows, and the same rows a line each, are one table."),
    Operator::equivalent("portal/as-csv", as_csv,
        "A table of text columns is the same in CSV (RFC 4180), which has text alone."),
    Operator::order("portal/row-order", row_order,
        "The rows of a table have no order (SQL: without ORDER BY it is not defined)."),
    Operator::breach("portal/forbidden-row", forbidden_row,
        "A row of the key and the columns that the criterion forbids."),
];

/// The row, where it is an object of a JSON text.
fn row<'a>(target: &Target<'a>) -> Option<&'a str> {
    target.record().filter(|row| row.starts_with('{') && strict_json::check(row).is_ok())
}

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

/// Columns that say whom a row is about.
const WHO: [&str; 5] = ["member_id", "patient_id", "mrn", "subscriber_id", "patient"];

fn other_member(target: &Target<'_>) -> Vec<Change> {
    let of_csv = |table: &mut Table| {
        let (name, own) = WHO.iter().find_map(|name| Some((*name, table.get(name)?.to_owned())))?;
        let other = table.all(name).find(|other| *other != own && !other.is_empty() && *other != "\\N");
        let other = other.map_or_else(|| format!("{own}1"), str::to_owned);
        table.put(name, &other);
        Some(format!("{name} became {other} (it was {own})."))
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let Some(row) = row(target) else { return Vec::new() };
    let Some((name, value)) = WHO.iter().find_map(|name| Some((*name, get(row, &[name])?))) else { return Vec::new() };
    let other = of_another_row(target, name, value).map_or_else(|| unheard_of(value), str::to_owned);
    let edit = put(row, &[], name, &other);
    let change = |edit| target.change([edit], format!("{name} became {other} (it was {value})."));
    edit.map(change).into_iter().collect()
}

fn of_another_row<'t>(target: &Target<'t>, name: &str, own: &str) -> Option<&'t str> {
    let file = target.file()?.trim();
    let rows: Vec<&str> = if file.starts_with('[') { items(file).collect() } else { file.lines().collect() };
    let objects = rows.into_iter().filter(|row| row.trim_start().starts_with('{') && strict_json::check(row).is_ok());
    objects.filter_map(|row| get(row, &[name])).find(|other| *other != own && *other != "null")
}

fn unheard_of(own: &str) -> String {
    own.strip_suffix('"').map_or_else(|| format!("{own}1"), |text| format!("{text}1\""))
}

fn duplicate_row(target: &Target<'_>) -> Vec<Change> {
    let sentence = format!("The row was put into {} a second time, with another id.", target.place.locator);
    let of_csv = |table: &mut Table| {
        table.repeat(true);
        Some(sentence.clone())
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let Some(row) = row(target) else { return Vec::new() };
    behind(target, &again(row), sentence)
}

fn shadow_row(target: &Target<'_>) -> Vec<Change> {
    let sentence = format!("A second row of the same key, cancelled, was put into {}.", target.place.locator);
    let of_csv = |table: &mut Table| {
        table.get("status")?;
        table.repeat(true);
        table.put("status", "cancelled");
        Some(sentence.clone())
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let Some(row) = row(target).filter(|row| get(row, &["status"]).is_some()) else { return Vec::new() };
    let copy = again(row);
    let edit = put(&copy, &[], "status", "\"cancelled\"");
    let shadow = String::from_utf8_lossy(&edited(copy.as_bytes(), edit.as_slice())).into_owned();
    behind(target, &shadow, sentence)
}

fn soft_deleted(target: &Target<'_>) -> Vec<Change> {
    with_column(target, "deleted_at", "2026-01-01T00:00:00Z", "The row has a time of deletion.")
}

fn with_column(target: &Target<'_>, name: &str, value: &str, sentence: &str) -> Vec<Change> {
    let of_csv = |table: &mut Table| {
        table.put(name, value);
        Some(sentence.to_owned())
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let edit = row(target).and_then(|row| put(row, &[], name, &format!("\"{value}\"")));
    edit.map(|edit| target.change([edit], sentence)).into_iter().collect()
}

fn column_order(target: &Target<'_>) -> Vec<Change> {
    let of_csv = |table: &mut Table| {
        table.reverse_columns();
        Some(format!("The columns of {} are in the other order.", target.place.locator))
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let edit = row(target).and_then(reversed_members);
    edit.map(|edit| target.change([edit], "The columns of the row are in the other order.")).into_iter().collect()
}

fn extra_column(target: &Target<'_>) -> Vec<Change> {
    with_column(target, "zz_source_system", "portal-2", "The row has one more column.")
}

fn row_order(target: &Target<'_>) -> Vec<Change> {
    let of_csv = |table: &mut Table| {
        table.reverse_rows().then(|| format!("The rows of {} are in the other order.", target.place.locator))
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
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
    vec![target.change_file([edit], format!("The rows of {} are in the other order.", target.place.locator))]
}

/// Columns that say when a row was written or changed.
const WHEN: [&str; 7] = ["changed_at", "updated_at", "recorded_at", "occurred_at", "timestamp", "at", "created_at"];

/// A later row of the same key, back in a state from before.
fn reverted_later(target: &Target<'_>) -> Vec<Change> {
    let of_csv = |table: &mut Table| {
        let other = if table.get("status")? == "draft" { "cancelled" } else { "draft" };
        let (when, time) = WHEN.iter().find_map(|name| Some((*name, table.get(name)?.to_owned())))?;
        // A number is one in JSON and a text in a cell.
        let quoted = if time.bytes().all(|byte| byte.is_ascii_digit()) { time } else { format!("\"{time}\"") };
        let next = later(&quoted)?;
        table.repeat(false);
        table.put("status", other);
        table.put(when, next.trim_matches('"'));
        Some(format!("A later row of the same key in {} has the status {other}.", target.place.locator))
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let change = || {
        let row = row(target)?;
        let (status, when) = (get(row, &["status"])?, WHEN.iter().find(|name| get(row, &[**name]).is_some())?);
        let other = if status == "\"draft\"" { "\"cancelled\"" } else { "\"draft\"" };
        let edits = [put(row, &[], "status", other)?, put(row, &[], when, &later(get(row, &[*when])?)?)?];
        let reverted = String::from_utf8_lossy(&edited(row.as_bytes(), &edits)).into_owned();
        let sentence = format!("A later row of the same key in {} has the status {other}.", target.place.locator);
        Some(behind(target, &reverted, sentence))
    };
    change().unwrap_or_default()
}

/// The same time in the next year, or a number of seconds one day on.
fn later(time: &str) -> Option<String> {
    let Some(text) = time.strip_prefix('"') else {
        return time.parse::<u64>().ok()?.checked_add(86_400).map(|seconds| seconds.to_string());
    };
    let (year, rest) = text.split_at_checked(4)?;
    let next = year.parse::<u32>().ok().filter(|year| (1900..9000).contains(year))?.saturating_add(4);
    rest.starts_with('-').then(|| format!("\"{next}{rest}"))
}

/// The rows of a file that is a list of objects, and its name without its ending.
fn list<'t>(target: &Target<'t>) -> Option<(&'t str, Vec<&'t str>)> {
    let stem = target.place.locator.strip_suffix(".json")?;
    let stem = target.files.iter().find_map(|(name, _)| name.strip_suffix(".json").filter(|one| *one == stem))?;
    let file = target.file()?.trim();
    let rows: Vec<&str> = strict_json::check(file).ok().map(|()| items(file).collect())?;
    (!rows.is_empty() && rows.iter().all(|row| row.starts_with('{'))).then_some((stem, rows))
}

fn as_ndjson(target: &Target<'_>) -> Vec<Change> {
    let Some((stem, rows)) = list(target) else { return Vec::new() };
    // Line ends are between the tokens of JSON alone, never within one.
    let lines: String = rows.iter().map(|row| row.lines().map(str::trim).collect::<String>() + "\n").collect();
    let to = format!("{stem}.ndjson");
    target.renamed(&to, lines.into_bytes(), format!("{} is {to}, a row a line.", target.place.locator))
}

fn as_csv(target: &Target<'_>) -> Vec<Change> {
    let change = || {
        let (stem, rows) = list(target)?;
        let mut columns: Option<Vec<String>> = None;
        let mut lines = String::new();
        for row in rows {
            let mut names = Vec::new();
            let mut cells = Vec::new();
            for (name, value) in members(row) {
                names.push(name.into_owned());
                // NULL, numbers and booleans have no cell of their own.
                cells.push(quoted(&candor_json::from_str::<String>(value).ok()?));
            }
            if columns.is_none() {
                lines = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\r\n";
            }
            if columns.get_or_insert_with(|| names.clone()) != &names {
                return None;
            }
            lines += &(cells.join(",") + "\r\n");
        }
        let to = format!("{stem}.csv");
        Some(target.renamed(&to, lines.into_bytes(), format!("{} is {to}.", target.place.locator)))
    };
    change().unwrap_or_default()
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\r', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

fn forbidden_row(target: &Target<'_>) -> Vec<Change> {
    let Some(by) = target.forbidden.and_then(|assertion| assertion.get("correlate_by")) else { return Vec::new() };
    let Some(resource) = by.get("resource").and_then(Value::as_str) else { return Vec::new() };
    let name = target.name();
    let of_csv = |table: &mut Table| {
        name.rsplit_once('.').filter(|(stem, _)| *stem == resource)?;
        table.repeat(false);
        let key = Some((by.get("key")?.as_str()?, by.get("value")?));
        let columns = by.get("where").and_then(Value::as_object).into_iter().flatten();
        for (column, value) in key.into_iter().chain(columns.map(|(name, value)| (name.as_str(), value))) {
            match value {
                Value::String(text) => table.put(column, text),
                Value::Number(_) | Value::Bool(_) => table.put(column, &value.to_string()),
                _ => {}
            }
        }
        if table.get("id").is_some() {
            table.put("id", "zz-audit");
        }
        Some(format!("A row of what is forbidden was put into {}.", target.place.locator))
    };
    if let Some(changes) = Table::changed(target, of_csv) {
        return changes;
    }
    let (Some(file), true) = (target.file(), name.strip_suffix(".json") == Some(resource)) else { return Vec::new() };
    let mut row = candor_json::Map::new();
    // The new row has the columns of an existing one, so that it is of the same kind.
    if let Some(Ok(Value::Object(first))) = items(file.trim()).next().map(candor_json::from_str) {
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
