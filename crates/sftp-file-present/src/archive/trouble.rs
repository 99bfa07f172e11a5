//! Why a container's content cannot be had, and the bounds within which it is.

use std::io::{self, Read};

use candor_check::Obstacle;
use candor_check::records::Fault;
use candor_check::sandbox::{Limits, size_text};
use candor_check::work::cancelled;

/// Why a container, or a member of one, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) fault: Fault,
    pub(crate) what: String,
}

impl Trouble {
    /// It is not what its name says; the system under test wrote it.
    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self { fault: Fault::System, what: what.into() }
    }

    pub(crate) fn obstacle(obstacle: Obstacle, what: impl Into<String>) -> Self {
        Self { fault: Fault::Obstacle(obstacle), what: what.into() }
    }

    /// As an error of a reader; [`Trouble::of`] gets it back.
    pub(super) fn into_io(self) -> io::Error {
        io::Error::other(self)
    }

    /// The trouble in a reader's error, or what `otherwise` makes of an error that holds none.
    pub(super) fn of(error: io::Error, otherwise: impl FnOnce(&io::Error) -> Self) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            Some(trouble) => trouble.clone(),
            None => otherwise(&error),
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Trouble {}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) max_bytes: u64,
    pub(crate) max_total_bytes: u64,
    pub(crate) max_files: u64,
}

impl Bounds {
    pub(crate) fn of(limits: &Limits) -> Self {
        Self { max_bytes: limits.max_bytes, max_total_bytes: limits.max_total_bytes, max_files: limits.max_files }
    }

    pub(super) fn object_too_large(&self) -> Trouble {
        let limit = size_text(self.max_bytes);
        Trouble::obstacle(Obstacle::LimitExceeded, format!("unpacks to more than {limit} (limit max_bytes)"))
    }

    pub(super) fn total_too_large(&self) -> Trouble {
        let limit = size_text(self.max_total_bytes);
        Trouble::obstacle(Obstacle::LimitExceeded, format!("unpacks to more than {limit} (limit max_total_bytes)"))
    }

    pub(super) fn too_many(&self) -> Trouble {
        let what = format!("has more than {} members (limit max_files)", self.max_files);
        Trouble::obstacle(Obstacle::LimitExceeded, what)
    }
}

/// A reader out of which no more than so many bytes come: the next one is `beyond`.
pub(super) struct Bounded<R> {
    inner: R,
    left: u64,
    beyond: Trouble,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, most: u64, beyond: Trouble) -> Self {
        Self { inner, left: most, beyond }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if cancelled() {
            return Err(io::Error::other("the caller no longer waits for it"));
        }
        let read = self.inner.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => {
                self.left = left;
                Ok(read)
            }
            None => Err(self.beyond.clone().into_io()),
        }
    }
}
