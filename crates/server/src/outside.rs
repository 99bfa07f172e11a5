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

pub(crate) fn allowed_hosts(text: &str, allowed: &[String]) -> Result<(), String> {
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
