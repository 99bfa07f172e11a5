//! Services: what the work brings up, started by the verifier over a copy of what the delegate left.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use candor_process::{Boundary, Group, Limited, Temporary, command, temporary};
use tokio::process::Child;

use crate::ready::Ready;
use crate::snapshot::Snapshot;
use crate::tail::Tail;
use crate::verifier::VerifierVerdict;

/// How often a service is asked whether it is ready.
const ASKED_EVERY: Duration = Duration::from_millis(50);
/// How long a service that breaks off may take to have ended.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// A command that the verifier starts, and the URL that says when it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The program and its arguments. No shell reads them; they run in a copy of the workspace.
    pub command: Vec<OsString>,
    /// `http://HOST:PORT/PATH`. A status below 400 says that the service is ready.
    pub ready: Ready,
    /// How long it may take to be ready.
    pub time_limit: Duration,
}

/// Services that run. They end, with everything that they started, when this is dropped.
pub(crate) struct Running {
    services: Vec<Started>,
    /// Removed after they have ended.
    _copy: Option<Snapshot>,
}

impl Running {
    /// The first service that has ended, in a sentence. One that broke a connection off by its end may take a moment for it.
    pub(crate) async fn ended(&mut self) -> Option<String> {
        let began = Instant::now();
        while !self.services.is_empty() && began.elapsed() < ENDS_WITHIN {
            for Started { shown, child, .. } in &mut self.services {
                if let Ok(Some(status)) = child.try_wait() {
                    return Some(format!("the service `{shown}` ended while the work was checked ({status})"));
                }
            }
            tokio::time::sleep(ASKED_EVERY).await;
        }
        None
    }
}

struct Started {
    shown: String,
    _group: Group,
    child: Child,
    _output: [Option<Tail>; 2],
    _folders: Temporary,
}

/// Says that nothing answers yet where services are to answer: what answers there later is the service, or was left there by
/// the delegate.
///
/// # Errors
/// A sentence about the first URL that somebody answers at.
pub(crate) async fn taken(services: &[Service]) -> Result<(), String> {
    for service in services {
        if answers(&service.ready).await {
            return Err(format!(
                "something answers at {} before the service was started; end it, or give the service another port",
                service.ready
            ));
        }
    }
    Ok(())
}

async fn answers(ready: &Ready) -> bool {
    let ready = ready.clone();
    tokio::task::spawn_blocking(move || ready.connected().is_some()).await.unwrap_or(true)
}

/// Starts services over a copy of the snapshot, in order, each when the one before is ready.
///
/// # Errors
/// The verdict: failed where a service does not get ready, with the end of what it wrote.
pub(crate) async fn started(
    services: &[Service],
    snapshot: &Path,
    boundary: Option<&Boundary>,
) -> Result<Running, VerifierVerdict> {
    let mut running = Running { services: Vec::new(), _copy: None };
    if services.is_empty() {
        return Ok(running);
    }
    let copy = Snapshot::taken(snapshot).await?;
    let folder = copy.as_ref().map(|copy| copy.path().to_owned()).unwrap_or_default();
    running._copy = copy;
    for service in services {
        running.services.push(ready(service, &folder, boundary).await?);
    }
    Ok(running)
}

async fn ready(service: &Service, folder: &Path, boundary: Option<&Boundary>) -> Result<Started, VerifierVerdict> {
    let shown = service.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let here = |error: std::io::Error| VerifierVerdict::Unverifiable {
        reason: format!("the service `{shown}` cannot be started: {error}"),
    };
    if answers(&service.ready).await {
        return Err(VerifierVerdict::Failed {
            reason: format!(
                "something that you left answers at {} before the service `{shown}` was started; leave nothing running",
                service.ready
            ),
        });
    }
    let folders = temporary("service").map_err(here)?;
    let mut environment: Vec<(OsString, OsString)> = Vec::new();
    let mut boundary = boundary.map(Boundary::another).transpose().map_err(here)?;
    boundary = boundary.map(|boundary| boundary.writing(folder));
    for (variable, name) in [("HOME", "home"), ("TMPDIR", "tmp")] {
        let own = folders.path().join(name);
        std::fs::create_dir(&own).map_err(here)?;
        boundary = boundary.map(|boundary| boundary.writing(&own));
        environment.push((variable.into(), own.into()));
    }
    let limited = Limited { folder: folder.to_owned(), environment, boundary, ..Limited::default() };
    let mut command = command(&named_in(&service.command, folder), &limited)
        .map_err(|reason| VerifierVerdict::Unverifiable { reason })?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match service.command.first() {
        Some(program) if Path::new(program).components().count() > 1 => {
            VerifierVerdict::Failed { reason: format!("the service `{shown}` cannot be started: {error}") }
        }
        _ => here(error),
    })?;
    let group = Group::of(&child, &limited);
    // It has no name by which the service could put something else in its place, and takes no room.
    let output = [child.stdout.take().map(Tail::of), child.stderr.take().map(Tail::of)];
    let began = Instant::now();
    let how = loop {
        let asked = service.ready.clone();
        let status = tokio::task::spawn_blocking(move || asked.status()).await.unwrap_or(None);
        match (status, child.try_wait()) {
            // One that has ended is not what answers.
            (_, Ok(Some(status))) => break format!("ended before it was ready ({status})"),
            (Some(..400), _) => {
                return Ok(Started { shown, _group: group, child, _output: output, _folders: folders });
            }
            (status, _) if began.elapsed() >= service.time_limit => {
                let answered = status.map(|status| format!("; the last status was {status}")).unwrap_or_default();
                let seconds = service.time_limit.as_secs_f32();
                break format!("did not answer at {} within {seconds} s{answered}", service.ready);
            }
            _ => tokio::time::sleep(ASKED_EVERY).await,
        }
    };
    drop(group);
    let mut written = Vec::new();
    for mut tail in output.into_iter().flatten() {
        tail.finished().await;
        written.extend(tail.so_far());
    }
    let written =
        if written.is_empty() { "It wrote nothing.".to_owned() } else { format!("It wrote:\n{}", written.join("\n")) };
    Err(VerifierVerdict::Failed { reason: format!("the service `{shown}` {how}. {written}") })
}

/// A program that is named by a relative path is one of the copy.
fn named_in(command: &[OsString], folder: &Path) -> Vec<OsString> {
    let mut command = command.to_vec();
    if let Some(program) = command.first_mut()
        && Path::new(program).components().count() > 1
    {
        *program = folder.join(&program).into();
    }
    command
}
