//! Files that the delegate may not change, as a verifier.

use crate::protection::Protection;
use crate::verifier::{Verifier, VerifierError, VerifierInput, VerifierVerdict};

/// Fails where a protected file of the workspace was changed or removed, or is new.
#[derive(Clone, Debug)]
pub struct Protected(pub Protection);

impl Verifier for Protected {
    async fn verify(&self, input: &VerifierInput) -> Result<VerifierVerdict, VerifierError> {
        let (protection, workspace) = (self.0.clone(), input.workspace.clone());
        let looked = tokio::task::spawn_blocking(move || protection.changes(&workspace)).await;
        let changes = match looked {
            Ok(Ok(changes)) => changes.said,
            Ok(Err(error)) => return Err(VerifierError::new(format!("the workspace cannot be read: {error}"))),
            Err(error) => return Err(VerifierError::new(error.to_string())),
        };
        Ok(match changes.is_empty() {
            true => VerifierVerdict::Passed,
            false => VerifierVerdict::Failed {
                reason: format!("field_mismatch: protected files are not as they were: {}", changes.join(", ")),
            },
        })
    }

    /// As many as there may be retries: it sets no bound of its own.
    fn max_iterations(&self) -> u32 {
        u32::MAX
    }
}
