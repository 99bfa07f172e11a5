//! The settings of a server.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_check::sandbox::Section;
use candor_http_source::{Credentials, HttpServer, SmartClient};

fn server(text: &str) -> Result<HttpServer, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key.pem"), "").unwrap();
    let text = format!("url = \"https://fhir.example.org/r4/\"\n{text}");
    let section = Section::from_toml("fhir", &text, folder.path()).unwrap();
    HttpServer::read(&section).map_err(|error| format!("{}: {}", error.key, error.message))
}

#[test]
fn every_way_to_log_in() {
    assert_eq!(server("").unwrap().url, "https://fhir.example.org/r4");
    // Cargo sets this variable for every test.
    let bearer = server("token = \"${env:CARGO_PKG_NAME}\"").unwrap();
    assert!(matches!(&bearer.credentials, Credentials::Bearer(token) if token.reveal() == "candor-http-source"));
    assert!(!format!("{bearer:?}").contains("candor-http-source"));
    let basic = server("username = \"u\"\npassword = \"${env:CARGO_PKG_NAME}\"").unwrap();
    assert!(matches!(basic.credentials, Credentials::Basic { username, .. } if username == "u"));
    let smart = server("client_id = \"c\"\nprivate_key_file = \"key.pem\"").unwrap();
    assert!(matches!(smart.credentials, Credentials::Smart(SmartClient { scope, .. }) if scope == "system/*.rs"));
    assert!(matches!(server("google = \"metadata\"").unwrap().credentials, Credentials::GoogleMetadata));
    let account = server("service_account_file = \"key.pem\"").unwrap().credentials;
    assert!(matches!(account, Credentials::GoogleServiceAccount { file } if file.path().ends_with("key.pem")));
    let headers = server("headers = { X-Tenant = \"north\", X-Api-Key = \"${env:CARGO_PKG_NAME}\" }").unwrap();
    assert_eq!(headers.headers.len(), 2);
}

#[test]
fn every_slip_is_named() {
    for (text, expected) in [
        ("token = \"abc\"", "token: `token` is written out; a secret is given only as ${env:NAME}"),
        ("token = \"${env:CANDOR_TEST_NOT_SET}\"", "which is not set"),
        ("tokn = \"x\"", "tokn: unknown setting `tokn`; did you mean `token`?"),
        ("path = \"fhir/\"", "path: unknown setting `path`; a part has a `path` or a `url`, not both"),
        ("username = \"u\"", "`username` needs `password` as well"),
        ("password = \"${env:CARGO_PKG_NAME}\"", "`password` goes with `username`"),
        ("scope = \"system/*.read\"", "`scope` goes with `client_id`"),
        ("google = \"metadata\"\ntoken = \"${env:CARGO_PKG_NAME}\"", "two ways to log in"),
        ("google = \"cloud\"", "`google` is \"cloud\"; expected \"metadata\""),
        ("client_id = \"c\"\nprivate_key_file = \"none.pem\"", "there is no file"),
        ("ca_file = \"none.pem\"", "there is no file"),
        ("ca_file = 1", "`ca_file` is 1; expected a string"),
        ("headers = { Authorization = \"Bearer abc\" }", "Authorization is written out"),
        ("headers = { X-Api-Key = \"abc\" }", "X-Api-Key is written out"),
        ("headers = { Host = \"x\" }", "Host is set by this program"),
        ("headers = { \"X A\" = \"x\" }", "is not a name of a header field"),
        ("headers = { X-A = \"a\\r\\nX-B: b\" }", "that a header field cannot contain"),
        ("headers = \"X-A: b\"", "write headers = { X-Name"),
    ] {
        let error = server(text).err().unwrap_or_default();
        assert!(error.contains(expected), "{text}\n{error}\n{expected}");
        assert!(!error.contains("abc"), "{error}");
    }
}
