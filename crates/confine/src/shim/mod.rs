//! The program that confines itself and starts a command.
//!
//! The first process is the child of whoever wants the command: it makes the namespaces, starts the second process, and
//! ends as that says. The second one is the init of the namespaces, or the subreaper where Landlock holds the boundary:
//! it starts the command, and with it ends everything that the command left. Both end when the process that wants the
//! command ends, however that happens.

mod capabilities;
mod inherited;
mod landlock;
mod monitor;
mod mounts;
mod namespaces;
mod unescaped;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, getppid, kill_process, pidfd_open, set_dumpable_behavior,
};

use crate::kinds::Mode;
use crate::plan::{NOT_STARTED, Plan, Second};

/// How the messages of the second process to the first one begin: a signal ended the command, or it did not start.
const SIGNAL: &str = "signal ";
const PROBLEM: &str = "problem ";

pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let problem = arguments.iter().position(|word| word == "--problem").and_then(|at| arguments.get(at + 1)).cloned();
    let plan = match Plan::read(arguments) {
        Ok(plan) => plan,
        Err(why) => {
            // The command did not run, so its caller must not take this end for the command's.
            let _ = problem.map(|file| std::fs::write(file, &why));
            say(&why);
            return ExitCode::from(NOT_STARTED);
        }
    };
    match plan.second {
        None => first(plan),
        Some(second) => behind(plan, second),
    }
}

fn say(why: &str) {
    // Without standard error there is no way to report it.
    let _ = writeln!(io::stderr(), "candor confine: {why}");
}

fn first(plan: Plan) -> ExitCode {
    // Before this process opens or starts anything of its own.
    inherited::withhold_descriptors();
    // Open before the root is another one: its path may lead nowhere afterwards.
    let mut problem = plan.problem.as_ref().and_then(|file| File::create(file).ok());
    match started(plan) {
        Ok(code) => code,
        Err(why) => {
            if let Some(file) = &mut problem {
                let _ = file.write_all(why.as_bytes());
            }
            say(&why);
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn started(mut plan: Plan) -> Result<ExitCode, String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    // By a descriptor of the process, so that the number of one that ended is never taken for it.
    let parent = match plan.parent.and_then(Pid::from_raw) {
        Some(parent) => {
            let handle =
                pidfd_open(parent, PidfdFlags::empty()).map_err(|e| failed("the parent cannot be watched", &e))?;
            if getppid() != Some(parent) {
                return Err("the process that wanted this command has ended".to_owned());
            }
            Some(handle)
        }
        None => None,
    };
    let (reads, writes) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(|e| failed("no pipe", &e))?;
    if plan.mode == Mode::Namespaces {
        namespaces::enter()?;
    }
    plan.second = Some(Second { first: own_id(), pipe: writes.as_raw_fd(), last: false });
    // By its file, whatever may be passed through on the way to it.
    let mut child = Command::new("/proc/self/exe").arg0("candor").args(own(&plan)).spawn();
    let child = child.as_mut().map_err(|e| failed("the boundary's first process cannot be started", e))?;
    let handle = id(child.id()).and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok());
    if let (Some(parent), Some(handle)) = (&parent, &handle) {
        let mut both = [PollFd::new(parent, PollFlags::IN), PollFd::new(handle, PollFlags::IN)];
        while matches!(poll(&mut both, None), Err(rustix::io::Errno::INTR)) {}
        if both.last().is_some_and(|handle| handle.revents().is_empty()) {
            // The caller has ended and no longer wants it. The second process ends when this one does.
            return Ok(ExitCode::from(NOT_STARTED));
        }
    }
    let status = child.wait().map_err(|e| failed("the boundary's first process is lost", &e))?;
    drop(writes);
    let mut said = String::new();
    let _ = File::from(reads).take(64 << 10).read_to_string(&mut said);
    if let Some(problem) = said.strip_prefix(PROBLEM) {
        return Err(problem.trim_end().to_owned());
    }
    if let Some(signal) = said.strip_prefix(SIGNAL).and_then(|number| number.trim().parse().ok()) {
        return Ok(end_by(signal));
    }
    match (status.code(), status.signal()) {
        (Some(code), _) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(NOT_STARTED))),
        // Somebody ended the init, and all of it with it.
        (None, signal) => Ok(end_by(signal.unwrap_or(9))),
    }
}

/// The arguments by which this program starts itself, behind what precedes them in its own.
fn own(plan: &Plan) -> Vec<OsString> {
    let before = std::env::args_os().skip(1).take_while(|word| !word.to_string_lossy().starts_with("--"));
    before.chain(plan.arguments()).collect()
}

/// Ends this process by a signal, so that whoever waits for it sees how the command ended.
fn end_by(signal: i32) -> ExitCode {
    // The memory of this process is of no use to anybody.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    if let (Some(own), Some(signal)) = (Pid::from_raw(own_id()), Signal::from_named_raw(signal)) {
        let _ = kill_process(own, signal);
    }
    // One that this process ignores. A shell says it so.
    ExitCode::from(u8::try_from(signal.saturating_add(128)).unwrap_or(NOT_STARTED))
}

fn own_id() -> i32 {
    i32::try_from(std::process::id()).unwrap_or_default()
}

fn id(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// The second process, and the one that becomes the command.
fn behind(mut plan: Plan, second: Second) -> ExitCode {
    // Through the table of the first process: without `unsafe`, a number alone cannot become a descriptor.
    let pipe = File::options().write(true).open(format!("/proc/{}/fd/{}", second.first, second.pipe));
    let mut pipe = match pipe {
        Ok(pipe) => pipe,
        Err(error) => {
            say(&format!("the boundary's first process cannot be reached: {error}"));
            return ExitCode::from(NOT_STARTED);
        }
    };
    let done = match (second.last, plan.mode) {
        (true, _) => Err(landlock::become_command(&plan)),
        (false, Mode::Namespaces) => namespaces::init(&plan, second),
        (false, Mode::Landlock) => {
            plan.second = Some(Second { last: true, ..second });
            monitor::subreaper(&plan, second, own(&plan))
        }
    };
    match done {
        Ok(monitor::End::Code(code)) => ExitCode::from(code),
        Ok(monitor::End::Signal(signal)) => {
            let _ = write!(pipe, "{SIGNAL}{signal}");
            ExitCode::from(NOT_STARTED)
        }
        Err(why) => {
            let _ = write!(pipe, "{PROBLEM}{why}");
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn command(plan: &Plan) -> Result<Command, String> {
    let (name, arguments) = plan.command.split_first().ok_or("no command is given")?;
    let mut command = Command::new(name);
    command.args(arguments);
    if let Some(user) = plan.user {
        command.uid(user.uid).gid(user.gid);
    }
    Ok(command)
}

fn not_started(plan: &Plan, error: &io::Error) -> String {
    let name = plan.command.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    format!("`{name}` cannot be started behind the boundary: {error}; it, or what it is run by, may need a grant")
}
