//! HL7 v2 paths as field assertions use them.

use candor_check::compare::{DateForm, Datum};
use candor_check::field::{FieldPath, Found, PathProblem, Selection};
use candor_hl7v2::{KeptEscape, Message, Path, Value};

/// A path into a message.
#[derive(Clone, Debug)]
pub(crate) struct MessagePath(Path);

impl FieldPath for MessagePath {
    const DATES: &'static [DateForm] = &[DateForm::Hl7];

    fn parse(text: &str) -> Result<Self, PathProblem> {
        Path::parse(text).map(Self).map_err(|error| {
            let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
            PathProblem { offset: error.offset, message: format!("{}{meant}", error.kind) }
        })
    }
}

/// What a path selected in a message, and where something in it could not be decoded.
pub(crate) struct Selected<'m> {
    pub(crate) selection: Selection<'m>,
    /// The bytes, in hex, of the first value of which some were replaced by U+FFFD.
    pub(crate) replaced: Option<String>,
    /// The escape sequences that are still in the first value that has some, and what each is.
    pub(crate) kept_escapes: Vec<(String, &'static str)>,
}

impl MessagePath {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn segment_id(&self) -> &str {
        self.0.segment_id()
    }

    /// Evaluates the path. `offset` is where the message's bytes begin in the file; without it values have no span.
    pub(crate) fn select<'m>(&'m self, message: &'m Message<'_>, offset: Option<u64>) -> Selected<'m> {
        let mut replaced = None;
        let mut kept_escapes = Vec::new();
        let found = |value: Value<'m>| {
            let decoded = value.text();
            if decoded.replaced && replaced.is_none() {
                replaced = Some(hex(value.raw()));
            }
            if kept_escapes.is_empty() {
                let kept = value.kept_escapes().into_iter().take(MOST_ESCAPES);
                let shown =
                    |kept: KeptEscape<'_>| (String::from_utf8_lossy(kept.sequence).into_owned(), kept.meaning.words());
                kept_escapes.extend(kept.map(shown));
            }
            let span = offset.map(|offset| offset + value.span().start as u64..offset + value.span().end as u64);
            Found { datum: Datum::Text(decoded.text), span }
        };
        let values = self.0.select(message).map(found).collect();
        Selected { selection: Selection::texts(values), replaced, kept_escapes }
    }
}

/// The most escape sequences of one value that evidence names.
const MOST_ESCAPES: usize = 20;

/// The beginning of what stands there, in hex.
fn hex(bytes: &[u8]) -> String {
    const MOST: usize = 64;
    let shown: String = bytes.iter().take(MOST).map(|byte| format!("{byte:02X}")).collect();
    if bytes.len() > MOST { format!("{shown}…") } else { shown }
}
