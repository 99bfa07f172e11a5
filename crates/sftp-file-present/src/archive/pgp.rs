//! OpenPGP messages (RFC 9580, RFC 4880): decrypted with the operator's key, their integrity checked before anything of
//! them is believed. Signatures are passed over here.

use std::io::Read;

use candor_check::Obstacle;
use pgp::composed::{DecryptionOptions, Edata, Esk, Message, TheRing};
use pgp::errors::Error;
use pgp::types::{Password, Seipdv1ReadMode};

use super::keys::Keys;
use super::ring::{Ring, denied};
use super::trouble::{Bounded, Bounds, Trouble};

/// How often a message may be compressed, encrypted and signed over itself.
const DEEPEST: usize = 8;
/// To how many keys a message may be encrypted.
const MOST_RECIPIENTS: usize = 1000;

fn undecidable(what: impl Into<String>) -> Trouble {
    Trouble::obstacle(Obstacle::Undecidable, what)
}

/// The literal data of a message.
///
/// # Errors
/// When it is not such a message, is encrypted to somebody else, was changed, or holds more than the bounds say.
pub(super) fn opened(bytes: &[u8], keys: &Keys, bounds: &Bounds) -> Result<Vec<u8>, Trouble> {
    let mut was_encrypted = false;
    if bytes.trim_ascii_start().starts_with(b"-----BEGIN PGP SIGNED MESSAGE-----") {
        return Err(Trouble::obstacle(
            Obstacle::Undecidable,
            "is text with a signature around it, which is not opened",
        ));
    }
    let (mut message, _) = Message::from_reader(bytes).map_err(|error| no_message(&error))?;
    for _ in 0..DEEPEST {
        message = match message {
            Message::Encrypted { ref esk, ref edata, .. } => {
                let recipients = recipients(esk)?;
                if matches!(edata, Edata::SymEncryptedData { .. }) {
                    return Err(undecidable("is encrypted without protection of its integrity, which is not opened"));
                }
                if std::mem::replace(&mut was_encrypted, true) {
                    return Err(undecidable("is encrypted twice, which is not opened"));
                }
                decrypted(message, keys.ring()?, &recipients)?
            }
            Message::Compressed { .. } => message.decompress().map_err(|error| no_message(&error))?,
            Message::Signed { ref reader, .. } if reader.get_ref().is_compressed() => {
                message.decompress().map_err(|error| no_message(&error))?
            }
            Message::Signed { ref reader, .. } if !reader.get_ref().is_literal() => {
                return Err(undecidable("is encrypted within a signature, which is not opened"));
            }
            mut message => return literal(&mut message, bounds),
        };
    }
    Err(Trouble::obstacle(Obstacle::LimitExceeded, format!("is wrapped in itself more than {DEEPEST} times")))
}

fn no_message(error: &Error) -> Trouble {
    Trouble::malformed(format!("is not a valid OpenPGP message ({error})"))
}

pub(super) fn recipients(esk: &[Esk]) -> Result<String, Trouble> {
    if esk.len() > MOST_RECIPIENTS {
        let what = format!("is encrypted to more than {MOST_RECIPIENTS} keys");
        return Err(Trouble::obstacle(Obstacle::LimitExceeded, what));
    }
    let names: Vec<String> = esk
        .iter()
        .filter_map(|esk| match esk {
            Esk::PublicKeyEncryptedSessionKey(key) => Some(key.id().map_or("unnamed".to_owned(), ToString::to_string)),
            Esk::SymKeyEncryptedSessionKey(_) => None,
        })
        .take(5)
        .collect();
    if names.is_empty() {
        return Err(denied("is encrypted by a password, which no key opens"));
    }
    Ok(names.join(", "))
}

pub(super) fn decrypted<'a>(message: Message<'a>, ring: &Ring, recipients: &str) -> Result<Message<'a>, Trouble> {
    let most = usize::try_from(u32::MAX).unwrap_or(usize::MAX);
    let options = DecryptionOptions::new()
        .enable_gnupg_aead()
        .set_seipdv1_read_mode(Seipdv1ReadMode::CheckFirst { max_message_size: most });
    let opened = Password::empty();
    let the_ring = TheRing {
        secret_keys: ring.keys.iter().collect(),
        key_passwords: vec![&opened],
        decrypt_options: options,
        ..TheRing::default()
    };
    match message.decrypt_the_ring(the_ring, true) {
        Ok((message, _)) => Ok(message),
        Err(Error::MissingKey) => {
            Err(denied(format!("is encrypted to another key than the one given (to {recipients})")))
        }
        Err(Error::Unsupported { message, .. } | Error::Unimplemented { message, .. }) => {
            Err(undecidable(format!("is encrypted in a way that is not opened ({message})")))
        }
        Err(error) => Err(Trouble::malformed(format!("is encrypted, and was changed or cut off ({error})"))),
    }
}

pub(super) fn literal(message: &mut Message<'_>, bounds: &Bounds) -> Result<Vec<u8>, Trouble> {
    let mut reader = Bounded::new(message, bounds.max_total_bytes, bounds.total_too_large());
    let mut content = Vec::new();
    match reader.read_to_end(&mut content) {
        Ok(_) => Ok(content),
        Err(error) => {
            Err(Trouble::of(error, |error| Trouble::malformed(format!("is not a valid OpenPGP message ({error})"))))
        }
    }
}
