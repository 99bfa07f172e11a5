//! Logging in: the credentials that the server gets, and that no other server gets them.

use std::process::Command;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use candor_json::{Value, json};
use candor_tests::http::{Reply, Request, Server};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P384_SHA384_FIXED, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey,
};

use crate::fhir_live::grade::{appointment, booked, described, page, within};

/// Cargo sets this variable for every test, so that it can serve as a secret.
const SECRET: &str = env!("CARGO_PKG_NAME");

fn answer() -> Reply {
    Reply::fhir(200, page(&[appointment("a1", "MRI")], &[]))
}

#[test]
fn a_bearer_token_and_further_header_fields() {
    let server = Server::start(|_| answer());
    let description = format!(
        "[fhir]\nurl = \"{}\"\ntoken = \"${{env:CARGO_PKG_NAME}}\"\nheaders = {{ X-Tenant = \"north\" }}\n",
        server.url
    );
    described(&description, booked()).is("passed", &[]);
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), format!("Bearer {SECRET}"));
    assert_eq!(request.header("x-tenant"), "north");
}

#[test]
fn basic() {
    let server = Server::start(|_| answer());
    let description =
        format!("[fhir]\nurl = \"{}\"\nusername = \"grader\"\npassword = \"${{env:CARGO_PKG_NAME}}\"\n", server.url);
    described(&description, booked()).is("passed", &[]);
    let expected = format!("Basic {}", BASE64_STANDARD.encode(format!("grader:{SECRET}")));
    assert_eq!(server.requests()[0].header("authorization"), expected);
}

#[test]
fn a_secret_that_the_server_repeats_is_shown_nowhere() {
    let repeated = |reply: fn(&str) -> Reply| {
        let server = Server::start(move |request| reply(request.header("authorization")));
        let description = format!("[fhir]\nurl = \"{}\"\ntoken = \"${{env:CARGO_PKG_NAME}}\"\n", server.url);
        let graded = described(&description, booked());
        assert!(!graded.0.to_string().contains(SECRET), "{:#}", graded.0);
        graded
    };
    repeated(|token| {
        let issue = json!([{"severity": "error", "code": "login", "diagnostics": format!("no such token: {token}")}]);
        Reply::fhir(401, json!({"resourceType": "OperationOutcome", "issue": issue}))
    })
    .is("unverifiable source_denied", &["no such token: Bearer (secret)"]);
    repeated(|token| {
        let issue = json!([{"severity": "error", "code": "exception", "details": {"text": token}}]);
        Reply::fhir(200, json!({"resourceType": "OperationOutcome", "issue": issue}))
    })
    .is("unverifiable source_unavailable", &["(secret)"]);
    repeated(|token| Reply::status(302).with("Location", &format!("https://x.example/{}", token.replace(' ', "-"))))
        .is("unverifiable source_unavailable", &["(secret)"]);
    repeated(|token| {
        Reply::fhir(200, page(&[], &[("next", &format!("https://x.example/{}", token.replace(' ', "-")))]))
    })
    .is("unverifiable source_malformed", &["(secret)"]);
}

#[test]
fn a_secret_in_a_link_is_in_no_locator() {
    let server = Server::start(|request| match request.target.contains("access_token") {
        true => answer(),
        false => {
            let token = request.header("authorization").replace("Bearer ", "");
            Reply::fhir(200, page(&[], &[("next", &format!("?access_token={token}"))]))
        }
    });
    let description = format!("[fhir]\nurl = \"{}\"\ntoken = \"${{env:CARGO_PKG_NAME}}\"\n", server.url);
    let graded = described(&description, booked());
    graded.is("passed", &[]);
    assert!(!graded.0.to_string().contains(SECRET), "{:#}", graded.0);
    assert!(server.requests()[1].target.ends_with(SECRET));
}

fn form(request: &Request) -> Vec<(String, String)> {
    let body = String::from_utf8(request.body.clone()).unwrap();
    let decoded = |text: &str| text.replace("%2A", "*").replace("%20", " ");
    body.split('&').map(|pair| pair.split_once('=').unwrap()).map(|(n, v)| (decoded(n), decoded(v))).collect()
}

fn value<'a>(form: &'a [(String, String)], name: &str) -> &'a str {
    &form.iter().find(|(known, _)| known == name).unwrap().1
}

/// Header and claims of a JWT, and what is signed with what.
fn jwt(token: &str) -> (Value, Value, String, Vec<u8>) {
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let decoded = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
    let read = |text: &str| candor_json::from_slice(&decoded(text)).unwrap();
    (read(header), read(claims), signed.to_owned(), decoded(signature))
}

#[test]
fn smart_backend_services() {
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, der.as_ref(), &SystemRandom::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pem = BASE64_STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----\n");
    std::fs::write(folder.path().join("key.pem"), pem).unwrap();
    let tokens = Server::start(|_| {
        Reply::fhir(200, json!({"access_token": "t0ken-of-smart", "token_type": "bearer", "expires_in": 300}))
    });
    let token_url = format!("{}/token", tokens.url);
    let (endpoint, refused) = (token_url.clone(), std::sync::atomic::AtomicBool::new(false));
    let server = Server::start(move |request| match (request.path(), request.header("authorization")) {
        ("/r4/.well-known/smart-configuration", "") => Reply::fhir(200, json!({"token_endpoint": endpoint})),
        // A token may end before its time: the first one is refused once.
        (_, "Bearer t0ken-of-smart") if !refused.swap(true, std::sync::atomic::Ordering::SeqCst) => Reply::status(401),
        (_, "Bearer t0ken-of-smart") => answer(),
        _ => Reply::status(403),
    });
    let description = format!(
        "[fhir]\nurl = \"{}/r4\"\nclient_id = \"grader\"\nprivate_key_file = \"key.pem\"\nkey_id = \"k1\"\n\
         headers = {{ X-Tenant = \"north\" }}\n",
        server.url
    );
    within(folder.path(), &description, booked()).is("passed", &[]);
    let asked = tokens.requests();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].header("x-tenant"), "", "what is the server's own is for no other");
    let form = form(&asked[0]);
    assert_eq!(value(&form, "grant_type"), "client_credentials");
    assert_eq!(value(&form, "scope"), "system/*.rs");
    assert_eq!(value(&form, "client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    let (header, claims, signed, signature) = jwt(value(&form, "client_assertion"));
    assert_eq!(header, json!({"alg": "ES384", "typ": "JWT", "kid": "k1"}));
    assert_eq!(
        (&claims["iss"], &claims["sub"], &claims["aud"]),
        (&json!("grader"), &json!("grader"), &json!(token_url))
    );
    let lasts = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
    assert!(lasts > 0 && lasts <= 300 && claims["jti"].as_str().unwrap().len() > 30);
    let public = UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, pair.public_key().as_ref());
    assert!(public.verify(signed.as_bytes(), &signature).is_ok());

    let denying =
        Server::start(|_| Reply::fhir(400, json!({"error": "invalid_client", "error_description": "unknown"})));
    let given = format!(
        "[fhir]\nurl = \"{}/r4\"\nclient_id = \"grader\"\nprivate_key_file = \"key.pem\"\ntoken_url = \"{}\"\n",
        server.url, denying.url
    );
    within(folder.path(), &given, booked()).is("unverifiable source_denied", &["invalid_client: unknown"]);
    let down = format!(
        "[fhir]\nurl = \"{}/r4\"\nclient_id = \"grader\"\nprivate_key_file = \"key.pem\"\ntoken_url = \"http://127.0.0.1:1\"\n",
        server.url
    );
    within(folder.path(), &down, booked()).is("unverifiable source_unavailable", &["the request for a token"]);
}

#[test]
fn a_key_that_cannot_sign_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key.pem"), "no key").unwrap();
    let description = "[fhir]\nurl = \"http://127.0.0.1:1\"\nclient_id = \"c\"\nprivate_key_file = \"key.pem\"\n";
    within(folder.path(), description, booked()).is("unverifiable source_denied", &["`private_key_file`", "PEM"]);
    let description = "[fhir]\nurl = \"http://127.0.0.1:1\"\nservice_account_file = \"key.pem\"\n";
    within(folder.path(), description, booked()).is("unverifiable source_denied", &["is no JSON"]);
}

#[test]
fn google_metadata_through_the_command_line() {
    let metadata = Server::start(|request| {
        let path = "/computeMetadata/v1/instance/service-accounts/default/token";
        match (request.path() == path, request.header("metadata-flavor")) {
            (true, "Google") => Reply::fhir(200, json!({"access_token": "t0ken-of-google", "expires_in": 3599})),
            _ => Reply::status(403),
        }
    });
    let server = Server::start(|request| match request.header("authorization") {
        "Bearer t0ken-of-google" => answer(),
        _ => Reply::status(401),
    });
    let folder = tempfile::tempdir().unwrap();
    let description = format!("[fhir]\nurl = \"{}/v1/fhirStores/s/fhir\"\ngoogle = \"metadata\"\n", server.url);
    std::fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    let task = json!({"id": "t", "criteria": [{"id": "c", "label": "c", "assertion": booked()}]});
    std::fs::write(folder.path().join("task.json"), task.to_string()).unwrap();
    let output = Command::new(candor_tests::candor())
        .args(["check", "task.json", "--sandbox", ".", "--format", "json"])
        .current_dir(folder.path())
        .env("GCE_METADATA_HOST", metadata.url.trim_start_matches("http://"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(server.requests()[0].target.starts_with("/v1/fhirStores/s/fhir/Appointment?"));
}

#[test]
fn a_service_account_of_google() {
    // Node makes the key: what signs with RSA here makes none.
    let script = "const {privateKey, publicKey} = require('crypto').generateKeyPairSync('rsa', {modulusLength: 2048});\
        console.log(JSON.stringify({pem: privateKey.export({type: 'pkcs8', format: 'pem'}),\
        der: publicKey.export({type: 'pkcs1', format: 'der'}).toString('base64')}))";
    let output = Command::new("node").args(["-e", script]).output().expect("`cargo xtask test` installs Node");
    let made: Value = candor_json::from_slice(&output.stdout).unwrap();
    let tokens = Server::start(|_| Reply::fhir(200, json!({"access_token": "t0ken-of-account", "expires_in": 3599})));
    let token_url = format!("{}/token", tokens.url);
    let folder = tempfile::tempdir().unwrap();
    let key = json!({
        "type": "service_account", "client_email": "grader@project.example", "private_key_id": "k7",
        "private_key": made["pem"], "token_uri": token_url
    });
    std::fs::write(folder.path().join("account.json"), key.to_string()).unwrap();
    let server = Server::start(|request| match request.header("authorization") {
        "Bearer t0ken-of-account" => answer(),
        _ => Reply::status(401),
    });
    let description = format!("[fhir]\nurl = \"{}\"\nservice_account_file = \"account.json\"\n", server.url);
    within(folder.path(), &description, booked()).is("passed", &[]);
    let form = form(&tokens.requests()[0]);
    assert_eq!(value(&form, "grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    let (header, claims, signed, signature) = jwt(value(&form, "assertion"));
    assert_eq!(header, json!({"alg": "RS256", "typ": "JWT", "kid": "k7"}));
    assert_eq!((&claims["iss"], &claims["aud"]), (&json!("grader@project.example"), &json!(token_url)));
    let public = BASE64_STANDARD.decode(made["der"].as_str().unwrap()).unwrap();
    let public = UnparsedPublicKey::new(&ring::signature::RSA_PKCS1_2048_8192_SHA256, public);
    assert!(public.verify(signed.as_bytes(), &signature).is_ok());
}

#[test]
fn a_token_for_other_types_shows_nothing_of_this_one() {
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pem = BASE64_STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----\n");
    std::fs::write(folder.path().join("key.pem"), pem).unwrap();
    let granted = |scope: &'static str| {
        let tokens = Server::start(move |_| {
            Reply::fhir(200, json!({"access_token": "t0ken-of-smart", "expires_in": 300, "scope": scope}))
        });
        // Such a server answers as if there were nothing.
        let server = Server::start(|_| Reply::fhir(200, page(&[], &[])));
        let description = format!(
            "[fhir]\nurl = \"{}\"\nclient_id = \"c\"\nprivate_key_file = \"key.pem\"\ntoken_url = \"{}\"\n",
            server.url, tokens.url
        );
        within(folder.path(), &description, booked()).outcome()
    };
    assert_eq!(granted("system/Patient.rs system/Observation.rs"), "unverifiable source_denied");
    assert_eq!(granted("system/Appointment.r"), "unverifiable source_denied");
    for scope in
        ["system/*.rs", "system/*.*", "system/*.read", "system/Appointment.rs", "system/Appointment.cruds", "openid"]
    {
        assert_eq!(granted(scope), "failed no_candidate", "{scope}");
    }
}
