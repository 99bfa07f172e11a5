//! Bundles: which resources an entry leaves in the ground truth.

use std::collections::{BTreeMap, VecDeque};

use candor_check::Obstacle;
use serde_json::value::RawValue;

use super::outcome;
use super::pages::Page;
use super::read::File;
use super::versions::Deleted;
use crate::search::literal::Literal;

pub(super) type Members<'a> = BTreeMap<String, &'a RawValue>;

/// The members of a JSON object, unparsed.
pub(super) fn members(text: &str) -> Option<Members<'_>> {
    serde_json::from_str(text).ok()
}

pub(super) fn is_bundle(members: &Members<'_>) -> bool {
    string(members, "resourceType").as_deref() == Some("Bundle")
}

pub(super) fn string(members: &Members<'_>, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn object<'a>(members: &Members<'a>, name: &str) -> Members<'a> {
    members.get(name).and_then(|raw| self::members(raw.get())).unwrap_or_default()
}

/// Bundles that carry resources from or to a server are no resources themselves; the others are kept as one too.
fn only_carries(kind: &str) -> bool {
    matches!(kind, "searchset" | "history" | "transaction" | "batch" | "transaction-response" | "batch-response")
}

/// Reads a Bundle. A Bundle in one of its entries is read alike when it only carries resources (the answers in a
/// `batch-response`), and is a resource like any other when it does not (a document).
pub(super) fn read<'a>(file: &mut File<'_>, document: &'a str, outer: Members<'a>) {
    let mut bundles = VecDeque::from([(outer, document.trim(), None)]);
    while let Some((bundle, raw_bundle, full_url)) = bundles.pop_front() {
        file.open_container();
        let kind = string(&bundle, "type").unwrap_or_default();
        if !only_carries(&kind) {
            file.resource(document, raw_bundle, full_url);
        }
        match kind.as_str() {
            "searchset" | "history" => file.answer(),
            "transaction" | "batch" => file.request(),
            _ => {}
        }
        if matches!(kind.as_str(), "searchset" | "history") {
            for (raw, what) in unread_paging(&bundle) {
                file.unreadable_part(document, raw.get(), what);
            }
        }
        let mut page = page(&bundle, &kind);
        let Some(list) = bundle.get("entry").filter(|raw| raw.get() != "null") else {
            file.page(document, raw_bundle, page);
            continue;
        };
        let Ok(entries) = serde_json::from_str::<Vec<&'a RawValue>>(list.get()) else {
            file.unreadable_part(document, list.get(), "`entry` is no array");
            continue;
        };
        for raw in entries {
            let Some(entry) = members(raw.get()) else {
                file.unreadable_part(document, raw.get(), "this entry is no JSON object");
                continue;
            };
            let full_url = string(&entry, "fullUrl");
            count(&mut page, &kind, &entry);
            match leaves(&kind, &entry) {
                Leaves::Nothing => {}
                Leaves::Unknown(what) => file.unreadable_part(document, raw.get(), &what),
                Leaves::Refused(what, obstacle) => file.missing_part(document, raw.get(), &what, obstacle),
                Leaves::Deletion(deleted) => file.deletion(document, raw, deleted),
                Leaves::Resource(resource) => {
                    let inner = members(resource.get());
                    if let Some(what) = inner.as_ref().and_then(outcome::errors) {
                        file.missing_part(document, resource.get(), &what, Obstacle::SourceUnavailable);
                    }
                    match inner.filter(is_bundle) {
                        Some(inner) if only_carries(&string(&inner, "type").unwrap_or_default()) => {
                            bundles.push_back((inner, resource.get(), full_url));
                        }
                        _ => {
                            if is_put(&kind, &entry) {
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

/// Whether an entry asks for its resource to be put where its id says.
fn is_put(kind: &str, entry: &Members<'_>) -> bool {
    matches!(kind, "transaction" | "batch") && string(&object(entry, "request"), "method").as_deref() == Some("PUT")
}

/// What of a page cannot be read that would say whether there are more.
fn unread_paging<'a>(bundle: &Members<'a>) -> Vec<(&'a RawValue, &'static str)> {
    let stated = |name: &str| bundle.get(name).copied().filter(|raw| raw.get() != "null");
    let link = stated("link").filter(|raw| serde_json::from_str::<Vec<Members<'_>>>(raw.get()).is_err());
    let total = stated("total").filter(|raw| serde_json::from_str::<u64>(raw.get()).is_err());
    let link = link.map(|raw| (raw, "`link` is no array of links, so whether there are more pages is unknown"));
    let total = total.map(|raw| (raw, "`total` is no number of resources, so whether these are all is unknown"));
    link.into_iter().chain(total).collect()
}

/// What a searchset or a history says of the pages it is one of; nothing of other Bundles.
fn page(bundle: &Members<'_>, kind: &str) -> Option<Page> {
    if !matches!(kind, "searchset" | "history") {
        return None;
    }
    let links = bundle.get("link").and_then(|raw| serde_json::from_str::<Vec<Members<'_>>>(raw.get()).ok());
    let link = |relation: &str| {
        let mut links = links.iter().flatten();
        let link = links.find(|link| string(link, "relation").as_deref() == Some(relation))?;
        string(link, "url").map(|url| url.trim().to_owned()).filter(|url| !url.is_empty())
    };
    let total = bundle.get("total").and_then(|raw| serde_json::from_str(raw.get()).ok());
    Some(Page { kind: kind.to_owned(), own: link("self"), next: link("next"), total, ..Page::default() })
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

/// What an entry leaves in the ground truth.
enum Leaves<'a> {
    Nothing,
    Resource(&'a RawValue),
    Deletion(Deleted),
    Unknown(String),
    /// An answer that says nothing of what is there.
    Refused(String, Obstacle),
}

/// Source: FHIR R4, Bundle, 2.36 (`request`, `response`, `resource`), and RESTful API, 3.1.0.11 (transactions).
fn leaves<'a>(kind: &str, entry: &Members<'a>) -> Leaves<'a> {
    let resource = entry.get("resource").copied().filter(|raw| raw.get() != "null");
    let request = object(entry, "request");
    let method = string(&request, "method");
    if let Some(status) = string(&object(entry, "response"), "status")
        && status.starts_with(['4', '5'])
    {
        // In a history a version that is gone is a deletion.
        return if kind == "history" && status.starts_with("410") {
            deletion(entry, &request, false)
        } else {
            refused(&status)
        };
    }
    match (kind, method.as_deref(), resource) {
        ("history", Some("DELETE"), None) => deletion(entry, &request, false),
        ("history", Some("DELETE"), Some(_)) => Leaves::Unknown("a deletion that carries a resource".to_owned()),
        ("history", _, None) => Leaves::Unknown("a version in a history without its resource".to_owned()),
        ("transaction" | "batch", Some("GET" | "HEAD"), _) => Leaves::Nothing,
        ("transaction" | "batch", None | Some("POST" | "PUT"), Some(resource)) => match conditional(&request, resource)
        {
            None => Leaves::Resource(resource),
            Some(what) => Leaves::Unknown(what),
        },
        ("transaction" | "batch", Some("DELETE"), _) if request.contains_key("ifMatch") => {
            Leaves::Unknown("`request.ifMatch` makes this entry conditional, and conditions are not applied".to_owned())
        }
        ("transaction" | "batch", Some("DELETE"), _) => deletion(entry, &request, true),
        ("transaction" | "batch", Some(method), _) => {
            let what = if matches!(method, "POST" | "PUT") { "lacks its resource" } else { "is not applied" };
            Leaves::Unknown(format!("a {method} in a {kind} {what}, so what it leaves is unknown"))
        }
        (_, _, Some(resource)) => Leaves::Resource(resource),
        ("searchset", _, None) if string(&object(entry, "search"), "mode").as_deref() == Some("match") => {
            Leaves::Unknown("a match of a search without its resource".to_owned())
        }
        (_, _, None) => Leaves::Nothing,
    }
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

fn deletion<'a>(entry: &Members<'a>, request: &Members<'a>, applied: bool) -> Leaves<'a> {
    let url = string(request, "url").or_else(|| string(entry, "fullUrl")).unwrap_or_default();
    let Literal::Restful { base, resource_type, id, version } = Literal::parse(url.trim_start_matches('/')) else {
        return Leaves::Unknown("a deletion that does not say of which resource".to_owned());
    };
    let response = object(entry, "response");
    let etag = string(&response, "etag").map(|tag| tag.trim_start_matches("W/").trim_matches('"').to_owned());
    Leaves::Deletion(Deleted {
        resource_type: resource_type.to_owned(),
        id: id.to_owned(),
        base: base.map(str::to_owned),
        applied_in: applied.then_some(0),
        version_id: etag.or_else(|| version.map(str::to_owned)),
        last_updated: string(&response, "lastModified"),
        place: super::Unreadable { file: String::new(), offset: 0, line: 0, what: String::new(), obstacle: None },
    })
}

/// Why it is unknown whether, or as what, a `POST` or `PUT` stored its resource.
fn conditional(request: &Members<'_>, resource: &RawValue) -> Option<String> {
    for name in ["ifNoneExist", "ifMatch", "ifNoneMatch", "ifModifiedSince"] {
        if request.contains_key(name) {
            return Some(format!("`request.{name}` makes this entry conditional, and conditions are not applied"));
        }
    }
    let url = string(request, "url")?;
    if string(request, "method").as_deref() != Some("PUT") {
        let path = url.trim_end_matches('/');
        let own = members(resource.get()).and_then(|resource| string(&resource, "resourceType"));
        let creates = own.is_none_or(|own| path.rsplit('/').next() == Some(own.as_str())) || path.is_empty();
        return (!creates).then(|| "a POST whose `request.url` is not its resource's type, so no create".to_owned());
    }
    if url.contains('?') {
        return Some("a conditional PUT is not applied, so what it leaves is unknown".to_owned());
    }
    let resource = members(resource.get()).unwrap_or_default();
    match (Literal::parse(&url), string(&resource, "resourceType"), string(&resource, "id")) {
        (Literal::Restful { resource_type, id, .. }, Some(own_type), Some(own_id))
            if resource_type == own_type && id == own_id =>
        {
            None
        }
        _ => Some("a PUT whose `request.url` is not its resource's `Type/id`".to_owned()),
    }
}
