//! The rows of a `portal/` folder as records: what tells one from another, whether it changed, and a copy of them all.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use candor_check::compare::Decimal;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{Gaps, PartRecord};
use candor_check::{Obstacle, Unverifiable};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::FolderSource;
use crate::rows::Row;

/// The column that tells rows apart where no database says which one does.
const KEY: &str = "id";

impl FolderSource {
    /// Visits every row: resources in order of their names, rows in order of the files. Databases are a gap.
    pub(crate) fn visit_records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Gaps {
        let mut gaps = self.record_gaps();
        for name in self.names() {
            let mut known = HashMap::new();
            let visited = self.resource(&name, |resource| {
                gaps.extend(resource.unreadable.iter().cloned());
                for file in &resource.files {
                    for row in &file.rows.rows {
                        let record = record(&name, row, &file.locator, &mut known);
                        if visit(record).is_break() {
                            return ControlFlow::Break(());
                        }
                    }
                }
                ControlFlow::Continue(())
            });
            if visited.is_some_and(|flow| flow.is_break()) {
                break;
            }
        }
        gaps
    }

    /// The columns of the row that a record is, by its place.
    ///
    /// # Errors
    /// When the row is no longer there.
    pub(crate) fn record_fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let found = self.resource(&record.collection, |resource| {
            let of_place = resource.files.iter().filter(|file| file.locator == record.place.locator);
            let mut rows = of_place.flat_map(|file| &file.rows.rows);
            rows.find(|row| Some(row.span) == record.place.span).map(|row| fields(row.content.columns()))
        });
        found.flatten().ok_or_else(|| {
            let details = format!("portal/ has no row of {} at the place of {}", record.collection, record.key);
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        })
    }

    /// What records are not listed of.
    fn record_gaps(&self) -> Gaps {
        let databases = self.databases.iter().map(|database| Unreadable {
            place: Location::whole(&database.entry.locator),
            what: "the rows of a SQLite file are not listed as records by this version".to_owned(),
            fault: Fault::Obstacle(Obstacle::Undecidable),
        });
        self.unreadable.iter().cloned().chain(databases).collect()
    }

    /// Copies every file, bytes and times as they are.
    ///
    /// # Errors
    /// When the folder cannot be listed, or a file cannot be written.
    pub(crate) fn capture_files(&self, into: &Path) -> Result<Gaps, Unverifiable> {
        let failed = |place: &str, error: &std::io::Error| {
            let details = format!("{place} cannot be captured: {error}");
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        };
        let listing = self.folder.list()?;
        let mut gaps = self.unreadable.clone();
        std::fs::create_dir_all(into).map_err(|error| failed("portal/", &error))?;
        for file in &listing.files {
            let content = match self.folder.read(file) {
                Ok(content) => content,
                Err(why) => {
                    gaps.push(super::folder::kept_from(file.locator.clone(), &why));
                    continue;
                }
            };
            let to = into.join(&file.path);
            let write = || {
                std::fs::create_dir_all(to.parent().unwrap_or(into))?;
                std::fs::write(&to, &content.bytes)?;
                match file.modified {
                    Some(time) => std::fs::File::options().append(true).open(&to)?.set_modified(time),
                    None => Ok(()),
                }
            };
            write().map_err(|error| failed(&file.locator, &error))?;
        }
        gaps.extend(listing.outside_links.into_iter().map(|link| Unreadable {
            place: Location::whole(link),
            what: "is a link that leads out of the folder and was not followed".to_owned(),
            fault: Fault::Recording,
        }));
        Ok(gaps)
    }
}

fn record(collection: &str, row: &Row, locator: &str, known: &mut HashMap<String, u64>) -> PartRecord {
    let columns = row.content.columns();
    let digest = Sha256::digest(canonical(columns));
    let key = match columns.get(KEY) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => plain(&number.to_string()),
        _ => digest.iter().fold(String::new(), |mut hex, byte| {
            // Writing into a text cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        }),
    };
    // Rows that nothing tells apart are counted, so that one of two is seen to be gone.
    let times = known.entry(key.clone()).and_modify(|times| *times += 1).or_insert(1);
    let key = if *times == 1 { key } else { format!("{key}#{times}") };
    let place = Location { locator: locator.to_owned(), span: Some(row.span) };
    PartRecord { collection: collection.to_owned(), key, digest: digest.into(), place }
}

/// The leaves of a row by their paths: `status`, `member.id`, `codes[0]`; empty arrays and objects are leaves.
fn fields(columns: &Value) -> Vec<(String, Value)> {
    let mut fields = Vec::new();
    // A list and not the stack: rows may be nested deeply.
    let mut open = vec![(String::new(), columns)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let below = members.iter().rev().map(|(name, value)| match path.as_str() {
                    "" => (name.clone(), value),
                    path => (format!("{path}.{name}"), value),
                });
                open.extend(below);
            }
            Value::Array(items) if !items.is_empty() => {
                let below = items.iter().enumerate().rev();
                open.extend(below.map(|(index, value)| (format!("{path}[{index}]"), value)));
            }
            leaf => fields.push((path, leaf.clone())),
        }
    }
    fields
}

/// A text that is the same for two rows whose fields are equal: members in order of their names, numbers by their values.
fn canonical(columns: &Value) -> String {
    let mut leaves = fields(columns);
    leaves.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = String::new();
    for (path, value) in leaves {
        let value = match &value {
            Value::Number(number) => plain(&number.to_string()),
            other => other.to_string(),
        };
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{path:?}={value}");
    }
    text
}

/// A number, however it is written.
fn plain(number: &str) -> String {
    Decimal::json(number).and_then(|decimal| decimal.to_plain()).unwrap_or_else(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_with_equal_fields_have_one_text() {
        let same = |a: &str, b: &str| {
            canonical(&serde_json::from_str(a).unwrap()) == canonical(&serde_json::from_str(b).unwrap())
        };
        for (a, b) in [
            (r#"{"a": 1, "b": "x"}"#, r#"{"b": "x", "a": 1.0}"#),
            (r#"{"a": {"c": [1, 2]}}"#, r#"{"a": {"c": [1.00, 2e0]}}"#),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [
            (r#"{"a": 1}"#, r#"{"a": "1"}"#),
            (r#"{"a": null}"#, r#"{}"#),
            (r#"{"a": []}"#, r#"{"a": {}}"#),
            (r#"{"a": [1, 2]}"#, r#"{"a": [2, 1]}"#),
            (r#"{"a.b": 1}"#, r#"{"a": {"b": 2}}"#),
            (r#"{"a": "1\nb=2"}"#, r#"{"a": "1", "b": 2}"#),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn fields_are_leaves_with_their_paths() {
        let row = json!({"id": 7, "member": {"id": "M1"}, "codes": ["a", {"b": 1}], "none": []});
        let paths: Vec<String> = fields(&row).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["id", "member.id", "codes[0]", "codes[1].b", "none"]);
    }
}
