//! Which requests ask for a page.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::html::wants_page;

#[test]
fn a_page_is_for_whoever_asks_for_html() {
    for (accept, wanted) in [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
        ("application/json, text/html;q=0.5", false),
        ("application/json, text/html", false),
        ("*/*", false),
        ("", false),
        ("text/html;q=0", false),
        ("TEXT/HTML;q=nonsense", true),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        assert_eq!(wants_page(&headers), wanted, "{accept}");
    }
    assert!(!wants_page(&HeaderMap::new()));
}
