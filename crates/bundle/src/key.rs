//! Ed25519 keys in PEM files.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::digest::sha256;

/// The DER prefix of the 32 bytes of a private key: PKCS#8, version 1, the algorithm of RFC 8410.
const PKCS8: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
/// The DER prefix of the 32 bytes of a public key: SubjectPublicKeyInfo of RFC 8410.
const SPKI: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
const PRIVATE: &str = "PRIVATE KEY";
const PUBLIC: &str = "PUBLIC KEY";
const MAX_PEM: usize = 64 << 10;

/// Why a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is not PEM of the kind that is needed.
    NotPem {
        /// The label that is needed.
        expected: &'static str,
        /// The label that is there.
        found: Option<String>,
    },
    /// The PEM block holds another key than one of Ed25519.
    NotEd25519,
    /// The system gave no random bytes.
    NoRandomness,
    /// A key that masks is shorter than 16 bytes.
    TooShort(usize),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPem { expected, found } => {
                match found {
                    Some(found) => write!(f, "it holds a PEM block `{found}`, expected `{expected}`")?,
                    None => write!(f, "it is not a PEM file with a block `{expected}`")?,
                }
                f.write_str("; `candor keys sign --out NAME` makes a pair of keys")
            }
            Self::NotEd25519 => {
                f.write_str("its key is not one of Ed25519; `candor keys sign --out NAME` makes a pair of keys")
            }
            Self::NoRandomness => f.write_str("the system gave no random bytes"),
            Self::TooShort(length) => write!(f, "it has {length} bytes, expected at least 16"),
        }
    }
}

impl std::error::Error for KeyError {}

fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

/// The first PEM block of a file, if it has the label.
fn block(text: &[u8], label: &'static str) -> Result<Vec<u8>, KeyError> {
    let text = text.get(..MAX_PEM.min(text.len())).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    let begins = |line: &str| Some(line.trim().strip_prefix("-----BEGIN ")?.strip_suffix("-----")?.to_owned());
    let mut lines = text.lines();
    let found = lines.by_ref().find_map(begins);
    let not_pem = |found| KeyError::NotPem { expected: label, found };
    if found.as_deref() != Some(label) {
        return Err(not_pem(found));
    }
    let inside: String = lines.take_while(|line| !line.trim().starts_with("-----END ")).map(str::trim).collect();
    BASE64_STANDARD.decode(inside).map_err(|_| not_pem(None))
}

/// A private key that signs bundles.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    salts: hmac::Key,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("keyid", &self.verifying().id()).finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Makes a key.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn generate() -> Result<(Self, String), KeyError> {
        let mut der = [PKCS8, &[0; 32]].concat();
        let seed = der.get_mut(PKCS8.len()..).unwrap_or_default();
        SystemRandom::new().fill(seed).map_err(|_| KeyError::NoRandomness)?;
        Ok((Self::from_der(&der)?, pem(PRIVATE, &der)))
    }

    /// Reads a private key: PKCS#8 in a PEM block `PRIVATE KEY`, as OpenSSL and `candor keys sign` write it.
    ///
    /// # Errors
    /// When it is not that.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        Self::from_der(&block(text, PRIVATE)?)
    }

    fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| KeyError::NotEd25519)?;
        // An Ed25519 signature follows from the key and the message alone, and only the holder of the key can make it.
        let secret = pair.sign(b"candor salts of evidence bundles");
        Ok(Self { pair, salts: hmac::Key::new(hmac::HMAC_SHA256, secret.as_ref()) })
    }

    /// The public key of the pair.
    #[must_use]
    pub fn verifying(&self) -> VerifyingKey {
        VerifyingKey(self.pair.public_key().as_ref().to_vec())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }

    /// The salt of a part: 32 bytes that follow from the key and the part.
    pub(crate) fn salt(&self, part: &[u8]) -> Vec<u8> {
        hmac::sign(&self.salts, part).as_ref().to_vec()
    }
}

/// A public key that signatures are verified with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey(Vec<u8>);

impl VerifyingKey {
    /// Reads a public key: SubjectPublicKeyInfo in a PEM block `PUBLIC KEY`.
    ///
    /// # Errors
    /// When it is not that.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        let der = block(text, PUBLIC)?;
        match der.strip_prefix(SPKI) {
            Some(key) if key.len() == 32 => Ok(Self(key.to_vec())),
            _ => Err(KeyError::NotEd25519),
        }
    }

    /// The PEM file of the key.
    #[must_use]
    pub fn to_pem(&self) -> String {
        pem(PUBLIC, &self.der())
    }

    fn der(&self) -> Vec<u8> {
        [SPKI, &self.0].concat()
    }

    /// The name of the key: the SHA-256 of its SubjectPublicKeyInfo, in hex.
    #[must_use]
    pub fn id(&self) -> String {
        sha256(&self.der())
    }

    pub(crate) fn to_base64(&self) -> String {
        BASE64_STANDARD.encode(&self.0)
    }

    pub(crate) fn from_base64(text: &str) -> Option<Self> {
        BASE64_STANDARD.decode(text).ok().filter(|key| key.len() == 32).map(Self)
    }

    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message, signature).is_ok()
    }
}
