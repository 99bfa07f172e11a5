//! The rows of a `portal/` folder as records: what tells one from another, whether it changed, and a copy of them all.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use candor_check::difference::{canonical_digest, leaves};
use candor_check::field::Location;
use candor_check::sandbox::{Gaps, PartRecord, Recorded};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use serde_json::Value;

use super::folder::{RowFile, kept_from, unreadable};
use super::{FolderSource, PART};
use crate::rows::{Format, Row, read, read_line};
use crate::sql::{record, within};

/// The column that tells rows apart where no database says which one does.
const KEY: &str = "id";

impl FolderSource {
    /// Visits every row: resources in order of their names, rows in order of the files. Of a file of lines one row is held
    /// at a time.
    ///
    /// # Errors
    /// When nobody waits any more.
    pub(crate) fn visit_records(
        &self,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        let mut gaps = self.unreadable.clone();
        for name in self.names() {
            let key = self.facts.tables.get(&name).map(|table| table.key.clone()).unwrap_or_default();
            for file in self.files.iter().filter(|file| file.resource == name) {
                let mut each = |row: &Row| visit(listed(&name, &key, row, &file.entry.locator));
                let flow = match file.format {
                    Format::Ndjson => self.lines(file, &mut gaps, &mut each)?,
                    Format::Json | Format::Csv => self.whole(file, &mut gaps, &mut each),
                };
                if flow.is_break() {
                    return Ok(gaps);
                }
            }
        }
        Ok(gaps)
    }

    /// The rows of a file of lines, one at a time.
    fn lines(
        &self,
        file: &RowFile,
        gaps: &mut Gaps,
        each: &mut dyn FnMut(&Row) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Unverifiable> {
        let mut flow = ControlFlow::Continue(());
        let (mut number, mut count) = (0, 0);
        let passed = self.folder.lines(&file.entry, &mut |(start, _), line| {
            number += 1;
            let rows = read_line(line, number, start, count, self.folder.limits().max_bytes);
            count = rows.number;
            gaps.extend(rows.faults.into_iter().map(|fault| unreadable(&file.entry.locator, fault)));
            flow = rows.rows.iter().try_for_each(&mut *each);
            flow
        });
        match passed {
            Ok(()) => {}
            Err(why) if cancelled() => return Err(why),
            Err(why) => gaps.push(kept_from(file.entry.locator.clone(), &why)),
        }
        Ok(flow)
    }

    /// The rows of a file that is one value, or names its columns at its beginning.
    fn whole(&self, file: &RowFile, gaps: &mut Gaps, each: &mut dyn FnMut(&Row) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut rows = match self.folder.read(&file.entry) {
            Ok(content) => read(file.format, &content.bytes, &mut self.folder.limits().max_total_bytes.clone()),
            Err(why) => {
                gaps.push(kept_from(file.entry.locator.clone(), &why));
                return ControlFlow::Continue(());
            }
        };
        let faults = std::mem::take(&mut rows.faults);
        gaps.extend(faults.into_iter().map(|fault| unreadable(&file.entry.locator, fault)));
        rows.rows.iter().try_for_each(each)
    }

    /// The columns of the row that a record is, by its place.
    ///
    /// # Errors
    /// When the row is no longer there.
    pub(crate) fn record_fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let gone = || {
            let details = format!("{PART}/ has no row of {} at the place of {}", record.collection, record.key);
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        };
        let span = record.place.span.ok_or_else(gone)?;
        let file = self.files.iter().find(|file| file.entry.locator == record.place.locator).ok_or_else(gone)?;
        if file.format != Format::Csv {
            let bytes = self.folder.read_at(&file.entry, span)?;
            let rows = read(Format::Ndjson, &bytes, &mut self.folder.limits().max_bytes.clone());
            return rows.rows.first().map(|row| leaves(row.content.columns())).ok_or_else(gone);
        }
        let found = self.resource(&record.collection, |resource| {
            let file = resource.files.iter().find(|file| file.locator == record.place.locator)?;
            let at = file.rows.rows.binary_search_by_key(&span, |row| row.span).ok()?;
            file.rows.rows.get(at).map(|row| leaves(row.content.columns()))
        });
        found.flatten().ok_or_else(gone)
    }

    /// Copies the files of rows as they are, and writes the tables of databases as files of rows.
    ///
    /// # Errors
    /// When the folder cannot be listed, or a file cannot be written.
    pub(crate) fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        let mut recorded = Recorded { gaps: self.folder.copy_into(into)?, ..Recorded::default() };
        let mut facts = self.facts.clone();
        let limits = self.folder.limits();
        for database in &self.databases {
            // What was copied would be read beside its own rows.
            let copy = into.join(&database.entry.path);
            for beside in ["", "-wal", "-shm", "-journal"] {
                let mut name = copy.clone().into_os_string();
                name.push(beside);
                drop(std::fs::remove_file(name));
            }
            let opened = database.open(limits, Instant::now() + within(limits.timeout));
            let done = match opened {
                Ok(mut sqlite) => record(&mut sqlite, None, limits.timeout, into, &mut recorded, &mut facts),
                Err(trouble) => Err(trouble.into()),
            };
            if let Err(failed) = done {
                let why = failed.of(&database.entry.locator);
                recorded.gaps.push(kept_from(database.entry.locator.clone(), &why));
            }
        }
        recorded.facts = facts.to_value();
        Ok(recorded)
    }
}

fn listed(collection: &str, key: &[String], row: &Row, locator: &str) -> PartRecord {
    let columns = row.content.columns();
    let digest = canonical_digest(columns);
    let by_id = [KEY.to_owned()];
    let named = if key.is_empty() { &by_id[..] } else { key };
    let parts: Option<Vec<String>> = named.iter().map(|column| columns.get(column).and_then(text)).collect();
    let key = parts.map(|parts| parts.join(",")).unwrap_or_else(|| {
        digest.iter().take(8).fold(String::new(), |mut hex, byte| {
            // Writing into a text cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    });
    let place = Location { locator: locator.to_owned(), span: Some(row.span) };
    PartRecord { collection: collection.to_owned(), key, digest, place }
}

/// The text of a key's column.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
