//! Selectors of items: each of several loops or segments.

use super::{LoopStep, Path, PathError, PathErrorKind};

/// Loops or segments that are checked one by one: `2000B`, `2000B[2010BA.NM1.9=M100].2300`, `EB`, `2110C.EB[3=30]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemPath {
    /// Each loop that the last step selects.
    Loops(Vec<LoopStep>),
    /// Each segment that a path without an element selects: all of its id where it has no selector.
    Segments(Path),
}

impl ItemPath {
    /// Reads a selector whose items lie in those of `outer`.
    ///
    /// # Errors
    /// As [`ItemPath::parse`], and where there can be no such items.
    pub fn parse_in(text: &str, outer: Option<&Self>) -> Result<Self, PathError> {
        let item = Self::parse(text)?;
        match (outer, &item) {
            (Some(Self::Segments(outer)), _) => Err(wrong(text, 0, PathErrorKind::ItemInSegment(outer.segment()))),
            // They are seen with every set: where there must be none, none would ever be found.
            (_, Self::Segments(path)) if is_outside(path) => {
                Err(wrong(text, path.segment_at(), PathErrorKind::OutsideItem))
            }
            _ => Ok(item),
        }
    }

    /// Reads a path that begins at one of the items.
    ///
    /// # Errors
    /// As [`Path::parse`], and where the path leads out of the item.
    ///
    /// ```
    /// use candor_x12::path::ItemPath;
    /// let item = ItemPath::parse("EB")?;
    /// assert!(item.path_inside("EB.3").is_ok());
    /// assert!(item.path_inside("NM1.3").is_err());
    /// # Ok::<(), candor_x12::path::PathError>(())
    /// ```
    pub fn path_inside(&self, text: &str) -> Result<Path, PathError> {
        let path = Path::parse(text)?;
        match self {
            Self::Segments(outer) => {
                let id = outer.segment();
                let is_own = path.segment() == id && path.loops().is_empty() && path.has_no_selectors();
                if is_own { Ok(path) } else { Err(wrong(text, 0, PathErrorKind::OtherSegment(id))) }
            }
            Self::Loops(_) if is_outside(&path) => Err(wrong(text, path.segment_at(), PathErrorKind::OutsideItem)),
            Self::Loops(_) => Ok(path),
        }
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

fn is_outside(path: &Path) -> bool {
    matches!(path.segment().as_str(), "ISA" | "GS")
}

fn wrong(text: &str, at: usize, kind: PathErrorKind) -> PathError {
    PathError { path: text.to_owned(), at, suggestion: None, kind }
}
