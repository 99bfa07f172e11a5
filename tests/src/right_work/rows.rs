//! Rows of a portal's tables and of CSV files: each value in its column.

use std::collections::BTreeSet;

use candor_json::{Value, json};

use super::{Work, leaves};

/// The tables of a JSON file: an array of rows, or an object whose members are tables, or rows by key.
pub(super) fn portal(name: &str, bytes: &[u8]) -> Option<Work> {
    let stem = name.strip_suffix(".json")?;
    let document: Value = candor_json::from_slice(bytes).ok()?;
    let tables: Vec<(String, Vec<Value>)> = match &document {
        Value::Array(rows) => vec![(stem.to_owned(), rows.clone())],
        Value::Object(members) => members
            .iter()
            .filter_map(|(name, table)| match table {
                Value::Object(rows) => Some((name.clone(), rows.values().cloned().collect())),
                Value::Array(rows) => Some((name.clone(), rows.clone())),
                _ => None,
            })
            .collect(),
        _ => return None,
    };
    let mut work = Work { files: Vec::new(), assertions: Vec::new() };
    for (table, rows) in tables {
        let Some(key) = key_of(&rows) else { continue };
        for row in &rows {
            let id = row.get(&key).cloned().unwrap_or_default();
            work.assertions.extend(leaves(row).into_iter().map(|(path, value)| {
                json!({
                    "assert": "portal-state-match", "correlate_by": {"resource": table, "key": key, "value": id},
                    "assertions": [{"path": path, "expected": value}],
                })
            }));
        }
        work.files.push((format!("portal/{table}.json"), Value::Array(rows).to_string().into_bytes()));
    }
    Some(work)
}

/// The first column whose values are texts or numbers, one for each row and none twice.
fn key_of(rows: &[Value]) -> Option<String> {
    let columns = rows.first()?.as_object()?.keys();
    let unique = |column: &&String| {
        let values: BTreeSet<String> = rows
            .iter()
            .filter_map(|row| row.get(column.as_str()))
            .filter(|value| value.is_string() || value.is_number())
            .map(Value::to_string)
            .collect();
        values.len() == rows.len()
    };
    columns.clone().find(unique).cloned()
}

/// The rows of a CSV file with commas, where no cell is quoted and every row is as long as the header.
pub(super) fn csv(name: &str, bytes: Vec<u8>) -> Option<Work> {
    let text = String::from_utf8(bytes.clone()).ok()?;
    if !name.ends_with(".csv") || text.contains('"') {
        return None;
    }
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.trim_start_matches('\u{feff}').split(',').collect();
    let plain = |column: &str| !column.is_empty() && column.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut assertions = Vec::new();
    for (row, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != header.len() {
            return None;
        }
        let named = header.iter().zip(cells).filter(|(column, cell)| plain(column) && !cell.is_empty());
        assertions.extend(named.map(|(column, cell)| {
            json!({
                "assert": "sftp-file-present", "path": name,
                "fields": [{"path": format!("{}.{column}", row + 1), "expected": cell}],
            })
        }));
    }
    Some(Work { files: vec![(format!("files/{name}"), bytes)], assertions })
}
