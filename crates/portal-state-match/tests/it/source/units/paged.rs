//! The settings of a portal that gives out pages.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::path::Path;

use candor_check::sandbox::Section;

use crate::source::paged::{PagedServer, Paging};

fn paged(text: &str) -> Result<PagedServer, String> {
    let section = Section::from_toml("portal", text, Path::new("")).unwrap();
    PagedServer::read(&section).map_err(|error| format!("{}: {}", error.key, error.message))
}

const URL: &str = "url = \"https://portal.example/api/v1/{resource}\"\n";

#[test]
fn every_way_of_paging() {
    let plain = paged(URL).unwrap();
    assert_eq!((plain.server.url.as_str(), plain.paging), ("https://portal.example/api/v1", Paging::None));
    assert!(plain.items.is_empty());
    let link = paged(&format!("{URL}paging = \"link\"\nitems = \"data.rows\"")).unwrap();
    assert_eq!((link.paging, link.items), (Paging::Link(Vec::new()), vec!["data".to_owned(), "rows".to_owned()]));
    let cursor = paged(&format!("{URL}paging = \"cursor\"\nnext = \"meta.next\"\npage_size = 50")).unwrap();
    assert_eq!(cursor.page_size, Some(("limit".to_owned(), 50)));
    let next = vec!["meta".to_owned(), "next".to_owned()];
    assert_eq!(cursor.paging, Paging::Cursor { next, parameter: "cursor".to_owned() });
    let offset = "url = \"http://127.0.0.1:1/rows?table={resource}\"\npaging = \"offset\"\noffset_param = \"skip\"";
    let offset = paged(offset).unwrap();
    assert_eq!(
        (offset.paging, offset.server.url.as_str()),
        (Paging::Offset { parameter: "skip".to_owned() }, "http://127.0.0.1:1")
    );
    let numbered = paged(&format!("{URL}paging = {{ page = \"page\", size = \"limit\" }}")).unwrap();
    assert_eq!(numbered.paging, Paging::Page { parameter: "page".to_owned(), first: 1 });
    assert_eq!(numbered.page_size, Some(("limit".to_owned(), 100)));
    let numbered = paged(&format!("{URL}paging = {{ page = \"p\", first = 0 }}\npage_size = 20")).unwrap();
    assert_eq!(numbered.paging, Paging::Page { parameter: "p".to_owned(), first: 0 });
    assert_eq!(numbered.page_size, Some(("limit".to_owned(), 20)));
    assert!(paged(&format!("{URL}token = \"${{env:CARGO_PKG_NAME}}\"")).is_ok());
}

#[test]
fn every_slip_is_named() {
    for (text, expected) in [
        ("url = \"https://portal.example/api\"", "url: `url` has no {resource}, the place of a resource's name"),
        ("url = \"https://portal.example/{resource}/{resource}\"", "{resource} twice"),
        ("url = \"https://{resource}.portal.example/\"", "{resource} in its host"),
        ("url = \"https://u:hunter2@portal.example/{resource}\"", "holds credentials"),
        ("url = \"https://portal.example/{resource}#top\"", "has a fragment"),
        ("url = \"https://portal.example/{tenant}/{resource}\"", "that a URL cannot contain"),
        ("url = \"https:///{resource}\"", "names no host"),
    ] {
        let error = paged(text).unwrap_err();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{text}\n{error}");
    }
    for (text, expected) in [
        ("pagging = \"link\"", "unknown setting `pagging`; did you mean `paging`?"),
        ("tokn = \"x\"", "unknown setting `tokn`; did you mean `token`?"),
        ("path = \"rows/\"", "path"),
        ("paging = \"pages\"", "`paging` is \"pages\"; expected one of link, cursor, offset, or paging = { page"),
        ("paging = 1", "`paging`"),
        ("paging = { size = \"limit\" }", "`paging` has no `page`"),
        ("paging = { page = \"\" }", "`page` is \"\"; expected text"),
        ("paging = { page = \"p\", sise = \"s\" }", "did you mean `size`?"),
        ("paging = { page = \"p\", first = \"x\" }", "`paging`: "),
        ("paging = { page = \"p\" }\nnext = \"n\"", "`next` goes with"),
        ("paging = { page = \"p\", size = \"s\" }\nlimit_param = \"l\"", "`limit_param` goes with"),
        ("paging = \"cursor\"", "needs `next`"),
        ("next = \"meta.next\"", "`next` goes with paging = \"link\" or paging = \"cursor\""),
        ("paging = \"link\"\ncursor_param = \"c\"", "`cursor_param` goes with paging = \"cursor\""),
        ("paging = \"offset\"\nlimit_param = \"l\"", "`limit_param` goes with `page_size`"),
        ("paging = \"offset\"\npage_size = 0", "`page_size` is 0; expected a whole number above 0"),
        ("items = \"a..b\"", "`items` has an empty step"),
        ("items = 1", "`items` is 1; expected text"),
        ("token = \"abc\"", "is written out"),
    ] {
        let error = paged(&format!("{URL}{text}")).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}
