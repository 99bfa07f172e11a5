//! Signed bundles.

use candor_json::json;

use super::{bundle, engine, places, three, with_changed_run};
use crate::key::SigningKey;
use crate::read::Bundle;
use crate::replay::replay;
use crate::write::Parts;

fn key() -> SigningKey {
    SigningKey::generate().unwrap().0
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
    let ((task, sandbox), key) = (three(), key());
    let bytes = bundle(&task, &sandbox, Some(&key));
    let opened = Bundle::read(bytes).unwrap();
    let other = SigningKey::generate().unwrap().0;
    let wrong = replay(&opened, &engine(), Some(&other.verifying()));
    assert_eq!(places(&wrong.differences), ["signature.json"]);
    let unsigned = Bundle::read(bundle(&task, &sandbox, None)).unwrap();
    let not_signed = replay(&unsigned, &engine(), Some(&key.verifying()));
    assert_eq!(places(&not_signed.differences), ["signature.json"]);
    // Signed anew by the right key, with another verdict in the statement.
    let manifest = opened.manifest.clone().unwrap();
    let mut parts = Parts::new(Some(&key));
    for name in manifest.parts.keys() {
        assert_eq!(parts.add(&opened.part(name).unwrap()).unwrap(), *name);
    }
    let lying = parts.archive(&manifest, &json!({"task_id": "t", "verdict": "pass"})).unwrap();
    let lying = replay(&Bundle::read(lying).unwrap(), &engine(), Some(&key.verifying()));
    assert!(places(&lying.differences).contains(&"signature.json: statement.predicate.verdict"), "{lying:#?}");
    // What is made right again without the key has no signature.
    let changed = with_changed_run(&unsigned, 0, |run| run["details"] = json!("another"));
    assert!(!replay(&Bundle::read(changed).unwrap(), &engine(), Some(&key.verifying())).same);
}

#[test]
fn a_redacted_bundle_keeps_its_signature_and_gives_no_digest_to_guess_by() {
    let ((task, sandbox), key) = (three(), key());
    let whole = Bundle::read(bundle(&task, &sandbox, Some(&key))).unwrap();
    let redacted = Bundle::read(whole.redacted(&["c1".to_owned()]).unwrap()).unwrap();
    let replayed = replay(&redacted, &engine(), Some(&key.verifying()));
    assert!(replayed.same, "{replayed:#?}");
    assert!(replayed.signature.unwrap().verified);
    // c0 was judged by what c1 was judged by, which is kept: its run alone is left out.
    assert_eq!(replayed.left_out, ["c0", "c2"]);
    assert_eq!(redacted.manifest_bytes, whole.manifest_bytes);
    let unsigned = Bundle::read(bundle(&task, &sandbox, None)).unwrap();
    let parts = |bundle: &Bundle| bundle.manifest.clone().unwrap().parts.into_keys().collect::<Vec<_>>();
    assert!(parts(&unsigned).iter().all(|name| !parts(&redacted).contains(name)), "digests are salted");
    // What was left out is proven by its own digest.
    let left_out = &redacted.redacted.left_out[0];
    let member = &whole.members[&format!("parts/{left_out}")];
    let content = crate::zip::content(&whole.archive, member, 1 << 20).unwrap();
    assert_eq!(crate::digest::sha256(&content), *left_out);
}
