//! Signed JWTs.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use candor_json::{Value, json};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P384_SHA384_FIXED, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey,
};

use crate::jwt::{Key, RsaHash};

#[test]
fn a_signature_holds_for_its_key() {
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let text = base64::prelude::BASE64_STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n");
    let key = Key::from_pem(pem.as_bytes()).unwrap();
    let token = key.sign(RsaHash::Sha384, Some("k1"), &json!({"iss": "c"})).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let decoded = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
    let header: Value = candor_json::from_slice(&decoded(signed.split('.').next().unwrap())).unwrap();
    assert_eq!(header, json!({"alg": "ES384", "typ": "JWT", "kid": "k1"}));
    let Key::P384(pair) = &key else { panic!("a P-384 key") };
    let public = UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, pair.public_key().as_ref());
    assert!(public.verify(signed.as_bytes(), &decoded(signature)).is_ok());
    assert!(public.verify(b"another", &decoded(signature)).is_err());
}

#[test]
fn what_is_no_key_is_refused() {
    assert!(Key::from_pem(b"").is_err());
    assert!(Key::from_pem(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n").is_err());
}
