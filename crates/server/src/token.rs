//! Bearer tokens: made here, handed out once, stored as a digest, compared in constant time.

use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `ck_`: an operator's key.
    Operator,
    /// `crt_`: a benchmark run's own token.
    Run,
    /// `cat_`: the token of the agent that does one task run.
    Agent,
    /// `csh_`: a share link.
    Share,
    /// `cs_`: a browser's session.
    Session,
}

const PREFIXES: &[(&str, Kind)] = &[
    ("crt_", Kind::Run),
    ("cat_", Kind::Agent),
    ("csh_", Kind::Share),
    ("ck_", Kind::Operator),
    ("cs_", Kind::Session),
];

/// A token that a caller presented: the owner that it claims, and the digest of the whole text.
#[derive(Clone, Debug)]
pub(crate) struct Presented {
    pub kind: Kind,
    /// The id of the record that the token belongs to, without its prefix.
    pub id: String,
    digest: String,
}

impl Presented {
    /// Reads a token; `None` for a text that is not one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (rest, kind) =
            PREFIXES.iter().find_map(|(prefix, kind)| text.strip_prefix(prefix).map(|rest| (rest, *kind)))?;
        let (id, secret) = rest.split_once('_')?;
        let is_id = !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_id && !secret.is_empty() && text.len() <= 256).then(|| Self {
            kind,
            id: id.to_owned(),
            digest: digest(text),
        })
    }

    /// True for the token with this digest. The time this takes does not depend on where the two differ.
    pub(crate) fn is(&self, stored: &str) -> bool {
        self.digest.as_bytes().ct_eq(stored.as_bytes()).into()
    }
}

/// A new token for the record with this id (without its prefix), and the digest to store.
pub(crate) fn mint(kind: Kind, id: &str) -> Result<(String, String), NoRandomness> {
    let mut secret = [0; 32];
    SystemRandom::new().fill(&mut secret).map_err(|_| NoRandomness)?;
    Ok(spelled(kind, id, &secret))
}

/// The token that follows from another one: its holder gets the same token again, and no other caller can compute it.
pub(crate) fn derived(kind: Kind, id: &str, from: &str) -> (String, String) {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, from.as_bytes());
    spelled(kind, id, ring::hmac::sign(&key, format!("candor agent token {id}").as_bytes()).as_ref())
}

pub(crate) fn csrf_token(session: &str) -> String {
    derived(Kind::Session, "csrf", session).1
}

/// The CSRF token of a login form: it follows from what the form's cookie holds.
pub(crate) fn login_token(nonce: &str) -> String {
    derived(Kind::Session, "login", nonce).1
}

/// Compares two texts. The time this takes does not depend on where they differ.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

fn spelled(kind: Kind, id: &str, secret: &[u8]) -> (String, String) {
    let prefix = PREFIXES.iter().find(|(_, known)| *known == kind).map_or("", |(prefix, _)| prefix);
    let token = format!("{prefix}{id}_{}", URL_SAFE_NO_PAD.encode(secret));
    let stored = digest(&token);
    (token, stored)
}

#[derive(Debug)]
pub(crate) struct NoRandomness;

/// SHA-256 in lower-case hex.
pub(crate) fn digest(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes.as_ref()).iter().map(|byte| format!("{byte:02x}")).collect()
}
