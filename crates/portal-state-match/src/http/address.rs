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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEMPLATE: &str = "https://a.example/api/{resource}?v=1";

    #[test]
    fn names_stay_where_they_are() {
        let first = |name: &str| first(TEMPLATE, name, None);
        assert_eq!(first("claims").as_deref(), Some("https://a.example/api/claims?v=1"));
        assert_eq!(first("a b?c#d&e/f").as_deref(), Some("https://a.example/api/a%20b%3Fc%23d%26e%2Ff?v=1"));
        assert_eq!(first("%2e%2e").as_deref(), Some("https://a.example/api/%252e%252e?v=1"));
        for name in ["..", ".", "../admin", "a/../../b", "a\\..\\b"] {
            assert_eq!(first(name), None, "{name}");
        }
        let sized = super::first(TEMPLATE, "x", Some(&("limit".to_owned(), 50)));
        assert_eq!(sized.as_deref(), Some("https://a.example/api/x?v=1&limit=50"));
        assert_eq!(with("https://a/x?offset=5&v=1", "offset", "10"), "https://a/x?v=1&offset=10");
    }

    #[test]
    fn links() {
        let asked = "https://a.example/api/claims?page=1";
        for (link, leads) in [
            ("?page=2", "https://a.example/api/claims?page=2"),
            ("claims?page=2", "https://a.example/api/claims?page=2"),
            ("/api/claims?page=2", "https://a.example/api/claims?page=2"),
            ("https://b.example/", "https://b.example/"),
        ] {
            assert_eq!(linked(asked, link).as_deref(), Some(leads));
        }
        assert_eq!(linked(asked, "//b.example/"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: candor_test_size::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_name_leaves_the_path(name in "\\PC{0,12}|[./\\\\?#%]{0,8}") {
            if let Some(url) = first(TEMPLATE, &name, None) {
                let name = url.strip_prefix("https://a.example/api/").and_then(|rest| rest.strip_suffix("?v=1")).unwrap();
                prop_assert!(!name.contains(['/', '?', '#', '\\', '&']) && name != "." && name != "..");
            }
        }
    }
}
