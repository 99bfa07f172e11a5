//! Who verifies and who is verified: two ids that are never equal.

use serde::{Deserialize, Serialize};

/// The name under which a verifier's verdicts are recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VerifierId(pub String);

/// The name of who does the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DelegateId(pub String);

/// A verifier and a delegate that are two. There is no other way to run a loop.
///
/// ```
/// use candor_verification::{DelegateId, Parties, VerifierId};
/// let parties = Parties::new(VerifierId("candor".into()), DelegateId("booking-agent".into()));
/// assert!(parties.is_ok());
/// let alone = Parties::new(VerifierId("booking-agent".into()), DelegateId(" Booking-Agent".into()));
/// assert!(alone.is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parties {
    verifier_id: VerifierId,
    delegate_id: DelegateId,
}

/// A verifier and the delegate it verifies are the same: a delegate may not verify its own work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfAttestation {
    /// The id that both have.
    pub id: String,
}

impl std::fmt::Display for SelfAttestation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "self-attestation: the verifier and the delegate are both `{}`; give them two ids", self.id)
    }
}

impl std::error::Error for SelfAttestation {}

impl Parties {
    /// Two parties.
    ///
    /// # Errors
    /// When the ids are the same by [`candor_check::identity::same`].
    pub fn new(verifier_id: VerifierId, delegate_id: DelegateId) -> Result<Self, SelfAttestation> {
        let same = candor_check::identity::same(&verifier_id.0, &delegate_id.0);
        if same { Err(SelfAttestation { id: verifier_id.0 }) } else { Ok(Self { verifier_id, delegate_id }) }
    }

    /// Who verifies.
    #[must_use]
    pub fn verifier_id(&self) -> &VerifierId {
        &self.verifier_id
    }

    /// Who is verified.
    #[must_use]
    pub fn delegate_id(&self) -> &DelegateId {
        &self.delegate_id
    }
}
