//! The settings of the part `fhir`.

use std::collections::BTreeSet;

use candor_check::Sandbox;
use candor_fhir_resource_state::PART;
use candor_http_source::HttpServer;

#[test]
fn a_server_or_a_folder() {
    let sandbox = |text: &str| Sandbox::builder().settings(format!("[fhir]\n{text}")).build(&[PART]);
    let server = HttpServer::of(&sandbox("url = \"https://fhir.example.org/r4/\"").unwrap(), PART.name()).unwrap();
    assert_eq!(server.url, "https://fhir.example.org/r4");
    for (text, expected) in [
        ("url = \"ftp://fhir.example.org\"", "`url` has an unknown form; expected https://…, file://…"),
        ("url = \"https://a.example/?x\"", "`url` has a query"),
        ("token = \"abc\"", "`token` is written out; a secret is given only as ${env:NAME}"),
        ("token = \"${env:CANDOR_TEST_NOT_SET}\"", "which is not set"),
    ] {
        let error = sandbox(text).err().unwrap();
        assert_eq!(error.position.map(|(line, _)| line), Some(2), "{text}");
        let error = error.to_string();
        assert!(error.contains(expected) && !error.contains("abc"), "{text}\n{error}\n{expected}");
    }
}

#[test]
fn every_key_is_one_that_a_source_knows() {
    let known = candor_http_source::settings::KEYS.iter().copied().chain(["path", "types"]);
    assert_eq!(known.collect::<BTreeSet<&str>>(), PART.keys().iter().copied().collect());
}
