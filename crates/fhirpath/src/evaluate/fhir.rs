//! The functions that FHIR adds.

use smallvec::smallvec;

use candor_json::Value;

use super::navigate::is_of;
use super::{Evaluator, Items, Outcome};
use crate::ast::Call;
use crate::error::{EvaluationError, Problem};
use crate::functions::Function;
use crate::item::{ElementType, Item, Node};
use crate::model::model;

/// The reason for which a known function is refused: it needs this, and an evaluation does not have it.
pub(crate) fn refused_for(function: Function) -> Option<&'static str> {
    use Function as F;
    match function {
        F::ElementDefinition | F::Slice | F::HasTemplateIdOf => Some("the profile's definition"),
        F::Subsumes | F::SubsumedBy | F::Weight => Some("a terminology server"),
        F::HtmlChecks => Some("the rules of narratives"),
        _ => None,
    }
}

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn of_fhir(&self, call: &Call, input: Items<'a>, arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        let at = call.at;
        let boolean = |value: bool| Ok(smallvec![Item::boolean(value)]);
        match call.function {
            Function::Extension => {
                let Some(url) = self.text(arguments.first().map(|items| items.as_slice()).unwrap_or_default(), at)?
                else {
                    return Ok(Items::new());
                };
                let mut extensions = self.members(&input, "extension", at)?;
                extensions.retain(|extension| {
                    matches!(extension, Item::Node(node) if node.member("url").and_then(Value::as_str) == Some(url))
                });
                Ok(extensions)
            }
            Function::HasValue => boolean(match input.as_slice() {
                [Item::Node(node)] => is_primitive(node) && node.value.is_some(),
                [Item::System(_)] => true,
                _ => false,
            }),
            Function::GetValue => Ok(match input.as_slice() {
                [Item::Node(node)] if is_primitive(node) => node.system().map(Item::System).into_iter().collect(),
                [Item::System(_)] => input,
                _ => Items::new(),
            }),
            Function::Resolve => self.resolve(&input, at),
            Function::MemberOf => self.member_of(call, &input, arguments),
            _ => self.check_modifiers(call, input, arguments),
        }
    }

    fn check_modifiers(&self, call: &Call, input: Items<'a>, arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        let mut known = Vec::new();
        for argument in arguments {
            known.extend(self.text(argument, call.at)?);
        }
        for extension in self.members(&input, "modifierExtension", call.at)? {
            let Item::Node(node) = extension else { continue };
            if !node.member("url").and_then(Value::as_str).is_some_and(|url| known.contains(&url)) {
                let found = "a modifier extension that is not among them";
                return Err(EvaluationError::mismatch(call.at, found, "only the modifier extensions that were named"));
            }
        }
        Ok(input)
    }

    /// Returns false for an item of another type than the URL names. Everything else is an error: profiles are not
    /// checked here.
    pub(super) fn conforms_to(&self, call: &Call, input: &[Item<'a>], arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        let Some(item) = self.one(input, call.at)? else { return Ok(Items::new()) };
        let Some(url) = self.text(arguments.first().map(|items| items.as_slice()).unwrap_or_default(), call.at)? else {
            return Ok(Items::new());
        };
        let named = url.strip_prefix("http://hl7.org/fhir/StructureDefinition/").and_then(|name| model().named(name));
        match named {
            Some(named) if !is_of(item, named) => Ok(smallvec![Item::boolean(false)]),
            _ => Err(EvaluationError::refused(call.at, "`conformsTo` is not supported: profiles are not checked here")),
        }
    }

    fn member_of(&self, call: &Call, input: &[Item<'a>], arguments: &[Items<'a>]) -> Outcome<Items<'a>> {
        let at = call.at;
        let Some(item) = self.one(input, at)? else { return Ok(Items::new()) };
        let Some(url) = self.text(arguments.first().map(|items| items.as_slice()).unwrap_or_default(), at)? else {
            return Ok(Items::new());
        };
        let not_given = || EvaluationError::refused(at, "`memberOf` needs the value set, which was not given");
        let Some(value_sets) = self.context.value_sets else { return Err(not_given()) };
        let mut codes: Vec<(Option<&str>, &str)> = Vec::new();
        match item {
            Item::Node(node) if node.value.is_some_and(Value::is_object) => {
                let coding = |value: &'a Value| {
                    let text = |name: &str| value.get(name).and_then(Value::as_str);
                    text("code").map(|code| (text("system"), code))
                };
                match node.member("coding") {
                    Some(Value::Array(codings)) => codes.extend(codings.iter().filter_map(coding)),
                    _ => codes.extend(node.value.and_then(coding)),
                }
            }
            other => codes.extend(other.text().map(|code| (None, code))),
        }
        let mut is_member = false;
        for (system, code) in codes {
            is_member |= value_sets.contains(url, system, code).ok_or_else(not_given)?;
        }
        Ok(smallvec![Item::boolean(is_member)])
    }

    fn resolve(&self, input: &[Item<'a>], at: usize) -> Outcome<Items<'a>> {
        let mut resolved = Items::new();
        for item in input {
            self.count(at, 1)?;
            let reference = match item {
                Item::Node(node) if node.value.is_some_and(Value::is_object) => {
                    node.member("reference").and_then(Value::as_str)
                }
                Item::Node(node) => node.value.and_then(Value::as_str),
                _ => None,
            };
            let Some(reference) = reference.map(str::to_owned).or_else(|| item.text().map(str::to_owned)) else {
                continue;
            };
            let resource = match item {
                Item::Node(node) => node.resource,
                _ => None,
            };
            let found = match meant(item, &reference) {
                Meant::Resource => self.target(&reference, resource, at, false)?,
                Meant::Canonical => self.target(&reference, resource, at, true)?,
                Meant::Either => match self.target(&reference, resource, at, false)? {
                    None => self.target(&reference, resource, at, true)?,
                    found => found,
                },
            };
            match found {
                Some(value) => resolved.push(Item::Node(Node::root(value))),
                None if self.context.typed_references => resolved.extend(stub(item, &reference)),
                None => {}
            }
        }
        Ok(resolved)
    }

    /// The target of a reference in `resource`: a contained resource, an entry of the Bundle at hand, or a resource
    /// that the resolver finds. A canonical reference is to the resource with its URL and version, whatever its id.
    fn target(
        &self,
        reference: &str,
        resource: Option<&'a Value>,
        at: usize,
        canonical: bool,
    ) -> Outcome<Option<&'a Value>> {
        let focus = self.focus.first().and_then(Item::element);
        let given = self.context.resource.or(focus);
        let Some(root) = resource.or(given) else { return Ok(None) };
        if let Some(id) = reference.strip_prefix('#') {
            if id.is_empty() {
                return Ok(Some(root));
            }
            let contained = root.get("contained").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            self.count(at, contained.len())?;
            return Ok(contained.iter().find(|resource| resource.get("id").and_then(Value::as_str) == Some(id)));
        }
        let bundle = given.filter(|given| given.get("resourceType").and_then(Value::as_str) == Some("Bundle"));
        if let Some(bundle) = bundle {
            let entries = bundle.get("entry").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            self.count(at, entries.len())?;
            let within = if canonical { with_url } else { in_entry };
            if let Some(found) = entries.iter().find_map(|entry| within(entry, reference)) {
                return Ok(Some(found));
            }
        }
        match self.context.resolver {
            Some(resolver) if canonical => Ok(resolver.resolve_canonical(reference, root)),
            Some(resolver) => Ok(resolver.resolve(reference, root)),
            None if self.context.typed_references => Ok(None),
            None if bundle.is_some() => Ok(None),
            None => Err(EvaluationError::new(
                at,
                Problem::Refused("`resolve` needs other resources, which were not given".to_owned()),
            )),
        }
    }
}

enum Meant {
    Resource,
    /// As the `url` that a resource has.
    Canonical,
    /// As one or the other: a URI, or text whose type is not known.
    Either,
}

fn meant(item: &Item<'_>, reference: &str) -> Meant {
    match item {
        Item::Node(node) if node.value.is_some_and(Value::is_object) => Meant::Resource,
        Item::Node(node) if node.type_name() == "canonical" => Meant::Canonical,
        // No resource has a relative URL.
        _ if !reference.contains(':') => Meant::Resource,
        _ => Meant::Either,
    }
}

/// The resource of an entry of a Bundle, where it has the URL and the version of a canonical reference.
fn with_url<'a>(entry: &'a Value, canonical: &str) -> Option<&'a Value> {
    let resource = entry.get("resource")?;
    let (url, version) = match canonical.split_once('|') {
        Some((url, version)) => (url, Some(version)),
        None => (canonical, None),
    };
    let has = |name: &str, value: &str| resource.get(name).and_then(Value::as_str) == Some(value);
    (has("url", url) && version.is_none_or(|version| has("version", version))).then_some(resource)
}

/// The resource of an entry of a Bundle, where a reference means it.
fn in_entry<'a>(entry: &'a Value, reference: &str) -> Option<&'a Value> {
    let resource = entry.get("resource")?;
    if entry.get("fullUrl").and_then(Value::as_str) == Some(reference) {
        return Some(resource);
    }
    let (kind, id) = reference.split_once('/')?;
    let is = |name: &str, value: &str| resource.get(name).and_then(Value::as_str) == Some(value);
    (is("resourceType", kind) && is("id", id)).then_some(resource)
}

/// An element without a value, of the type that a reference names.
fn stub<'a>(item: &Item<'a>, reference: &str) -> Option<Item<'a>> {
    let written = match item {
        Item::Node(node) => node.member("type").and_then(Value::as_str),
        _ => None,
    };
    let mut parts = reference.split("/_history/").next().unwrap_or(reference).rsplit('/');
    let in_reference = parts.nth(1);
    let name = in_reference.filter(|name| model().named(name).is_some()).or(written)?;
    let id = model().named(name).filter(|&id| model().is_resource(id))?;
    Some(Item::Node(Node { value: None, beside: None, of: ElementType::Known(id), resource: None }))
}

fn is_primitive(node: &Node<'_>) -> bool {
    match node.of {
        ElementType::Known(_) => node.primitive().is_some(),
        ElementType::Foreign(_) => false,
        ElementType::Unknown => !node.value.is_some_and(Value::is_object),
    }
}
