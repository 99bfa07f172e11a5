//! Task and benchmark files as documents: a JSON value, and the place in the file of every member, so that an error
//! names line and column.

mod comments;
mod depth;
pub mod edit;
mod json;
mod places;
mod value;
mod yaml;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_json::Value;

pub(crate) use comments::Comment;
pub(crate) use depth::is_deeper;
use places::Places;
pub(crate) use places::{dotted, steps_of};

/// A fault of a file, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file; empty if a program made the document.
    pub file: PathBuf,
    /// Line and column, 1-based, if the fault has a place.
    pub position: Option<(usize, usize)>,
    /// The message: what was found, what was expected, what to do.
    pub message: String,
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.file.as_os_str().is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for FileError {}

/// A syntax error: its position and what is wrong.
type SyntaxError = (Option<(usize, usize)>, String);

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Document {
    file: PathBuf,
    value: Value,
    places: Places,
    comments: Vec<Comment>,
    /// The file's bytes; `None` if a program made the document.
    bytes: Option<Arc<[u8]>>,
}

const MAX_BYTES: u64 = 16 << 20;

impl Document {
    /// Reads a file; its extension says whether it is JSON (`.json`) or YAML (`.yaml`, `.yml`).
    ///
    /// # Errors
    /// When it cannot be read, has another extension, or is not what its extension says.
    pub fn read(file: &Path) -> Result<Self, FileError> {
        let problem = |message: String| FileError { file: file.to_owned(), position: None, message };
        let size = std::fs::metadata(file).map_err(|e| problem(format!("it cannot be read: {e}")))?.len();
        if size > MAX_BYTES {
            return Err(problem(format!("it has {size} bytes; the largest file that is read has {MAX_BYTES}")));
        }
        let bytes = std::fs::read(file).map_err(|e| problem(format!("it cannot be read: {e}")))?;
        Self::parse(file, &bytes)
    }

    /// Reads the content of a file of that name.
    ///
    /// # Errors
    /// As [`Document::read`].
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let problem = |position, message| FileError { file: file.to_owned(), position, message };
        let text = std::str::from_utf8(bytes)
            .map_err(|e| problem(None, format!("it is not UTF-8: the byte at offset {} is not", e.valid_up_to())))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let read = match file.extension().and_then(|e| e.to_str()) {
            Some("json") => json::read(text),
            Some("yaml" | "yml") => yaml::read(text),
            _ => return Err(problem(None, "its extension is not .json, .yaml or .yml".to_owned())),
        };
        let (value, places) = read.map_err(|(position, message)| problem(position, message))?;
        // JSON has no comments.
        let comments = if file.extension().is_some_and(|e| e == "json") { Vec::new() } else { comments::read(text) };
        Ok(Self { file: file.to_owned(), value, places, comments, bytes: Some(bytes.into()) })
    }

    /// The document.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The file it was read from; empty if a program made it.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The document, unchanged: the bytes of its file, or the JSON of what a program made.
    #[must_use]
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.bytes {
            Some(bytes) => Cow::Borrowed(bytes),
            None => Cow::Owned(self.value.to_string().into_bytes()),
        }
    }

    pub(crate) fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// An error at a place of the document, given as its steps from the top (`criteria`, `0`, `weight`).
    #[must_use]
    pub fn error(&self, place: &[&str], message: impl Into<String>) -> FileError {
        let mut message = message.into();
        if self.file.as_os_str().is_empty() && !place.is_empty() {
            message = format!("{}: {message}", dotted(place));
        }
        FileError { file: self.file.clone(), position: self.places.of(place), message }
    }
}
