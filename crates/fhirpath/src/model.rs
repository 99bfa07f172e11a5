//! Type information: the elements of FHIR's types, read once from `data/`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameId(u32);

/// FNV-1a, for the short names of a fixed table: nothing hostile is ever put into it.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type ByName<T> = HashMap<&'static str, T, BuildHasherDefault<Fnv>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitive {
    Boolean,
    Integer,
    Long,
    Decimal,
    Text,
    Date,
    DateTime,
    Time,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Child {
    One(TypeId),
    /// A choice: its JSON member carries the type's name. Which types a release allows there is not asked.
    Choice,
}

#[derive(Debug)]
pub(crate) struct TypeDefinition {
    /// The path for the type of a backbone element, the name for others.
    pub path: &'static str,
    pub base: Option<TypeId>,
    pub primitive: Option<Primitive>,
    children: Vec<(NameId, Child)>,
    is_resource: bool,
    pub is_later: bool,
}

pub(crate) struct Model {
    pub types: Vec<TypeDefinition>,
    by_name: ByName<TypeId>,
    /// Types by the end of a choice's JSON member: a type's name, its first letter in upper case.
    by_suffix: HashMap<String, TypeId, BuildHasherDefault<Fnv>>,
    names: ByName<NameId>,
}

static MODEL: LazyLock<Model> = LazyLock::new(Model::load);

const PRIMITIVES: &[(&str, Primitive)] = &[
    ("boolean", Primitive::Boolean),
    ("integer", Primitive::Integer),
    ("positiveInt", Primitive::Integer),
    ("unsignedInt", Primitive::Integer),
    ("integer64", Primitive::Long),
    ("decimal", Primitive::Decimal),
    ("string", Primitive::Text),
    ("code", Primitive::Text),
    ("id", Primitive::Text),
    ("markdown", Primitive::Text),
    ("uri", Primitive::Text),
    ("url", Primitive::Text),
    ("canonical", Primitive::Text),
    ("uuid", Primitive::Text),
    ("oid", Primitive::Text),
    ("base64Binary", Primitive::Text),
    ("xhtml", Primitive::Text),
    ("date", Primitive::Date),
    ("dateTime", Primitive::DateTime),
    ("instant", Primitive::DateTime),
    ("time", Primitive::Time),
];

pub(crate) fn model() -> &'static Model {
    &MODEL
}

impl Model {
    fn load() -> Self {
        let r4 = include_str!("../data/r4-elements.tsv").lines().map(|line| (line, false));
        let later = include_str!("../data/later-types.tsv").lines().map(|line| (line, true));
        let mut rows = Vec::new();
        let mut by_name = ByName::default();
        for (line, is_later) in r4.chain(later) {
            let mut columns = line.split('\t');
            let path = columns.next().unwrap_or_default();
            let base = columns.next().unwrap_or_default();
            by_name.insert(path, TypeId(u32::try_from(rows.len()).unwrap_or(u32::MAX)));
            rows.push((path, base, columns.next().unwrap_or_default(), is_later));
        }
        let mut names: ByName<NameId> = ByName::default();
        let mut types: Vec<TypeDefinition> = Vec::with_capacity(rows.len());
        for (path, base, children, is_later) in rows {
            let children = children.split_ascii_whitespace().filter_map(|child| {
                let (name, child) = Self::child(&by_name, path, child)?;
                let next = NameId(u32::try_from(names.len()).unwrap_or(u32::MAX));
                Some((*names.entry(name).or_insert(next), child))
            });
            types.push(TypeDefinition {
                path,
                base: by_name.get(base).copied(),
                primitive: PRIMITIVES.iter().find(|(name, _)| *name == path).map(|(_, primitive)| *primitive),
                children: children.collect(),
                is_resource: false,
                is_later,
            });
        }
        let mut model = Self { types, by_name, by_suffix: HashMap::default(), names };
        model.derive();
        model
    }

    fn derive(&mut self) {
        let resource = self.named("Resource");
        let ids = (0..self.types.len()).map(|at| TypeId(u32::try_from(at).unwrap_or(u32::MAX)));
        let derived: Vec<(bool, Vec<(NameId, Child)>)> = ids
            .map(|id| {
                let mut all = Vec::new();
                let mut at = Some(id);
                while let Some(definition) = at.and_then(|id| self.get(id)) {
                    all.extend(definition.children.iter().copied());
                    at = definition.base;
                }
                all.sort_by_key(|(name, _)| *name);
                all.dedup_by_key(|(name, _)| *name);
                (resource.is_some_and(|resource| self.is_a(id, resource)), all)
            })
            .collect();
        for (definition, (is_resource, children)) in self.types.iter_mut().zip(derived) {
            (definition.is_resource, definition.children) = (is_resource, children);
        }
        for (name, id) in &self.by_name {
            let is_primitive = self.get(*id).is_some_and(|definition| definition.primitive.is_some());
            let mut letters = name.chars();
            let suffix = match letters.next() {
                Some(first) if is_primitive || first.is_ascii_uppercase() => {
                    first.to_ascii_uppercase().to_string() + letters.as_str()
                }
                _ => continue,
            };
            if !name.contains('.') {
                self.by_suffix.insert(suffix, *id);
            }
        }
    }

    fn child(by_name: &ByName<TypeId>, path: &str, child: &'static str) -> Option<(&'static str, Child)> {
        let (name, target) = child.split_once(':')?;
        let target = target.strip_suffix('*').unwrap_or(target);
        if target.starts_with('?') {
            return Some((name, Child::Choice));
        }
        let id = match target.strip_prefix('#') {
            Some(other) => by_name.get(other),
            None if target == "." => by_name.get(format!("{path}.{name}").as_str()),
            None => by_name.get(target.split('|').next().unwrap_or(target)),
        };
        Some((name, Child::One(*id?)))
    }

    pub(crate) fn named(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn get(&self, id: TypeId) -> Option<&TypeDefinition> {
        self.types.get(id.0 as usize)
    }

    /// The name of an element, where any type has one of it.
    pub(crate) fn name_id(&self, name: &str) -> Option<NameId> {
        self.names.get(name).copied()
    }

    pub(crate) fn element(&self, id: TypeId, name: &str) -> Option<Child> {
        self.element_of(id, self.name_id(name)?)
    }

    pub(crate) fn element_of(&self, id: TypeId, name: NameId) -> Option<Child> {
        let children = &self.get(id)?.children;
        let at = children.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        children.get(at).map(|(_, child)| *child)
    }

    /// True if `id` is `base` or derived from it.
    pub(crate) fn is_a(&self, id: TypeId, base: TypeId) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            if id == base {
                return true;
            }
            at = self.get(id).and_then(|definition| definition.base);
        }
        false
    }

    pub(crate) fn is_resource(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|definition| definition.is_resource)
    }

    /// True if all elements of the type are known; false for a type that later releases brought.
    pub(crate) fn is_complete(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|definition| !definition.is_later)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.types.iter().map(|definition| definition.path).filter(|path| !path.contains('.'))
    }

    /// The type's name; that of the base for the type of a backbone element.
    pub(crate) fn name(&self, id: TypeId) -> &'static str {
        match self.get(id) {
            Some(definition) if !definition.path.contains('.') => definition.path,
            Some(TypeDefinition { base: Some(base), .. }) => self.name(*base),
            _ => "Element",
        }
    }

    /// The type whose name, its first letter in upper case, is the end of a choice's JSON member.
    pub(crate) fn of_suffix(&self, suffix: &str) -> Option<TypeId> {
        self.by_suffix.get(suffix).copied()
    }
}
