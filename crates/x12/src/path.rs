//! Paths: which values of one transaction set are meant.
//!
//! `EB.3` or `EB03` is element 3 of the first EB; `SVC01-2` or `SVC.1.2` a component of it; `EB[2]` the second EB,
//! `EB[*]` all of them, `EB[3=30]` those with 30 among the repetitions of element 3; `EB.3[2]` the second repetition of
//! the element and `EB.3[*]` all of them. A segment alone is its whole text. ISA and GS are those around the set.

use crate::SegmentId;

mod error;
mod item;
mod parse;
mod select;

pub use error::{PathError, PathErrorKind};
pub use item::ItemPath;
pub use select::{Choosing, Value};

/// A path that was read and can select something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    text: String,
    loops: Vec<LoopStep>,
    segment: SegmentId,
    /// The byte of the text where the segment is written.
    segment_at: usize,
    selectors: Vec<Selector>,
    element: Option<ElementStep>,
}

/// A loop that narrows what follows: `2110C`, `2110C[2]`, `2110C[3=30]`, `2000B[2010BA.NM1.9=M100]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopStep {
    id: String,
    selectors: Vec<Selector>,
}

impl LoopStep {
    /// The loop's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The elements of the loop's first segment that have to equal a text, each with this text.
    pub fn conditions(&self) -> impl Iterator<Item = (NamedElement, &str)> {
        conditions(&self.selectors)
    }

    /// The paths into the loop of which some value has to equal a text, each with this text: `2010BA.NM1.9` of
    /// `2000B[2010BA.NM1.9=M100]`.
    pub fn inner(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.selectors.iter().filter_map(|selector| match selector {
            Selector::Holds { path, value } => Some((&**path, value.as_str())),
            Selector::Nth(_) | Selector::All | Selector::Where { .. } => None,
        })
    }

    /// Chooses among the loops with this id, shown one after the other by their first segments.
    #[must_use]
    pub fn choosing(&self) -> Choosing<'_> {
        Choosing { selectors: &self.selectors, seen: vec![0; self.selectors.len()] }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Selector {
    /// `[n]`, the first being 1.
    Nth(usize),
    /// `[*]`
    All,
    /// `[element=value]`, `[element.component=value]`
    Where { element: usize, component: Option<usize>, value: String, at: usize },
    /// `[2010BA.NM1.9=M100]`, of a loop: some value that the path leads to in it is this one.
    Holds { path: Box<Path>, value: String },
}

fn conditions(selectors: &[Selector]) -> impl Iterator<Item = (NamedElement, &str)> {
    selectors.iter().filter_map(|selector| match selector {
        Selector::Where { element, component, value, at } => {
            Some((NamedElement { element: *element, component: *component, at: *at }, value.as_str()))
        }
        Selector::Nth(_) | Selector::All | Selector::Holds { .. } => None,
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ElementStep {
    position: usize,
    /// The byte of the path where the position is written.
    at: usize,
    repetition: Repetition,
    component: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repetition {
    /// Nothing is written: the first, and any of them in a condition.
    First,
    Nth(usize),
    All,
}

/// An element that a path reads or has a condition on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedElement {
    /// Its position in the segment, from 1.
    pub element: usize,
    /// The component, from 1, if one is named.
    pub component: Option<usize>,
    /// The byte of the path where the position is written.
    pub at: usize,
}

impl Path {
    /// Reads a path.
    ///
    /// ```
    /// use candor_x12::Path;
    /// use candor_x12::path::PathErrorKind;
    /// assert!(Path::parse("EB[1=1][3=30].1").is_ok());
    /// let error = Path::parse("eb03").unwrap_err();
    /// assert_eq!(error.kind, PathErrorKind::SegmentId);
    /// assert_eq!(error.suggestion.as_deref(), Some("EB03"));
    /// ```
    ///
    /// # Errors
    /// The first error in it and its place, with a suggestion if a similar path can be read.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        parse::path(text).map_err(|(at, kind)| PathError {
            path: text.to_owned(),
            at,
            suggestion: parse::suggestion(text),
            kind,
        })
    }

    /// The loops that narrow it, the outermost first. The guide decides which loop a segment belongs to: whoever knows
    /// it gives [`Path::select_among`] the segments of these loops.
    #[must_use]
    pub fn loops(&self) -> &[LoopStep] {
        &self.loops
    }

    /// The byte of the text where the segment is written.
    #[must_use]
    pub const fn segment_at(&self) -> usize {
        self.segment_at
    }

    /// The element that it reads; nothing for a segment alone.
    #[must_use]
    pub fn element(&self) -> Option<NamedElement> {
        self.element.as_ref().map(|step| NamedElement {
            element: step.position,
            component: step.component,
            at: step.at,
        })
    }

    /// The elements of the segment that have to equal a text, each with this text: those of `EB[1=1][3=30]`.
    pub fn conditions(&self) -> impl Iterator<Item = (NamedElement, &str)> {
        conditions(&self.selectors)
    }

    /// True if it reads one segment, and no later segment changes the result: only its loops may have `[*]` or a
    /// condition.
    #[must_use]
    pub fn reads_one_segment(&self) -> bool {
        self.selectors.iter().all(|selector| matches!(selector, Selector::Nth(_)))
    }

    /// True if nothing selects among the segments with its id.
    #[must_use]
    pub fn has_no_selectors(&self) -> bool {
        self.selectors.is_empty()
    }

    /// The path as its author wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The path that selects the value in every segment where this one takes the first: nothing where this one chooses
    /// among segments.
    ///
    /// ```
    /// use candor_x12::Path;
    /// let every = |text: &str| Path::parse(text).unwrap().in_every_segment().map(|path| path.to_string());
    /// assert_eq!(every("2200D.TRN.2").as_deref(), Some("2200D.TRN[*].2"));
    /// assert_eq!(every("TRN02").as_deref(), Some("TRN[*]02"));
    /// assert_eq!(every("TRN[2].2"), None);
    /// ```
    #[must_use]
    pub fn in_every_segment(&self) -> Option<Self> {
        let (before, rest) = self.text.split_at_checked(self.segment_at + self.segment.as_str().len())?;
        if self.has_no_selectors() { Self::parse(&format!("{before}[*]{rest}")).ok() } else { None }
    }

    /// The segment that it reads.
    #[must_use]
    pub const fn segment(&self) -> SegmentId {
        self.segment
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}
