//! Sandboxes that somebody else keeps: a path of this machine, a FHIR server, or the text of a `sandbox.toml`.

use std::path::Path;

use candor::check::{PartType, Sandbox};
use candor_json::{Value, json};

/// The description of a sandbox outside, if a `sandbox` is one.
pub(crate) fn described(sandbox: &Value) -> Option<Value> {
    match sandbox {
        Value::String(url) if url.starts_with("http://") || url.starts_with("https://") => {
            Some(json!({"toml": format!("[fhir]\nurl = {}\n", toml::Value::from(url.as_str()))}))
        }
        Value::String(path) => Some(json!({"path": path})),
        Value::Object(members) if members.contains_key("path") || members.contains_key("toml") => Some(sandbox.clone()),
        _ => None,
    }
}

/// Opens a sandbox outside: `{"path": …}` or `{"toml": …}`.
///
/// # Errors
/// A sentence: what it is described by is wrong, or a host is not among the allowed ones.
pub(crate) fn open(description: &Value, allowed: &[String], parts: &[PartType]) -> Result<Sandbox, String> {
    let text = |name: &str| description.get(name).and_then(Value::as_str);
    match (text("path"), text("toml")) {
        (Some(path), None) => {
            let path = Path::new(path);
            let file = if path.is_dir() { path.join("sandbox.toml") } else { path.to_owned() };
            if let Ok(text) = std::fs::read_to_string(&file) {
                allowed_hosts(&text, allowed)?;
            }
            Sandbox::open(path, parts).map_err(|error| error.to_string())
        }
        (None, Some(text)) => {
            allowed_hosts(text, allowed)?;
            Sandbox::builder().settings(text).build(parts).map_err(|error| error.to_string())
        }
        _ => Err("expected {\"path\": …} or {\"toml\": …}".to_owned()),
    }
}

fn allowed_hosts(text: &str, allowed: &[String]) -> Result<(), String> {
    let table: toml::Table =
        text.parse().map_err(|error: toml::de::Error| format!("sandbox.toml: {}", error.message()))?;
    let mut hosts = Vec::new();
    table.values().for_each(|value| collect(value, &mut hosts));
    match hosts.into_iter().find(|host| !allowed.iter().any(|known| known.eq_ignore_ascii_case(host))) {
        Some(host) => Err(format!("the host `{host}` is not allowed; start the service with --allow-hosts {host}")),
        None => Ok(()),
    }
}

fn collect(value: &toml::Value, hosts: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => {
            if let Some((scheme, rest)) = text.split_once("://")
                && !matches!(scheme, "file" | "sqlite")
            {
                hosts.push(host(rest));
            }
        }
        toml::Value::Array(values) => values.iter().for_each(|value| collect(value, hosts)),
        toml::Value::Table(table) => table.values().for_each(|value| collect(value, hosts)),
        _ => {}
    }
}

/// The host of what follows `scheme://`, without its port.
fn host(rest: &str) -> String {
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, _)) => address.to_ascii_lowercase(),
        None => host.split(':').next().unwrap_or_default().to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_that_of_a_fhir_server() {
        let parts: Vec<PartType> = candor::parts().collect();
        for (url, is_allowed) in [
            ("https://fhir.example.org/r4", true),
            ("http://fhir.example.org:8080/a\"b", true),
            ("http://10.0.0.1/\"\n[portal]\nurl = \"postgres://fhir.example.org/x", false),
            ("https://10.0.0.1/r4", false),
        ] {
            let description = described(&json!(url)).unwrap();
            let text = description["toml"].as_str().unwrap();
            assert_eq!(text.parse::<toml::Table>().unwrap()["fhir"]["url"].as_str(), Some(url));
            let opened = open(&description, &["fhir.example.org".to_owned()], &parts);
            assert_eq!(
                opened.err().is_none_or(|error| !error.contains("`10.0.0.1` is not allowed")),
                is_allowed,
                "{url}"
            );
        }
        assert_eq!(described(&json!("/srv/box")), Some(json!({"path": "/srv/box"})));
        assert_eq!(described(&json!({"fhir": []})), None);
    }

    #[test]
    fn only_allowed_hosts_are_asked() {
        let allowed = ["fhir.example.org".to_owned(), "::1".to_owned()];
        for (text, refused) in [
            ("[fhir]\nurl = \"https://fhir.example.org/r4\"", None),
            ("[fhir]\nurl = \"https://FHIR.example.org:8443/r4\"", None),
            ("[fhir]\nurl = \"http://[::1]:80/r4\"", None),
            ("[portal]\nurl = \"postgres://u:p@db.internal:5432/x\"", Some("db.internal")),
            ("[fhir]\nurl = \"http://fhir.example.org@169.254.169.254/\"", Some("169.254.169.254")),
            ("[fhir]\nurl = \"http://fhir.example.org\\\\.evil.example/\"", None),
            ("[fhir]\nurl = \"http://evil.example#@fhir.example.org/\"", Some("evil.example")),
        ] {
            let found = allowed_hosts(text, &allowed);
            assert_eq!(found.is_err(), refused.is_some(), "{text}: {found:?}");
            assert!(refused.is_none_or(|host| found.unwrap_err().contains(host)), "{text}");
        }
    }
}
