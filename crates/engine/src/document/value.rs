//! Documents that a program made: a JSON value, without a file.

use std::path::PathBuf;

use candor_json::Value;

use super::places::Places;
use super::{Document, FileError, is_deeper};

/// The deepest nesting that is taken, as of files.
const MAX_DEPTH: usize = 127;

impl Document {
    /// A document that a program made. Its errors name the member (`criteria[0].weight`), because there is no line.
    ///
    /// # Errors
    /// When it is nested deeper than a file may be.
    pub fn from_value(value: Value) -> Result<Self, FileError> {
        let document =
            Self { file: PathBuf::new(), value, places: Places::default(), comments: Vec::new(), bytes: None };
        match is_deeper(&document.value, MAX_DEPTH) {
            true => Err(document.error(&[], format!("it is nested deeper than {MAX_DEPTH} levels"))),
            false => Ok(document),
        }
    }
}
