//! The list of sentences that break a rule.

use std::collections::HashMap;

use super::Hit;

/// The characters of a sentence that a line of the list has.
pub(crate) const BEGINNING: usize = 60;

const BECAUSE: &str = " because ";

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) rule: String,
    beginning: String,
    reason: Option<String>,
}

impl Entry {
    /// The entry of a sentence. Its beginning never contains [`BECAUSE`].
    pub(crate) fn new(path: &str, rule: &str, sentence: &str) -> Self {
        let beginning: String = sentence.chars().take(BEGINNING).collect();
        let beginning = beginning.split(BECAUSE).next().unwrap_or_default().trim().to_owned();
        Self { path: path.to_owned(), rule: rule.to_owned(), beginning, reason: None }
    }
}

pub(crate) fn parse(list: &str) -> Result<Vec<Entry>, String> {
    let entries = list.lines().map(|line| {
        let mut parts = line.splitn(3, ": ");
        let (Some(path), Some(rule), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("{}: `{line}` is not `PATH: RULE: BEGINNING`", super::LIST));
        };
        let (beginning, reason) = rest.split_once(BECAUSE).unwrap_or((rest, ""));
        let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        Ok(Entry { reason, ..Entry::new(path, rule, beginning) })
    });
    entries.collect()
}

pub(crate) fn render(mut entries: Vec<Entry>) -> String {
    entries.sort();
    let lines = entries.into_iter().map(|Entry { path, rule, beginning, reason }| {
        let reason = reason.map(|reason| BECAUSE.to_owned() + &reason).unwrap_or_default();
        format!("{path}: {rule}: {beginning}{reason}\n")
    });
    lines.collect()
}

/// The entries that a tree still has, each with the path that it has now, and the hits that are not listed.
pub(crate) fn compare(listed: Vec<Entry>, hits: Vec<Hit>) -> (Vec<Entry>, Vec<Hit>) {
    let (mut kept, stale, moved) = matched(listed, hits, true);
    let (followed, _, new) = matched(stale, moved, false);
    kept.extend(followed);
    (kept, new)
}

/// Pairs entries with hits, by path or by sentence alone. Returns the paired entries, and both remainders.
fn matched(listed: Vec<Entry>, hits: Vec<Hit>, by_path: bool) -> (Vec<Entry>, Vec<Entry>, Vec<Hit>) {
    let key = |entry: &Entry| {
        let path = if by_path { entry.path.clone() } else { String::new() };
        (path, entry.rule.clone(), entry.beginning.clone())
    };
    let mut open: HashMap<_, Vec<Entry>> = HashMap::new();
    for entry in listed {
        open.entry(key(&entry)).or_default().push(entry);
    }
    let (mut kept, mut new) = (Vec::new(), Vec::new());
    for hit in hits {
        match open.get_mut(&key(&hit.entry)).and_then(Vec::pop) {
            Some(Entry { reason, .. }) => kept.push(Entry { reason, ..hit.entry }),
            None => new.push(hit),
        }
    }
    (kept, open.into_values().flatten().collect(), new)
}

/// How many entries without a reason a commit adds. One that moves to another file is not added.
pub(crate) fn added(before: Vec<Entry>, after: &[Entry]) -> usize {
    let hits = after.iter().filter(|entry| entry.reason.is_none());
    let hit = |entry: &Entry| Hit { entry: entry.clone(), line: 0, sentence: String::new(), instead: "" };
    matched(before, hits.map(hit).collect(), false).2.len()
}
