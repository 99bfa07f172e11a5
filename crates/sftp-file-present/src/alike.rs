//! Aligns the rows of two states of a file. Equal rows are removed from both, so that an inserted row is one change and not
//! a change of every row after it.

use std::collections::{BTreeMap, HashMap};

use candor_check::difference::CONTENT;
use candor_json::{Map, Value};

type Fields = Vec<(String, Value)>;

/// Why the file was not read by its format: a field of such a state.
pub(crate) const UNREAD: &str = CONTENT;

const NUMBERED: [&str; 4] = ["$rows", "$lines", "$messages", "$sets"];

/// Takes out of both what is equal.
pub(crate) fn align(before: &mut Fields, after: &mut Fields) {
    let unread = |fields: &Fields| fields.iter().find(|(path, _)| path == UNREAD).map(|(_, why)| why.clone());
    let (was, is) = (unread(before), unread(after));
    if was != is {
        for (fields, why) in [(before, was), (after, is)] {
            if why.is_none() {
                fields.insert(0, (UNREAD.to_owned(), Value::from("sound")));
            }
        }
        return;
    }
    for name in NUMBERED {
        let (was, is) = (Parts::take(before, name), Parts::take(after, name));
        was.against(is, name, before, after);
    }
}

struct Parts {
    numbers: Vec<usize>,
    parts: Vec<Fields>,
}

impl Parts {
    fn take(fields: &mut Fields, name: &str) -> Self {
        let number = |path: &str| {
            let below = path.strip_prefix(name)?.strip_prefix('.')?;
            let (number, rest) = below.split_once('.').unwrap_or((below, ""));
            Some((number.parse::<usize>().ok()?, rest.to_owned()))
        };
        let mut all: BTreeMap<usize, Fields> = BTreeMap::new();
        fields.retain_mut(|(path, value)| match number(path) {
            Some((number, rest)) => {
                all.entry(number).or_default().push((rest, value.take()));
                false
            }
            None => true,
        });
        let (numbers, parts) = all.into_iter().unzip();
        Self { numbers, parts }
    }

    /// Leaves in both what differs: of two in one place their fields, by the number of now; of one alone the whole.
    fn against(self, is: Self, name: &str, before: &mut Fields, after: &mut Fields) {
        let mut from = (0, 0);
        let end = (self.parts.len(), is.parts.len());
        for (to, next) in
            common(&self.parts, &is.parts).into_iter().map(|at| (at, (at.0 + 1, at.1 + 1))).chain([(end, end)])
        {
            let was = self.between(from.0, to.0);
            let now = is.between(from.1, to.1);
            from = next;
            let in_pairs = was.len() == now.len();
            let put = |fields: &mut Fields, number: usize, part: &Fields| match in_pairs {
                true => fields.extend(part.iter().map(|(path, value)| (joined(name, number, path), value.clone()))),
                false => fields.push((joined(name, number, ""), whole(part))),
            };
            for (at, (number, part)) in was.iter().enumerate() {
                let number = now.get(at).filter(|_| in_pairs).map_or(*number, |(number, _)| *number);
                put(before, number, part);
            }
            now.iter().for_each(|(number, part)| put(after, *number, part));
        }
    }

    fn between(&self, from: usize, to: usize) -> Vec<(usize, &Fields)> {
        let numbered = self.numbers.iter().copied().zip(&self.parts);
        numbered.take(to).skip(from).collect()
    }
}

fn joined(name: &str, number: usize, path: &str) -> String {
    if path.is_empty() { format!("{name}.{number}") } else { format!("{name}.{number}.{path}") }
}

fn whole(part: &Fields) -> Value {
    match part.as_slice() {
        [(path, value)] if path.is_empty() => value.clone(),
        fields => Value::Object(fields.iter().cloned().collect::<Map<_, _>>()),
    }
}

/// The places that two lists have in common, in order: what is equal from the start and from the end, and between them what
/// is there once in each and equal, as far as its order is the same, with the neighbours that are equal too.
fn common(before: &[Fields], after: &[Fields]) -> Vec<(usize, usize)> {
    let first = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (b, a) = (before.get(first..).unwrap_or_default(), after.get(first..).unwrap_or_default());
    let last = b.iter().rev().zip(a.iter().rev()).take_while(|(a, b)| a == b).count();
    let (b, a) = (b.get(..b.len() - last).unwrap_or_default(), a.get(..a.len() - last).unwrap_or_default());
    let text = |part: &Fields| whole(part).to_string();
    let mut seen: HashMap<String, (usize, usize, usize, usize)> = HashMap::new();
    for (at, part) in b.iter().enumerate() {
        let one = seen.entry(text(part)).or_default();
        *one = (one.0 + 1, one.1, at, 0);
    }
    for (at, part) in a.iter().enumerate() {
        if let Some(one) = seen.get_mut(&text(part)) {
            *one = (one.0, one.1 + 1, one.2, at);
        }
    }
    let mut once: Vec<(usize, usize)> =
        seen.into_values().filter(|one| (one.0, one.1) == (1, 1)).map(|one| (one.2, one.3)).collect();
    once.sort_unstable();
    let mut places: Vec<(usize, usize)> = (0..first).map(|at| (at, at)).collect();
    let mut free = (0, 0);
    for (mut was, mut is) in ascending(&once) {
        while was > free.0 && is > free.1 && b.get(was - 1) == a.get(is - 1) {
            (was, is) = (was - 1, is - 1);
        }
        while was >= free.0 && is >= free.1 && was < b.len() && is < a.len() && b.get(was) == a.get(is) {
            places.push((first + was, first + is));
            (was, is) = (was + 1, is + 1);
            free = (was, is);
        }
    }
    places.extend((0..last).rev().map(|at| (before.len() - 1 - at, after.len() - 1 - at)));
    places
}

/// The most pairs, of those that ascend in the first, that ascend in the second (patience sorting).
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |at: usize| pairs.get(at).map_or(0, |pair| pair.1);
    for at in 0..pairs.len() {
        let place = ends.partition_point(|end| second(*end) < second(at));
        previous.push(place.checked_sub(1).and_then(|place| ends.get(place).copied()));
        match ends.get_mut(place) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chain.extend(pairs.get(at).copied());
        next = previous.get(at).copied().flatten();
    }
    chain.reverse();
    chain
}
