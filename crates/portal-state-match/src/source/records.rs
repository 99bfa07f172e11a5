//! The rows of a `portal/` folder as records: what tells one from another, whether it changed, and a copy of them all.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use candor_check::difference::{canonical_digest, canonical_digest_of_text, leaves};
use candor_check::field::Location;
use candor_check::sandbox::{Gaps, PartRecord, Recorded};
use candor_check::strict_json;
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
            let named = if key.is_empty() { vec![KEY.to_owned()] } else { key };
            for file in self.files.iter().filter(|file| file.resource == name) {
                let rows = Rows { collection: &name, key: &named, locator: &file.entry.locator };
                let flow = match file.format {
                    Format::Ndjson => self.lines(file, &rows, &mut gaps, visit)?,
                    Format::Json | Format::Csv => self.whole(file, &mut gaps, &mut |row| visit(rows.listed(row))),
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
        of: &Rows<'_>,
        gaps: &mut Gaps,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Unverifiable> {
        let mut flow = ControlFlow::Continue(());
        let (mut number, mut count) = (0, 0);
        let passed = self.folder.lines(&file.entry, &mut |(start, _), line| {
            number += 1;
            if let Some(record) = of.sound(line, start) {
                count += 1;
                flow = visit(record);
                return flow;
            }
            let rows = read_line(line, number, start, count, self.folder.limits().max_bytes);
            count = rows.number;
            gaps.extend(rows.faults.into_iter().map(|fault| unreadable(&file.entry.locator, fault)));
            flow = rows.rows.iter().try_for_each(|row| visit(of.listed(row)));
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
            // A row of an array may be written on several lines.
            let row = [b"[".as_slice(), &self.folder.read_at(&file.entry, span)?, b"]"].concat();
            let rows = read(Format::Json, &row, &mut self.folder.limits().max_bytes.clone());
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
            // Another database, or a file, may have a table of the same name: each has a folder of its own.
            let opened = database.open(limits, Instant::now() + within(limits.timeout));
            let done = match opened {
                Ok(mut sqlite) => record(&mut sqlite, None, limits.timeout, &copy, &mut recorded, &mut facts),
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

/// The rows of one file, as records.
struct Rows<'a> {
    collection: &'a str,
    /// The columns that tell one from another.
    key: &'a [String],
    locator: &'a str,
}

impl Rows<'_> {
    fn listed(&self, row: &Row) -> PartRecord {
        let columns = row.content.columns();
        let parts: Option<Vec<String>> = self.key.iter().map(|column| columns.get(column).and_then(text)).collect();
        self.record(parts, canonical_digest(columns), row.span)
    }

    /// A line that is an object and nothing that has to be looked at twice, without making its values.
    fn sound(&self, line: &[u8], start: u64) -> Option<PartRecord> {
        let text = std::str::from_utf8(line).ok().filter(|text| text.starts_with('{') && text.ends_with('}'))?;
        // An escape may be one that only a parser finds wrong.
        if text.contains("\\u") {
            return None;
        }
        strict_json::check(text).ok()?;
        let mut parts = vec![None; self.key.len()];
        for (name, value) in strict_json::members(text) {
            let at = self.key.iter().position(|column| *column == name);
            if let Some(part) = at.and_then(|at| parts.get_mut(at)) {
                *part = serde_json::from_str(value).ok().as_ref().and_then(self::text);
            }
        }
        let span = (start, start + text.len() as u64);
        Some(self.record(parts.into_iter().collect(), canonical_digest_of_text(text, &[]), span))
    }

    fn record(&self, key: Option<Vec<String>>, digest: [u8; 32], span: (u64, u64)) -> PartRecord {
        let by_content = || {
            digest.iter().take(8).fold(String::new(), |mut hex, byte| {
                // Writing into a text cannot fail.
                let _ = write!(hex, "{byte:02x}");
                hex
            })
        };
        PartRecord {
            collection: self.collection.to_owned(),
            key: key.map_or_else(by_content, |parts| parts.join(",")),
            digest,
            place: Location { locator: self.locator.to_owned(), span: Some(span) },
        }
    }
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
