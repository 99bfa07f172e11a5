//! The rules that a search compiles to, and how a resource meets them.

use candor_json::Value;

use crate::moment::Moment;
use crate::others::Others;
use crate::path::Path;
use crate::subject::{Subject, type_of};
use crate::test::Test;
use crate::token::Token;
use crate::words::{Where, Words};

#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Leaf(Leaf),
    All(Vec<Rule>),
    Any(Vec<Rule>),
    Not(Box<Rule>),
    Chain(Chain),
    Has(Has),
    /// One of the words' alternatives.
    Words(Vec<Words>, Where),
    /// In one of the lists with these ids.
    Listed(Vec<String>),
    Own(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) path: Path,
    pub(crate) test: Test,
}

/// A reference to a resource that meets a condition, for each type that it may have.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) path: Path,
    pub(crate) targets: Vec<(String, Rule)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Has {
    pub(crate) source: String,
    pub(crate) path: Path,
    pub(crate) rule: Box<Rule>,
}

impl Rule {
    /// True if a resource meets the rule, as far as it can be decided without other resources. `element` is the
    /// subject, or an element of it.
    pub(crate) fn holds<'a>(&self, element: &'a Value, subject: &Subject<'a>, others: &Others<'a>) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.holds(element, subject),
            Self::All(rules) => rules.iter().all(|rule| rule.holds(element, subject, others)),
            Self::Any(rules) => rules.iter().any(|rule| rule.holds(element, subject, others)),
            Self::Not(rule) => !rule.holds(element, subject, others),
            Self::Chain(chain) => chain.holds(element, subject, others),
            Self::Words(any, place) => any.iter().any(|words| words.are_in(element, *place)),
            // Only the resource that contains it refers to a contained resource.
            Self::Has(_) | Self::Listed(_) => false,
            Self::Own(id) => element.get("id").and_then(Value::as_str) == Some(id),
        }
    }

    /// Hands over every rule in it, itself first.
    pub(crate) fn each<'r>(&'r self, visitor: &mut dyn FnMut(&'r Rule)) {
        visitor(self);
        match self {
            Self::All(rules) | Self::Any(rules) => rules.iter().for_each(|rule| rule.each(visitor)),
            Self::Not(rule) => rule.each(visitor),
            Self::Chain(chain) => chain.targets.iter().for_each(|(_, rule)| rule.each(visitor)),
            Self::Has(has) => has.rule.each(visitor),
            Self::Leaf(_) | Self::Words(..) | Self::Listed(_) | Self::Own(_) => {}
        }
    }

    /// Sets the moment at which `ap` is asked.
    pub(crate) fn at(&mut self, now: &Moment) {
        match self {
            Self::Leaf(leaf) => leaf.test.at(now),
            Self::All(rules) | Self::Any(rules) => rules.iter_mut().for_each(|rule| rule.at(now)),
            Self::Not(rule) => rule.at(now),
            Self::Chain(chain) => chain.targets.iter_mut().for_each(|(_, rule)| rule.at(now)),
            Self::Has(has) => has.rule.at(now),
            Self::Words(..) | Self::Listed(_) | Self::Own(_) => {}
        }
    }

    pub(crate) fn selected<'a>(&self, subject: &Subject<'a>) -> Vec<&'a Value> {
        match self {
            Self::Leaf(Leaf { path, .. }) | Self::Chain(Chain { path, .. }) => {
                path.select(subject).iter().map(|item| item.value).collect()
            }
            Self::All(rules) | Self::Any(rules) => rules.iter().flat_map(|rule| rule.selected(subject)).collect(),
            Self::Not(rule) => rule.selected(subject),
            Self::Has(_) | Self::Words(..) | Self::Listed(_) | Self::Own(_) => Vec::new(),
        }
    }

    /// The codes that it asks for, each with the names of the members on the way to the element that must have it.
    pub(crate) fn codes(&self) -> Vec<(Vec<&'static str>, String)> {
        match self {
            Self::Leaf(leaf) => leaf.codes(),
            Self::All(rules) | Self::Any(rules) => rules.iter().flat_map(Self::codes).collect(),
            Self::Not(_) | Self::Chain(_) | Self::Has(_) | Self::Words(..) | Self::Listed(_) | Self::Own(_) => {
                Vec::new()
            }
        }
    }
}

impl Leaf {
    fn codes(&self) -> Vec<(Vec<&'static str>, String)> {
        let bases = || self.path.members();
        match &self.test {
            Test::Tokens(tokens) => {
                let codes: Vec<String> = tokens.any.iter().filter_map(Token::code).collect();
                bases().flat_map(|base| codes.iter().map(move |code| (base.clone(), code.clone()))).collect()
            }
            Test::Composite(any) => {
                let components = any.iter().flatten().flat_map(Self::codes);
                let below = |(own, code): (Vec<&'static str>, String)| {
                    bases().map(move |base| ([base, own.clone()].concat(), code.clone())).collect::<Vec<_>>()
                };
                components.flat_map(below).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn holds<'a>(&self, element: &'a Value, subject: &Subject<'a>) -> bool {
        self.test.holds(&self.path.select_from(element, subject), subject)
    }

    /// Returns `true` if what an element holds there is not of a type that the test reads, or is left out.
    pub(crate) fn is_off<'a>(&self, element: &'a Value, subject: &Subject<'a>, is_subset: &dyn Fn() -> bool) -> bool {
        let mut off = false;
        let items = self.path.select_minding(element, subject, &mut off);
        self.test.is_off(off, &items, subject, is_subset)
    }
}

impl Chain {
    fn holds<'a>(&self, element: &'a Value, subject: &Subject<'a>, others: &Others<'a>) -> bool {
        self.path.select_from(element, subject).iter().any(|item| self.leads(item.value, subject, others))
    }

    fn leads<'a>(&self, reference: &'a Value, subject: &Subject<'a>, others: &Others<'a>) -> bool {
        let meets = |target: &'a Value, subject: &Subject<'a>| {
            let rule = type_of(target).and_then(|name| self.rule(name));
            rule.is_some_and(|rule| rule.holds(target, subject, others))
        };
        if type_of(reference).is_some() {
            return meets(reference, &subject.inner(reference));
        }
        if let Some(id) = contained_id(reference) {
            return subject.contained(id).is_some_and(|target| meets(target, subject));
        }
        let types = self.targets.iter().map(|(name, _)| name.as_str());
        others.subjects(reference, subject, types).iter().any(|target| meets(target.value, target))
    }

    pub(crate) fn rule(&self, resource_type: &str) -> Option<&Rule> {
        self.targets.iter().find(|(name, _)| name == resource_type).map(|(_, rule)| rule)
    }
}

pub(crate) fn contained_id(reference: &Value) -> Option<&str> {
    reference.get("reference").and_then(Value::as_str)?.strip_prefix('#')
}
