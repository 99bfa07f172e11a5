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
    /// text is there, or bytes that are read as other text than they are.
    #[must_use]
    pub fn may_select(&self, message: &Message<'_>) -> bool {
        let (raw, span, delimiters) = (message.raw(), message.span(), message.delimiters());
        // A message has one MSH.
        let next = message.segment_starts().get(1).filter(|_| self.in_header);
        let bytes = next.and_then(|next| raw.get(..next.checked_sub(span.start)?)).unwrap_or(raw);
        if self.finder.find(bytes).is_some() {
            return true;
        }
        let others = [delimiters.repetition, delimiters.escape, delimiters.subcomponent, delimiters.truncation];
        // MSH-1 and MSH-2 hold the escape character, and are not decoded.
        let values = bytes.get(5 + others.iter().flatten().count()..).unwrap_or_default();
        let has = |byte: u8| memchr::memchr(byte, values).is_some();
        delimiters.escape.is_some_and(has) || has(0x1B) || !values.is_ascii()
    }
}
