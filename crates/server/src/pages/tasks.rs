//! Pages of task runs: the result, one criterion, what changed, the audit.

use axum::http::StatusCode;
use axum::response::Response;
use candor_json::Value;
use candor_report::model::{CriterionRun, Stored};
use candor_report::page::site::{self, Site};
use candor_report::page::{self, Context, Shape};

use super::ground::Kept;
use super::links::Addresses;
use super::runs::trail;
use super::{load, site};
use crate::app::{App, read_task};
use crate::call::Call;
use crate::error::ApiError;
use crate::html;
use crate::store::{Run, TaskRun};

fn frame(app: &App, call: &Call, run: &Run, task_run: &TaskRun) -> Site {
    let address = format!("{}/task-runs/{}", app.base, task_run.id);
    let mut views = vec![("As JSON".to_owned(), format!("{address}?format=json"))];
    if task_run.outside.is_none() && task_run.world.is_some() && task_run.phase != "created" {
        views.push(("What changed in the sandbox".to_owned(), format!("{address}/difference")));
        views.push(("The sandbox as files (tar)".to_owned(), format!("{address}/sandbox.tar")));
        if task_run.result.is_some() {
            views.push(("Audit of the rubric on this sandbox".to_owned(), format!("{address}/audit")));
        }
    }
    let task: Value = candor_json::from_str(&task_run.task).unwrap_or_default();
    let mut notices = Vec::new();
    if task_run.expired {
        notices.push(
            "The time of this task run was over before it was completed: it counts as failed, with score 0. Its criteria \
             were graded for the record."
                .to_owned(),
        );
    }
    if run.scored {
        notices.push(
            "The rubric of this run is hidden from its agent. You see it because you are an operator.".to_owned(),
        );
    }
    Site {
        trail: trail(app, Some(run)),
        views,
        notices,
        prompt: read_task(task).ok().and_then(|task| task.prompt),
        ..site(app, call)
    }
}

fn addresses(app: &App, here: bool) -> Addresses {
    Addresses { base: app.base.clone(), kept: Vec::new(), share: None, here }
}

pub(crate) async fn task_run(
    app: &App,
    call: &Call,
    run: &Run,
    task_run: &TaskRun,
) -> std::result::Result<Response, ApiError> {
    let site = frame(app, call, run, task_run);
    let criteria = load::criteria(app, task_run).await?;
    let page = match load::task_run(&call.viewer, run, task_run, criteria)? {
        Some(result) => {
            let ground = Kept::of(app, task_run).await?;
            let context = Context { links: &addresses(app, true), ground: &ground, shape: Shape::Site(&site) };
            page::task_run(&result, &context)
        }
        None => site::pending(&site, &load::pending(task_run)),
    };
    Ok(html::page(StatusCode::OK, page))
}

pub(crate) async fn criterion_run(
    app: &App,
    call: &Call,
    run: &Run,
    task_run: &TaskRun,
    record: &str,
) -> std::result::Result<Response, ApiError> {
    let criterion = CriterionRun::read(record).map_err(|error| {
        tracing::error!(task_run = %task_run.id, "a stored criterion run cannot be read: {error}");
        ApiError::internal()
    })?;
    let mut trail = trail(app, Some(run));
    trail.push((task_run.task_id.clone(), format!("{}/task-runs/{}", app.base, task_run.id)));
    let json = format!("{}/criterion-runs/{}?format=json", app.base, criterion.id);
    let views = vec![("As JSON".to_owned(), json)];
    let site = Site { trail, views, prompt: None, ..frame(app, call, run, task_run) };
    let ground = Kept::of(app, task_run).await?;
    let context = Context { links: &addresses(app, true), ground: &ground, shape: Shape::Site(&site) };
    Ok(html::page(StatusCode::OK, page::criterion_run(&criterion, Some(&task_run.task_id), &context)))
}

/// The page of a task run's `difference` or `audit`.
pub(crate) fn about(
    app: &App,
    call: &Call,
    (run, task_run): (&Run, &TaskRun),
    what: &str,
    value: Value,
) -> std::result::Result<Response, ApiError> {
    let mut trail = trail(app, Some(run));
    trail.push((task_run.task_id.clone(), format!("{}/task-runs/{}", app.base, task_run.id)));
    let json = format!("{}/task-runs/{}/{what}?format=json", app.base, task_run.id);
    let site = Site { trail, views: vec![("As JSON".to_owned(), json)], ..site(app, call) };
    let links = addresses(app, true);
    let context = Context { links: &links, shape: Shape::Site(&site), ..Context::default() };
    let page = match Stored::of(value) {
        Ok(Stored::Difference(difference)) => page::difference(&difference, &context),
        Ok(Stored::Audit(audit)) => page::audit(&audit, &context),
        Ok(_) => return Err(ApiError::internal()),
        Err(error) => {
            tracing::error!(task_run = %task_run.id, "a page cannot be made: {error}");
            return Err(ApiError::internal());
        }
    };
    Ok(html::page(StatusCode::OK, page))
}
