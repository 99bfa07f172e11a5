//! Signed JWTs, in their compact form. Source: RFC 7515, 7.1; RFC 7518, 3.3 and 3.4.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use candor_json::{Value, json};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RsaKeyPair};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;

pub(crate) enum Key {
    Rsa(Box<RsaKeyPair>),
    P384(Box<EcdsaKeyPair>),
}

#[derive(Clone, Copy)]
pub(crate) enum RsaHash {
    Sha256,
    Sha384,
}

impl Key {
    /// Reads a PEM file's content.
    ///
    /// # Errors
    /// Why it is not a key that can sign; nothing of the key.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, &'static str> {
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| "holds no private key in PEM")?;
        let too_weak = "holds an RSA key that cannot be used; 2048 to 4096 bits are";
        match key {
            PrivateKeyDer::Pkcs1(der) => {
                RsaKeyPair::from_der(der.secret_pkcs1_der()).map(|key| Self::Rsa(Box::new(key))).map_err(|_| too_weak)
            }
            PrivateKeyDer::Pkcs8(der) => {
                let der = der.secret_pkcs8_der();
                let rsa = RsaKeyPair::from_pkcs8(der).map(|key| Self::Rsa(Box::new(key)));
                let random = SystemRandom::new();
                let curve = || EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, der, &random);
                rsa.or_else(|_| curve().map(|key| Self::P384(Box::new(key))))
                    .map_err(|_| "holds neither an RSA key of 2048 to 4096 bits nor a P-384 key")
            }
            _ => Err("holds a key in SEC1 form; write it as PKCS #8, as openssl pkcs8 -topk8 -nocrypt does"),
        }
    }

    pub(crate) fn sign(&self, hash: RsaHash, key_id: Option<&str>, claims: &Value) -> Result<String, &'static str> {
        let algorithm = match (self, hash) {
            (Self::P384(_), _) => "ES384",
            (Self::Rsa(_), RsaHash::Sha256) => "RS256",
            (Self::Rsa(_), RsaHash::Sha384) => "RS384",
        };
        let mut header = json!({"alg": algorithm, "typ": "JWT"});
        if let (Some(key_id), Some(members)) = (key_id, header.as_object_mut()) {
            members.insert("kid".to_owned(), json!(key_id));
        }
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(claims));
        let random = SystemRandom::new();
        let failed = |_| "cannot sign";
        let signature = match self {
            Self::P384(key) => key.sign(&random, text.as_bytes()).map_err(failed)?.as_ref().to_vec(),
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                let padding: &dyn ring::signature::RsaEncoding = match hash {
                    RsaHash::Sha256 => &RSA_PKCS1_SHA256,
                    RsaHash::Sha384 => &RSA_PKCS1_SHA384,
                };
                key.sign(padding, &random, text.as_bytes(), &mut signature).map_err(failed)?;
                signature
            }
        };
        Ok(format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature)))
    }
}
