//! A single page of a searchset: its entries as written, its links and its total.

use std::collections::BTreeMap;

use candor_json::Value;
use candor_json::value::RawValue;

use crate::relation;
use crate::store::json;

type Members<'a> = BTreeMap<String, RawValue<'a>>;

pub(super) struct Page<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) next: Option<String>,
    pub(super) own: Option<String>,
    pub(super) total: Option<u64>,
}

/// The role of an entry in a searchset. Source: FHIR R4, Bundle.entry.search.mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Match,
    Include,
    Outcome,
}

pub(super) struct Entry<'a> {
    /// Where the entry begins in the page.
    pub(super) at: usize,
    pub(super) mode: Mode,
    pub(super) full_url: Option<String>,
    pub(super) resource: Option<&'a str>,
    /// Type, id and version, where it has an id.
    pub(super) key: Option<Key>,
    /// The type of its resource, where that is not the one that was searched for.
    other: Option<String>,
    says_mode: bool,
    /// A status of 400 or above, from `response.status`.
    pub(super) refused: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) version: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoPage {
    Outcome(Value),
    /// It is not JSON that can be read in one way, or no searchset: what it is, as the end of a sentence.
    Other(String),
}

/// Reads an answer's text, which must be one JSON object.
pub(super) fn checked<'a>(body: &'a [u8], content_type: &str) -> Result<&'a str, String> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let text = std::str::from_utf8(body).map_err(|error| format!("no UTF-8 from byte {} on", error.valid_up_to()))?;
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    let start = text.trim_start();
    match start.chars().next() {
        None => Err("nothing at all".to_owned()),
        Some('<') => {
            let head: String = start.chars().take(200).collect();
            let what = if head.to_ascii_lowercase().contains("html") { "HTML" } else { "XML" };
            Err(format!("{what} ({kind}), not FHIR JSON"))
        }
        Some(_) => match json::check(text) {
            Ok(()) => Ok(text),
            Err(flaw) => Err(format!("no JSON that can be read: {} at byte {}", flaw.what, flaw.offset)),
        },
    }
}

/// Reads a page of the search for a type from text that [`checked`] let through.
pub(super) fn read<'a>(text: &'a str, searched: &str) -> Result<Page<'a>, NoPage> {
    let other = |what: &str| NoPage::Other(what.to_owned());
    let bundle = members(text).ok_or_else(|| other("no JSON object"))?;
    let kind = string(&bundle, "resourceType").unwrap_or_default();
    if kind == "OperationOutcome" {
        return Err(NoPage::Outcome(candor_json::from_str(text).unwrap_or_default()));
    }
    if kind != "Bundle" {
        return Err(other("no Bundle"));
    }
    match string(&bundle, "type").as_deref() {
        Some("searchset") => {}
        Some(_) => return Err(other("a Bundle of another type than searchset")),
        None => return Err(other("a Bundle that does not say that it is a searchset")),
    }
    // What is there and cannot be understood may say that there is more.
    let links: Vec<Value> = match value(&bundle, "link") {
        Value::Null => Vec::new(),
        Value::Array(links) if links.iter().all(is_link) => links,
        _ => return Err(other("a Bundle whose `link` is not an array of links")),
    };
    let total = match value(&bundle, "total") {
        Value::Null => None,
        total => Some(total.as_u64().ok_or_else(|| other("a Bundle whose `total` is not a number of resources"))?),
    };
    let link = |name: &str| {
        let is_it =
            |link: &&Value| link.get("relation").and_then(Value::as_str).is_some_and(|own| relation::is(own, name));
        let one = links.iter().find(is_it)?;
        Some(one.get("url").and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    let raw: Vec<RawValue<'a>> = match bundle.get("entry").filter(|raw| raw.get() != "null") {
        None => Vec::new(),
        Some(list) => candor_json::from_str(list.get()).map_err(|_| other("a Bundle whose `entry` is not an array"))?,
    };
    let entries = raw.into_iter().map(|raw| entry(text, raw.get(), searched));
    let entries =
        entries.collect::<Option<Vec<_>>>().ok_or_else(|| other("a Bundle with an entry that is not an object"))?;
    if let Some(found) = not_asked_for(&entries, searched) {
        let what = if found.is_empty() { "a resource without a type".to_owned() } else { format!("a {found}") };
        return Err(NoPage::Other(format!("{what}, not a resource of the type {searched}")));
    }
    Ok(Page { entries, next: link("next"), own: link("self"), total })
}

/// The type of a resource that is there as what was found, and is not of the type that was searched for. An entry that does
/// not say what it is there for may go with one that was found.
fn not_asked_for<'e>(entries: &'e [Entry<'_>], searched: &str) -> Option<&'e str> {
    let found =
        entries.iter().any(|entry| entry.resource.is_some() && entry.mode == Mode::Match && entry.other.is_none());
    let wrong = |other: &str, entry: &Entry<'_>| match (entry.mode, entry.says_mode) {
        (Mode::Outcome, _) => false,
        (Mode::Match, _) => true,
        (Mode::Include, true) => false,
        // A search never finds what an answer is made of, nor a type in another case.
        (Mode::Include, false) => !found || other == "Bundle" || other.eq_ignore_ascii_case(searched),
    };
    entries.iter().find_map(|entry| entry.other.as_deref().filter(|other| wrong(other, entry)))
}

fn is_link(link: &Value) -> bool {
    link.get("relation").is_some_and(Value::is_string) && link.get("url").is_none_or(Value::is_string)
}

fn entry<'a>(page: &str, raw: &'a str, searched: &str) -> Option<Entry<'a>> {
    let entry = members(raw)?;
    let resource = entry.get("resource").map(|raw| raw.get()).filter(|raw| *raw != "null");
    let own = resource.and_then(members).unwrap_or_default();
    let resource_type = string(&own, "resourceType").unwrap_or_default();
    let said = value(&entry, "search").get("mode").and_then(Value::as_str).map(str::to_owned);
    let mode = match said.as_deref() {
        _ if resource_type == "OperationOutcome" && searched != resource_type => Mode::Outcome,
        Some("outcome") => Mode::Outcome,
        Some("include") => Mode::Include,
        Some("match") => Mode::Match,
        _ if resource.is_none() || resource_type == searched => Mode::Match,
        _ => Mode::Include,
    };
    let status = value(&entry, "response").get("status").and_then(Value::as_str).map(str::to_owned);
    let version = value(&own, "meta").get("versionId").and_then(Value::as_str).map(str::to_owned);
    let key = string(&own, "id").map(|id| Key { name: format!("{resource_type}/{id}"), version });
    Some(Entry {
        at: (raw.as_ptr() as usize).saturating_sub(page.as_ptr() as usize).min(page.len()),
        mode,
        full_url: string(&entry, "fullUrl").filter(|url| !url.is_empty()),
        resource,
        key,
        other: (resource.is_some() && resource_type != searched).then(|| resource_type.clone()),
        says_mode: matches!(said.as_deref(), Some("match" | "include" | "outcome")),
        refused: status.filter(|status| status.starts_with(['4', '5'])),
    })
}

fn members(text: &str) -> Option<Members<'_>> {
    candor_json::from_str(text).ok()
}

fn string(members: &Members<'_>, name: &str) -> Option<String> {
    candor_json::from_str(members.get(name)?.get()).ok()
}

fn value(members: &Members<'_>, name: &str) -> Value {
    members.get(name).and_then(|raw| candor_json::from_str(raw.get()).ok()).unwrap_or_default()
}
