//! The comparison: two listings, hash against hash, and the fields of what differs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

use candor_json::{Value, json};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::field::Location;
use crate::outcome::{Obstacle, Unverifiable};
use crate::sandbox::{Gaps, OpenedPart, PartRecord, keys_of_both};
use crate::work::wanted;

/// A record that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The part.
    pub part: String,
    /// The kind of the record; empty where the part has no such division.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub collection: String,
    /// The record, its collection before it: `Appointment/7`. Where several have one name, the second is `…#2`.
    pub record: String,
    /// Its number among those of its name, from 1.
    pub number: u32,
    /// Its change.
    #[serde(flatten)]
    pub change: Change,
    /// Where it is now, or was before where it is gone.
    pub place: Location,
}

impl Difference {
    /// The record without its number: what it is called by itself.
    #[must_use]
    pub fn name(&self) -> &str {
        let numbered = self.record.strip_suffix(&format!("#{}", self.number)).filter(|_| self.number > 1);
        numbered.unwrap_or(&self.record)
    }
}

/// The change of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum Change {
    /// It came.
    Added,
    /// It is gone.
    Removed,
    /// It has other fields.
    Changed {
        /// Those that differ, in the record's own order.
        fields: Vec<FieldChange>,
    },
}

impl Change {
    /// The word for it: `added`, `removed`, `changed`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed { .. } => "changed",
        }
    }
}

/// A field that differs. A member is left out where the field was not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldChange {
    /// The field's path in the record.
    pub path: String,
    /// Its value before.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    pub before: Option<Value>,
    /// Its value now.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    pub after: Option<Value>,
}

fn there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The outcome of a comparison of two sandboxes.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The key of each collection: the fields that identify its records.
    pub keys: BTreeMap<String, Vec<String>>,
    /// How many records there are on either side, each counted once.
    pub records: u64,
    /// Places that could not be read before. A record that seems new may have been there.
    pub before: Gaps,
    /// Places that cannot be read now. A record that seems gone may still be there.
    pub after: Gaps,
}

/// A hash of a record's name. Half of SHA-256: of a billion names no two are expected to meet.
type Key = [u8; 16];

/// The digest of a record from before.
struct Slot {
    digest: [u8; 16],
    state: State,
    /// The file, by its number, and the bytes in it.
    file: u32,
    span: Option<(u64, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not there any more, as far as was read.
    Missing,
    Same,
    Changed,
}

/// Numbers the records of one listing that share a name. Only names that were there before are kept.
#[derive(Default)]
struct Numbers(HashMap<Key, u32>);

impl Numbers {
    /// The record's key, and its number among those of its name. `stood` is whether one of the name went by.
    fn next(&mut self, record: &PartRecord, stood: impl Fn(&Key) -> bool) -> (Key, u32) {
        let name = hashed(&[record.collection.as_bytes(), record.key.as_bytes()]);
        if !stood(&name) {
            return (name, 1);
        }
        let number = *self.0.entry(name).and_modify(|number| *number += 1).or_insert(2);
        (hashed(&[&name, &number.to_le_bytes()]), number)
    }
}

fn hashed(texts: &[&[u8]]) -> Key {
    let mut whole = Vec::with_capacity(64);
    for text in texts {
        whole.extend_from_slice(&(text.len() as u64).to_le_bytes());
        whole.extend_from_slice(text);
    }
    half(&Sha256::digest(whole).into())
}

fn half(digest: &[u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(digest.split_at(16).0);
    half
}

/// A record that differs, before its fields are read.
struct Pair {
    before: Option<PartRecord>,
    after: Option<PartRecord>,
}

/// Compares a part of two sandboxes. `each` is handed what differs, in order of the records' names, until it breaks.
///
/// Memory is taken for a hash of each record of `before` and for the names of those that differ.
///
/// # Errors
/// When either side cannot be listed, or a record that differs cannot be read.
pub fn differences(
    part: &str,
    before: &dyn OpenedPart,
    after: &dyn OpenedPart,
    each: &mut dyn FnMut(Difference) -> ControlFlow<()>,
) -> Result<Compared, Unverifiable> {
    let keys = keys_of_both(before.keys()?, after.keys()?);
    let mut slots: HashMap<Key, Slot> = HashMap::new();
    let mut numbers = Numbers::default();
    let mut files: Vec<String> = Vec::new();
    let mut filled: HashSet<String> = HashSet::new();
    let of_before = list(before, &keys, &mut |record| {
        if !filled.contains(&record.collection) {
            filled.insert(record.collection.clone());
        }
        let (key, _) = numbers.next(&record, |name| slots.contains_key(name));
        let Location { locator, span } = record.place;
        if files.last() != Some(&locator) {
            files.push(locator);
        }
        let file = u32::try_from(files.len() - 1).unwrap_or(u32::MAX);
        slots.insert(key, Slot { digest: half(&record.digest), state: State::Missing, file, span });
    })?;
    let mut records = slots.len() as u64;
    let mut pairs: BTreeMap<(String, String, u32), Pair> = BTreeMap::new();
    let mut numbers = Numbers::default();
    let mut new: HashSet<Key> = HashSet::new();
    let of_after = list(after, &keys, &mut |record| {
        if !filled.contains(&record.collection) {
            filled.insert(record.collection.clone());
        }
        let stood = |name: &Key| match slots.get(name) {
            Some(slot) => slot.state != State::Missing,
            None => new.contains(name),
        };
        let (key, number) = numbers.next(&record, stood);
        let was = match slots.get_mut(&key) {
            Some(slot) if slot.digest == half(&record.digest) => {
                slot.state = State::Same;
                return;
            }
            Some(slot) => {
                slot.state = State::Changed;
                let locator = usize::try_from(slot.file).ok().and_then(|file| files.get(file)).cloned();
                let place = Location { locator: locator.unwrap_or_default(), span: slot.span };
                Some(PartRecord { place, ..record.clone() })
            }
            None => {
                records += 1;
                new.insert(key);
                None
            }
        };
        let name = (record.collection.clone(), record.key.clone(), number);
        pairs.insert(name, Pair { before: was, after: Some(record) });
    })?;
    drop(new);
    let mut wanted_still = slots.values().filter(|slot| slot.state == State::Missing).count();
    if wanted_still > 0 {
        let mut numbers = Numbers::default();
        let mut stood: HashSet<Key> = HashSet::new();
        visit(before, &keys, &mut |record| {
            let (key, number) = numbers.next(&record, |name| stood.contains(name));
            if number == 1 {
                stood.insert(key);
            }
            if slots.get(&key).is_some_and(|slot| slot.state == State::Missing) {
                let name = (record.collection.clone(), record.key.clone(), number);
                pairs.insert(name, Pair { before: Some(record), after: None });
                wanted_still -= 1;
            }
            if wanted_still == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if wanted_still > 0 {
            let details = format!("{part}: the records from before became others while they were compared");
            return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
        }
    }
    drop(slots);
    // A table without rows has nothing that the listings show.
    let (was, is) = (before.collections(), after.collections());
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).filter(|name| !filled.contains(*name)).collect();
    for name in names {
        let change = match (was.get(name), is.get(name)) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            (Some(was), Some(is)) if was == is || was.is_empty() || is.is_empty() => continue,
            (Some(was), Some(is)) => {
                let (before, after) = (Some(json!(was)), Some(json!(is)));
                Change::Changed { fields: vec![FieldChange { path: "$columns".to_owned(), before, after }] }
            }
        };
        let (part, collection, record) = (part.to_owned(), name.clone(), name.clone());
        let place = Location::whole(format!("{part}/"));
        if each(Difference { part, collection, record, number: 1, change, place }).is_break() {
            return Ok(Compared { keys, records, before: of_before, after: of_after });
        }
    }
    for ((_, _, number), pair) in pairs {
        wanted()?;
        if let Some(difference) = difference(part, before, after, pair, number)?
            && each(difference).is_break()
        {
            break;
        }
    }
    Ok(Compared { keys, records, before: of_before, after: of_after })
}

type Keys = BTreeMap<String, Vec<String>>;

fn list(part: &dyn OpenedPart, keys: &Keys, each: &mut dyn FnMut(PartRecord)) -> Result<Gaps, Unverifiable> {
    visit(part, keys, &mut |record| {
        each(record);
        ControlFlow::Continue(())
    })
}

fn visit(
    part: &dyn OpenedPart,
    keys: &Keys,
    each: &mut dyn FnMut(PartRecord) -> ControlFlow<()>,
) -> Result<Gaps, Unverifiable> {
    let mut stopped = Ok(());
    let gaps = part.records_by(keys, &mut |record| {
        let flow = each(record);
        stopped = wanted();
        if stopped.is_err() { ControlFlow::Break(()) } else { flow }
    })?;
    stopped.map(|()| gaps)
}

fn difference(
    part: &str,
    before: &dyn OpenedPart,
    after: &dyn OpenedPart,
    pair: Pair,
    number: u32,
) -> Result<Option<Difference>, Unverifiable> {
    let change = match (&pair.before, &pair.after) {
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
        (Some(was), Some(is)) => {
            let (mut was, mut is) = (before.fields(was)?, after.fields(is)?);
            let mut fields = changed(was.clone(), is.clone());
            if fields.is_empty() {
                // The same leaves: an array in the place of an object, or segments in another order.
                fields.push(FieldChange { path: super::CONTENT.to_owned(), before: None, after: None });
            } else {
                after.align(&mut was, &mut is);
                fields = changed(was, is);
                if fields.is_empty() {
                    return Ok(None);
                }
            }
            Change::Changed { fields }
        }
    };
    let Some(record) = pair.after.or(pair.before) else { return Ok(None) };
    let name = record.name();
    Ok(Some(Difference {
        part: part.to_owned(),
        record: if number == 1 { name } else { format!("{name}#{number}") },
        number,
        collection: record.collection,
        change,
        place: record.place,
    }))
}

/// The fields that differ: those of now in their order, then those that are gone. Fields that share a path are held against
/// one another in their order.
fn changed(before: Vec<(String, Value)>, after: Vec<(String, Value)>) -> Vec<FieldChange> {
    let mut was: HashMap<String, std::collections::VecDeque<(usize, Value)>> = HashMap::new();
    for (at, (path, value)) in before.into_iter().enumerate() {
        was.entry(path).or_default().push_back((at, value));
    }
    let mut changes = Vec::new();
    for (path, value) in after {
        let before = was.get_mut(&path).and_then(std::collections::VecDeque::pop_front).map(|(_, value)| value);
        let same = before.as_ref().is_some_and(|before| {
            *before == value || super::canonical_digest(before) == super::canonical_digest(&value)
        });
        if !same {
            changes.push(FieldChange { path, before, after: Some(value) });
        }
    }
    let mut gone: Vec<(usize, FieldChange)> = was
        .into_iter()
        .flat_map(|(path, values)| values.into_iter().map(move |(at, value)| (at, path.clone(), value)))
        .map(|(at, path, value)| (at, FieldChange { path, before: Some(value), after: None }))
        .collect();
    gone.sort_by_key(|(at, _)| *at);
    changes.extend(gone.into_iter().map(|(_, change)| change));
    changes
}
