//! Landlock: files that cannot be opened, and signals and sockets that do not leave the boundary.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, Scope, path_beneath_rules,
};

use super::{capabilities, inherited};
use crate::plan::Plan;

/// The oldest that keeps a file from being cut that may not be written.
const LEAST: ABI = ABI::V3;
/// The newest whose rights are asked for, where the kernel has them.
const MOST: ABI = ABI::V6;
/// The files of /proc and /dev that a command can read: nothing of other processes.
const READ: &[&str] = &[
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys",
];
const WRITTEN: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"];
/// Every terminal of the system: only of another user, whom the caller's terminals are closed to.
const TERMINALS: &str = "/dev/pts";

/// A boundary for sockets and signals alone, prepared while the system's files are still there.
pub(super) fn scoped() -> Option<RulesetCreated> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset.scope(Scope::AbstractUnixSocket).ok()?.create().ok()
}

/// Applies it, where the kernel has it.
pub(super) fn apply(ruleset: Option<RulesetCreated>) {
    if let Some(ruleset) = ruleset {
        // Namespaces hold the boundary; this one adds to it.
        let _ = ruleset.restrict_self();
    }
}

/// Confines this process and becomes the command. Says why it did not.
pub(super) fn become_command(plan: &Plan) -> String {
    let mut command = match super::command(plan) {
        Ok(command) => command,
        Err(why) => return why,
    };
    if let Err(error) = capabilities::drop_all() {
        return format!("privileges cannot be dropped: {error}");
    }
    if let Some(missing) = plan.write.iter().find(|path| !path.exists()) {
        return format!("{} cannot be granted: there is nothing", missing.display());
    }
    if let Err(error) = confined(plan) {
        return format!("the system refuses Landlock: {error}");
    }
    if let Err(why) = inherited::leave_keyrings(plan) {
        return why;
    }
    inherited::leave_limits();
    let error = command.exec();
    super::not_started(plan, &error)
}

/// Paths without those that are hidden: a rule holds for all below a folder, so one that contains such a path is granted
/// by its other entries.
fn without(mut open: Vec<PathBuf>, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut granted = Vec::new();
    while let Some(path) = open.pop() {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if hidden.iter().any(|hidden| real.starts_with(hidden)) {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&real)) {
            let entries = std::fs::read_dir(&real).into_iter().flatten().flatten().map(|entry| entry.path());
            // A link to a folder may lead back to this one. A folder that it should lead to is granted by its own name.
            open.extend(entries.filter(|path| !path.is_symlink() || path.is_file()));
        } else {
            granted.push(path);
        }
    }
    granted
}

fn confined(plan: &Plan) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let ruleset = ruleset.handle_access(AccessFs::from_all(LEAST)).map_err(|error| failed(&error))?;
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    let ruleset = ruleset.handle_access(AccessFs::from_all(MOST)).map_err(|error| failed(&error))?;
    let ruleset = ruleset.scope(Scope::from_all(MOST)).map_err(|error| failed(&error))?;
    let ruleset = ruleset.create().map_err(|error| failed(&error))?;
    // A rule for a folder holds for all below: what contains a hidden path and is not asked for is left out before.
    let there = |paths: &[PathBuf]| paths.iter().filter(|path| path.exists()).cloned().collect::<Vec<_>>();
    let named = |paths: &[&str]| there(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
    let read = AccessFs::from_read(MOST);
    let terminals = plan.user.filter(|user| user.uid != rustix::process::getuid().as_raw()).map(|_| TERMINALS);
    let ruleset = ruleset
        .add_rules(path_beneath_rules(without(there(&plan.read), &super::mounts::hidden(plan)), read))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(named(READ), read)))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(named(WRITTEN), AccessFs::from_all(MOST))))
        .and_then(|ruleset| {
            ruleset.add_rules(path_beneath_rules(named(terminals.as_slice()), AccessFs::from_all(MOST)))
        })
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(there(&plan.write), AccessFs::from_all(MOST))));
    ruleset.and_then(RulesetCreated::restrict_self).map_err(|error| failed(&error))?;
    Ok(())
}
