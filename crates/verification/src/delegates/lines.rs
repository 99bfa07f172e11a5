//! A command that is kept running: one line of JSON in, one out.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::{MOST, claim, not_started, out_of_time};
use crate::claim::Claim;
use crate::confine::Freezer;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::identity::DelegateId;
use crate::process::{self, Group, Limited};
use crate::room::Room;
use crate::tail::{Tail, written};

/// A command that is asked by a line `{"prompt", "attempt", "session"}` on standard input and answers by one line
/// `{"response", "tool_calls", "tool_results"}` on standard output. It is started for the first attempt and kept
/// running; one that ended, or that did not answer in time and was therefore ended, is started anew for the next attempt
/// with the same session. Output beyond its answer, by the time of the next request, is an error, and not an answer to
/// that request. An answer that holds `attempt` or `session` must hold those of its request, so that a late answer is not
/// taken for the next. If the command broke off, the error ends with the end of its standard error.
pub struct LinesCommand {
    id: DelegateId,
    command: Vec<OsString>,
    limited: Limited,
    room: Option<Arc<Room>>,
    running: Option<Running>,
    has_run: bool,
    /// The end of the standard error of one that was ended.
    wrote: Option<String>,
}

struct Running {
    child: Child,
    group: Group,
    /// Stops it, where it is behind a boundary.
    freezer: Option<Freezer>,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: Tail,
}

impl LinesCommand {
    /// Asks what stops it, and ends it where that does not answer: it could go on writing. Whether it did.
    async fn asked(&mut self, freezer: fn(&mut Freezer) -> io::Result<()>) -> bool {
        let Some(mut running) = self.running.take() else { return true };
        let answers = !matches!(running.freezer.as_mut().map(freezer), Some(Err(_)));
        if answers {
            self.running = Some(running);
        } else {
            running.end().await;
        }
        answers
    }

    /// A command with its limits; the time is that of one attempt.
    #[must_use]
    pub fn new(id: DelegateId, command: Vec<OsString>, limited: Limited) -> Self {
        Self { id, command, room: Room::of(&limited), limited, running: None, has_run: false, wrote: None }
    }

    fn started(&self) -> Result<Running, DelegateError> {
        let mut limited = self.limited.clone();
        let freezer = limited.boundary.as_mut().map(Freezer::of).transpose();
        let freezer =
            freezer.map_err(|error| DelegateError::Unreachable(format!("its boundary cannot be made: {error}")))?;
        let mut command = process::command(&self.command, &limited).map_err(DelegateError::Unreachable)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let name = self.command.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let unreachable =
            |why: &dyn std::fmt::Display| DelegateError::Unreachable(format!("`{name}` cannot be started: {why}"));
        let mut child = command.spawn().map_err(|error| unreachable(&error))?;
        let group = Group::of(&child, &limited);
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => {
                let (stdout, stderr) = (BufReader::new(stdout), Tail::of(stderr));
                Ok(Running { child, group, freezer, stdin, stdout, stderr })
            }
            _ => Err(unreachable(&"it has no standard input, output and error")),
        }
    }
}

/// How long to wait for output beyond the answer.
const LOOK: Duration = Duration::from_millis(20);
/// How long to wait for the end of a command that writes nothing more.
const GONE: Duration = Duration::from_millis(500);

impl Running {
    /// True if output waits to be read. A command that ended has no more.
    async fn said_more(&mut self) -> bool {
        let more = tokio::time::timeout(LOOK, self.stdout.fill_buf()).await;
        matches!(more, Ok(Ok(more)) if !more.is_empty())
    }

    async fn end(mut self) -> String {
        drop(self.group);
        // It is ended whatever it says to that.
        let _ = self.child.wait().await;
        self.stderr.text().await
    }

    /// How it ended by itself, if it did.
    async fn ended(&mut self) -> Option<String> {
        let ended = tokio::time::timeout(GONE, self.child.wait()).await.ok()?.ok()?;
        match (ended.code(), std::os::unix::process::ExitStatusExt::signal(&ended)) {
            (Some(0), _) => None,
            (Some(code), _) => Some(format!("it ended with exit code {code}")),
            (None, signal) => signal.map(|signal| format!("it was ended by signal {signal}")),
        }
    }

    async fn asked(&mut self, request: &Request) -> Result<Claim, String> {
        let mut line = candor_json::to_vec(request).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let gone = |error: std::io::Error| format!("it no longer reads ({error})");
        self.stdin.write_all(&line).await.map_err(gone)?;
        self.stdin.flush().await.map_err(gone)?;
        let mut answer = Vec::new();
        let mut limited = (&mut self.stdout).take(MOST as u64 + 1);
        limited.read_until(b'\n', &mut answer).await.map_err(|error| format!("it cannot be read ({error})"))?;
        match answer.last() {
            None => Err("it ended without an answer".to_owned()),
            Some(_) if answer.len() > MOST => Err(format!("its answer is longer than {MOST} bytes")),
            Some(_) => answers(&answer, request).and_then(|()| claim(&answer)),
        }
    }
}

/// Refuses an answer that says itself that it is one to another request: a line that came too late for its own.
fn answers(answer: &[u8], request: &Request) -> Result<(), String> {
    #[derive(serde::Deserialize)]
    struct To {
        attempt: Option<candor_json::Value>,
        session: Option<candor_json::Value>,
    }
    // Of a value that is not an object, `answer` reports the error.
    let Ok(to) = candor_json::from_slice::<To>(answer) else { return Ok(()) };
    if to.attempt.is_some_and(|attempt| attempt != request.attempt) {
        return Err(format!("it answered another attempt than {}, which it was asked for", request.attempt));
    }
    match to.session.is_some_and(|session| session != request.session.as_str()) {
        true => Err("it answered another session than it was asked in".to_owned()),
        false => Ok(()),
    }
}

impl Delegate for LinesCommand {
    fn id(&self) -> &DelegateId {
        &self.id
    }

    async fn attempt(&mut self, request: &Request) -> Result<Claim, DelegateError> {
        let mut running = match self.running.take() {
            Some(mut running) => {
                if running.said_more().await {
                    running.end().await;
                    return Err(DelegateError::Broke("it said more than it was asked for".to_owned()));
                }
                running
            }
            None => self.started().map_err(|error| match error {
                DelegateError::Unreachable(why) => not_started(&self.command, &self.limited, self.has_run, why),
                error => error,
            })?,
        };
        let time = self.limited.time;
        let answered = Room::within(self.room.as_ref(), tokio::time::timeout(time, running.asked(request))).await;
        match answered {
            Ok(Ok(Ok(claim))) => {
                self.has_run = true;
                self.running = Some(running);
                Ok(claim)
            }
            Ok(Ok(Err(what))) => {
                let ended = running.ended().await.map(|ended| format!("; {ended}")).unwrap_or_default();
                // What comes after an answer that cannot be used may be the rest of it.
                let wrote = running.end().await;
                // The boundary could not be made: nothing ran.
                if let Some(problem) = self.limited.boundary.as_ref().and_then(process::Boundary::problem) {
                    return Err(not_started(&self.command, &self.limited, self.has_run, problem));
                }
                Err(DelegateError::Broke(format!("{what}{ended}\n{wrote}").trim_end().to_owned()))
            }
            Ok(Err(_)) => {
                let wrote = running.end().await;
                Err(DelegateError::Broke(format!("{}\n{wrote}", out_of_time(time)).trim_end().to_owned()))
            }
            Err(why) => {
                running.end().await;
                Err(DelegateError::Broke(why))
            }
        }
    }

    async fn freeze(&mut self) {
        self.asked(Freezer::freeze).await;
    }

    async fn held(&mut self) -> bool {
        self.asked(Freezer::held).await
    }

    async fn thaw(&mut self) {
        self.asked(Freezer::thaw).await;
    }

    async fn make_room(&mut self) -> Option<Result<(), String>> {
        self.room.as_ref().map(|room| room.make())
    }

    async fn end(&mut self) {
        if let Some(running) = self.running.take() {
            self.wrote = written(running.end().await.as_bytes());
        }
    }

    async fn stderr(&mut self) -> Option<String> {
        match &self.running {
            Some(running) => running.stderr.so_far(),
            None => self.wrote.take(),
        }
    }
}
