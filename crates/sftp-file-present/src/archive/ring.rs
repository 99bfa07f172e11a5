//! The secret keys that OpenPGP messages are decrypted with, and the public ones that verify signatures.

use candor_check::Obstacle;
use pgp::composed::{PublicOrSecret, SignedPublicKey, SignedSecretKey};
use pgp::types::Password;

use super::trouble::Trouble;
use crate::store::Decryption;

#[derive(Debug)]
pub(super) struct Ring {
    pub(super) keys: Vec<SignedSecretKey>,
    pub(super) publics: Vec<SignedPublicKey>,
    /// Why none of them decrypts anything.
    pub(super) closed: Option<Trouble>,
}

pub(super) fn denied(what: impl Into<String>) -> Trouble {
    Trouble::obstacle(Obstacle::SourceDenied, what)
}

impl Ring {
    pub(super) fn open(decryption: &Decryption) -> Result<Self, Trouble> {
        let unread = |why: String| denied(format!("is encrypted, and the key in pgp_key_file {why}"));
        let bytes = decryption.key_file.read().map_err(|error| unread(format!("cannot be read: {error}")))?;
        let mut all = Vec::new();
        for block in blocks(&bytes) {
            let (keys, _) =
                PublicOrSecret::from_reader_many_buf(block).map_err(|_| unread("is no OpenPGP key".to_owned()))?;
            all.extend(keys.flatten());
        }
        let (mut keys, mut publics): (Vec<SignedSecretKey>, _) = (Vec::new(), Vec::new());
        for key in all {
            match key {
                PublicOrSecret::Secret(key) => {
                    publics.push(key.to_public_key());
                    keys.push(key);
                }
                PublicOrSecret::Public(key) => publics.push(key),
            }
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
        let closed = match (keys.is_empty(), opened) {
            (true, _) => Some(unread("is no secret key".to_owned())),
            (false, 0) => Some(unread("is not opened by pgp_passphrase".to_owned())),
            (false, _) => None,
        };
        Ok(Self { keys, publics, closed })
    }
}

/// The armored blocks of a key file, as `cat` joins them; a file that is not armored is one.
fn blocks(bytes: &[u8]) -> Vec<&[u8]> {
    const BEGIN: &[u8] = b"-----BEGIN PGP ";
    let begins = bytes.windows(BEGIN.len()).enumerate().filter(|(_, window)| *window == BEGIN).map(|(at, _)| at);
    let begins: Vec<usize> = begins.collect();
    if begins.is_empty() {
        return vec![bytes];
    }
    let ends = begins.iter().skip(1).copied().chain([bytes.len()]);
    begins.iter().zip(ends).filter_map(|(from, to)| bytes.get(*from..to)).collect()
}
