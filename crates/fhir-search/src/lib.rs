//! R4 search over resources held in memory.
//!
//! A [`Search`] is compiled once from an assertion's `search` and then asked of resources. What it cannot do right it
//! refuses when it is compiled: no parameter is ever ignored.
//!
//! This crate knows nothing of files, checks or evidence.

mod codes;
mod compile;
mod date;
mod error;
mod filter;
mod index;
pub mod literal;
pub mod moment;
mod number;
mod others;
pub mod path;
mod prefix;
mod quantity;
mod reference;
mod result;
mod rule;
mod set;
mod sets;
mod shape;
mod sort;
mod string;
mod subject;
pub mod table;
mod test;
mod text;
mod token;
pub mod types;
mod uri;
mod words;

use std::collections::BTreeSet;

use candor_json::Value;

pub use error::SearchError;
pub use index::Index;
use moment::Moment;
use others::Others;
use rule::Rule;
use set::Set;
use sets::Among;
pub use subject::{Members, Names, Resources, Subject};

/// A compiled search on one resource type.
///
/// ```
/// use candor_fhir_search::{Search, SearchError};
/// let search = |name: &str, value: &str| Search::compile("Appointment", [(name, vec![value])]);
/// assert!(search("status", "booked,arrived").is_ok());
/// assert_eq!(
///     search("statsu", "booked").unwrap_err().to_string(),
///     "Appointment has no search parameter `statsu`; the nearest one is `status`"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    resource_type: String,
    conditions: Vec<Condition>,
    sort: Vec<sort::Key>,
}

/// A condition `name[:modifier]=value`. A resource must meet all conditions of a search.
#[derive(Clone, Debug)]
struct Condition {
    name: String,
    value: String,
    rule: Rule,
}

/// The resource that meets most conditions of a search, and the first one that it does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest<'s> {
    /// Where it is.
    pub position: usize,
    /// How many conditions it meets.
    pub met: usize,
    /// The parameter of the first that it does not meet, with its modifier, as written.
    pub name: &'s str,
    /// The value asked for, as written.
    pub value: &'s str,
    condition: usize,
}

impl Search {
    /// Compiles a search: parameters with their values, which must all hold; a comma in a value separates alternatives.
    ///
    /// # Errors
    /// A resource type, parameter, modifier or value that is unknown, malformed or not supported.
    pub fn compile<'a, V>(
        resource_type: &str,
        parameters: impl IntoIterator<Item = (&'a str, V)>,
    ) -> Result<Self, SearchError>
    where
        V: IntoIterator<Item = &'a str>,
    {
        if !types::is_resource(resource_type) {
            let nearest = types::nearest(resource_type, types::resources());
            return Err(SearchError::UnknownResourceType { name: resource_type.to_owned(), nearest });
        }
        let mut search = Self { resource_type: resource_type.to_owned(), conditions: Vec::new(), sort: Vec::new() };
        for (name, values) in parameters {
            let mut count = 0;
            for value in values {
                count += 1;
                search.parameter(name, value)?;
            }
            if count == 0 {
                return Err(SearchError::value(name, "[]", "it holds no value"));
            }
        }
        Ok(search)
    }

    fn parameter(&mut self, name: &str, value: &str) -> Result<(), SearchError> {
        if value.trim().is_empty() {
            return Err(SearchError::value(name, value, "it is empty"));
        }
        if name == "_sort" {
            self.sort.append(&mut sort::keys(&self.resource_type, value)?);
            return Ok(());
        }
        if result::is_without_effect(&self.resource_type, name, value)? {
            return Ok(());
        }
        let rule = compile::compile(&self.resource_type, name, value)?;
        self.conditions.push(Condition { name: name.to_owned(), value: value.to_owned(), rule });
        Ok(())
    }

    /// Asks for resources in a compartment too (`Patient/123`): the resource it is named after, and those that refer to it by
    /// one of the parameters in the compartment's definition.
    ///
    /// ```
    /// use candor_fhir_search::Search;
    /// let mut search = Search::compile("Appointment", [("status", ["booked"])]).unwrap();
    /// assert!(search.within_compartment("Patient/123").is_ok());
    /// assert!(search.within_compartment("Clinic/1").is_err());
    /// ```
    ///
    /// # Errors
    /// A text that is not a compartment, or a compartment that resources of the type are never in.
    pub fn within_compartment(&mut self, compartment: &str) -> Result<(), SearchError> {
        let rule = compile::compartment(&self.resource_type, compartment)?;
        self.conditions.push(Condition { name: "compartment".to_owned(), value: compartment.to_owned(), rule });
        Ok(())
    }

    /// Sets the moment at which the search is asked: `ap` of a date reaches as far as a tenth of what lies between them.
    /// Without it `ap` reaches no further than the date itself.
    pub fn at(&mut self, now: &Moment) {
        self.conditions.iter_mut().for_each(|condition| condition.rule.at(now));
    }

    /// True if the result depends on the time at which the search runs.
    #[must_use]
    pub fn hangs_on_now(&self) -> bool {
        self.any(&mut |rule| matches!(rule, Rule::Leaf(leaf) if leaf.test.asks_for_about()))
    }

    /// True if one resource is not enough to decide: a chain, `_has` or `_list` asks for other resources. Then
    /// [`matches`](Self::matches) may return `false` for a resource that [`find`](Self::find) finds.
    #[must_use]
    pub fn hangs_on_others(&self) -> bool {
        self.any(&mut |rule| matches!(rule, Rule::Chain(_) | Rule::Has(_) | Rule::Listed(_)))
    }

    /// The types of the other resources that chains lead to, `_has` comes from and `_list` names.
    ///
    /// ```
    /// use candor_fhir_search::Search;
    /// let search = Search::compile("Appointment", [("patient.organization.name", ["x"])]).unwrap();
    /// assert_eq!(search.types_of_others().into_iter().collect::<Vec<_>>(), ["Organization", "Patient"]);
    /// ```
    #[must_use]
    pub fn types_of_others(&self) -> BTreeSet<&str> {
        let mut types = BTreeSet::new();
        for condition in &self.conditions {
            condition.rule.each(&mut |rule| match rule {
                Rule::Chain(chain) => types.extend(chain.targets.iter().map(|(name, _)| name.as_str())),
                Rule::Has(has) => drop(types.insert(has.source.as_str())),
                Rule::Listed(_) => drop(types.insert("List")),
                _ => {}
            });
        }
        types
    }

    /// True if the absence of another resource may let this search find one.
    #[must_use]
    pub fn hangs_on_absence(&self) -> bool {
        self.any(&mut |rule| {
            let mut of_others = false;
            if let Rule::Not(rule) = rule {
                rule.each(&mut |rule| of_others |= matches!(rule, Rule::Chain(_) | Rule::Has(_) | Rule::Listed(_)));
            }
            of_others
        })
    }

    fn any(&self, wanted: &mut dyn FnMut(&Rule) -> bool) -> bool {
        let mut any = false;
        self.conditions.iter().for_each(|condition| condition.rule.each(&mut |rule| any |= wanted(rule)));
        any
    }

    /// The resource type that is searched.
    #[must_use]
    pub fn resource_type(&self) -> &str {
        &self.resource_type
    }

    /// The positions of the resources that meet every condition: ascending, or in the order that `_sort` asks for.
    ///
    /// The parameters of this search that `index` does not hold yet are first collected from `resources`.
    #[must_use]
    pub fn find(&self, resources: &dyn Resources, index: &Index) -> Vec<usize> {
        let positions = resources.of_type(&self.resource_type);
        let among = Among { resources, index, perhaps: false };
        let mut all = Set::all(positions.len());
        for condition in &self.conditions {
            all.and(&among.set(&self.resource_type, &condition.rule));
        }
        // Half a million may be found; growing step by step would copy them again and again.
        let mut found = Vec::with_capacity(all.count());
        found.extend(all.iter().filter_map(|rank| positions.get(rank)).copied());
        if !self.sort.is_empty() {
            let members = sort::members(&self.sort);
            let place = |position: &usize| {
                let mut places = Vec::new();
                resources.visit(*position, &members, &mut |subject| places = sort::places(&self.sort, subject));
                places
            };
            found.sort_by_cached_key(place);
        }
        found
    }

    /// The resources that a search cannot say no of: they do not meet every condition, but those that they do not meet look at
    /// values which are not of their elements' types (a number in the place of a date). Each with the parameter and the
    /// value asked for, as written.
    #[must_use]
    pub fn doubtful(&self, resources: &dyn Resources, index: &Index) -> Vec<(usize, &str, &str)> {
        let positions = resources.of_type(&self.resource_type);
        let set = |condition: &Condition, perhaps: bool| {
            Among { resources, index, perhaps }.set(&self.resource_type, &condition.rule)
        };
        let sets: Vec<(Set, &Condition)> =
            self.conditions.iter().map(|condition| (set(condition, false), condition)).collect();
        let mut perhaps = Set::all(positions.len());
        self.conditions.iter().for_each(|condition| perhaps.and(&set(condition, true)));
        let doubt = |rank: usize| {
            let (_, condition) = sets.iter().find(|(set, _)| !set.contains(rank))?;
            Some((*positions.get(rank)?, condition.name.as_str(), condition.value.as_str()))
        };
        perhaps.iter().filter_map(doubt).collect()
    }

    /// Of the resources of the type the one that meets most conditions without meeting all of them, the first of equals.
    #[must_use]
    pub fn nearest(&self, resources: &dyn Resources, index: &Index) -> Option<Nearest<'_>> {
        let positions = resources.of_type(&self.resource_type);
        let among = Among { resources, index, perhaps: false };
        let sets: Vec<Set> =
            self.conditions.iter().map(|condition| among.set(&self.resource_type, &condition.rule)).collect();
        let met = |rank: usize| sets.iter().filter(|set| set.contains(rank)).count();
        let scored = (0..positions.len()).map(|rank| (met(rank), rank)).filter(|(met, _)| *met < sets.len());
        let (met, rank) = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        let condition = sets.iter().position(|set| !set.contains(rank))?;
        let Condition { name, value, .. } = self.conditions.get(condition)?;
        Some(Nearest { position: *positions.get(rank)?, met, name, value, condition })
    }

    /// The elements of a resource that the condition looks at which the nearest one does not meet.
    #[must_use]
    pub fn unmet_elements<'a>(&self, nearest: &Nearest<'_>, subject: &Subject<'a>) -> Vec<&'a Value> {
        self.conditions.get(nearest.condition).map(|condition| condition.rule.selected(subject)).unwrap_or_default()
    }

    /// The elements of a resource that the conditions read.
    #[must_use]
    pub fn elements<'a>(&self, subject: &Subject<'a>) -> Vec<&'a Value> {
        self.conditions.iter().flat_map(|condition| condition.rule.selected(subject)).collect()
    }

    /// True if a resource of the type meets every condition, without any other resource: see
    /// [`hangs_on_others`](Self::hangs_on_others).
    #[must_use]
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        self.conditions.iter().all(|condition| condition.holds(subject))
    }

    /// The first condition that a resource, without any other resource, does not meet: the parameter and the wanted
    /// value, as written, and the elements that the parameter selects.
    #[must_use]
    pub fn first_unmet<'a>(&self, subject: &Subject<'a>) -> Option<(&str, &str, Vec<&'a Value>)> {
        let condition = self.conditions.iter().find(|condition| !condition.holds(subject))?;
        Some((&condition.name, &condition.value, condition.rule.selected(subject)))
    }

    /// The conditions, each as a parameter and a value, as written.
    pub fn conditions(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.conditions.iter().map(|condition| (condition.name.as_str(), condition.value.as_str()))
    }

    /// The order that `_sort` asks for, if it was given; equal ones keep their places.
    pub fn sort<T>(&self, all: &mut [T], subject: impl Fn(&T) -> Subject<'_>) {
        if !self.sort.is_empty() {
            all.sort_by_cached_key(|one| sort::places(&self.sort, &subject(one)));
        }
    }

    /// The codes that the conditions ask for, in lower case, each with the names of the members on the way to the element
    /// that must have it. `:not`, `:missing` and `:text` ask for no code.
    ///
    /// ```
    /// use candor_fhir_search::Search;
    /// let search = Search::compile("Task", [("status", ["cancelled,failed"]), ("intent:not", ["plan"])]).unwrap();
    /// let codes: Vec<_> = search.codes().collect();
    /// assert_eq!(codes, [(vec!["status"], "cancelled".to_owned()), (vec!["status"], "failed".to_owned())]);
    /// ```
    pub fn codes(&self) -> impl Iterator<Item = (Vec<&'static str>, String)> {
        self.conditions.iter().flat_map(|condition| condition.rule.codes())
    }

    /// As [`Search::codes`], those of each condition together: every condition has to hold.
    pub fn codes_of_each(&self) -> impl Iterator<Item = Vec<(Vec<&'static str>, String)>> {
        self.conditions.iter().map(|condition| condition.rule.codes())
    }
}

impl Condition {
    fn holds(&self, subject: &Subject<'_>) -> bool {
        self.rule.holds(subject.value, subject, &Others::none())
    }
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
