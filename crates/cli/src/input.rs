//! Standard input and files that are read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file; `-` is standard input.
pub(crate) fn open(file: &Path) -> Result<Box<dyn Read>, String> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    if file.is_dir() {
        return Err(format!("{}: it is a folder, and a file is expected", file.display()));
    }
    File::open(file)
        .map(|file| Box::new(file) as Box<dyn Read>)
        .map_err(|e| format!("{}: it cannot be read: {e}", file.display()))
}
