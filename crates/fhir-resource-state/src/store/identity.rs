//! The identity of a resource, and what its `fullUrl` adds.

use std::borrow::Cow;
use std::sync::Arc;

use candor_json::Value;
use candor_json::text::unquoted;

use super::{Content, FullUrl, Resource, Versions, json};
use crate::search::literal::Literal;

/// `last` is the type of the resource before it.
pub(super) fn resource(
    text: &str,
    content: Content,
    file: &Arc<str>,
    last: &mut Arc<str>,
    container: usize,
    full_url: Option<String>,
) -> Result<Resource, Cow<'static, str>> {
    if !text.starts_with('{') {
        return Err("no JSON object, so no resource".into());
    }
    let unreadable = |error: candor_json::Error| Cow::Owned(format!("not readable as JSON: {error}"));
    let is_escaped = text.contains("\\u");
    let (mut resource_type, mut id, mut meta) = (None, None, !is_escaped);
    let read = |value| match unquoted(value) {
        Some(text) => Ok(Some(text)),
        None => candor_json::from_str::<Value>(value).map_err(unreadable).map(|_| None),
    };
    for (name, value) in json::members(text) {
        match &*name {
            "resourceType" => resource_type = Some(read(value)?),
            "id" => id = Some(read(value)?),
            "meta" if is_escaped => meta = read(value).map(|_| true)?,
            _ => continue,
        }
        if resource_type.is_some() && id.is_some() && meta {
            break;
        }
    }
    if is_escaped {
        // Half of a surrogate pair is passed over where nothing is made of it.
        drop(candor_json::from_str::<Value>(text).map_err(unreadable)?);
    }
    let resource_type = match resource_type {
        Some(Some(name)) if !name.is_empty() => name,
        Some(_) => return Err("`resourceType` is no name".into()),
        None => return Err("no `resourceType`, so no resource".into()),
    };
    if *resource_type != **last {
        *last = resource_type.into();
    }
    let resource_type = Arc::clone(last);
    let own = id.flatten().filter(|id| !id.is_empty()).map(Cow::into_owned);
    let writes_id = own.is_some();
    let full_url = full_url.filter(|url| !url.is_empty());
    let id = own.or_else(|| id_of_url(full_url.as_deref()?, &resource_type));
    // What a handle begins with: no id may be one.
    if id.as_deref().is_some_and(|id| id.starts_with('~')) {
        return Err("its id begins with `~`, which no id of FHIR may".into());
    }
    let url = full_url.map(|text| {
        let base = id.as_deref().and_then(|id| base_of(&text, &resource_type, id)).map(str::to_owned);
        let handle = id.is_none().then(|| handle(container, content.span().start));
        Box::new(FullUrl { text, base, handle })
    });
    let (file, versions) = (Arc::clone(file), Versions::Single);
    Ok(Resource { file, container, resource_type, id, writes_id, url, versions, content })
}

pub(super) fn handle(container: usize, start: usize) -> String {
    format!("~{container}-{start}")
}

/// The id that an absolute URL of a resource says, which its resource leaves out.
fn id_of_url(full_url: &str, of_type: &str) -> Option<String> {
    match Literal::parse(full_url) {
        Literal::Restful { base: Some(_), resource_type, id, .. } if resource_type == of_type => Some(id.to_owned()),
        _ => None,
    }
}

/// `fullUrl` less `Type/id`; nothing where it does not end so.
pub(crate) fn base_of<'a>(full_url: &'a str, resource_type: &str, id: &str) -> Option<&'a str> {
    let full_url = full_url.split_once("/_history/").map_or(full_url, |(url, _)| url).trim_end_matches('/');
    let base = full_url.strip_suffix(id)?.strip_suffix('/')?.strip_suffix(resource_type)?.strip_suffix('/')?;
    Some(base.trim_end_matches('/')).filter(|base| !base.is_empty())
}

/// The `fullUrl` that references name literally, with the `Type/id` they mean by it, unless the `fullUrl` is the
/// `…/Type/id` of the resource itself.
pub(super) fn named(resource: &Resource) -> Option<(String, String)> {
    let full_url = resource.full_url()?;
    let id = resource.key()?;
    let own = matches!(Literal::parse(full_url), Literal::Restful { resource_type, id: own, .. }
        if *resource_type == *resource.resource_type && own == id);
    (!own).then(|| (full_url.to_owned(), format!("{}/{id}", resource.resource_type)))
}
