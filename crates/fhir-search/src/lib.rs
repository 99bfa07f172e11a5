//! R4 search over resources held in memory.
//!
//! A [`Search`] is compiled once from an assertion's `search` and then asked of resources. What it cannot do right it
//! refuses when it is compiled: no parameter is ever ignored.
//!
//! This crate knows nothing of files, checks or evidence.

mod date;
mod error;
pub mod literal;
pub mod moment;
pub mod path;
mod reference;
mod result;
mod sort;
mod string;
pub mod table;
mod text;
mod token;
pub mod types;

use std::borrow::Cow;

use serde_json::Value;

pub use error::SearchError;
use literal::Literal;
use path::{Item, Path};
use table::{Kind, Parameter};

/// What `fullUrl`s name that are no URLs of resources.
pub trait Names {
    /// `Type/id` of the entry with this `fullUrl`, that of the same container before any other.
    fn named(&self, full_url: &str, container: Option<usize>) -> Option<&str>;
}

/// A resource that is searched.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The resource.
    pub value: &'a Value,
    /// What its relative references are relative to.
    pub base: Option<&'a str>,
    /// Which container it stands in.
    pub container: usize,
    /// What its `urn:uuid` references stand for.
    pub names: &'a dyn Names,
}

impl<'a> Subject<'a> {
    /// The type of the resource that a Reference is to, as far as the reference, what it contains, and the names tell.
    fn type_of(&self, reference: &'a Value) -> Option<Cow<'a, str>> {
        let literal = reference.get("reference").and_then(Value::as_str).map(Literal::parse);
        let found = match literal {
            Some(Literal::Restful { resource_type, .. }) => Some(resource_type),
            Some(Literal::Contained(id)) => {
                let contained = self.value.get("contained").and_then(Value::as_array);
                let one = contained.into_iter().flatten().find(|one| one.get("id").and_then(Value::as_str) == Some(id));
                one.and_then(|one| one.get("resourceType")).and_then(Value::as_str)
            }
            Some(Literal::Other(url)) => {
                let target = self.names.named(url, Some(self.container));
                target.and_then(|target| target.split_once('/')).map(|(resource_type, _)| resource_type)
            }
            None => None,
        };
        found.or_else(|| reference.get("type").and_then(Value::as_str)).map(Cow::Borrowed)
    }
}

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

/// One `name[:modifier]=value`: all conditions of a search must hold.
#[derive(Clone, Debug)]
struct Condition {
    /// The parameter with its modifier, as written.
    name: String,
    /// The value, as written.
    value: String,
    path: Path,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Missing(bool),
    /// Any of them; with `not`, none.
    Tokens {
        any: Vec<token::Token>,
        not: bool,
    },
    Strings(Vec<string::Text>),
    References(Vec<reference::Target>),
    Identifiers(Vec<token::Token>),
    Dates(Vec<date::Range>),
    Canonicals(Vec<String>),
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
        if result::is_without_effect(name, value)? {
            return Ok(());
        }
        let (code, modifier) = match name.split_once(':') {
            Some((code, modifier)) => (code, Some(modifier)),
            None => (name, None),
        };
        let parameter = supported(&self.resource_type, code)?;
        let path = compiled(&parameter)?;
        let test = Test::compile(&parameter, modifier, name, value)?;
        self.conditions.push(Condition { name: name.to_owned(), value: value.to_owned(), path, test });
        Ok(())
    }

    /// The resource type that is searched.
    #[must_use]
    pub fn resource_type(&self) -> &str {
        &self.resource_type
    }

    /// Whether a resource of the type meets every condition.
    #[must_use]
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        self.conditions.iter().all(|condition| condition.holds(subject))
    }

    /// How many of its conditions a resource meets.
    #[must_use]
    pub fn met(&self, subject: &Subject<'_>) -> usize {
        self.conditions.iter().filter(|condition| condition.holds(subject)).count()
    }

    /// The first condition that a resource does not meet: the parameter and the value asked for, as written, and the
    /// elements that stand there.
    #[must_use]
    pub fn first_unmet<'a>(&self, subject: &Subject<'a>) -> Option<(&str, &str, Vec<&'a Value>)> {
        let condition = self.conditions.iter().find(|condition| !condition.holds(subject))?;
        let items = condition.path.select(subject);
        Some((&condition.name, &condition.value, items.iter().map(|item| item.value).collect()))
    }

    /// The conditions, each as a parameter and a value, as written.
    pub fn conditions(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.conditions.iter().map(|condition| (condition.name.as_str(), condition.value.as_str()))
    }

    /// The order that `_sort` asks for, if it was given; equal ones keep their places.
    pub fn sort<T>(&self, all: &mut [T], subject: impl Fn(&T) -> Subject<'_>) {
        if !self.sort.is_empty() {
            all.sort_by(|a, b| sort::compare(&self.sort, &subject(a), &subject(b)));
        }
    }

    /// The elements that the conditions select, each by the names of the members on the way to it.
    pub fn elements(&self) -> impl Iterator<Item = Vec<&'static str>> {
        self.conditions.iter().flat_map(|condition| condition.path.members())
    }
}

impl Condition {
    fn holds(&self, subject: &Subject<'_>) -> bool {
        self.test.holds(&self.path.select(subject), subject)
    }
}

/// The parameter of a name, when this search can answer it.
fn supported(resource_type: &str, code: &str) -> Result<Parameter, SearchError> {
    if code.contains('.') || code == "_has" {
        return Err(SearchError::unsupported(code, "chained search and `_has` are not supported yet"));
    }
    if result::NEEDS_A_SERVER.contains(&code) {
        return Err(SearchError::unsupported(code, "a folder cannot answer it yet"));
    }
    let Some(parameter) = table::find(resource_type, code) else {
        let known = table::parameters(resource_type).map(|parameter| parameter.code);
        let nearest = types::nearest(code, known.chain(["_sort", "_count", "_include"]));
        return Err(SearchError::UnknownParameter {
            resource_type: resource_type.to_owned(),
            name: code.to_owned(),
            nearest,
        });
    };
    let uncommon = |known: &[&str]| parameter.types.iter().any(|name| !known.contains(name));
    let refused = match parameter.kind {
        _ if code == "phonetic" => Some("it compares by sound, which is not supported"),
        Kind::Number | Kind::Quantity | Kind::Composite => Some("parameters of its kind are not supported yet"),
        Kind::Uri if code != "_profile" => Some("parameters of its kind are not supported yet"),
        Kind::Special => Some("it goes by rules of its own, which are not supported"),
        Kind::Reference if uncommon(&["Reference", "canonical", "uri"]) => {
            Some("it only serves chained search, which is not supported yet")
        }
        _ => None,
    };
    match refused {
        Some(why) => {
            Err(SearchError::unsupported(code, &format!("{why} (it is a {} parameter)", parameter.kind.name())))
        }
        None => Ok(parameter),
    }
}

fn compiled(parameter: &Parameter) -> Result<Path, SearchError> {
    Path::compile(parameter.expression).map_err(|part| {
        SearchError::unsupported(parameter.code, &format!("its expression has `{part}`, which is not supported yet"))
    })
}

impl Test {
    fn compile(parameter: &Parameter, modifier: Option<&str>, name: &str, value: &str) -> Result<Self, SearchError> {
        let wrong = |problem: Cow<'static, str>| SearchError::Value {
            parameter: name.to_owned(),
            value: value.to_owned(),
            problem,
        };
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
        let tokens = |types: &[&'static str]| {
            alternatives.iter().map(|one| token::Token::parse(one, types)).collect::<Result<Vec<_>, _>>()
        };
        let texts = |how| alternatives.iter().map(|one| string::Text::parse(one, how)).collect::<Result<Vec<_>, _>>();
        let test = match (parameter.kind, modifier) {
            (Kind::Token, None) => Self::Tokens { any: tokens(&parameter.types).map_err(wrong)?, not: false },
            (Kind::Token, Some("not")) => Self::Tokens { any: tokens(&parameter.types).map_err(wrong)?, not: true },
            (Kind::Token, Some("text")) if token::has_text(&parameter.types) => {
                Self::Strings(texts(string::How::OfToken).map_err(wrong)?)
            }
            (Kind::String, None) => Self::Strings(texts(string::How::Starts).map_err(wrong)?),
            (Kind::String, Some("contains")) => Self::Strings(texts(string::How::Contains).map_err(wrong)?),
            (Kind::String, Some("exact")) => Self::Strings(texts(string::How::Exact).map_err(wrong)?),
            (Kind::Date, None) => Self::Dates(
                alternatives.iter().map(|one| date::Range::parse(one)).collect::<Result<_, _>>().map_err(wrong)?,
            ),
            (Kind::Uri, None) => {
                Self::Canonicals(alternatives.iter().map(|one| text::unescape(one).into_owned()).collect())
            }
            (Kind::Reference, Some("identifier")) => Self::Identifiers(tokens(&["Identifier"]).map_err(wrong)?),
            (Kind::Reference, modifier) if modifier.is_none_or(types::is_resource) => {
                let targets = alternatives.iter().map(|one| reference::Target::parse(one, modifier, parameter));
                Self::References(targets.collect::<Result<_, _>>().map_err(wrong)?)
            }
            (kind, modifier) => return Err(SearchError::modifier(parameter.code, kind, modifier.unwrap_or_default())),
        };
        Ok(test)
    }

    fn holds(&self, items: &[Item<'_>], subject: &Subject<'_>) -> bool {
        match self {
            Self::Missing(missing) => items.is_empty() == *missing,
            Self::Tokens { any, not } => {
                items.iter().any(|item| any.iter().any(|token| token.matches(item.value))) != *not
            }
            Self::Strings(any) => items.iter().any(|item| any.iter().any(|text| text.matches(item.value))),
            Self::References(any) => {
                items.iter().any(|item| any.iter().any(|target| target.matches(item.value, subject)))
            }
            Self::Identifiers(any) => items
                .iter()
                .filter_map(|item| item.value.get("identifier"))
                .any(|identifier| any.iter().any(|token| token.matches(identifier))),
            Self::Dates(any) => items.iter().any(|item| any.iter().any(|range| range.matches(item))),
            Self::Canonicals(any) => items
                .iter()
                .filter_map(|item| item.value.as_str())
                .any(|stored| any.iter().any(|wanted| reference::is_canonical(stored, wanted))),
        }
    }
}
