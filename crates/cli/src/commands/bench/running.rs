//! Running an agent over a benchmark, each task in a fresh copy of its world.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use candor::inner::engine::{Engine, Task};
use candor::inner::report::model::Stored;
use candor::inner::report::{BenchTable, Format, json, stored};
use candor::verification::confine::User;
use candor::verification::process::{close_to_others, sweep};
use candor::verification::{LoopOutcome, TaskLoop, is_protected, protect_globs};
use candor_json::{Value, json};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use super::entries::{Entries, Row};
use super::filled::{filled, url_filled};
use super::results::{Of, Results};
use super::world::{self, World};
use super::{jobs, no_task_left, progress};
use crate::args::BenchArgs;
use crate::commands::pages::{self, Behind};
use crate::commands::verify_loop::{DelegateArgs, LoopArgs, Ready, VerifierArgs, named, sha256};
use crate::commands::{IdentityArgs, end, engine, listed, or_interrupt, runtime, task_run_line};
use crate::exit::Outcome;
use crate::output::{OutputArgs, complain, write_file};
use crate::spare::Reads;

/// Why a benchmark ends before its last task: the message and the outcome.
struct Stop(String, Outcome);

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Self(message, Outcome::WrongInput)
    }
}

/// Runs what the results file lacks, and writes the table of all that is in it.
///
/// # Errors
/// When the benchmark, the results file or an argument is wrong, in a sentence.
pub(super) fn run(args: &BenchArgs, results: &Path, output: &OutputArgs) -> Result<Outcome, String> {
    if args.run.command.is_empty() && args.run.who.url.is_none() {
        return Err("--results needs an agent: give its command after --, or --url".to_owned());
    }
    if args.html.is_some() {
        pages::are_built()?;
    }
    close_to_others();
    sweep();
    let engine = engine(&args.identity)?;
    let entries = Entries::read(&args.benchmark, &engine, args.keep_going)?;
    let chosen = chosen(&entries.rows, args)?;
    let jobs = jobs(args);
    let largest = chosen.iter().map(|row| row.bytes).max().unwrap_or_default();
    world::has_room(largest.saturating_mul(jobs.min(chosen.len()) as u64))?;
    for place in [Some(results), args.run.keep_failed.as_deref()].into_iter().flatten() {
        world::refuse_within(place, entries.rows.iter().map(|row| &row.world))?;
    }
    let mut asked = BTreeSet::new();
    let places: Vec<PathBuf> = output.out.iter().chain(&args.html).cloned().chain([results.to_owned()]).collect();
    for row in &chosen {
        let task = Task::read(&row.task).map_err(|errors| listed(&errors))?;
        let settings = TaskLoop::of(&task).map_err(|error| error.to_string())?;
        let verifiers = VerifierArgs::default().with_task(&settings, row.task.parent().unwrap_or(Path::new("")))?;
        verifiers.reads(&engine, &task).spare(&places)?;
        let plan = engine.plan(Arc::new(task));
        world::refuse_left_out(&row.world, &plan, |part| asked.insert((&row.world, part)))?;
    }
    let named = || named(args.run.who.url.as_deref(), &args.run.command);
    let delegate_id = args.identity.agent_id.clone().unwrap_or_else(named);
    let command = command_digest(args);
    let of = Of {
        benchmark_id: &entries.benchmark_id,
        digest: &entries.digest,
        delegate_id: &delegate_id,
        command: &command,
        is_named: args.identity.agent_id.is_some(),
    };
    let mut kept = Results::open(results, &of)?;
    let judged = entries.rows.iter().map(|row| &row.task).chain([&args.benchmark]);
    let worlds = entries.rows.iter().map(|row| &row.world);
    let results_file = results.to_owned();
    output.spare(&args.html, || Reads::of(judged.chain([&results_file])).at(worlds))?;
    if let Some(folder) = &args.run.keep_failed {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| format!("{}: worlds cannot be kept there: {error}", folder.display()))?;
    }

    let user = args.run.who.boundary.as_user.as_deref().map(User::named).transpose()?;
    let written = output.out.iter().chain(&args.html).chain(&args.run.keep_failed).cloned().collect();
    let runner = Runner { args, engine: &engine, of: &of, results, written, user };
    let epochs = 1..=args.run.epochs.get();
    let all = epochs.flat_map(|epoch| chosen.iter().map(move |row| (*row, epoch)));
    let open = all.clone().filter(|(row, epoch)| !kept.has(&row.id, *epoch)).count();
    let bar = progress(open as u64, output.shows_progress());
    let running = async {
        let mut waiting = all;
        let mut running = FuturesUnordered::new();
        let mut stop = None;
        loop {
            while running.len() < jobs
                && stop.is_none()
                && let Some((row, epoch)) = waiting.next()
            {
                if !kept.has(&row.id, epoch) {
                    bar.set_message(row.id.chars().filter(|c| !c.is_control()).take(40).collect::<String>());
                    running.push(runner.task_run(row, epoch));
                }
            }
            let Some(ended) = running.next().await else { break stop };
            // What runs by then comes to its end, and is kept.
            let written = ended.and_then(|(line, wrong)| {
                kept.append(&line)?;
                wrong.map_or(Ok(()), |wrong| Err(wrong.into()))
            });
            match written {
                Ok(()) => bar.inc(1),
                Err(why) => stop = stop.or(Some(why)),
            }
        }
    };
    let runtime = runtime()?;
    let ended = runtime.block_on(or_interrupt(running));
    runtime.shutdown_background();
    bar.finish_and_clear();
    match ended {
        None => {
            let (count, file) = (kept.count(), results.display());
            let runs = if count == 1 { "task run" } else { "task runs" };
            complain(&format!("interrupted: {file} has {count} {runs}, and the same command goes on"));
            return Ok(end(engine.work()));
        }
        Some(Some(Stop(message, outcome))) => {
            complain(&message);
            return Ok(outcome);
        }
        Some(None) => {}
    }
    let outcome = table(&entries, &mut kept, results, output)?;
    if let Some(file) = &args.html {
        let run = Stored::read(&read(results)?).map_err(|error| format!("{}: {error}", results.display()))?;
        write_file(file, &pages::stored(&run, 0, Behind::default())?)?;
    }
    Ok(outcome)
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| format!("{}: it cannot be read: {error}", file.display()))
}

/// The digest of what is asked, and how: a command with its arguments, or a URL.
fn command_digest(args: &BenchArgs) -> String {
    let who = &args.run.who;
    sha256(format!("{:?}", (&who.url, &args.run.command, who.lines, who.boundary.no_isolation)).as_bytes())
}

fn table(entries: &Entries, kept: &mut Results, file: &Path, output: &OutputArgs) -> Result<Outcome, String> {
    let mut table = BenchTable::new(&entries.benchmark_id, entries.rows.iter().map(|row| row.id.as_str()));
    kept.each(|line| table.add(line).map_err(|what| format!("{}: {what}", file.display())))?;
    let summary = table.finish();
    let rendered = match output.format() {
        Format::Text => summary.text(output.style()).into_bytes(),
        Format::Json => json::document(&summary.to_value()),
        format => stored(&read(file)?, format, output.style())?,
    };
    output.write_as(output.format(), &rendered)?;
    Ok(Outcome::of(summary.result.verdict, summary.result.conclusive))
}

/// The entries of this shard whose ids match.
fn chosen<'e>(rows: &'e [Row], args: &BenchArgs) -> Result<Vec<&'e Row>, String> {
    let mut chosen: Vec<&Row> = rows.iter().collect();
    if let Some((part, parts)) = args.shard {
        chosen = chosen.into_iter().skip(part - 1).step_by(parts).collect();
        if chosen.is_empty() {
            return Err(no_task_left(&args.benchmark, (part, parts)));
        }
    }
    let Some(only) = &args.run.only else { return Ok(chosen) };
    let globs = protect_globs(std::slice::from_ref(only)).map_err(|what| what.replacen("`protect`", "--only", 1))?;
    chosen.retain(|row| is_protected(&globs, &row.id));
    match chosen.is_empty() {
        true => Err(format!("--only: no id of an entry matches `{only}`")),
        false => Ok(chosen),
    }
}

struct Runner<'a> {
    args: &'a BenchArgs,
    engine: &'a Engine,
    of: &'a Of<'a>,
    results: &'a Path,
    /// The files that are written in addition to the results.
    written: Vec<PathBuf>,
    user: Option<User>,
}

impl Runner<'_> {
    /// Runs a task once, and returns its line, and a sentence if its world could not be kept.
    async fn task_run(&self, row: &Row, epoch: u32) -> Result<(Vec<u8>, Option<String>), Stop> {
        let began = Instant::now();
        let task = Arc::new(Task::read(&row.task).map_err(|errors| listed(&errors))?);
        let settings = TaskLoop::of(&task).map_err(|error| error.to_string())?;
        let world = World::copied(&row.world, row.bytes, &settings.grant, self.user).await?;
        let args = self.loop_args(row, epoch, &world);
        let ready = Ready::new(&args, self.engine, &task, &self.written, None)?;
        let record = ready.run(|_| {}).await?;
        if record.outcome == LoopOutcome::Broken && record.attempts.is_empty() {
            let why = record.reason.unwrap_or_default();
            return Err(Stop(format!("{}, epoch {epoch}: {why}", row.id), Outcome::Inconclusive));
        }
        if !row.is_unchanged(self.engine).await {
            return Err(Stop::from(format!(
                "{}, epoch {epoch}: its task, a file that the task names or the world `{}` changed while the benchmark ran; \
                 start it again",
                row.id,
                row.world.display()
            )));
        }
        let run = task_run_line::of(self.engine, &task, &row.id, &record)?;
        let passed = run.get("verdict").and_then(Value::as_str) == Some("pass")
            && run.get("conclusive").and_then(Value::as_bool) == Some(true);
        let into = self.args.run.keep_failed.as_deref().filter(|_| !passed);
        let (kept, wrong) = match into {
            Some(into) => match world.kept_in(into, &row.id, epoch).await {
                Ok(kept) => (kept, None),
                Err(wrong) => (None, Some(wrong)),
            },
            None => (None, None),
        };
        let mut line = json!({
            "benchmark_id": self.of.benchmark_id,
            "benchmark_digest": self.of.digest,
            "command_digest": self.of.command,
            "entry": row.id,
            "epoch": epoch,
            "delegate_id": self.of.delegate_id,
            "world": row.world.to_string_lossy(),
            "kept": kept.as_deref().map(Path::to_string_lossy),
            "seconds": began.elapsed().as_secs_f64(),
        });
        if let Some(members) = line.as_object_mut() {
            for (name, value) in run {
                members.entry(name).or_insert(value);
            }
        }
        Ok((json::line(&line), wrong))
    }

    fn loop_args(&self, row: &Row, epoch: u32, world: &World) -> LoopArgs {
        let run = &self.args.run;
        let epoch = epoch.to_string();
        let names = [("{world}", world.path.as_os_str()), ("{entry}", row.id.as_ref()), ("{epoch}", epoch.as_ref())];
        let judges = [self.args.benchmark.as_path(), self.results].map(PathBuf::from);
        LoopArgs {
            task: row.task.clone(),
            sandbox: world.path.clone(),
            baseline: Some(row.world.clone()),
            max_verify_retries: Some(run.max_verify_retries),
            allow_met: run.allow_met,
            keep_going: self.args.keep_going,
            attempt_timeout: run.timeout,
            workspace: Some(world.workspace()),
            who: DelegateArgs { url: run.who.url.as_deref().map(|url| url_filled(url, &names)), ..run.who.clone() },
            identity: IdentityArgs { agent_id: Some(self.of.delegate_id.to_owned()), ..self.args.identity.clone() },
            is_copy: true,
            set: vec![("CANDOR_WORLD".into(), world.path.clone().into())],
            judges: judges.into(),
            command: run.command.iter().map(|word| filled(word, &names)).collect(),
            ..LoopArgs::default()
        }
    }
}
