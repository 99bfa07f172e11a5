//! Where the values of a document are in its text.

use std::ops::Range;

use candor_json::text::{items, span, unquoted, written_members};
use saphyr_parser::{Event, Parser};

/// A value and its bytes. A block collection begins at its first key or dash and ends with its last value.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Scalar,
    /// Repeats another value, so that nothing can be changed in it alone.
    Alias,
    Sequence {
        flow: bool,
        items: Vec<Node>,
    },
    Mapping {
        flow: bool,
        members: Vec<Member>,
    },
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// The bytes of its name, as written.
    pub(super) key: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn child(&self, step: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Sequence { items, .. } => items.get(step.parse::<usize>().ok()?),
            Kind::Mapping { members, .. } => {
                members.iter().find(|member| member.name == step).map(|member| &member.value)
            }
            Kind::Scalar | Kind::Alias => None,
        }
    }
}

/// The values of a text of sound JSON.
pub(super) fn of_json(text: &str) -> Option<Node> {
    json(text, text.trim())
}

fn json(text: &str, value: &str) -> Option<Node> {
    let kind = match value.as_bytes().first()? {
        b'{' => {
            let member = |(name, inner)| {
                let key = span(text, name);
                Some(Member { name: unquoted(name)?.into_owned(), key, value: json(text, inner)? })
            };
            Kind::Mapping { flow: true, members: written_members(value).map(member).collect::<Option<_>>()? }
        }
        b'[' => {
            let all = items(value).map(|item| json(text, item)).collect::<Option<_>>()?;
            Kind::Sequence { flow: true, items: all }
        }
        _ => Kind::Scalar,
    };
    Some(Node { span: span(text, value), kind })
}

struct Open {
    start: usize,
    kind: Kind,
    key: Option<(String, Range<usize>)>,
}

/// The values of a text of sound YAML.
pub(super) fn of_yaml(text: &str) -> Option<Node> {
    let bytes = byte_of_character(text);
    let at = |index: usize| bytes.get(index).copied().unwrap_or(text.len());
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.ok()?;
        let span = at(span.start.index())..at(span.end.index());
        let node = match event {
            Event::Scalar(name, ..) if awaits_key(open.last()) => {
                if let Some(open) = open.last_mut() {
                    open.key = Some((name.into_owned(), span));
                }
                continue;
            }
            Event::Scalar(name, ..) => {
                let is_nothing = name.is_empty()
                    && !matches!(text.get(span.clone()), Some(t) if t.starts_with(['"', '\'', '|', '>']));
                let span = if is_nothing { nothing(text, open.last(), span) } else { span };
                Node { span, kind: Kind::Scalar }
            }
            Event::Alias(_) => Node { span, kind: Kind::Alias },
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let start = behind_properties(text, span.start);
                let flow = text.get(start..).is_some_and(|rest| rest.starts_with(['[', '{']));
                let kind = match event {
                    Event::SequenceStart(..) => Kind::Sequence { flow, items: Vec::new() },
                    _ => Kind::Mapping { flow, members: Vec::new() },
                };
                open.push(Open { start, kind, key: None });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => closed(text, open.pop()?, span),
            _ => continue,
        };
        match open.last_mut() {
            None => return Some(node),
            Some(Open { kind: Kind::Sequence { items, .. }, .. }) => items.push(node),
            Some(Open { kind: Kind::Mapping { members, .. }, key, .. }) => {
                let (name, key) = key.take()?;
                members.push(Member { name, key, value: node });
            }
            Some(_) => return None,
        }
    }
    None
}

fn awaits_key(open: Option<&Open>) -> bool {
    matches!(open, Some(Open { kind: Kind::Mapping { .. }, key: None, .. }))
}

/// Where a value would be that was left out: behind the colon of its key.
fn nothing(text: &str, open: Option<&Open>, span: Range<usize>) -> Range<usize> {
    let Some(Open { key: Some((_, key)), .. }) = open else { return span };
    let colon = text.get(key.end..).and_then(|rest| rest.find(':')).map_or(key.end, |at| key.end + at + 1);
    colon..colon
}

/// Where a value begins that has an anchor or a tag.
fn behind_properties(text: &str, start: usize) -> usize {
    let mut rest = text.get(start..).unwrap_or_default();
    while rest.starts_with(['&', '!']) {
        rest = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
    }
    text.len() - rest.len()
}

fn closed(text: &str, open: Open, end: Range<usize>) -> Node {
    let (flow, last) = match &open.kind {
        Kind::Sequence { flow, items } => (*flow, items.last().map(|item| item.span.end)),
        Kind::Mapping { flow, members } => (*flow, members.last().map(|member| member.value.span.end)),
        Kind::Scalar | Kind::Alias => (false, None),
    };
    let first = match &open.kind {
        Kind::Mapping { flow: false, members } => members.first().map(|member| member.key.start),
        _ => None,
    };
    // The parser's span of a bracket may reach to what follows.
    let is_bracket = text.get(end.start..).is_some_and(|rest| rest.starts_with([']', '}']));
    let bracket = if is_bracket { end.start + 1 } else { end.end };
    let end = if flow { bracket } else { last.unwrap_or(end.end) };
    Node { span: first.unwrap_or(open.start)..end, kind: open.kind }
}

/// The parser counts characters.
fn byte_of_character(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect()
}
