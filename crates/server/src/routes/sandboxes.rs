//! The endpoints of a sandbox that the service keeps, FHIR aside.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor_json::{Value, json};

use super::list::Page;
use crate::app::App;
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::ids::now;
use crate::mllp::{acknowledged, unframed};
use crate::store::{NewWrite, TaskRun};
use crate::token;
use crate::viewer::Viewer;
use crate::world::parts::{in_the_way, is_table, plain};

fn kept(call: &Call) -> Result<&TaskRun, ApiError> {
    let task_run = call.task_run()?;
    match task_run.outside {
        None => Ok(task_run),
        Some(_) => Err(ApiError::conflict("sandbox_outside", "The sandbox is kept elsewhere; act on it there.")),
    }
}

fn empty() -> ApiError {
    ApiError::unprocessable("empty_body", "The body is empty.")
}

pub(crate) async fn hl7(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    // MLLP frames a message with these bytes, which are empty without it.
    if call.body.iter().all(|byte| matches!(byte, 0x0B | 0x1C) || byte.is_ascii_whitespace()) {
        return Err(empty());
    }
    let body = call.body.to_vec();
    let seq = app
        .write(task_run, &call.viewer.name(), |state, _| {
            let name = format!("posted-{:08}.hl7", state.next);
            Ok((vec![NewWrite { part: "hl7", name, action: "append", body }], state.next))
        })
        .await?;
    let hl7 = HeaderValue::from_static("application/hl7-v2");
    let answer = unframed(&acknowledged(&call.body, Ok(()), seq).bytes);
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, hl7)], answer).into_response())
}

pub(crate) async fn x12(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let body = call.body.trim_ascii_start().to_vec();
    if !body.starts_with(b"ISA") {
        let message = "The body does not begin with an ISA segment; send X12 interchanges.";
        return Err(ApiError::unprocessable("not_x12", message));
    }
    let name = app
        .write(task_run, &call.viewer.name(), |state, _| {
            let name = format!("posted-{:08}.x12", state.next);
            Ok((vec![NewWrite { part: "x12", name: name.clone(), action: "append", body }], name))
        })
        .await?;
    Ok(respond(StatusCode::CREATED, &json!({"stored": format!("x12/{name}"), "written_by": call.viewer.name()})))
}

pub(crate) async fn put_file(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let path = plain(call.param("path")).ok_or_else(|| {
        ApiError::unprocessable("invalid_path", "The path is not that of a file: steps are not empty, `.` or `..`.")
    })?;
    let digest = token::digest(&call.body);
    let size = call.body.len();
    let body = call.body.to_vec();
    let write_path = path.clone();
    let is_new = app
        .write(task_run, &call.viewer.name(), |state, _| {
            if in_the_way(&state.files, &write_path).is_some() {
                let message = "The path is that of a file and of a folder; choose another one.";
                return Err(ApiError::conflict("path_in_use", message));
            }
            let is_new = !state.files.contains_key(&write_path);
            let action = if is_new { "create" } else { "update" };
            Ok((vec![NewWrite { part: "files", name: write_path, action, body }], is_new))
        })
        .await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(respond(status, &json!({"path": path, "size": size, "sha256": digest, "written_by": call.viewer.name()})))
}

pub(crate) async fn get_file(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let guard = app.state(kept(&call)?).await?;
    let state = guard.as_ref().ok_or_else(ApiError::internal)?;
    let bytes = state.files.get(call.param("path")).ok_or_else(|| ApiError::not_found("file"))?;
    let kind = HeaderValue::from_static("application/octet-stream");
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, kind)], bytes.to_vec()).into_response())
}

/// The objects of a body: one, or an array of them.
fn objects(body: Value) -> Result<Vec<Value>, ApiError> {
    let all = match body {
        Value::Array(all) => all,
        one => vec![one],
    };
    match all.iter().position(|one| !one.is_object()) {
        None if all.is_empty() => Err(empty()),
        None if all.len() > 10_000 => {
            Err(ApiError::unprocessable("too_many", "More than 10000 objects; send them in several requests."))
        }
        None => Ok(all),
        Some(at) => Err(ApiError::unprocessable("not_an_object", format!("[{at}]: expected an object."))),
    }
}

fn lines(values: &[Value]) -> Vec<u8> {
    values.iter().flat_map(|value| format!("{value}\n").into_bytes()).collect()
}

pub(crate) async fn voice(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let mut turns = objects(call.json()?)?;
    for (at, turn) in turns.iter_mut().enumerate() {
        let Some(members) = turn.as_object_mut() else { continue };
        // The form of chat models is that of a turn under other names.
        for (other, name) in [("role", "speaker"), ("content", "text")] {
            if !members.contains_key(name) && members.get(other).is_some_and(Value::is_string) {
                let value = members.shift_remove(other).unwrap_or_default();
                members.insert(name.to_owned(), value);
            }
        }
        for name in ["speaker", "text"] {
            if !members.get(name).is_some_and(Value::is_string) {
                let message = format!(
                    "[{at}].{name}: a turn has a text here, as in {{\"speaker\": \"agent\", \"text\": \"Hello\"}}."
                );
                return Err(ApiError::unprocessable("invalid_turn", message));
            }
        }
    }
    let events: Vec<Value> =
        turns.into_iter().map(|turn| json!({"type": "voice_turn", "at": now(), "payload": turn})).collect();
    appended(&app, &call, task_run, events).await
}

pub(crate) async fn events(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    const KINDS: [&str; 3] = ["hl7_outbound", "x12_response", "voice_turn"];
    let task_run = kept(&call)?;
    let mut events = objects(call.json()?)?;
    for (at, event) in events.iter_mut().enumerate() {
        let wrong = |member: &str, expected: &str| {
            ApiError::unprocessable("invalid_event", format!("[{at}].{member}: expected {expected}."))
        };
        let Some(members) = event.as_object_mut() else { continue };
        if let Some(unknown) = members.keys().find(|name| !["type", "at", "payload"].contains(&name.as_str())) {
            return Err(wrong(unknown, "one of type, at, payload"));
        }
        let kind = members.get("type").and_then(Value::as_str).filter(|kind| KINDS.contains(kind));
        let kind = kind.ok_or_else(|| wrong("type", &format!("one of {}", KINDS.join(", "))))?;
        let fits = match (kind, members.get("payload")) {
            ("voice_turn", Some(Value::Object(_))) => true,
            ("voice_turn", _) => return Err(wrong("payload", "a turn, as an object")),
            (_, Some(Value::String(text))) => !text.is_empty(),
            _ => false,
        };
        if !fits {
            return Err(wrong("payload", "a text that is not empty"));
        }
        match members.get("at") {
            None => drop(members.insert("at".to_owned(), json!(now()))),
            Some(Value::String(at)) if at.parse::<jiff::Timestamp>().is_ok() => {}
            Some(_) => return Err(wrong("at", "a time such as 2026-11-25T10:00:00.000Z")),
        }
    }
    appended(&app, &call, task_run, events).await
}

async fn appended(app: &App, call: &Call, task_run: &TaskRun, events: Vec<Value>) -> Result<Response, ApiError> {
    let (number, body) = (events.len(), lines(&events));
    app.write(task_run, &call.viewer.name(), |_, _| {
        Ok((vec![NewWrite { part: "events", name: "events.ndjson".to_owned(), action: "append", body }], ()))
    })
    .await?;
    Ok(respond(StatusCode::CREATED, &json!({"stored": number, "written_by": call.viewer.name()})))
}

/// The table in the path. An agent reaches those that its task names and no others.
fn table<'c>(call: &'c Call, task_run: &TaskRun) -> Result<&'c str, ApiError> {
    let table = call.param("table");
    if !is_table(table) {
        return Err(ApiError::unprocessable("invalid_table", "The path does not end in the name of a table."));
    }
    let is_open = !matches!(call.viewer, Viewer::Agent(_)) || crate::app::agent_tables(&task_run.task).contains(table);
    if is_open {
        Ok(table)
    } else {
        Err(ApiError::forbidden("An agent's token does not open this table (agent_writes of the task)."))
    }
}

pub(crate) async fn get_rows(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let (table, page) = (table(&call, task_run)?, Page::of(&call)?);
    let guard = app.state(task_run).await?;
    let state = guard.as_ref().ok_or_else(ApiError::internal)?;
    let rows = state.tables.get(table).ok_or_else(|| ApiError::not_found("table"))?;
    let at = match page.at.as_str() {
        "" => None,
        at => Some(at.parse::<usize>().map_err(|_| {
            ApiError::bad_request("invalid_cursor", "`cursor`: expected one out of `_meta` of this list.")
        })?),
    };
    let numbered = rows.iter().enumerate().map(|(number, row)| (number.to_string(), row.clone()));
    let items: Vec<(String, Value)> = match (page.forward, at) {
        (true, at) => numbered.skip(at.map_or(0, |at| at.saturating_add(1))).take(page.limit + 1).collect(),
        (false, at) => {
            let end = at.unwrap_or(0).min(rows.len());
            let begin = end.saturating_sub(page.limit + 1);
            let mut items: Vec<_> = numbered.skip(begin).take(end - begin).collect();
            items.reverse();
            items
        }
    };
    Ok(respond(StatusCode::OK, &page.answer(items)))
}

pub(crate) async fn add_rows(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let table = table(&call, task_run)?.to_owned();
    let rows = objects(call.json()?)?;
    let (number, body) = (rows.len(), lines(&rows));
    app.write(task_run, &call.viewer.name(), |_, _| {
        Ok((vec![NewWrite { part: "portal", name: table, action: "append", body }], ()))
    })
    .await?;
    Ok(respond(StatusCode::CREATED, &json!({"stored": number, "written_by": call.viewer.name()})))
}
