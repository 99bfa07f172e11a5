//! The server's answer against our own search over the same resources.
//!
//! A server may leave a parameter out, know it under another definition, or have an index that is behind. A resource on
//! which the two searches differ may or may not be meant: a result that depends on it is undecidable. Any other result
//! is concluded as ever.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use candor_check::Obstacle;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};

use super::search::Found;
use crate::search::Search;
use crate::search::moment::Moment;
use crate::store::{Resource, Store};

/// True if a condition can be held against a resource by itself. `texts` are `:text` and its like: what a server finds by
/// them next to what the standard does is its own business, what it does not find is not.
fn is_comparable(resource_type: &str, name: &str, value: &str, texts: bool) -> bool {
    let (code, modifier) = name.split_once(':').map_or((name, None), |(code, modifier)| (code, Some(modifier)));
    let text = matches!(code, "_text" | "_content") || modifier == Some("text");
    (texts || !text) && !asks_for_others(resource_type, name, value)
}

fn asks_for_others(resource_type: &str, name: &str, value: &str) -> bool {
    Search::compile(resource_type, [(name, [value])]).is_ok_and(|search| search.hangs_on_others())
}

/// Takes out the candidates that do not meet what the search asks of other resources, as far as those could be read: what was not
/// read may be the other one that the server found, so that nothing is known either way.
pub(super) fn hold_against_others(compared: &mut Compared, found: &Found, search: &Search, compartment: Option<&str>) {
    let resource_type = search.resource_type();
    let named = search.conditions().len() - usize::from(compartment.is_some());
    for (name, value) in search.conditions().take(named) {
        if !asks_for_others(resource_type, name, value) {
            continue;
        }
        let Ok(mut part) = Search::compile(resource_type, [(name, [value])]) else { continue };
        part.at(&Moment::from(SystemTime::now()));
        let at = |resource: &Resource| (resource.file.clone(), resource.span().start);
        // What is met because something is not there is known only where all was read.
        let hidden = found.cut && part.hangs_on_absence();
        let met: HashSet<_> = found.store.find(&part).into_iter().filter(|_| !hidden).map(at).collect();
        let all = found.store.of_type(resource_type);
        for one in all.filter(|one| !met.contains(&at(one))) {
            if compared.candidates.remove(&at(one)) {
                let why = if found.cut { ", as far as could be read" } else { "" };
                compared.unreadable.push(differs(one, &format!("{name}={value}{why}")));
            }
        }
    }
}

/// The part of a search that a resource can be held against by itself.
fn comparable(search: &Search, compartment: Option<&str>, texts: bool) -> Option<Search> {
    let resource_type = search.resource_type();
    // Of the conditions the compartment is the last.
    let named = search.conditions().len() - usize::from(compartment.is_some());
    let conditions =
        search.conditions().take(named).filter(|(name, value)| is_comparable(resource_type, name, value, texts));
    let mut part = Search::compile(resource_type, conditions.map(|(name, value)| (name, [value]))).ok()?;
    if let Some(compartment) = compartment {
        part.within_compartment(compartment).ok()?;
    }
    part.at(&Moment::from(SystemTime::now()));
    Some(part)
}

#[derive(Default)]
pub(super) struct Compared {
    /// The candidates, by page and byte: found by the server, and not denied by our own search.
    pub(super) candidates: HashSet<(Arc<str>, usize)>,
    pub(super) unreadable: Vec<Unreadable>,
}

/// In what a resource does not meet the search, if it does not.
fn denied(search: &Search, store: &Store, resource: &Resource) -> Option<String> {
    let subject = store.subject(resource);
    let (name, value, stands) = search.first_unmet(&subject)?;
    let what = match stands.as_slice() {
        [] => format!("{name}={value}: there is nothing there"),
        [one] => format!("{name}={value}: {} is there", candor_check::evidence::quoted(one)),
        several => format!("{name}={value}: {} and others are there", candor_check::evidence::quoted(several.first()?)),
    };
    Some(what)
}

pub(super) fn compare(found: &Found, search: &Search, compartment: Option<&str>) -> Compared {
    let asked = search.conditions().len();
    let mut compared = Compared::default();
    let Some(search) = comparable(search, compartment, false) else {
        // What cannot be held against our own search is not a candidate.
        let all = found.store.of_type(search.resource_type());
        compared.unreadable.extend(all.map(|one| differs(one, "a search that cannot be held against it")));
        return compared;
    };
    for resource in found.store.of_type(search.resource_type()) {
        // What was read by itself is what others refer to.
        if !found.hashes.contains_key(&*resource.file) {
            continue;
        }
        let at = (resource.file.clone(), resource.span().start);
        match (found.matches.contains(&at), denied(&search, &found.store, resource)) {
            (true, None) => drop(compared.candidates.insert(at)),
            (true, Some(what)) => compared.unreadable.push(differs(resource, &what)),
            (false, None) if asked > 0 && search.conditions().len() == asked => {
                compared.unreadable.push(missed(resource, "is in the answer only as an include"));
            }
            (false, _) => {}
        }
    }
    compared
}

/// The first of the candidates that is where `_sort` does not put it.
pub(super) fn out_of_order(
    store: &Store,
    candidates: &HashSet<(Arc<str>, usize)>,
    search: &Search,
) -> Option<Unreadable> {
    let all = store.of_type(search.resource_type());
    let stand: Vec<&Resource> =
        all.filter(|resource| candidates.contains(&(resource.file.clone(), resource.span().start))).collect();
    let mut sorted = stand.clone();
    search.sort(&mut sorted, |resource| store.subject(resource));
    let wrong = stand.iter().zip(&sorted).find(|(found, expected)| !std::ptr::eq(**found, **expected));
    let (found, expected) = wrong?;
    let what = format!(
        "the server does not order by `_sort` as the standard does: {} is in the place of {}",
        name(found),
        name(expected)
    );
    Some(undecidable(found, what))
}

pub(super) fn overlooked(others: &Found, search: &Search, compartment: Option<&str>) -> Vec<Unreadable> {
    let whole =
        comparable(search, compartment, true).filter(|part| part.conditions().len() == search.conditions().len());
    let Some(search) = whole else { return Vec::new() };
    let all = others.store.of_type(search.resource_type());
    let met = all.filter(|resource| search.matches(&others.store.subject(resource)));
    met.map(|resource| missed(resource, "was not found by it (an index may be behind)")).collect()
}

/// Resources that meet a search that asks for others too, among those around it.
pub(super) fn overlooked_around(around: &Store, search: &Search) -> Vec<Unreadable> {
    let found = around.find(search).into_iter();
    found.map(|resource| missed(resource, "was not found by it (it may not know such a search)")).collect()
}

fn name(resource: &Resource) -> String {
    format!("{}/{}", resource.resource_type, resource.id.as_deref().unwrap_or("(no id)"))
}

fn differs(resource: &Resource, what: &str) -> Unreadable {
    let what = format!(
        "the server's search finds {}, which does not meet {what}; whether the server applied that parameter is unknown",
        name(resource)
    );
    undecidable(resource, what)
}

fn missed(resource: &Resource, how: &str) -> Unreadable {
    undecidable(resource, format!("{} meets the search and {how}", name(resource)))
}

fn undecidable(resource: &Resource, what: String) -> Unreadable {
    let place = Location::bytes(&*resource.file, resource.span().start as u64..resource.span().end as u64);
    Unreadable { place, what, fault: Fault::Obstacle(Obstacle::Undecidable) }
}
