//! Paths through the groups of message structures: `ORDER[RXA.5.1=03].RXR.1`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use candor_hl7v2::Path;

use crate::table::Version;

/// The most conditions that lie within each other.
const MOST_LEVELS: usize = 4;

/// A path with the groups that narrow it, the outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPath {
    groups: Vec<GroupStep>,
    /// The path after the groups; `None` for a selector of groups.
    path: Option<Path>,
}

/// A group by its name in the standard: `ORDER`, `ORDER[2]`, `ORDER[RXA.5.1=03]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStep {
    name: String,
    pub(crate) selectors: Vec<GroupSelector>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GroupSelector {
    /// Counted from 1.
    Nth(usize),
    All,
    Holds(Box<GroupPath>, String),
}

/// Why a text is not such a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupPathError {
    /// The byte where it goes wrong.
    pub offset: usize,
    /// The error at this place.
    pub message: String,
    /// A path that can be read and is likely to be meant.
    pub suggestion: Option<String>,
}

static NAMES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| Version::all().flat_map(Version::groups).collect());

/// True if a structure of any version has a group with this name.
#[must_use]
pub fn is_group(name: &str) -> bool {
    NAMES.contains(name)
}

impl GroupStep {
    /// The group's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl GroupPath {
    /// Reads a path to values. Names of three characters are segments; the groups PSG and QBP are not reached by a path.
    ///
    /// ```
    /// use candor_hl7v2_structure::GroupPath;
    /// let path = GroupPath::parse("ORDER[RXA.5.1=03].RXR.1")?;
    /// assert_eq!(path.groups().len(), 1);
    /// assert_eq!(GroupPath::parse("ORDERS.RXR.1").unwrap_err().offset, 0);
    /// # Ok::<(), candor_hl7v2_structure::GroupPathError>(())
    /// ```
    ///
    /// # Errors
    /// A path that can never select anything, with the place.
    pub fn parse(text: &str) -> Result<Self, GroupPathError> {
        let path = parsed(text, 0)?;
        match path.path {
            Some(_) => Ok(path),
            None => Err(wrong(text.len(), "a group needs a segment behind it")),
        }
    }

    /// Reads a selector of items: groups, segments, or the repetitions of a field.
    ///
    /// # Errors
    /// As [`GroupPath::parse`], without a suggestion: a selector near it would select other items.
    pub fn parse_item(text: &str) -> Result<Self, GroupPathError> {
        let path = parsed(text, 0).map_err(|error| GroupPathError { suggestion: None, ..error })?;
        match &path.path {
            Some(inner) if !inner.is_segment() && !inner.is_field() => {
                Err(wrong(0, "an item is a group, a segment, or a repetition of a field; write components in `fields`"))
            }
            _ => Ok(path),
        }
    }

    /// Reads a selector of items that lie in the items of `outer`: those of a segment, or the repetitions of a field.
    ///
    /// # Errors
    /// As [`GroupPath::parse_item`], and where there can be no such items.
    pub fn parse_item_in(text: &str, outer: Option<&Path>) -> Result<Self, GroupPathError> {
        let item = Self::parse_item(text)?;
        match outer {
            Some(outer) if outer.is_field() => {
                Err(wrong(0, format!("an item is one repetition of {outer}; no items lie in it")))
            }
            Some(outer) => {
                let id = outer.segment_id();
                let own = item.path().filter(|path| item.groups.is_empty() && path.is_field() && is_in(path, id));
                let message = || {
                    format!("an item is one {id} segment; the items in it are repetitions of a field, as in `{id}.3`")
                };
                if own.is_some() { Ok(item) } else { Err(wrong(0, message())) }
            }
            None => Ok(item),
        }
    }

    /// Reads a path that begins at one of the items of `outer`: those of a segment, or the repetitions of a field.
    ///
    /// # Errors
    /// As [`GroupPath::parse`], and where the path leads out of the item.
    pub fn parse_inside(text: &str, outer: Option<&Path>) -> Result<Self, GroupPathError> {
        let Some(outer) = outer else { return Self::parse(text) };
        let id = outer.segment_id();
        if outer.is_field() {
            let number = outer.field_number().unwrap_or_default();
            let is_component =
                !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
            let path = Self::parse(&format!("{id}.{number}.{text}"));
            return path.ok().filter(|_| is_component).ok_or_else(|| {
                wrong(0, format!("an item is one repetition of {id}.{number}; its components are 1, 2, 4.2 and so on"))
            });
        }
        let path = Self::parse(text)?;
        let is_own = path.groups.is_empty() && path.path().is_some_and(|path| is_in(path, id));
        if is_own {
            Ok(path)
        } else {
            Err(wrong(0, format!("an item is one {id} segment; its fields are {id}.1, {id}.2 and so on")))
        }
    }

    /// The groups that narrow it.
    #[must_use]
    pub fn groups(&self) -> &[GroupStep] {
        &self.groups
    }

    /// The path after the groups.
    #[must_use]
    pub const fn path(&self) -> Option<&Path> {
        self.path.as_ref()
    }

    /// This path and those in its conditions that have a segment.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        let inner = self.groups.iter().flat_map(|step| &step.selectors).filter_map(|selector| match selector {
            GroupSelector::Holds(path, _) => Some(path.paths()),
            GroupSelector::Nth(_) | GroupSelector::All => None,
        });
        self.path.iter().chain(inner.flatten()).collect()
    }
}

fn is_in(path: &Path, id: &str) -> bool {
    path.segment_id() == id && path.takes_first_segment()
}

fn wrong(offset: usize, message: impl Into<String>) -> GroupPathError {
    GroupPathError { offset, message: message.into(), suggestion: None }
}

fn parsed(text: &str, level: usize) -> Result<GroupPath, GroupPathError> {
    let mut groups = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let name = rest.get(..length).unwrap_or_default();
        let is_name = name.len() > 3 && name.bytes().take(4).all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if !is_name || name.len() == 4 && !is_group(name) {
            let shifted = |error: candor_hl7v2::PathError| {
                let before = text.get(..at).unwrap_or_default();
                let suggestion = error.suggestion.map(|path| format!("{before}{path}"));
                GroupPathError { offset: at + error.offset, message: error.kind.to_string(), suggestion }
            };
            return Ok(GroupPath { groups, path: Some(Path::parse(rest).map_err(shifted)?) });
        }
        if !is_group(name) {
            return Err(wrong(at, format!("no message structure of any version has a group {name}")));
        }
        at += length;
        let mut selectors = Vec::new();
        while let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix('[')) {
            let Some((inside, equals)) = bracketed(rest) else { return Err(wrong(at, "the bracket is not closed")) };
            selectors.push(selector(inside, equals, at + 1, level)?);
            at += inside.len() + 2;
        }
        groups.push(GroupStep { name: name.to_owned(), selectors });
        match text.get(at..).unwrap_or_default() {
            "" => return Ok(GroupPath { groups, path: None }),
            rest if rest.starts_with('.') => at += 1,
            _ => return Err(wrong(at, "a group is followed by `.` and what is in it")),
        }
    }
}

/// The text between brackets, and the place of its `=`. Brackets of the path before `=` belong together; the value ends
/// with the first bracket.
fn bracketed(text: &str) -> Option<(&str, Option<usize>)> {
    let mut depth = 0_usize;
    let mut equals = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b']' if depth == 0 => return Some((text.get(..at)?, equals)),
            b']' => depth -= 1,
            b'[' if equals.is_none() => depth += 1,
            b'=' if depth == 0 => equals = equals.or(Some(at)),
            _ => {}
        }
    }
    None
}

fn selector(inside: &str, equals: Option<usize>, at: usize, level: usize) -> Result<GroupSelector, GroupPathError> {
    let Some((path, value)) = equals.and_then(|equals| Some((inside.get(..equals)?, inside.get(equals + 1..)?))) else {
        return match (inside, inside.parse::<usize>()) {
            ("*", _) => Ok(GroupSelector::All),
            (_, Ok(0)) => Err(wrong(at, "everything is counted from 1")),
            (digits, Ok(number)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(GroupSelector::Nth(number)),
            _ => Err(wrong(at, "`[n]`, `[*]` or `[path=value]` was expected")),
        };
    };
    if level >= MOST_LEVELS {
        return Err(wrong(at, "conditions lie in each other too deep"));
    }
    let shifted = |error: GroupPathError| GroupPathError { offset: at + error.offset, suggestion: None, ..error };
    let inner = parsed(path, level + 1).map_err(shifted)?;
    if inner.path.is_none() {
        return Err(wrong(at + path.len(), "a group needs a segment behind it"));
    }
    if value.is_empty() {
        return Err(wrong(at + path.len() + 1, "a condition compares with a value"));
    }
    Ok(GroupSelector::Holds(Box::new(inner), value.to_owned()))
}
