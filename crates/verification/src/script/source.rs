//! Reading a program's file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::verifier::VerifierError;

/// The most bytes of a program.
pub const MOST: usize = 1 << 20;

/// The text of a program.
///
/// # Errors
/// When it cannot be read, is not a regular file, is larger than [`MOST`], or is not UTF-8.
pub(crate) fn read(path: &Path) -> Result<String, VerifierError> {
    let wrong = |why: String| VerifierError::new(format!("{}: {why}", path.display()));
    let unreadable = |error: std::io::Error| wrong(format!("it cannot be read: {error}"));
    // Only a file is opened: opening a pipe waits for a process that writes to it.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(wrong("it is not a file".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(unreadable)?.take(MOST as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MOST {
        return Err(wrong(format!("it is larger than {MOST} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        wrong(format!("line {line} is not UTF-8"))
    })
}
