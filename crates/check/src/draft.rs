//! Knowledge of a part's records for drafting assertions about them: how identifying values select a record, and which
//! of its values systems make up.
//!
//! Each part has a table of made-up values as a data file, a line a path: the path without positions in arrays, the kind,
//! and why. A path covers what is below it; `**.display` is a member at any depth.
//!
//! ```
//! use candor_check::draft::{MadeUp, MadeUpTable};
//! let table = MadeUpTable::new("meta  id  the server writes it\n**.display  words  for people to read");
//! assert_eq!(table.of("meta.lastUpdated").map(|row| row.kind), Some(MadeUp::Id));
//! assert_eq!(table.of("code.coding.0.display").map(|row| row.kind), Some(MadeUp::Words));
//! assert_eq!(table.of("status"), None);
//! ```

use candor_json::Value;

/// A record that came or changed, as its part reads it.
#[derive(Clone, Copy, Debug)]
pub struct Came<'a> {
    /// Its kind: a resource type, a table; empty where the part has no such division.
    pub collection: &'a str,
    /// Its key within the collection.
    pub key: &'a str,
    /// Its fields, by their paths.
    pub fields: &'a [(String, Value)],
    /// True if it was not there before. Then whoever asked for the work could not know its id.
    pub is_new: bool,
}

impl<'a> Came<'a> {
    /// The value at a path.
    #[must_use]
    pub fn value(&self, path: &str) -> Option<&'a Value> {
        self.fields.iter().find(|(own, _)| own == path).map(|(_, value)| value)
    }

    /// The value at a path as text; nothing where it is empty, an object or an array.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        match self.value(path)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// A way to select a record without the ids that a server gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The assertion, without fields.
    pub assertion: Value,
    /// The member that holds fields; nothing where the check compares none.
    pub fields: Option<&'static str>,
    /// The selected thing, as the subject of a sentence: `A ServiceRequest for Patient/7`.
    pub what: String,
    /// The event that made it, where it is new, as the rest of the sentence: `was sent`.
    pub came: &'static str,
    /// The paths that it selects by, which need no field.
    pub by: Vec<String>,
}

impl Selection {
    /// A selection that compares fields.
    #[must_use]
    pub fn new(assertion: Value, fields: &'static str, what: impl Into<String>, by: &[&str]) -> Self {
        let by = by.iter().map(|path| (*path).to_owned()).collect();
        Self { assertion, fields: Some(fields), what: what.into(), came: "is there", by }
    }

    /// The same, with what became of a new record.
    #[must_use]
    pub fn that(self, came: &'static str) -> Self {
        Self { came, ..self }
    }
}

/// Why a value says nothing of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeUp {
    /// A system gives it: an id, a version, a control number.
    Id,
    /// It says when something was recorded.
    Clock,
    /// It repeats in words for people what a code says.
    Words,
}

/// A row of a table of made-up values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeUpRow<'t> {
    /// The path that the row covers.
    pub path: &'t str,
    /// Why the value says nothing of the work.
    pub kind: MadeUp,
    /// The same in words.
    pub why: &'t str,
}

/// A table of made-up values.
#[derive(Clone, Copy, Debug)]
pub struct MadeUpTable<'t>(&'t str);

impl<'t> MadeUpTable<'t> {
    /// A table of lines `path  kind  why`; lines that begin with `#` are comments.
    #[must_use]
    pub const fn new(text: &'t str) -> Self {
        Self(text)
    }

    /// The first row that covers a path.
    #[must_use]
    pub fn of(&self, path: &str) -> Option<MadeUpRow<'t>> {
        let plain = without_positions(path);
        self.rows().find(|(pattern, _)| covers(pattern, &plain)).map(|(_, row)| row)
    }

    fn rows(&self) -> impl Iterator<Item = (&'t str, MadeUpRow<'t>)> + use<'t> {
        self.0.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let (pattern, rest) = line.trim().split_once(char::is_whitespace)?;
            let (kind, why) = rest.trim_start().split_once(char::is_whitespace)?;
            let kind = match kind {
                "id" => MadeUp::Id,
                "clock" => MadeUp::Clock,
                "words" => MadeUp::Words,
                _ => return None,
            };
            Some((pattern, MadeUpRow { path: pattern, kind, why: why.trim() }))
        })
    }
}

fn covers(pattern: &str, plain: &str) -> bool {
    let begins = |text: &str, with: &str| {
        text.strip_prefix(with).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    match pattern.strip_prefix("**.") {
        None => begins(plain, pattern),
        Some(member) => {
            let starts = plain.match_indices('.').map(|(at, _)| at + 1);
            std::iter::once(0).chain(starts).any(|at| plain.get(at..).is_some_and(|rest| begins(rest, member)))
        }
    }
}

/// Returns `true` if a path leads into a message or a transaction set: it begins with the id of a segment.
#[must_use]
pub fn is_segment_path(path: &str) -> bool {
    let id: String = path.chars().take_while(|c| !matches!(c, '.' | '[')).collect();
    matches!(id.len(), 2 | 3) && id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && path.contains('.')
}

/// A path without positions: `dosageInstruction.0.route.text` is `dosageInstruction.route.text`, `OBX[2].5.1` is `OBX.5.1`.
#[must_use]
pub fn without_positions(path: &str) -> String {
    if is_segment_path(path) {
        let mut plain = String::with_capacity(path.len());
        let mut depth = 0;
        for c in path.chars() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                c if depth == 0 => plain.push(c),
                _ => {}
            }
        }
        return plain;
    }
    let steps = path.split('.').filter(|step| step.is_empty() || !step.bytes().all(|byte| byte.is_ascii_digit()));
    steps.collect::<Vec<_>>().join(".")
}

/// True if a text is a UUID: systems make those up, people do not choose them.
#[must_use]
pub fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let dashes = [8, 13, 18, 23];
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}
