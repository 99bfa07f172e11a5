//! Rows to a file of a capture: one object a line, a file a table.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::{Obstacle, Unverifiable};
use candor_json::Value;

use super::PART;

pub(crate) struct RowWriter {
    locator: String,
    file: BufWriter<File>,
    broken: Option<io::Error>,
}

impl RowWriter {
    /// Begins the file of a table.
    ///
    /// # Errors
    /// When it cannot be written: the table's name may be none of a file.
    pub(crate) fn new(into: &Path, table: &str) -> Result<Self, Unverifiable> {
        let locator = locator(table);
        let file = match table.is_empty() || table.contains(['/', '\\', '\0']) || table.starts_with('.') {
            true => Err(io::Error::new(io::ErrorKind::InvalidInput, "a file cannot have its name")),
            false => std::fs::create_dir_all(into).and_then(|()| File::create(into.join(format!("{table}.ndjson")))),
        };
        let file = file.map_err(|error| not_written(&locator, &error))?;
        Ok(Self { locator, file: BufWriter::new(file), broken: None })
    }

    /// Writes a row; whether another one can be.
    pub(crate) fn row(&mut self, columns: &Value) -> bool {
        let written = candor_json::to_writer(&mut self.file, columns).map_err(io::Error::from);
        if let Err(error) = written.and_then(|()| self.file.write_all(b"\n")) {
            self.broken = Some(error);
        }
        self.broken.is_none()
    }

    pub(crate) fn finish(mut self) -> Result<(), Unverifiable> {
        let flushed = self.file.flush();
        match self.broken.map_or(flushed, Err) {
            Ok(()) => Ok(()),
            Err(error) => Err(not_written(&self.locator, &error)),
        }
    }
}

pub(crate) fn locator(table: &str) -> String {
    format!("{PART}/{table}.ndjson")
}

/// Rows of a table that could not be captured.
pub(crate) fn gap(table: &str, what: impl Into<String>) -> Unreadable {
    let fault = Fault::Obstacle(Obstacle::SourceUnavailable);
    Unreadable { place: Location::whole(locator(table)), what: what.into(), fault }
}

fn not_written(locator: &str, error: &io::Error) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceUnavailable, format!("{locator} cannot be written: {error}"))
}
