//! Bundles: which resources an entry leaves in the ground truth.

use std::collections::VecDeque;

use candor_check::Obstacle;
use candor_http_source::url;
use candor_json::value::RawValue;

use super::changes::{Change, Target, When};
use super::deleted::Deleted;
use super::members::{Members, members, object, string};
use super::outcome;
use super::pages::Page;
use super::read::File;
use super::request::Request;
use crate::relation;
use crate::search::literal::Literal;

pub(super) fn is_bundle(members: &Members<'_>) -> bool {
    string(members, "resourceType").as_deref() == Some("Bundle")
}

/// The types of Bundles: those of R4, and one of R5.
const KINDS: &[&str] = &[
    "document",
    "message",
    "transaction",
    "transaction-response",
    "batch",
    "batch-response",
    "history",
    "searchset",
    "collection",
    "subscription-notification",
];

/// Bundles that carry resources from or to a server are not resources themselves; the others are kept as one too.
fn only_carries(kind: &str) -> bool {
    matches!(kind, "searchset" | "history" | "transaction" | "batch" | "transaction-response" | "batch-response")
}

/// Reads the Bundle that is in `document` as `raw`. A Bundle in one of its entries is read alike when it only carries resources (the answers in a
/// `batch-response`), and is a resource like any other when it does not (a document).
pub(super) fn read<'a>(file: &mut File<'_>, document: &'a str, raw: &'a str, outer: Members<'a>) {
    let mut bundles = VecDeque::from([(outer, raw, None)]);
    while let Some((bundle, raw_bundle, full_url)) = bundles.pop_front() {
        file.open_container();
        let kind = string(&bundle, "type").filter(|kind| KINDS.contains(&kind.as_str())).unwrap_or_default();
        if kind.is_empty() {
            let what = "a Bundle without a valid type, so that the meaning of its entries is unknown";
            file.unreadable_part(document, raw_bundle, what);
        } else if !only_carries(&kind) {
            file.resource(document, raw_bundle, full_url);
        }
        let is_request = matches!(kind.as_str(), "transaction" | "batch");
        if is_request {
            file.request();
        }
        if matches!(kind.as_str(), "searchset" | "history") {
            for (raw, what) in unread_paging(&bundle) {
                file.unreadable_part(document, raw.get(), what);
            }
        }
        let mut page = page(&bundle, &kind);
        let own = page.as_ref().and_then(|page| page.own.as_deref()).unwrap_or_default();
        let searched: Vec<String> = url::parameters(own).into_iter().map(|(name, _)| name).collect();
        let Some(list) = bundle.get("entry").filter(|raw| raw.get() != "null") else {
            file.page(document, raw_bundle, page);
            continue;
        };
        let Ok(entries) = candor_json::from_str::<Vec<RawValue<'a>>>(list.get()) else {
            file.unreadable_part(document, list.get(), "`entry` is not an array");
            continue;
        };
        let (of, failed) = (entries.len(), failure(&kind, &entries));
        for (number, raw) in entries.into_iter().enumerate() {
            let Some(entry) = members(raw.get()) else {
                file.unreadable_part(document, raw.get(), "this entry is not a JSON object");
                continue;
            };
            let full_url = string(&entry, "fullUrl").map(|url| url.trim().to_owned());
            count(&mut page, &kind, &entry);
            let request = Request::of(&entry);
            let answered = request.status().is_some() || request.went_wrong();
            let asked = (is_request && !answered).then_some((number, of));
            if kind.ends_with("-response") {
                let is_error = request.went_wrong() || request.status().is_some_and(|it| it.starts_with(['4', '5']));
                file.answer(is_error, (kind == "batch-response").then_some(number), of);
            }
            let left = match &failed {
                Some(code) if request.changes() && !answered => not_done(&request, code),
                _ => leaves(&kind, &entry, &request),
            };
            match left {
                Leaves::Nothing => {}
                Leaves::Unknown(what) => file.unreadable_part(document, raw.get(), &what),
                Leaves::Refused(what, obstacle) => file.missing_part(document, raw.get(), &what, obstacle),
                Leaves::Deletion(deleted) => {
                    asked.into_iter().for_each(|entry| file.asked(document, raw.get(), entry));
                    file.deletion(document, raw, deleted);
                }
                Leaves::Change(what, change) => file.change(document, raw, &what, change),
                Leaves::Resource { resource, put } => {
                    let inner = members(resource.get());
                    if let Some((what, obstacle)) = inner.as_ref().and_then(|inner| said(&kind, inner, &searched)) {
                        file.missing_part(document, resource.get(), &what, obstacle);
                    }
                    match inner.filter(is_bundle) {
                        Some(inner) if only_carries(&string(&inner, "type").unwrap_or_default()) => {
                            bundles.push_back((inner, resource.get(), full_url));
                        }
                        _ => {
                            asked.into_iter().for_each(|entry| file.asked(document, resource.get(), entry));
                            if put {
                                file.put(document, resource.get());
                            }
                            file.resource(document, resource.get(), full_url);
                        }
                    }
                }
            }
        }
        file.page(document, raw_bundle, page);
    }
}

/// The resources that an OperationOutcome in a Bundle hides: in a searchset or a history, as a server's answer to that
/// search.
fn said(kind: &str, members: &Members<'_>, searched: &[String]) -> Option<(String, Obstacle)> {
    if matches!(kind, "searchset" | "history") { outcome::gap(members, searched) } else { outcome::errors(members) }
}

fn unread_paging<'a>(bundle: &Members<'a>) -> Vec<(RawValue<'a>, &'static str)> {
    let stated = |name: &str| bundle.get(name).copied().filter(|raw| raw.get() != "null");
    let link = stated("link").filter(|raw| candor_json::from_str::<Vec<Members<'_>>>(raw.get()).is_err());
    let total = stated("total").filter(|raw| candor_json::from_str::<u64>(raw.get()).is_err());
    let link = link.map(|raw| (raw, "`link` is not an array of links, so whether there are more pages is unknown"));
    let total = total.map(|raw| (raw, "`total` is not a number of resources, so whether these are all is unknown"));
    link.into_iter().chain(total).collect()
}

/// The word of a searchset or a history on the pages it is one of; nothing of other Bundles.
fn page(bundle: &Members<'_>, kind: &str) -> Option<Page> {
    if !matches!(kind, "searchset" | "history") {
        return None;
    }
    let links = bundle.get("link").and_then(|raw| candor_json::from_str::<Vec<Members<'_>>>(raw.get()).ok());
    let link = |relation: &str| {
        let mut links = links.iter().flatten();
        let link = links.find(|link| string(link, "relation").is_some_and(|own| relation::is(&own, relation)))?;
        string(link, "url").map(|url| url.trim().to_owned()).filter(|url| !url.is_empty())
    };
    let total = bundle.get("total").and_then(|raw| candor_json::from_str(raw.get()).ok());
    let previous = link("previous").or_else(|| link("prev"));
    Some(Page { kind: kind.to_owned(), own: link("self"), next: link("next"), previous, total, ..Page::default() })
}

/// Counts an entry into what its page says there is; only where it says how many.
fn count(page: &mut Option<Page>, kind: &str, entry: &Members<'_>) {
    let Some(page) = page.as_mut().filter(|page| page.total.is_some()) else { return };
    let resource = object(entry, "resource");
    let part = |members: &Members<'_>, name: &str| string(members, name).unwrap_or_default();
    let id = match string(&resource, "id") {
        Some(id) => format!("{}/{id}", part(&resource, "resourceType")),
        None => format!("{} {}", page.all.len(), part(entry, "fullUrl")),
    };
    let name = if kind == "history" {
        // Each version is one, a deletion included.
        let version = part(&object(&resource, "meta"), "versionId");
        format!("{id} {version} {} {}", page.all.len(), part(&object(entry, "request"), "url"))
    } else {
        id
    };
    let mode = string(&object(entry, "search"), "mode");
    if mode.as_deref() == Some("outcome") {
        return;
    }
    if mode.as_deref() != Some("include") {
        page.found.push(name.clone());
    }
    page.all.push(name);
}

enum Leaves<'a> {
    Nothing,
    /// A resource; `put` where its id says, in place of what is there.
    Resource {
        resource: RawValue<'a>,
        put: bool,
    },
    Deletion(Deleted),
    Change(String, Change),
    Unknown(String),
    /// An answer that says nothing of what is there, or a request that says nothing of what it changes.
    Refused(String, Obstacle),
}

/// The code by which a request of a transaction failed. The requests without an answer of their own failed with it.
/// Source: FHIR R4, RESTful API, 3.1.0.11.2.
fn failure(kind: &str, entries: &[RawValue<'_>]) -> Option<String> {
    let code = |raw: &RawValue<'_>| {
        let request = Request::of(&members(raw.get())?);
        let status = request.status().filter(|status| request.changes() && status.starts_with(['4', '5']))?;
        status.get(..3).map(str::to_owned)
    };
    entries.iter().filter(|_| kind == "transaction").find_map(code)
}

/// Source: FHIR R4, Bundle, 2.36 (`request`, `response`, `resource`), and RESTful API, 3.1.0.11 (transactions).
fn leaves<'a>(kind: &str, entry: &Members<'a>, request: &Request<'a>) -> Leaves<'a> {
    let resource = entry.get("resource").copied().filter(|raw| raw.get() != "null");
    let asks = matches!(kind, "transaction" | "batch");
    let versions = matches!(kind, "history" | "subscription-notification");
    if let Some(status) = request.status()
        && status.starts_with(['4', '5'])
    {
        return match status.get(..3) {
            // In a history a version that is gone is a deletion.
            Some("410") if versions => deletion(request, false),
            Some(code) if asks && request.changes() => not_done(request, code),
            _ => refused(&status),
        };
    }
    if asks {
        return asked(kind, request, resource);
    }
    let method = request.method();
    match (method.as_deref(), resource) {
        (Some("DELETE"), None) if versions => deletion(request, false),
        (Some("DELETE"), Some(_)) if versions => Leaves::Unknown("a deletion that carries a resource".to_owned()),
        (Some("GET" | "HEAD"), None) => Leaves::Nothing,
        (_, None) if versions => without_resource(request),
        (Some(method), _) if kind.is_empty() && request.changes() => {
            let what = format!("a {method} in a Bundle without a type, so what it leaves is unknown");
            changed(request, what, Obstacle::SourceMalformed)
        }
        (_, resource) if matches!(kind, "transaction-response" | "batch-response") => {
            let shown = resource.filter(|raw| !members(raw.get()).as_ref().is_some_and(outcome::is_outcome));
            match (shown, answered(request), resource) {
                (None, Some(left), _) => left,
                (_, _, Some(resource)) => Leaves::Resource { resource, put: false },
                (_, _, None) => Leaves::Nothing,
            }
        }
        (_, Some(resource)) => Leaves::Resource { resource, put: false },
        (_, None) if kind == "searchset" && mode(entry).as_deref() == Some("match") => {
            Leaves::Unknown("a match of a search without its resource".to_owned())
        }
        (_, None) => Leaves::Nothing,
    }
}

fn mode(entry: &Members<'_>) -> Option<String> {
    string(&object(entry, "search"), "mode")
}

/// The effect of an entry of a transaction or a batch that was not refused.
fn asked<'a>(kind: &str, request: &Request<'a>, resource: Option<RawValue<'a>>) -> Leaves<'a> {
    let method = request.method();
    let unknown = |what: String| changed(request, what, Obstacle::Undecidable);
    if request.status().is_some_and(|status| status.starts_with('3')) {
        return Leaves::Nothing;
    }
    if request.went_wrong() && request.changes() {
        return unknown(format!(
            "a {} whose answer has errors and no status, so whether it was done is unknown",
            method.unwrap_or_default()
        ));
    }
    match (method.as_deref(), resource) {
        (Some("GET" | "HEAD"), _) => Leaves::Nothing,
        (Some("POST"), _) if request.is_search() => Leaves::Nothing,
        (Some("DELETE"), _) => match request.condition().filter(|_| !request.was_done()) {
            Some(name) => unknown(conditional(name)),
            None if request.url_or_name().contains('?') => unknown(not_applied("DELETE")),
            None => deletion(request, true),
        },
        (None | Some("POST"), Some(resource)) => created(request, resource),
        (Some("PUT"), Some(resource)) => put(request, resource),
        (Some("PATCH"), Some(resource)) if request.was_done() && is_target(request, resource) => {
            Leaves::Resource { resource, put: true }
        }
        (Some(method @ ("POST" | "PUT")), None) => {
            unknown(format!("a {method} in a {kind} lacks its resource, so what it leaves is unknown"))
        }
        (Some(method), _) => unknown(format!("a {method} in a {kind} is not applied, so what it leaves is unknown")),
        (None, None) => Leaves::Nothing,
    }
}

fn conditional(name: &str) -> String {
    format!("`request.{name}` makes this entry conditional, and conditions are not applied")
}

fn not_applied(method: &str) -> String {
    format!("a conditional {method} is not applied, so what it leaves is unknown")
}

/// The effect of a `POST`, or of an entry that does not say what it asks for.
fn created<'a>(request: &Request<'a>, resource: RawValue<'a>) -> Leaves<'a> {
    let unknown = |what: String| changed(request, what, Obstacle::Undecidable);
    let own = members(resource.get()).and_then(|resource| string(&resource, "resourceType"));
    if own.is_some_and(|own| !request.creates(&own)) {
        return unknown("a POST whose `request.url` is not its resource's type, so no create".to_owned());
    }
    match (request.condition(), request.status()) {
        // What was there already was not created again.
        (Some("ifNoneExist"), Some(status)) if status.starts_with("200") => Leaves::Nothing,
        (Some(name), _) if !request.was_done() => unknown(conditional(name)),
        _ => Leaves::Resource { resource, put: false },
    }
}

fn put<'a>(request: &Request<'a>, resource: RawValue<'a>) -> Leaves<'a> {
    let unknown = |what: String| changed(request, what, Obstacle::Undecidable);
    match request.condition().filter(|_| !request.was_done()) {
        Some(name) => unknown(conditional(name)),
        None if is_target(request, resource) => Leaves::Resource { resource, put: true },
        None if request.url().is_some_and(|url| url.contains('?')) => unknown(not_applied("PUT")),
        // Without a URL it is put where its id says.
        None if request.url().is_none() => Leaves::Resource { resource, put: true },
        None => unknown("a PUT whose `request.url` is not its resource's `Type/id`".to_owned()),
    }
}

/// Returns `true` if a resource is the one that a request was about, by its URL or by where the answer says that it is.
fn is_target(request: &Request<'_>, resource: RawValue<'_>) -> bool {
    let resource = members(resource.get()).unwrap_or_default();
    let (own_type, own_id) = (string(&resource, "resourceType"), string(&resource, "id"));
    let is = |url: String| {
        matches!(Literal::parse(url.trim_start_matches('/')), Literal::Restful { resource_type, id, .. }
            if Some(resource_type) == own_type.as_deref() && Some(id) == own_id.as_deref())
    };
    request.url().is_some_and(is) || request.was_done() && request.location().is_some_and(is)
}

/// A request that was answered with an error: it was not done, unless it may have been.
fn not_done<'a>(request: &Request<'a>, code: &str) -> Leaves<'a> {
    if code.starts_with('4') && code != "408" {
        return Leaves::Nothing;
    }
    let method = request.method().unwrap_or_default();
    let what = format!("a {method} that was answered with {code}, so whether it was done is unknown");
    changed(request, what, Obstacle::SourceUnavailable)
}

/// The effect of a request that may have changed something, with the sentence that says so.
fn changed<'a>(request: &Request<'a>, what: String, obstacle: Obstacle) -> Leaves<'a> {
    match request.change(Some(obstacle)) {
        Some(change) => {
            let what = match &change.target {
                Target::Created { resource_type } => {
                    let article = if resource_type.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
                    format!("{what} (it may have created {article} {resource_type})")
                }
                target => format!("{what} (of {})", target.described()),
            };
            Leaves::Change(what, change)
        }
        None => Leaves::Refused(what, obstacle),
    }
}

/// A version of a history that does not show its resource.
fn without_resource<'a>(request: &Request<'a>) -> Leaves<'a> {
    let urls = [request.location(), request.url(), Some(request.url_or_name())];
    let version = urls.into_iter().flatten().find_map(|url| request.version(&url, When::Version));
    match version.or_else(|| request.version(&request.full_url()?, When::Version)) {
        Some(change) => {
            let what = format!("a version of {} without its resource", change.target.described());
            Leaves::Change(format!("{what}, so what it holds is unknown"), change)
        }
        None => Leaves::Unknown("a version in a history without its resource".to_owned()),
    }
}

/// The version that a request left according to its answer, which does not show it.
fn answered<'a>(request: &Request<'a>) -> Option<Leaves<'a>> {
    let stored = request.status().is_some_and(|status| status.starts_with("200") || status.starts_with("201"));
    let change = request.version(&request.location().filter(|_| stored)?, When::Answer)?;
    let what = format!("an answer that {} was stored, which it does not show", change.target.described());
    Some(Leaves::Change(what, change))
}

/// An entry that was answered with an error. What was not there, or was not done, leaves nothing; what could not be said
/// is unknown.
fn refused<'a>(status: &str) -> Leaves<'a> {
    let code: String = status.chars().take_while(char::is_ascii_digit).take(3).collect();
    let obstacle = match code.as_str() {
        "401" | "403" | "407" => Obstacle::SourceDenied,
        "408" | "425" | "429" => Obstacle::SourceUnavailable,
        code if code.starts_with('4') => return Leaves::Nothing,
        _ => Obstacle::SourceUnavailable,
    };
    Leaves::Refused(format!("an entry that was answered with {code}, so what it would have shown is unknown"), obstacle)
}

fn deletion<'a>(request: &Request<'a>, applied: bool) -> Leaves<'a> {
    let url = request.url_or_name();
    let Literal::Restful { base, resource_type, id, .. } = Literal::parse(url.trim_start_matches('/')) else {
        return Leaves::Unknown("a deletion that does not say of which resource".to_owned());
    };
    Leaves::Deletion(Deleted {
        resource_type: resource_type.to_owned(),
        id: id.to_owned(),
        base: base.map(str::to_owned),
        applied_in: applied.then_some(0),
        version_id: request.version_id(&url),
        last_updated: request.last_modified(),
        place: super::Unreadable::default(),
    })
}
