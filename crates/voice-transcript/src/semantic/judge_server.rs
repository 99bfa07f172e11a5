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
