//! The FHIR resources of a world, each in its last version.

use std::collections::HashMap;
use std::sync::Arc;

use candor_fhir_search::{Names, Resources, Subject};
use candor_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct Versioned {
    pub kind: String,
    pub id: String,
    pub version: u64,
    /// `None` once it is deleted.
    pub value: Option<Arc<Value>>,
    /// True if the agent found it like this.
    pub is_original: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FhirStore {
    all: Vec<Versioned>,
    by_name: HashMap<String, usize>,
    by_type: HashMap<String, Vec<usize>>,
}

impl FhirStore {
    pub(crate) fn of(resources: &[Value]) -> Self {
        let mut store = Self::default();
        for resource in resources {
            let member = |name| resource.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let version = version_of(resource).unwrap_or(1);
            let resource = Arc::new(versioned(resource.clone(), version, None));
            let (kind, id) = (member_of(&resource, "resourceType"), member("id"));
            store.put(Versioned { kind, id, version, value: Some(resource), is_original: true });
        }
        store
    }

    /// Puts a resource, or the news of its deletion, in the place of the version before it.
    pub(crate) fn put(&mut self, resource: Versioned) {
        let name = format!("{}/{}", resource.kind, resource.id);
        let position = match self.by_name.get(&name) {
            Some(&position) => position,
            None => {
                self.by_name.insert(name, self.all.len());
                self.all.len()
            }
        };
        let of_type = self.by_type.entry(resource.kind.clone()).or_default();
        match (of_type.binary_search(&position), resource.value.is_some()) {
            (Err(at), true) => of_type.insert(at, position),
            (Ok(at), false) => drop(of_type.remove(at)),
            _ => {}
        }
        match self.all.get_mut(position) {
            Some(slot) => *slot = resource,
            None => self.all.push(resource),
        }
    }

    pub(crate) fn get(&self, kind: &str, id: &str) -> Option<&Versioned> {
        self.by_name.get(&format!("{kind}/{id}")).and_then(|&position| self.all.get(position))
    }

    pub(crate) fn at(&self, position: usize) -> Option<&Versioned> {
        self.all.get(position)
    }

    pub(crate) fn all(&self) -> &[Versioned] {
        &self.all
    }
}

fn member_of(resource: &Value, name: &str) -> String {
    resource.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// `meta.versionId`, if it is a number.
pub(crate) fn version_of(resource: &Value) -> Option<u64> {
    resource.get("meta")?.get("versionId")?.as_str()?.parse().ok()
}

/// A resource with its version, and the time of its change if it was changed since the agent found it.
pub(crate) fn versioned(mut resource: Value, version: u64, changed_at: Option<&str>) -> Value {
    if let Some(members) = resource.as_object_mut() {
        let meta = members.entry("meta").or_insert_with(|| json!({}));
        if !meta.is_object() {
            *meta = json!({});
        }
        if let Some(meta) = meta.as_object_mut() {
            meta.insert("versionId".to_owned(), version.to_string().into());
            if let Some(at) = changed_at {
                meta.insert("lastUpdated".to_owned(), at.into());
            }
        }
    }
    resource
}

impl Names for FhirStore {
    fn named(&self, _full_url: &str, _container: Option<usize>) -> Option<&str> {
        None
    }
}

impl Resources for FhirStore {
    fn of_type(&self, resource_type: &str) -> &[usize] {
        self.by_type.get(resource_type).map(Vec::as_slice).unwrap_or_default()
    }

    fn subject(&self, position: usize) -> Option<Subject<'_>> {
        let value = self.all.get(position)?.value.as_deref()?;
        Some(Subject { value, base: None, container: 0, names: self })
    }

    fn id(&self, position: usize) -> Option<&str> {
        self.all.get(position).map(|one| one.id.as_str())
    }

    fn base(&self, _position: usize) -> Option<&str> {
        None
    }
}
