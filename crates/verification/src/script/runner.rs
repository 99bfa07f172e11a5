//! Runs a program in a process of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::grants::Grants;
use super::limits::Limits;
use super::protocol::{self, Call, Came, Returned, Task};
use crate::plain;
use crate::process::{self, Ended, Limited, Ran};
use crate::verifier::VerifierError;

/// Set for the process that runs a program, so that one which starts itself instead does so once and not for ever.
const MARK: &str = "CANDOR_SCRIPT_CHILD";

/// Which program runs scripts, what it may read for them and what they may take.
///
/// The program is one that calls [`child`](super::child()) when it is started with the arguments. `candor script-child` is
/// one; a harness can be another.
#[derive(Clone, Debug)]
pub struct Runner {
    program: Option<PathBuf>,
    arguments: Vec<OsString>,
    /// The grants of the scripts.
    pub grants: Grants,
    /// The limits of the scripts.
    pub limits: Limits,
}

impl Default for Runner {
    /// This program with the argument `script-child`; nothing is granted.
    fn default() -> Self {
        Self {
            program: None,
            arguments: vec!["script-child".into()],
            grants: Grants::default(),
            limits: Limits::default(),
        }
    }
}

impl Runner {
    /// Another program, with other arguments.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = OsString>) -> Self {
        self.program = Some(program.into());
        self.arguments = arguments.into_iter().collect();
        self
    }

    /// With these grants.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// With these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) async fn call(
        &self,
        name: &str,
        source: &str,
        workspace: &Path,
        task: Task,
    ) -> Result<Returned, VerifierError> {
        let broken = |why: String| VerifierError::new(format!("{name}: {why}"));
        if std::env::var_os(MARK).is_some() {
            return Err(broken("this process was itself started to run a script, and does not".to_owned()));
        }
        let program = match &self.program {
            // It is not started from this folder.
            Some(program) if program.components().count() > 1 => {
                std::path::absolute(program).unwrap_or_else(|_| program.clone())
            }
            Some(program) => program.clone(),
            None => std::env::current_exe()
                .map_err(|error| broken(format!("this program, which would run it, is not found: {error}")))?,
        };
        // Nor does it look at paths from this folder.
        let here = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let call = Call {
            nonce: Uuid::now_v7().simple().to_string(),
            limits: self.limits,
            name: name.to_owned(),
            source: source.to_owned(),
            workspace: here(workspace),
            http: self.grants.http.clone(),
            read: self.grants.read.iter().map(|path| here(path)).collect(),
            env: self.environment().map_err(broken)?,
            task,
        };
        let limited = Limited {
            folder: "/".into(),
            time: self.limits.time,
            // The answer's own marks around what was returned, every character of which may be escaped.
            output: self.limits.answer.saturating_mul(6).saturating_add(1 << 10),
            input: candor_json::to_vec(&call).map_err(|error| broken(error.to_string()))?,
            environment: vec![(MARK.into(), "1".into())],
            ..Limited::default()
        };
        let command: Vec<OsString> =
            std::iter::once(program.into_os_string()).chain(self.arguments.iter().cloned()).collect();
        let ran = process::run(&command, &limited).await.map_err(broken)?;
        if ran.ended != Ended::Code(0) {
            return Err(broken(ended(&ran, &self.limits)));
        }
        match protocol::read(&ran.stdout, &call.nonce).map_err(broken)? {
            Came::Returned(returned) => Ok(returned),
            // It names the file itself, with the place in it.
            Came::Broke(why) => Err(VerifierError::new(plain(&why))),
        }
    }

    fn environment(&self) -> Result<BTreeMap<String, Option<String>>, String> {
        let value = |name: &String| match std::env::var(name) {
            Ok(value) => Ok((name.clone(), Some(value))),
            Err(std::env::VarError::NotPresent) => Ok((name.clone(), None)),
            Err(std::env::VarError::NotUnicode(_)) => Err(format!("the environment variable {name} is not UTF-8")),
        };
        self.grants.env.iter().map(value).collect()
    }
}

fn ended(ran: &Ran, limits: &Limits) -> String {
    let seconds = |time: std::time::Duration| time.as_secs_f32();
    let said = String::from_utf8_lossy(&ran.stderr);
    let processor = || format!("it took more than {} s of processor time", seconds(limits.processor));
    match ran.ended {
        Ended::TimedOut => format!("it took longer than {} s and was ended", seconds(limits.time)),
        Ended::Signal(signal) => {
            if said.contains("overflowed its stack") {
                "it is nested deeper, or calls itself deeper, than it may".to_owned()
            } else if said.contains("memory allocation of") {
                limits.too_much_memory()
            } else if signal == rustix::process::Signal::XCPU.as_raw() {
                processor()
            } else {
                format!("the process that runs it was ended by signal {signal}")
            }
        }
        Ended::Code(code) => format!("the process that runs it ended with {code}: {}", ran.tail()),
    }
}
