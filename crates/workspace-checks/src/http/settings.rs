//! The members that both kinds have for the request.

use std::collections::BTreeMap;

use candor_check::{Obstacle, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer};

use crate::source::{PART, Workspace};

/// `method`: those that change nothing. Source: RFC 9110, 9.2.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Method {
    #[default]
    Get,
    Head,
    Options,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
        }
    }
}

/// `url`: absolute, or a path on the sandbox's endpoint.
#[derive(Clone, Debug)]
pub(super) struct Url(String);

impl<'de> Deserialize<'de> for Url {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        url(&String::deserialize(deserializer)?).map(Self).map_err(serde::de::Error::custom)
    }
}

fn url(text: &str) -> Result<String, String> {
    let wrong = |what: &str| Err(format!("the URL {what}"));
    if text.is_empty() {
        return wrong("is empty; write a path, as in /health, or an http:// or https:// URL");
    }
    if text.bytes().any(|byte| byte <= b' ' || byte >= 0x7f || b"\"<>\\^`{|}".contains(&byte)) {
        return wrong("holds characters that a URL cannot contain; percent-encode them");
    }
    if text.contains('#') {
        return wrong("has a fragment, which is never sent");
    }
    let lower = text.to_ascii_lowercase();
    if text.starts_with("//") {
        return wrong("names a host without http:// or https://");
    }
    if let Some(rest) = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://")) {
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        if host.contains('@') {
            return wrong("holds credentials, which do not belong in a task file");
        }
        if host.is_empty() || host.starts_with(':') {
            return wrong("names no host");
        }
    } else if lower.contains("://") {
        return wrong("is neither http:// nor https://");
    }
    Ok(text.to_owned())
}

impl Url {
    /// The URL, absolute.
    ///
    /// # Errors
    /// [`Obstacle::NoSource`] where it is a path and the sandbox has no endpoint.
    pub(super) fn on(&self, sandbox: &Sandbox) -> Result<String, Unverifiable> {
        if self.0.contains("://") {
            return Ok(self.0.clone());
        }
        let workspace = Workspace::of(sandbox)?;
        let endpoint = workspace.as_ref().and_then(|workspace| workspace.endpoint.clone());
        let endpoint = endpoint.ok_or_else(|| match workspace {
            None => sandbox.no_source(PART),
            Some(_) => {
                let details = "the sandbox has no `endpoint` in the [workspace] table of its sandbox.toml, so nothing could be asked";
                Unverifiable::new(Obstacle::NoSource, details)
            }
        })?;
        let slash = if self.0.starts_with(['/', '?']) { "" } else { "/" };
        Ok(format!("{endpoint}{slash}{}", self.0))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Headers(
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a build without `http` sends none"))]
    pub(super)  Vec<(String, String)>,
);

/// Fields that this program sets itself, and that would change what is asked.
const OWN: &[&str] =
    &["host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "te", "trailer"];

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = BTreeMap::<String, String>::deserialize(deserializer)?;
        for (name, value) in &fields {
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            let problem = if name.is_empty() || !name.bytes().all(token) {
                Some("is not the name of a header field")
            } else if OWN.contains(&name.to_ascii_lowercase().as_str()) {
                Some("is set by this program; leave it out")
            } else if value.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) {
                Some("has a value that a header field cannot hold")
            } else {
                None
            };
            if let Some(problem) = problem {
                return Err(serde::de::Error::custom(format!("`{}` {problem}", name.escape_debug())));
            }
        }
        Ok(Self(fields.into_iter().collect()))
    }
}
