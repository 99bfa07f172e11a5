//! The judge of meaning that an operator configured: `[voice] judge = { url = "…", model = "…", token = "${env:…}" }`. Read
//! from `sandbox.toml`, never from a task; nothing here opens a connection.

use candor_check::Sandbox;
use candor_check::sandbox::{Section, SectionError};
use candor_check::settings::nearest;
use candor_http_source::HttpServer;

/// A model behind an OpenAI-compatible HTTP interface.
#[derive(Clone, Debug)]
pub(crate) struct JudgeServer {
    /// Its address and credentials; `/chat/completions` is appended to its URL.
    pub(crate) server: HttpServer,
    pub(crate) model: String,
}

const PART: &str = "voice";
pub(crate) const JUDGE: &str = "judge";
const KEYS: &[&str] = &["url", "model", "token", "headers", "ca_file"];

impl JudgeServer {
    /// The judge of a sandbox, whose table was found right when the sandbox was opened.
    pub(crate) fn of(sandbox: &Sandbox) -> Option<Self> {
        Self::read(&sandbox.section(PART)).ok().flatten()
    }

    /// Reads the judge of a part's table; `None` where it names none.
    ///
    /// # Errors
    /// The setting that is wrong.
    pub(crate) fn read(section: &Section) -> Result<Option<Self>, SectionError> {
        let Some(judge) = section.table(JUDGE, "judge = { url = \"…\", model = \"…\" }")? else { return Ok(None) };
        if let Some(key) = judge.keys().find(|key| !KEYS.contains(key)) {
            let near = nearest(key, KEYS).map(|near| format!("; did you mean `{near}`?"));
            let expected = format!("; a judge has {}", KEYS.join(", "));
            let message = format!("`judge`: unknown setting `{key}`{}", near.unwrap_or(expected));
            return Err(SectionError::new(key, message));
        }
        let no_text = || SectionError::new("model", "`judge`: `model` is not a text");
        let model = match judge.text("model").map_err(|_| no_text())? {
            Some(model) if model.trim().is_empty() => return Err(no_text()),
            Some(model) => model,
            None => return Err(SectionError::new(JUDGE, "`judge` has no `model`; name the one that is asked")),
        };
        if !judge.has("url") {
            return Err(SectionError::new(JUDGE, "`judge` has no `url`, as in https://judge.example.org/v1"));
        }
        let server = HttpServer::read(&judge.without(&["model"]));
        let server = server.map_err(|error| SectionError::new(error.key, format!("`judge`: {}", error.message)))?;
        Ok(Some(Self { server, model }))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use candor_http_source::Credentials;

    use super::*;

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
}
