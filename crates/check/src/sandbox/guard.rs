//! Rules for commands that run over a workspace whose files somebody else wrote.

use std::path::PathBuf;

/// Which files of a workspace are its operator's. A check that runs a command in a copy of the workspace lays the overlay over
/// the copy, and fails without running where a protected file was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceGuard {
    /// A folder that is laid over a copy before a command runs.
    pub overlay: Option<PathBuf>,
    /// True if files are protected.
    pub protects: bool,
    /// Protected files that are not as they were, each in words: `tests/test_a.py was changed`.
    pub changes: Vec<String>,
    /// Files of caches that were not there before attempt 0, relative to the workspace. They are removed from a copy before a
    /// command runs: one that is taken for fresh would be run in the place of a file.
    pub caches: Vec<PathBuf>,
    /// Files whose time in a copy becomes that of the copy before a command runs, in this order: those that are dated ahead,
    /// then the protected ones. A build compares times, and would take a file that somebody left for newer than its source.
    pub renewed: Vec<PathBuf>,
}
