//! The resources that one resource refers to.

use candor_json::Value;

use crate::index::Index;
use crate::path::Path;
use crate::reference::Stored;
use crate::subject::{Members, Resources, Subject};
use crate::table;

/// The resources among which references are followed, if there are any.
#[derive(Clone, Copy)]
pub(crate) struct Others<'a> {
    among: Option<(&'a dyn Resources, &'a Index)>,
}

impl<'a> Others<'a> {
    /// No other resources: from a single resource, only what it contains can be followed.
    pub(crate) fn none() -> Self {
        Self { among: None }
    }

    pub(crate) fn among(resources: &'a dyn Resources, index: &'a Index) -> Self {
        Self { among: Some((resources, index)) }
    }

    /// The resources that a reference is to; a canonical is to those of the given types with its URL and version.
    pub(crate) fn subjects<'t>(
        &self,
        reference: &Value,
        subject: &Subject<'_>,
        types: impl Iterator<Item = &'t str>,
    ) -> Vec<Subject<'a>> {
        let (Some((resources, _)), Some(stored)) = (self.among, Stored::of(reference, subject)) else {
            return Vec::new();
        };
        self.positions(&stored, types).into_iter().filter_map(|position| resources.subject(position)).collect()
    }

    /// The positions of the resources with the type and id of a reference, on its base.
    pub(crate) fn by_id(&self, stored: &Stored<'_>) -> Vec<usize> {
        let (Some((resources, index)), Some((base, absolute, resource_type, id))) = (self.among, stored.target())
        else {
            return Vec::new();
        };
        let with_id = index.with_id(resources, resource_type, id).into_iter();
        with_id.filter(|position| Stored::is_on(base, absolute, resources.base(*position))).collect()
    }

    pub(crate) fn positions<'t>(&self, stored: &Stored<'_>, mut types: impl Iterator<Item = &'t str>) -> Vec<usize> {
        let Some((resources, index)) = self.among else { return Vec::new() };
        // The URL of a canonical may end as that of a resource on a server does, and says nothing of an id.
        if !stored.canonical() {
            let mut of_type = |resource_type| types.any(|known| known == resource_type);
            let meant = stored.target().is_some_and(|(_, _, resource_type, _)| of_type(resource_type));
            return if meant { self.by_id(stored) } else { Vec::new() };
        }
        let (url, version) = match stored.text.split_once('|') {
            Some((url, version)) => (url, Some(version)),
            None => (&*stored.text, None),
        };
        types.flat_map(|resource_type| with_url(resources, index, resource_type, url, version)).collect()
    }
}

/// The resources of a type that have a canonical URL and, when one is asked for, a version.
fn with_url(
    resources: &dyn Resources,
    index: &Index,
    resource_type: &str,
    url: &str,
    version: Option<&str>,
) -> Vec<usize> {
    let path = table::find(resource_type, "url").and_then(|parameter| Path::compile(parameter.expression).ok());
    let Some(path) = path else { return Vec::new() };
    let mut found = index.with_uri(resources, resource_type, &path, url);
    if let Some(version) = version {
        found.retain(|position| {
            let mut same = false;
            resources.visit(*position, &Members::named(vec!["version"]), &mut |subject| {
                same = subject.value.get("version").and_then(Value::as_str) == Some(version);
            });
            same
        });
    }
    found
}
