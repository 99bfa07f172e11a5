//! The limits that the system holds for a command, set before the command is there.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Boundary, Limited};

/// A shell that sets limits on itself and becomes the command, with the same number: nothing of the command runs without
/// them. What the shell's own limit does not let it set is held to that limit already. Sizes are in blocks of 512 bytes.
const LAUNCHER: &str = "ulimit -c 0 2>/dev/null; [ -z \"$1\" ] || ulimit -f \"$1\" 2>/dev/null; \
                        [ -z \"$2\" ] || ulimit -t \"$2\" 2>/dev/null; shift 2; exec \"$@\"";
const BLOCK: u64 = 512;
const SHELL: &str = "/bin/sh";

/// The command to start: by the launcher if there are limits, and unchanged if there are not.
///
/// # Errors
/// When there is no such program that could be started.
pub(super) fn launched(program: &[OsString], limited: &Limited) -> Result<Vec<OsString>, String> {
    if limited.file_size.is_none() && limited.cpu.is_none() {
        return Ok(program.to_vec());
    }
    let name = program.first().ok_or("no command is given")?;
    startable(name, limited).map_err(|why| format!("`{}` cannot be started: {why}", name.to_string_lossy()))?;
    let number = |number: Option<u64>| OsString::from(number.map(|number| number.to_string()).unwrap_or_default());
    let blocks = limited.file_size.map(|size| size.div_ceil(BLOCK));
    let launcher = [SHELL.into(), "-c".into(), LAUNCHER.into(), "candor".into()];
    let limits = [number(blocks), number(limited.cpu.map(seconds))];
    Ok(launcher.into_iter().chain(limits).chain(program.iter().cloned()).collect())
}

/// The command line that puts a command behind its boundary.
///
/// # Errors
/// When there is no such program that could be started, or no such boundary.
pub(super) fn behind(program: &[OsString], limited: &Limited, boundary: &Boundary) -> Result<Vec<OsString>, String> {
    let name = program.first().ok_or("no command is given")?;
    startable(name, limited).map_err(|why| format!("`{}` cannot be started: {why}", name.to_string_lossy()))?;
    boundary.launched(program)
}

/// Whole seconds, the last of them in full.
pub(super) fn seconds(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))
}

/// Fails if there is no such program, found as the shell will look for it: the shell's complaint about a missing
/// program is not output of the command.
fn startable(name: &OsStr, limited: &Limited) -> Result<(), String> {
    if name.is_empty() {
        return Err("it has no name".to_owned());
    }
    let candidates: Vec<PathBuf> = if name.as_bytes().contains(&b'/') {
        vec![limited.folder.join(name)]
    } else {
        let given = limited.environment.iter().rev().find(|(variable, _)| variable == "PATH");
        let own = || limited.boundary.as_ref().map_or_else(|| std::env::var_os("PATH"), |own| Some(own.path()));
        let path = given.map(|(_, value)| value.clone()).or_else(own).unwrap_or_default();
        std::env::split_paths(&path).map(|folder| limited.folder.join(folder).join(name)).collect()
    };
    let there = |path: &&PathBuf| path.is_file();
    match candidates.iter().find(|path| is_executable(path)) {
        Some(_) => Ok(()),
        None if candidates.iter().any(|path| there(&path)) => Err("it may not be executed".to_owned()),
        None => Err("there is no such program".to_owned()),
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
