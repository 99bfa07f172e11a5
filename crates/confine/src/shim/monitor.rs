//! Waits for a command, and stops or ends everything that it started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getppid, kill_process, pidfd_open, set_child_subreaper, wait as reap,
};

use super::{id, own_id};
use crate::plan::{Plan, Second};

/// How a command ended.
pub(super) enum End {
    Code(u8),
    Signal(i32),
}

/// How often processes are collected that lost their parent.
const COLLECT: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
/// How long processes may take to stop.
const STOP: Duration = Duration::from_secs(5);

/// The connection by which the command can be frozen.
pub(super) fn control(plan: &Plan) -> Result<Option<UnixStream>, String> {
    let connected = plan.control.as_ref().map(UnixStream::connect).transpose();
    connected.map_err(|error| format!("the freezer cannot be reached: {error}"))
}

/// Waits for the command; `first` is watched where no signal comes with its end.
pub(super) fn wait(mut child: Child, control: Option<UnixStream>, first: Option<&OwnedFd>) -> Result<End, String> {
    let lost = |error: &dyn std::fmt::Display| format!("the command is lost: {error}");
    let own = id(child.id()).ok_or_else(|| lost(&"it has no number"))?;
    let handle = pidfd_open(own, PidfdFlags::empty()).map_err(|error| lost(&error))?;
    let mut control = control;
    loop {
        let mut all = vec![PollFd::new(&handle, PollFlags::IN)];
        all.extend(first.map(|first| PollFd::new(first, PollFlags::IN)));
        let watched = all.len();
        all.extend(control.as_ref().map(|control| PollFd::new(control, PollFlags::IN)));
        match poll(&mut all, Some(&COLLECT)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(lost(&error)),
        }
        let ready: Vec<bool> = all.iter().map(|one| !one.revents().is_empty()).collect();
        drop(all);
        if ready.first() == Some(&true) {
            break;
        }
        if watched > 1 && ready.get(1) == Some(&true) {
            return Ok(End::Code(crate::plan::NOT_STARTED));
        }
        if ready.get(watched) == Some(&true) && control.as_mut().is_some_and(|control| !answered(control)) {
            control = None;
        }
        collect(own);
    }
    let status = child.wait().map_err(|error| lost(&error))?;
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, signal) => End::Signal(signal.unwrap_or(9)),
    })
}

/// Takes in processes that ended and have no other parent, but for the command itself, whose end its `Child` must see.
fn collect(command: Pid) {
    for process in children_of(own_id()) {
        if Some(process) != Some(command) {
            let _ = rustix::process::waitpid(Some(process), WaitOptions::NOHANG);
        }
    }
}

/// Does what the freezer asks; says whether it is still there.
fn answered(control: &mut UnixStream) -> bool {
    let mut asked = [0];
    if !matches!(control.read(&mut asked), Ok(1)) {
        return false;
    }
    let [what] = asked;
    let done = match what {
        b'f' => stop(),
        _ => {
            below(own_id()).into_keys().filter_map(Pid::from_raw).for_each(|process| {
                let _ = kill_process(process, Signal::CONT);
            });
            true
        }
    };
    control.write_all(&[if done { what } else { b'-' }]).is_ok()
}

/// Stops everything below this process. One that starts another while it is stopped leaves that to the next round.
fn stop() -> bool {
    let began = Instant::now();
    while began.elapsed() < STOP {
        let running: Vec<Pid> = below(own_id())
            .into_iter()
            .filter(|(_, state)| !matches!(state, 'T' | 't' | 'Z' | 'X'))
            .filter_map(|(process, _)| Pid::from_raw(process))
            .collect();
        if running.is_empty() {
            return true;
        }
        for process in running {
            let _ = kill_process(process, Signal::STOP);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Every process below one, with its state. Of an init, these are all that lost their parent, too.
fn below(ancestor: i32) -> BTreeMap<i32, char> {
    let mut all: Vec<(i32, i32, char)> = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of a program is in brackets, and may contain any character.
        let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
        let mut parts = rest.split(' ');
        let (Some(state), Some(parent)) = (parts.next(), parts.next()) else { continue };
        let (Some(state), Ok(parent)) = (state.chars().next(), parent.parse()) else { continue };
        all.push((process, parent, state));
    }
    let mut found = BTreeMap::new();
    let mut open = vec![ancestor];
    while let Some(parent) = open.pop() {
        for &(process, _, state) in all.iter().filter(|&&(_, above, _)| above == parent) {
            if found.insert(process, state).is_none() {
                open.push(process);
            }
        }
    }
    found
}

fn children_of(parent: i32) -> Vec<Pid> {
    let file = format!("/proc/{parent}/task/{parent}/children");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok().and_then(Pid::from_raw)).collect()
}

/// The process to which all that a command leaves comes, where there are no namespaces: it ends them.
pub(super) fn subreaper(plan: &Plan, second: Second, words: Vec<OsString>) -> Result<End, String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    // A session of its own, so that ending the first process's group does not end this one before its work is done.
    let _ = rustix::process::setsid();
    let first = Pid::from_raw(second.first).ok_or("the first process has no number")?;
    let first_handle = pidfd_open(first, PidfdFlags::empty()).map_err(|e| failed("the first process has ended", &e))?;
    if getppid() != Some(first) {
        return Err("the process that started the boundary has ended".to_owned());
    }
    set_child_subreaper(Pid::from_raw(own_id())).map_err(|e| failed("processes cannot be collected", &e))?;
    let control = control(plan)?;
    let child = Command::new("/proc/self/exe").arg0("candor").args(words).spawn();
    let child = child.map_err(|e| failed("the command cannot be started", &e))?;
    let end = wait(child, control, Some(&first_handle));
    sweep();
    end
}

/// Ends everything below this process, and whatever that starts meanwhile.
fn sweep() {
    // Stopped ones start no others.
    let _ = stop();
    loop {
        let left = below(own_id());
        if left.is_empty() {
            return;
        }
        for process in left.into_keys().filter_map(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
        while matches!(reap(WaitOptions::NOHANG), Ok(Some(_))) {}
        std::thread::sleep(Duration::from_millis(1));
    }
}
