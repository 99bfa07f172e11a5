//! A search on a server: the request, every page of the answer, and what is wrong with how they go together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use candor_check::evidence::SharedText;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::Limits;
use candor_check::{Obstacle, Unverifiable};
use candor_http_source::{Answer, Ask, Budget, Client, place, url};
use sha2::{Digest as _, Sha256};

use super::follow::Follow;
use super::page::{self, Entry, Key, Mode, NoPage, Page};
use super::{ignored, status};
use crate::search::Search;
use crate::source::Hashes;
use crate::store::{Builder, Store};

/// A URL that is longer goes into the body of a POST: servers and what is before them cut long ones.
const LONGEST_URL: usize = 2000;
/// So many pages without a resource, one after the other, lead nowhere.
const EMPTY_PAGES: u32 = 64;

#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) resource_type: String,
    /// `Patient/123`: only resources in this compartment.
    pub(super) compartment: Option<String>,
    pub(super) parameters: Vec<(String, String)>,
    /// Only the first page.
    pub(super) glance: bool,
    pub(super) follow: bool,
    /// The search whose chains, `_has` and `_list` the resources are to be held against: what it asks for is read too.
    pub(super) around: Option<Search>,
}

#[derive(Default)]
pub(super) struct Found {
    pub(super) store: Store,
    /// Where the resources are that were found, by page and byte; the others go with them.
    pub(super) matches: HashSet<(Arc<str>, usize)>,
    /// SHA-256 of each page.
    pub(super) hashes: Hashes,
    pub(super) unreadable: Vec<Unreadable>,
    /// True if something that the resources refer to could not be read.
    pub(super) unfollowed: bool,
    /// True if some of the other resources that the search asks for were not read.
    pub(super) cut: bool,
}

impl Wanted {
    pub(super) fn what(&self) -> String {
        format!("the search for {}", self.resource_type)
    }

    fn names(&self) -> Vec<&str> {
        self.parameters.iter().map(|(name, _)| name.as_str()).collect()
    }
}

pub(super) fn run(
    client: &Client,
    wanted: &Wanted,
    limits: &Limits,
    budget: &mut Budget,
) -> Result<Found, Unverifiable> {
    let mut reading = Reading::new(client, wanted, limits);
    let (mut url, mut answer) = first(client, wanted, budget)?;
    loop {
        let next = reading.page(&url, &answer)?;
        let Some(next) = next.filter(|_| !wanted.glance) else { return reading.finish(budget) };
        answer = client.ask(Ask::get(&next, &wanted.what()), budget)?;
        url = next;
    }
}

/// How many resources a page is asked to have that is written away.
const STREAMED: &str = "500";

/// Hands over every resource of a type, page by page; nothing of it is kept but its name and a hash. Each page has the time
/// of one read.
///
/// # Errors
/// Whatever keeps the answer from being whole. What is wrong with single entries is returned.
pub(super) fn stream(
    client: &Client,
    resource_type: &str,
    limits: &Limits,
    each: &mut dyn FnMut(&str),
) -> Result<Vec<Unreadable>, Unverifiable> {
    let wanted = Wanted {
        resource_type: resource_type.to_owned(),
        compartment: None,
        parameters: vec![("_count".to_owned(), STREAMED.to_owned())],
        glance: false,
        follow: false,
        around: None,
    };
    let mut reading = Reading { each: Some(each), ..Reading::new(client, &wanted, limits) };
    let (mut url, mut answer) = first(client, &wanted, &mut Budget::new(limits))?;
    while let Some(next) = reading.page(&url, &answer)? {
        answer = client.ask(Ask::get(&next, &wanted.what()), &mut Budget::new(limits))?;
        url = next;
    }
    reading.finish(&mut Budget::new(limits)).map(|found| found.unreadable)
}

fn first(client: &Client, wanted: &Wanted, budget: &mut Budget) -> Result<(String, Answer), Unverifiable> {
    let base = &client.server.url;
    let pairs = wanted.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let query = url::query(pairs);
    let within = wanted.compartment.as_ref().map(|name| format!("{name}/")).unwrap_or_default();
    let plain = format!("{base}/{within}{}", wanted.resource_type);
    let what = wanted.what();
    let long = if query.is_empty() { plain.clone() } else { format!("{plain}?{query}") };
    if long.len() <= LONGEST_URL {
        let answer = client.ask(Ask::get(&long, &what), budget)?;
        // 414 URI Too Long, 431 Request Header Fields Too Large.
        if !matches!(answer.status, 414 | 431) {
            return Ok((long, answer));
        }
    }
    let form = format!("{plain}/_search");
    let answer = client.ask(Ask::post(&form, &query, &what), budget)?;
    Ok((form, answer))
}

struct Reading<'a> {
    client: &'a Client,
    wanted: &'a Wanted,
    most: u64,
    builder: Builder,
    found: Found,
    asked: HashSet<String>,
    /// Where each version of a resource is that came, by what it says of itself and its text.
    came: HashMap<(Key, [u8; 32]), (Arc<str>, usize)>,
    /// The resources that were found, and all that came, by `Type/id`.
    names: [HashSet<String>; 2],
    /// Those without an id, and entries without a resource.
    nameless: u64,
    empty: u32,
    total: Option<u64>,
    follow: Follow,
    /// Who takes the resources that are found, where none is kept.
    each: Option<&'a mut dyn FnMut(&str)>,
}

impl<'a> Reading<'a> {
    fn new(client: &'a Client, wanted: &'a Wanted, limits: &Limits) -> Self {
        Self {
            client,
            wanted,
            most: limits.max_files,
            builder: Builder::default(),
            found: Found::default(),
            asked: HashSet::new(),
            came: HashMap::new(),
            names: Default::default(),
            nameless: 0,
            empty: 0,
            total: None,
            follow: Follow::of(wanted.follow, wanted.around.as_ref()),
            each: None,
        }
    }

    fn broken(&self, details: String) -> Unverifiable {
        Unverifiable::new(Obstacle::SourceMalformed, details)
    }

    /// Takes a page in, and says where the next one is.
    fn page(&mut self, url: &str, answer: &Answer) -> Result<Option<String>, Unverifiable> {
        let (client, what) = (self.client, self.wanted.what());
        if answer.status != 200 {
            return Err(status::refusal(client, &what, answer));
        }
        let base = &client.server.url;
        let is = |what: &str, is: &str| self.broken(format!("{base} answered {what} with {is}"));
        let text = page::checked(&answer.body, &answer.content_type).map_err(|found| is(&what, &found))?;
        let page = match page::read(text, &self.wanted.resource_type) {
            Ok(page) => page,
            Err(NoPage::Other(found)) => return Err(is(&what, &found)),
            Err(NoPage::Outcome(outcome)) => {
                let stopped = status::stopped(client, &what, &outcome, &self.wanted.names());
                return Err(stopped.unwrap_or_else(|| is(&what, "an OperationOutcome, no Bundle")));
            }
        };
        if self.asked.is_empty() {
            self.applied(&page, url)?;
        }
        self.asked.insert(url.to_owned());
        if let Some(total) = page.total {
            self.total = Some(self.total.map_or(total, |before| before.min(total)));
        }
        // A server may write into its links what it was logged in to with.
        let name = client.secrets.strained(url);
        if self.each.is_none() {
            self.found.hashes.insert(name.clone(), hash(&answer.body).into());
        }
        self.entries(&name, &answer.body, text, &page)?;
        page.next.map(|next| self.next(url, &next)).transpose()
    }

    fn applied(&self, page: &Page<'_>, url: &str) -> Result<(), Unverifiable> {
        let Some(own) = &page.own else { return Ok(()) };
        // After a POST many servers do not write the parameters into the link at all.
        if url.ends_with("/_search") && !own.contains('?') {
            return Ok(());
        }
        match ignored::first(own, &self.wanted.parameters) {
            None => Ok(()),
            Some(name) => Err(Unverifiable::new(
                Obstacle::Undecidable,
                format!(
                    "{} ignored the search parameter `{name}`: the self link of its answer to {} does not have it",
                    self.client.server.url,
                    self.wanted.what()
                ),
            )),
        }
    }

    fn entries(&mut self, url: &str, body: &Arc<Vec<u8>>, text: &str, page: &Page<'_>) -> Result<(), Unverifiable> {
        let skipped = body.len() - text.len();
        let mut kept: Vec<(&str, Option<String>)> = Vec::new();
        let (mut resources, mut repeated) = (0, 0);
        for entry in &page.entries {
            if entry.mode == Mode::Outcome {
                self.outcome(entry)?;
                continue;
            }
            let Some(resource) = entry.resource else {
                self.without_resource(url, entry);
                continue;
            };
            resources += 1;
            let start = (resource.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            let at = match self.each {
                Some(_) => ("".into(), 0),
                None => (url.into(), start + skipped),
            };
            match &entry.key {
                None => self.nameless += 1,
                Some(key) => {
                    self.names[1].insert(key.name.clone());
                    if entry.mode == Mode::Match {
                        self.names[0].insert(key.name.clone());
                    }
                    let version = (key.clone(), Sha256::digest(resource).into());
                    if let Some(first) = self.came.get(&version) {
                        repeated += 1;
                        if entry.mode == Mode::Match {
                            self.found.matches.insert(first.clone());
                        }
                        continue;
                    }
                    self.came.insert(version, at.clone());
                }
            }
            if let Some(each) = &mut self.each {
                if entry.mode == Mode::Match {
                    each(resource);
                }
                continue;
            }
            if entry.mode == Mode::Match {
                self.found.matches.insert(at);
            }
            let full_url = entry.full_url.clone().or_else(|| self.full_url(entry));
            if let (true, Some(key), Some(full_url)) = (self.follows(), &entry.key, &full_url) {
                self.follow.came(&key.name);
                if entry.mode == Mode::Match {
                    self.follow.found(&key.name);
                }
                self.follow.from(resource, &key.name, full_url, &self.client.server.url);
            }
            kept.push((resource, full_url));
        }
        if resources > 0 && resources == repeated && !self.asked.is_empty() && self.asked.len() > 1 {
            let details = format!(
                "{} gives out the same resources again on page {} of {}, so that no page after it can be trusted",
                self.client.server.url,
                self.asked.len(),
                self.wanted.what()
            );
            return Err(self.broken(details));
        }
        self.empty = if resources == 0 { self.empty + 1 } else { 0 };
        if self.empty > EMPTY_PAGES || self.came.len() as u64 + self.nameless > self.most {
            let what = match self.empty > EMPTY_PAGES {
                true => format!("{EMPTY_PAGES} pages without a resource one after the other"),
                false => format!("more than {} resources (max_files)", self.most),
            };
            let details = format!("{} answers {} with {what}", self.client.server.url, self.wanted.what());
            return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
        }
        if self.each.is_none() {
            self.builder.answer(url, body, text, kept);
        }
        Ok(())
    }

    fn follows(&self) -> bool {
        self.wanted.follow || self.wanted.around.is_some()
    }

    /// The URL of a resource whose entry does not give it.
    fn full_url(&self, entry: &Entry<'_>) -> Option<String> {
        entry.key.as_ref().map(|key| format!("{}/{}", self.client.server.url, key.name))
    }

    fn outcome(&self, entry: &Entry<'_>) -> Result<(), Unverifiable> {
        let outcome = entry.resource.and_then(|text| candor_json::from_str(text).ok()).unwrap_or_default();
        let stopped = status::stopped(self.client, &self.wanted.what(), &outcome, &self.wanted.names());
        stopped.map_or(Ok(()), Err)
    }

    /// An entry that represents a resource and does not hold it: what it hides is unknown.
    fn without_resource(&mut self, url: &str, entry: &Entry<'_>) {
        self.nameless += 1;
        let (what, fault) = match &entry.refused {
            Some(status) if status.starts_with("401") || status.starts_with("403") => {
                let what =
                    format!("an entry of the answer is refused with status {}", self.client.secrets.quoted(status));
                (what, Fault::Obstacle(Obstacle::SourceDenied))
            }
            Some(status) => {
                let what = format!("an entry of the answer has the status {}", self.client.secrets.quoted(status));
                (what, Fault::Obstacle(Obstacle::SourceUnavailable))
            }
            None => ("an entry of the answer holds no resource".to_owned(), Fault::Recording),
        };
        let at = entry.at as u64;
        self.found.unreadable.push(Unreadable { place: Location::bytes(url, at..at), what, fault });
    }

    fn next(&self, url: &str, link: &str) -> Result<String, Unverifiable> {
        let base = &self.client.server.url;
        let what = self.wanted.what();
        let shown = self.client.secrets.quoted(place(link));
        let Some(next) = url::resolve(base, url, link) else {
            return Err(self.broken(format!("{base} links from {what} to a next page that is not a URL: {shown}")));
        };
        if url::origin(&next) != url::origin(base) {
            let details = format!(
                "{base} links from {what} to a next page on another server ({shown}), which was not followed: it would \
                 be given the credentials"
            );
            return Err(self.broken(details));
        }
        if self.asked.contains(&next) {
            return Err(self.broken(format!("the pages of {what} at {base} lead back to one that was read: a loop")));
        }
        Ok(next)
    }

    fn finish(mut self, budget: &mut Budget) -> Result<Found, Unverifiable> {
        let [matches, all] = &self.names;
        let (came, with_includes) = (matches.len() as u64 + self.nameless, all.len() as u64 + self.nameless);
        // Some servers count what they include.
        let lost = |total: &u64| *total > came && *total != with_includes;
        if let Some(total) = self.total.filter(lost).filter(|_| !self.wanted.glance) {
            let details = format!(
                "{} says that {} finds {total} resources, gave out {came} and links to no further page",
                self.client.server.url,
                self.wanted.what()
            );
            return Err(Unverifiable::new(Obstacle::Undecidable, details));
        }
        let follows = self.follows() && !self.found.matches.is_empty();
        let around = self.wanted.around.as_ref().filter(|_| follows);
        let followed = self.follow.read(self.client, around, &mut self.builder, budget);
        self.found.unfollowed = followed.unread;
        self.found.cut = followed.unread || followed.cut;
        self.found.store = self.builder.finish();
        Ok(self.found)
    }
}

pub(crate) fn hash(bytes: &[u8]) -> SharedText {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
