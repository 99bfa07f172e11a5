//! The URLs of a resource's pages.

use crate::source::paged::RESOURCE;

/// The URL of a resource's first page; nothing where no resource can have that name in a URL: one that a server might
/// take for a step out of the path.
pub(super) fn first(template: &str, resource: &str, page_size: Option<&(String, u64)>) -> Option<String> {
    if resource.split(['/', '\\']).any(|step| matches!(step, "." | "..")) {
        return None;
    }
    let url = template.replace(RESOURCE, &encoded(resource));
    Some(match page_size {
        Some((parameter, size)) => with(&url, parameter, &size.to_string()),
        None => url,
    })
}

/// A URL with a parameter set, whatever it was.
pub(super) fn with(url: &str, parameter: &str, value: &str) -> String {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let name = encoded(parameter);
    let others = query.split('&').filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(name.as_str()));
    let mut pairs: Vec<String> = others.map(str::to_owned).collect();
    pairs.push(format!("{name}={}", encoded(value)));
    format!("{place}?{}", pairs.join("&"))
}

/// Percent-encoded, all but what represents itself everywhere. Source: RFC 3986, 2.3.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Where a link in the answer to `asked` leads. Source: RFC 3986, 5.
pub(super) fn linked(asked: &str, link: &str) -> Option<String> {
    let place = asked.split(['?', '#']).next().unwrap_or(asked);
    let start = place.find("://").map_or(0, |at| at + 3);
    let folder = place.rfind('/').filter(|at| *at >= start).and_then(|at| place.get(..at)).unwrap_or(place);
    candor_http_source::url::resolve(folder, asked, link)
}
