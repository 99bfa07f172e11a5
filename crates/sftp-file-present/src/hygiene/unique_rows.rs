//! `unique: {rows: [columns]}`: no two rows of all files agree in these columns, however the files are written or packed.

use std::collections::HashMap;

use candor_check::Failure;
use candor_check::field::{FieldPath as _, FieldReason, FieldResult, Location};
use candor_check::json_path::DottedPath;
use candor_check::records::Candidate;
use candor_json::{Map, Value, json};

use crate::content::{Content, ROWS};
use crate::seen::Dropped;
use crate::settings::Settings;
use crate::trailer::input;

/// How many twins are named, and how many places of each.
const MOST: usize = 20;

/// The values in the columns of every row of a file; the first column that it does not have.
fn keys(content: &Content<'_>, columns: &[String]) -> Result<Vec<Vec<String>>, String> {
    match content {
        Content::Rows(table) => {
            if let Some(missing) = columns.iter().find(|column| !table.has_column(column)) {
                return Err(missing.clone());
            }
            let cell = |row: usize, column: &String| {
                let found = table.select_in(row, column).values.into_iter().next();
                found.and_then(|found| found.datum.string().map(str::to_owned)).unwrap_or_default()
            };
            Ok((0..table.len()).map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect())
        }
        Content::Json(Value::Array(rows)) => {
            let paths: Option<Vec<DottedPath>> = columns.iter().map(|column| DottedPath::parse(column).ok()).collect();
            let paths = paths.unwrap_or_default();
            let cell = |row: &Value, path: &DottedPath, column: &String| {
                let found = path.select(row).values.into_iter().next();
                let found = found.ok_or_else(|| column.clone())?;
                Ok(found.datum.string().map_or_else(|| found.datum.to_value().to_string(), str::to_owned))
            };
            let row = |row| paths.iter().zip(columns).map(|(path, column)| cell(row, path, column)).collect();
            rows.iter().map(row).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// The values in several rows, and where: the number of the file and of the row.
type Twin<'a> = (&'a Vec<String>, &'a Vec<(usize, usize)>);

pub(crate) fn unique_rows_result(
    settings: &Settings,
    columns: &[String],
    candidates: &[Candidate<Dropped>],
) -> (Failure, FieldResult) {
    let mut seen: HashMap<Vec<String>, Vec<(usize, usize)>> = HashMap::new();
    for (file, candidate) in candidates.iter().enumerate() {
        let dropped = &candidate.content;
        let bytes = dropped.content.as_ref().map(|content| &*content.0).unwrap_or_default();
        let read = settings.format_of(&dropped.path).ok().and_then(|format| {
            let (input, _) = input(settings, bytes, format).ok()?;
            let content = input.parse(format, &settings.shape).ok()?;
            Some(keys(&content, columns))
        });
        match read {
            Some(Ok(rows)) => rows.into_iter().enumerate().for_each(|(row, key)| {
                seen.entry(key).or_default().push((file, row));
            }),
            Some(Err(column)) => {
                let actual = format!("{} has a row without `{column}`", dropped.path);
                let result = FieldResult::constraint("$unique", json!(columns), json!(actual), false);
                return (Failure::FieldMismatch, result.at(candidate.source.place()));
            }
            None => {
                let actual = format!("{} was not read", dropped.path);
                let result = FieldResult::constraint("$unique", json!(columns), json!(actual), false);
                return (Failure::FieldMismatch, result.because(FieldReason::Undecidable));
            }
        }
    }
    let mut twins: Vec<Twin<'_>> = seen.iter().filter(|(_, places)| places.len() > 1).collect();
    twins.sort_by_key(|(_, places)| places.get(1));
    let place = twins.first().and_then(|(_, places)| candidates.get(places.get(1)?.0));
    let place = place.or(candidates.first()).map(|candidate| candidate.source.place());
    let named = |place: &(usize, usize)| {
        let path = candidates.get(place.0).map(|candidate| candidate.content.path.as_str()).unwrap_or_default();
        json!(format!("{path} {ROWS}.{}", place.1 + 1))
    };
    let twin = |(key, places): &Twin<'_>| -> Value {
        let mut twin: Map<String, Value> =
            columns.iter().zip(key.iter()).map(|(column, cell)| (column.clone(), json!(cell))).collect();
        twin.insert("$at".to_owned(), places.iter().take(MOST).map(named).collect());
        twin.into()
    };
    let actual: Value = twins.iter().take(MOST).map(twin).collect();
    let result = FieldResult::constraint("$unique", json!([]), actual, twins.is_empty());
    let place = place.unwrap_or_else(|| Location::whole(""));
    (Failure::CountMismatch, result.at(place))
}
