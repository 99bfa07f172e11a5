//! From a type along a path, by names alone.

use std::fmt;

use super::codes::Codes;
use super::nearest;
use super::table::{Element, Releases, Type};

/// The facts about the elements that a path leads to, for every resource of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The types that an element there may have; nothing where that is open.
    types: Option<Vec<Type>>,
    /// The paths of the elements whose binding holds for a code there, `None` where it is not known.
    bound: Option<Vec<String>>,
    repeats: bool,
    /// A release has it at most once.
    is_single: bool,
    releases: Releases,
}

/// An element that a type has in no release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownElement {
    of: Vec<&'static str>,
    name: String,
    suggested: Vec<String>,
    why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// The type has no such element.
    Unknown,
    /// It is a choice, whose JSON member carries the type.
    ChoiceWithoutType,
    OtherType,
}

impl Position {
    /// The resources of a type; open where the type is not one of R4, R4B or R5.
    #[must_use]
    pub fn of(resource_type: &str) -> Self {
        match Type::named(resource_type) {
            Some(of) if !of.is_open() => Self::at(vec![of], Releases::ALL),
            _ => Self::open(),
        }
    }

    /// The position of which nothing is known.
    #[must_use]
    pub fn open() -> Self {
        Self { types: None, bound: None, repeats: true, is_single: true, releases: Releases::ALL }
    }

    pub(super) fn at(types: Vec<Type>, releases: Releases) -> Self {
        Self { types: Some(types), bound: None, repeats: false, is_single: true, releases }
    }

    /// The types that an element there may have, over all releases; `None` where that is open.
    #[must_use]
    pub fn types(&self) -> Option<&[Type]> {
        self.types.as_deref()
    }

    /// True if the last element may repeat.
    #[must_use]
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// Returns `true` if the last element may repeat in every release, so that JSON always writes it as an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        !self.is_single
    }

    /// The releases that have the last element.
    #[must_use]
    pub fn releases(&self) -> Releases {
        self.releases
    }

    /// The codes that may be at the position: where it is at a `code`, or at the `code` of a concept, with a required binding.
    #[must_use]
    pub fn codes(&self) -> Option<Codes> {
        let is_code = |of: &Type| of.name() == "code";
        self.types.as_ref().filter(|types| types.iter().any(is_code))?;
        Codes::of_all(self.bound.as_deref()?)
    }

    /// The elements of a JSON member: `valueQuantity`. Members that begin with `_` are open.
    ///
    /// # Errors
    /// When no type at the position has the member in any release.
    pub fn member(&self, name: &str) -> Result<Self, UnknownElement> {
        if name.starts_with('_') {
            return Ok(Self::open());
        }
        let is_resource = |types: &[Type]| types.iter().any(|of| of.is_resource());
        if name == "resourceType" && self.types().is_some_and(is_resource) {
            return Ok(Type::named("string").map_or_else(Self::open, |of| Self::at(vec![of], Releases::ALL)));
        }
        self.step(name, |element| element.is_member(name))
    }

    /// The elements of a name in FHIRPath: `value`. The name of the JSON member is accepted, as evaluation accepts it.
    ///
    /// # Errors
    /// As [`Position::member`].
    pub fn element(&self, name: &str) -> Result<Self, UnknownElement> {
        self.step(name, |element| element.name == name || element.is_member(name)).map_err(|mut unknown| {
            if unknown.why == Why::Unknown && name.starts_with(|c: char| c.is_ascii_uppercase()) {
                unknown.suggested.extend(unknown.of.iter().map(|of| (*of).to_owned()));
                unknown.suggested.truncate(1);
            }
            unknown
        })
    }

    /// The elements that R4, R4B and R5 all require and an object at the position does not have: `code`, `value[x]`. `has`
    /// says which JSON members the object has. An extension in place of the value of a primitive counts as the element.
    ///
    /// Nothing is missing where the position is open, or where one of the types there has all that it requires.
    #[must_use]
    pub fn missing(&self, has: impl Fn(&str) -> bool) -> Vec<String> {
        let of_type = |of: &Type| match of.is_open() || of.required().next().is_none() {
            true => Vec::new(),
            false => missing_of(*of, &has),
        };
        self.types.iter().flatten().map(of_type).min_by_key(Vec::len).unwrap_or_default()
    }

    fn step(&self, name: &str, is_it: impl Fn(&Element) -> bool) -> Result<Self, UnknownElement> {
        let Some(types) = &self.types else { return Ok(Self::open()) };
        let mut next = Self {
            types: Some(Vec::new()),
            bound: Some(Vec::new()),
            repeats: false,
            is_single: false,
            releases: Releases::NONE,
        };
        for of in types {
            if of.is_open() {
                return Ok(Self::open());
            }
            // The member of a choice begins with its name.
            for element in of.elements_where(|known| name.starts_with(known)).iter().filter(|element| is_it(element)) {
                next.add(element, self.bound.as_deref());
            }
        }
        match &mut next.types {
            Some(found) if found.is_empty() => {
                let known: Vec<Element> = types.iter().flat_map(|of| of.elements()).collect();
                Err(UnknownElement::new(types, name, &known))
            }
            Some(found) if found.iter().any(|of| of.is_open()) => Ok(Self { types: None, ..next }),
            _ => Ok(next),
        }
    }

    fn add(&mut self, element: &Element, bound: Option<&[String]>) {
        self.repeats |= element.repeats;
        self.is_single |= !element.repeats;
        self.releases = self.releases.and(element.releases);
        if let Some(types) = &mut self.types
            && !types.contains(&element.of)
        {
            types.push(element.of);
        }
        // The binding of a concept holds for the codes in it.
        let of_concept = match (element.owner, element.name) {
            ("CodeableConcept", "coding") | ("Coding", "code") => bound.filter(|bound| !bound.is_empty()),
            _ => None,
        };
        let own = match of_concept {
            Some(bound) => bound.to_vec(),
            None if matches!(element.of.name(), "code" | "CodeableConcept" | "Coding") => {
                vec![format!("{}.{}", element.owner, element.name)]
            }
            None => Vec::new(),
        };
        if let Some(all) = &mut self.bound {
            all.extend(own);
            all.dedup();
        }
    }

    pub(super) fn only(&self, of: Type) -> Self {
        if of.is_open() {
            return Self::open();
        }
        Self { types: Some(vec![of]), ..self.clone() }
    }

    /// The elements at the position that are of a type which an expression names at the beginning of a path.
    pub(super) fn head(&self, named: Type) -> Result<Self, UnknownElement> {
        let Some(types) = &self.types else { return Ok(Self::open()) };
        let mut kept = self.clone();
        kept.types = Some(types.iter().copied().filter(|of| of.is_a(named) || named.is_a(*of)).collect());
        if kept.types().is_some_and(<[Type]>::is_empty) {
            let of = types.iter().map(|of| of.name()).collect();
            let name = named.name().to_owned();
            return Err(UnknownElement { of, name, suggested: Vec::new(), why: Why::OtherType });
        }
        Ok(kept)
    }

    pub(super) fn or(self, other: Self) -> Self {
        match (self.types, other.types) {
            (Some(types), Some(others)) => {
                let bound = self.bound.zip(other.bound).map(|(own, others)| together(own, others));
                let types = Some(together(types, others));
                let releases = self.releases.and(other.releases);
                Self { types, bound, repeats: true, is_single: true, releases }
            }
            _ => Self::open(),
        }
    }
}

fn missing_of(of: Type, has: impl Fn(&str) -> bool) -> Vec<String> {
    let elements = of.elements();
    let is_there = |element: &&Element| {
        let member = element.member();
        has(&member) || element.of.is_primitive() && has(&format!("_{member}"))
    };
    let missing = of.required().filter_map(|name| {
        let named = || elements.iter().filter(|element| element.name == name);
        // R4's own definition comes first; a later release may have one type in place of the choice.
        let is_choice = named().next()?.is_choice;
        let is_missing = !named().any(|element| is_there(&element));
        is_missing.then(|| if is_choice { format!("{name}[x]") } else { name.to_owned() })
    });
    missing.collect()
}

/// Each of both once: an expression may name the same element thousands of times.
fn together<T: PartialEq>(mut own: Vec<T>, others: Vec<T>) -> Vec<T> {
    for other in others {
        if !own.contains(&other) {
            own.push(other);
        }
    }
    own
}

impl UnknownElement {
    fn new(types: &[Type], name: &str, known: &[Element]) -> Self {
        let of = types.iter().map(|of| of.name()).collect();
        let members: Vec<String> = known.iter().map(Element::member).collect();
        let choices: Vec<String> = known.iter().filter(|element| element.name == name).map(Element::member).collect();
        if !choices.is_empty() {
            return Self { of, name: name.to_owned(), suggested: choices, why: Why::ChoiceWithoutType };
        }
        let suggested = nearest(name, members.iter().map(String::as_str)).map(str::to_owned);
        Self { of, name: name.to_owned(), suggested: suggested.into_iter().collect(), why: Why::Unknown }
    }

    /// The name that nothing has.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for UnknownElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4;
        let of = match self.of.as_slice() {
            [] => "the resource",
            [one] => one,
            [first, ..] if self.of.len() > SHOWN => return self.of_many(f, first),
            several => return write!(f, "{} have no element `{}`{}", several.join(" and "), self.name, self.advice()),
        };
        match self.why {
            Why::OtherType => write!(f, "the elements here are of the type {of}, not `{}`", self.name),
            _ => write!(f, "{of} has no element `{}`{}", self.name, self.advice()),
        }
    }
}

impl UnknownElement {
    fn of_many(&self, f: &mut fmt::Formatter<'_>, first: &str) -> fmt::Result {
        let others = self.of.len() - 1;
        write!(
            f,
            "{first} and the {others} other types that may be here have no element `{}`{}",
            self.name,
            self.advice()
        )
    }

    fn advice(&self) -> String {
        match (self.why, self.suggested.as_slice()) {
            (Why::ChoiceWithoutType, [one]) => format!("; its member carries the type: `{one}`"),
            (Why::ChoiceWithoutType, [first, second, ..]) => {
                let more = if self.suggested.len() > 2 { ", …" } else { "" };
                format!("; its member carries the type: `{first}`, `{second}`{more}")
            }
            (_, [suggested, ..]) => format!("; did you mean `{suggested}`?"),
            (_, []) => String::new(),
        }
    }
}

impl std::error::Error for UnknownElement {}
