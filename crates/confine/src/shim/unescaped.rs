//! Paths of the table of mounts.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// A path of the table of mounts, in which blanks and the like are octal.
pub(super) fn unescaped(bytes: &[u8]) -> PathBuf {
    let mut all = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'\\').then(|| after.get(..3)).flatten();
        let code =
            code.and_then(|code| std::str::from_utf8(code).ok()).and_then(|code| u8::from_str_radix(code, 8).ok());
        match code {
            Some(byte) => {
                all.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                all.push(first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(all))
}
