//! `pgp`: the encryption of a file, its recipients, and its signers.

use candor_check::field::{FieldReason, FieldResult};
use candor_json::{Value, json};
use serde::{Deserialize, Deserializer, Serialize};

#[derive(Clone, Debug)]
pub(crate) struct Pgp {
    encrypted: Option<bool>,
    /// Key ids and fingerprints, in upper case; all of them must be there, others may be.
    encrypted_to: Vec<String>,
    signed_by: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    encrypted: Option<bool>,
    #[serde(default)]
    encrypted_to: Vec<String>,
    #[serde(default)]
    signed_by: Vec<String>,
}

impl<'de> Deserialize<'de> for Pgp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { encrypted, encrypted_to, signed_by } = Members::deserialize(deserializer)?;
        let all = |keys: Vec<String>| keys.iter().map(|key| key_name(key)).collect::<Result<Vec<_>, _>>();
        let pgp = all(encrypted_to).and_then(|encrypted_to| {
            let signed_by = all(signed_by)?;
            match (encrypted, encrypted_to.is_empty(), signed_by.is_empty()) {
                (None, true, true) => {
                    Err("nothing is asserted; write `encrypted: true`, `encrypted_to` or `signed_by`".to_owned())
                }
                (Some(false), false, _) => Err("`encrypted: false` goes with no `encrypted_to`".to_owned()),
                _ => Ok(Self { encrypted, encrypted_to, signed_by }),
            }
        });
        pgp.map_err(serde::de::Error::custom)
    }
}

/// A key id of 16 hexadecimal digits, or a fingerprint of 40 or 64. Source: RFC 9580, 5.5.4.
pub(super) fn key_name(written: &str) -> Result<String, String> {
    let digits: String = written.chars().filter(|c| !c.is_whitespace()).collect();
    let digits = digits.strip_prefix("0x").unwrap_or(&digits).to_ascii_uppercase();
    match digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && matches!(digits.len(), 16 | 40 | 64) {
        true => Ok(digits),
        false => Err(format!(
            "{written:?} is not a key; expected a key id of 16 hexadecimal digits, or a fingerprint of 40 or 64"
        )),
    }
}

/// True if two names are of one key: a key id is the end of a fingerprint of 40 digits, the beginning of one of 64.
pub(super) fn same_key(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    long == short || short.len() == 16 && if long.len() == 64 { long.starts_with(short) } else { long.ends_with(short) }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenPgp {
    pub(crate) encrypted: bool,
    pub(crate) what: String,
    /// The keys that it is encrypted to; a key without names is one that the message does not name.
    pub(crate) recipients: Vec<SeenKey>,
    /// Who signed it; `None` where that could not be looked at.
    pub(crate) signers: Option<Vec<Signer>>,
    pub(crate) closed: Option<String>,
}

/// The names of one key: its id or fingerprint, and those of its primary key where the configured keys tell.
pub(crate) type SeenKey = Vec<String>;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signer {
    pub(crate) key: SeenKey,
    /// Says if the signature is the key's; `None` where no configured key has its name.
    pub(crate) verified: Option<bool>,
}

impl Pgp {
    pub(crate) fn looks_inside(&self) -> bool {
        !self.signed_by.is_empty()
    }

    pub(crate) fn results(&self, seen: &SeenPgp) -> Vec<FieldResult> {
        let mut results = Vec::new();
        if let Some(expected) = self.encrypted {
            let holds = seen.encrypted == expected;
            results.push(FieldResult::constraint("$pgp.encrypted", json!(expected), json!(seen.what), holds));
        }
        if !self.encrypted_to.is_empty() {
            results.push(self.recipients(seen));
        }
        if !self.signed_by.is_empty() {
            results.push(self.signers(seen));
        }
        results
    }

    /// Returns `true` if one of them fails, whatever the content is.
    pub(crate) fn fails(&self, seen: &SeenPgp) -> bool {
        self.results(seen).iter().any(|result| !result.passed && result.reason.is_none())
    }

    fn recipients(&self, seen: &SeenPgp) -> FieldResult {
        let is_named = |key: &String| seen.recipients.iter().flatten().any(|name| same_key(name, key));
        let named: Vec<Value> = seen
            .recipients
            .iter()
            .map(|key| key.first().map_or(json!("a key that is not named"), |name| json!(name)))
            .collect();
        let actual = if seen.encrypted { Value::Array(named) } else { json!(seen.what) };
        let holds = self.encrypted_to.iter().all(is_named);
        let result = FieldResult::constraint("$pgp.encrypted_to", json!(self.encrypted_to), actual, holds);
        // It may be the one that is missing.
        match !holds && seen.recipients.iter().any(Vec::is_empty) {
            true => result.because(FieldReason::Undecidable),
            false => result,
        }
    }

    fn signers(&self, seen: &SeenPgp) -> FieldResult {
        let place = "$pgp.signed_by";
        let Some(signers) = &seen.signers else {
            let result = FieldResult::constraint(place, json!(self.signed_by), json!(seen.closed), false);
            return result.because(FieldReason::Undecidable);
        };
        let of = |key: &String| {
            let same = |signer: &&Signer| signer.key.iter().any(|name| same_key(name, key));
            signers.iter().filter(same).map(|signer| signer.verified).max()
        };
        let found: Vec<Option<Option<bool>>> = self.signed_by.iter().map(of).collect();
        let holds = found.iter().all(|verified| *verified == Some(Some(true)));
        // A missing or wrong signature decides; a signature by a key that is not configured does not.
        let fails = found.iter().any(|verified| matches!(verified, None | Some(Some(false))));
        let shown = |signer: &Signer| {
            let key = signer.key.first().map_or("a key that is not named", String::as_str);
            json!(match signer.verified {
                Some(true) => key.to_owned(),
                Some(false) => format!("{key}, whose signature does not hold"),
                None => format!("{key}, which is not a configured key"),
            })
        };
        let result = FieldResult::constraint(place, json!(self.signed_by), signers.iter().map(shown).collect(), holds);
        if holds || fails { result } else { result.because(FieldReason::Undecidable) }
    }
}
