//! Reference parameters. Source: FHIR R4, Search, 3.1.1.4.11.

use std::borrow::Cow;

use serde_json::Value;

use super::literal::{Literal, is_id};
use super::table::Parameter;
use super::{Subject, text};

/// One alternative of a reference search.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// `[base/]Type/id[/_history/version]`, or `id` alone.
    Resource { base: Option<String>, resource_type: Option<String>, id: String, version: Option<String> },
    /// A `urn:uuid`, or a canonical or other URL, literally or by the entry it names.
    Url(String),
}

impl Target {
    /// Reads one alternative; `modifier` is the resource type of `:[type]`.
    pub(super) fn parse(
        escaped: &str,
        modifier: Option<&str>,
        parameter: &Parameter,
    ) -> Result<Self, Cow<'static, str>> {
        let plain = text::unescape(escaped).into_owned();
        let target = match Literal::parse(&plain) {
            Literal::Restful { base, resource_type, id, version } => {
                if modifier.is_some_and(|modifier| modifier != resource_type) {
                    return Err("its type is not the one in the modifier".into());
                }
                Self::Resource {
                    base: base.map(str::to_owned),
                    resource_type: Some(resource_type.to_owned()),
                    id: id.to_owned(),
                    version: version.map(str::to_owned),
                }
            }
            Literal::Contained(_) => return Err("contained resources are not searched".into()),
            Literal::Other(id) if is_id(id) => Self::Resource {
                base: None,
                resource_type: modifier.map(str::to_owned),
                id: id.to_owned(),
                version: None,
            },
            Literal::Other(_) if modifier.is_some() => return Err("with a type as modifier it is an id".into()),
            Literal::Other(url) if url.contains(':') => Self::Url(plain),
            Literal::Other(_) => return Err("it is neither an id, nor `Type/id`, nor a URL".into()),
        };
        if let Self::Resource { resource_type: Some(named), .. } = &target
            && !parameter.targets.is_empty()
            && !parameter.targets.iter().any(|known| known == named || *known == "Resource")
        {
            return Err(format!(
                "`{}` is never a reference to a {named}; it can be to {}",
                parameter.code,
                parameter.targets.join(", ")
            )
            .into());
        }
        Ok(target)
    }

    /// Whether it finds an element: a Reference or a canonical.
    pub(super) fn matches(&self, value: &Value, subject: &Subject<'_>) -> bool {
        let reference = match value {
            // A canonical's version stands behind a `|`; a URL that is asked for without one is any version.
            Value::String(canonical) => {
                let url = canonical.split_once('|').map(|(url, _)| url);
                let any_version =
                    matches!(self, Self::Resource { .. }) && url.is_some_and(|url| self.finds(url, subject));
                return any_version || self.finds(canonical, subject);
            }
            value => value
                .get("reference")
                .unwrap_or(value)
                .as_str()
                .or_else(|| value.pointer("/reference/reference")?.as_str()),
        };
        reference.is_some_and(|reference| self.finds(reference, subject))
    }

    fn finds(&self, reference: &str, subject: &Subject<'_>) -> bool {
        match (self, Literal::parse(reference)) {
            (Self::Resource { .. }, Literal::Restful { base, resource_type, id, version }) => {
                self.is(base.or(subject.base), base.is_none(), resource_type, id, version, subject)
            }
            (Self::Resource { .. }, Literal::Other(url)) => {
                let named = subject.names.named(url, Some(subject.container)).map(Literal::parse);
                matches!(named, Some(Literal::Restful { resource_type, id, .. })
                    if self.is(subject.base, true, resource_type, id, None, subject))
            }
            (Self::Url(wanted), found) => {
                if is_canonical(reference, wanted) {
                    return true;
                }
                let Some(Literal::Restful { resource_type: wanted_type, id: wanted_id, .. }) =
                    subject.names.named(wanted, Some(subject.container)).map(Literal::parse)
                else {
                    return false;
                };
                matches!(found, Literal::Restful { base, resource_type, id, .. }
                    if base.is_none_or(|base| Some(base) == subject.base) && resource_type == wanted_type && id == wanted_id)
            }
            (Self::Resource { .. }, Literal::Contained(_)) => false,
        }
    }

    /// Whether it is the resource that a reference is to. A relative one, here or there, is on the base of the resource that
    /// holds the reference; without that base it equals no absolute one.
    fn is(
        &self,
        base: Option<&str>,
        relative: bool,
        resource_type: &str,
        id: &str,
        version: Option<&str>,
        subject: &Subject<'_>,
    ) -> bool {
        let Self::Resource { base: wanted_base, resource_type: wanted_type, id: wanted_id, version: wanted_version } =
            self
        else {
            return false;
        };
        let on_base = match wanted_base {
            Some(wanted) => base == Some(wanted.trim_end_matches('/')),
            None => relative || (base.is_some() && base == subject.base),
        };
        on_base
            && wanted_id == id
            && wanted_type.as_deref().is_none_or(|wanted| wanted == resource_type)
            && wanted_version.as_deref().is_none_or(|wanted| Some(wanted) == version)
    }
}

/// Whether a stored canonical URL is the wanted one; wanted without a version, any version is.
pub(super) fn is_canonical(stored: &str, wanted: &str) -> bool {
    stored == wanted || (!wanted.contains('|') && stored.split_once('|').is_some_and(|(url, _)| url == wanted))
}
