//! The commands, one a file.

pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod bundle;
pub(crate) mod capture;
pub(crate) mod check;
pub(crate) mod checks;
mod codes;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod draft;
pub(crate) mod explain;
#[cfg_attr(not(feature = "voice"), path = "explain_voice/absent.rs")]
mod explain_voice;
pub(crate) mod harden;
pub(crate) mod init;
pub(crate) mod keys;
pub(crate) mod lint;
#[cfg_attr(not(feature = "html"), path = "pages/absent.rs")]
mod pages;
pub(crate) mod record;
pub(crate) mod redact;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod reward_dir;
pub(crate) mod schema;
pub(crate) mod score;
#[cfg_attr(not(feature = "server"), path = "serve/absent.rs")]
pub(crate) mod serve;
#[cfg_attr(not(feature = "server"), path = "service_keys/absent.rs")]
mod service_keys;
mod signing_keys;
mod task_run_line;
#[cfg_attr(not(feature = "telemetry"), path = "telemetry/absent.rs")]
mod telemetry;
pub(crate) mod try_out;
pub(crate) mod validate;
pub(crate) mod verify_loop;
pub(crate) mod version;

use std::sync::Arc;
use std::time::Duration;

use candor::check::work::Work;
use candor::inner::engine::{Document, Engine, FileError, Task, invalid};
use candor::verification::process::end_everything;
use clap::Args as ClapArgs;
use tokio::runtime::Runtime;

use crate::exit::Outcome;

#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct IdentityArgs {
    /// The verifier's name in the results [default: candor/VERSION]
    #[arg(long, value_name = "ID")]
    pub verifier_id: Option<String>,
    /// Who did the work; must differ from --verifier-id
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,
}

fn verifier_id(identity: &IdentityArgs) -> String {
    // Whoever packages the program names the build; built from source it says so.
    let own = concat!("candor/", env!("CARGO_PKG_VERSION"), "+");
    let own = format!("{own}{}", option_env!("CANDOR_BUILD").unwrap_or("source"));
    identity.verifier_id.clone().unwrap_or(own)
}

/// The engine with every check, recording under the verifier's name.
fn engine(identity: &IdentityArgs) -> Result<Engine, String> {
    let verifier = verifier_id(identity);
    if identity.agent_id.as_ref().is_some_and(|agent| candor::check::identity::same(agent, &verifier)) {
        return Err(format!(
            "the verifier and the agent are both `{verifier}`: no agent may verify its own work; give two different ids"
        ));
    }
    Ok(Engine::new(candor::inner::checks::KNOWN.iter().copied(), &verifier)
        .with_parts(candor::inner::checks::PARTS.iter().copied()))
}

fn runtime() -> Result<Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(std::thread::available_parallelism().map_or(2, |n| n.get().min(8)))
        .enable_all()
        .build()
        .map_err(|e| format!("no threads can be started: {e}"))
}

/// The output of a future; `None` if a signal came first. Then commands are ended and temporary folders are removed, and the
/// future is dropped only after that. A folder dropped while a command writes to it could stay.
async fn or_interrupt<T>(running: impl Future<Output = T>) -> Option<T> {
    use tokio::signal::unix::{SignalKind, signal};
    let hangup = (!ignores_hangup()).then(SignalKind::hangup);
    let ends = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::quit()].into_iter().chain(hangup);
    // They are listened for before anything runs that one of them could leave alone.
    let mut signals: Vec<_> = ends.filter_map(|kind| signal(kind).ok()).collect();
    let sent =
        std::future::poll_fn(|context| match signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        });
    let mut running = std::pin::pin!(running);
    tokio::select! {
        done = &mut running => Some(done),
        () = sent => {
            end_everything();
            None
        }
    }
}

/// The stack of a thread that runs a command, in bytes: that of a main thread.
const STACK: usize = 8 << 20;

/// Runs a command that waits for its input, until a signal comes.
pub(crate) fn until_signal(
    command: impl FnOnce() -> Result<Outcome, String> + Send + 'static,
) -> Result<Outcome, String> {
    runtime()?.block_on(or_interrupt(on_thread(command))).unwrap_or(Ok(Outcome::Interrupted))
}

/// Runs a command on a thread of its own, which a signal leaves behind.
async fn on_thread(command: impl FnOnce() -> Result<Outcome, String> + Send + 'static) -> Result<Outcome, String> {
    let (done, outcome) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new()
        .name("candor-input".to_owned())
        .stack_size(STACK)
        .spawn(move || drop(done.send(command())))
        .map_err(|e| format!("no threads can be started: {e}"))?;
    match outcome.await {
        Ok(outcome) => outcome,
        Err(_) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Err("the command ended without an outcome".to_owned()),
        },
    }
}

/// True if this process was started to outlive its terminal, as by `nohup`.
fn ignores_hangup() -> bool {
    const HANGUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & HANGUP != 0)
}

/// How a command ends that a signal ended. Commands are ended and temporary copies removed by then. Readers and judging
/// have stopped, or are left behind after a second.
fn end(work: &Work) -> Outcome {
    work.settle(Duration::from_secs(1));
    Outcome::Interrupted
}

/// Reads a task. Where it is wrong, its assertions are held to their checks as well, so that all errors are there at once.
fn task(engine: &Engine, document: Document) -> Result<Arc<Task>, Vec<FileError>> {
    let (task, mut errors) = Task::readable(document);
    let task = task.map(Arc::new);
    if let Some(task) = &task {
        if errors.is_empty() {
            return Ok(Arc::clone(task));
        }
        errors.extend(invalid(&engine.plan(Arc::clone(task))));
        errors.sort_by_key(|error| error.position);
    }
    Err(errors)
}

fn listed(errors: &[FileError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
