//! Grants of parts of the sandbox.

use std::path::{Path, PathBuf};

use candor::check::Sandbox;

/// Grants that are a part of the sandbox, or lie in one, and the others. The delegate may write the first: what is judged of
/// them is a copy. A part that holds something else of the verifier, as the file that describes the sandbox, is not one.
pub(super) fn divided(grants: &[PathBuf], sandbox: &Sandbox) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let parts: Vec<PathBuf> = sandbox.part_folders().iter().map(|(_, folder)| real(folder)).collect();
    let evidence: Vec<PathBuf> = sandbox.evidence_paths().iter().map(|path| real(path)).collect();
    grants.iter().cloned().partition(|grant| {
        let grant = real(grant);
        let is_in_a_part = parts.iter().any(|part| grant.starts_with(part));
        is_in_a_part && evidence.iter().all(|path| !path.starts_with(&grant) || parts.contains(path))
    })
}
