//! Waits for a command, and stops or ends everything that it started.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Signal, WaitOptions, getppid, getrlimit, kill_process, pidfd_open, set_child_subreaper,
    wait as reap,
};

use super::{id, own_id};
use crate::freezer::{FREEZE, HELD};
use crate::plan::{Plan, Second};
use crate::socket::by_short_path;

pub(super) enum End {
    Code(u8),
    Signal(i32),
}

/// How often processes are collected that lost their parent.
const COLLECT: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
/// How long processes may take to stop.
const STOP: Duration = Duration::from_secs(5);
/// The most processes and threads behind a boundary, also where the user may have more.
const MOST_THREADS: usize = 8192;
/// How often they are counted.
const COUNTED: Duration = Duration::from_millis(200);
/// How long every thread must have been stopped. One that is about to stop is shown as stopped a moment too early, and on a
/// busy machine that moment lasts some milliseconds.
const SETTLED: Duration = Duration::from_millis(10);

/// The connection by which the command can be frozen.
pub(super) fn control(plan: &Plan) -> Result<Option<UnixStream>, String> {
    let connected = plan.control.as_ref().map(|path| by_short_path(path, |path| UnixStream::connect(path))).transpose();
    connected.map_err(|error| format!("the freezer cannot be reached: {error}"))
}

/// Waits for the command; `first` is watched where no signal comes with its end.
pub(super) fn wait(mut child: Child, control: Option<UnixStream>, first: Option<&OwnedFd>) -> Result<End, String> {
    let lost = |error: &dyn std::fmt::Display| format!("the command is lost: {error}");
    let own = id(child.id()).ok_or_else(|| lost(&"it has no number"))?;
    let handle = pidfd_open(own, PidfdFlags::empty()).map_err(|error| lost(&error))?;
    let mut control = control;
    let mut still = None;
    let mut looked = Instant::now();
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
        if ready.get(watched) == Some(&true)
            && control.as_mut().is_some_and(|control| !answered(control, own, &mut still))
        {
            control = None;
        }
        collect(own);
        if looked.elapsed() >= COUNTED {
            looked = Instant::now();
            if crowded() {
                // Its own output is where the reason is looked for.
                super::say(&format!("it had more than {} processes and threads, and was ended", most_threads()));
                return Ok(End::Signal(Signal::KILL.as_raw()));
            }
        }
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

/// Does what the freezer asks; says whether it is still there. `still` are the threads since they were stopped.
fn answered(control: &mut UnixStream, command: Pid, still: &mut Option<Threads>) -> bool {
    let mut asked = [0];
    if !matches!(control.read(&mut asked), Ok(1)) {
        return false;
    }
    let [what] = asked;
    let done = match what {
        FREEZE => {
            // A command that has just ended cannot be held.
            let command = command.as_raw_nonzero().get();
            // Nor can one that leaves its caller no threads.
            *still = stopped().filter(|all| all.values().any(|thread| thread.process == command) && !crowded());
            still.is_some()
        }
        HELD => still.as_ref().is_some_and(|still| threads() == *still),
        _ => {
            *still = None;
            for process in below(own_id()) {
                signalled(process, Signal::CONT);
            }
            true
        }
    };
    control.write_all(&[if done { what } else { b'-' }]).is_ok()
}

fn signalled(process: i32, signal: Signal) {
    // One that has ended needs none.
    let _ = Pid::from_raw(process).map(|process| kill_process(process, signal));
}

/// Stops everything below this process; `None` where something of it goes on running. One that starts another while it is
/// stopped leaves that to the next round.
fn stopped() -> Option<Threads> {
    let began = Instant::now();
    let mut before: Option<(Instant, Threads)> = None;
    while began.elapsed() < STOP {
        let now = threads();
        let running: BTreeSet<i32> =
            now.values().filter(|thread| !thread.is_stopped()).map(|thread| thread.process).collect();
        match before.take() {
            _ if !running.is_empty() => {
                running.into_iter().for_each(|process| signalled(process, Signal::STOP));
            }
            Some((since, then)) if then == now => {
                if since.elapsed() >= SETTLED {
                    return Some(now);
                }
                before = Some((since, then));
            }
            _ => before = Some((Instant::now(), now)),
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// A thread that has not ended. One that ran has been switched to and from since.
#[derive(PartialEq)]
struct Thread {
    process: i32,
    state: u8,
    /// How often it left a processor: by itself, and for another one.
    switches: [u64; 2],
}

impl Thread {
    fn is_stopped(&self) -> bool {
        matches!(self.state, b'T' | b't')
    }
}

type Threads = BTreeMap<i32, Thread>;

/// The threads of every process below this one, also of one whose first thread has ended.
fn threads() -> Threads {
    let mut all = Threads::new();
    for process in below(own_id()) {
        for (id, entry) in numbered(&format!("/proc/{process}/task")) {
            let Ok(status) = std::fs::read(entry.join("status")) else { continue };
            let value = |name: &str| {
                let mut lines = status.split(|byte| *byte == b'\n');
                lines.find_map(|line| line.strip_prefix(name.as_bytes())).map(<[u8]>::trim_ascii)
            };
            let number = |name| value(name).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
            let Some(state) = value("State:").and_then(|state| state.first().copied()) else { continue };
            if !matches!(state, b'Z' | b'X') {
                let switches = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"];
                let switches = switches.map(|name| number(name).unwrap_or_default());
                all.insert(id, Thread { process, state, switches });
            }
        }
    }
    all
}

/// The most processes and threads of a command. Half of those that its user may have are left to its caller.
fn most_threads() -> usize {
    let of_user = getrlimit(Resource::Nproc).current.filter(|_| !rustix::process::getuid().is_root());
    let half = of_user.and_then(|all| usize::try_from(all / 2).ok());
    half.map_or(MOST_THREADS, |half| half.min(MOST_THREADS))
}

/// Checks for more threads behind the boundary than there may be.
fn crowded() -> bool {
    let most = most_threads();
    // Those of the whole system are the fifth but one word: `0.20 0.18 0.12 1/80 11206`.
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load.split([' ', '/']).nth(4).and_then(|number| number.parse().ok());
    if all.is_some_and(|all: usize| all <= most) {
        return false;
    }
    let of = |process: &i32| numbered(&format!("/proc/{process}/task")).count();
    below(own_id()).iter().map(of).sum::<usize>() > most
}

fn numbered(folder: &str) -> impl Iterator<Item = (i32, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
}

/// Every process below one, children after their parents. Of an init, these are all that lost their parent, too.
fn below(ancestor: i32) -> Vec<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (process, entry) in numbered("/proc") {
        let Ok(stat) = std::fs::read(entry.join("stat")) else { continue };
        // The name of a program is in brackets, and may contain any byte.
        let Some(end) = stat.iter().rposition(|byte| *byte == b')') else { continue };
        let rest = String::from_utf8_lossy(stat.get(end + 1..).unwrap_or_default());
        if let Some(parent) = rest.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![ancestor];
    // Each is taken out once, so that numbers which were given anew meanwhile make no circle.
    while let Some(of_one) = open.pop().map(|parent| children.remove(&parent).unwrap_or_default()) {
        found.extend_from_slice(&of_one);
        open.extend(of_one);
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
    loop {
        let left = below(own_id());
        if left.is_empty() {
            return;
        }
        // Stopped ones start no others. Children end before their parents, with whose end one that is stopped could go on.
        for signal in [Signal::STOP, Signal::KILL] {
            left.iter().rev().for_each(|process| signalled(*process, signal));
        }
        while matches!(reap(WaitOptions::NOHANG), Ok(Some(_))) {}
        std::thread::sleep(Duration::from_millis(1));
    }
}
