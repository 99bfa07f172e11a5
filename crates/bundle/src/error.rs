//! Why a bundle cannot be read, written or judged again.

use std::fmt;

use crate::zip::ArchiveError;

/// Why there is no bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BundleError {
    /// The file cannot be read.
    Unreadable(String),
    /// The bytes are not a bundle.
    NotABundle(String),
    /// The bundle has another format than this version reads.
    OtherFormat(String),
    /// The bundle is larger than is read.
    TooLarge {
        /// Its bytes.
        found: u64,
        /// The most bytes that are read.
        most: u64,
    },
    /// The content to write does not fit into a bundle.
    TooMuch(String),
    /// An id that no criterion of the bundle has; these it has.
    NoCriterion {
        /// The id.
        id: String,
        /// The ids of the bundle's criteria.
        known: Vec<String>,
    },
    /// A part that is needed is damaged or missing: its name.
    Damaged(String),
    /// The run was not recorded, so that nothing could be judged again.
    NotRecorded {
        /// The criterion without an observation.
        criterion: String,
    },
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "it cannot be read: {why}"),
            Self::NotABundle(why) => write!(f, "it is not an evidence bundle: {why}"),
            Self::OtherFormat(format) => write!(
                f,
                "it has the format {format:?}, this version reads \"{}\"; replay it with the version that wrote it",
                crate::manifest::FORMAT
            ),
            Self::TooLarge { found, most } => {
                write!(f, "it has {found} bytes; the largest bundle that is read has {most}")
            }
            Self::TooMuch(what) => write!(f, "it does not fit into a bundle: {what}"),
            Self::NoCriterion { id, known } => {
                write!(f, "the bundle has no criterion `{id}`; it has {}", known.join(", "))
            }
            Self::Damaged(part) => {
                write!(f, "{part} is damaged or missing; `candor replay` says what differs")
            }
            Self::NotRecorded { criterion } => {
                write!(f, "the criterion `{criterion}` has no observation: run the task with an engine that records")
            }
        }
    }
}

impl std::error::Error for BundleError {}

impl From<ArchiveError> for BundleError {
    fn from(error: ArchiveError) -> Self {
        Self::NotABundle(error.to_string())
    }
}
