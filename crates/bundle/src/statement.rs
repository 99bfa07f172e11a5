//! The signature of a bundle: a DSSE envelope around an in-toto Statement v1.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_json::{Map, Value, json};
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::key::{SigningKey, VerifyingKey};
use crate::manifest::{Manifest, json as bytes_of};

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://candor.dev/verdict/v1";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    payload: String,
    #[serde(rename = "payloadType")]
    payload_type: String,
    signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    keyid: String,
    sig: String,
}

/// The bytes that DSSE signs: the type and the payload, each with its length.
fn signed(payload: &[u8]) -> Vec<u8> {
    let header = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [header.as_bytes(), payload].concat()
}

/// The statement about a bundle: the digest of its manifest, and its verdict.
pub(crate) fn statement(manifest_bytes: &[u8], predicate: &Map<String, Value>) -> Value {
    json!({
        "_type": STATEMENT,
        "subject": [{"name": "manifest.json", "digest": {"sha256": sha256(manifest_bytes)}}],
        "predicateType": PREDICATE,
        "predicate": predicate,
    })
}

/// The predicate of the statement about a bundle. `result` is the run that it describes: a task run or a benchmark run,
/// as JSON.
pub(crate) fn predicate(manifest: &Manifest, result: &Value) -> Map<String, Value> {
    let mut predicate = Map::new();
    let mut put = |name: &str, value: Value| drop(predicate.insert(name.to_owned(), value));
    for name in ["task_id", "benchmark_id", "verdict", "score", "interval", "coverage"] {
        if let Some(value) = result.get(name) {
            put(name, value.clone());
        }
    }
    put("verifier_id", json!(manifest.verifier_id));
    put("agent_id", json!(manifest.agent_id));
    predicate
}

impl Envelope {
    pub(crate) fn sign(key: &SigningKey, statement: &Value) -> Self {
        let payload = bytes_of(statement);
        let sig = BASE64_STANDARD.encode(key.sign(&signed(&payload)));
        Self {
            payload: BASE64_STANDARD.encode(payload),
            payload_type: PAYLOAD_TYPE.to_owned(),
            signatures: vec![Signature { keyid: key.verifying().id(), sig }],
        }
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let envelope: Self = candor_json::from_slice(bytes).ok()?;
        (bytes_of(&envelope) == bytes && envelope.payload_type == PAYLOAD_TYPE).then_some(envelope)
    }

    pub(crate) fn key_id(&self) -> Option<&str> {
        self.signatures.first().map(|signature| signature.keyid.as_str())
    }

    pub(crate) fn payload(&self) -> Vec<u8> {
        BASE64_STANDARD.decode(&self.payload).unwrap_or_default()
    }

    pub(crate) fn is_signed_by(&self, key: &VerifyingKey) -> bool {
        let [signature] = self.signatures.as_slice() else { return false };
        let Ok(sig) = BASE64_STANDARD.decode(&signature.sig) else { return false };
        signature.keyid == key.id() && key.verifies(&signed(&self.payload()), &sig)
    }
}
