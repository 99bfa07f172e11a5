//! Which resources of a type meet a rule, through the index.

use candor_json::Value;

use crate::index::{Index, Off, Selected};
use crate::others::Others;
use crate::reference::Stored;
use crate::rule::{Chain, Has, Leaf, Rule};
use crate::set::Set;
use crate::subject::{Members, Resources};
use crate::test::{Test, Tokens};
use crate::token::Token;

/// Resources with an index over them.
#[derive(Clone, Copy)]
pub(crate) struct Among<'a> {
    pub(crate) resources: &'a dyn Resources,
    pub(crate) index: &'a Index,
    /// Counts a resource as one that meets a condition, too, if the value looked at is left out, or not of its element's
    /// type.
    pub(crate) perhaps: bool,
}

impl<'a> Among<'a> {
    fn others(&self) -> Others<'a> {
        Others::among(self.resources, self.index)
    }

    fn len(&self, resource_type: &str) -> usize {
        self.resources.of_type(resource_type).len()
    }

    pub(crate) fn set(&self, resource_type: &str, rule: &Rule) -> Set {
        let len = self.len(resource_type);
        match rule {
            Rule::Leaf(leaf) if self.perhaps => {
                let mut set = self.leaf(resource_type, leaf);
                set.or(&self.index.off(self.resources, resource_type, leaf));
                set
            }
            Rule::Chain(chain) if self.perhaps => {
                let reference = Leaf { path: chain.path.clone(), test: Test::References(Vec::new()) };
                let mut set = self.chain(resource_type, chain);
                set.or(&self.index.off(self.resources, resource_type, &reference));
                set
            }
            Rule::Leaf(leaf) if matches!(leaf.test, Test::Missing(true) | Test::NoToken(_)) => {
                let absent = Leaf { path: leaf.path.clone(), test: Test::Missing(true) };
                let mut set = self.leaf(resource_type, leaf);
                set.and(&self.index.off(self.resources, resource_type, &absent).not());
                set
            }
            Rule::Leaf(leaf) => self.leaf(resource_type, leaf),
            Rule::All(rules) => rules.iter().fold(Set::all(len), |mut all, rule| {
                all.and(&self.set(resource_type, rule));
                all
            }),
            Rule::Any(rules) => rules.iter().fold(Set::none(len), |mut any, rule| {
                any.or(&self.set(resource_type, rule));
                any
            }),
            Rule::Not(rule) => Self { perhaps: false, ..*self }.set(resource_type, rule).not(),
            Rule::Chain(chain) => self.chain(resource_type, chain),
            Rule::Has(has) => self.has(resource_type, has),
            Rule::Listed(lists) => self.listed(resource_type, lists),
            Rule::Own(id) => self.ranks(resource_type, self.index.with_id(self.resources, resource_type, id)),
            Rule::Words(..) => self.verified(resource_type, &Set::all(len), rule),
        }
    }

    fn ranks(&self, resource_type: &str, positions: impl IntoIterator<Item = usize>) -> Set {
        let all = self.resources.of_type(resource_type);
        let mut set = Set::none(all.len());
        positions
            .into_iter()
            .filter_map(|position| all.binary_search(&position).ok())
            .for_each(|rank| set.insert(rank));
        set
    }

    /// Those of `perhaps` that meet a rule, looked at one by one.
    fn verified(&self, resource_type: &str, perhaps: &Set, rule: &Rule) -> Set {
        let (all, others) = (self.resources.of_type(resource_type), self.others());
        let mut set = Set::none(perhaps.len());
        for rank in perhaps.iter() {
            let Some(position) = all.get(rank) else { continue };
            match rule {
                // Following references to others needs a resource that stays.
                Rule::Chain(_) | Rule::All(_) | Rule::Any(_) | Rule::Not(_) => {
                    if self
                        .resources
                        .subject(*position)
                        .is_some_and(|subject| rule.holds(subject.value, &subject, &others))
                    {
                        set.insert(rank);
                    }
                }
                _ => self.resources.visit(*position, &Members::all(), &mut |subject| {
                    if rule.holds(subject.value, subject, &Others::none()) {
                        set.insert(rank);
                    }
                }),
            }
        }
        set
    }

    fn leaf(&self, resource_type: &str, leaf: &Leaf) -> Set {
        let len = self.len(resource_type);
        let selected = Selected { resource_type, path: &leaf.path, component: None, count: len, off: None };
        let verified = |perhaps: &Set| self.verified(resource_type, perhaps, &Rule::Leaf(leaf.clone()));
        match &leaf.test {
            Test::OfType(any) => {
                let codes = self.index.codes(self.resources, selected, false);
                let mut perhaps = Set::none(len);
                any.iter().for_each(|one| perhaps.or(&codes.with_code(one.value())));
                verified(&perhaps)
            }
            Test::Composite(any) => {
                let elements = self.index.elements(self.resources, selected);
                let mut found = Set::none(len);
                for components in any {
                    let mut all = Set::all(elements.len());
                    for component in components {
                        let selected = Selected { component: Some(&component.path), count: elements.len(), ..selected };
                        match self.answered(selected, &component.test) {
                            Some(elements) => all.and(&elements),
                            None => return verified(&Set::all(len)),
                        }
                    }
                    all.iter().filter_map(|at| elements.get(at)).for_each(|rank| found.insert(*rank as usize));
                }
                found
            }
            test => {
                let off = Off::new(test);
                let found = self.answered(Selected { off: Some(&off), ..selected }, test);
                self.index.keep_off(selected, off);
                found.unwrap_or_else(|| verified(&Set::all(len)))
            }
        }
    }

    /// The result of the test, if the index has a certain answer.
    fn answered(&self, selected: Selected<'_>, test: &Test) -> Option<Set> {
        let (index, resources) = (self.index, self.resources);
        Some(match test {
            Test::Missing(missing) => {
                let present = Set::clone(&index.presence(resources, selected));
                if *missing { present.not() } else { present }
            }
            Test::Tokens(tokens) => match self.with_ids(selected, tokens) {
                Some(found) => found,
                None => index.codes(resources, selected, tokens.without_system).with(tokens),
            },
            Test::NoToken(tokens) => index.codes(resources, selected, tokens.without_system).with(tokens).not(),
            Test::Identifiers(tokens) => index.identifier_codes(resources, selected).with(tokens),
            Test::Strings(any) => index.texts(resources, selected).with(any),
            Test::TokenTexts(any) => index.token_texts(resources, selected).with(any),
            Test::References(any) => index.references(resources, selected).with(any, resources)?,
            Test::Dates(any) => index.dates(resources, selected).with(any),
            Test::Numbers(any) => index.quantities(resources, selected).with_numbers(any),
            Test::Quantities(any) => index.quantities(resources, selected).with(any),
            Test::Uris(any) => index.uri_facts(resources, selected).with(any),
            Test::OfType(_) | Test::Composite(_) | Test::Unequal(_) => return None,
        })
    }

    /// The resources with one of these ids, where that is asked for and each of them writes its own.
    fn with_ids(&self, selected: Selected<'_>, tokens: &Tokens) -> Option<Set> {
        let Selected { resource_type, path, component, .. } = selected;
        if path.text() != "Resource.id" || component.is_some() || !self.resources.write_ids(resource_type) {
            return None;
        }
        let ids: Vec<&str> = tokens.any.iter().map(Token::exact_code).collect::<Option<_>>()?;
        let positions = ids.into_iter().flat_map(|id| self.index.with_id(self.resources, resource_type, id));
        Some(self.ranks(resource_type, positions))
    }

    fn chain(&self, resource_type: &str, chain: &Chain) -> Set {
        let (count, test) = (self.len(resource_type), Test::References(Vec::new()));
        let selected = Selected { resource_type, path: &chain.path, component: None, count, off: None };
        let off = Off::new(&test);
        let references = self.index.references(self.resources, Selected { off: Some(&off), ..selected });
        self.index.keep_off(selected, off);
        let mut set = Set::none(self.len(resource_type));
        let met: Vec<(&str, Set)> = chain
            .targets
            .iter()
            .filter(|(name, _)| self.len(name) > 0)
            .map(|(name, rule)| (name.as_str(), self.set(name, rule)))
            .collect();
        let met_at = |position: usize| {
            met.iter().any(|(name, met)| {
                self.resources.of_type(name).binary_search(&position).is_ok_and(|rank| met.contains(rank))
            })
        };
        let mut add = |fact: usize| {
            let types = met.iter().map(|(name, _)| *name);
            if references.targets(fact, &self.others(), types).iter().copied().any(met_at) {
                references.ranks(fact).iter().for_each(|rank| set.insert(*rank as usize));
            }
        };
        let targets: usize = met.iter().map(|(_, met)| met.count()).sum();
        if targets * 8 < references.count() && !references.has_canonicals() {
            for (name, met) in &met {
                let positions = self.resources.of_type(name);
                let ids = met.iter().filter_map(|rank| self.resources.id(*positions.get(rank)?));
                ids.for_each(|id| references.with_id(id).for_each(&mut add));
            }
        } else {
            (0..references.count()).for_each(&mut add);
        }
        set.or(&self.verified(resource_type, references.inside(), &Rule::Chain(chain.clone())));
        set
    }

    fn has(&self, resource_type: &str, has: &Has) -> Set {
        let sources = self.set(&has.source, &has.rule);
        let selected =
            Selected { resource_type: &has.source, path: &has.path, component: None, count: sources.len(), off: None };
        let references = self.index.references(self.resources, selected);
        let all = self.resources.of_type(resource_type);
        let mut set = Set::none(all.len());
        for fact in 0..references.count() {
            if references.ranks(fact).iter().any(|rank| sources.contains(*rank as usize)) {
                let targets = references.targets(fact, &self.others(), std::iter::once(resource_type));
                targets.iter().filter_map(|at| all.binary_search(at).ok()).for_each(|rank| set.insert(rank));
            }
        }
        set
    }

    /// Source: FHIR R4, Search, 3.1.1.4.17. What is marked as deleted from a list is not in it.
    fn listed(&self, resource_type: &str, lists: &[String]) -> Set {
        let mut positions = Vec::new();
        for list in lists.iter().flat_map(|id| self.index.with_id(self.resources, "List", id)) {
            self.resources.visit(list, &Members::all(), &mut |subject| {
                let entries = subject.value.get("entry").and_then(Value::as_array).into_iter().flatten();
                for entry in entries.filter(|entry| entry.get("deleted") != Some(&Value::Bool(true))) {
                    let stored = entry.get("item").and_then(|item| Stored::of(item, subject));
                    let found = stored.map(|stored| self.others().positions(&stored, std::iter::once(resource_type)));
                    positions.extend(found.into_iter().flatten());
                }
            });
        }
        self.ranks(resource_type, positions)
    }
}
