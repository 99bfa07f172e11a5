//! The tables of elements: rows are found by type, and read when a type is asked for.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

const R4: &str = include_str!("../../data/r4-elements.tsv");

/// The elements that R4B and R5 add: as R4's table, with `@` and the releases after each element.
const LATER: &str = include_str!("../../data/later-elements.tsv");

/// The rows of a type: its base, its elements in R4, and those that later releases add.
#[derive(Clone, Copy, Default)]
struct Rows {
    base: &'static str,
    r4: &'static str,
    later: &'static str,
}

static TYPES: LazyLock<HashMap<&'static str, Rows>> = LazyLock::new(|| {
    let mut types: HashMap<&'static str, Rows> = HashMap::with_capacity(1_200);
    for (text, is_later) in [(R4, false), (LATER, true)] {
        for line in text.lines() {
            let mut cells = line.split('\t');
            let rows = types.entry(cells.next().unwrap_or_default()).or_default();
            let base = cells.next().unwrap_or_default();
            if !is_later || rows.base.is_empty() {
                rows.base = base;
            }
            let children = cells.next().unwrap_or_default();
            if is_later {
                rows.later = children;
            } else {
                rows.r4 = children;
            }
        }
    }
    types
});

/// Releases of FHIR, out of R4, R4B and R5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Releases(u8);

impl Releases {
    /// R4.
    pub const R4: Self = Self(1);
    /// R4, R4B and R5. Which of R4's elements a later release took away is not in the tables.
    pub(crate) const ALL: Self = Self(7);
    pub(crate) const NONE: Self = Self(0);

    /// Releases by their marks in the tables: `B` is R4B, `5` is R5.
    pub(crate) fn marked(marks: &str) -> Self {
        let of = |mark, bit| if marks.contains(mark) { bit } else { 0 };
        Self(of('B', 2) | of('5', 4))
    }

    /// True if R4 is among them.
    #[must_use]
    pub fn has_r4(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [("R4", 1), ("R4B", 2), ("R5", 4)];
        let names: Vec<&str> = names.iter().filter(|(_, bit)| self.0 & bit != 0).map(|(name, _)| *name).collect();
        f.write_str(&names.join(" and "))
    }
}

/// A type of R4, R4B or R5: by its name (`HumanName`, `dateTime`), or the type of a backbone element by the element's path
/// (`Patient.contact`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type(&'static str);

/// The elements that R4, R4B and R5 all require: the path of a type, and the names of its elements.
const REQUIRED: &str = include_str!("../../data/required-elements.tsv");

static REQUIRED_ROWS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| REQUIRED.lines().filter_map(|line| line.split_once('\t')).collect());

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) name: &'static str,
    pub(crate) owner: &'static str,
    pub(crate) of: Type,
    /// True for an element of a choice, whose JSON member ends with the type's name.
    pub(crate) is_choice: bool,
    pub(crate) repeats: bool,
    pub(crate) releases: Releases,
}

impl Element {
    pub(crate) fn member(&self) -> String {
        if !self.is_choice {
            return self.name.to_owned();
        }
        let mut letters = self.of.0.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        self.name.chars().chain(first).chain(letters).collect()
    }

    pub(crate) fn is_member(&self, name: &str) -> bool {
        match name.strip_prefix(self.name) {
            Some("") => !self.is_choice,
            Some(ending) if self.is_choice => {
                let (mut ending, mut of) = (ending.chars(), self.of.0.chars());
                ending.next() == of.next().map(|first| first.to_ascii_uppercase()) && ending.as_str() == of.as_str()
            }
            _ => false,
        }
    }
}

impl Type {
    /// The type of a name, or of the backbone element of a path.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        TYPES.get_key_value(name).map(|(name, _)| Self(name))
    }

    /// Its name, or its path.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The type it is derived from.
    #[must_use]
    pub fn base(self) -> Option<Self> {
        Self::named(TYPES.get(self.0)?.base)
    }

    /// True if it is `other` or derived from it.
    #[must_use]
    pub fn is_a(self, other: Self) -> bool {
        self.and_bases().any(|one| one == other)
    }

    fn and_bases(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |of| of.base())
    }

    /// True if it is a resource.
    #[must_use]
    pub fn is_resource(self) -> bool {
        self.and_bases().any(|one| one.0 == "Resource")
    }

    /// Returns `true` if JSON writes its values as text, a number or a boolean, and not as an object.
    #[must_use]
    pub fn is_primitive(self) -> bool {
        self.0.starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// The names of its elements that every release requires.
    pub(crate) fn required(self) -> impl Iterator<Item = &'static str> {
        let rows = self.and_bases().filter_map(|of| REQUIRED_ROWS.get(of.0).copied());
        rows.flat_map(str::split_ascii_whitespace)
    }

    /// True if values of it may be of derived types, which have more elements, or hold what their own definition says.
    pub(crate) fn is_open(self) -> bool {
        matches!(
            self.0,
            "Element" | "BackboneElement" | "Resource" | "DomainResource" | "Extension" | "DataType" | "Base"
        )
    }

    pub(crate) fn elements(self) -> Vec<Element> {
        self.elements_where(|_| true)
    }

    /// Those with a name that is asked for. To find the types of all others takes ten times as long.
    pub(crate) fn elements_where(self, is_asked: impl Fn(&str) -> bool) -> Vec<Element> {
        let mut all = Vec::new();
        for one in self.and_bases() {
            let rows = TYPES.get(one.0).copied().unwrap_or_default();
            for (children, is_later) in [(rows.r4, false), (rows.later, true)] {
                let named = children.split_ascii_whitespace().filter_map(|child| child.split_once(':'));
                named.filter(|(name, _)| is_asked(name)).for_each(|child| one.push(child, is_later, &mut all));
            }
        }
        all
    }

    /// Reads one element of a row: `name:type`, and more as `data/README.md` says.
    fn push(self, (name, target): (&'static str, &'static str), is_later: bool, all: &mut Vec<Element>) {
        let (target, releases) = match target.split_once('@') {
            Some((target, marks)) => (target, Releases::marked(marks)),
            None if is_later => return,
            None => (target, Releases::ALL),
        };
        let repeats = target.ends_with('*');
        let target = target.strip_suffix('*').unwrap_or(target);
        let (is_choice, targets) = match target.strip_prefix('?') {
            Some(targets) => (true, targets),
            None => (false, target),
        };
        for target in targets.split('|') {
            let of = match target.strip_prefix('#') {
                Some(path) => Self::named(path),
                None if target == "." => Self::named(&format!("{}.{name}", self.0)),
                None => Self::named(target),
            };
            // Every type of the tables is in them, which a test holds.
            let Some(of) = of else { continue };
            all.push(Element { name, owner: self.0, of, is_choice, repeats, releases });
        }
    }
}
