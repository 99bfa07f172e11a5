//! The tables of one version: text to message structures and segment definitions, read once and when they are asked for.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use crate::datatype::{Part, parts};
use crate::grammar::Grammar;

/// The tables of one version of the standard.
#[derive(Debug)]
pub struct Version {
    name: &'static str,
    text: &'static str,
    tables: OnceLock<Tables>,
}

#[derive(Debug)]
struct Tables {
    structures: HashMap<&'static str, Structure>,
    /// By id, in order.
    segments: Vec<([u8; 3], Segment)>,
    ids: Vec<&'static str>,
}

#[derive(Debug)]
struct Structure {
    text: &'static str,
    grammar: OnceLock<Grammar>,
}

#[derive(Debug)]
pub(crate) struct Segment {
    /// Empty in a table that does not name it.
    pub(crate) name: &'static str,
    /// By number, from 1; a number without a definition was withdrawn.
    fields: Vec<Option<Field>>,
    /// The numbers of those that are required, in order.
    pub(crate) required: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) repeats: bool,
    pub(crate) parts: &'static [Part],
    pub(crate) name: &'static str,
}

macro_rules! versions {
    ($($name:literal),*) => {
        [$(Version { name: $name, text: include_str!(concat!("../data/", $name, ".txt")), tables: OnceLock::new() }),*]
    };
}

static VERSIONS: [Version; 12] =
    versions!["2.1", "2.2", "2.3", "2.3.1", "2.4", "2.5", "2.5.1", "2.6", "2.7", "2.8", "2.8.1", "2.8.2"];

/// Table 0354: by event, the structures that use it, in the order of the table.
static EVENTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut events: HashMap<_, Vec<_>> = HashMap::new();
    for line in include_str!("../data/table-0354.txt").lines() {
        let mut words = line.split(' ');
        let Some(name) = words.next() else { continue };
        words.for_each(|event| events.entry(event).or_default().push(name));
    }
    events
});

impl Version {
    /// The version with this id, as MSH-12.1 holds it: `2.5.1`. Version 2.7.1 has the tables of 2.7.
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        let id = match id.trim() {
            "2.7.1" => "2.7",
            id => id,
        };
        VERSIONS.iter().find(|version| version.name == id)
    }

    /// Every version there are tables of, the oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = &'static Self> {
        VERSIONS.iter()
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.name
    }

    /// The names of its message structures, in no order.
    pub fn structures(&self) -> impl Iterator<Item = &'static str> {
        self.tables().structures.keys().copied()
    }

    /// The names of the groups of its message structures, in no order, each as often as it is there.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &'static str> {
        let of_structure = |structure: &Structure| {
            let text: &'static str = structure.text;
            text.split_inclusive('{').filter_map(|part| part.strip_suffix('{')).filter_map(|part| {
                part.rsplit([' ', '{', '}', '?', '*', '+', '|']).next().filter(|name| !name.is_empty())
            })
        };
        self.tables().structures.values().flat_map(of_structure)
    }

    /// True if it has a message structure with this name.
    #[must_use]
    pub fn has_structure(&self, name: &str) -> bool {
        self.tables().structures.contains_key(name)
    }

    /// The structures that an event uses by table 0354, those of this version alone; first the one named after it.
    pub(crate) fn structures_of(&self, code: &str, event: &str) -> Vec<&'static str> {
        let tables = self.tables();
        let own = |name: &str| tables.structures.get_key_value(name).map(|(&name, _)| name);
        let named = if event.is_empty() { own(code) } else { own(&format!("{code}_{event}")) };
        let listed = EVENTS.get(event).into_iter().flatten().filter_map(|name| {
            let of_code = name.split_once('_').is_some_and(|(prefix, _)| prefix == code);
            of_code.then(|| own(name)).flatten()
        });
        let mut found: Vec<_> = named.into_iter().chain(listed).collect();
        // A general acknowledgment may name the event that it answers.
        if found.is_empty() && code == "ACK" {
            found.extend(own("ACK"));
        }
        let mut seen = Vec::new();
        found.retain(|&name| {
            let new = !seen.contains(&name);
            seen.push(name);
            new
        });
        found
    }

    /// Of the structures of an event, those that MSH-9.3 may name. From 2.5 on table 0354 says so where it has the event: the
    /// tables of structures also have some that are named after an event, which the standard does not have (`SIU_S15`).
    pub(crate) fn legal_structures(&self, code: &str, event: &str, by_event: &[&'static str]) -> Vec<&'static str> {
        let is_listed = |name: &&&'static str| EVENTS.get(event).is_some_and(|listed| listed.contains(*name));
        let listed: Vec<&'static str> = by_event.iter().filter(is_listed).copied().collect();
        let of_code = listed.iter().any(|name| name.split_once('_').is_some_and(|(prefix, _)| prefix == code));
        let from = VERSIONS.iter().position(|version| version.name == "2.5");
        let own = VERSIONS.iter().position(|version| version.name == self.name);
        if of_code && own >= from { listed } else { by_event.to_vec() }
    }

    /// The name that this version gives to a field of a segment.
    ///
    /// ```
    /// use candor_hl7v2_structure::Version;
    /// let name = |version: &str| Version::named(version)?.field_name("PID", 2);
    /// assert_eq!((name("2.5.1"), name("2.7")), (Some("Patient ID"), None));
    /// ```
    #[must_use]
    pub fn field_name(&self, segment: &str, field: u32) -> Option<&'static str> {
        let segment = self.segment(<[u8; 3]>::try_from(segment.as_bytes()).ok()?)?;
        segment.field(field).map(|field| field.name).filter(|name| !name.is_empty())
    }

    pub(crate) fn grammar(&self, name: &str) -> Option<(&'static str, &Grammar)> {
        let (&name, structure) = self.tables().structures.get_key_value(name)?;
        Some((name, structure.grammar.get_or_init(|| Grammar::parse(structure.text))))
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.tables().ids.iter().copied()
    }

    pub(crate) fn segment(&self, id: [u8; 3]) -> Option<&Segment> {
        let segments = &self.tables().segments;
        let at = segments.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        segments.get(at).map(|(_, segment)| segment)
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Tables::read(self.text))
    }
}

/// True if any version has a message structure with this name.
#[must_use]
pub fn is_structure(name: &str) -> bool {
    Version::all().any(|version| version.has_structure(name))
}

impl Tables {
    fn read(text: &'static str) -> Self {
        let mut structures = HashMap::new();
        let (mut segments, mut ids) = (Vec::new(), Vec::new());
        let mut open: Option<([u8; 3], Segment)> = None;
        for line in text.lines() {
            if let Some((name, text)) = line.split_once(": ")
                && open.is_none()
            {
                structures.insert(name, Structure { text, grammar: OnceLock::new() });
            } else if line.starts_with(|first: char| first.is_ascii_digit()) {
                if let Some((_, segment)) = &mut open {
                    segment.define(line);
                }
            } else if let (id_text, name) = line.split_once(' ').unwrap_or((line, ""))
                && let Ok(id) = <[u8; 3]>::try_from(id_text.as_bytes())
            {
                ids.push(id_text);
                let opened = (id, Segment { name, fields: Vec::new(), required: Vec::new() });
                segments.extend(open.replace(opened));
            }
        }
        segments.extend(open);
        segments.sort_by_key(|(id, _)| *id);
        Self { structures, segments, ids }
    }
}

impl Segment {
    pub(crate) fn field(&self, number: u32) -> Option<&Field> {
        self.fields.get(usize::try_from(number).ok()?.checked_sub(1)?)?.as_ref()
    }

    /// The number of its last field.
    pub(crate) fn last(&self) -> u32 {
        u32::try_from(self.fields.len()).unwrap_or(u32::MAX)
    }

    /// Reads `3+ CX Patient Identifier List`.
    fn define(&mut self, line: &'static str) {
        let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (data_type, name) = rest.split_once(' ').unwrap_or((rest, ""));
        let digits = number.trim_end_matches(['?', '*', '+']);
        let sign = number.get(digits.len()..).unwrap_or_default();
        let Some(index) = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) else { return };
        if self.fields.len() <= index {
            self.fields.resize(index + 1, None);
        }
        if let Some(field) = self.fields.get_mut(index) {
            *field = Some(Field { repeats: matches!(sign, "*" | "+"), parts: parts(data_type), name });
            if matches!(sign, "" | "+") {
                self.required.extend(u32::try_from(index + 1));
            }
        }
    }
}
