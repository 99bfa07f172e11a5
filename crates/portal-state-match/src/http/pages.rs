//! Reads all the pages of a resource: which URL comes next, when the last one was read, and what shows that pages do not
//! belong together.

use std::collections::{HashMap, HashSet};

use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Unverifiable};
use candor_http_source::{Answer, Ask, Budget, Client, place, refusal};
use sha2::{Digest as _, Sha256};

use super::more::Said;
use super::{address, envelope, link};
use crate::rows::{Format, RowFault, Rows, read};
use crate::source::paged::{PagedServer, Paging};

/// The most pages that are read of a resource, and how many without a row in a row.
const MOST_PAGES: usize = 10_000;
const MOST_EMPTY: usize = 64;

#[derive(Default)]
pub(super) struct Resource {
    pub(super) known: bool,
    pub(super) pages: Vec<Page>,
    /// The places that could not be read, and what shows that pages do not belong together.
    pub(super) unreadable: Vec<Unreadable>,
}

pub(super) struct Page {
    /// Its URL, as it may be shown.
    pub(super) locator: String,
    /// SHA-256 of the whole answer.
    pub(super) sha256: String,
    /// Where in the answer the rows' spans count from.
    pub(super) start: u64,
    pub(super) rows: Rows,
}

/// Reads a resource, page by page.
///
/// # Errors
/// Whatever keeps a page from being read, or from being the one that was asked for.
pub(super) fn all(
    client: &Client,
    server: &PagedServer,
    name: &str,
    limits: &Limits,
) -> Result<Resource, Unverifiable> {
    let Some(first) = address::first(&server.url, name, server.page_size.as_ref()) else {
        return Ok(Resource::default());
    };
    let first = match &server.paging {
        Paging::Page { parameter, first: number } => address::with(&first, parameter, &number.to_string()),
        _ => first,
    };
    let mut walk = Walk {
        client,
        server,
        what: format!("the request for {name}"),
        budget: Budget::new(limits),
        memory: limits.max_total_bytes,
        first: first.clone(),
        asked: HashSet::new(),
        arrays: HashMap::new(),
        rows: HashMap::new(),
        number: 0,
        empty: 0,
        resource: Resource::default(),
    };
    let mut next = Some(first);
    while let Some(url) = next {
        next = walk.page(&url)?;
    }
    walk.compare_with_first()?;
    Ok(walk.resource)
}

struct Walk<'a> {
    client: &'a Client,
    server: &'a PagedServer,
    what: String,
    budget: Budget,
    memory: u64,
    first: String,
    asked: HashSet<String>,
    arrays: HashMap<[u8; 32], usize>,
    rows: HashMap<[u8; 32], usize>,
    number: u64,
    /// How many pages without a row there were in a row.
    empty: usize,
    resource: Resource,
}

impl Walk<'_> {
    /// Reads a page; the URL of the next one.
    fn page(&mut self, url: &str) -> Result<Option<String>, Unverifiable> {
        let number = self.resource.pages.len() + 1;
        if number > MOST_PAGES || self.empty == MOST_EMPTY {
            let what = if number > MOST_PAGES { "" } else { " without a row" };
            let pages = if number > MOST_PAGES { MOST_PAGES } else { MOST_EMPTY };
            let details = format!("{} goes on behind {pages} pages{what}", self.what);
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
        }
        self.asked.insert(url.to_owned());
        let answer = self.client.ask(Ask::get(url, &self.what), &mut self.budget)?;
        match answer.status {
            200 => {}
            // What is not JSON, a router or a gateway may have said: nothing of the resource.
            404 if number == 1 && is_json(&answer) => return Ok(None),
            _ => return Err(refusal(self.client, &self.what, &answer, None)),
        }
        self.resource.known = true;
        let text = self.text(url, &answer)?;
        let array = array(text, &self.server.items).map_err(|what| self.malformed(url, &what))?;
        let start = array.as_ptr().addr().saturating_sub(answer.body.as_ptr().addr());
        let mut rows = read(Format::Json, array.as_bytes(), &mut self.memory);
        let digest: [u8; 32] = Sha256::digest(array.as_bytes()).into();
        self.empty = if rows.number == 0 { self.empty + 1 } else { 0 };
        if let Some(earlier) = self.arrays.insert(digest, number).filter(|_| rows.number > 0) {
            return Err(self.malformed(url, &format!("the rows of page {earlier} again as page {number}")));
        }
        let locator = self.client.secrets.strained(url);
        let faults = std::mem::take(&mut rows.faults);
        self.resource.unreadable.extend(faults.into_iter().map(|fault| unreadable(&locator, start, fault)));
        self.leave_out_repeated(&mut rows, array, &locator, (number, start));
        self.number += rows.number;
        let (is_last, cut_off) = (rows.number == 0, rows.cut_off);
        let sha256 = hex(&Sha256::digest(answer.body.as_slice()));
        self.resource.pages.push(Page { locator, sha256, start: start as u64, rows });
        let said = Said::by(text, &self.server.items, &answer.fields);
        if let Some(error) = &said.error {
            self.unseen(url, format!("it reports an error next to its rows: {error}"));
        }
        // What has no room is not asked for.
        if cut_off { Ok(None) } else { self.next(url, &answer, (text, &said), is_last) }
    }

    /// A row that was on a page before, byte for byte: rows moved while they were read, or there are two such.
    fn leave_out_repeated(&mut self, rows: &mut Rows, array: &str, locator: &str, (number, start): (usize, usize)) {
        let bytes =
            |span: (u64, u64)| array.as_bytes().get(usize::try_from(span.0).ok()?..usize::try_from(span.1).ok()?);
        let mut repeated = Vec::new();
        rows.rows.retain(|row| {
            let digest: [u8; 32] = Sha256::digest(bytes(row.span).unwrap_or_default()).into();
            let earlier = *self.rows.entry(digest).or_insert(number);
            if earlier != number {
                repeated.push((row.span, format!("row {} of page {number} was on page {earlier} before", row.number)));
            }
            earlier == number
        });
        for (span, what) in repeated.into_iter().take(20) {
            let span = (span.0 + start as u64, span.1 + start as u64);
            self.resource.unreadable.push(Unreadable {
                place: Location { locator: locator.to_owned(), span: Some(span) },
                what: format!("{what}, so that rows moved from page to page while they were read, or are there twice"),
                fault: Fault::Obstacle(Obstacle::Undecidable),
            });
        }
    }

    fn next(
        &mut self,
        url: &str,
        answer: &Answer,
        (text, said): (&str, &Said),
        is_empty: bool,
    ) -> Result<Option<String>, Unverifiable> {
        let member = |members: &[String]| envelope::text(text, members).map_err(|what| self.malformed(url, &what));
        let linked = match &answer.link {
            Some(field) => {
                link::next(field).map_err(|what| self.malformed(url, &format!("a Link field in which {what}")))?
            }
            None => None,
        };
        let total = match self.server.total.as_slice() {
            [] => None,
            members => {
                let total = member(members)?.and_then(|total| total.parse::<u64>().ok());
                let what = || format!("no number of rows in `{}` (`total` in [portal])", members.join("."));
                Some(total.ok_or_else(|| self.malformed(url, &what()))?)
            }
        };
        let next = match &self.server.paging {
            Paging::None => None,
            Paging::Link(members) if members.is_empty() => linked.clone(),
            Paging::Link(members) => member(members)?,
            Paging::Cursor { next, parameter } => {
                member(next)?.map(|cursor| address::with(&self.first, parameter, &cursor))
            }
            Paging::Offset { .. } if is_empty || total.is_some_and(|total| self.number >= total) => None,
            Paging::Page { .. }
                if is_empty || total.is_some_and(|total| self.number >= total) || said.last && said.more.is_none() =>
            {
                None
            }
            Paging::Page { parameter, first } => {
                let number = first.saturating_add(self.resource.pages.len() as u64);
                Some(address::with(&self.first, parameter, &number.to_string()))
            }
            Paging::Offset { parameter } => Some(address::with(&self.first, parameter, &self.number.to_string())),
        };
        // A page without rows is the end where all rows have come, or where it leads to a page that was read.
        let all_rows =
            total.or(said.total.as_ref().map(|(total, _)| *total)).is_some_and(|all| all > 0 && self.number >= all);
        let next = match next {
            Some(next) => match address::linked(url, &next) {
                Some(next) => Some(next),
                None => return Err(self.malformed(url, "a next page whose URL cannot be asked for")),
            },
            None => None,
        };
        let ended =
            next.as_ref().is_some_and(|next| is_empty && (all_rows || self.number > 0 && self.asked.contains(next)));
        match next.filter(|_| !ended) {
            Some(next) if self.asked.contains(&next) => {
                Err(self.malformed(url, "a next page that was read before: a loop"))
            }
            Some(next) => Ok(Some(next)),
            None if ended => {
                if let Some((_, shown)) = said.total.as_ref().filter(|(all, _)| *all > self.number) {
                    let what = format!("it says that there are more rows than the {} read: {shown}", self.number);
                    self.unseen(url, what);
                }
                Ok(None)
            }
            None if linked.is_some() && !matches!(self.server.paging, Paging::Offset { .. } | Paging::Page { .. }) => {
                Err(self
                    .malformed(url, "a next page in its Link field, and `paging` in [portal] does not use that field"))
            }
            None => {
                self.looks_for_next(url, text)?;
                // A number of rows that pages were read by differs where rows came or went meanwhile.
                let followed = total.is_some() && self.server.paging != Paging::None;
                let pages = self.resource.pages.len() as u64;
                let beyond = if followed { said.more.as_deref() } else { said.beyond(self.number, pages) };
                if let Some(beyond) = beyond {
                    let what = format!("it says that there are more rows than the {} read: {beyond}", self.number);
                    self.unseen(url, what);
                }
                if let Some(total) = total.filter(|total| *total != self.number) {
                    let what = format!("it says that there are {total} rows, and gave out {}", self.number);
                    match !followed && total > self.number {
                        true => self.unseen(url, what),
                        false => self.doubt(url, what),
                    }
                }
                Ok(None)
            }
        }
    }

    /// Refuses a first page that names no next one as it should, and something as it might.
    fn looks_for_next(&self, url: &str, text: &str) -> Result<(), Unverifiable> {
        let (Paging::Link(members) | Paging::Cursor { next: members, .. }) = &self.server.paging else { return Ok(()) };
        match envelope::misspelt(text, members).filter(|_| self.resource.pages.len() == 1) {
            Some((named, near)) => {
                let what = format!("no member `{named}`, which `paging` in [portal] names, but one `{near}`");
                Err(self.malformed(url, &what))
            }
            None => Ok(()),
        }
    }

    /// Looks at the first page again when there were several: where it is another one, rows came or went meanwhile, and
    /// some may have passed from a page that was not yet read to one that was.
    fn compare_with_first(&mut self) -> Result<(), Unverifiable> {
        if self.resource.pages.len() < 2 {
            return Ok(());
        }
        let url = self.first.clone();
        let answer = self.client.ask(Ask::get(&url, &self.what), &mut self.budget)?;
        if answer.status != 200 {
            return Err(refusal(self.client, &self.what, &answer, None));
        }
        let text = self.text(&url, &answer)?;
        let array = array(text, &self.server.items).map_err(|what| self.malformed(&url, &what))?;
        let digest: [u8; 32] = Sha256::digest(array.as_bytes()).into();
        if self.arrays.get(&digest) != Some(&1) {
            self.doubt(&url, "its first page became another one while the others were read".to_owned());
        }
        Ok(())
    }

    fn doubt(&mut self, url: &str, what: String) {
        let locator = self.client.secrets.strained(place(url));
        let fault = Fault::Obstacle(Obstacle::Undecidable);
        self.resource.unreadable.push(Unreadable { place: Location::whole(locator), what, fault });
    }

    /// Rows that there are, or may be, and that were not given out.
    fn unseen(&mut self, url: &str, what: String) {
        let locator = self.client.secrets.strained(place(url));
        let fault = Fault::Obstacle(Obstacle::SourceMalformed);
        let what = self.client.secrets.quoted(&what);
        self.resource.unreadable.push(Unreadable { place: Location::whole(locator), what, fault });
    }

    fn text<'b>(&self, url: &str, answer: &'b Answer) -> Result<&'b str, Unverifiable> {
        text(&answer.body, &answer.content_type).map_err(|what| self.malformed(url, &what))
    }

    fn malformed(&self, url: &str, what: &str) -> Unverifiable {
        let (place, what) = (self.client.secrets.strained(place(url)), self.client.secrets.quoted(what));
        Unverifiable::new(Obstacle::SourceMalformed, format!("{place} answered {} with {what}", self.what))
    }
}

pub(super) fn text<'a>(body: &'a [u8], content_type: &str) -> Result<&'a str, String> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let text = std::str::from_utf8(body).map_err(|_| "bytes that are not UTF-8".to_owned())?;
    match text.trim_start().bytes().next() {
        None => Err("nothing at all".to_owned()),
        Some(b'<') => Err(format!("HTML or XML ({content_type}), not JSON")),
        Some(_) => Ok(text),
    }
}

/// The array of rows in an answer, as it is written there.
pub(super) fn array<'a>(text: &'a str, items: &[String]) -> Result<&'a str, String> {
    match (envelope::at(text, items)?, items.is_empty()) {
        (Some(array), _) if array.starts_with('[') => Ok(array),
        (_, true) => Err("no array of rows; name the member that holds it as `items` in [portal]".to_owned()),
        (_, false) => Err(format!("no array of rows in `{}` (`items` in [portal])", items.join("."))),
    }
}

fn unreadable(locator: &str, start: usize, fault: RowFault) -> Unreadable {
    let span = (fault.span.0 + start as u64, fault.span.1 + start as u64);
    Unreadable {
        place: Location { locator: locator.to_owned(), span: Some(span) },
        what: fault.what,
        fault: fault.obstacle.map_or(Fault::Recording, Fault::Obstacle),
    }
}

fn is_json(answer: &Answer) -> bool {
    candor_json::from_slice::<serde::de::IgnoredAny>(&answer.body).is_ok()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
