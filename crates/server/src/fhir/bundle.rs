//! Batches and transactions.

use std::collections::HashMap;

use axum::http::StatusCode;
use candor_json::{Value, json};

use super::change::{self, Done};
use super::{outcome, search};
use crate::error::ApiError;
use crate::forms::pairs;
use crate::store::{NewWrite, Write};
use crate::world::State;
use crate::world::parts::rename;

/// The most entries of one Bundle.
const MOST: usize = 10_000;

struct Entry {
    method: String,
    /// The address within the base: type, id, query.
    kind: String,
    id: Option<String>,
    query: String,
    full_url: Option<String>,
    resource: Option<Value>,
    if_none_exist: Option<String>,
    if_match: Option<String>,
}

/// Runs a Bundle: of a batch each entry by itself, of a transaction all or none.
pub(crate) fn run(state: &State, bundle: &Value, base: &str, now: &str) -> Result<(Vec<NewWrite>, Value), ApiError> {
    let wrong = |message: &str| ApiError::bad_request("invalid_bundle", message);
    if bundle.get("resourceType").and_then(Value::as_str) != Some("Bundle") {
        return Err(wrong("The body is not a Bundle."));
    }
    let is_transaction = match bundle.get("type").and_then(Value::as_str) {
        Some("transaction") => true,
        Some("batch") => false,
        _ => return Err(wrong("The Bundle's `type` is neither `batch` nor `transaction`.")),
    };
    let given = match bundle.get("entry") {
        None => &Vec::new(),
        Some(Value::Array(entries)) if entries.len() <= MOST => entries,
        Some(Value::Array(_)) => return Err(wrong("The Bundle has more than 10000 entries.")),
        Some(_) => return Err(wrong("`entry` is not an array.")),
    };
    let entries: Vec<Result<Entry, ApiError>> = given.iter().map(|entry| read(entry, base)).collect();
    let kind = if is_transaction { "transaction-response" } else { "batch-response" };
    let (writes, answers) = if is_transaction {
        transaction(state, entries.into_iter().collect::<Result<_, _>>()?, base, now)?
    } else {
        batch(state, entries, base, now)
    };
    Ok((writes, json!({"resourceType": "Bundle", "type": kind, "entry": answers})))
}

fn read(entry: &Value, base: &str) -> Result<Entry, ApiError> {
    let wrong = |message: &str| ApiError::bad_request("invalid_bundle", message);
    let request = entry.get("request").ok_or_else(|| wrong("An entry has no `request`."))?;
    let text = |name: &str| request.get(name).and_then(Value::as_str).map(str::to_owned);
    let method = text("method").ok_or_else(|| wrong("A `request` has no `method`."))?;
    let url = text("url").ok_or_else(|| wrong("A `request` has no `url`."))?;
    let url = url.strip_prefix(base).unwrap_or(&url).trim_start_matches('/');
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut steps = path.split('/');
    let kind = change::kind(steps.next().unwrap_or_default())?.to_owned();
    let id = steps.next().filter(|id| !id.is_empty()).map(str::to_owned);
    if steps.next().is_some() {
        return Err(wrong("A `request.url` leads to more than `Type/id`."));
    }
    let full_url = entry.get("fullUrl").and_then(Value::as_str).map(str::to_owned);
    let resource = entry.get("resource").cloned();
    let (if_none_exist, if_match) = (text("ifNoneExist"), text("ifMatch"));
    Ok(Entry { method, kind, id, query: query.to_owned(), full_url, resource, if_none_exist, if_match })
}

/// The order in which a transaction is done (FHIR R4, 3.1.0.11.2).
const ORDER: [&str; 4] = ["DELETE", "POST", "PUT", "GET"];

fn transaction(
    state: &State,
    mut entries: Vec<Entry>,
    base: &str,
    now: &str,
) -> Result<(Vec<NewWrite>, Vec<Value>), ApiError> {
    let mut state = state.clone();
    let mut names = HashMap::new();
    let mut ids = Vec::new();
    // Ids are given first: entries may refer to one another in any order.
    for entry in &entries {
        let id = match entry.method.as_str() {
            "POST" => {
                let found = entry.if_none_exist.as_ref().map(|query| search::matching(&state.fhir, &entry.kind, query));
                let found = found.transpose()?.unwrap_or_default();
                let known = found.first().and_then(|&at| state.fhir.at(at)).map(|one| one.id.clone());
                known.unwrap_or_else(|| uuid::Uuid::now_v7().to_string())
            }
            _ => entry.id.clone().unwrap_or_default(),
        };
        if let Some(full_url) = entry.full_url.as_ref().filter(|url| url.starts_with("urn:")) {
            names.insert(full_url.clone(), format!("{}/{id}", entry.kind));
        }
        ids.push(id);
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| entries.get(at).and_then(|entry| ORDER.iter().position(|method| *method == entry.method)));
    let mut writes = Vec::new();
    let mut answers: Vec<Value> = entries.iter().map(|_| Value::Null).collect();
    for at in order {
        let Some(entry) = entries.get_mut(at) else { continue };
        if let Some(resource) = &mut entry.resource {
            rename(resource, &names);
        }
        let chosen = ids.get(at).filter(|_| entry.method == "POST");
        let (write, answer) = one(&state, entry, chosen, base, now)?;
        if let Some(write) = write {
            laid_over(&mut state, &write, now);
            writes.push(write);
        }
        if let Some(slot) = answers.get_mut(at) {
            *slot = answer;
        }
    }
    Ok((writes, answers))
}

fn batch(state: &State, entries: Vec<Result<Entry, ApiError>>, base: &str, now: &str) -> (Vec<NewWrite>, Vec<Value>) {
    let mut state = state.clone();
    let mut writes = Vec::new();
    let mut answers = Vec::new();
    for entry in entries {
        match entry.and_then(|entry| one(&state, &entry, None, base, now)) {
            Ok((write, answer)) => {
                if let Some(write) = write {
                    laid_over(&mut state, &write, now);
                    writes.push(write);
                }
                answers.push(answer);
            }
            Err(error) => {
                let status = error.status.as_u16().to_string();
                answers.push(json!({"response": {"status": status, "outcome": outcome::outcome(&error)}}));
            }
        }
    }
    (writes, answers)
}

fn laid_over(state: &mut State, write: &NewWrite, now: &str) {
    state.apply(&Write {
        seq: state.next,
        part: write.part.to_owned(),
        name: write.name.clone(),
        action: write.action.to_owned(),
        body: write.body.clone(),
        written_by: String::new(),
        written_at: now.to_owned(),
    });
}

/// Handles an entry. `id` is the id that a transaction chose for the resource it creates.
fn one(
    state: &State,
    entry: &Entry,
    id: Option<&String>,
    base: &str,
    now: &str,
) -> Result<(Option<NewWrite>, Value), ApiError> {
    let wrong = |message: &str| ApiError::bad_request("invalid_bundle", message);
    let store = &state.fhir;
    let resource = || {
        let resource = entry.resource.clone().ok_or_else(|| wrong("An entry has no `resource`."))?;
        change::resource_of(&entry.kind, resource)
    };
    if entry.method != "GET" {
        change::unconditional(&pairs(entry.query.as_bytes()))?;
    }
    let if_match = entry.if_match.as_deref();
    let (write, done) = match (entry.method.as_str(), &entry.id) {
        ("POST", None) => {
            let known = id.and_then(|id| store.get(&entry.kind, id)).is_some();
            match id {
                // The conditional create found one, or the id is fresh.
                Some(id) if !known => {
                    let mut resource = resource()?;
                    if let Some(members) = resource.as_object_mut() {
                        members.insert("id".to_owned(), id.clone().into());
                    }
                    let (write, done) = change::update(store, &entry.kind, id, resource, None, now)?;
                    (write.map(|write| NewWrite { action: "create", ..write }), done)
                }
                _ => change::create(store, &entry.kind, resource()?, entry.if_none_exist.as_deref(), now)?,
            }
        }
        ("PUT", Some(id)) => change::update(store, &entry.kind, id, resource()?, if_match, now)?,
        ("DELETE", Some(id)) => change::delete(store, &entry.kind, id, if_match, now)?,
        ("GET", Some(id)) => (None, change::read(store, &entry.kind, id)?),
        ("GET", None) => {
            let found = search::answer(store, &entry.kind, &pairs(entry.query.as_bytes()), base)?;
            return Ok((None, json!({"resource": found, "response": {"status": "200"}})));
        }
        _ => {
            return Err(wrong("A `request` is not POST Type, PUT Type/id, DELETE Type/id, GET Type/id or GET Type?…."));
        }
    };
    Ok((write, answered(&done, base)))
}

fn answered(done: &Done, base: &str) -> Value {
    let mut response = json!({"status": done.status.as_u16().to_string(), "etag": done.etag()});
    if let Some(members) = response.as_object_mut() {
        if done.status != StatusCode::NO_CONTENT {
            members.insert("location".to_owned(), done.location(base).into());
        }
        if !done.last_updated.is_empty() {
            members.insert("lastModified".to_owned(), done.last_updated.clone().into());
        }
    }
    match &done.resource {
        Some(resource) => {
            json!({"fullUrl": format!("{base}/{}", done.name), "resource": resource, "response": response})
        }
        None => json!({"response": response}),
    }
}
