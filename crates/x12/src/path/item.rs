//! Selectors of items: each of several loops or segments.

use super::{LoopStep, Path, PathError, parse};

/// Loops or segments that are looked at one by one: `2000B`, `2000B[2010BA.NM1.9=M100].2300`, `EB`, `2110C.EB[3=30]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemPath {
    /// Each loop that the last step selects.
    Loops(Vec<LoopStep>),
    /// Each segment that a path without an element selects: all of its id where it has no selector.
    Segments(Path),
}

impl ItemPath {
    /// Reads a selector.
    ///
    /// ```
    /// use candor_x12::path::{ItemPath, PathErrorKind};
    /// assert!(matches!(ItemPath::parse("2000B.2300"), Ok(ItemPath::Loops(loops)) if loops.len() == 2));
    /// assert!(matches!(ItemPath::parse("2110C.EB[3=30]"), Ok(ItemPath::Segments(_))));
    /// assert_eq!(ItemPath::parse("EB.3").unwrap_err().kind, PathErrorKind::ElementAsItem);
    /// ```
    ///
    /// # Errors
    /// What is wrong with it and where. Nothing is suggested: a selector near it would select other items.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        parse::item(text).map_err(|(at, kind)| PathError { path: text.to_owned(), at, suggestion: None, kind })
    }

    /// The loops that it goes through, the outermost first.
    #[must_use]
    pub fn loops(&self) -> &[LoopStep] {
        match self {
            Self::Loops(loops) => loops,
            Self::Segments(path) => path.loops(),
        }
    }
}
