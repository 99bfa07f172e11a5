//! The operator's keys, opened when the first encrypted file is read.

#[cfg(feature = "pgp")]
use std::sync::OnceLock;

#[cfg(feature = "pgp")]
use candor_check::Obstacle;
#[cfg(feature = "pgp")]
use pgp::composed::SignedPublicKey;

#[cfg(feature = "pgp")]
use super::ring::Ring;
#[cfg(feature = "pgp")]
use super::trouble::Trouble;
use crate::store::Decryption;

#[derive(Debug, Default)]
pub(crate) struct Keys {
    #[cfg_attr(not(feature = "pgp"), expect(dead_code, reason = "a build without `pgp` opens nothing with it"))]
    pub(super) decryption: Option<Decryption>,
    #[cfg(feature = "pgp")]
    ring: OnceLock<Result<Ring, Trouble>>,
}

impl Keys {
    /// With what `sandbox.toml` gives; nothing is read before an encrypted file is.
    pub(crate) fn new(decryption: Option<Decryption>) -> Self {
        Self {
            decryption,
            #[cfg(feature = "pgp")]
            ring: OnceLock::new(),
        }
    }

    /// The keys, opened on first use.
    #[cfg(feature = "pgp")]
    pub(super) fn ring(&self) -> Result<&Ring, Trouble> {
        let Some(decryption) = &self.decryption else {
            return Err(Trouble::obstacle(Obstacle::SourceDenied, "is encrypted, and no key was given"));
        };
        let ring = self.ring.get_or_init(|| Ring::open(decryption)).as_ref().map_err(Clone::clone)?;
        match &ring.closed {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(ring),
        }
    }

    /// The public keys of all that were given, opened or not.
    #[cfg(feature = "pgp")]
    pub(super) fn publics(&self) -> &[SignedPublicKey] {
        let opened = self.decryption.as_ref().map(|decryption| self.ring.get_or_init(|| Ring::open(decryption)));
        opened.and_then(|ring| ring.as_ref().ok()).map(|ring| ring.publics.as_slice()).unwrap_or_default()
    }
}
