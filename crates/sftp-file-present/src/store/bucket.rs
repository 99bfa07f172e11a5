//! Rules for the URL of a bucket and the settings that go with it. A fault that is found here is known before any
//! request.

use candor_check::sandbox::SectionError;

/// Settings that say who asks: of each cloud, the ways that exclude one another, each with what it needs next to it.
const WAYS: &[(&str, &[&[&str]])] = &[
    ("s3", &[&["access_key_id", "secret_access_key"]]),
    ("gs", &[&["service_account_file"], &["token"]]),
    ("az", &[&["account_key"], &["sas_token"], &["token"]]),
];

/// Looks at a bucket's description; says nothing of other schemes.
pub(super) fn check(
    scheme: &str,
    url: &str,
    endpoint: Option<&str>,
    is_set: impl Fn(&str) -> bool,
) -> Result<(), SectionError> {
    let Some((_, ways)) = WAYS.iter().find(|(known, _)| *known == scheme) else { return Ok(()) };
    let wrong = |key: &str, what: String| Err(SectionError::new(key, format!("`{key}` {what}")));
    if let Err(what) = location(url) {
        return wrong("url", what.to_owned());
    }
    if let Some(Err(what)) = endpoint.map(base) {
        return wrong("endpoint", what.to_owned());
    }
    let mut taken: Option<&str> = is_set("anonymous").then_some("anonymous");
    for way in *ways {
        let Some(name) = way.iter().copied().find(|name| is_set(name)) else { continue };
        if let Some(missing) = way.iter().find(|name| !is_set(name)) {
            return wrong(name, format!("needs `{missing}` as well"));
        }
        if let Some(other) = taken {
            return wrong(name, format!("cannot be used with `{other}`; give one of them"));
        }
        taken = Some(name);
    }
    if is_set("session_token") && !is_set("access_key_id") {
        return wrong("session_token", "needs `access_key_id` as well".to_owned());
    }
    Ok(())
}

/// `scheme://bucket` or `scheme://bucket/prefix`, the prefix of whole parts.
fn location(url: &str) -> Result<(), &'static str> {
    let (_, rest) = url.split_once("://").ok_or("names no bucket; write it as in s3://bucket/prefix")?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.contains('@') {
        return Err("holds a user; write credentials as settings of their own");
    }
    let may_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._$".contains(&byte);
    if bucket.is_empty() || !bucket.bytes().all(may_name) || bucket.bytes().all(|byte| byte == b'.') {
        return Err("names no bucket; write it as in s3://bucket/prefix");
    }
    if prefix.contains(['?', '#']) {
        return Err("has a query or a fragment; give the bucket and a prefix alone");
    }
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    let is_odd = |part: &str| part.is_empty() || part == "." || part == ".." || part.chars().any(char::is_control);
    if !prefix.is_empty() && prefix.split('/').any(is_odd) {
        return Err("has a prefix with a part that is empty, `.` or `..`, which no key can be asked for below");
    }
    Ok(())
}

fn base(url: &str) -> Result<(), &'static str> {
    let (scheme, rest) = url.split_once("://").ok_or("is not an http:// or https:// URL")?;
    if !["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        return Err("is not an http:// or https:// URL");
    }
    if rest.bytes().any(|byte| byte <= b' ' || byte >= 0x7f || b"\"<>\\^`{|}".contains(&byte)) {
        return Err("holds characters that a URL cannot contain");
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match host {
        _ if host.contains('@') => Err("holds credentials; give them as settings of their own, by ${env:NAME}"),
        _ if rest.contains(['?', '#']) => Err("has a query or a fragment; give the base alone"),
        _ if host.is_empty() || host.starts_with(':') => Err("names no host"),
        _ => Ok(()),
    }
}
