//! Sets of items by equality, found by hash so that large collections take time in proportion.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use candor_json::Value;

use super::{Evaluator, Items, Outcome};
use crate::decimal::Decimal;
use crate::error::{EvaluationError, Problem};
use crate::item::{Item, System};

/// How deep structures are hashed.
const DEEPEST: usize = 200;
/// Up to this many items are compared one by one.
const FEW: usize = 8;

/// Items, none equal to another, in the order in which they came.
pub(super) struct Unique<'e, 'c, 'a> {
    evaluator: &'e Evaluator<'c, 'a>,
    at: usize,
    items: Items<'a>,
    by_hash: HashMap<u64, Vec<usize>>,
    /// The dates and times among the items: whether another is equal may be left open by how they are written.
    temporals: Vec<usize>,
}

impl<'e, 'c, 'a> Unique<'e, 'c, 'a> {
    pub(super) fn new(evaluator: &'e Evaluator<'c, 'a>, at: usize) -> Self {
        Self { evaluator, at, items: Items::new(), by_hash: HashMap::new(), temporals: Vec::new() }
    }

    pub(super) fn of(evaluator: &'e Evaluator<'c, 'a>, items: &[Item<'a>], at: usize) -> Outcome<Self> {
        let mut unique = Self::new(evaluator, at);
        for item in items {
            unique.insert(item.clone())?;
        }
        Ok(unique)
    }

    pub(super) fn contains(&self, item: &Item<'a>) -> Outcome<bool> {
        if is_temporal(item) {
            return self.contains_temporal(item);
        }
        if self.items.len() <= FEW {
            for known in &self.items {
                if self.evaluator.equal(known, item, self.at)? == Some(true) {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let hash = self.evaluator.hash(item, self.at)?;
        for &at in self.by_hash.get(&hash).map(Vec::as_slice).unwrap_or_default() {
            if let Some(known) = self.items.get(at)
                && self.evaluator.equal(known, item, self.at)? == Some(true)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn contains_temporal(&self, item: &Item<'a>) -> Outcome<bool> {
        let mut open = None;
        for known in self.temporals.iter().filter_map(|&at| self.items.get(at)) {
            self.evaluator.count(self.at, 1)?;
            match self.evaluator.equal(known, item, self.at)? {
                Some(true) => return Ok(true),
                Some(false) => {}
                None => open = Some([known, item]),
            }
        }
        Ok(open.and_then(|sides| self.evaluator.open(sides)) == Some(true))
    }

    /// Adds an item; whether it was not there yet.
    pub(super) fn insert(&mut self, item: Item<'a>) -> Outcome<bool> {
        if self.contains(&item)? {
            return Ok(false);
        }
        if self.items.len() == FEW {
            for at in 0..FEW {
                if let Some(known) = self.items.get(at) {
                    let hash = self.evaluator.hash(known, self.at)?;
                    self.by_hash.entry(hash).or_default().push(at);
                }
            }
        }
        if self.items.len() >= FEW {
            let hash = self.evaluator.hash(&item, self.at)?;
            self.by_hash.entry(hash).or_default().push(self.items.len());
        }
        if is_temporal(&item) {
            self.temporals.push(self.items.len());
        }
        self.items.push(item);
        self.evaluator.check_size(self.at, self.items.len())?;
        Ok(true)
    }

    pub(super) fn into_items(self) -> Items<'a> {
        self.items
    }
}

impl<'a> Evaluator<'_, 'a> {
    fn hash(&self, item: &Item<'a>, at: usize) -> Outcome<u64> {
        let mut hasher = DefaultHasher::new();
        match item.system().as_deref() {
            Some(System::Boolean(value)) => (0u8, value).hash(&mut hasher),
            Some(System::String(text)) => {
                self.count(at, text.len() / 64)?;
                (1u8, &**text).hash(&mut hasher);
            }
            Some(System::Temporal(value)) => (2u8, value.key()).hash(&mut hasher),
            // Any two may be equal in other units.
            Some(System::Quantity(_)) => 3u8.hash(&mut hasher),
            Some(number) => (4u8, number.number().map(|number| number.trimmed(0).to_string())).hash(&mut hasher),
            None => match item {
                Item::Node(node) => match node.value.or(node.beside) {
                    Some(value) => self.hash_of(value, at, 0)?.hash(&mut hasher),
                    None => 5u8.hash(&mut hasher),
                },
                Item::Type(name) => (6u8, name.name).hash(&mut hasher),
                Item::System(_) => {}
            },
        }
        Ok(hasher.finish())
    }

    fn hash_of(&self, value: &Value, at: usize, depth: usize) -> Outcome<u64> {
        self.count(at, 1)?;
        if depth > DEEPEST {
            return Err(EvaluationError::new(at, Problem::Limit("structures nest deeper than are compared")));
        }
        let mut hasher = DefaultHasher::new();
        match value {
            Value::Null => 0u8.hash(&mut hasher),
            Value::Bool(value) => (1u8, value).hash(&mut hasher),
            Value::Number(number) => {
                let trimmed = Decimal::parse(number.as_str()).map(|number| number.trimmed(0).to_string());
                (2u8, trimmed.as_deref().unwrap_or(number.as_str())).hash(&mut hasher);
            }
            Value::String(text) => (3u8, text).hash(&mut hasher),
            Value::Array(items) => {
                for item in items {
                    self.hash_of(item, at, depth + 1)?.hash(&mut hasher);
                }
            }
            Value::Object(members) => {
                // The order of members says nothing.
                let mut all = 0u64;
                for (name, value) in members {
                    let mut member = DefaultHasher::new();
                    (name, self.hash_of(value, at, depth + 1)?).hash(&mut member);
                    all ^= member.finish();
                }
                all.hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

pub(super) fn is_temporal(item: &Item<'_>) -> bool {
    matches!(item.system().as_deref(), Some(System::Temporal(_)))
}
