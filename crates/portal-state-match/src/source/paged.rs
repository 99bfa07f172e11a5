//! A part of the sandbox that is served over HTTP as lists of rows: which URL a resource has, where its rows are in an
//! answer, and how one page leads to the next. Read from `sandbox.toml`; nothing here opens a connection.

use candor_check::sandbox::{Section, SectionError};
use candor_check::settings::nearest;
use candor_http_source::HttpServer;
use candor_http_source::settings as http;

/// The place of the resource's name in a URL.
pub(crate) const RESOURCE: &str = "{resource}";

#[derive(Clone, Debug)]
pub(crate) struct PagedServer {
    /// The server with its credentials; its URL is what is before the resource's name.
    pub(crate) server: HttpServer,
    /// The URL of a resource, [`RESOURCE`] in the place of its name.
    pub(crate) url: String,
    /// The members that lead to the array of rows; none where the answer is that array.
    pub(crate) items: Vec<String>,
    pub(crate) paging: Paging,
    /// The parameter that says how long a page is to be, and how long.
    pub(crate) page_size: Option<(String, u64)>,
    /// The members that lead to the number of all rows, where an answer says it.
    pub(crate) total: Vec<String>,
    pub(crate) tables: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    /// Not at all: one answer holds all rows.
    None,
    /// By a URL: in the members named, or, where none are, in the header field `Link` (RFC 8288).
    Link(Vec<String>),
    Cursor {
        next: Vec<String>,
        parameter: String,
    },
    Offset {
        parameter: String,
    },
    Page {
        parameter: String,
        first: u64,
    },
}

/// The settings in addition to those of every HTTP server.
pub(crate) const KEYS: &[&str] =
    &["items", "paging", "next", "cursor_param", "offset_param", "limit_param", "page_size", "total"];

const PAGINGS: &[&str] = &["link", "cursor", "offset"];

const BY_NUMBER: &str = "paging = { page = \"page\", size = \"limit\" }";
const NUMBERED: &[&str] = &["page", "size", "first"];
/// How long a page is asked to be where only the parameter is given.
const USUAL_SIZE: u64 = 100;

/// The settings that mean something only under some ways of paging.
const BESIDE: &[(&str, &[&str])] = &[
    ("next", &["link", "cursor"]),
    ("cursor_param", &["cursor"]),
    ("offset_param", &["offset"]),
    ("limit_param", PAGINGS),
    ("page_size", PAGINGS),
];

impl PagedServer {
    pub(crate) fn read(section: &Section) -> Result<Self, SectionError> {
        let members = |key: &str| -> Result<Vec<String>, SectionError> {
            let path = text(section, key)?.unwrap_or_default();
            let steps: Vec<String> = path.split('.').filter(|_| !path.is_empty()).map(str::to_owned).collect();
            match steps.iter().any(String::is_empty) {
                true => {
                    let message = format!("`{key}` has an empty step; write members' names, as in \"meta.next\"");
                    Err(SectionError::new(key, message))
                }
                false => Ok(steps),
            }
        };
        let url = section.text("url")?.unwrap_or_default();
        let (url, base) = template(&url).map_err(|what| SectionError::new("url", format!("`url` {what}")))?;
        if let Some(unknown) = section.keys().find(|key| !KEYS.contains(key) && !http::KEYS.contains(key)) {
            let meant = nearest(unknown, KEYS).or_else(|| nearest(unknown, http::KEYS));
            let meant = meant.map(|near| format!("; did you mean `{near}`?"));
            let meant =
                meant.unwrap_or_else(|| format!("; as well as those of every server there are {}", KEYS.join(", ")));
            return Err(SectionError::new(unknown, format!("unknown setting `{unknown}`{meant}")));
        }
        let server = HttpServer::read(&section.without(KEYS).with("url", base))?;
        let by_number = ByNumber::read(section)?;
        let way = match by_number {
            Some(_) => None,
            None => text(section, "paging")?,
        };
        let way = way.as_deref();
        if let Some(other) = way.filter(|way| !PAGINGS.contains(way)) {
            let message = format!("`paging` is {other:?}; expected one of {}, or {BY_NUMBER}", PAGINGS.join(", "));
            return Err(SectionError::new("paging", message));
        }
        for (key, ways) in BESIDE {
            let sized = *key == "page_size" && by_number.is_some();
            if section.has(key) && !sized && !way.is_some_and(|way| ways.contains(&way)) {
                let ways = ways.iter().map(|way| format!("paging = \"{way}\"")).collect::<Vec<_>>().join(" or ");
                return Err(SectionError::new(*key, format!("`{key}` goes with {ways}, which is not there")));
            }
        }
        let next = members("next")?;
        let parameter =
            |key: &str, usual: &str| text(section, key).map(|name| name.unwrap_or_else(|| usual.to_owned()));
        let (page, size) = by_number.map(|by| (by.page, by.size)).unzip();
        let paging = match way {
            None => page.unwrap_or(Paging::None),
            Some("link") => Paging::Link(next),
            Some("cursor") if next.is_empty() => {
                let message = "`paging` by cursor needs `next`, the members that hold the cursor, as in \"meta.next\"";
                return Err(SectionError::new("paging", message));
            }
            Some("cursor") => Paging::Cursor { next, parameter: parameter("cursor_param", "cursor")? },
            Some(_) => Paging::Offset { parameter: parameter("offset_param", "offset")? },
        };
        let size = size.flatten();
        let page_size = match section.whole("page_size").ok().flatten().filter(|size| *size > 0) {
            Some(number) => Some((size.map_or_else(|| parameter("limit_param", "limit"), Ok)?, number)),
            None if section.has("page_size") => {
                return Err(SectionError::new(
                    "page_size",
                    format!("`page_size` is {}; expected a whole number above 0", section.shown("page_size")),
                ));
            }
            None if section.has("limit_param") => {
                let message = "`limit_param` goes with `page_size`, which is not there";
                return Err(SectionError::new("limit_param", message));
            }
            None => size.map(|size| (size, USUAL_SIZE)),
        };
        Ok(Self { server, url, items: members("items")?, paging, page_size, total: members("total")?, tables: None })
    }
}

struct ByNumber {
    page: Paging,
    /// The parameter that says how long a page is to be.
    size: Option<String>,
}

impl ByNumber {
    /// Reads `paging`, where it is a table.
    fn read(section: &Section) -> Result<Option<Self>, SectionError> {
        if !section.has("paging") || section.text("paging").is_ok() {
            return Ok(None);
        }
        let Some(table) = section.table("paging", BY_NUMBER)? else { return Ok(None) };
        let inner = |error: SectionError| SectionError::new("paging", format!("`paging`: {}", error.message));
        table.only(NUMBERED).map_err(inner)?;
        let Some(parameter) = text(&table, "page").map_err(inner)? else {
            let message =
                format!("`paging` has no `page`, the parameter that takes a page's number, as in {BY_NUMBER}");
            return Err(SectionError::new("paging", message));
        };
        let first = table.whole("first").map_err(inner)?.unwrap_or(1);
        let size = text(&table, "size").map_err(inner)?;
        Ok(Some(Self { page: Paging::Page { parameter, first }, size }))
    }
}

/// A text that is not empty.
fn text(section: &Section, key: &str) -> Result<Option<String>, SectionError> {
    match section.text(key) {
        Ok(Some(text)) if !text.is_empty() => Ok(Some(text)),
        Ok(None) => Ok(None),
        Ok(Some(_)) | Err(_) => {
            Err(SectionError::new(key, format!("`{key}` is {}; expected text", section.shown(key))))
        }
    }
}

/// The URL of a resource, and what of it is before the resource's name.
fn template(url: &str) -> Result<(String, String), String> {
    let example = "as in https://portal.example/api/{resource}";
    let mut parts = url.split(RESOURCE);
    let (before, Some(_)) = (parts.next().unwrap_or_default(), parts.next()) else {
        return Err(format!("has no {RESOURCE}, the place of a resource's name; write it, {example}"));
    };
    if parts.next().is_some() {
        return Err(format!("has {RESOURCE} twice; write it once, {example}"));
    }
    let authority = before.find("://").map_or(0, |at| at + 3);
    if !before.get(authority..).is_some_and(|rest| rest.contains(['/', '?'])) {
        return Err(format!("has {RESOURCE} in its host; write it in the path or in the query, {example}"));
    }
    if url.contains('#') {
        return Err("has a fragment, which no server sees; leave it out".to_owned());
    }
    let whole = url.replace(RESOURCE, "x");
    let allowed = |byte: u8| byte > b' ' && byte < 0x7f && !b"\"<>\\^`{|}".contains(&byte);
    if !whole.bytes().all(allowed) {
        return Err(format!("holds characters other than {RESOURCE} that a URL cannot contain"));
    }
    let path = before.split('?').next().unwrap_or(before);
    let base = path.rfind('/').filter(|at| *at >= authority).and_then(|at| path.get(..at)).unwrap_or(path);
    Ok((url.to_owned(), base.to_owned()))
}
