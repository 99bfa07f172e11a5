//! The targets of candidates on the server, read for expressions that follow references and for searches that do.

use std::collections::{BTreeSet, HashSet, VecDeque};

use candor_http_source::{Ask, Budget, Client, url};

use candor_json::Value;

use super::around::{Target, base_of, targets};
use super::outcome;
use super::page::{self, Mode};
use crate::search::Search;
use crate::search::literal::is_id;
use crate::store::Builder;

/// The most requests.
const MOST: usize = 200;
/// How many references in a row are followed.
const DEEPEST: usize = 3;
/// How many where a search says of which types.
const DEEPEST_OF_TYPES: usize = 8;
/// How many candidates one search for what refers to them names.
const AT_ONCE: usize = 20;

#[derive(Default)]
pub(super) struct Follow {
    open: VecDeque<(Target, usize)>,
    known: HashSet<String>,
    found: Vec<String>,
    /// Of which types what is referred to is read; of all where nothing is given.
    only: Option<BTreeSet<String>>,
    asked: usize,
    followed: Followed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Followed {
    /// Something could not be read, so that a reference may lead to it.
    pub(super) unread: bool,
    /// There is more than was read.
    pub(super) cut: bool,
}

impl Follow {
    pub(super) fn of(any: bool, search: Option<&Search>) -> Self {
        let types = |search: &Search| search.types_of_others().into_iter().map(str::to_owned).collect();
        Self { only: search.filter(|_| !any).map(types), ..Self::default() }
    }

    pub(super) fn came(&mut self, name: &str) {
        self.known.insert(name.to_owned());
    }

    /// One of those that came is a candidate.
    pub(super) fn found(&mut self, name: &str) {
        self.found.push(name.to_owned());
    }

    /// Notes the references of a resource that came from `server` under this URL, so that their targets are read.
    pub(super) fn from(&mut self, resource: &str, name: &str, full_url: &str, server: &str) {
        self.add(&candor_json::from_str(resource).unwrap_or_default(), base_of(full_url, name), server, 1);
    }

    fn add(&mut self, resource: &Value, own: &str, server: &str, depth: usize) {
        let mut found = targets(resource, own, server);
        found.retain(|target| self.wants(&target.name) && !self.known.contains(&target.name));
        let deepest = if self.only.is_some() { DEEPEST_OF_TYPES } else { DEEPEST };
        if depth > deepest {
            self.followed.cut |= !found.is_empty();
            return;
        }
        self.open.extend(found.into_iter().map(|target| (target, depth)));
    }

    fn wants(&self, name: &str) -> bool {
        let resource_type = name.split('/').next().unwrap_or_default();
        self.only.as_ref().is_none_or(|types| types.contains(resource_type))
    }

    /// Reads it all into `builder`, and what the search asks for next to it. What a FHIR server says is not there is not
    /// there.
    pub(super) fn read(
        mut self,
        client: &Client,
        search: Option<&Search>,
        builder: &mut Builder,
        budget: &mut Budget,
    ) -> Followed {
        for (name, value) in search.into_iter().flat_map(Search::conditions) {
            self.has(client, &self.found.clone(), name, value, builder, budget);
            for id in value.split(',').filter(|id| name == "_list" && is_id(id)) {
                let name = format!("List/{id}");
                let full_url = format!("{}/{name}", client.server.url);
                self.open.push_front((Target { name, full_url }, 1));
            }
        }
        self.rest(client, builder, budget);
        for search in search.into_iter().filter(|search| search.conditions().any(|(name, _)| name.contains("._has:"))) {
            // What a chain led to is known now.
            let types = search.types_of_others();
            let led_to = self.known.iter().filter(|name| name.split('/').next().is_some_and(|one| types.contains(one)));
            let mut led_to: Vec<String> = led_to.cloned().collect();
            led_to.sort_unstable();
            for (name, value) in search.conditions() {
                if let Some(has) = name.find("._has:").and_then(|at| name.get(at + 1..)) {
                    self.has(client, &led_to, has, value, builder, budget);
                }
            }
            self.rest(client, builder, budget);
        }
        self.followed
    }

    /// Reads what refers to these resources and, where that is asked for, what refers to it in turn.
    fn has(
        &mut self,
        client: &Client,
        names: &[String],
        name: &str,
        value: &str,
        builder: &mut Builder,
        budget: &mut Budget,
    ) {
        let (mut names, mut next) = (names.to_vec(), referring(name));
        while let Some((source, parameter, rest)) = next {
            names = self.referring(client, &names, (source, parameter), (rest, value), builder, budget);
            next = referring(rest);
        }
    }

    fn rest(&mut self, client: &Client, builder: &mut Builder, budget: &mut Budget) {
        while let Some((target, depth)) = self.open.pop_front() {
            if !self.known.insert(target.name.clone()) {
                continue;
            }
            if self.asked >= MOST {
                self.followed.unread = true;
                break;
            }
            self.asked += 1;
            if self.one(client, &target, depth, builder, budget).is_none() {
                self.followed.unread = true;
            }
        }
    }

    /// Reads one; nothing where it is not known what it is.
    fn one(
        &mut self,
        client: &Client,
        Target { name, full_url }: &Target,
        depth: usize,
        builder: &mut Builder,
        budget: &mut Budget,
    ) -> Option<()> {
        let base = &client.server.url;
        let url = format!("{base}/{name}");
        let answer = client.ask(Ask::get(&url, "the read of what a candidate refers to"), budget).ok()?;
        let text = page::checked(&answer.body, &answer.content_type).ok()?;
        let value: Value = candor_json::from_str(text).ok()?;
        match answer.status {
            200 if is(&value, name) => {
                builder.answer(&url, &answer.body, text, vec![(text.trim(), Some(full_url.clone()))]);
                self.add(&value, base_of(full_url, name), base, depth + 1);
                Some(())
            }
            404 | 410 if outcome::is_outcome(&value) => Some(()),
            _ => None,
        }
    }

    /// Reads what refers to these resources, as `_has` asks for it, and names it. What comes is held against the search like
    /// all else.
    fn referring(
        &mut self,
        client: &Client,
        referred: &[String],
        (source, parameter): (&str, &str),
        (rest, value): (&str, &str),
        builder: &mut Builder,
        budget: &mut Budget,
    ) -> Vec<String> {
        let mut came = Vec::new();
        for names in referred.chunks(AT_ONCE) {
            let query = url::query([(parameter, names.join(",").as_str()), (rest, value)]);
            let url = format!("{}/{source}?{query}", client.server.url);
            self.asked += 1;
            match if self.asked > MOST { None } else { self.page(client, &url, source, builder, budget) } {
                Some(names) => came.extend(names),
                None => self.followed.cut = true,
            }
        }
        came
    }

    /// A page of it: the resources of the type that it is about, by their names.
    fn page(
        &mut self,
        client: &Client,
        url: &str,
        source: &str,
        builder: &mut Builder,
        budget: &mut Budget,
    ) -> Option<Vec<String>> {
        let base = &client.server.url;
        let answer = client.ask(Ask::get(url, "the search for what refers to a candidate"), budget).ok()?;
        let text = page::checked(&answer.body, &answer.content_type).ok().filter(|_| answer.status == 200)?;
        let page = page::read(text, source).ok()?;
        let (mut parts, mut came) = (Vec::new(), Vec::new());
        for entry in page.entries.into_iter().filter(|entry| entry.mode != Mode::Outcome) {
            let (Some(key), Some(raw)) = (entry.key, entry.resource) else { continue };
            if key.name.split('/').next() == Some(source) {
                came.push(key.name.clone());
            }
            if !self.known.insert(key.name.clone()) {
                continue;
            }
            let full_url = entry.full_url.unwrap_or_else(|| format!("{base}/{}", key.name));
            self.from(raw, &key.name, &full_url, base);
            parts.push((raw, Some(full_url)));
        }
        builder.answer(&client.secrets.strained(url), &answer.body, text, parts);
        self.followed.cut |= page.next.is_some();
        Some(came)
    }
}

/// `_has:Type:parameter:rest` taken apart.
fn referring(name: &str) -> Option<(&str, &str, &str)> {
    let mut parts = name.strip_prefix("_has:")?.splitn(3, ':');
    Some((parts.next()?, parts.next()?, parts.next()?))
}

/// Returns `true` if a resource is the one that was asked for, `Type/id`.
fn is(value: &Value, name: &str) -> bool {
    let member = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    name.split_once('/') == Some((member("resourceType"), member("id")))
}
