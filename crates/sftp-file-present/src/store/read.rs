//! Reading a stored file: within the limits, and as one state of it.

use std::io::{self, Read};

use candor_check::sandbox::size_text;
use candor_check::{Obstacle, Unverifiable};
use sha2::{Digest, Sha256};

use super::{Store, StoredFile};

#[derive(Clone, Debug)]
pub(crate) struct FileContent {
    pub(crate) bytes: Vec<u8>,
    /// SHA-256 of them, in lower-case hex.
    pub(crate) sha256: String,
}

/// How much is read at a time.
const PIECE: usize = 256 << 10;

/// Reads a file whole.
///
/// # Errors
/// When it is larger than `max_bytes`, cannot be read, or is another file when it was read than it was when it was
/// listed.
pub(crate) fn read(store: &dyn Store, file: &StoredFile) -> Result<FileContent, Unverifiable> {
    let size = file.size.min(store.limits().max_bytes);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let sha256 = pass(store, file, |piece| bytes.extend_from_slice(piece))?;
    Ok(FileContent { bytes, sha256 })
}

/// Hands every piece of a file on, in order, and gives back its SHA-256.
pub(crate) fn pass(store: &dyn Store, file: &StoredFile, mut each: impl FnMut(&[u8])) -> Result<String, Unverifiable> {
    let limit = store.limits().max_bytes;
    let too_large = || {
        let details = format!("{} is larger than {} (limit max_bytes)", file.locator, size_text(limit));
        Unverifiable::new(Obstacle::LimitExceeded, details)
    };
    if file.size > limit {
        return Err(too_large());
    }
    let mut reader = store.open(file)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; PIECE];
    let mut length = 0u64;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let piece = buffer.get(..read).unwrap_or_default();
                length += read as u64;
                if length > limit {
                    return Err(too_large());
                }
                hasher.update(piece);
                each(piece);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(obstacle(&file.locator, error)),
        }
    }
    drop(reader);
    let now = store.stat(&file.path)?;
    let same = now.as_ref().is_some_and(|now| {
        (now.size, now.modified, &now.version) == (file.size, file.modified, &file.version) && length == file.size
    });
    if !same {
        let details = format!("{} changed while it was read", file.locator);
        return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
    }
    let digest = hasher.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Why a read broke off: what the store said, or what the system did.
fn obstacle(locator: &str, error: io::Error) -> Unverifiable {
    let kind = error.kind();
    let text = error.to_string();
    if let Some(known) = error.into_inner().and_then(|inner| inner.downcast::<Unverifiable>().ok()) {
        return *known;
    }
    let obstacle = match kind {
        io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
        io::ErrorKind::TimedOut => Obstacle::Timeout,
        _ => Obstacle::SourceUnavailable,
    };
    Unverifiable::new(obstacle, format!("{locator} cannot be read: {text}"))
}
