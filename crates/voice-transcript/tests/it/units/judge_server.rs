//! The judge that an operator configured.

use std::path::Path;

use candor_check::sandbox::Section;
use candor_http_source::Credentials;

use crate::judge_server::JudgeServer;

#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
fn judge(text: &str) -> Result<Option<JudgeServer>, String> {
    let section = Section::from_toml("voice", text, Path::new("")).unwrap();
    JudgeServer::read(&section).map_err(|error| format!("{}: {}", error.key, error.message))
}

#[test]
fn a_judge_is_read() {
    let text = "judge = { url = \"http://127.0.0.1:8080/v1/\", model = \"m\", token = \"${env:CARGO_PKG_NAME}\" }";
    let read = judge(text).unwrap().unwrap();
    assert_eq!((read.server.url.as_str(), read.model.as_str()), ("http://127.0.0.1:8080/v1", "m"));
    assert!(
        matches!(&read.server.credentials, Credentials::Bearer(token) if token.reveal() == "candor-voice-transcript")
    );
    assert!(!format!("{read:?}").contains("candor-voice-transcript"));
    assert!(judge("path = \"calls/\"").unwrap().is_none());
}

#[test]
fn every_slip_is_named_and_no_secret_told() {
    for (text, expected) in [
        ("judge = \"https://judge.example.org\"", "judge: `judge` is not a table"),
        ("judge = { model = \"m\" }", "judge: `judge` has no `url`"),
        ("judge = { url = \"https://judge.example.org\" }", "judge: `judge` has no `model`"),
        ("judge = { url = \"https://judge.example.org\", model = 4 }", "`model` is not a text"),
        ("judge = { url = \"judge.example.org\", model = \"m\" }", "`url` is not an http:// or https:// URL"),
        ("judge = { url = \"https://j.example\", model = \"m\", tokn = \"x\" }", "did you mean `token`?"),
        ("judge = { url = \"https://j.example\", model = \"m\", username = \"x\" }", "unknown setting `username`"),
        ("judge = { url = \"https://j.example\", model = \"m\", token = \"hunter2\" }", "is written out"),
    ] {
        let error = judge(text).unwrap_err();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{text}\n{error}\n{expected}");
    }
}
