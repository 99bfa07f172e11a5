//! The identity of a resource, and what its `fullUrl` adds.

use std::borrow::Cow;
use std::ops::Range;

use candor_json::Value;
use candor_json::text::unquoted;

use super::{Content, Resource, Versions, json};
use crate::search::literal::Literal;

pub(super) fn resource(
    text: &str,
    content: Content,
    file: &str,
    span: Range<usize>,
    container: usize,
    full_url: Option<String>,
) -> Result<Resource, Cow<'static, str>> {
    if !text.starts_with('{') {
        return Err("no JSON object, so no resource".into());
    }
    let unreadable = |error: candor_json::Error| Cow::Owned(format!("not readable as JSON: {error}"));
    let (mut resource_type, mut id, mut meta) = (None, None, None);
    let is_escaped = text.contains("\\u");
    let has_meta = is_escaped || text.contains("\"meta\"");
    let read = |value: &str| match unquoted(value) {
        Some(text) => Ok(Value::String(text.into_owned())),
        None => candor_json::from_str(value).map_err(unreadable),
    };
    for (name, value) in json::members(text) {
        match &*name {
            "resourceType" => resource_type = Some(read(value)?),
            "id" => id = Some(read(value)?),
            "meta" => {
                if is_escaped {
                    drop(read(value)?);
                }
                meta = Some(value);
            }
            _ => continue,
        }
        if resource_type.is_some() && id.is_some() && (meta.is_some() || !has_meta) {
            break;
        }
    }
    if is_escaped {
        // Half of a surrogate pair is passed over where nothing is made of it.
        drop(candor_json::from_str::<Value>(text).map_err(unreadable)?);
    }
    let resource_type = match resource_type {
        Some(Value::String(name)) if !name.is_empty() => name,
        Some(_) => return Err("`resourceType` is no name".into()),
        None => return Err("no `resourceType`, so no resource".into()),
    };
    let full_url = full_url.filter(|url| !url.is_empty());
    let own = id.and_then(|id| if let Value::String(id) = id { Some(id) } else { None }).filter(|id| !id.is_empty());
    let writes_id = own.is_some();
    let id = own.or_else(|| id_of_url(full_url.as_deref()?, &resource_type));
    // What a handle begins with: no id may be one.
    if id.as_deref().is_some_and(|id| id.starts_with('~')) {
        return Err("its id begins with `~`, which no id of FHIR may".into());
    }
    let base = full_url.as_deref().zip(id.as_deref()).and_then(|(url, id)| base_of(url, &resource_type, id));
    let handle = full_url.as_ref().filter(|_| id.is_none()).map(|_| handle(container, span.start));
    Ok(Resource {
        file: file.to_owned(),
        span,
        container,
        base: base.map(str::to_owned),
        version_id: text_in(meta, "versionId"),
        last_updated: text_in(meta, "lastUpdated"),
        versions: Versions::Single,
        full_url,
        resource_type,
        id,
        writes_id,
        handle,
        content,
    })
}

pub(super) fn handle(container: usize, start: usize) -> String {
    format!("~{container}-{start}")
}

fn text_in(meta: Option<&str>, name: &str) -> Option<String> {
    let (_, value) = json::members(meta?).find(|(own, _)| own == name)?;
    unquoted(value).filter(|text| !text.is_empty()).map(Cow::into_owned)
}

/// The id that an absolute URL of a resource says, which its resource leaves out.
fn id_of_url(full_url: &str, of_type: &str) -> Option<String> {
    match Literal::parse(full_url) {
        Literal::Restful { base: Some(_), resource_type, id, .. } if resource_type == of_type => Some(id.to_owned()),
        _ => None,
    }
}

/// `fullUrl` less `Type/id`; nothing where it does not end so.
fn base_of<'a>(full_url: &'a str, resource_type: &str, id: &str) -> Option<&'a str> {
    let full_url = full_url.split_once("/_history/").map_or(full_url, |(url, _)| url).trim_end_matches('/');
    let base = full_url.strip_suffix(id)?.strip_suffix('/')?.strip_suffix(resource_type)?.strip_suffix('/')?;
    Some(base.trim_end_matches('/')).filter(|base| !base.is_empty())
}

/// The `fullUrl` that references name literally, with the `Type/id` they mean by it, unless the `fullUrl` is the
/// `…/Type/id` of the resource itself.
pub(super) fn named(resource: &Resource) -> Option<(String, String)> {
    let full_url = resource.full_url.as_deref()?;
    let id = resource.key()?;
    let own = matches!(Literal::parse(full_url), Literal::Restful { resource_type, id: own, .. }
        if resource_type == resource.resource_type && own == id);
    (!own).then(|| (full_url.to_owned(), format!("{}/{id}", resource.resource_type)))
}

#[cfg(test)]
mod tests {
    use candor_json::{Value, json};
    use proptest::prelude::*;

    use super::{base_of, text_in};

    proptest! {
        #[test]
        fn a_text_of_meta_is_what_a_reader_finds(text in any::<String>(), other in "[a\"\\\\{}:,]{0,6}", kind in 0..4_u8) {
            let value = match kind {
                0 => json!(1),
                1 => json!({"versionId": text}),
                2 => json!(""),
                _ => json!(text),
            };
            let meta = json!({"profile": [other, {"versionId": "0"}], other.as_str(): other, "versionId": value});
            let read = meta.get("versionId").and_then(Value::as_str).filter(|text| !text.is_empty());
            let found = text_in(Some(meta.to_string().as_str()), "versionId");
            prop_assert_eq!(found.as_deref(), read);
        }
    }

    #[test]
    fn the_base_is_the_full_url_less_type_and_id() {
        for (url, base) in [
            ("https://a.example/r4/Patient/1", Some("https://a.example/r4")),
            ("https://a.example/r4/Patient/1/", Some("https://a.example/r4")),
            ("https://a.example/r4/Patient/1/_history/4", Some("https://a.example/r4")),
            ("https://a.example/r4//Patient/1", Some("https://a.example/r4")),
            ("urn:uuid:1", None),
            ("Patient/1", None),
            ("https://a.example/r4/Patient/11", None),
            ("https://a.example/r4/XPatient/1", None),
            ("1", None),
        ] {
            assert_eq!(base_of(url, "Patient", "1"), base, "{url}");
        }
    }
}
