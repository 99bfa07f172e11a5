//! The rows of a CSV file as an audit changes them: the file is written anew, its delimiter kept.

use candor_check::operators::{Change, Target};
use csv::WriterBuilder;

use crate::rows::delimiter;

/// The records of a CSV file, the first of which names the columns.
pub(super) struct Table {
    /// The bytes before the records: the line `sep=;`.
    lead: String,
    delimiter: u8,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The row that the criterion passed on.
    at: usize,
}

impl Table {
    /// `None` where the file is not CSV or the record is not one of its rows.
    fn of(target: &Target<'_>) -> Option<Self> {
        let file = target.file().filter(|_| target.name().ends_with(".csv") || target.name().ends_with(".tsv"))?;
        let found = delimiter(file.as_bytes()).ok()?;
        let lead = file.get(..found.behind)?;
        let records: Vec<_> = found.records(file.as_bytes()).collect();
        let at = records.iter().skip(1).position(|record| record.span.start == target.start())?;
        let mut rows = records.iter().map(|record| record.cells().map(String::from).collect::<Vec<_>>());
        let header = rows.next()?;
        let columns = header.len();
        let rows: Vec<Vec<String>> = rows.collect();
        rows.iter().all(|row| row.len() == columns).then(|| Self {
            lead: lead.to_owned(),
            delimiter: found.byte,
            header,
            rows,
            at,
        })
    }

    /// The file as `change` leaves it; an empty list where it changes nothing. `None` where the file is not CSV.
    pub(super) fn changed(
        target: &Target<'_>,
        change: impl FnOnce(&mut Self) -> Option<String>,
    ) -> Option<Vec<Change>> {
        let mut table = Self::of(target)?;
        let sentence = change(&mut table);
        let written = || {
            let mut writer =
                WriterBuilder::new().delimiter(table.delimiter).from_writer(table.lead.clone().into_bytes());
            let mut records = std::iter::once(&table.header).chain(&table.rows);
            records.try_for_each(|record| writer.write_record(record)).ok()?;
            writer.into_inner().ok()
        };
        Some(sentence.and_then(|sentence| Some(target.rewritten(written()?, sentence))).into_iter().collect())
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.rows.get(self.at)?.get(self.column(name)?).map(String::as_str)
    }

    pub(super) fn all<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t str> {
        let column = self.column(name);
        self.rows.iter().filter_map(move |row| row.get(column?)).map(String::as_str)
    }

    /// Puts a value into the row, in a new column where the name is new.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        let column = self.column(name).unwrap_or_else(|| {
            self.header.push(name.to_owned());
            self.rows.iter_mut().for_each(|row| row.push(String::new()));
            self.header.len() - 1
        });
        if let Some(cell) = self.rows.get_mut(self.at).and_then(|row| row.get_mut(column)) {
            value.clone_into(cell);
        }
    }

    /// Puts the row behind the last one once more, with another id where it has one, and goes on with that one.
    pub(super) fn repeat(&mut self, other_id: bool) {
        let Some(row) = self.rows.get(self.at).cloned() else { return };
        self.rows.push(row);
        self.at = self.rows.len() - 1;
        if let Some(id) = self.get("id").filter(|_| other_id).map(|id| format!("{id}-again")) {
            self.put("id", &id);
        }
    }

    pub(super) fn reverse_columns(&mut self) {
        self.header.reverse();
        self.rows.iter_mut().for_each(|row| row.reverse());
    }

    /// Puts the rows into the other order; whether there are several.
    pub(super) fn reverse_rows(&mut self) -> bool {
        self.rows.reverse();
        self.rows.len() > 1
    }
}
