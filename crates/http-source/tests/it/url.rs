//! Queries, origins and links.

use candor_http_source::url::{origin, parameters, query, resolve};

#[test]
fn what_is_written_is_read_back() {
    let text = query([("code", "http://loinc.org|29463-7"), ("name:exact", "Zoë & Söhne + 1%"), ("date", "ge2026-11")]);
    assert_eq!(
        text,
        "code=http://loinc.org%7C29463-7&name:exact=Zo%C3%AB%20%26%20S%C3%B6hne%20%2B%201%25&date=ge2026-11"
    );
    let read = parameters(&format!("https://a/b?{text}#x"));
    assert_eq!(read[1], ("name:exact".to_owned(), "Zoë & Söhne + 1%".to_owned()));
    assert_eq!(
        parameters("https://a/b?x=%zz&y=&z&q=a+b"),
        [("x".to_owned(), "%zz".to_owned()), ("q".to_owned(), "a b".to_owned())]
    );
}

#[test]
fn origins() {
    assert_eq!(origin("HTTPS://A.example/x"), Some(("https".to_owned(), "a.example".to_owned(), 443)));
    assert_eq!(origin("https://a.example:443?x"), origin("https://a.example"));
    assert_ne!(origin("http://a.example"), origin("https://a.example"));
    assert_eq!(origin("http://[::1]:8080/"), Some(("http".to_owned(), "[::1]".to_owned(), 8080)));
    for url in ["https://a.example@b.example/", "ftp://a", "Patient?x", "https://", "https://a:99999/", "https://a\\b/"]
    {
        assert_eq!(origin(url), None, "{url}");
    }
}

#[test]
fn links() {
    let (base, asked) = ("https://a.example/r4", "https://a.example/r4/Patient?x=1");
    for (link, leads) in [
        ("https://b.example/x", Some("https://b.example/x")),
        ("?page=2", Some("https://a.example/r4/Patient?page=2")),
        ("/r4/Patient?page=2", Some("https://a.example/r4/Patient?page=2")),
        ("Patient?page=2", Some("https://a.example/r4/Patient?page=2")),
        ("Patient?of=https://b.example/", Some("https://a.example/r4/Patient?of=https://b.example/")),
        ("//b.example/x", None),
        ("", None),
        ("a b", None),
    ] {
        assert_eq!(resolve(base, asked, link).as_deref(), leads, "{link}");
    }
}
