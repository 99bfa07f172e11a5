//! Paths into XML: a subset of XPath 1.0, and the same steps with dots between them.

use candor_check::field::PathProblem;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XmlPath {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Predicate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Child,
    /// `//`
    Descendant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Element(String),
    AnyElement,
    /// `@name`, or `@*`.
    Attribute(Option<String>),
    /// `text()`
    Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    /// `[2]`
    Position(usize),
    /// `[last()]`
    Last,
    /// `[a/b/@c]`, `[@c="x"]`
    Holds { names: Vec<String>, attribute: Option<String>, value: Option<String> },
    /// `[namespace-uri()="urn:hl7-org:sdtc"]`
    Namespace(String),
}

/// The most steps and predicates of a path.
const MOST: usize = 64;

impl XmlPath {
    pub(crate) fn parse(written: &str) -> Result<Self, PathProblem> {
        let path = Self::parse_steps(written)?;
        if let [Step { axis: Axis::Child, test: Test::Attribute(_) | Test::Text, .. }] = path.steps.as_slice() {
            return problem(0, "a document has no attributes and no text; begin with its root element");
        }
        Ok(path)
    }

    pub(crate) fn parse_item(written: &str) -> Result<Self, PathProblem> {
        Self::parse(written).and_then(Self::of_elements)
    }

    pub(crate) fn parse_inside(written: &str) -> Result<Self, PathProblem> {
        if written.starts_with('/') && !written.starts_with("//") {
            return problem(0, "in an item a path begins at its element; leave out the slash");
        }
        Self::parse_steps(written)
    }

    pub(crate) fn parse_inner_item(written: &str) -> Result<Self, PathProblem> {
        Self::parse_inside(written).and_then(Self::of_elements)
    }

    fn of_elements(self) -> Result<Self, PathProblem> {
        match self.steps.last().map(|step| &step.test) {
            Some(Test::Attribute(_) | Test::Text) => problem(0, "an item is an element, and no attribute or text"),
            _ => Ok(self),
        }
    }

    fn parse_steps(written: &str) -> Result<Self, PathProblem> {
        let slashes = parts(written, '/')?.len() > 1;
        let mut steps = Vec::new();
        if slashes {
            let mut axis = Axis::Child;
            for (index, (offset, part)) in parts(written, '/')?.into_iter().enumerate() {
                match part {
                    "" if index == 0 => {}
                    "" if axis == Axis::Descendant => return problem(offset, "a step is missing between the slashes"),
                    "" => axis = Axis::Descendant,
                    part => {
                        steps.push(step(offset, part, axis, slashes)?);
                        axis = Axis::Child;
                    }
                }
            }
            if written.ends_with('/') {
                return problem(written.len() - 1, "a step is missing behind the slash");
            }
        } else {
            for (offset, part) in parts(written, '.')? {
                steps.push(step(offset, part, Axis::Child, slashes)?);
            }
        }
        let size = steps.iter().map(|step| 1 + step.predicates.len()).sum::<usize>();
        if size > MOST {
            return problem(0, "the path has more steps and conditions than are read");
        }
        let inner = steps.iter().rev().skip(1).find(|step| matches!(step.test, Test::Attribute(_) | Test::Text));
        if inner.is_some() {
            return problem(0, "nothing is in an attribute or a text; it is the last step");
        }
        Ok(Self { steps })
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn root(&self) -> Option<&str> {
        match self.steps.first() {
            Some(Step { axis: Axis::Child, test: Test::Element(name), .. }) => Some(name),
            _ => None,
        }
    }
}

fn problem<T>(offset: usize, message: impl Into<String>) -> Result<T, PathProblem> {
    Err(PathProblem { offset, message: message.into() })
}

/// The parts of a path between separators that are outside brackets and quotation marks, with where they begin.
fn parts(text: &str, separator: char) -> Result<Vec<(usize, &str)>, PathProblem> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut bracket = None;
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some((_, open)), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if bracket.is_some() => quote = Some((at, character)),
            (None, '[') if bracket.is_none() => bracket = Some(at),
            (None, '[') => return problem(at, "brackets in brackets are not read"),
            (None, ']') if bracket.take().is_none() => return problem(at, "a bracket closes that none opened"),
            (None, c) if c == separator && bracket.is_none() => {
                parts.push((start, text.get(start..at).unwrap_or_default()));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if let Some(at) = quote.map(|(at, _)| at).or(bracket) {
        return problem(at, "what is opened here does not close");
    }
    parts.push((start, text.get(start..).unwrap_or_default()));
    Ok(parts)
}

fn step(offset: usize, text: &str, axis: Axis, slashes: bool) -> Result<Step, PathProblem> {
    let (name, brackets) = text.split_at(text.find('[').unwrap_or(text.len()));
    let test = match name {
        "" => return problem(offset, "a step is empty; write `a.b` or `a/b`"),
        "text()" => Test::Text,
        "*" => Test::AnyElement,
        "@*" => Test::Attribute(None),
        "." | ".." if slashes => return problem(offset, format!("the step `{name}` is not read")),
        name => match name.strip_prefix('@') {
            Some(name) => Test::Attribute(Some(named(offset + 1, name)?)),
            None => Test::Element(named(offset, name)?),
        },
    };
    let predicates = predicates(offset + name.len(), brackets)?;
    if !predicates.is_empty() && matches!(test, Test::Attribute(_) | Test::Text) {
        return problem(offset + name.len(), "conditions go on elements");
    }
    Ok(Step { axis, test, predicates })
}

fn named(offset: usize, name: &str) -> Result<String, PathProblem> {
    if let Some((_, local)) = name.split_once("::") {
        return problem(offset, format!("axes are not read; write `{local}`, `@{local}` or `//{local}`"));
    }
    if let Some((_, local)) = name.split_once(':') {
        return problem(
            offset,
            format!(
                "names go without prefix; write `{local}`, or `{local}[namespace-uri()=\"…\"]` for one namespace's"
            ),
        );
    }
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return problem(offset, format!("`{name}` is not a name; the n-th element is `name[n]`, from 1 on"));
    }
    let part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}') || !c.is_ascii() && !c.is_whitespace();
    let first = name.chars().next().is_some_and(|c| part(c) && !matches!(c, '-' | '.') && !c.is_ascii_digit());
    match name.char_indices().find(|(_, c)| !part(*c)) {
        None if first => Ok(name.to_owned()),
        Some((_, '(')) => {
            problem(offset, format!("`{name}` is not read; of XPath's functions `text()` and `last()` are"))
        }
        Some((at, c)) => problem(offset + at, format!("{c:?} is not part of a name")),
        None => problem(offset, "expected the name of an element, or `@` and that of an attribute"),
    }
}

fn predicates(offset: usize, text: &str) -> Result<Vec<Predicate>, PathProblem> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = closing(rest);
        let inside = rest.get(1..end).unwrap_or_default();
        if !rest.starts_with('[') {
            return problem(offset + at, "expected `.`, `/` or `[`");
        }
        found.push(predicate(offset + at + 1, inside)?);
        at += end + 1;
    }
    Ok(found)
}

/// The bracket that closes the first one. That there is one [`parts`] has seen to.
fn closing(text: &str) -> usize {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, ']') => return at,
            _ => {}
        }
    }
    text.len()
}

fn predicate(offset: usize, text: &str) -> Result<Predicate, PathProblem> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return match text.parse() {
            Ok(number) if number > 0 => Ok(Predicate::Position(number)),
            _ => problem(offset, "positions count from 1"),
        };
    }
    if text == "last()" {
        return Ok(Predicate::Last);
    }
    let (left, right) = match text.split_once('=') {
        Some((left, _)) if left.ends_with(['!', '<', '>']) => {
            return problem(offset, "of comparisons `=` is read");
        }
        Some((left, right)) => (left.trim(), Some(value(offset, right.trim())?)),
        None => (text, None),
    };
    if left == "namespace-uri()" {
        return match right {
            Some(uri) => Ok(Predicate::Namespace(uri)),
            None => problem(offset, "expected `namespace-uri()=\"…\"`"),
        };
    }
    let mut names = Vec::new();
    let mut attribute = None;
    for part in left.split('/') {
        if attribute.is_some() {
            return problem(offset, "nothing is in an attribute; it is the last step");
        }
        match part.strip_prefix('@') {
            Some(name) => attribute = Some(named(offset, name)?),
            // What the element holds itself.
            None if part == "." && left == "." && right.is_some() => {}
            None => names.push(named(offset, part)?),
        }
    }
    Ok(Predicate::Holds { names, attribute, value: right })
}

fn value(offset: usize, text: &str) -> Result<String, PathProblem> {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return match rest.strip_suffix(quote) {
                Some(inside) if !inside.contains(quote) => Ok(inside.to_owned()),
                _ => problem(offset, "expected one value in quotation marks; `and` and `or` are not read"),
            };
        }
    }
    match text.contains(['"', '\'', ' ', '(', '=']) {
        true => problem(offset, "expected a value in quotation marks"),
        false => Ok(text.to_owned()),
    }
}
