//! Task files that are mended or drafted, and evidence bundles that are judged again.

use candor::bundle::{Bundle, Difference, VerifyingKey, rejudge};
use candor::rubric::{About, Options, Rubric, RubricError};
use candor_json::json;
use pyo3::prelude::*;

use crate::engine::{Engine, pretty};
use crate::errors;
use crate::job::{Give, Job, start, start_computing};
use crate::outcome::{Parts, give_error, parts};
use crate::sandbox::Sandbox;
use crate::task::Task;

/// Starts to add to a task file what kills the survivors of its audit.
#[pyfunction]
pub(crate) fn harden(engine: &Engine, file: String, text: String, sandbox: &Sandbox, widen: bool) -> PyResult<Job> {
    let (engine, sandbox) = (engine.engine(), sandbox.sandbox()?);
    let options = Options { widen, ..Options::default() };
    start(async move { given(candor::rubric::harden(&engine, &file, &text, &sandbox, &options, |_| true).await) })
}

/// Starts to write a task file from demonstrations.
#[pyfunction]
#[pyo3(signature = (engine, before, afters, id=None, prompt=None))]
pub(crate) fn draft(
    engine: &Engine,
    before: &Sandbox,
    afters: Vec<PyRef<'_, Sandbox>>,
    id: Option<String>,
    prompt: Option<String>,
) -> PyResult<Job> {
    let (engine, before) = (engine.engine(), before.sandbox()?);
    let afters = afters.iter().map(|after| after.sandbox()).collect::<PyResult<Vec<_>>>()?;
    start(async move {
        let about = About { id: id.as_deref(), prompt: prompt.as_deref() };
        given(candor::rubric::draft(&engine, &before, &afters, about).await)
    })
}

fn given(rubric: Result<Rubric, RubricError>) -> Give {
    match rubric {
        Ok(rubric) => {
            let parts = (pretty(&rubric.to_value()), rubric.text().to_owned(), rubric.left().is_empty());
            Box::new(move |py: Python<'_>| Ok(parts.into_pyobject(py)?.into_any().unbind()))
        }
        Err(error) => give_error(errors::other(error)),
    }
}

/// Starts to judge a bundle again; with a task, by that one.
#[pyfunction]
#[pyo3(signature = (engine, contents, verify=None, task=None))]
pub(crate) fn replay(
    engine: &Engine,
    contents: Vec<u8>,
    verify: Option<Vec<u8>>,
    task: Option<&Task>,
) -> PyResult<Job> {
    let (engine, task) = (engine.engine(), task.map(|task| task.task.clone()));
    start_computing(move || {
        let key = match verify.as_deref().map(VerifyingKey::from_pem).transpose() {
            Ok(key) => key,
            Err(error) => return give_error(errors::BundleError::new_err((format!("verify: {error}"),))),
        };
        let bundle = match Bundle::read(contents) {
            Ok(bundle) => bundle,
            Err(error) => return give_error(errors::BundleError::new_err((error.to_string(),))),
        };
        let replay = candor::bundle::replay(&bundle, &engine, key.as_ref());
        let Some(task) = task.filter(|_| replay.differences.is_empty()) else {
            let made = (pretty(&json!(replay)), replay.is_not_judged(), None::<Parts>);
            return Box::new(move |py: Python<'_>| Ok(made.into_pyobject(py)?.into_any().unbind()));
        };
        match rejudge(&bundle, &engine, &task) {
            Ok(rejudged) => {
                let same = json!({
                    "same": true,
                    "differences": [],
                    "left_out": rejudged.left_out,
                    "task_run": rejudged.run,
                });
                let (json, run) = (pretty(&same), parts(&rejudged.run));
                Box::new(move |py: Python<'_>| Ok((json, false, Some(run?)).into_pyobject(py)?.into_any().unbind()))
            }
            Err(differences) => {
                let line = |one: &Difference| format!("{}: {}, expected {}", one.place, one.stored, one.recomputed);
                let lines: Vec<String> = differences.iter().map(line).collect();
                let why = format!("the bundle cannot be judged by another task: {}", lines.join("; "));
                give_error(errors::BundleError::new_err((why,)))
            }
        }
    })
}
