//! The rows of a `portal/` folder as records: what tells one from another, whether it changed, and a copy of them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use candor_check::difference::{canonical_digest, canonical_digest_of_text, leaves};
use candor_check::field::Location;
use candor_check::sandbox::{Gaps, PartRecord, RecordKey, Recorded};
use candor_check::strict_json;
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use candor_json::Value;

use super::folder::{RowFile, kept_from, unreadable};
use super::keys::{Keys, text};
use super::{FolderSource, PART};
use crate::rows::{Format, Row, read, read_as, read_line};
use crate::sql::{record, within};

impl FolderSource {
    /// Visits every row: resources in order of their names, rows in order of the files. Of a file of lines one row is held
    /// at a time.
    ///
    /// # Errors
    /// When no one waits any more.
    pub(crate) fn visit_records(
        &self,
        keys: &BTreeMap<String, Vec<String>>,
        visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
    ) -> Result<Gaps, Unverifiable> {
        let mut gaps = self.unreadable.clone();
        for name in self.names() {
            let key = keys.get(&name).map(Vec::as_slice).unwrap_or_default();
            for file in self.files.iter().filter(|file| file.resource == name) {
                let rows = Rows { collection: &name, key, locator: &file.entry.locator };
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

    /// By table, what may tell its rows apart: what `sandbox.toml` or a database says, else `id`, else columns that are named
    /// like a key, are in every row and have no value twice.
    ///
    /// # Errors
    /// When a column that `sandbox.toml` names is in no row, or the caller has cancelled.
    pub(crate) fn keys(&self) -> Result<BTreeMap<String, Vec<RecordKey>>, Unverifiable> {
        let mut keys = BTreeMap::new();
        for name in self.names() {
            if let Some(columns) = self.keys.get(&name) {
                self.has_key(&name, columns)?;
            }
            let said = self.keys.get(&name).or_else(|| Some(&self.facts.tables.get(&name)?.key));
            let found = match said.filter(|columns| !columns.is_empty()) {
                Some(columns) => Some(vec![RecordKey { rank: 0, fields: columns.clone() }]),
                None => self.keys_of(&name)?,
            };
            keys.extend(found.map(|found| (name, found)));
        }
        Ok(keys)
    }

    /// The tables, with the columns that each names apart from its rows. A long file has rows, which show them.
    pub(super) fn tables(&self) -> BTreeMap<String, Vec<String>> {
        const LONG: u64 = 64 << 10;
        let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in &self.files {
            let columns = tables.entry(file.resource.clone()).or_default();
            if let Some(table) = self.facts.tables.get(&file.resource) {
                columns.extend(table.columns.iter().map(|(column, _)| column.clone()));
            }
            if file.format == Format::Csv
                && file.entry.size <= LONG
                && let Ok(content) = self.folder.read(&file.entry)
            {
                columns.extend(read_as(Format::Csv, &self.csv, &content.bytes, &mut LONG.clone()).header);
            }
        }
        tables.into_iter().map(|(table, columns)| (table, columns.into_iter().collect())).collect()
    }

    /// The columns that may be the key of a table; nothing for one without rows.
    fn keys_of(&self, table: &str) -> Result<Option<Vec<RecordKey>>, Unverifiable> {
        let mut found = Keys { table, columns: None };
        self.rows_of(table, &mut |row| found.take(row))?;
        Ok(found.all())
    }

    /// Refuses a key that the settings name and the first row of the table does not have.
    fn has_key(&self, table: &str, columns: &[String]) -> Result<(), Unverifiable> {
        let mut lacks = None;
        self.rows_of(table, &mut |row| {
            lacks = columns.iter().find(|column| row.get(column.as_str()).is_none());
            ControlFlow::Break(())
        })?;
        let Some(column) = lacks else { return Ok(()) };
        let details = format!(
            "sandbox.toml: [{PART}] keys names the column `{column}` for {table}, and the first row of {table} lacks it; \
             name a column that every row has"
        );
        Err(Unverifiable::new(Obstacle::SourceMalformed, details))
    }

    /// Passes over the rows of a table. Visiting them as records says what keeps some from being read.
    fn rows_of(&self, table: &str, each: &mut dyn FnMut(&Value) -> ControlFlow<()>) -> Result<(), Unverifiable> {
        for file in self.files.iter().filter(|file| file.resource == table) {
            let mut flow = ControlFlow::Continue(());
            if file.format == Format::Ndjson {
                let passed = self.folder.lines(&file.entry, &mut |(start, _), line| {
                    let rows = read_line(line, 1, start, 0, self.folder.limits().max_bytes);
                    flow = rows.rows.iter().try_for_each(|row| each(row.content.columns()));
                    flow
                });
                if let (Err(why), true) = (passed, cancelled()) {
                    return Err(why);
                }
            } else {
                flow = self.whole(file, &mut Gaps::default(), &mut |row| each(row.content.columns()));
            }
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

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
            Ok(content) => {
                let mut budget = self.folder.limits().max_total_bytes;
                read_as(file.format, &self.csv, &content.bytes, &mut budget)
            }
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
            let at = file.rows.read.rows.binary_search_by_key(&span, |row| row.span).ok()?;
            file.rows.read.rows.get(at).map(|row| leaves(row.content.columns()))
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
            // What was copied would be read next to its own rows.
            let copy = into.join(&database.entry.path);
            for beside in ["", "-wal", "-shm", "-journal"] {
                let mut name = copy.clone().into_os_string();
                name.push(beside);
                drop(std::fs::remove_file(name));
            }
            // Another database, or a file, may have a table of the same name: each has a folder of its own.
            let opened = database.open(limits, Instant::now() + within(limits.timeout));
            let done = match opened {
                Ok(mut sqlite) => record(sqlite.as_mut(), None, limits.timeout, &copy, &mut recorded, &mut facts),
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

struct Rows<'a> {
    collection: &'a str,
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
                *part = candor_json::from_str(value).ok().as_ref().and_then(self::text);
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
            key: key.filter(|parts| !parts.is_empty()).map_or_else(by_content, |parts| parts.join(",")),
            digest,
            place: Location { locator: self.locator.to_owned(), span: Some(span) },
        }
    }
}
