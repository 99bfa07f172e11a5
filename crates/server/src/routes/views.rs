//! An operator's views of the sandbox of a task run: the changes in it, the audit of the rubric on it, its files.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use candor::check::Sandbox;
use candor_audit::{Options, audit as audited};
use candor_json::Value;

use crate::app::{App, agent_tables, read_task};
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::pages;
use crate::store::TaskRun;
use crate::tar;
use crate::world::{laid_out, materialised};

/// The task run, if the service has its sandbox.
fn kept(call: &Call) -> Result<&TaskRun, ApiError> {
    let task_run = call.task_run()?;
    match (&task_run.outside, &task_run.world) {
        (None, Some(_)) => Ok(task_run),
        (Some(_), _) => Err(ApiError::conflict("sandbox_outside", "The sandbox is kept elsewhere; look at it there.")),
        (None, None) => Err(ApiError::conflict("sandbox_deleted", "The sandbox was deleted (--keep).")),
    }
}

async fn sandbox(app: &App, task_run: &TaskRun) -> Result<Sandbox, ApiError> {
    let parts = app.world(task_run).await?;
    let writes = app.store.writes(&task_run.id, 1).await?;
    let found_at = task_run.started_at.clone().unwrap_or_default();
    let (tables, of) = (agent_tables(&task_run.task), app.parts.clone());
    let made = tokio::task::spawn_blocking(move || materialised(&parts, &tables, &writes, &found_at, &of));
    match made.await.map_err(|_| ApiError::internal())? {
        Ok((sandbox, _)) => Ok(sandbox.with_work(app.engine.work().clone())),
        Err(error) => {
            tracing::error!(task_run = %task_run.id, "a sandbox could not be opened: {error}");
            Err(ApiError::internal())
        }
    }
}

pub(crate) async fn difference(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let after = sandbox(&app, task_run).await?;
    let before = after.baseline().cloned().ok_or_else(ApiError::internal)?;
    let _permit = app.gradings.acquire().await.map_err(|_| ApiError::internal())?;
    let diff = candor_state::diff(&before, &after, None).await.map_err(|error| {
        tracing::error!(task_run = %task_run.id, "two states could not be compared: {error}");
        ApiError::internal()
    })?;
    let value = diff.to_value();
    match call.wants_page {
        true => pages::about(&app, &call, (call.run()?, task_run), "difference", value),
        false => Ok(respond(StatusCode::OK, &value)),
    }
}

pub(crate) async fn audit(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    const MOST: usize = 500;
    let task_run = kept(&call)?;
    if task_run.result.is_none() {
        return Err(ApiError::conflict("not_completed", "The task run has no result yet; complete it first."));
    }
    let number = |name: &str, usual: u64, most: u64| match call.query(name) {
        None => Ok(usual),
        Some(text) => text.parse().ok().filter(|number| *number <= most).ok_or_else(|| {
            ApiError::bad_request("invalid_number", format!("`{name}`: expected a whole number up to {most}."))
        }),
    };
    let mutants = usize::try_from(number("mutants", 100, MOST as u64)?).unwrap_or(MOST);
    let options = Options { mutants, seed: number("seed", 1, u64::MAX)?, ..Options::default() };
    let task: Value = candor_json::from_str(&task_run.task).map_err(|_| ApiError::internal())?;
    let task = read_task(task).map_err(|_| ApiError::internal())?;
    let passing = sandbox(&app, task_run).await?;
    let _permit = app.gradings.acquire().await.map_err(|_| ApiError::internal())?;
    let report = audited(&app.engine, &task, &passing, candor_checks::OPERATORS, &options).await;
    let report = report.map_err(|error| ApiError::conflict("not_audited", format!("{error}.")))?;
    let value = report.to_value();
    match call.wants_page {
        true => pages::about(&app, &call, (call.run()?, task_run), "audit", value),
        false => Ok(respond(StatusCode::OK, &value)),
    }
}

/// The task, the sandbox and its baseline as files that `candor check` reads.
pub(crate) async fn files(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let task_run = kept(&call)?;
    let parts = app.world(task_run).await?;
    let writes = app.store.writes(&task_run.id, 1).await?;
    let found_at = task_run.started_at.clone().unwrap_or_default();
    let (tables, task) = (agent_tables(&task_run.task), task_run.task.clone());
    let made = tokio::task::spawn_blocking(move || {
        let mut archive = tar::Archive::default();
        archive.file("task.json", task.as_bytes());
        for (folder, writes) in [("sandbox", writes.as_slice()), ("baseline", &[])] {
            archive.folder(folder);
            for part in crate::world::parts::NAMES {
                archive.folder(&format!("{folder}/{part}"));
            }
            for (path, bytes) in laid_out(&parts, &tables, writes, &found_at).files() {
                archive.file(&format!("{folder}/{path}"), &bytes);
            }
        }
        archive.finish()
    });
    let bytes = made.await.map_err(|_| ApiError::internal())?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-tar")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"sandbox.tar\"")),
    ];
    Ok((StatusCode::OK, headers, bytes).into_response())
}
