//! The self-description of an OpenPGP message: whether it is encrypted and to whom, which needs no key, and who signed it.

use pgp::composed::{Esk, Message, SignedPublicKey};
use pgp::types::{Fingerprint, KeyDetails, KeyId, VerifyingKey};

use super::keys::Keys;
use super::pgp::{decrypted, literal, recipients};
use super::trouble::{Bounds, Trouble};
use crate::hygiene::{SeenKey, SeenPgp, Signer};

/// How often a message may be compressed around a signature.
const DEEPEST: usize = 8;

/// The OpenPGP message that a file is, if it is one. With `inside`, its signatures are sought, behind its encryption if
/// it is encrypted.
///
/// # Errors
/// In a build without OpenPGP.
#[expect(clippy::unnecessary_wraps, reason = "a build without OpenPGP refuses here")]
pub(crate) fn look(bytes: &[u8], keys: &Keys, bounds: &Bounds, inside: bool) -> Result<SeenPgp, Trouble> {
    let nothing = |what: &str| SeenPgp { what: what.to_owned(), signers: Some(Vec::new()), ..SeenPgp::default() };
    if bytes.trim_ascii_start().starts_with(b"-----BEGIN PGP SIGNED MESSAGE-----") {
        let what = "text with a signature around it, which anybody can read";
        return Ok(SeenPgp { signers: None, closed: Some(what.to_owned()), ..nothing(what) });
    }
    let Ok((message, _)) = Message::from_reader(bytes) else {
        return Ok(nothing("no OpenPGP message: anybody can read it"));
    };
    // They tell whose subkey a recipient is.
    let known = keys.publics();
    let mut seen = nothing(match &message {
        Message::Encrypted { .. } => "encrypted",
        Message::Signed { .. } => "signed and not encrypted: anybody can read it",
        _ => "an OpenPGP message that is not encrypted: anybody can read it",
    });
    if let Message::Encrypted { esk, .. } = &message {
        seen.encrypted = true;
        seen.recipients = esk.iter().filter_map(|esk| recipient(esk, known)).collect();
    }
    if inside {
        match signers(message, keys, bounds) {
            Ok(signers) => seen.signers = Some(signers),
            Err(trouble) => (seen.signers, seen.closed) = (None, Some(format!("the file {}", trouble.what))),
        }
    }
    Ok(seen)
}

/// The names of a key that a message is encrypted to; none of a password.
fn recipient(esk: &Esk, known: &[SignedPublicKey]) -> Option<SeenKey> {
    let Esk::PublicKeyEncryptedSessionKey(key) = esk else { return None };
    let id = key.id().ok().filter(|id| !id.is_wildcard());
    let fingerprint = key.fingerprint().ok().flatten();
    Some(names(id, fingerprint, known))
}

fn names(id: Option<&KeyId>, fingerprint: Option<&Fingerprint>, known: &[SignedPublicKey]) -> SeenKey {
    let mut names: SeenKey = fingerprint.map(|print| format!("{print:X}")).into_iter().collect();
    names.extend(id.map(|id| id.to_string().to_ascii_uppercase()));
    let is_this = |key: &dyn KeyDetails| {
        id.is_some_and(|id| key.legacy_key_id() == *id) || fingerprint.is_some_and(|print| key.fingerprint() == *print)
    };
    for key in known {
        if is_this(&key.primary_key) || key.public_subkeys.iter().any(|subkey| is_this(&subkey.key)) {
            names.push(format!("{:X}", key.primary_key.fingerprint()));
        }
    }
    names
}

fn signers(mut message: Message<'_>, keys: &Keys, bounds: &Bounds) -> Result<Vec<Signer>, Trouble> {
    for _ in 0..DEEPEST {
        message = match message {
            Message::Encrypted { ref esk, .. } => {
                let recipients = recipients(esk)?;
                decrypted(message, keys.ring()?, &recipients)?
            }
            Message::Compressed { .. } => message
                .decompress()
                .map_err(|error| Trouble::malformed(format!("is not a valid OpenPGP message ({error})")))?,
            _ => break,
        };
    }
    literal(&mut message, bounds)?;
    let Message::Signed { reader, .. } = &message else { return Ok(Vec::new()) };
    let known = keys.publics();
    let signer = |index: usize| {
        let signature = reader.signature(index)?;
        let (ids, prints) = (signature.issuer_key_id(), signature.issuer_fingerprint());
        let (id, print) = (ids.first().copied(), prints.first().copied());
        let key = names(id, print, known);
        let holds = |key: &dyn VerifyingKey| message.verify_nested_explicit(index, key).is_ok();
        let is_one = |key: &dyn KeyDetails| {
            id.is_some_and(|id| key.legacy_key_id() == *id) || print.is_some_and(|print| key.fingerprint() == *print)
        };
        let mut verified = None;
        for public in known {
            if is_one(&public.primary_key) {
                verified = verified.max(Some(holds(&public.primary_key)));
            }
            for subkey in public.public_subkeys.iter().filter(|subkey| is_one(&subkey.key)) {
                verified = verified.max(Some(holds(&subkey.key)));
            }
        }
        Some(Signer { key, verified })
    };
    Ok((0..reader.num_signatures()).filter_map(signer).collect())
}
