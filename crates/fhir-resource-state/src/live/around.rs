//! What a search that found nothing goes through: the resources of the type and those around them.
//!
//! A server that knows no chains, no `_has` and no `_list` is to refuse them, and some find nothing instead. An empty answer
//! of theirs would be booked as something that was not done. So the first resources of the type are read, and what they
//! refer to, as far as some requests reach, and our own search is asked.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::budget::Budget;
use super::client::{Ask, Client};
use super::page::{self, Mode};
use super::url;
use crate::search::literal::{Literal, is_id};
use crate::search::{Search, types};
use crate::store::{Builder, Store};

/// The most requests.
const MOST: usize = 24;

/// The resources around a search, as far as they could be read.
pub(super) fn read(client: &Client, search: &Search, budget: &mut Budget) -> Store {
    let mut reading = Reading { client, builder: Builder::default(), open: VecDeque::new(), known: HashSet::new() };
    reading.open(search.resource_type().to_owned());
    for (name, value) in search.conditions() {
        // `_has:Observation:patient:code`, nested or not.
        name.split([':', '.']).filter(|part| types::is_resource(part)).for_each(|part| reading.open(part.to_owned()));
        if name == "_list" && is_id(value) {
            reading.open(format!("List/{value}"));
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
    /// What is still to be read: a type, or a type and an id.
    open: VecDeque<String>,
    /// What was read or came with something else.
    known: HashSet<String>,
}

impl Reading<'_> {
    fn open(&mut self, what: String) {
        if self.known.insert(what.clone()) {
            self.open.push_back(what);
        }
    }

    /// Reads one; what cannot be read is left out.
    fn take(&mut self, what: &str, budget: &mut Budget) {
        let base = &self.client.server.url;
        let url = format!("{base}/{what}");
        let Ok(answer) = self.client.ask(Ask::get(&url, "a look around"), budget) else { return };
        let Ok(text) = page::checked(&answer.body, &answer.content_type) else { return };
        if answer.status != 200 {
            return;
        }
        let named = |name: &str| Some(format!("{base}/{name}"));
        let parts = match what.split_once('/') {
            Some(_) => vec![(text.trim(), named(what))],
            None => {
                let Ok(page) = page::read(text, what) else { return };
                let entries = page.entries.into_iter().filter(|entry| entry.mode != Mode::Outcome);
                let entries = entries.filter_map(|entry| {
                    let key = entry.key?;
                    let full_url = entry.full_url.or_else(|| named(&key.name));
                    self.known.insert(key.name);
                    Some((entry.resource?, full_url))
                });
                entries.collect()
            }
        };
        let values: Vec<Value> = parts.iter().filter_map(|(raw, _)| serde_json::from_str(raw).ok()).collect();
        self.builder.answer(&url, &answer.body, text, parts);
        for target in values.iter().flat_map(|value| targets(value, base)) {
            self.open(target);
        }
    }
}

/// The `Type/id` that a resource refers to on the server itself.
pub(super) fn targets(value: &Value, base: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("reference")
                    && let Literal::Restful { base: of, resource_type, id, .. } = Literal::parse(reference)
                    && of.is_none_or(|of| url::origin(of) == url::origin(base))
                {
                    found.push(format!("{resource_type}/{id}"));
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::targets;

    #[test]
    fn what_is_elsewhere_is_not_asked_for() {
        let resource = json!({
            "subject": {"reference": "Patient/1"}, "performer": [{"reference": "https://a.example/r4/Practitioner/2"}],
            "encounter": {"reference": "https://b.example/r4/Encounter/3"}, "focus": {"reference": "urn:uuid:4"},
            "note": "Patient/5"
        });
        let mut found = targets(&resource, "https://a.example/r4");
        found.sort();
        assert_eq!(found, ["Patient/1", "Practitioner/2"]);
    }
}
