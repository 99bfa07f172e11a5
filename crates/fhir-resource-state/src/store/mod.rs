//! Resources as a folder holds them: from the bytes of its files to resources with identity and place.
//!
//! Everything here is about *finding* resources; what their elements mean is the business of [`search`](crate::search) and
//! of the check. Nothing that cannot be read is passed over: it becomes an [`Unreadable`] place next to what was read.

mod bundle;
pub(crate) mod changes;
pub(crate) mod content;
pub(crate) mod cut;
mod deleted;
pub(crate) mod identity;
mod manifest;
mod members;
mod outcome;
pub(crate) mod pages;
mod read;
pub(crate) mod request;
mod requests;
mod search;
pub(crate) mod versions;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use candor_check::Obstacle;
use candor_json::Value;

use crate::search::{Index, Search, Subject};
pub use candor_check::strict_json as json;
use content::Content;
pub use read::Builder;
use versions::Version;
pub use versions::Versions;

/// A resource, as its file holds it.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The file it was read from.
    pub file: Arc<str>,
    /// Which of the store's containers holds it: a Bundle, or a file or line of its own. `urn:uuid` references are resolved
    /// within their container first.
    pub container: usize,
    /// `resourceType`.
    pub resource_type: Arc<str>,
    /// `id`, or the one that its `fullUrl` says.
    pub id: Option<String>,
    writes_id: bool,
    /// Its `fullUrl`, which few resources of a large folder have.
    url: Option<Box<FullUrl>>,
    /// How it was distinguished from others of the same type and id.
    pub versions: Versions,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
struct FullUrl {
    text: String,
    base: Option<String>,
    /// The name that references by it use while the resource has no id. It is not an id, so no search can ask for it.
    handle: Option<String>,
}

impl Resource {
    /// Its place in its file, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.content.span()
    }

    /// `entry.fullUrl` in the Bundle that contained it.
    #[must_use]
    pub fn full_url(&self) -> Option<&str> {
        self.url.as_ref().map(|url| url.text.as_str())
    }

    /// `fullUrl` less `Type/id`: what relative references in it are relative to.
    #[must_use]
    pub fn base(&self) -> Option<&str> {
        self.url.as_ref()?.base.as_deref()
    }

    /// `meta.versionId`, read from its text.
    #[must_use]
    pub fn version_id(&self) -> Option<Cow<'_, str>> {
        self.content.text_of_meta("versionId")
    }

    /// `meta.lastUpdated`, read from its text.
    #[must_use]
    pub fn last_updated(&self) -> Option<Cow<'_, str>> {
        self.content.text_of_meta("lastUpdated")
    }

    fn version(&self) -> Version<'_> {
        Version::of(self.version_id(), self.last_updated())
    }

    /// The resource.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.content.value()
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.id.as_deref().or_else(|| self.url.as_ref()?.handle.as_deref())
    }
}

/// Something in the source that could not be read: what it hides is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// Bytes from the file's start.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The fault there.
    pub what: String,
    /// The cause of its absence: an answer that is missing or is an error. `None` where it is there and cannot be read.
    pub obstacle: Option<Obstacle>,
    /// The resources that this gap concerns, if nothing else can depend on it.
    pub about: Option<About>,
}

/// The resources that a place is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Their type.
    pub resource_type: String,
    /// The id of the one, where it is one.
    pub id: Option<String>,
}

impl Unreadable {
    fn with(&self, what: String, obstacle: Option<Obstacle>) -> Self {
        Self { what, obstacle, ..self.clone() }
    }

    fn about(self, resource_type: &str, id: Option<&str>) -> Self {
        Self { about: Some(About { resource_type: resource_type.to_owned(), id: id.map(str::to_owned) }), ..self }
    }
}

/// The `Type/id` that a `fullUrl` means which is not a `…/Type/id` itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    container: usize,
    target: String,
}

/// The resources of a folder, in order of path, then offset.
#[derive(Clone, Debug, Default)]
pub struct Store {
    resources: Vec<Resource>,
    unreadable: Vec<Unreadable>,
    by_type: HashMap<Arc<str>, Vec<usize>>,
    /// The types of which a resource does not write its own id.
    without_ids: HashSet<Arc<str>>,
    named: HashMap<String, Vec<Named>>,
    /// Types and ids that were deleted and are not there.
    deleted: HashSet<(String, String)>,
    index: Index,
}

impl Store {
    /// The resources of a type, in order.
    pub fn of_type(&self, resource_type: &str) -> impl Iterator<Item = &Resource> {
        self.by_type.get(resource_type).into_iter().flatten().filter_map(|at| self.resources.get(*at))
    }

    /// Every resource, in order.
    #[must_use]
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The places that could not be read, in order.
    #[must_use]
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Returns `true` if a resource was there and is not any more, because it was deleted.
    #[must_use]
    pub fn was_deleted(&self, resource_type: &str, id: &str) -> bool {
        self.deleted.contains(&(resource_type.to_owned(), id.to_owned()))
    }

    /// A resource as search sees it.
    #[must_use]
    pub fn subject<'a>(&'a self, resource: &'a Resource) -> Subject<'a> {
        Subject { value: resource.value(), base: resource.base(), container: resource.container, names: self }
    }

    /// The resources that a search cannot say no of, each with the parameter and the value asked for.
    pub(crate) fn doubtful<'s>(&'s self, search: &'s Search) -> Vec<(&'s Resource, &'s str, &'s str)> {
        let doubtful = search.doubtful(self, &self.index).into_iter();
        doubtful.filter_map(|(position, name, value)| Some((self.resources.get(position)?, name, value))).collect()
    }

    /// The resources that a search finds, in order, or in the order it asks for.
    #[must_use]
    pub fn find(&self, search: &Search) -> Vec<&Resource> {
        search.find(self, &self.index).into_iter().filter_map(|position| self.resources.get(position)).collect()
    }
}
