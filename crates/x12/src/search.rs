//! Looks for a text in the bytes of a transaction set, before the set is split.

use memchr::memmem::Finder;

use crate::{Delimiters, Path, SetView};

/// A search for a text that a path may select, in the bytes of transaction sets.
#[derive(Clone, Debug)]
pub struct TextSearch<'t>(Finder<'t>);

impl<'t> TextSearch<'t> {
    /// A search for this text at this path. `None` if the path leads to ISA or GS, which are not between ST and SE, or if
    /// the text is not of ASCII: other characters have several spellings.
    #[must_use]
    pub fn new(path: &Path, text: &'t str) -> Option<Self> {
        let is_inside = !matches!(path.segment().as_str(), "ISA" | "GS");
        (is_inside && text.is_ascii()).then(|| Self(Finder::new(text)))
    }

    /// Returns `false` if no value that the path selects in the set is the text. Returns `true` if one may be: the
    /// text is there, or line breaks in a segment, which values leave out.
    #[must_use]
    pub fn may_be_in(&self, set: &SetView<'_>) -> bool {
        self.0.find(set.body.bytes).is_some() || wraps(set.body.bytes, &set.delimiters)
    }
}

/// True if a line break may be inside of a segment: another byte than a line break or the terminator is before it.
fn wraps(body: &[u8], delimiters: &Delimiters) -> bool {
    let terminator = delimiters.terminator();
    memchr::memchr2_iter(b'\r', b'\n', body).any(|at| {
        let (before, from) = body.split_at_checked(at).unwrap_or_default();
        let follows = before.ends_with(terminator) || matches!(before.last(), Some(b'\r' | b'\n'));
        !follows && !from.starts_with(terminator)
    })
}
