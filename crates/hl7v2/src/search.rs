//! Looks for a text in the bytes of a message, before the message is split.

use memchr::memmem::Finder;

use crate::{Message, Path};

/// A search for a text that a path may select, in the bytes of messages.
///
/// ```
/// use candor_hl7v2::{Path, TextSearch, messages};
///
/// let path = Path::parse("MSH.10").unwrap();
/// let search = TextSearch::new(&path, "42");
/// let may_select = |id: &str| {
///     let bytes = format!("MSH|^~\\&|A|||||||{id}|P|2.5.1\rPID|42\r");
///     search.may_select(&messages(bytes.as_bytes()).next().unwrap().unwrap())
/// };
/// assert!(may_select("42") && may_select("\\X3432\\") && !may_select("7"));
/// ```
#[derive(Clone, Debug)]
pub struct TextSearch<'t> {
    finder: Finder<'t>,
    in_header: bool,
}

impl<'t> TextSearch<'t> {
    /// A search for this text at this path.
    #[must_use]
    pub fn new(path: &Path, text: &'t str) -> Self {
        Self { finder: Finder::new(text), in_header: path.segment_id() == "MSH" }
    }

    /// Returns `false` if no value that the path selects in the message is the text. Returns `true` if one may be: the
    /// text is there, or escape sequences or bytes that decode to other text.
    #[must_use]
    pub fn may_select(&self, message: &Message<'_>) -> bool {
        let raw = message.raw();
        // A message has one MSH.
        let next = message.segment_starts().get(1).filter(|_| self.in_header);
        let bytes = next.and_then(|next| raw.get(..next.checked_sub(message.span().start)?)).unwrap_or(raw);
        // MSH-2 holds the escape character once, and is not unescaped.
        let escapes = |escape| memchr::memchr_iter(escape, bytes).nth(1).is_some();
        self.finder.find(bytes).is_some()
            || message.delimiters().escape.is_some_and(escapes)
            || memchr::memchr(0x1B, bytes).is_some()
            || !bytes.is_ascii()
    }
}
