//! XML documents, and what a path selects in one.
//!
//! The values are XPath's string values: an element's is all the text in it, markup left out, as it is; an attribute's
//! is its value. Nothing is trimmed. A path names elements and attributes by their local names.

mod path;

use std::borrow::Cow;
use std::collections::HashMap;

use candor_check::compare::Datum;
use candor_check::field::{Found, Selection};
use candor_check::xml::{XmlFlawKind, check};
use roxmltree::{Document, Node, NodeId, ParsingOptions};

use self::path::{Axis, Predicate, Step, Test};
use super::{Malformed, span};

pub(crate) use self::path::XmlPath;

/// The most nodes of a document: about 400 MB of them.
const MOST_NODES: u32 = 5_000_000;

/// A document that was read.
#[derive(Debug)]
pub struct Xml<'a>(Document<'a>);

impl<'a> Xml<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Malformed> {
        check(text).map_err(|flaw| match flaw.kind {
            XmlFlawKind::Declaration => Malformed::at(flaw.offset, flaw.what),
            XmlFlawKind::TooDeep | XmlFlawKind::TooMany => Malformed::beyond(flaw.offset, flaw.what),
        })?;
        let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES };
        match Document::parse_with_options(text, options) {
            Ok(document) => Ok(Self(document)),
            Err(roxmltree::Error::NodesLimitReached) => {
                Err(Malformed::beyond(0, format!("a document of more than {MOST_NODES} nodes")))
            }
            Err(error) => {
                let place = error.pos();
                let offset = offset_of(text, place.row as usize, place.col as usize);
                Err(Malformed::at(offset, format!("not XML ({error})")))
            }
        }
    }

    pub(super) fn select(&self, path: &XmlPath) -> Selection<'_> {
        select_in(self.0.root(), path)
    }

    /// The elements that a selector leads to from an element, or from the document; nothing where they lie in each other so
    /// that they are far more text than there is.
    pub(crate) fn items<'d>(&'d self, from: Option<&Element<'d, 'a>>, path: &XmlPath) -> Option<Vec<Element<'d, 'a>>> {
        let most = self.0.input_text().len().saturating_mul(TIMES);
        let mut total = 0usize;
        let mut found = Vec::new();
        each(from.map_or_else(|| self.0.root(), |element| element.node), path, |selected| {
            total = total.saturating_add(selected.range().len());
            if let Selected::Node(node) = selected {
                found.push(node);
            }
            total <= most
        });
        let mut numbers = Numbers { from, of: HashMap::new() };
        (total <= most).then(|| found.into_iter().map(|node| Element { node, place: numbers.place(node) }).collect())
    }

    /// True if what a path selects is more text than the document several times over, which elements within selected
    /// elements can make it.
    pub(super) fn is_too_much(&self, path: &XmlPath) -> bool {
        let most = self.0.input_text().len().saturating_mul(TIMES);
        let mut total = 0usize;
        each(self.0.root(), path, |found| {
            total = total.saturating_add(found.range().len());
            total <= most
        });
        total > most
    }

    /// Why a path selects nothing, where the document shows it: the end of a sentence about the file.
    pub(super) fn hint(&self, path: &XmlPath) -> Option<String> {
        let root = self.0.root_element().tag_name().name();
        let wanted = path.root()?;
        (wanted != root).then(|| format!("has the root element `{root}`, not `{wanted}`"))
    }
}

/// How many times the text of a document may be selected.
const TIMES: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Element<'d, 'a> {
    node: Node<'d, 'a>,
    /// Its own place: `claims/claim[2]/line[1]`. A name that occurs once in its parent has no number.
    pub(crate) place: String,
}

impl<'d> Element<'d, '_> {
    pub(crate) fn select(&self, path: &XmlPath) -> Selection<'d> {
        select_in(self.node, path)
    }
}

impl Xml<'_> {
    pub(super) fn leaves(&self) -> Vec<(String, String)> {
        let mut numbers = Numbers { from: None, of: HashMap::new() };
        let mut leaves = Vec::new();
        for element in self.0.root().descendants().filter(Node::is_element) {
            let place = numbers.place(element);
            let attribute =
                |one: roxmltree::Attribute<'_, '_>| (format!("{place}/@{}", one.name()), one.value().to_owned());
            leaves.extend(element.attributes().map(attribute));
            let text: String = element.children().filter(Node::is_text).filter_map(|node| node.text()).collect();
            if !text.trim().is_empty() {
                leaves.push((place, text.trim().to_owned()));
            }
        }
        leaves
    }
}

/// The numbers of elements among those of their name, counted once for each parent.
struct Numbers<'e, 'd, 'a> {
    from: Option<&'e Element<'d, 'a>>,
    of: HashMap<NodeId, Option<usize>>,
}

impl<'d, 'a> Numbers<'_, 'd, 'a> {
    fn place(&mut self, node: Node<'d, 'a>) -> String {
        let mut names = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at.filter(Node::is_element) {
            if let Some(from) = self.from.filter(|from| from.node == node) {
                names.push(from.place.clone());
                break;
            }
            let name = node.tag_name().name();
            names.push(match self.number(node) {
                Some(number) => format!("{name}[{number}]"),
                None => name.to_owned(),
            });
            at = node.parent();
        }
        names.reverse();
        names.join("/")
    }

    fn number(&mut self, node: Node<'d, 'a>) -> Option<usize> {
        if !self.of.contains_key(&node.id()) {
            let siblings = || node.parent().into_iter().flat_map(|parent| parent.children()).filter(Node::is_element);
            let mut all: HashMap<&str, usize> = HashMap::new();
            siblings().for_each(|sibling| *all.entry(sibling.tag_name().name()).or_default() += 1);
            let mut before: HashMap<&str, usize> = HashMap::new();
            for sibling in siblings() {
                let name = sibling.tag_name().name();
                let number = before.entry(name).or_default();
                *number += 1;
                self.of.insert(sibling.id(), Some(*number).filter(|_| all.get(name).is_some_and(|all| *all > 1)));
            }
        }
        self.of.get(&node.id()).copied().flatten()
    }
}

fn select_in<'d>(from: Node<'d, '_>, path: &XmlPath) -> Selection<'d> {
    let mut values = Vec::new();
    each(from, path, |found| {
        values.push(found.value());
        true
    });
    Selection::texts(values)
}

/// Every node that a path selects, in the order of the document, until one is refused.
fn each<'d, 'a>(from: Node<'d, 'a>, path: &XmlPath, mut take: impl FnMut(Selected<'d, 'a>) -> bool) {
    let mut nodes = vec![from];
    for step in path.steps() {
        match &step.test {
            Test::Element(_) | Test::AnyElement => nodes = elements(&nodes, step),
            Test::Attribute(name) => {
                let within = if step.axis == Axis::Descendant { all_within(&nodes) } else { nodes };
                for node in within {
                    let named = |name: &Option<String>, found| name.as_ref().is_none_or(|name| name == found);
                    for attribute in node.attributes().filter(|attribute| named(name, attribute.name())) {
                        if !take(Selected::Attribute(attribute)) {
                            return;
                        }
                    }
                }
                return;
            }
            Test::Text => {
                let within = if step.axis == Axis::Descendant { all_within(&nodes) } else { nodes };
                for text in within.iter().flat_map(Node::children).filter(Node::is_text) {
                    if !take(Selected::Node(text)) {
                        return;
                    }
                }
                return;
            }
        }
    }
    for node in nodes {
        if !take(Selected::Node(node)) {
            return;
        }
    }
}

enum Selected<'d, 'a> {
    Node(Node<'d, 'a>),
    Attribute(roxmltree::Attribute<'d, 'a>),
}

impl<'d> Selected<'d, '_> {
    fn range(&self) -> std::ops::Range<usize> {
        match self {
            Self::Node(node) => node.range(),
            Self::Attribute(attribute) => attribute.range_value(),
        }
    }

    fn value(self) -> Found<'d> {
        let range = self.range();
        let text = match self {
            Self::Node(node) => string_value(node),
            Self::Attribute(attribute) => Cow::Borrowed(attribute.value()),
        };
        Found { datum: Datum::Text(text), span: span(range) }
    }
}

fn string_value<'d>(node: Node<'d, '_>) -> Cow<'d, str> {
    let mut texts = node.descendants().filter(Node::is_text).filter_map(|text| text.text());
    match (texts.next(), texts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only),
        (Some(first), Some(second)) => Cow::Owned([first, second].into_iter().chain(texts).collect()),
    }
}

fn elements<'d, 'a>(nodes: &[Node<'d, 'a>], step: &Step) -> Vec<Node<'d, 'a>> {
    let inside;
    let parents = match step.axis {
        Axis::Child => nodes,
        Axis::Descendant => {
            inside = all_within(nodes);
            &inside
        }
    };
    let is_named = |node: &Node<'_, '_>| match &step.test {
        Test::Element(name) => node.tag_name().name() == name,
        _ => true,
    };
    let mut found = Vec::new();
    for parent in parents {
        let mut children: Vec<Node<'d, 'a>> =
            parent.children().filter(|child| child.is_element() && is_named(child)).collect();
        for predicate in &step.predicates {
            children = filtered(children, predicate);
        }
        found.append(&mut children);
    }
    if step.axis == Axis::Descendant {
        // Children of an outer element come before those of an inner one here, and not in the document.
        found.sort_unstable_by_key(|node| node.id().get_usize());
    }
    found
}

/// Nodes and everything in them, each once, in the order of the document.
fn all_within<'d, 'a>(nodes: &[Node<'d, 'a>]) -> Vec<Node<'d, 'a>> {
    let mut all: Vec<Node<'d, 'a>> = Vec::new();
    let mut last: Option<usize> = None;
    for node in nodes {
        // What lies within a node that was taken in was taken in with it.
        if last.is_some_and(|last| node.id().get_usize() <= last) {
            continue;
        }
        all.extend(node.descendants().filter(|inner| inner.is_element() || inner.is_root()));
        last = node.descendants().next_back().map(|inner| inner.id().get_usize());
    }
    all
}

fn filtered<'d, 'a>(children: Vec<Node<'d, 'a>>, predicate: &Predicate) -> Vec<Node<'d, 'a>> {
    match predicate {
        Predicate::Position(number) => children.into_iter().skip(number - 1).take(1).collect(),
        Predicate::Last => children.into_iter().next_back().into_iter().collect(),
        Predicate::Namespace(uri) => {
            let is_in = |child: &Node<'_, '_>| child.tag_name().namespace().unwrap_or_default() == uri;
            children.into_iter().filter(is_in).collect()
        }
        Predicate::Holds { names, attribute, value } => {
            let holds = |child: &Node<'_, '_>| meets(*child, names, attribute.as_deref(), value.as_deref());
            children.into_iter().filter(holds).collect()
        }
    }
}

/// True if something is at the end of some element steps and maybe an attribute, and has the value where one is asked
/// for. The elements of one step lie next to each other, so that all of it takes one look at what is in the node.
fn meets(node: Node<'_, '_>, names: &[String], attribute: Option<&str>, value: Option<&str>) -> bool {
    let mut nodes = vec![node];
    for name in names {
        let named = |child: &Node<'_, '_>| child.is_element() && child.tag_name().name() == name;
        nodes = nodes.iter().flat_map(Node::children).filter(named).collect();
    }
    match attribute {
        None => nodes.iter().any(|node| value.is_none_or(|value| string_value(*node) == value)),
        Some(name) => {
            let mut values = nodes.iter().flat_map(Node::attributes).filter(|a| a.name() == name);
            values.any(|found| value.is_none_or(|value| found.value() == value))
        }
    }
}

/// The byte at a row and a column in characters, both 1-based.
fn offset_of(text: &str, row: usize, column: usize) -> usize {
    let start = text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum::<usize>();
    let line = text.get(start..).unwrap_or_default();
    let within = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    start + within
}
