//! `candor replay`.

use candor::inner::bundle::{Bundle, BundleError, Difference, Replay, VerifyingKey, rejudge, replay};
use candor::inner::engine::{Engine, Task};
use candor::inner::report::{Format, plain, task_run};
use candor::verification::TaskLoop;
use candor_json::{Value, json};

use super::bundle::read;
use super::{IdentityArgs, engine, listed};
use crate::args::ReplayArgs;
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain};
use crate::spare::Reads;

/// The longest value that a line shows.
const LONGEST: usize = 120;

pub(crate) fn run(args: &ReplayArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let key = args.verify.as_deref().map(verifying_key).transpose()?;
    let task = args.task.as_deref().map(Task::read).transpose().map_err(|errors| listed(&errors))?;
    TaskLoop::check_all(&task).map_err(|errors| listed(&errors))?;
    let engine = engine(&IdentityArgs::default())?;
    output.spare(None, || task.iter().fold(Reads::default(), |reads, task| reads.with_task(&engine, task)))?;
    let bundle = match Bundle::open(&args.bundle) {
        Ok(bundle) => bundle,
        Err(error @ BundleError::OtherFormat(_)) => {
            complain(&format!("{}: {error}", args.bundle.display()));
            return Ok(Outcome::Inconclusive);
        }
        Err(error) => return Err(format!("{}: {error}", args.bundle.display())),
    };
    let replayed = replay(&bundle, &engine, key.as_ref());
    match task {
        Some(task) if replayed.differences.is_empty() => by_another_task(&bundle, &engine, task, output),
        _ => {
            output.write_as(output.format(), &rendered(&replayed, output.format())?)?;
            Ok(match (&replayed, replayed.is_not_judged()) {
                (_, true) => Outcome::Inconclusive,
                (replayed, false) if replayed.same => Outcome::Pass,
                _ => Outcome::Findings,
            })
        }
    }
}

fn verifying_key(file: &std::path::Path) -> Result<VerifyingKey, String> {
    VerifyingKey::from_pem(&read(file, "--verify")?).map_err(|error| format!("--verify: {}: {error}", file.display()))
}

fn by_another_task(bundle: &Bundle, engine: &Engine, task: Task, output: &OutputArgs) -> Result<Outcome, String> {
    let rejudged = rejudge(bundle, engine, task).map_err(|differences| {
        let lines: Vec<String> = differences.iter().map(line).collect();
        format!("--task: the bundle cannot be judged by another task:\n{}", lines.join("\n"))
    })?;
    let rendered = match output.format() {
        Format::Json => {
            let document = json!({
                "same": true,
                "differences": [],
                "left_out": rejudged.left_out,
                "task_run": rejudged.run,
            });
            format!("{document:#}\n").into_bytes()
        }
        format => task_run(&rejudged.run, format, output.style()),
    };
    output.write_as(output.format(), &rendered)?;
    let broke = rejudged.run.criterion_runs.iter().any(|criterion| criterion.broke);
    Ok(match (rejudged.run.invalid_criteria().next().is_some(), broke) {
        (true, _) => Outcome::WrongInput,
        (false, true) => Outcome::Inconclusive,
        (false, false) => Outcome::of(rejudged.run.result.verdict, rejudged.run.result.conclusive),
    })
}

fn rendered(replay: &Replay, format: Format) -> Result<Vec<u8>, String> {
    Ok(match format {
        Format::Text => text(replay).into_bytes(),
        Format::Json => format!("{:#}\n", json!(replay)).into_bytes(),
        Format::Ndjson => format!("{}\n", json!(replay)).into_bytes(),
        _ => {
            return Err(
                "`candor replay` writes text, json or ndjson; with --task every format of `candor check`".to_owned()
            );
        }
    })
}

fn text(replay: &Replay) -> String {
    let mut text = String::new();
    let mut say = |line: String| text += &format!("{line}\n");
    let run = replay.benchmark_run.as_ref().unwrap_or(&replay.task_run);
    let verdict = run.get("verdict").and_then(Value::as_str).map(str::to_uppercase);
    let came_out = match (&verdict, run.get("score")) {
        (Some(verdict), Some(score)) => format!(": {verdict} score {score}"),
        _ => String::new(),
    };
    match (replay.same, replay.is_not_judged()) {
        (_, true) => say(format!("NOT JUDGED AGAIN{came_out}")),
        (true, false) => say(format!("SAME{came_out}")),
        (false, false) => say("DIFFERENT".to_owned()),
    }
    replay.differences.iter().for_each(|difference| say(format!("  {}", line(difference))));
    replay.not_judged.iter().for_each(|why| say(format!("  not judged again: {}", plain(why))));
    if !replay.left_out.is_empty() && !replay.masked {
        say(format!("  left out, and not judged again: {}", plain(&replay.left_out.join(", "))));
    }
    if let Some(signature) = &replay.signature {
        let by = &signature.keyid;
        match signature.verified {
            true => say(format!("  signed by {by}, which is the key given")),
            false => say(format!("  signed by {by}; --verify PUB says whether that is who you think")),
        }
        let predicate = signature.statement.get("predicate");
        let stated = predicate.and_then(Value::as_object).into_iter().flatten();
        let stated: Vec<String> = stated.map(|(name, value)| format!("{name} {}", short(value))).collect();
        say(format!("  stated: {}", stated.join(", ")));
    }
    text
}

fn line(difference: &Difference) -> String {
    format!(
        "{}: stored {}, recomputed {}",
        plain(&difference.place),
        short(&difference.stored),
        short(&difference.recomputed)
    )
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        other => plain(&other.to_string()).to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
