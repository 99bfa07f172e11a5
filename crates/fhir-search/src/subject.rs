//! The subject of a search: a resource, and the others that it refers to.

use std::borrow::Cow;

use candor_json::Value;

use crate::literal::Literal;

/// The resources that a `fullUrl` names, for a `fullUrl` that is not the URL of a resource.
pub trait Names {
    /// `Type/id` of the entry with this `fullUrl`, that of the same container before any other.
    fn named(&self, full_url: &str, container: Option<usize>) -> Option<&str>;

    /// True if any entry has this `fullUrl`, even if different ones in different containers.
    fn is_named(&self, full_url: &str) -> bool {
        self.named(full_url, None).is_some()
    }
}

/// Resources that are searched together, each at a position of its own.
pub trait Resources: Names {
    /// The positions of the resources of a type, ascending.
    fn of_type(&self, resource_type: &str) -> &[usize];

    /// The resource at a position.
    fn subject(&self, position: usize) -> Option<Subject<'_>>;

    /// The `id` of the resource at a position.
    fn id(&self, position: usize) -> Option<&str>;

    /// Returns `true` if every resource of a type has its [`id`](Self::id) as the text of its own element.
    fn write_ids(&self, resource_type: &str) -> bool {
        let _ = resource_type;
        false
    }

    /// Returns `true` if elements are left out of the resource at a position, so that nothing in it is absent for certain.
    fn is_subset(&self, position: usize) -> bool {
        let _ = position;
        false
    }

    /// The base of the relative references in the resource at a position.
    fn base(&self, position: usize) -> Option<&str>;

    /// Hands over the resource at a position for a moment, with at least the members asked for. What holds its resources as
    /// text need neither parse the others nor keep any.
    fn visit(&self, position: usize, members: &Members<'_>, visitor: &mut dyn FnMut(&Subject<'_>)) {
        let _ = members;
        if let Some(subject) = self.subject(position) {
            visitor(&subject);
        }
    }
}

/// Which members of resources are asked for.
#[derive(Clone, Debug)]
pub struct Members<'p>(Option<Vec<&'p str>>);

impl<'p> Members<'p> {
    pub(crate) fn all() -> Self {
        Self(None)
    }

    /// Those with these names or, of a choice of types, with these names before the type, and what references may lead to.
    pub(crate) fn named(names: Vec<&'p str>) -> Self {
        Self(Some(names))
    }

    /// True if a member is one of them.
    #[must_use]
    pub fn include(&self, name: &str) -> bool {
        let Some(names) = &self.0 else { return true };
        let starts = |known: &&str| {
            name.strip_prefix(*known).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        matches!(name, "resourceType" | "contained") || names.iter().any(starts)
    }
}

/// A resource that is searched.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The resource.
    pub value: &'a Value,
    /// The base of its relative references.
    pub base: Option<&'a str>,
    /// The container that holds it.
    pub container: usize,
    /// The resources that its `urn:uuid` references mean.
    pub names: &'a dyn Names,
}

impl<'a> Subject<'a> {
    /// The type of the resource that a Reference is to, as far as the reference, what it contains, and the names tell.
    pub(crate) fn type_of(&self, reference: &'a Value) -> Option<Cow<'a, str>> {
        let literal = reference.get("reference").and_then(Value::as_str).map(Literal::parse);
        let found = match literal {
            Some(Literal::Restful { resource_type, .. }) => Some(resource_type),
            Some(Literal::Contained(id)) => self.contained(id).and_then(type_of),
            Some(Literal::Other(url)) => {
                let target = self.names.named(url, Some(self.container));
                target.and_then(|target| target.split_once('/')).map(|(resource_type, _)| resource_type)
            }
            None => None,
        };
        found.or_else(|| reference.get("type").and_then(Value::as_str)).map(Cow::Borrowed)
    }

    pub(crate) fn contained(&self, id: &str) -> Option<&'a Value> {
        let contained = self.value.get("contained").and_then(Value::as_array);
        contained.into_iter().flatten().find(|one| one.get("id").and_then(Value::as_str) == Some(id))
    }

    pub(crate) fn inner(&self, value: &'a Value) -> Self {
        Self { value, ..*self }
    }
}

pub(crate) fn type_of(resource: &Value) -> Option<&str> {
    resource.get("resourceType").and_then(Value::as_str)
}
