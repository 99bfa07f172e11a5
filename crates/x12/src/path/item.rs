//! Selectors of items: each of several loops or segments.

use super::{LoopStep, Path};

/// Loops or segments that are looked at one by one: `2000B`, `2000B[2010BA.NM1.9=M100].2300`, `EB`, `2110C.EB[3=30]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemPath {
    /// Each loop that the last step selects.
    Loops(Vec<LoopStep>),
    /// Each segment that a path without an element selects: all of its id where it has no selector.
    Segments(Path),
}

impl ItemPath {
    /// The loops that it goes through, the outermost first.
    #[must_use]
    pub fn loops(&self) -> &[LoopStep] {
        match self {
            Self::Loops(loops) => loops,
            Self::Segments(path) => path.loops(),
        }
    }
}
