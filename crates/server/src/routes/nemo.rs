//! The verbs of NeMo Gym's resource servers: a rollout is a run of one task, or brings the sandbox that is graded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use candor_json::{Map, Value, json};
use candor_report::model::{NoReward, TaskRun as ReportedRun};

use super::definitions::{invalid_task, object};
use super::grade::graded;
use super::runs::{begun, kept};
use crate::app::{App, read_task};
use crate::call::Call;
use crate::error::{ApiError, respond};
use crate::grading;
use crate::ids::{after, new_id, now};
use crate::outside::described;
use crate::store::{DefinitionKind, NewTaskRun, Run, TaskRun};
use crate::token::{self, Kind};
use crate::viewer::{Viewer, cookie, identify};

/// The cookie that says which session a rollout has: the token of its run.
const COOKIE: &str = "candor_nemo";
/// How long `verify` waits; callers have limits of their own.
const WAIT: Duration = Duration::from_secs(24 * 3600);
/// The member by which a row names its task.
const TASK_INDEX: &str = "_ng_task_index";
/// Members of a row whose rollout or verification failed before.
const OF_A_FAILURE: [&str; 3] = ["_ng_failure_class", "failure_kind", "failure_reason"];

/// The member `candor` of a body.
struct Asked {
    /// The task, without its sandbox.
    task: Value,
    /// The sandbox in `candor`.
    sandbox: Option<Value>,
    /// The task's own sandbox.
    world: Option<Value>,
    baseline: Option<Value>,
}

async fn asked(app: &App, call: &Call, body: &Value) -> Result<Asked, ApiError> {
    let wrong = |message: String| ApiError::unprocessable("invalid_request", message);
    let members =
        body.get("candor").ok_or_else(|| wrong("candor: expected an object with `task` or `task_id`.".to_owned()))?;
    let members = object(members, "candor", &["task", "task_id", "sandbox", "baseline"]);
    let members = members.map_err(|(place, message)| wrong(format!("{place}: {message}.")))?;
    let mut task = match (members.get("task"), members.get("task_id")) {
        (Some(task), None) => task.clone(),
        (None, Some(Value::String(id))) => {
            let document = app.store.definition(DefinitionKind::Task, id).await?;
            let document = document.ok_or_else(|| ApiError::not_found("task"))?;
            candor_json::from_str(&document).map_err(|_| ApiError::internal())?
        }
        _ => return Err(wrong("candor: expected either `task` or `task_id`.".to_owned())),
    };
    let read = read_task(task.clone()).map_err(|errors| invalid_task(&errors))?;
    let world = task.as_object_mut().and_then(|members| members.shift_remove("sandbox"));
    let given = |name: &str| members.get(name).filter(|value| !value.is_null()).cloned();
    let (sandbox, baseline) = (given("sandbox"), given("baseline"));
    if call.has_no_key() {
        // An operator stored the task of a `task_id`, and its sandbox.
        let brings_task = members.contains_key("task");
        let own = world.as_ref().filter(|_| brings_task);
        if [sandbox.as_ref(), baseline.as_ref(), own].into_iter().flatten().any(|one| described(one).is_some()) {
            let message =
                "candor: a sandbox that is given by its path, its URL or a `toml` needs a key; give its parts.";
            return Err(ApiError::forbidden(message));
        }
        if brings_task && app.engine.plan(Arc::new(read)).reads("workspace") {
            let message = "candor.task: a criterion that reads a workspace, runs a command or asks a URL needs a key.";
            return Err(ApiError::forbidden(message));
        }
    }
    Ok(Asked { task, sandbox, world, baseline })
}

/// Who grades, and by which rubric.
fn grader(task: &str) -> Value {
    json!({"grader": concat!("candor ", env!("CARGO_PKG_VERSION")), "rubric": format!("sha256:{}", token::digest(task))})
}

fn candor(task: &str, more: Value) -> Value {
    let mut all = grader(task);
    if let (Some(members), Value::Object(more)) = (all.as_object_mut(), more) {
        members.extend(more);
    }
    all
}

/// Begins a session: the endpoints of a sandbox, and the token of the agent. A body with a baseline brings a finished state, which
/// needs none.
pub(crate) async fn seed_session(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let asked = asked(&app, &call, &call.json_to_grade()?).await?;
    let task = asked.task.to_string();
    if asked.baseline.is_some() {
        return Ok(respond(StatusCode::OK, &json!({"candor": candor(&task, json!({"session": null}))})));
    }
    let id = new_id("br");
    let (bearer, token_digest) =
        token::mint(Kind::Run, id.trim_start_matches("br_")).map_err(|_| ApiError::internal())?;
    let (world, outside, content) = kept(&app, asked.sandbox.or(asked.world).as_ref().unwrap_or(&json!({})))?;
    let task_id = asked.task.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let task_run = NewTaskRun { id: new_id("tr"), task_id: task_id.clone(), task: task.clone(), world, outside };
    let run = Run {
        id,
        benchmark_id: task_id,
        benchmark_name: None,
        scored: true,
        agent_id: None,
        phase: "created".to_owned(),
        token_digest,
        token_expires_at: after(app.options.run_token_ttl),
        created_at: now(),
        completed_at: None,
        result: None,
    };
    app.store.add_run(&run, std::slice::from_ref(&task_run), content.as_slice()).await?;
    let made = app.store.task_run(&task_run.id).await?.ok_or_else(ApiError::internal)?;
    let mut started = begun(&app, &made, &bearer).await?;
    if let Some(members) = started.as_object_mut() {
        members.insert("session".to_owned(), json!(task_run.id));
    }
    let mut response = respond(StatusCode::OK, &json!({"candor": candor(&task, started)}));
    // NeMo Gym's agents hand it on by way of a route of their own, which another path than / would keep it from.
    let cookie = format!("{COOKIE}={bearer}; Path=/; HttpOnly; SameSite=Strict");
    let cookie = HeaderValue::from_str(&cookie).map_err(|_| ApiError::internal())?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// The task run of a session that the request's cookie names.
async fn session(app: &App, headers: &HeaderMap) -> Result<Option<TaskRun>, ApiError> {
    let Some(token) = cookie(headers, COOKIE) else { return Ok(None) };
    let Viewer::Run(run) = identify(&app.store, Some(&token)).await? else {
        return Err(ApiError::unauthorized("The session's cookie is not valid; call /nemo/seed_session."));
    };
    let task_run = app.store.task_runs(&run).await?.into_iter().next();
    task_run.map(Some).ok_or_else(|| ApiError::not_found("session"))
}

/// A member of `candor` of a body.
fn given<'b>(body: &'b Value, name: &str) -> Option<&'b Value> {
    body.get("candor")?.get(name).filter(|value| !value.is_null())
}

/// If a row names another task or sandbox than its session has. A task that was stored anew has its id still.
fn is_other(body: &Value, session: &TaskRun) -> bool {
    let mut task = given(body, "task").cloned();
    let own = task.as_mut().and_then(Value::as_object_mut).and_then(|members| members.shift_remove("sandbox"));
    let is_task = match (task, given(body, "task_id")) {
        (Some(task), _) => candor_json::from_str::<Value>(&session.task).is_ok_and(|known| known == task),
        (None, Some(id)) => id.as_str() == Some(session.task_id.as_str()),
        (None, None) => true,
    };
    let is_world = match (given(body, "sandbox").or(own.as_ref()), &session.world, &session.outside) {
        (Some(world), Some(digest), _) => token::digest(world.to_string()) == *digest,
        (Some(world), None, Some(outside)) => described(world).map(|known| known.to_string()).as_ref() == Some(outside),
        _ => true,
    };
    !(is_task && is_world)
}

/// Grades what the session holds, or else the sandbox of the body. A body with a baseline brings a finished state: a cookie that
/// comes with it is of another row.
pub(crate) async fn verify(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let body = call.json_to_grade()?;
    let session = match given(&body, "baseline") {
        Some(_) => None,
        None => session(&app, &call.headers).await?,
    };
    let (record, task) = match session {
        Some(task_run) if is_other(&body, &task_run) => {
            let message = "The cookie's session has another task or sandbox; seed one for this row, or leave it out.";
            return Err(ApiError::conflict("other_session", message));
        }
        Some(task_run) => {
            grading::begin(&app, &task_run.id).await?;
            let done = grading::wait(&app, &task_run.id, WAIT).await?.ok_or_else(ApiError::internal)?;
            (grading::record(&app, &done).await?.ok_or_else(ApiError::internal)?, task_run.task)
        }
        None => {
            let Asked { task, sandbox, baseline, .. } = asked(&app, &call, &body).await?;
            let sandbox = sandbox.ok_or_else(|| {
                let message = "candor.sandbox: expected a sandbox, or the cookie of a session from /nemo/seed_session.";
                ApiError::unprocessable("no_session", message)
            })?;
            let rubric = task.to_string();
            let mut request = Map::from_iter([("task".to_owned(), task), ("sandbox".to_owned(), sandbox)]);
            request.extend(baseline.map(|baseline| ("baseline".to_owned(), baseline)));
            (graded(&app, &Value::Object(request)).await?, rubric)
        }
    };
    Ok(respond(StatusCode::OK, &rewarded(body, &record, &task)))
}

/// The body again, with the reward. A result whose verdict or score is open, and one of a wrong rubric, has a failure class in its
/// place.
fn rewarded(body: Value, record: &Value, task: &str) -> Value {
    let mut answer = if let Value::Object(members) = body { members } else { Map::new() };
    for stale in OF_A_FAILURE {
        answer.shift_remove(stale);
    }
    let failure = match ReportedRun::of(record).map(|run| run.no_reward()) {
        Ok(None) => None,
        Ok(Some(NoReward::WrongTask)) => Some("candor_invalid_rubric"),
        Ok(Some(NoReward::Inconclusive)) | Err(_) => Some("candor_inconclusive"),
    };
    let number = |of: &Value| of.get("score").filter(|_| failure.is_none()).cloned().unwrap_or_default();
    let axes = record.get("axes").and_then(Value::as_object).into_iter().flatten();
    let components: Map<String, Value> = axes.map(|(name, axis)| (name.clone(), number(axis))).collect();
    let shown = ["task_run_id", "verdict", "reason", "score", "interval", "coverage", "conclusive", "axes"];
    let shown = shown.iter().filter_map(|name| Some(((*name).to_owned(), record.get(*name)?.clone())));
    answer.insert("reward".to_owned(), number(record));
    answer.insert("reward_components".to_owned(), Value::Object(components));
    answer.insert("candor".to_owned(), candor(task, Value::Object(shown.collect())));
    answer.insert("mask_sample".to_owned(), json!(failure.is_some()));
    if let Some(class) = failure {
        answer.insert("_ng_failure_class".to_owned(), json!(class));
    }
    Value::Object(answer)
}

/// Ends a session: nothing is written to its sandbox any more, and what it holds is graded for the record.
pub(crate) async fn close(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    if !call.json()?.is_object() {
        return Err(ApiError::unprocessable("invalid_request", "The body is not a JSON object."));
    }
    if let Some(task_run) = session(&app, &call.headers).await? {
        grading::begin(&app, &task_run.id).await?;
    }
    Ok(respond(StatusCode::OK, &json!({})))
}

/// The mean, extremes, median and spread of each number of the rows: by task, and over all. Rows without a reward are counted.
pub(crate) async fn aggregate_metrics(_: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let body = call.json()?;
    let rows = body.get("verify_responses").and_then(Value::as_array).ok_or_else(|| {
        ApiError::unprocessable("invalid_request", "verify_responses: expected a list of answers of /nemo/verify.")
    })?;
    let is_masked = |row: &&Value| row.get("reward").and_then(Value::as_f64).is_none();
    let masked = rows.iter().filter(is_masked).count();
    let mut by_task: BTreeMap<i64, Vec<&Value>> = BTreeMap::new();
    let graded: Vec<&Value> = rows.iter().filter(|row| !is_masked(row)).collect();
    for row in &graded {
        by_task.entry(row.get(TASK_INDEX).and_then(Value::as_i64).unwrap_or(0)).or_default().push(*row);
    }
    let of_task = |(index, rows): (i64, Vec<&Value>)| {
        let mut metrics = metrics(&rows);
        metrics.insert(TASK_INDEX.to_owned(), json!(index));
        metrics.insert("num_rollouts".to_owned(), json!(rows.len()));
        Value::Object(metrics)
    };
    let groups: Vec<Value> = by_task.into_iter().map(of_task).collect();
    let mut overall = metrics(&graded);
    overall.insert("masked".to_owned(), json!(masked));
    let key: Map<String, Value> = ["mean/reward", "masked"]
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), overall.get(*name)?.clone())))
        .collect();
    let answer = json!({"group_level_metrics": groups, "agent_metrics": overall, "key_metrics": key});
    Ok(respond(StatusCode::OK, &answer))
}

/// The members of a row. What its response used is laid over them.
fn members(row: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let usage = row.pointer("/response/usage").and_then(Value::as_object);
    let is_own = move |name: &str| usage.is_none_or(|usage| !usage.contains_key(name));
    let own = row.as_object().into_iter().flatten().filter(move |(name, _)| is_own(name));
    own.chain(usage.into_iter().flatten())
}

fn metrics(rows: &[&Value]) -> Map<String, Value> {
    let mut columns: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in rows.iter().flat_map(|row| members(row)) {
        let number = value.as_f64().or_else(|| value.as_bool().map(f64::from));
        if let Some(number) = number.filter(|_| !name.starts_with("_ng_")) {
            columns.entry(name).or_default().push(number);
        }
    }
    let mut all = Map::new();
    for (name, mut values) in columns {
        values.sort_by(f64::total_cmp);
        let count = values.len();
        let sum = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>();
        let size = count as f64;
        let mean = sum(&mut values.iter().copied()) / size;
        let squares = sum(&mut values.iter().map(|value| (value - mean).powi(2)));
        let at = |index: usize| values.get(index).copied().unwrap_or_default();
        let median = f64::midpoint(at((count - 1) / 2), at(count / 2));
        let mut measures = vec![("mean", mean), ("max", at(count - 1)), ("min", at(0)), ("median", median)];
        // As NeMo Gym has it: the spread of a single row is 0, and that of a single number of several rows is unknown.
        if count > 1 {
            measures.push(("std", (squares / (size - 1.0)).sqrt()));
        } else if rows.len() == 1 {
            measures.push(("std", 0.0));
        }
        for (what, value) in measures {
            all.insert(format!("{what}/{name}"), json!(value));
        }
    }
    all
}

/// Says if an answer can be graded again from its request alone. Of a task that brings its world, a session must do the work. A
/// workspace with its commands and endpoints comes with no request.
pub(crate) async fn reverify_mode(app: Arc<App>, call: Call) -> Result<Response, ApiError> {
    let Some(id) = call.query("task_id") else { return Ok(respond(StatusCode::OK, &json!("unknown"))) };
    let document = app.store.definition(DefinitionKind::Task, id).await?.ok_or_else(|| ApiError::not_found("task"))?;
    let task: Value = candor_json::from_str(&document).map_err(|_| ApiError::internal())?;
    let brings_world = task.get("sandbox").is_some();
    let plan = app.engine.plan(Arc::new(read_task(task).map_err(|_| ApiError::internal())?));
    let mode = if brings_world || plan.reads("workspace") { "unsupported" } else { "stateless" };
    Ok(respond(StatusCode::OK, &json!(mode)))
}
