//! Pages of benchmark runs: the list, one run, two runs compared, a run that is shared.

use axum::http::StatusCode;
use axum::response::Response;
use candor_json::Value;
use candor_report::comparison::Comparison;
use candor_report::model::{BenchmarkRun, TaskRun as Result};
use candor_report::page::site::{self, Manage, Pending, RunRow, Site};
use candor_report::page::{self, Context, Filter, ResultAlone, Shape, benchmark_run as rendered, unfinished};
use candor_scoring::Verdict;

use super::links::{Addresses, with};
use super::{load, site};
use crate::app::App;
use crate::call::Call;
use crate::error::ApiError;
use crate::html;
use crate::store::{Run, TaskRun};

/// The most runs that one can be compared with.
const MOST_OTHERS: i64 = 50;

/// The list of benchmark runs: `newer` and `older` are cursors of its neighbours.
pub(crate) fn run_list(app: &App, call: &Call, runs: &[Run], newer: Option<&str>, older: Option<&str>) -> Response {
    let row = |run: &Run| {
        let result: Value = run.result.as_deref().and_then(|text| candor_json::from_str(text).ok()).unwrap_or_default();
        let verdict = match result.get("verdict").and_then(Value::as_str) {
            Some("pass") => Some(Verdict::Pass),
            Some("partial") => Some(Verdict::Partial),
            Some("fail") => Some(Verdict::Fail),
            _ => None,
        };
        let conclusive = result.get("conclusive").and_then(Value::as_bool).unwrap_or_default();
        let score = result.get("score").and_then(Value::as_f64).unwrap_or_default();
        RunRow {
            id: run.id.clone(),
            benchmark: title(run),
            agent: run.agent_id.clone(),
            scored: run.scored,
            phase: run.phase.clone(),
            created_at: run.created_at.clone(),
            result: verdict.map(|verdict| (verdict, conclusive, score)),
        }
    };
    let rows: Vec<RunRow> = runs.iter().map(row).collect();
    let limit: Vec<(String, String)> = call.query.iter().filter(|(name, _)| name == "limit").cloned().collect();
    let address = |cursor: &str| {
        let cursor = [("cursor".to_owned(), cursor.to_owned())];
        with(&with(&format!("{}/benchmark-runs", app.base), &limit), &cursor)
    };
    let (newer, older) = (newer.map(address), older.map(address));
    html::page(StatusCode::OK, site::runs(&site(app, call), &rows, newer.as_deref(), older.as_deref()))
}

fn title(run: &Run) -> String {
    run.benchmark_name.clone().unwrap_or_else(|| run.benchmark_id.clone())
}

fn filter(call: &Call) -> (Filter, Vec<(String, String)>) {
    let given = |name: &str| call.query(name).filter(|value| !value.is_empty()).map(str::to_owned);
    let filter = Filter {
        verdict: given("verdict"),
        axis: given("axis"),
        reason: given("reason"),
        text: given("text"),
        page: call.query("page").and_then(|page| page.parse().ok()).unwrap_or(1),
    };
    let names = ["verdict", "axis", "reason", "text"];
    let kept = names.iter().filter_map(|name| Some(((*name).to_owned(), given(name)?))).collect();
    (filter, kept)
}

pub(super) fn trail(app: &App, run: Option<&Run>) -> Vec<(String, String)> {
    let all = ("runs".to_owned(), format!("{}/benchmark-runs", app.base));
    let run = run.map(|run| (title(run), format!("{}/benchmark-runs/{}", app.base, run.id)));
    [Some(all), run].into_iter().flatten().collect()
}

pub(crate) async fn benchmark_run(app: &App, call: &Call, run: &Run) -> std::result::Result<Response, ApiError> {
    let others = app.store.earlier_runs(run, MOST_OTHERS).await?;
    let other = |other: Run| {
        let by = other.agent_id.map(|agent| format!(", {agent}")).unwrap_or_default();
        (other.id, format!("{}{by} ({})", other.created_at, other.phase))
    };
    let address = format!("{}/benchmark-runs/{}", app.base, run.id);
    let mut notices = Vec::new();
    if run.scored {
        notices.push(
            "The rubric of this run is hidden from its agent and its harness, and from share links. You see it because \
             you are an operator."
                .to_owned(),
        );
    }
    let site = Site {
        trail: trail(app, None),
        views: vec![
            ("As JSON".to_owned(), format!("{address}?format=json")),
            ("Criterion runs as lines of JSON".to_owned(), format!("{address}?format=ndjson")),
        ],
        notices,
        manage: Some(Manage { id: run.id.clone(), others: others.into_iter().map(other).collect() }),
        ..site(app, call)
    };
    whole(app, call, run, site, None).await
}

async fn whole(
    app: &App,
    call: &Call,
    run: &Run,
    site: Site,
    share: Option<String>,
) -> std::result::Result<Response, ApiError> {
    let (filter, kept) = filter(call);
    let mut loaded = load::benchmark_run(app, &call.viewer, run).await?;
    let links = Addresses { base: app.base.clone(), kept, share, here: false };
    // Evidence of the task runs on this page alone.
    let on_page = page::shown(&loaded.run, &filter);
    for (number, result) in loaded.run.task_runs.iter_mut().flatten().enumerate() {
        let has_more = on_page.contains(&number) && !result.criteria().is_empty();
        let id = result.id.clone().filter(|_| has_more);
        if let Some(id) = id
            && let Some(task_run) = app.store.task_run(&id).await?
        {
            result.criterion_runs = Some(load::criteria(app, &task_run).await?);
        }
    }
    let context = Context { links: &links, ground: &ResultAlone, shape: Shape::Site(&site) };
    let page = match loaded.is_complete {
        true => rendered(&loaded.run, &filter, &context),
        false => {
            let address = |one: &Pending| match &links.share {
                Some(share) => with(share, &[("task_run".to_owned(), one.id.clone())]),
                None => format!("{}/task-runs/{}", app.base, one.id),
            };
            unfinished(&loaded.run, &loaded.pending, &address, &filter, &context)
        }
    };
    Ok(html::page(StatusCode::OK, page))
}

/// The page of a share link: the run, or one of its task runs. Sources are not shown, as they are not in the record.
pub(crate) async fn shared(app: &App, call: &Call, run: &Run) -> std::result::Result<Response, ApiError> {
    let token: Vec<(String, String)> = call.query.iter().filter(|(name, _)| name == "token").cloned().collect();
    let share = with(&format!("{}/benchmark-runs/{}/shared", app.base, run.id), &token);
    let frame = Site { base: app.base.clone(), kept: token, ..Site::default() };
    let Some(id) = call.query("task_run") else {
        let notices = match run.scored {
            true => vec!["The rubric of this run is hidden: criteria are not shown.".to_owned()],
            false => Vec::new(),
        };
        return whole(app, call, run, Site { notices, ..frame }, Some(share)).await;
    };
    let task_run = app.store.task_run(id).await?.filter(|task_run| task_run.run_id == run.id);
    let task_run: TaskRun = task_run.ok_or_else(|| ApiError::not_found("task run"))?;
    let site = Site { trail: vec![(title(run), share.clone())], ..frame };
    let criteria = match crate::elision::sees_rubric(&call.viewer, run) {
        true => load::criteria(app, &task_run).await?,
        false => Vec::new(),
    };
    let page = match load::task_run(&call.viewer, run, &task_run, criteria)? {
        Some(result) => {
            let links = Addresses { base: app.base.clone(), kept: Vec::new(), share: Some(share), here: true };
            page::task_run(&result, &Context { links: &links, ground: &ResultAlone, shape: Shape::Site(&site) })
        }
        None => site::pending(&site, &load::pending(&task_run)),
    };
    Ok(html::page(StatusCode::OK, page))
}

/// Two runs compared: JSON, or the page.
pub(crate) async fn comparison(
    app: &App,
    call: &Call,
    before: &Run,
    after: &Run,
    wants_page: bool,
) -> std::result::Result<Response, ApiError> {
    let all = |run: BenchmarkRun| -> Vec<Result> { run.task_runs.unwrap_or_default() };
    let (was, is) = (load::benchmark_run(app, &call.viewer, before), load::benchmark_run(app, &call.viewer, after));
    let (was, is) = (was.await?, is.await?);
    let is_complete = was.is_complete && is.is_complete;
    let (was, is) = (all(was.run), all(is.run));
    let compared = Comparison::of(&was, &is);
    if !wants_page {
        return Ok(crate::error::respond(StatusCode::OK, &compared.to_value()));
    }
    let name = |run: &Run| {
        let by = run.agent_id.as_ref().map(|agent| format!(" by {agent}")).unwrap_or_default();
        format!("{} of {}{by}", title(run), run.created_at)
    };
    let mut notices = Vec::new();
    if !is_complete {
        notices.push("One of the two runs is under way: what has no result yet is not compared.".to_owned());
    }
    let address = format!("{}/benchmark-runs/{}/comparison?before={}", app.base, after.id, before.id);
    let site = Site {
        trail: trail(app, Some(after)),
        views: vec![
            ("The run before".to_owned(), format!("{}/benchmark-runs/{}", app.base, before.id)),
            ("As JSON".to_owned(), format!("{address}&format=json")),
        ],
        notices,
        ..site(app, call)
    };
    let links = Addresses { base: app.base.clone(), kept: Vec::new(), share: None, here: false };
    let context = Context { links: &links, ground: &ResultAlone, shape: Shape::Site(&site) };
    let page = page::comparison(&compared, (&name(before), &name(after)), &context);
    Ok(html::page(StatusCode::OK, page))
}

pub(crate) fn share_link(app: &App, call: &Call, run: &Run, url: &str, expires_at: &str) -> Response {
    let site = Site { trail: trail(app, Some(run)), ..site(app, call) };
    html::page(StatusCode::CREATED, site::shared(&site, url, expires_at))
}
