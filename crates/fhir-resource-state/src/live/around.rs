//! The course of a search that found nothing: the resources of the type and those around them.
//!
//! A server that knows no chains, no `_has` and no `_list` is to refuse them, and some find nothing instead. An empty answer
//! of theirs would be booked as something that was not done. So the first resources of the type are read, and what they
//! refer to, as far as some requests reach, and our own search is asked.

use std::collections::{HashSet, VecDeque};

use candor_http_source::{Ask, Budget, Client, url};

use candor_json::Value;

use super::page::{self, Mode};
use crate::search::literal::{Literal, is_id};
use crate::search::{Search, types};
use crate::store::{Builder, Store};

/// The most requests.
const MOST: usize = 24;

pub(super) fn read(client: &Client, search: &Search, budget: &mut Budget) -> Store {
    let mut reading = Reading { client, builder: Builder::default(), open: VecDeque::new(), known: HashSet::new() };
    reading.open(search.resource_type());
    for (name, value) in search.conditions() {
        // `_has:Observation:patient:code`, nested or not.
        name.split([':', '.']).filter(|part| types::is_resource(part)).for_each(|part| reading.open(part));
        if name == "_filter"
            && let Ok(filter) = Search::compile(search.resource_type(), [(name, [value])])
        {
            filter.types_of_others().into_iter().for_each(|part| reading.open(part));
        }
        if name == "_list" && is_id(value) {
            reading.open(&format!("List/{value}"));
        }
    }
    for _ in 0..MOST {
        let Some(next) = reading.open.pop_front() else { break };
        reading.take(&next, budget);
    }
    reading.builder.finish()
}

struct Reading<'a> {
    client: &'a Client,
    builder: Builder,
    /// The things still to be read: a type, or one resource.
    open: VecDeque<Target>,
    /// The things that were read or came with something else.
    known: HashSet<String>,
}

impl Reading<'_> {
    fn open(&mut self, name: &str) {
        self.add(Target { name: name.to_owned(), full_url: format!("{}/{name}", self.client.server.url) });
    }

    fn add(&mut self, target: Target) {
        if self.known.insert(target.name.clone()) {
            self.open.push_back(target);
        }
    }

    /// Reads one; what cannot be read is left out.
    fn take(&mut self, target: &Target, budget: &mut Budget) {
        let base = &self.client.server.url;
        let url = format!("{base}/{}", target.name);
        let Ok(answer) = self.client.ask(Ask::get(&url, "a look around"), budget) else { return };
        let Ok(text) = page::checked(&answer.body, &answer.content_type) else { return };
        if answer.status != 200 {
            return;
        }
        let mut parts: Vec<(&str, Option<String>)> = Vec::new();
        let mut further = Vec::new();
        let mut part = |raw, name: &str, full_url: String| {
            let value: Value = candor_json::from_str(raw).unwrap_or_default();
            further.extend(targets(&value, base_of(&full_url, name), base));
            parts.push((raw, Some(full_url)));
        };
        if target.name.contains('/') {
            part(text.trim(), &target.name, target.full_url.clone());
        } else {
            let Ok(page) = page::read(text, &target.name) else { return };
            for entry in page.entries.into_iter().filter(|entry| entry.mode != Mode::Outcome) {
                let (Some(key), Some(raw)) = (entry.key, entry.resource) else { continue };
                part(raw, &key.name, entry.full_url.unwrap_or_else(|| format!("{base}/{}", key.name)));
                self.known.insert(key.name);
            }
        }
        self.builder.answer(&url, &answer.body, text, parts);
        further.into_iter().for_each(|target| self.add(target));
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    /// `Type/id`.
    pub(super) name: String,
    /// As the reference has it: on the base of the resource that it is in, or on its own.
    pub(super) full_url: String,
}

pub(super) fn base_of<'u>(full_url: &'u str, name: &str) -> &'u str {
    full_url.strip_suffix(name).map_or(full_url, |base| base.trim_end_matches('/'))
}

/// The resources that a resource on the base `own` refers to on the server at `server`, which may call itself by `own`.
pub(super) fn targets(value: &Value, own: &str, server: &str) -> Vec<Target> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("reference")
                    && let Literal::Restful { base, resource_type, id, .. } = Literal::parse(reference)
                    && base.is_none_or(|base| base == own || url::origin(base) == url::origin(server))
                {
                    let name = format!("{resource_type}/{id}");
                    found.push(Target { full_url: format!("{}/{name}", base.unwrap_or(own)), name });
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }
    found
}
