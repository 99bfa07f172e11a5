//! The judge of meaning that an operator configured: `[voice] judge = { url = "…", model = "…", token = "${env:…}" }`. Read
//! from `sandbox.toml`, never from a task; nothing here opens a connection.

use std::path::Path;

use toml::{Table, Value};

use super::server::{self, HttpServer};
use crate::settings::nearest;

/// A model behind an OpenAI-compatible HTTP interface.
#[derive(Clone, Debug)]
pub struct JudgeServer {
    /// Where it is asked, with which credentials; `/chat/completions` stands behind its URL.
    pub server: HttpServer,
    /// The model that is asked.
    pub model: String,
}

/// The member of a part's table that names a judge.
const MEMBER: &str = "judge";
/// What a judge has.
const KNOWN: &[&str] = &["url", "model", "token", "headers", "ca_file"];

/// Takes the judge out of a part's table; `None` where it names none.
///
/// # Errors
/// The setting that is wrong, and a sentence.
pub(super) fn taken(root: &Path, part: &mut Value) -> Result<Option<JudgeServer>, (String, String)> {
    let Some(judge) = part.as_table_mut().and_then(|part| part.remove(MEMBER)) else { return Ok(None) };
    let Value::Table(mut settings) = judge else {
        return Err((
            MEMBER.to_owned(),
            "`judge` is no table; write judge = { url = \"…\", model = \"…\" }".to_owned(),
        ));
    };
    if let Some(key) = settings.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        let near = nearest(key, KNOWN).map(|near| format!("; did you mean `{near}`?"));
        let expected = format!("; a judge has {}", KNOWN.join(", "));
        return Err((key.clone(), format!("`judge`: unknown setting `{key}`{}", near.unwrap_or(expected))));
    }
    let model = match settings.remove("model") {
        Some(Value::String(model)) if !model.trim().is_empty() => model,
        Some(_) => return Err(("model".to_owned(), "`judge`: `model` is no text".to_owned())),
        None => return Err((MEMBER.to_owned(), "`judge` has no `model`; name the one that is asked".to_owned())),
    };
    if !settings.contains_key("url") {
        return Err((MEMBER.to_owned(), "`judge` has no `url`, as in https://judge.example.org/v1".to_owned()));
    }
    let settings: Table = settings;
    let server = server::read(root, &settings).map_err(|(key, message)| (key, format!("`judge`: {message}")))?;
    Ok(Some(JudgeServer { server, model }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Credentials;

    fn judge(text: &str) -> Result<Option<JudgeServer>, String> {
        let mut part = Value::Table(text.parse().unwrap());
        let read = taken(Path::new(""), &mut part).map_err(|(key, message)| format!("{key}: {message}"));
        assert!(read.is_err() || part.get(MEMBER).is_none());
        read
    }

    #[test]
    fn a_judge_is_read() {
        let text = "judge = { url = \"http://127.0.0.1:8080/v1/\", model = \"m\", token = \"${env:CARGO_PKG_NAME}\" }";
        let read = judge(text).unwrap().unwrap();
        assert_eq!((read.server.url.as_str(), read.model.as_str()), ("http://127.0.0.1:8080/v1", "m"));
        assert!(matches!(&read.server.credentials, Credentials::Bearer(token) if token.reveal() == "candor-check"));
        assert!(!format!("{read:?}").contains("candor-check"));
        assert!(judge("path = \"calls/\"").unwrap().is_none());
    }

    #[test]
    fn every_slip_is_named_and_no_secret_told() {
        for (text, expected) in [
            ("judge = \"https://judge.example.org\"", "judge: `judge` is no table"),
            ("judge = { model = \"m\" }", "judge: `judge` has no `url`"),
            ("judge = { url = \"https://judge.example.org\" }", "judge: `judge` has no `model`"),
            ("judge = { url = \"https://judge.example.org\", model = 4 }", "`model` is no text"),
            ("judge = { url = \"judge.example.org\", model = \"m\" }", "`url` is no http:// or https:// URL"),
            ("judge = { url = \"https://j.example\", model = \"m\", tokn = \"x\" }", "did you mean `token`?"),
            ("judge = { url = \"https://j.example\", model = \"m\", username = \"x\" }", "unknown setting `username`"),
            ("judge = { url = \"https://j.example\", model = \"m\", token = \"hunter2\" }", "is written out"),
        ] {
            let error = judge(text).unwrap_err();
            assert!(error.contains(expected) && !error.contains("hunter2"), "{text}\n{error}\n{expected}");
        }
    }
}
