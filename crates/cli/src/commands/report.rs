//! `candor report`.

use std::io::Read;
use std::path::Path;

use candor::inner::bundle::{Bundle, replay};
use candor::inner::engine::Task;
use candor::inner::report::comparison::{Comparison, Counts};
use candor::inner::report::model::{Stored, StoredReadError, TaskRun, document, refuse_changed};
use candor::inner::report::{Format, stored, stored_result};
use candor_json::{Value, json};

use super::{IdentityArgs, engine, listed, pages};
use crate::args::ReportArgs;
use crate::exit::Outcome;
use crate::input::open;
use crate::output::{OutputArgs, write_file};

/// The largest stored result.
const LARGEST: u64 = 1 << 30;
/// The first bytes of a bundle, with which no JSON begins.
const ARCHIVE: &[u8] = b"PK\x03\x04";

pub(crate) fn run(args: &ReportArgs, output: &OutputArgs) -> Result<Outcome, String> {
    if let Some(before) = &args.against {
        return compare(args, before, output);
    }
    let named = |error: String| format!("{}: {error}", args.result.display());
    let Found { mut value, task: bundled, is_bundle } = result(&args.result)?;
    if let Some(task) = &args.task {
        value = only(value, task).map_err(named)?;
    }
    let result = Stored::of(value.clone()).map_err(|error| named(error.to_string()))?;
    let task = args.task_file.as_deref().map(Task::read).transpose().map_err(|errors| listed(&errors))?.or(bundled);
    let page = || {
        let command = is_bundle.then(|| pages::command("replay", &[("", Some(&args.result))]));
        let behind = pages::Behind { sandbox: args.sandbox.as_ref(), task: task.as_ref(), command };
        pages::stored(&result, args.page.get(), behind)
    };
    if let Some(file) = &args.html {
        write_file(file, &page()?)?;
    }
    if wants_more(args, output) {
        match output.format() {
            Format::Html => output.write(&page()?)?,
            format @ (Format::Json | Format::Ndjson) => {
                output.write(&stored(value.to_string().as_bytes(), format, output.style())?)?;
            }
            format => output.write_as(format, &stored_result(&result, format, output.style())?)?,
        }
    }
    Ok(outcome(&result, &value))
}

/// A result, and its task where a bundle has it.
struct Found {
    value: Value,
    task: Option<Task>,
    is_bundle: bool,
}

/// The result that a file holds: as it is stored; of a bundle, as its observations are judged now.
fn result(file: &Path) -> Result<Found, String> {
    let bytes = read(file)?;
    if !bytes.starts_with(ARCHIVE) {
        let value = document(&bytes).map_err(|error| placed(file, &error))?;
        refuse_changed(&value).map_err(|error| placed(file, &error))?;
        return Ok(Found { value, task: None, is_bundle: false });
    }
    let named = |error: String| format!("{}: {error}", file.display());
    let bundle = Bundle::read(bytes).map_err(|error| named(error.to_string()))?;
    let replayed = replay(&bundle, &engine(&IdentityArgs::default())?, None);
    if let Some(difference) = replayed.differences.first() {
        let place = &difference.place;
        return Err(named(format!(
            "the bundle differs from what was written, at {place}; `candor replay` names every difference"
        )));
    }
    let value = replayed.benchmark_run.unwrap_or(replayed.task_run);
    Ok(Found { value, task: bundle.task(), is_bundle: true })
}

/// An error with its file, and with its line and column where it has them.
fn placed(file: &Path, error: &StoredReadError) -> String {
    match error {
        StoredReadError::NotJson { .. } => format!("{}:{error}", file.display()),
        _ => format!("{}: {error}", file.display()),
    }
}

/// True if something is written in addition to the page of `--html`.
fn wants_more(args: &ReportArgs, output: &OutputArgs) -> bool {
    args.html.is_none() || output.format.is_some() || output.out.is_some()
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = open(file)?.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("{}: it cannot be read: {error}", file.display()))?;
    match bytes.len() as u64 > LARGEST {
        true => Err(format!("{}: it is larger than {LARGEST} bytes, the most that is read", file.display())),
        false => Ok(bytes),
    }
}

fn only(mut value: Value, task: &str) -> Result<Value, String> {
    let is_this = |run: &Value| {
        let epoch = run.get("epoch").and_then(Value::as_u64).map(|epoch| format!(", epoch {epoch}"));
        let id = epoch.and_then(|epoch| task.strip_suffix(&epoch)).filter(|id| run.get("task_id") == Some(&json!(id)));
        id.is_some()
            || ["task_id", "task_run_id"].iter().any(|name| run.get(name).and_then(Value::as_str) == Some(task))
    };
    if is_this(&value) {
        return Ok(value);
    }
    let runs = value.get_mut("task_runs").and_then(Value::as_array_mut);
    let found = runs.and_then(|runs| runs.iter().position(is_this).map(|at| runs.swap_remove(at)));
    found.ok_or_else(|| format!("there is no task run of {task:?} in it"))
}

fn outcome(result: &Stored, value: &Value) -> Outcome {
    let of = |holds: bool| if holds { Outcome::Pass } else { Outcome::Findings };
    let is_wrong = |run: &TaskRun| run.outcome.invalid.is_some();
    match result {
        Stored::Task(run) if is_wrong(run) => Outcome::WrongInput,
        Stored::Benchmark(run) if run.task_runs.iter().flatten().any(is_wrong) => Outcome::WrongInput,
        Stored::Task(run) => Outcome::of(run.outcome.verdict, run.outcome.conclusive),
        Stored::Benchmark(run) => Outcome::of(run.outcome.outcome.verdict, run.outcome.outcome.conclusive),
        Stored::Audit(audit) => {
            let passing = audit.criteria.iter().all(|one| one.status == "passed") && !audit.criteria.is_empty();
            of(passing && matches!(audit.grade.as_str(), "proven" | "weak"))
        }
        Stored::Validation(read) => of(read.counts().0 == 0),
        Stored::Difference(difference) if !difference.unread.is_empty() => Outcome::Inconclusive,
        Stored::Difference(difference) => of(difference.records.is_empty()),
        Stored::Loop(_) => match value.get("outcome").and_then(Value::as_str) {
            Some("passed") => Outcome::Pass,
            Some("verification_failed") => Outcome::Findings,
            _ => Outcome::Inconclusive,
        },
    }
}

fn compare(args: &ReportArgs, before: &Path, output: &OutputArgs) -> Result<Outcome, String> {
    let runs = |file: &Path| -> Result<Vec<TaskRun>, String> {
        let named = |error: String| format!("{}: {error}", file.display());
        match Stored::of(result(file)?.value).map_err(|error| placed(file, &error))? {
            Stored::Task(run) => Ok(vec![*run]),
            Stored::Benchmark(run) => Ok(run.task_runs.unwrap_or_default()),
            _ => Err(named("found no task run and no benchmark run, expected one to compare".to_owned())),
        }
    };
    let (old, new) = (runs(before)?, runs(&args.result)?);
    let compared = Comparison::of(&old, &new);
    let names = (before.display().to_string(), args.result.display().to_string());
    let page = || pages::comparison(&compared, (&names.0, &names.1));
    if let Some(file) = &args.html {
        write_file(file, &page()?)?;
    }
    if wants_more(args, output) {
        let rendered = match output.format() {
            Format::Html => page()?,
            Format::Json => format!("{:#}\n", compared.to_value()).into_bytes(),
            Format::Text => compared.told().into_bytes(),
            Format::Markdown => compared.markdown().into_bytes(),
            _ => return Err("two runs are compared as text, json, markdown or html".to_owned()),
        };
        output.write_as(output.format(), &rendered)?;
    }
    let worse = |counts: &Counts| counts.worse > 0;
    Ok(match worse(&compared.task_counts) || worse(&compared.criterion_counts) {
        true => Outcome::Findings,
        false => Outcome::Pass,
    })
}
