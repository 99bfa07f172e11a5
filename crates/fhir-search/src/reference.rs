//! Reference parameters. Source: FHIR R4, Search, 3.1.1.4.11.

use std::borrow::Cow;

use candor_json::Value;

use crate::literal::{Literal, is_id};
use crate::subject::{Subject, type_of};
use crate::table::Parameter;
use crate::text;
use crate::uri::is_canonical;

#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// `[base/]Type/id[/_history/version]`, or `id` alone.
    Resource { base: Option<String>, resource_type: Option<String>, id: String, version: Option<String> },
    /// A `urn:uuid`, or a canonical or other URL, literally or by the entry it names.
    Url(String),
}

impl Target {
    /// Reads one alternative; `modifier` is the resource type of `:[type]`.
    pub(crate) fn parse(
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

    /// The type and the id it asks for, when it does not ask for a URL.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Resource { id, .. } => Some(id),
            Self::Url(_) => None,
        }
    }

    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Resource { .. } => None,
            Self::Url(url) => Some(url),
        }
    }

    pub(crate) fn matches(&self, value: &Value, subject: &Subject<'_>) -> bool {
        let named = self.url().and_then(|url| subject.names.named(url, Some(subject.container)));
        Stored::of(value, subject).is_some_and(|stored| self.finds(&stored, named))
    }

    /// True if an element refers to this target. `named` is the `Type/id` that the wanted URL is a `fullUrl` for.
    pub(crate) fn finds(&self, stored: &Stored<'_>, named: Option<&str>) -> bool {
        // The version of a canonical follows a `|`. A wanted URL without a version matches any version.
        let url = stored.text.split_once('|').filter(|_| stored.canonical).map(|(url, _)| url);
        let any_version =
            matches!(self, Self::Resource { .. }) && url.is_some_and(|url| self.finds_text(url, stored, named));
        any_version || self.finds_text(&stored.text, stored, named)
    }

    fn finds_text(&self, reference: &str, stored: &Stored<'_>, named: Option<&str>) -> bool {
        match (self, Literal::parse(reference)) {
            (Self::Resource { .. }, Literal::Restful { base, resource_type, id, version }) => {
                self.is(base.or(stored.base), base.is_none(), resource_type, id, version, stored.base)
                    || self.is_named(stored)
            }
            (Self::Resource { .. }, Literal::Other(_)) => self.is_named(stored),
            (Self::Url(wanted), found) => {
                if is_canonical(reference, wanted) {
                    return true;
                }
                let Some(Literal::Restful { resource_type: wanted_type, id: wanted_id, .. }) =
                    named.map(Literal::named)
                else {
                    return false;
                };
                let same = stored.name.is_some() && stored.name == named;
                same || matches!(found, Literal::Restful { base, resource_type, id, .. }
                    if base.is_none_or(|base| Some(base) == stored.base) && resource_type == wanted_type && id == wanted_id)
            }
            (Self::Resource { .. }, Literal::Contained(_)) => false,
        }
    }

    /// True if the reference is to a `fullUrl`, and that name belongs to this target.
    fn is_named(&self, stored: &Stored<'_>) -> bool {
        matches!(stored.name.map(Literal::named), Some(Literal::Restful { resource_type, id, .. })
            if self.is(stored.base, true, resource_type, id, None, stored.base))
    }

    /// True if this target is the resource that a reference is to. A relative one, here or there, is on the base of the
    /// resource that holds the reference; without that base it does not equal an absolute one.
    fn is(
        &self,
        base: Option<&str>,
        relative: bool,
        resource_type: &str,
        id: &str,
        version: Option<&str>,
        own_base: Option<&str>,
    ) -> bool {
        let Self::Resource { base: wanted_base, resource_type: wanted_type, id: wanted_id, version: wanted_version } =
            self
        else {
            return false;
        };
        let on_base = match wanted_base {
            Some(wanted) => base == Some(wanted.trim_end_matches('/')),
            None => relative || (base.is_some() && base == own_base),
        };
        on_base
            && wanted_id == id
            && wanted_type.as_deref().is_none_or(|wanted| wanted == resource_type)
            && wanted_version.as_deref().is_none_or(|wanted| Some(wanted) == version)
    }
}

/// The target of a reference in an element. Elements with the same content are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stored<'a> {
    pub(crate) text: Cow<'a, str>,
    /// True for a canonical or a URI, false for a Reference.
    canonical: bool,
    /// The base of a relative reference.
    base: Option<&'a str>,
    /// The `Type/id` of the entry with this `fullUrl`, if the text is not the URL of a resource.
    pub(crate) name: Option<&'a str>,
}

impl<'a> Stored<'a> {
    /// Reads a Reference, a CodeableReference, a canonical, or a resource in the place of a reference to it.
    pub(crate) fn of(value: &'a Value, subject: &Subject<'a>) -> Option<Self> {
        let text = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            value => match type_of(value) {
                Some(resource_type) => {
                    Cow::Owned(format!("{resource_type}/{}", value.get("id").and_then(Value::as_str)?))
                }
                None => Cow::Borrowed(
                    value
                        .get("reference")
                        .unwrap_or(value)
                        .as_str()
                        .or_else(|| value.pointer("/reference/reference")?.as_str())?,
                ),
            },
        };
        let name = match Literal::parse(&text) {
            Literal::Other(url) => subject.names.named(url, Some(subject.container)),
            Literal::Restful { base: Some(_), .. } => subject.names.named(&text, Some(subject.container)),
            _ => None,
        };
        Some(Self { text, canonical: value.is_string(), base: subject.base, name })
    }

    pub(crate) fn canonical(&self) -> bool {
        self.canonical
    }

    pub(crate) fn base(&self) -> Option<&'a str> {
        self.base
    }

    pub(crate) fn from_parts(text: &'a str, canonical: bool, base: Option<&'a str>, name: Option<&'a str>) -> Self {
        Self { text: Cow::Borrowed(text), canonical, base, name }
    }

    /// The base, type and id of the resource it is to. Without a base of its own it is on that of the resource that
    /// contains it.
    pub(crate) fn target(&self) -> Option<(Option<&str>, bool, &str, &str)> {
        if let Some(Literal::Restful { resource_type, id, .. }) = self.name.map(Literal::named) {
            return Some((self.base, false, resource_type, id));
        }
        match Literal::parse(&self.text) {
            Literal::Restful { base, resource_type, id, .. } => {
                Some((base.or(self.base), base.is_some(), resource_type, id))
            }
            Literal::Other(_) | Literal::Contained(_) => None,
        }
    }

    /// True if a resource of the right type and id, on this base, is the one it is to. A relative reference, or a side
    /// without a known base, matches any base.
    pub(crate) fn is_on(base: Option<&str>, absolute: bool, of_target: Option<&str>) -> bool {
        base == of_target || (!absolute && (base.is_none() || of_target.is_none()))
    }
}
