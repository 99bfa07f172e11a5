//! A portal that gives out its rows over HTTP, a page at a time. All pages of a resource are read, and their rows are
//! examined like those of a file: the server selects nothing.
//!
//! Pages are answers of different moments, not a snapshot. A sign that they do not belong together is recorded as a
//! place that could not be read.

mod address;
mod envelope;
mod link;
mod more;
mod pages;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use candor_check::evidence::SourceRef;
use candor_check::sandbox::{Limits, Recorded};
use candor_check::{Obstacle, Sandbox, Unverifiable};
use candor_http_source::{Client, Manners};

use crate::look::{Look, Passing};
use crate::rows::{Format, Rows, read};
use crate::seen::{Missing, Seen};
use crate::selection::CorrelateBy;
use crate::source::PART;
use crate::source::ndjson::{RowWriter, gap};
use crate::source::paged::PagedServer;
use pages::{Page, Resource};

const MANNERS: Manners = Manners {
    part: PART,
    accept: "application/json",
    fields: &[],
    google_scope: "https://www.googleapis.com/auth/cloud-platform",
};

pub(crate) struct HttpSource {
    client: Client,
    server: PagedServer,
    limits: Limits,
    kept: Mutex<HashMap<String, Kept>>,
}

/// The rows read of one resource; the lock is held while it is, so that those who ask meanwhile wait for it.
type Kept = Arc<Mutex<Option<Arc<Resource>>>>;

impl HttpSource {
    /// Gets ready to ask.
    ///
    /// # Errors
    /// When a key or a certificate that is named cannot be read.
    pub(crate) async fn open(sandbox: &Sandbox, server: PagedServer) -> Result<Self, Unverifiable> {
        let described = server.server.clone();
        let client = sandbox.blocking("the settings of [portal]", move || Client::new(described, MANNERS)).await?;
        Ok(Self { client, server, limits: sandbox.limits().clone(), kept: Mutex::default() })
    }

    pub(crate) fn place(&self) -> String {
        self.client.server.url.clone()
    }

    /// The rows of a resource that `correlate_by` selects, read `anew` or from the pages that were read first.
    pub(crate) fn look(&self, correlate_by: &CorrelateBy, limits: &Limits, anew: bool) -> Result<Seen, Unverifiable> {
        let name = correlate_by.resource.as_str();
        let resource = if anew { Arc::new(self.read(name, limits)?) } else { self.kept(name, limits)? };
        let mut look = Look::new(correlate_by, u64::MAX);
        let several = resource.pages.len() > 1;
        for (number, page) in (1..).zip(&resource.pages) {
            for row in &page.rows.rows {
                let span = Some((row.span.0 + page.start, row.span.1 + page.start));
                let sha256 = Some(page.sha256.as_str().into());
                let source = SourceRef { locator: page.locator.as_str().into(), sha256, span, record: None };
                let label = label(page, row.number, several.then_some(number));
                look.row(Passing { source, label, content: &row.content, whole: None, short: None });
            }
        }
        for unreadable in &resource.unreadable {
            look.unreadable(unreadable.clone());
        }
        let mut seen = look.finish();
        seen.place = self.place();
        if !resource.known {
            seen.missing = Some(Missing::Resource(Vec::new()));
        }
        Ok(seen)
    }

    /// Writes the resources that the settings name into a folder.
    ///
    /// # Errors
    /// When they name none, or a file cannot be written. What could not be read is a gap.
    pub(crate) fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        let Some(tables) = &self.server.tables else {
            let details = format!(
                "{} does not say which resources it has; name those to capture in [portal], as in tables = [\"orders\"]",
                self.place()
            );
            return Err(Unverifiable::new(Obstacle::Undecidable, details));
        };
        let mut recorded = Recorded { only: Some(tables.clone()), ..Recorded::default() };
        for name in tables {
            let resource = match self.read(name, &self.limits) {
                Ok(resource) if resource.known => resource,
                Ok(_) => {
                    recorded.gaps.push(gap(name, "the server knows no such resource"));
                    continue;
                }
                Err(why) => {
                    recorded.gaps.push(gap(name, why.details));
                    continue;
                }
            };
            let mut file = RowWriter::new(into, name)?;
            for row in resource.pages.iter().flat_map(|page| &page.rows.rows) {
                if !file.row(row.content.columns()) {
                    break;
                }
            }
            file.finish()?;
            recorded.gaps.extend(resource.unreadable.into_iter().map(|one| gap(name, one.what)));
        }
        Ok(recorded)
    }

    fn kept(&self, name: &str, limits: &Limits) -> Result<Arc<Resource>, Unverifiable> {
        let cell = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(kept.entry(name.to_owned()).or_default())
        };
        let mut cell = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resource) = cell.as_ref() {
            return Ok(Arc::clone(resource));
        }
        let resource = Arc::new(self.read(name, limits)?);
        Ok(Arc::clone(cell.insert(resource)))
    }

    fn read(&self, name: &str, limits: &Limits) -> Result<Resource, Unverifiable> {
        pages::all(&self.client, &self.server, name, limits)
    }
}

/// A row by its page's place, without the query, which holds what leads from page to page.
fn label(page: &Page, row: u64, number: Option<u64>) -> String {
    let place = candor_http_source::place(&page.locator);
    match number {
        Some(number) => format!("row {row} of page {number} of {place}"),
        None => format!("row {row} of {place}"),
    }
}

/// The content of an answer, taken as a page of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// Where the array of rows begins in the answer, which their spans count from.
    pub start: usize,
    /// The rows.
    pub rows: Rows,
    /// Where the next page would be looked for, before it is asked whether that is the same server.
    pub next: Option<String>,
    /// The part of the answer that says that there are more rows, as the end of a sentence.
    pub more: Option<String>,
}

/// Reads an answer to `asked`, whatever it is: its rows in the member `items`, its next page by the header field `link`.
///
/// # Errors
/// The nature of an answer that is not a page, as the end of a sentence.
///
/// ```
/// use candor_portal_state_match::http::read_answer;
/// let page = br#"{"data": [{"id": 1}, {"id": 2}]}"#;
/// let page = read_answer(page, "https://a.example/claims", Some("<?page=2>; rel=next"), &["data".to_owned()]).unwrap();
/// assert_eq!((page.start, page.rows.rows.len()), (9, 2));
/// assert_eq!(page.next.as_deref(), Some("https://a.example/claims?page=2"));
/// assert!(read_answer(b"{}", "https://a.example/claims", None, &[]).is_err());
/// ```
pub fn read_answer(body: &[u8], asked: &str, link: Option<&str>, items: &[String]) -> Result<Answered, String> {
    let text = pages::text(body, "")?;
    let array = pages::array(text, items)?;
    let start = array.as_ptr().addr().saturating_sub(body.as_ptr().addr());
    let rows = read(Format::Json, array.as_bytes(), &mut u64::from(u32::MAX));
    let next = link.map(link::next).transpose()?.flatten();
    let more = more::Said::by(text, items, &[]).beyond(rows.number, 1).map(str::to_owned);
    Ok(Answered { start, rows, next: next.and_then(|next| address::linked(asked, &next)), more })
}
