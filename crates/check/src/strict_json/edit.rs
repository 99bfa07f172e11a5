//! Changes of a text of sound JSON that leave every other byte as it is.

use std::ops::Range;

use candor_json::text::{items, members, span};

/// Some bytes of a text, and what is in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go; empty where something is put in.
    pub span: Range<usize>,
    /// The new text.
    pub with: String,
}

impl Edit {
    /// The same edit in a text that this one's begins at `start` of.
    #[must_use]
    pub fn shifted(self, start: usize) -> Self {
        Self { span: self.span.start + start..self.span.end + start, ..self }
    }
}

/// A value that is neither an object nor an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The steps to it: names of members, positions in arrays from 0.
    pub path: Vec<String>,
    /// Where it is.
    pub span: Range<usize>,
}

fn child<'t>(value: &'t str, step: &str) -> Option<&'t str> {
    match value.starts_with('[') {
        true => items(value).nth(step.parse().ok()?),
        false => members(value).find(|(name, _)| name == step).map(|(_, value)| value),
    }
}

/// Where the value is that these steps lead to.
///
/// ```
/// use candor_check::strict_json::find;
/// assert_eq!(find(r#"{"a": [1, {"b": 2}]}"#, &["a", "1", "b"]), Some(16..17));
/// ```
#[must_use]
pub fn find(text: &str, steps: &[&str]) -> Option<Range<usize>> {
    let whole = text.trim();
    let found = steps.iter().try_fold(whole, |value, step| child(value, step))?;
    Some(span(text, found))
}

/// The text of the value that these steps lead to.
#[must_use]
pub fn get<'t>(text: &'t str, steps: &[&str]) -> Option<&'t str> {
    text.get(find(text, steps)?)
}

/// Gives a member another value, or puts it first into the object that `steps` lead to.
#[must_use]
pub fn put(text: &str, steps: &[&str], name: &str, value: &str) -> Option<Edit> {
    let object = find(text, steps)?;
    let within = text.get(object.clone())?.strip_prefix('{')?;
    if let Some(old) = child(text.get(object.clone())?, name) {
        return Some(Edit { span: span(text, old), with: value.to_owned() });
    }
    let comma = if within.trim_start().starts_with('}') { "" } else { ", " };
    let name = candor_json::to_string(name).ok()?;
    let at = object.start + 1;
    Some(Edit { span: at..at, with: format!("{name}: {value}{comma}") })
}

/// Puts a value at the end of the array that `steps` lead to.
#[must_use]
pub fn append(text: &str, steps: &[&str], value: &str) -> Option<Edit> {
    let array = find(text, steps)?;
    let within = text.get(array.clone())?;
    if !within.starts_with('[') {
        return None;
    }
    Some(match items(within).last() {
        Some(last) => {
            let at = span(text, last).end;
            Edit { span: at..at, with: format!(", {value}") }
        }
        None => Edit { span: array.start + 1..array.start + 1, with: value.to_owned() },
    })
}

/// Takes a member or an item away, with the comma that belongs to it.
#[must_use]
pub fn remove(text: &str, steps: &[&str]) -> Option<Edit> {
    let (_, above) = steps.split_last()?;
    let holder = find(text, above)?;
    let value = find(text, steps)?;
    let inner = text.get(holder.clone())?;
    let before = match inner.starts_with('[') {
        true => items(inner).map(|item| span(text, item).end).filter(|end| *end < value.end).last(),
        false => members(inner).map(|(_, value)| span(text, value).end).filter(|end| *end < value.end).last(),
    };
    let span = match before {
        Some(end) => end..value.end,
        None => {
            let rest = text.get(value.end..)?;
            let next = rest.len() - rest.trim_start().strip_prefix(',').map_or(rest, str::trim_start).len();
            holder.start + 1..value.end + next
        }
    };
    Some(Edit { span, with: String::new() })
}

/// Puts the members of the object that the text is in the other order; nothing where there are fewer than two.
#[must_use]
pub fn reversed_members(text: &str) -> Option<Edit> {
    let mut all: Vec<String> = members(text)
        .filter_map(|(name, value)| Some(format!("{}: {value}", candor_json::to_string(&name).ok()?)))
        .collect();
    all.reverse();
    (all.len() > 1).then(|| Edit { span: 0..text.len(), with: format!("{{{}}}", all.join(", ")) })
}

/// Every leaf, in order.
#[must_use]
pub fn leaves(text: &str) -> Vec<Leaf> {
    let mut found = Vec::new();
    walk(text, text.trim(), &mut Vec::new(), &mut found);
    found
}

fn walk(text: &str, value: &str, path: &mut Vec<String>, found: &mut Vec<Leaf>) {
    if path.len() > super::MAX_DEPTH {
        return;
    }
    let mut below = |name: String, value: &str| {
        path.push(name);
        walk(text, value, path, found);
        path.pop();
    };
    match value.as_bytes().first() {
        Some(b'{') => members(value).for_each(|(name, value)| below(name.into_owned(), value)),
        Some(b'[') => items(value).enumerate().for_each(|(at, value)| below(at.to_string(), value)),
        Some(_) => found.push(Leaf { path: path.clone(), span: span(text, value) }),
        None => {}
    }
}

/// The text with its edits, which do not overlap.
#[must_use]
pub fn edited(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    for edit in edits {
        out.extend_from_slice(text.get(at..edit.span.start).unwrap_or_default());
        out.extend_from_slice(edit.with.as_bytes());
        at = edit.span.end.max(at);
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    out
}
