//! The segment directory: how many elements a segment has, and components an element, in any version of X12.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use candor_x12::{Path, SegmentId};

pub(crate) struct Known {
    pub(crate) elements: usize,
    composites: Vec<(usize, usize)>,
}

pub(crate) static DIRECTORY: LazyLock<HashMap<&str, Known>> = LazyLock::new(|| {
    let lines = include_str!("../data/segments.txt").lines().filter(|line| !line.starts_with(';'));
    lines.filter_map(Known::read).collect()
});

impl Known {
    /// Reads `EB 14 13:12 14:4`.
    fn read(line: &'static str) -> Option<(&'static str, Self)> {
        let mut words = line.split(' ');
        let (id, elements) = (words.next()?, words.next()?.parse().ok()?);
        let composite = |word: &str| {
            let (element, components) = word.split_once(':')?;
            Some((element.parse().ok()?, components.parse().ok()?))
        };
        Some((id, Self { elements, composites: words.filter_map(composite).collect() }))
    }

    pub(crate) fn components(&self, element: usize) -> Option<usize> {
        self.composites.iter().find(|(known, _)| *known == element).map(|(_, components)| *components)
    }
}

/// A part of a path that no version of X12 has, so that the path never selects anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownPart {
    segment: SegmentId,
    /// The byte of the path where it is written.
    pub at: usize,
    /// The missing part.
    pub kind: UnknownKind,
}

/// A part that no version of X12 has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownKind {
    /// The segment.
    Segment,
    /// The element: the segment has fewer.
    Element {
        /// The element that is named.
        named: usize,
        /// How many there are.
        most: usize,
    },
    /// The component: the element has fewer.
    Component {
        /// The element that is named.
        element: usize,
        /// The component that is named.
        named: usize,
        /// How many there are.
        most: usize,
    },
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let segment = self.segment;
        match self.kind {
            UnknownKind::Segment => write!(f, "X12 does not have a segment {segment}"),
            UnknownKind::Element { named, most: 1 } => {
                write!(f, "{segment} does not have an element {named}; it has one, {segment}.1")
            }
            UnknownKind::Element { named, most } => {
                write!(f, "{segment} does not have an element {named}; it has {most}, {segment}.1 to {segment}.{most}")
            }
            UnknownKind::Component { element, named, most } => {
                let first = format!("{segment}.{element}");
                write!(f, "{first} does not have a component {named}; it has {most}, {first}.1 to {first}.{most}")
            }
        }
    }
}

/// The first part of a path that no version of X12 has: a segment, an element, a component of a composite. Segments that begin with Z are left to those who agreed on them.
///
/// ```
/// use candor_x12::{Path, SegmentId};
/// let path = Path::parse("EB.99").unwrap();
/// let unknown = candor_x12_guides::unknown_part(&path).unwrap();
/// assert_eq!(unknown.to_string(), "EB does not have an element 99; it has 14, EB.1 to EB.14");
/// assert_eq!(candor_x12_guides::unknown_part(&Path::parse("EB[3=30].14").unwrap()), None);
/// ```
#[must_use]
pub fn unknown_part(path: &Path) -> Option<UnknownPart> {
    let segment = path.segment();
    let id = segment.as_str();
    if id.starts_with('Z') {
        return None;
    }
    let unknown = |at, kind| Some(UnknownPart { segment, at, kind });
    let Some(known) = DIRECTORY.get(id) else { return unknown(path.segment_at(), UnknownKind::Segment) };
    let named = path.conditions().map(|(named, _)| named).chain(path.element());
    named.into_iter().find_map(|named| {
        let element = named.element;
        if element > known.elements {
            return unknown(named.at, UnknownKind::Element { named: element, most: known.elements });
        }
        // An element that is not a composite is left alone: senders do write component separators into text.
        let (component, most) = (named.component?, known.components(element)?);
        if component <= most {
            return None;
        }
        unknown(named.at, UnknownKind::Component { element, named: component, most })
    })
}
