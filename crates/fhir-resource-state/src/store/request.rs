//! The request of an entry, and its response.
//!
//! Source: FHIR R4, Bundle, 2.36 (`request`, `response`), and RESTful API, 3.1.0 (conditional requests, transactions).

use candor_check::Obstacle;
use candor_http_source::url;

use super::changes::{Change, Target, When};
use super::members::{Members, members, object, string};
use super::outcome;
use crate::search::literal::Literal;
use crate::search::{Search, types};

/// `request` and `response` of an entry.
pub(super) struct Request<'a> {
    members: Members<'a>,
    response: Members<'a>,
    full_url: Option<String>,
}

impl<'a> Request<'a> {
    pub(super) fn of(entry: &Members<'a>) -> Self {
        Self {
            members: object(entry, "request"),
            response: object(entry, "response"),
            full_url: string(entry, "fullUrl"),
        }
    }

    pub(super) fn method(&self) -> Option<String> {
        string(&self.members, "method")
    }

    pub(super) fn url(&self) -> Option<String> {
        string(&self.members, "url")
    }

    pub(super) fn url_or_name(&self) -> String {
        self.url().or_else(|| self.full_url.clone()).unwrap_or_default()
    }

    pub(super) fn changes(&self) -> bool {
        self.method().is_some_and(|method| !matches!(method.as_str(), "GET" | "HEAD"))
    }

    pub(super) fn full_url(&self) -> Option<String> {
        self.full_url.clone()
    }

    /// `response.status`.
    pub(super) fn status(&self) -> Option<String> {
        string(&self.response, "status")
    }

    pub(super) fn was_done(&self) -> bool {
        self.status().is_some_and(|status| status.starts_with('2'))
    }

    /// Returns `true` if what answers it says no more than that something went wrong.
    pub(super) fn went_wrong(&self) -> bool {
        let outcome = self.response.get("outcome").and_then(|raw| members(raw.get()));
        self.status().is_none() && outcome.is_some_and(|outcome| outcome::errors(&outcome).is_some())
    }

    pub(super) fn condition(&self) -> Option<&'static str> {
        ["ifNoneExist", "ifMatch", "ifNoneMatch", "ifModifiedSince"]
            .into_iter()
            .find(|name| self.members.get(*name).is_some_and(|raw| raw.get() != "null"))
    }

    /// `response.etag`, else the version that a URL says.
    pub(super) fn version_id(&self, url: &str) -> Option<String> {
        let etag = string(&self.response, "etag").map(|tag| tag.trim_start_matches("W/").trim_matches('"').to_owned());
        etag.filter(|tag| !tag.is_empty()).or_else(|| match Literal::parse(url) {
            Literal::Restful { version, .. } => version.map(str::to_owned),
            _ => None,
        })
    }

    pub(super) fn last_modified(&self) -> Option<String> {
        string(&self.response, "lastModified")
    }

    /// `response.location`.
    pub(super) fn location(&self) -> Option<String> {
        string(&self.response, "location").filter(|url| !url.is_empty())
    }

    pub(super) fn is_search(&self) -> bool {
        let url = self.url().unwrap_or_default();
        let path = url.split('?').next().unwrap_or_default();
        path.trim_end_matches('/').rsplit('/').next() == Some("_search")
    }

    /// Returns `true` if a `POST` creates a resource of its type, and asks for nothing else.
    pub(super) fn creates(&self, resource_type: &str) -> bool {
        let url = self.url().unwrap_or_default();
        let path = url.trim_end_matches('/');
        path.is_empty() || path.rsplit('/').next() == Some(resource_type)
    }

    /// The target that it may change, when it is not known whether or how it did; `None` when it does not name the
    /// target.
    pub(super) fn target(&self) -> Option<(Target, Option<String>)> {
        let url = self.url_or_name();
        if self.method().as_deref() == Some("POST") && !url.contains('$') {
            let (Target::Type { resource_type, .. }, base) = target(&url)? else { return None };
            return Some((Target::Created { resource_type }, base));
        }
        target(&url)
    }

    pub(super) fn change(&self, obstacle: Option<Obstacle>) -> Option<Change> {
        // What was done to one of several says to which.
        let located = || self.location().filter(|_| self.was_done()).and_then(|url| target(&url));
        let (target, base) = match self.target()? {
            (Target::Type { .. }, _) if located().is_some() => located()?,
            known => known,
        };
        Some(Change {
            target,
            base,
            when: When::Asked,
            version_id: self.version_id(&self.location().unwrap_or_default()).filter(|_| self.was_done()),
            last_updated: self.last_modified().filter(|_| self.was_done()),
            obstacle,
        })
    }

    /// The version that it left, which is not there.
    pub(super) fn version(&self, url: &str, when: When) -> Option<Change> {
        let (target @ Target::One { .. }, base) = target(url)? else { return None };
        let of_name = self.full_url.as_deref().and_then(|url| self::target(url)?.1);
        Some(Change {
            target,
            base: base.or(of_name),
            when,
            version_id: self.version_id(url),
            last_updated: self.last_modified(),
            obstacle: Some(Obstacle::Undecidable),
        })
    }
}

pub(crate) fn target(url: &str) -> Option<(Target, Option<String>)> {
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    // What an operation is asked of.
    let path = path.split_once('$').map_or(path, |(path, _)| path);
    let path = if path.contains("://") { path } else { path.trim_start_matches('/') };
    let path = path.trim_end_matches('/');
    if let Literal::Restful { base, resource_type, id, .. } = Literal::parse(path) {
        let target = Target::One { resource_type: resource_type.to_owned(), id: id.to_owned() };
        return Some((target, base.map(str::to_owned)));
    }
    let (base, resource_type) = path.rsplit_once('/').map_or((None, path), |(base, name)| (Some(base), name));
    if !types::is_resource(resource_type) {
        return None;
    }
    let query = query.and_then(|_| {
        let parameters = url::parameters(url);
        let parameters = parameters.iter().map(|(name, value)| (name.as_str(), [value.as_str()]));
        let search = Search::compile(resource_type, parameters).ok();
        search.filter(|search| !search.hangs_on_others() && !search.hangs_on_now()).map(Box::new)
    });
    let base = base.filter(|base| base.contains("://")).map(str::to_owned);
    Some((Target::Type { resource_type: resource_type.to_owned(), query }, base))
}
