//! YAML files: the core schema of YAML 1.2, its numbers kept digit by digit.

use candor_json::{Map, Number, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::SyntaxError;
use super::places::Places;

/// How deep a document may be: as deep as `candor_json` reads.
const MAX_DEPTH: usize = 128;
/// How many nodes a document may have, those that aliases repeat included.
const MAX_NODES: usize = 1_000_000;

pub(super) fn read(text: &str) -> Result<(Value, Places), SyntaxError> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) =
            event.map_err(|e| (at(e.marker().line(), e.marker().col()), format!("it is not YAML: {}", e.info())))?;
        builder.take(event, span).map_err(|message| (at(span.start.line(), span.start.col()), message))?;
    }
    Ok((builder.document.unwrap_or(Value::Null), builder.places))
}

#[expect(clippy::unnecessary_wraps, reason = "the place of a syntax error is optional")]
fn at(line: usize, column: usize) -> Option<(usize, usize)> {
    Some((line, column + 1))
}

struct Open {
    anchor: usize,
    kind: Kind,
    nodes: usize,
}

enum Kind {
    Sequence(Vec<Value>),
    Mapping(Map<String, Value>, Option<String>),
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    steps: Vec<String>,
    places: Places,
    anchors: std::collections::HashMap<usize, (Value, usize)>,
    document: Option<Value>,
    nodes: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), String> {
        let position = (span.start.line(), span.start.col() + 1);
        match event {
            Event::DocumentStart(_) if self.document.is_some() => {
                Err("a second document begins here; one file holds one".to_owned())
            }
            Event::Alias(anchor) => {
                let (value, nodes) =
                    self.anchors.get(&anchor).cloned().ok_or("an alias to nothing that ended before it")?;
                self.node(value, 0, nodes, position)
            }
            Event::Scalar(text, style, anchor, tag) => {
                if let Some(Open { kind: Kind::Mapping(members, key @ None), .. }) = self.open.last_mut() {
                    let text = text.into_owned();
                    if members.contains_key(&text) {
                        return Err(format!("the member `{text}` occurs twice in one object"));
                    }
                    self.steps.push(text.clone());
                    *key = Some(text);
                    self.places.set(&self.steps, position);
                    return Ok(());
                }
                let value = scalar(&text, style, tag.as_deref())?;
                self.node(value, anchor, 1, position)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, Kind::Sequence(Vec::new()), tag.as_deref(), "seq", position)
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(anchor, Kind::Mapping(Map::new(), None), tag.as_deref(), "map", position)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => Ok(()),
        }
    }

    fn begin(
        &mut self,
        anchor: usize,
        kind: Kind,
        tag: Option<&Tag>,
        expected: &str,
        position: (usize, usize),
    ) -> Result<(), String> {
        if tag.is_some_and(|tag| !tag.is_yaml_core_schema() || tag.suffix != expected) {
            return Err("a tag that says nothing about JSON; leave it out".to_owned());
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("the document is more than {MAX_DEPTH} levels deep"));
        }
        self.item(position)?;
        self.open.push(Open { anchor, kind, nodes: 1 });
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        let Some(Open { anchor, kind, nodes }) = self.open.pop() else { return Ok(()) };
        let value = match kind {
            Kind::Sequence(items) => Value::Array(items),
            Kind::Mapping(members, _) => Value::Object(members),
        };
        self.place(value, anchor, nodes)
    }

    /// A whole node: a scalar, or what an alias repeats.
    fn node(&mut self, value: Value, anchor: usize, nodes: usize, position: (usize, usize)) -> Result<(), String> {
        self.item(position)?;
        self.place(value, anchor, nodes)
    }

    /// A node begins: in a sequence it is an item of its own; a mapping's key is not a node of the document.
    fn item(&mut self, position: (usize, usize)) -> Result<(), String> {
        match self.open.last() {
            Some(Open { kind: Kind::Sequence(items), .. }) => {
                self.steps.push(items.len().to_string());
                self.places.set(&self.steps, position);
            }
            Some(Open { kind: Kind::Mapping(_, None), .. }) => {
                return Err("a member's name is a plain scalar".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// A node ended: it goes into what is open around it.
    fn place(&mut self, value: Value, anchor: usize, nodes: usize) -> Result<(), String> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(format!("the document has more than {MAX_NODES} nodes, those that aliases repeat included"));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), nodes));
        }
        match self.open.last_mut() {
            None => self.document = Some(value),
            Some(Open { kind: Kind::Sequence(items), nodes: count, .. }) => {
                items.push(value);
                *count += nodes;
                self.steps.pop();
            }
            Some(Open { kind: Kind::Mapping(members, key), nodes: count, .. }) => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
                *count += nodes;
                self.steps.pop();
            }
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    match tag {
        None if style != ScalarStyle::Plain => Ok(Value::String(text.to_string())),
        None => plain(text),
        Some(tag) if !tag.is_yaml_core_schema() => Err("a tag that says nothing about JSON; leave it out".to_owned()),
        Some(tag) => {
            let value = plain(text)?;
            match (tag.suffix.as_str(), &value) {
                ("str", _) => Ok(Value::String(text.to_string())),
                ("null", Value::Null) | ("bool", Value::Bool(_)) | ("int" | "float", Value::Number(_)) => Ok(value),
                (kind, _) => Err(format!("`{text}` has the tag `{kind}`, but is not one")),
            }
        }
    }
}

/// A plain scalar by the core schema. Digits after a leading zero stay text: a member id `000123` is not a number.
fn plain(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return Err(format!("`{text}` is not a finite number")),
        _ if matches!(text.trim_start_matches(['-', '+']), ".inf" | ".Inf" | ".INF") => {
            return Err(format!("`{text}` is not a finite number"));
        }
        _ => {}
    }
    if let Some(hex) = text.strip_prefix("0x")
        && let Ok(number) = u64::from_str_radix(hex, 16)
    {
        return Ok(number.into());
    }
    if let Some(octal) = text.strip_prefix("0o")
        && let Ok(number) = u64::from_str_radix(octal, 8)
    {
        return Ok(number.into());
    }
    Ok(number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number))
}

/// A decimal number of the core schema, as JSON writes it.
fn number(text: &str) -> Option<Number> {
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { "-" } else { "" }, rest),
        None => ("", text),
    };
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => digits.split_at_checked(at)?,
        None => (digits, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) || leading_zero {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}{exponent}").parse().ok()
}
