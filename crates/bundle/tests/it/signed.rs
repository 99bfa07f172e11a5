//! Signed bundles.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_bundle::{Bundle, SigningKey, replay};
use candor_json::{Value, json};

use crate::common::{bundle, contents, engine, places, three, with_changed_run};
use crate::digest::sha256;
use crate::zip::{Packed, archive};

fn key() -> SigningKey {
    SigningKey::generate().unwrap().0
}

/// The bundle with the verdict of its statement changed, signed anew by the key of this PEM.
fn lying(bytes: &[u8], pem: &str) -> Vec<u8> {
    let mut members = contents(bytes);
    let mut envelope: Value = candor_json::from_slice(&members["signature.json"]).unwrap();
    let payload = BASE64_STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let mut statement: Value = candor_json::from_slice(&payload).unwrap();
    statement["predicate"]["verdict"] = json!("pass");
    let payload = candor_json::to_vec(&statement).unwrap();
    let kind = envelope["payloadType"].as_str().unwrap();
    let header = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    let signature =
        crate::key::SigningKey::from_pem(pem.as_bytes()).unwrap().sign(&[header.as_bytes(), &payload].concat());
    envelope["payload"] = json!(BASE64_STANDARD.encode(payload));
    envelope["signatures"][0]["sig"] = json!(BASE64_STANDARD.encode(signature));
    let mut packed = Vec::new();
    for name in ["manifest.json", "signature.json"] {
        let content = members.remove(name).unwrap();
        let content = if name == "signature.json" { candor_json::to_vec(&envelope).unwrap() } else { content };
        packed.push(Packed::stored(name.to_owned(), &content));
    }
    packed.extend(members.into_iter().map(|(name, content)| Packed::new(name, &content)));
    archive(&packed)
}

#[test]
fn a_signature_is_verified_and_says_what_was_signed() {
    let ((task, sandbox), key) = (three(), key());
    let bytes = bundle(&task, &sandbox, Some(&key));
    assert_eq!(bytes, bundle(&task, &sandbox, Some(&key)), "the same input and key give the same bytes");
    let opened = Bundle::read(bytes).unwrap();
    let replay = replay(&opened, &engine(), Some(&key.verifying()));
    assert!(replay.same, "{replay:#?}");
    let signature = replay.signature.unwrap();
    assert!(signature.verified);
    assert_eq!(signature.keyid, key.verifying().id());
    assert_eq!(signature.statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(signature.statement["predicateType"], "https://candor.dev/verdict/v1");
    let predicate = &signature.statement["predicate"];
    assert_eq!(predicate["task_id"], "t");
    assert_eq!(predicate["verdict"], replay.task_run["verdict"]);
    assert_eq!(predicate["interval"], replay.task_run["interval"]);
    assert_eq!(predicate["verifier_id"], "candor/test");
    assert_eq!(predicate["agent_id"], "agent");
}

#[test]
fn another_key_no_signature_and_a_changed_statement_fail() {
    let ((task, sandbox), (key, pem)) = (three(), SigningKey::generate().unwrap());
    let bytes = bundle(&task, &sandbox, Some(&key));
    let opened = Bundle::read(bytes.clone()).unwrap();
    let other = SigningKey::generate().unwrap().0;
    let wrong = replay(&opened, &engine(), Some(&other.verifying()));
    assert_eq!(places(&wrong.differences), ["signature.json"]);
    let unsigned = bundle(&task, &sandbox, None);
    let not_signed = replay(&Bundle::read(unsigned.clone()).unwrap(), &engine(), Some(&key.verifying()));
    assert_eq!(places(&not_signed.differences), ["signature.json"]);
    // Signed anew by the right key, with another verdict in the statement.
    let lying = replay(&Bundle::read(lying(&bytes, &pem)).unwrap(), &engine(), Some(&key.verifying()));
    assert!(places(&lying.differences).contains(&"signature.json: statement.predicate.verdict"), "{lying:#?}");
    // What is made right again without the key has no signature.
    let changed = with_changed_run(&unsigned, 0, |run| run["details"] = json!("another"));
    assert!(!replay(&Bundle::read(changed).unwrap(), &engine(), Some(&key.verifying())).same);
}

#[test]
fn a_redacted_bundle_keeps_its_signature_and_gives_no_digest_to_guess_by() {
    let ((task, sandbox), key) = (three(), key());
    let whole = bundle(&task, &sandbox, Some(&key));
    let redacted = Bundle::read(whole.clone()).unwrap().redacted(&["c1".to_owned()]).unwrap();
    let replayed = replay(&Bundle::read(redacted.clone()).unwrap(), &engine(), Some(&key.verifying()));
    assert!(replayed.same, "{replayed:#?}");
    assert!(replayed.signature.unwrap().verified);
    // c0 was judged by what c1 was judged by, which is kept: its run alone is left out.
    assert_eq!(replayed.left_out, ["c0", "c2"]);
    let (whole, redacted) = (contents(&whole), contents(&redacted));
    assert_eq!(redacted["manifest.json"], whole["manifest.json"]);
    let parts = |manifest: &[u8]| -> Vec<String> {
        let manifest: Value = candor_json::from_slice(manifest).unwrap();
        manifest["parts"].as_object().unwrap().keys().cloned().collect()
    };
    let salted = parts(&redacted["manifest.json"]);
    let unsigned = parts(&contents(&bundle(&task, &sandbox, None))["manifest.json"]);
    assert!(unsigned.iter().all(|name| !salted.contains(name)), "digests are salted");
    // What was left out is proven by its own digest.
    let left_out: Value = candor_json::from_slice(&redacted["redacted.json"]).unwrap();
    let left_out = left_out["left_out"][0].as_str().unwrap();
    assert_eq!(sha256(&whole[&format!("parts/{left_out}")]), left_out);
}
