//! Files that hold the digest of their own content, and of the file before them.
//!
//! A sealed file is a JSON object that ends with the members `previous` and `digest`. `digest` is the SHA-256, in lower-case
//! hex, of all bytes before its own first digit; `previous` is the `digest` of the file before.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

const BEFORE: &[u8] = b"\",\n  \"digest\": \"";
const AFTER: &[u8] = b"\"\n}\n";
const DIGITS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seal {
    Whole {
        digest: String,
        previous: String,
    },
    Broken,
    /// There is no seal, as in records of version 0.1.
    None,
}

/// SHA-256 in lower-case hex.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An object as a sealed file, and its digest. `previous` is empty for the first file.
pub(super) fn sealed(value: &impl Serialize, previous: &str) -> Result<(Vec<u8>, String), String> {
    let mut bytes = candor_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
    // What is written is always an object with members.
    bytes.truncate(bytes.strip_suffix(b"\n}").ok_or("it is not an object")?.len());
    bytes.extend_from_slice(b",\n  \"previous\": \"");
    bytes.extend_from_slice(previous.as_bytes());
    bytes.extend_from_slice(BEFORE);
    let digest = sha256(&bytes);
    bytes.extend_from_slice(digest.as_bytes());
    bytes.extend_from_slice(AFTER);
    Ok((bytes, digest))
}

pub(super) fn seal(bytes: &[u8]) -> Seal {
    let parts = || {
        let content = bytes.strip_suffix(AFTER)?;
        let (content, digest) = content.split_at_checked(content.len().checked_sub(DIGITS)?)?;
        let digest = std::str::from_utf8(digest).ok().filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let before = content.strip_suffix(BEFORE)?;
        let from = before.iter().rposition(|byte| *byte == b'"')?;
        let previous = std::str::from_utf8(before.get(from + 1..)?).ok()?;
        Some((content, digest.to_owned(), previous.to_owned()))
    };
    match parts() {
        Some((content, digest, previous)) if sha256(content) == digest => Seal::Whole { digest, previous },
        Some(_) => Seal::Broken,
        None => Seal::None,
    }
}
