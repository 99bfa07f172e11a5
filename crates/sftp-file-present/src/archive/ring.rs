//! The secret keys that OpenPGP messages are decrypted with.

use candor_check::Obstacle;
use pgp::composed::{PublicOrSecret, SignedSecretKey};
use pgp::types::Password;

use super::trouble::Trouble;
use crate::store::Decryption;

/// The operator's keys, opened.
#[derive(Debug)]
pub(super) struct Ring {
    pub(super) keys: Vec<SignedSecretKey>,
}

pub(super) fn denied(what: impl Into<String>) -> Trouble {
    Trouble::obstacle(Obstacle::SourceDenied, what)
}

impl Ring {
    /// Reads the key file and opens every key with the passphrase.
    pub(super) fn open(decryption: &Decryption) -> Result<Self, Trouble> {
        let unread = |why: String| denied(format!("is encrypted, and the key in pgp_key_file {why}"));
        let bytes = decryption.key_file.read().map_err(|error| unread(format!("cannot be read: {error}")))?;
        let (all, _) = PublicOrSecret::from_reader_many_buf(bytes.as_slice())
            .map_err(|_| unread("is no OpenPGP key".to_owned()))?;
        let mut keys: Vec<SignedSecretKey> = all
            .filter_map(|key| match key {
                Ok(PublicOrSecret::Secret(key)) => Some(key),
                _ => None,
            })
            .collect();
        if keys.is_empty() {
            return Err(unread("is no secret key".to_owned()));
        }
        let passphrase = decryption.passphrase.as_ref().map_or_else(Password::empty, |secret| secret.reveal().into());
        // Opening one takes a tenth of a second or more, on purpose; it is done once, not for every file.
        let mut opened = 0;
        for key in &mut keys {
            opened += usize::from(key.primary_key.remove_password(&passphrase).is_ok());
            for subkey in &mut key.secret_subkeys {
                opened += usize::from(subkey.key.remove_password(&passphrase).is_ok());
            }
        }
        if opened == 0 {
            return Err(unread("is not opened by pgp_passphrase".to_owned()));
        }
        Ok(Self { keys })
    }
}
