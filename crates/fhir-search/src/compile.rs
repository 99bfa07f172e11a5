//! From `name[:modifier]=value` to a rule.

use std::cell::Cell;

use crate::path::Path;
use crate::rule::{Chain, Has, Leaf, Rule};
use crate::table::{self, Kind, Parameter};
use crate::test::Test;
use crate::words::{Where, Words};
use crate::{SearchError, codes, filter, literal, result, text, types};

/// How many references a chain may follow.
const LONGEST_CHAIN: usize = 16;

/// How many conditions one parameter may come to, where a chain without types goes on in each type that it may lead to.
const MOST_BRANCHES: usize = 2_000;

#[derive(Clone, Copy)]
pub(crate) struct Scope<'b> {
    pub(crate) depth: usize,
    pub(crate) any_code: bool,
    left: &'b Cell<usize>,
}

impl<'b> Scope<'b> {
    pub(crate) fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// The same, where codes outside a required binding are accepted.
    pub(crate) fn with_any_code(self) -> Self {
        Self { any_code: true, ..self }
    }

    pub(crate) fn branch(self, name: &str) -> Result<(), SearchError> {
        let Some(left) = self.left.get().checked_sub(1) else {
            let why = "without types it may lead to too many kinds of resources; name them: `subject:Patient.name`";
            return Err(SearchError::unsupported(name, why));
        };
        self.left.set(left);
        Ok(())
    }
}

/// Compiles one condition on resources of a type.
///
/// # Errors
/// A parameter, modifier or value that is unknown, malformed or not supported.
pub(crate) fn compile(resource_type: &str, name: &str, value: &str) -> Result<Rule, SearchError> {
    let left = Cell::new(MOST_BRANCHES);
    rule(resource_type, name, value, Scope { depth: 0, any_code: false, left: &left })
}

pub(crate) fn rule(resource_type: &str, name: &str, value: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
    scope.branch(name)?;
    if scope.depth > LONGEST_CHAIN {
        return Err(SearchError::value(name, value, format!("it follows more than {LONGEST_CHAIN} references")));
    }
    if let Some(rest) = name.strip_prefix("_has:") {
        return has(resource_type, name, rest, value, scope);
    }
    if let Some((head, rest)) = name.split_once('.') {
        return chain(resource_type, head, rest, value, scope);
    }
    let (code, modifier) = split(name);
    match code {
        "_filter" if modifier.is_none() => return filter::compile(resource_type, value, scope),
        "_text" | "_content" if modifier.is_none() => return words(code, value),
        "_list" if modifier.is_none() => return listed(value),
        "_filter" | "_text" | "_content" | "_list" => {
            return Err(SearchError::unsupported(name, "it has no modifiers"));
        }
        _ => {}
    }
    let parameter = supported(resource_type, code)?;
    let test = Test::compile(resource_type, &parameter, modifier, name, value)?;
    if !scope.any_code {
        codes::check(resource_type, &parameter, &test)?;
    }
    Ok(Rule::Leaf(Leaf { path: compiled(&parameter)?, test }))
}

fn split(name: &str) -> (&str, Option<&str>) {
    match name.split_once(':') {
        Some((code, modifier)) => (code, Some(modifier)),
        None => (name, None),
    }
}

/// `reference[:Type].rest`. Without a type the rest must mean something for at least one type that the reference can be to.
fn chain(resource_type: &str, head: &str, rest: &str, value: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
    let (code, modifier) = split(head);
    let (parameter, path) = reference(resource_type, code)?;
    if rest == "reference" && !can_be_to(&parameter, "ValueSet") {
        let why = format!(
            "a chain goes on with a search parameter, and `{code}` takes the reference itself: `{code}: {value}`"
        );
        return Err(SearchError::unsupported(&format!("{head}.{rest}"), &why));
    }
    let types: Vec<&str> = match modifier {
        Some(name) if !types::is_resource(name) => {
            return Err(SearchError::modifier(code, Kind::Reference, name));
        }
        Some(name) if !can_be_to(&parameter, name) => {
            let why = format!("it is never a reference to a {name}; it can be to {}", parameter.targets.join(", "));
            return Err(SearchError::unsupported(head, &why));
        }
        Some(name) => vec![name],
        None if is_to_any(&parameter) => types::resources().collect(),
        None => parameter.targets.clone(),
    };
    let mut reached = Reached::default();
    for name in types {
        let result = rule(name, rest, value, scope.deeper());
        reached.add(name, result, || rule(name, rest, value, scope.deeper().with_any_code()))?;
    }
    reached.chain(path)
}

/// The types that a chain without a type leads to. The rest of the chain must be valid for at least one of them.
#[derive(Default)]
pub(crate) struct Reached {
    targets: Vec<(String, Rule)>,
    /// Types whose binding does not have the code that is asked for.
    doubtful: Vec<(String, Rule)>,
    /// The error that says most.
    unknown: Option<SearchError>,
}

impl Reached {
    /// Adds what came of one type; `with_any_code` compiles it again without regard to bindings.
    ///
    /// # Errors
    /// Any but that the type does not have the parameter or the code.
    pub(crate) fn add(
        &mut self,
        name: &str,
        result: Result<Rule, SearchError>,
        with_any_code: impl FnOnce() -> Result<Rule, SearchError>,
    ) -> Result<(), SearchError> {
        let error = match result {
            Ok(rule) => {
                self.targets.push((name.to_owned(), rule));
                return Ok(());
            }
            Err(error @ SearchError::UnknownCode { .. }) => {
                self.doubtful.push((name.to_owned(), with_any_code()?));
                error
            }
            Err(error @ SearchError::UnknownParameter { .. }) => error,
            Err(error) => return Err(error),
        };
        if self.unknown.as_ref().is_none_or(|known| known.says() < error.says()) {
            self.unknown = Some(error);
        }
        Ok(())
    }

    /// The chain over the elements of a path.
    ///
    /// # Errors
    /// Where it means nothing for any type.
    pub(crate) fn chain(self, path: Path) -> Result<Rule, SearchError> {
        match self.unknown {
            Some(error) if self.targets.is_empty() => Err(error),
            _ => {
                let mut targets = self.targets;
                targets.extend(self.doubtful);
                Ok(Rule::Chain(Chain { path, targets }))
            }
        }
    }
}

/// `_has:Type:reference:rest`. Source: FHIR R4, Search, 3.1.1.4.6 (reverse chaining).
fn has(resource_type: &str, name: &str, rest: &str, value: &str, scope: Scope<'_>) -> Result<Rule, SearchError> {
    let mut parts = rest.splitn(3, ':');
    let (Some(source), Some(code), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(SearchError::unsupported(name, "it is written `_has:Type:reference:parameter`"));
    };
    if !types::is_resource(source) {
        return Err(SearchError::UnknownResourceType {
            name: source.to_owned(),
            nearest: types::nearest(source, types::resources()),
        });
    }
    let (parameter, path) = reference(source, code)?;
    if !can_be_to(&parameter, resource_type) {
        let why = format!(
            "`{code}` of a {source} is never a reference to a {resource_type}; it can be to {}",
            parameter.targets.join(", ")
        );
        return Err(SearchError::unsupported(name, &why));
    }
    let rule = rule(source, rest, value, scope.deeper())?;
    Ok(Rule::Has(Has { source: source.to_owned(), path, rule: Box::new(rule) }))
}

pub(crate) fn reference(resource_type: &str, code: &str) -> Result<(Parameter, Path), SearchError> {
    let parameter = supported(resource_type, code)?;
    if parameter.kind != Kind::Reference {
        let why = format!(
            "it is a {} parameter of {resource_type}, and only a reference leads to others",
            parameter.kind.name()
        );
        return Err(SearchError::unsupported(code, &why));
    }
    let path = compiled(&parameter)?;
    Ok((parameter, path))
}

pub(crate) fn is_to_any(parameter: &Parameter) -> bool {
    parameter.targets.is_empty() || parameter.targets.contains(&"Resource")
}

fn can_be_to(parameter: &Parameter, resource_type: &str) -> bool {
    is_to_any(parameter) || parameter.targets.contains(&resource_type)
}

fn words(code: &str, value: &str) -> Result<Rule, SearchError> {
    let any = text::split(value, ',')
        .map(|one| Words::parse(one).map_err(|problem| SearchError::value(code, value, problem)));
    let place = if code == "_text" { Where::Narrative } else { Where::Resource };
    Ok(Rule::Words(any.collect::<Result<_, _>>()?, place))
}

fn listed(value: &str) -> Result<Rule, SearchError> {
    let ids = text::split(value, ',').map(|one| {
        let id = one.strip_prefix("List/").unwrap_or(one);
        if id.starts_with('$') {
            let why = format!("only a server knows which List `{id}` is; name a List by its id");
            return Err(SearchError::unsupported("_list", &why));
        }
        if !literal::is_id(id) {
            return Err(SearchError::value("_list", value, "it is not the id of a List"));
        }
        Ok(id.to_owned())
    });
    Ok(Rule::Listed(ids.collect::<Result<_, _>>()?))
}

/// The rule that a resource is in a compartment: it is the one that the compartment is named after, or one of the
/// parameters that the compartment's definition names refers to that.
pub(crate) fn compartment(resource_type: &str, of: &str) -> Result<Rule, SearchError> {
    let wrong = |problem: String| SearchError::value("compartment", of, problem);
    let kinds = table::compartments();
    let Some((kind, id)) = of.split_once('/').filter(|(_, id)| literal::is_id(id)) else {
        return Err(wrong(format!("it is written `Type/id`, with one of the types {}", kinds.join(", "))));
    };
    if !kinds.contains(&kind) {
        return Err(wrong(format!("there are compartments of {} only", kinds.join(", "))));
    }
    let own = kind == resource_type;
    let codes = table::compartment(kind, resource_type);
    if codes.is_none() && !own {
        return Err(wrong(format!("a {resource_type} is never in the compartment of a {kind}")));
    }
    let mut any = Vec::new();
    if own {
        any.push(Rule::Own(id.to_owned()));
    }
    for code in codes.into_iter().flatten() {
        let parameter = supported(resource_type, code)?;
        // A parameter that is never a reference to the type puts nothing into the compartment.
        if can_be_to(&parameter, kind) {
            any.push(compile(resource_type, code, of)?);
        }
    }
    Ok(Rule::Any(any))
}

pub(crate) fn supported(resource_type: &str, code: &str) -> Result<Parameter, SearchError> {
    if let Some(why) = result::needs_a_server(code) {
        return Err(SearchError::unsupported(code, why));
    }
    let Some(parameter) = table::find(resource_type, code) else {
        let known = table::parameters(resource_type).map(|parameter| parameter.code);
        let nearest = of_element(resource_type, code)
            .or_else(|| types::nearest(code, known.chain(result::OTHERS.iter().copied())));
        return Err(SearchError::UnknownParameter {
            resource_type: resource_type.to_owned(),
            name: code.to_owned(),
            nearest,
        });
    };
    let refused = match parameter.kind {
        _ if code == "phonetic" => Some("it compares by sound, which the standard leaves to each server"),
        Kind::Special => Some("it is about distance on the globe, which is not supported"),
        _ => None,
    };
    match refused {
        Some(why) => {
            Err(SearchError::unsupported(code, &format!("{why} (it is a {} parameter)", parameter.kind.name())))
        }
        None => Ok(parameter),
    }
}

/// The parameter that looks at an element, where its name was written: `date` for `effectiveDateTime` of an Observation.
fn of_element(resource_type: &str, name: &str) -> Option<&'static str> {
    let looks_at = |parameter: &Parameter| {
        Path::compile(parameter.expression).is_ok_and(|path| {
            path.members().any(|members| match members.as_slice() {
                [element] => *element == name || types::choice(name, element).is_some(),
                _ => false,
            })
        })
    };
    let codes = table::parameters(resource_type).filter(looks_at).map(|parameter| parameter.code);
    codes.min_by_key(|code| strsim::damerau_levenshtein(code, name))
}

pub(crate) fn compiled(parameter: &Parameter) -> Result<Path, SearchError> {
    Path::compile(parameter.expression).map_err(|part| {
        SearchError::unsupported(parameter.code, &format!("its expression has `{part}`, which is not supported"))
    })
}
