//! Compressed files: gzip, of one member or several, unpacked within the sandbox's limit.

use std::io::Read;

use flate2::read::MultiGzDecoder;

pub(crate) struct Unpacked {
    pub(crate) bytes: Vec<u8>,
    pub(crate) broken: Option<Broken>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    TooLarge,
    /// It is not gzip, or ends early.
    Malformed(String),
}

/// Returns `true` if a file's name says that it is a compressed one of those that are read.
pub(crate) fn is_packed(path: &str) -> bool {
    inner(path).is_some_and(|inner| extension_is(inner, "json") || extension_is(inner, "ndjson"))
}

pub(crate) fn inner(path: &str) -> Option<&str> {
    let (inner, extension) = path.rsplit_once('.')?;
    extension.eq_ignore_ascii_case("gz").then_some(inner)
}

/// Unpacks gzip to at most `limit` bytes.
pub(crate) fn unpack(packed: &[u8], limit: u64) -> Unpacked {
    let mut bytes = Vec::new();
    let read = MultiGzDecoder::new(packed).take(limit.saturating_add(1)).read_to_end(&mut bytes);
    let broken = match read {
        _ if bytes.len() as u64 > limit => {
            bytes.clear();
            Some(Broken::TooLarge)
        }
        Err(error) => Some(Broken::Malformed(error.to_string())),
        Ok(_) => None,
    };
    Unpacked { bytes, broken }
}

/// Returns `true` if a file's name ends so, without case.
pub(crate) fn extension_is(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, own)| own.eq_ignore_ascii_case(extension))
}
