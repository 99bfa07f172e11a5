//! Captures of a sandbox.

use std::path::Path;

use candor_check::Sandbox;
use candor_check::sandbox::Captured;
use candor_state::Diff;
use tempfile::TempDir;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A sandbox of every part.
///
/// # Panics
/// When its description is wrong.
#[must_use]
pub fn opened(folder: &Path) -> Sandbox {
    Sandbox::open(folder, candor_checks::PARTS).unwrap()
}

/// Captures a sandbox into a folder of its own.
///
/// # Panics
/// When it cannot be opened, or the folder cannot be written.
#[must_use]
pub fn captured(sandbox: &Path) -> (TempDir, Captured) {
    let folder = tempfile::tempdir().unwrap();
    let captured = runtime().block_on(candor_state::capture(&opened(sandbox), folder.path(), None)).unwrap();
    (folder, captured)
}

/// The differences between two sandboxes.
///
/// # Panics
/// When one of them cannot be opened.
#[must_use]
pub fn compared(before: &Path, after: &Path) -> Diff {
    runtime().block_on(candor_state::diff(&opened(before), &opened(after), None)).unwrap()
}

/// The folder of a capture, which is whole and shows no difference from the sandbox that it was made of.
///
/// # Panics
/// When it is not whole, or shows a difference.
#[must_use]
pub fn faithful(sandbox: &Path) -> TempDir {
    let (folder, captured) = captured(sandbox);
    for (name, part) in &captured.parts {
        assert!(part.gaps.is_empty(), "{name}: {:?}", part.gaps);
    }
    let told = compared(sandbox, folder.path()).told();
    assert!(told.starts_with("No difference in"), "{told}");
    folder
}
