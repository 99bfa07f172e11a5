//! Namespaces: the command's own processes, mounts and message queues.

use std::fs;

use rustix::process::{
    DumpableBehavior, Signal, geteuid, getgid, getuid, set_dumpable_behavior, set_parent_process_death_signal,
};
use rustix::thread::UnshareFlags;

use super::{capabilities, inherited, landlock, monitor, mounts};
use crate::plan::{Plan, Second};

/// Makes the namespaces; this process's next child is the init of them.
pub(super) fn enter() -> Result<(), String> {
    let own = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    let refused = |error: rustix::io::Errno| format!("the system refuses namespaces: {error}");
    if geteuid().is_root() && unshare(own).is_ok() {
        return Ok(());
    }
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    unshare(own | UnshareFlags::NEWUSER).map_err(refused)?;
    let written = |file: &str, text: &str| {
        let path = format!("/proc/self/{file}");
        fs::write(&path, text).map_err(|error| format!("the system refuses namespaces: {path}: {error}"))
    };
    // Groups could be dropped, by which a file is closed to a user; so the system wants it said that they are not.
    written("setgroups", "deny")?;
    written("uid_map", &format!("{uid} {uid} 1"))?;
    written("gid_map", &format!("{gid} {gid} 1"))?;
    capabilities::hand_on().map_err(refused)
}

/// The function is safe where descriptors stay shared: it is deprecated for a flag that is not among these.
#[allow(deprecated)]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    rustix::thread::unshare(flags)
}

/// The init: makes the command's files, starts it, and with itself ends everything.
pub(super) fn init(plan: &Plan, second: Second) -> Result<monitor::End, String> {
    let failed = |what: &str, error: rustix::io::Errno| format!("{what}: {error}");
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|e| failed("no signal with the parent's end", e))?;
    // The parent could have ended before. Its number is that of the /proc of before.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).and_then(|id| id.trim().parse().ok());
    if parent != Some(second.first) {
        return Err("the process that started the boundary has ended".to_owned());
    }
    // No terminal to write into.
    let _ = rustix::process::setsid();
    let control = monitor::control(plan)?;
    let folder = std::env::current_dir().map_err(|error| format!("the working folder is not there: {error}"))?;
    let prepared = landlock::scoped();
    mounts::replace_root(plan)?;
    std::env::set_current_dir(&folder)
        .map_err(|error| format!("the working folder {} is not granted: {error}", folder.display()))?;
    capabilities::drop_all().map_err(|e| failed("privileges cannot be dropped", e))?;
    // Where the kernel has it, abstract sockets of the machine are closed, too.
    landlock::apply(prepared);
    inherited::leave_keyrings(plan)?;
    // Processes behind the boundary must not read the memory of this one.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|e| failed("the init cannot be closed", e))?;
    let child = super::command(plan)?.spawn().map_err(|error| super::not_started(plan, &error))?;
    // Privileges that were dropped may have cleared it.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|e| failed("no signal with the parent's end", e))?;
    monitor::wait(child, control, None)
}
