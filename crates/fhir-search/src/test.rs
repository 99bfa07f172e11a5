//! The tests on the elements that a parameter selects.

use std::borrow::Cow;

use crate::date::Range;
use crate::moment::Moment;
use crate::number::Comparison;
use crate::path::{Item, Path};
use crate::quantity::{self, Quantity};
use crate::reference::Target;
use crate::rule::Leaf;
use crate::string::{self, How, Text};
use crate::subject::Subject;
use crate::table::{self, Kind, Parameter};
use crate::token::{self, OfType, Token};
use crate::uri::{self, Uri};
use crate::{SearchError, codes, text, types};

/// A test on the elements that a parameter selects: any alternative, of any element.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Missing(bool),
    Tokens(Tokens),
    /// None of them, of no element.
    NoToken(Tokens),
    OfType(Vec<OfType>),
    Strings(Vec<Text>),
    TokenTexts(Vec<Text>),
    References(Vec<Target>),
    /// In the `identifier` of a reference.
    Identifiers(Tokens),
    Dates(Vec<Range>),
    Numbers(Vec<Comparison>),
    Quantities(Vec<Quantity>),
    Uris(Vec<Uri>),
    Composite(Vec<Vec<Leaf>>),
    /// An element for which the test does not hold. Only `_filter` asks for that.
    Unequal(Box<Test>),
}

#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub(crate) any: Vec<Token>,
    pub(crate) without_system: bool,
}

impl Test {
    /// Compiles the value of `name[:modifier]=value`.
    pub(crate) fn compile(
        resource_type: &str,
        parameter: &Parameter,
        modifier: Option<&str>,
        name: &str,
        value: &str,
    ) -> Result<Self, SearchError> {
        let wrong = |problem: Cow<'static, str>| SearchError::value(name, value, problem);
        if modifier == Some("missing") {
            return match value {
                "true" => Ok(Self::Missing(true)),
                "false" => Ok(Self::Missing(false)),
                _ => Err(wrong("`:missing` takes `true` or `false`".into())),
            };
        }
        let alternatives: Vec<&str> = text::split(value, ',').collect();
        if alternatives.iter().any(|one| one.trim().is_empty()) {
            return Err(wrong("one of its alternatives is empty".into()));
        }
        if parameter.kind != Kind::String && alternatives.iter().any(|one| one.trim() != *one) {
            return Err(wrong(
                "there is white space around one of its alternatives, and in a search white space counts".into(),
            ));
        }
        Self::of(resource_type, parameter, modifier, &alternatives, &wrong)
    }

    fn of(
        resource_type: &str,
        parameter: &Parameter,
        modifier: Option<&str>,
        alternatives: &[&str],
        wrong: &dyn Fn(Cow<'static, str>) -> SearchError,
    ) -> Result<Self, SearchError> {
        fn all<T>(
            alternatives: &[&str],
            wrong: &dyn Fn(Cow<'static, str>) -> SearchError,
            parse: impl Fn(&str) -> Result<T, Cow<'static, str>>,
        ) -> Result<Vec<T>, SearchError> {
            alternatives.iter().map(|one| parse(one).map_err(wrong)).collect()
        }
        let tokens = |types: &[&'static str]| {
            let any = all(alternatives, wrong, |one| Token::parse(one, types))?;
            Ok::<_, SearchError>(Tokens { any, without_system: token::without_system(types) })
        };
        let texts = |how| all(alternatives, wrong, |one| Text::parse(one, how));
        let uris = |how| all(alternatives, wrong, |one| Uri::parse(one, how));
        let is_canonical = parameter.types.contains(&"canonical") || parameter.code == "_profile";
        Ok(match (parameter.kind, modifier) {
            (Kind::Token, None) => Self::Tokens(tokens(&parameter.types)?),
            (Kind::Token, Some("not")) => Self::NoToken(tokens(&parameter.types)?),
            (Kind::Token, Some("text")) if token::has_text(&parameter.types) => Self::TokenTexts(texts(How::Starts)?),
            (Kind::Token, Some("of-type")) if parameter.types.contains(&"Identifier") => {
                Self::OfType(all(alternatives, wrong, OfType::parse)?)
            }
            (Kind::String, None) => Self::Strings(texts(How::Starts)?),
            (Kind::String, Some("contains")) => Self::Strings(texts(How::Contains)?),
            (Kind::String, Some("exact")) => Self::Strings(texts(How::Exact)?),
            (Kind::Date, None) => Self::Dates(all(alternatives, wrong, Range::parse)?),
            (Kind::Number, None) => Self::Numbers(all(alternatives, wrong, Comparison::parse)?),
            (Kind::Quantity, None) => Self::Quantities(all(alternatives, wrong, Quantity::parse)?),
            (Kind::Uri, None) if is_canonical => Self::Uris(uris(uri::How::IsCanonical)?),
            (Kind::Uri, None) => Self::Uris(uris(uri::How::Is)?),
            (Kind::Uri, Some("below")) => Self::Uris(uris(uri::How::Below)?),
            (Kind::Uri, Some("above")) => Self::Uris(uris(uri::How::Above)?),
            (Kind::Reference, Some("identifier")) => Self::Identifiers(tokens(&["Identifier"])?),
            (Kind::Reference, modifier) if modifier.is_none_or(types::is_resource) => {
                Self::References(all(alternatives, wrong, |one| Target::parse(one, modifier, parameter))?)
            }
            (Kind::Composite, None) => Self::composite(resource_type, parameter, alternatives, wrong)?,
            (kind, modifier) => return Err(SearchError::modifier(parameter.code, kind, modifier.unwrap_or_default())),
        })
    }

    fn composite(
        resource_type: &str,
        parameter: &Parameter,
        alternatives: &[&str],
        wrong: &dyn Fn(Cow<'static, str>) -> SearchError,
    ) -> Result<Self, SearchError> {
        let components = table::components(resource_type, parameter.code);
        let names = || components.iter().map(|(parameter, _)| parameter.code).collect::<Vec<_>>().join("$");
        let any = alternatives.iter().map(|one| {
            let parts: Vec<&str> = text::split(one, '$').collect();
            if parts.len() != components.len() || parts.iter().any(|part| part.is_empty()) {
                return Err(wrong(format!("it is made of {}: `{}`", components.len(), names()).into()));
            }
            components
                .iter()
                .zip(parts)
                .map(|((component, expression), part)| {
                    let path = Path::compile(expression).map_err(|part| {
                        SearchError::unsupported(parameter.code, &format!("its expression has `{part}`"))
                    })?;
                    let test = Self::of(resource_type, component, None, &[part], wrong)?;
                    codes::check(resource_type, component, &test)?;
                    Ok(Leaf { path, test })
                })
                .collect()
        });
        any.collect::<Result<_, _>>().map(Self::Composite)
    }

    /// Sets the moment at which `ap` is asked of dates.
    pub(crate) fn at(&mut self, now: &Moment) {
        match self {
            Self::Dates(any) => any.iter_mut().for_each(|range| *range = range.at(now)),
            Self::Composite(any) => any.iter_mut().flatten().for_each(|leaf| leaf.test.at(now)),
            Self::Unequal(test) => test.at(now),
            _ => {}
        }
    }

    pub(crate) fn asks_for_about(&self) -> bool {
        match self {
            Self::Dates(any) => any.iter().any(Range::asks_for_about),
            Self::Composite(any) => any.iter().flatten().any(|leaf| leaf.test.asks_for_about()),
            Self::Unequal(test) => test.asks_for_about(),
            _ => false,
        }
    }

    pub(crate) fn holds<'a>(&self, items: &[Item<'a>], subject: &Subject<'a>) -> bool {
        match self {
            Self::Missing(missing) => items.is_empty() == *missing,
            Self::Tokens(tokens) => items.iter().any(|item| tokens.any.iter().any(|token| token.matches(item.value))),
            Self::NoToken(tokens) => !items.iter().any(|item| tokens.any.iter().any(|token| token.matches(item.value))),
            Self::OfType(any) => items.iter().any(|item| any.iter().any(|one| one.matches(item.value))),
            Self::Strings(any) => {
                let mut found = false;
                let mut test = |text: &str| found = found || any.iter().any(|wanted| wanted.finds(text));
                items.iter().for_each(|item| string::texts(item.value, &mut test));
                found
            }
            Self::TokenTexts(any) => {
                let mut found = false;
                let mut test = |text: &str| found = found || any.iter().any(|wanted| wanted.finds(text));
                items.iter().for_each(|item| string::token_texts(item.value, &mut test));
                found
            }
            Self::References(any) => {
                items.iter().any(|item| any.iter().any(|target| target.matches(item.value, subject)))
            }
            Self::Identifiers(tokens) => items
                .iter()
                .filter_map(|item| item.value.get("identifier"))
                .any(|identifier| tokens.any.iter().any(|token| token.matches(identifier))),
            Self::Dates(any) => items.iter().any(|item| any.iter().any(|range| range.matches(item))),
            Self::Numbers(any) => items
                .iter()
                .filter_map(|item| quantity::Stored::of(item.value)?.interval())
                .any(|stored| any.iter().any(|wanted| wanted.finds(&stored))),
            Self::Quantities(any) => items.iter().filter_map(|item| quantity::Stored::of(item.value)).any(|stored| {
                stored.interval().is_some_and(|interval| any.iter().any(|wanted| wanted.finds(&stored, &interval)))
            }),
            Self::Uris(any) => items
                .iter()
                .filter_map(|item| item.value.as_str())
                .any(|stored| any.iter().any(|wanted| wanted.finds(stored))),
            Self::Composite(any) => items.iter().any(|item| {
                any.iter().any(|components| components.iter().all(|component| component.holds(item.value, subject)))
            }),
            Self::Unequal(test) => items.iter().any(|item| !test.holds(std::slice::from_ref(item), subject)),
        }
    }
}
