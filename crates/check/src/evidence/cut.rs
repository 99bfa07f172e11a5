//! Cutting evidence to a limit: status, reason and share stay, and the evidence counts the entries that it leaves out.

use std::collections::BTreeSet;

use candor_json::{Map, Value, json};
use serde::Serialize;

use super::{Entry, Evidence, Weights};

/// The numbers of entries that evidence leaves out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cut {
    pub(crate) results: usize,
    /// The results among them that did not pass.
    pub(crate) open: usize,
    /// The results among them that were left out while judging and that details do not count yet; their weights.
    pub(super) before: usize,
    pub(super) weights: Weights,
    /// Entries of further members (`matchedPaths`).
    members: Vec<(String, usize)>,
}

impl Cut {
    /// The numbers by the names of members; `key` names the one that holds the results. `None` if nothing is left out.
    pub(super) fn to_value(&self, key: &str) -> Option<Value> {
        let results = (self.results > 0).then(|| (key.to_owned(), json!(self.results)));
        let members = self.members.iter().map(|(name, number)| (name.clone(), json!(number)));
        let cut: Map<String, Value> = results.into_iter().chain(members).collect();
        (!cut.is_empty()).then_some(Value::Object(cut))
    }
}

impl Evidence {
    /// The same evidence, whose results and other lists have at most `most` bytes as JSON, but one result at least.
    ///
    /// Results that did not pass come before those that passed; of both, the first and the last ones stay. Status, reason
    /// and share do not change. The member `cut` and the details have the number of entries that are left out.
    #[must_use]
    pub fn capped(mut self, most: u64) -> Self {
        let mut left_out = Vec::new();
        let mut room = most / 2;
        for (name, value) in &mut self.extra {
            let Value::Array(items) = value else { continue };
            let all = items.len();
            let fitting = items.iter().take_while(|item| takes(&mut room, bytes(item))).count();
            if fitting < all {
                items.truncate(fitting);
                left_out.push(format!("{} of {all} {name}", all - fitting));
                self.cut.members.push((name.clone(), all - fitting));
            }
        }
        room = room.saturating_add(most.div_ceil(2));
        let before = std::mem::take(&mut self.cut.before);
        let (all, kept) = (self.results.len() + before, kept(&self.results, room));
        let cuts = !left_out.is_empty() || kept.len() < self.results.len();
        let limit = if cuts { "limit max_evidence" } else { "only the first and the last 8 MiB are kept" };
        if kept.len() < all {
            let open = |results: &[Entry]| results.iter().filter(|entry| !entry.passed()).count();
            let all_open = open(&self.results);
            let results = std::mem::take(&mut self.results).into_iter().enumerate();
            self.results = results.filter(|(index, _)| kept.contains(index)).map(|(_, entry)| entry).collect();
            self.results.shrink_to_fit();
            self.cut.results += all - before - kept.len();
            self.cut.open += all_open - open(&self.results);
            left_out.insert(0, format!("{} of {all} results", all - kept.len()));
        }
        match left_out.is_empty() {
            true => self,
            false => self.adding(&format!("The evidence leaves out {} ({limit}).", left_out.join(" and "))),
        }
    }
}

/// The indices of the results that fit into so many bytes, from both ends inwards.
fn kept(results: &[Entry], mut room: u64) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    for passed in [false, true] {
        let mut of_kind = results.iter().enumerate().filter(|(_, entry)| entry.passed() == passed);
        let mut from_the_end = false;
        loop {
            let next = if from_the_end { of_kind.next_back() } else { of_kind.next() };
            let Some((index, entry)) = next else { break };
            if !takes(&mut room, bytes(entry)) && !kept.is_empty() {
                break;
            }
            kept.insert(index);
            from_the_end = !from_the_end;
        }
    }
    kept
}

/// Takes `size` bytes of the room that is left, if it has so many.
fn takes(room: &mut u64, size: u64) -> bool {
    let left = room.checked_sub(size);
    *room = left.unwrap_or(*room);
    left.is_some()
}

/// The length of a list's entry as JSON, with its comma.
fn bytes(entry: &impl Serialize) -> u64 {
    candor_json::to_string(entry).map_or(0, |json| json.len() as u64 + 1)
}
