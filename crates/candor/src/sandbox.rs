//! Sandboxes: where the ground truth of one task is read from.

use std::fmt;
use std::path::{Path, PathBuf};

use candor_check::PartType;

use crate::input::Contents;

/// The ground truth that one task left: a folder, the servers that its `sandbox.toml` names, bytes in memory, or a mix.
/// Cheap to clone; clones share what was read.
#[derive(Clone, Debug)]
pub struct Sandbox(pub(crate) candor_check::Sandbox);

impl Sandbox {
    /// Opens a sandbox: a folder, or a TOML file that describes one. Reads the description and nothing else.
    ///
    /// # Errors
    /// When there is no such folder, or the description is wrong.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SandboxError> {
        Self::open_with(path, candor_checks::PARTS)
    }

    /// As [`Sandbox::open`], with these parts: [`parts`](crate::parts), and parts of your own.
    ///
    /// # Errors
    /// As [`Sandbox::open`].
    pub fn open_with(path: impl AsRef<Path>, parts: &[PartType]) -> Result<Self, SandboxError> {
        candor_check::Sandbox::open(path.as_ref(), parts).map(Self).map_err(SandboxError::of)
    }

    /// The same sandbox with one file more, or another one in its place. The path is relative to the sandbox: `x12/271.edi`.
    /// This sandbox stays as it is; both share what is the same. A path that leads out of the
    /// sandbox adds nothing, and neither does `sandbox.toml`.
    #[must_use]
    pub fn with_file(&self, path: &str, bytes: impl Into<Contents>) -> Self {
        Self(self.0.with_file(path, bytes.into().0))
    }

    /// The same sandbox with the one from before the work, which `state-unchanged` compares it with.
    #[must_use]
    pub fn with_baseline(&self, before: &Self) -> Self {
        Self(self.0.with_baseline(before.0.clone()))
    }
}

impl AsRef<candor_check::Sandbox> for Sandbox {
    /// The sandbox as a check sees it: for tests of a check of your own.
    fn as_ref(&self) -> &candor_check::Sandbox {
        &self.0
    }
}

/// Why a sandbox cannot be opened or built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SandboxError {
    /// The folder is missing, or its description is wrong.
    Description {
        /// The folder or the file.
        path: PathBuf,
        /// Line and column, 1-based; `None` if the problem is not at one place of a file.
        position: Option<(usize, usize)>,
        /// The problem in a sentence: what was found, what was expected, what to do.
        message: String,
    },
    /// A name that was given to a builder cannot be used.
    Name {
        /// The name.
        name: String,
        /// The problem in a sentence, and what to do.
        message: String,
    },
}

impl SandboxError {
    pub(crate) fn of(error: candor_check::SandboxError) -> Self {
        let candor_check::SandboxError { path, position, message } = error;
        Self::Description { path, position, message }
    }
}

impl fmt::Display for SandboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Description { path, position, message } => {
                write!(f, "{}", path.display())?;
                if let Some((line, column)) = position {
                    write!(f, ":{line}:{column}")?;
                }
                write!(f, ": {message}")
            }
            Self::Name { name, message } => write!(f, "`{name}` {message}"),
        }
    }
}

impl std::error::Error for SandboxError {}
