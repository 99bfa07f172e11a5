//! The selection of a FHIRPath expression or a search in files, as the check would read them.

mod steps;

use std::cell::LazyCell;

use candor_check::field::{FieldPath as _, PathProblem};
use candor_check::meaning::{Coded, Concept, Meaning, Understanding, Understood};
use candor_check::tried::{Selected, Tried, distinct};
use candor_fhirpath::{ElementPaths, Expression, OpenComparison};
use candor_json::Value;

use crate::FhirPath;
use crate::concepts::{choices, meant};
use crate::dosage::Dosage;
use crate::packed::{inner, is_packed, unpack};
use crate::path::{Focus, collected};
use crate::resolved::{Following, Targets};
use crate::search::Search;
use crate::store::{Builder, Resource, Store};
use steps::steps;

/// The most bytes that a packed file may unpack to.
const MOST_BYTES: u64 = 1 << 30;

/// The resources of files, each a name and its bytes; `.gz` files are unpacked.
pub fn store(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Store {
    let mut builder = Builder::default();
    for (name, bytes) in files {
        match is_packed(&name) {
            false => builder.file(&name, bytes),
            true => {
                let unpacked = unpack(&bytes, MOST_BYTES);
                match unpacked.broken {
                    None => builder.file(inner(&name).unwrap_or(&name), unpacked.bytes),
                    Some(_) => builder.unread_file(&name, "it cannot be unpacked"),
                }
            }
        }
    }
    builder.finish()
}

/// The values that an expression selects in each resource.
///
/// # Errors
/// An expression that the check refuses, with the place.
pub fn fhirpath(text: &str, store: &Store) -> Result<Vec<Tried>, PathProblem> {
    let path = FhirPath::parse_fhirpath(text)?;
    let Some(expression) = path.expression() else { return Ok(Vec::new()) };
    let targets = Targets::new(store, true);
    let each = store.resources().iter().map(|resource| of_resource(expression, resource, &targets));
    Ok(each.chain(unread(store)).collect())
}

fn of_resource<'s>(expression: &Expression, resource: &'s Resource, targets: &Targets<'s>) -> Tried {
    let tried = Tried::new(&*resource.file, name(resource));
    let following = Following::new(targets, resource);
    let value = resource.value();
    match collected(expression, &Focus::resource(value), &following, OpenComparison::Empty) {
        Err(error) => tried.undecided(error.to_string()),
        Ok(collection) => {
            let paths = LazyCell::new(|| ElementPaths::of(value));
            let selected = collection.iter().map(|item| Selected {
                place: match paths.find(item) {
                    Some(path) if path.is_empty() => resource.resource_type.to_string(),
                    Some(path) => path,
                    None if item.element().is_some() => "in another resource".to_owned(),
                    None => "made by the expression".to_owned(),
                },
                kind: Some(item.type_name().to_string()),
                value: item.json().into_owned(),
            });
            let vague = "a date is too vague to decide a comparison in it";
            let vague = collection.is_undecided().then(|| vague.to_owned());
            let tried = tried.with(selected.collect(), || why(expression.text(), resource, targets));
            Tried { why: vague.or(tried.why), ..tried }
        }
    }
}

fn why<'s>(text: &str, resource: &'s Resource, targets: &Targets<'s>) -> String {
    let beginnings = steps(text);
    for (number, end) in beginnings.iter().enumerate().rev() {
        let Some(beginning) = text.get(..*end) else { continue };
        let Ok(expression) = Expression::parse(beginning) else { continue };
        let following = Following::new(targets, resource);
        let focus = Focus::resource(resource.value());
        let Ok(found) = collected(&expression, &focus, &following, OpenComparison::Empty) else { continue };
        if let Some(first) = found.items().first() {
            let until = beginnings.get(number + 1).copied().unwrap_or(text.len());
            let next = text.get(*end..until).unwrap_or_default().trim_start_matches('.');
            let names: Vec<String> = match first.json().as_ref() {
                Value::Object(members) => members.keys().map(|name| format!("`{name}`")).collect(),
                _ => Vec::new(),
            };
            let has = match names.is_empty() {
                true => String::new(),
                false => format!("; the first has {}", names.join(", ")),
            };
            return format!("`{beginning}` selects {}, of which `{next}` leaves none{has}", found.len());
        }
    }
    let first = text.get(..beginnings.first().copied().unwrap_or(text.len())).unwrap_or(text);
    format!("`{first}` selects nothing in this {}", resource.resource_type)
}

/// The resources that a search selects: `Appointment?patient=Patient/1&status=booked`.
///
/// # Errors
/// A text that is not a search, or a search that the check does not support.
pub fn search(query: &str, store: &Store) -> Result<Vec<Tried>, String> {
    let (resource_type, rest) = query.split_once('?').unwrap_or((query, ""));
    let pairs: Vec<&str> = rest.split('&').filter(|pair| !pair.is_empty()).collect();
    if let Some(pair) = pairs.iter().find(|pair| pair.split_once('=').is_none_or(|(_, value)| value.is_empty())) {
        return Err(format!("`{pair}` has no value; write `{}=…`", pair.trim_end_matches('=')));
    }
    let parameters = candor_http_source::url::parameters(query);
    let parameters = parameters.iter().map(|(name, value)| (name.as_str(), vec![value.as_str()]));
    let search = Search::compile(resource_type, parameters).map_err(|error| error.to_string())?;
    let each = store.find(&search).into_iter().map(|resource| {
        let kind = Some(resource.resource_type.to_string());
        let selected = Selected { kind, ..Selected::new(name(resource), resource.value().clone()) };
        Tried { selected: vec![selected], ..Tried::new(&*resource.file, name(resource)) }
    });
    Ok(all_or(each, store, || no_match(&search, store)))
}

const ABOUT: [&str; 3] = ["medication", "code", "vaccineCode"];

/// Compares each resource with a concept, and names the forms that say it. `element` is the element of the resource; `None` takes the
/// one that says what the resource is about.
///
/// # Errors
/// A concept that is malformed.
pub fn concept<'s>(written: &Value, element: Option<&str>, store: &'s Store) -> Result<Vec<Tried>, String> {
    let concept = Concept::read(written)?;
    let targets = Targets::new(store, true);
    let names: Vec<&str> = element.map_or_else(|| ABOUT.to_vec(), |name| vec![name]);
    let of = |resource: &'s Resource| {
        let value = resource.value();
        let found = |name: &str| [choices(value, name), value.get(name).into_iter().collect()].concat();
        let (name, elements) = names.iter().map(|name| (*name, found(name))).find(|(_, all)| !all.is_empty())?;
        let values = meant(elements.into_iter(), value, &Following::new(&targets, resource)).values;
        let forms: Vec<String> =
            values.iter().filter_map(Coded::of_json).flat_map(|coded| concept.forms(&coded)).collect();
        Some(told(resource, name, concept.understood(&values), &format!("by {}", forms.join(" and "))))
    };
    Ok(all_or(store.resources().iter().filter_map(of), store, || format!("no resource has `{}`", names.join("`, `"))))
}

/// Compares the dosage of each resource with an asserted one.
///
/// # Errors
/// A dosage that is malformed.
pub fn dosage(written: &Value, store: &Store) -> Result<Vec<Tried>, String> {
    let dosage = Dosage::read(written)?;
    let of = |resource: &Resource| {
        let name = Dosage::path_of(&resource.resource_type)?;
        let understood = dosage.understood(&[resource.value().get(name)?.clone()]);
        Some(told(resource, name, understood, "means the same"))
    };
    Ok(all_or(store.resources().iter().filter_map(of), store, || "no resource has a dosage".to_owned()))
}

fn all_or(each: impl Iterator<Item = Tried>, store: &Store, none: impl FnOnce() -> String) -> Vec<Tried> {
    let mut all: Vec<Tried> = each.collect();
    if all.is_empty() {
        all.push(Tried { why: Some(none()), ..Tried::default() });
    }
    all.extend(unread(store));
    all
}

fn told(resource: &Resource, place: &str, understood: Understood, how: &str) -> Tried {
    let tried = Tried::new(&*resource.file, name(resource));
    let Understood { state, actual, contradiction } = understood;
    let because =
        actual.get("because").and_then(|because| because.as_str()).map(|because| format!("`{place}`: {because}"));
    let why = match (state, contradiction) {
        (Understanding::Holds, Some(other)) => {
            return tried.undecided(format!("`{place}` contradicts itself: {other}"));
        }
        (Understanding::Holds, None) => {
            let selected = Selected { kind: Some(how.to_owned()), ..Selected::new(place, actual) };
            return Tried { selected: vec![selected], ..tried };
        }
        (Understanding::Unknown, _) => {
            return tried.undecided(because.unwrap_or_else(|| format!("no table knows what `{place}` says: {actual}")));
        }
        (Understanding::Fails, _) => because.unwrap_or_else(|| format!("`{place}` means something else: {actual}")),
        (Understanding::Several, _) => format!("`{place}` holds several, where one is expected: {actual}"),
        (Understanding::Absent, _) => format!("`{place}` is empty"),
        (Understanding::Mismatch, _) => format!("`{place}` is of no kind that has such a meaning: {actual}"),
    };
    Tried { why: Some(why), ..tried }
}

fn no_match(search: &Search, store: &Store) -> String {
    let resource_type = search.resource_type();
    let count = store.of_type(resource_type).count();
    if count == 0 {
        let types = distinct(store.resources().iter().map(|resource| &*resource.resource_type), ", ");
        return match types.is_empty() {
            true => "there are no resources".to_owned(),
            false => format!("there is no {resource_type}; there are {types}"),
        };
    }
    match store.nearest(search) {
        None => format!("there are {count} {resource_type} resources, and none meets any condition"),
        Some((resource, nearest)) => {
            let there = search.unmet_elements(&nearest, &store.subject(resource));
            let there: Vec<String> = there.iter().map(|value| value.to_string()).collect();
            let there = if there.is_empty() { "nothing".to_owned() } else { there.join(", ") };
            format!(
                "{} of {} comes closest of {count}: it meets {} of {} conditions, and for `{}={}` it has {there}",
                name(resource),
                resource.file,
                nearest.met,
                search.conditions().len(),
                nearest.name,
                nearest.value,
            )
        }
    }
}

fn name(resource: &Resource) -> String {
    match &resource.id {
        Some(id) => format!("{}/{id}", resource.resource_type),
        None => format!("{} at byte {}", resource.resource_type, resource.span().start),
    }
}

fn unread(store: &Store) -> impl Iterator<Item = Tried> {
    store.unreadable().iter().map(|place| Tried::unread(&place.file, format!("line {}", place.line), &place.what))
}
