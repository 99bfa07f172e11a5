//! `http.get`: servers that are granted, and no redirect away from them.

use std::collections::BTreeMap;
use std::io::Read;
use std::time::Duration;

use candor_http::ureq::http::{Response, Uri};
use candor_http::{Failure, Policy, ureq};
use candor_json::{Value as Json, json};

use crate::script::grants::Origin;

/// The most bytes of an answer.
const MOST: u64 = 8 << 20;

#[derive(Debug)]
pub(super) struct Servers {
    granted: Vec<Origin>,
    time: Duration,
}

impl Servers {
    pub(super) fn new(granted: Vec<Origin>, time: Duration) -> Self {
        Self { granted, time }
    }

    /// The answer of a server, whatever its status: a redirect is an answer, and is not followed.
    pub(super) fn get(&self, url: &str, headers: &[(String, String)], seconds: i32) -> Result<Json, String> {
        let uri: Uri = url.parse().map_err(|error| format!("`{url}` is not an address: {error}"))?;
        let origin = Origin::of(&uri).map_err(|why| format!("`{url}` is not an address that can be asked: {why}"))?;
        if !self.granted.contains(&origin) {
            return Err(format!("{origin} is not granted; grant it with --allow-http {origin}"));
        }
        // What follows the path may be a secret.
        let shown = format!("{origin}{}", uri.path());
        let seconds = u64::try_from(seconds).ok().filter(|&seconds| seconds > 0);
        let seconds = seconds.ok_or("`timeout` is a number of seconds, at least 1")?;
        // A grant is for this server, and a proxy would be another one.
        let policy = Policy { may_use_proxy: false, ..Policy::default() };
        let time = Duration::from_secs(seconds).min(self.time);
        let agent = candor_http::agent(&policy, uri.host().unwrap_or_default());
        let mut request = agent.get(uri).config().timeout_global(Some(time)).build();
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.call().map_err(|error| format!("{shown} cannot be asked: {}", Failure::from(&error)))?;
        answered(response).map_err(|why| format!("what {shown} answers cannot be read: {why}"))
    }
}

fn answered(response: Response<ureq::Body>) -> Result<Json, String> {
    let status = response.status().as_u16();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in response.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(&value);
            })
            .or_insert_with(|| value.clone().into_owned());
    }
    let mut bytes = Vec::new();
    let mut reader = response.into_body().into_reader().take(MOST + 1);
    reader.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST {
        return Err(format!("it is larger than {MOST} bytes"));
    }
    let body = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    Ok(json!({ "status": status, "headers": headers, "body": body }))
}
