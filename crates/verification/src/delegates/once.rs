//! A command that is run once per attempt.

use std::ffi::OsString;
use std::sync::Arc;

use super::{not_started, out_of_time, text_claim};
use crate::claim::Claim;
use crate::delegate::{Delegate, DelegateError, Request};
use crate::identity::DelegateId;
use crate::process::{self, Ended, Limited};
use crate::room::Room;
use crate::tail::{end_of, written};

/// A command that finds the prompt on standard input and answers on standard output, once per attempt. It finds the
/// attempt's number in `CANDOR_ATTEMPT` and the session in `CANDOR_SESSION`.
#[derive(Clone, Debug)]
pub struct CommandPerAttempt {
    id: DelegateId,
    command: Vec<OsString>,
    limited: Limited,
    room: Option<Arc<Room>>,
    has_run: bool,
    stderr: Option<String>,
}

impl CommandPerAttempt {
    /// A command with its limits; what they say of input is not looked at.
    #[must_use]
    pub fn new(id: DelegateId, command: Vec<OsString>, limited: Limited) -> Self {
        let limited = Limited { output: super::MOST + 1, ..limited };
        Self { id, command, room: Room::of(&limited), limited, has_run: false, stderr: None }
    }
}

impl Delegate for CommandPerAttempt {
    fn id(&self) -> &DelegateId {
        &self.id
    }

    async fn attempt(&mut self, request: &Request) -> Result<Claim, DelegateError> {
        let mut limited = self.limited.clone();
        limited.input = request.prompt.clone().into_bytes();
        limited.environment.push(("CANDOR_ATTEMPT".into(), request.attempt.to_string().into()));
        limited.environment.push(("CANDOR_SESSION".into(), request.session.clone().into()));
        self.stderr = None;
        let ran = Room::within(self.room.as_ref(), process::run(&self.command, &limited)).await;
        let unstarted = |why| not_started(&self.command, &limited, self.has_run, why);
        let ran = ran.map_err(DelegateError::Broke)?.map_err(unstarted)?;
        self.has_run = true;
        let broke =
            |how: String| Err(DelegateError::Broke(format!("{how}\n{}", end_of(&ran.tail())).trim_end().to_owned()));
        self.stderr = written(&ran.stderr);
        match ran.ended {
            // Only the end of the output is kept: the part before it could have said the opposite.
            Ended::Code(0) if ran.stdout.len() > super::MOST => {
                Err(DelegateError::Broke(format!("its answer is longer than {} bytes", super::MOST)))
            }
            Ended::Code(0) => Ok(text_claim(String::from_utf8_lossy(&ran.stdout).trim_end())),
            Ended::Code(code) => broke(format!("it ended with exit code {code}")),
            Ended::Signal(signal) => broke(format!("it was ended by {}", process::signal_name(signal))),
            Ended::TimedOut => broke(out_of_time(limited.time)),
        }
    }

    async fn stderr(&mut self) -> Option<String> {
        self.stderr.clone()
    }

    async fn make_room(&mut self) -> Option<Result<(), String>> {
        self.room.as_ref().map(|room| room.make())
    }
}
