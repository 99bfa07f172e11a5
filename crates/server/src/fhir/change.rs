//! Creating, updating and deleting a resource: decided by the current state, and returned as a write and an answer.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use candor_fhir_search::types;
use candor_json::Value;

use super::{outcome, search};
use crate::error::ApiError;
use crate::store::NewWrite;
use crate::world::parts::is_id;
use crate::world::resources::{FhirStore, Versioned, versioned};

#[derive(Debug)]
pub(crate) struct Done {
    pub status: StatusCode,
    /// `Type/id`.
    pub name: String,
    pub version: u64,
    pub resource: Option<Value>,
    pub last_updated: String,
}

impl Done {
    pub(crate) fn response(&self, base: &str) -> Response {
        let mut response = match &self.resource {
            Some(resource) => outcome::resource(self.status, resource),
            None => {
                let mut response = Response::new(axum::body::Body::empty());
                *response.status_mut() = self.status;
                response
            }
        };
        let headers = response.headers_mut();
        let mut put = |name, text: String| {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(name, value);
            }
        };
        put(header::ETAG, self.etag());
        if self.status == StatusCode::CREATED {
            put(header::LOCATION, self.location(base));
        }
        response
    }

    pub(crate) fn etag(&self) -> String {
        format!("W/\"{}\"", self.version)
    }

    pub(crate) fn location(&self, base: &str) -> String {
        format!("{base}/{}/_history/{}", self.name, self.version)
    }
}

/// A resource type of FHIR.
///
/// # Errors
/// 404 for every other name.
pub(crate) fn kind(name: &str) -> Result<&str, ApiError> {
    if types::is_resource(name) {
        return Ok(name);
    }
    let nearest = types::nearest(name, types::resources());
    let hint = nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    Err(ApiError { message: format!("FHIR has no such resource type{hint}"), ..ApiError::not_found("resource type") })
}

pub(crate) fn resource_of(kind: &str, body: Value) -> Result<Value, ApiError> {
    match body.get("resourceType").and_then(Value::as_str) {
        // A stored Bundle would be read as the resources in it, which no request created.
        Some("Bundle") if kind == "Bundle" => {
            let message = "Bundles are not stored; send a batch or a transaction to the base.";
            return Err(ApiError::unprocessable("bundle_not_stored", message));
        }
        Some(found) if found == kind => {}
        Some(_) => {
            let message = format!("The body is a resource of another type; expected {kind}.");
            return Err(ApiError::bad_request("wrong_resource_type", message));
        }
        None => {
            let message = format!("The body has no `resourceType`; expected a {kind}.");
            return Err(ApiError::bad_request("not_a_resource", message));
        }
    }
    if body.get("meta").is_some_and(|meta| !meta.is_object()) {
        return Err(ApiError::unprocessable("invalid_resource", "`meta` is not an object."));
    }
    Ok(body)
}

/// Refuses search parameters of a write: who sends them counts on a condition.
///
/// # Errors
/// 400 for every parameter that is not about the form of the answer.
pub(crate) fn unconditional(query: &[(String, String)]) -> Result<(), ApiError> {
    if query.iter().all(|(name, _)| matches!(name.as_str(), "_format" | "_pretty")) {
        return Ok(());
    }
    let message =
        "A write takes no search parameters, and nothing was changed; a conditional create has If-None-Exist.";
    Err(ApiError::bad_request("unsupported_condition", message))
}

/// Creates a resource, or finds the one that `If-None-Exist` names.
pub(crate) fn create(
    store: &FhirStore,
    kind: &str,
    mut resource: Value,
    if_none_exist: Option<&str>,
    now: &str,
) -> Result<(Option<NewWrite>, Done), ApiError> {
    if let Some(query) = if_none_exist {
        let found = search::matching(store, kind, query)?;
        match found.as_slice() {
            [] => {}
            [one] => {
                let one = store.at(*one).ok_or_else(ApiError::internal)?;
                return Ok((None, of(one, StatusCode::OK)));
            }
            _ => return Err(several()),
        }
    }
    let id = uuid::Uuid::now_v7().to_string();
    if let Some(members) = resource.as_object_mut() {
        members.insert("id".to_owned(), id.clone().into());
    }
    Ok(written(kind, &id, resource, 1, "create", StatusCode::CREATED, now))
}

pub(crate) fn update(
    store: &FhirStore,
    kind: &str,
    id: &str,
    resource: Value,
    if_match: Option<&str>,
    now: &str,
) -> Result<(Option<NewWrite>, Done), ApiError> {
    if !is_id(id) {
        return Err(ApiError::bad_request(
            "invalid_id",
            "The id is not a FHIR id: up to 64 letters, digits, `-` and `.`.",
        ));
    }
    if resource.get("id").and_then(Value::as_str) != Some(id) {
        let message = "The resource's `id` is not the one in the address; both must be the same.";
        return Err(ApiError::bad_request("wrong_id", message));
    }
    let before = store.get(kind, id);
    expected(before, if_match)?;
    let version = before.map_or(0, |one| one.version) + 1;
    let is_there = before.is_some_and(|one| one.value.is_some());
    let status = if is_there { StatusCode::OK } else { StatusCode::CREATED };
    Ok(written(kind, id, resource, version, "update", status, now))
}

/// Deletes a resource; what is not there is deleted already.
pub(crate) fn delete(
    store: &FhirStore,
    kind: &str,
    id: &str,
    if_match: Option<&str>,
    now: &str,
) -> Result<(Option<NewWrite>, Done), ApiError> {
    let before = store.get(kind, id);
    expected(before, if_match)?;
    let name = format!("{kind}/{id}");
    let version = before.map_or(0, |one| one.version);
    let gone = |version| Done {
        status: StatusCode::NO_CONTENT,
        name: name.clone(),
        version,
        resource: None,
        last_updated: now.to_owned(),
    };
    match before {
        Some(one) if one.value.is_some() => {
            let write = NewWrite { part: "fhir", name: name.clone(), action: "delete", body: Vec::new() };
            Ok((Some(write), gone(version + 1)))
        }
        _ => Ok((None, gone(version))),
    }
}

/// Reads a resource.
///
/// # Errors
/// 404, and 410 for one that was deleted.
pub(crate) fn read(store: &FhirStore, kind: &str, id: &str) -> Result<Done, ApiError> {
    let one = store.get(kind, id).ok_or_else(|| ApiError::not_found("resource"))?;
    if one.value.is_none() {
        return Err(ApiError::new(StatusCode::GONE, "deleted", "The resource was deleted; its _history is there."));
    }
    Ok(of(one, StatusCode::OK))
}

fn of(one: &Versioned, status: StatusCode) -> Done {
    let resource = one.value.as_deref().cloned();
    let updated =
        resource.as_ref().and_then(|resource| resource.get("meta")?.get("lastUpdated")?.as_str().map(str::to_owned));
    let last_updated = updated.unwrap_or_default();
    Done { status, name: format!("{}/{}", one.kind, one.id), version: one.version, resource, last_updated }
}

fn written(
    kind: &str,
    id: &str,
    resource: Value,
    version: u64,
    action: &'static str,
    status: StatusCode,
    now: &str,
) -> (Option<NewWrite>, Done) {
    let resource = versioned(resource, version, Some(now));
    let name = format!("{kind}/{id}");
    let write = NewWrite { part: "fhir", name: name.clone(), action, body: resource.to_string().into_bytes() };
    (Some(write), Done { status, name, version, resource: Some(resource), last_updated: now.to_owned() })
}

/// `If-Match`: the version that the client knows.
fn expected(before: Option<&Versioned>, if_match: Option<&str>) -> Result<(), ApiError> {
    let Some(if_match) = if_match else { return Ok(()) };
    let asked = if_match.trim().trim_start_matches("W/").trim_matches('"');
    let found = before.map(|one| one.version.to_string());
    match found.as_deref() {
        Some(version) if version == asked => Ok(()),
        _ => {
            let message = "If-Match: the resource has another version now; read it again.";
            Err(ApiError::new(StatusCode::PRECONDITION_FAILED, "version_conflict", message))
        }
    }
}

pub(crate) fn several() -> ApiError {
    let message = "Several resources match the condition; nothing was changed.";
    ApiError::new(StatusCode::PRECONDITION_FAILED, "several_matches", message)
}
