//! What candidates refer to on the server, read for expressions that follow references.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::around::{Target, base_of, targets};
use super::budget::Budget;
use super::client::{Ask, Client};
use super::{outcome, page};
use crate::store::Builder;

/// The most requests.
const MOST: usize = 200;
/// How many references in a row are followed.
const DEEPEST: usize = 3;

/// What is still to be read, and what is known.
#[derive(Default)]
pub(super) struct Follow {
    open: VecDeque<(Target, usize)>,
    known: HashSet<String>,
}

impl Follow {
    /// A resource that came already.
    pub(super) fn came(&mut self, name: &str) {
        self.known.insert(name.to_owned());
    }

    /// What a resource refers to that came from `server` under this URL is to be read.
    pub(super) fn from(&mut self, resource: &str, name: &str, full_url: &str, server: &str) {
        self.add(&serde_json::from_str(resource).unwrap_or_default(), base_of(full_url, name), server, 1);
    }

    fn add(&mut self, resource: &Value, own: &str, server: &str, depth: usize) {
        self.open.extend(targets(resource, own, server).into_iter().map(|target| (target, depth)));
    }

    /// Reads it all into `builder`; true when some of it could not be read, so that a reference may lead to it. What a FHIR
    /// server says is not there is not there.
    pub(super) fn read(mut self, client: &Client, builder: &mut Builder, budget: &mut Budget) -> bool {
        let base = &client.server.url;
        let (mut asked, mut unread) = (0, false);
        while let Some((Target { name, full_url }, depth)) = self.open.pop_front() {
            if !self.known.insert(name.clone()) {
                continue;
            }
            if asked == MOST {
                return true;
            }
            asked += 1;
            let url = format!("{base}/{name}");
            let Ok(answer) = client.ask(Ask::get(&url, "the read of what a candidate refers to"), budget) else {
                unread = true;
                continue;
            };
            let read = page::checked(&answer.body, &answer.content_type).ok();
            let value: Option<Value> = read.and_then(|text| serde_json::from_str(text).ok());
            let (Some(text), Some(value)) = (read, value) else {
                unread = true;
                continue;
            };
            match answer.status {
                200 if !outcome::is_outcome(&value) => {
                    builder.answer(&url, &answer.body, text, vec![(text.trim(), Some(full_url.clone()))]);
                    if depth < DEEPEST {
                        self.add(&value, base_of(&full_url, &name), base, depth + 1);
                    }
                }
                404 | 410 if outcome::is_outcome(&value) => {}
                _ => unread = true,
            }
        }
        unread
    }
}
