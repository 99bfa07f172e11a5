//! Holds what a delegate may write to apart from what a verifier reads its evidence from.

use std::path::{Path, PathBuf};

/// A delegate could write to evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceGranted {
    /// The path that the delegate may write.
    pub granted: PathBuf,
    /// The path that the verifier reads.
    pub evidence: PathBuf,
}

impl std::fmt::Display for EvidenceGranted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the delegate may write to {}, where the verifier reads its evidence from ({}); give it a workspace \
             outside the evidence",
            self.granted.display(),
            self.evidence.display()
        )
    }
}

impl std::error::Error for EvidenceGranted {}

/// Refuses a grant that holds evidence, or lies in it. Links are followed first.
///
/// # Errors
/// The first such grant.
pub fn independent(granted: &[PathBuf], evidence: &[PathBuf]) -> Result<(), EvidenceGranted> {
    for grant in granted {
        let real = real(grant);
        for source in evidence {
            let source_real = self::real(source);
            if real.starts_with(&source_real) || source_real.starts_with(&real) {
                return Err(EvidenceGranted { granted: grant.clone(), evidence: source.clone() });
            }
        }
    }
    Ok(())
}

/// A path with the links followed that lead nowhere yet: what is written through one goes there.
fn followed(mut path: PathBuf) -> PathBuf {
    // As many links as Linux follows.
    for _ in 0..40 {
        let target = |link: &Path| link.read_link().ok().filter(|_| !link.exists());
        let Some((link, target)) = path.ancestors().find_map(|link| Some((link, target(link)?))) else { break };
        let (Some(folder), Ok(beyond)) = (link.parent(), path.strip_prefix(link)) else { break };
        path = folder.join(target).join(beyond).components().collect();
    }
    path
}

/// A path as it really is; of one that is not there yet, the nearest folder that is and what follows.
pub(crate) fn real(path: &Path) -> PathBuf {
    let absolute = followed(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let mut there = absolute.as_path();
    let mut behind = Vec::new();
    loop {
        if let Ok(real) = there.canonicalize() {
            return behind.iter().rev().fold(real, |path, name| path.join(name));
        }
        match (there.parent(), there.file_name()) {
            (Some(parent), Some(name)) => {
                behind.push(name.to_owned());
                there = parent;
            }
            _ => return absolute,
        }
    }
}
