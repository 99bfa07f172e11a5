//! Running a command within limits of time, output and environment, and ending it with everything that it started.
//!
//! A command is a list of arguments; no shell reads them. What it writes is data of whoever wrote the command.

mod caches;
mod copied;
mod copy;
mod diagnostics;
mod ending;
mod exit;
mod held;
mod lay;
mod limits;
mod words;

pub use caches::is_cache;
pub use candor_confine::Boundary;
pub use candor_confine::{Temporary, sweep, temporary};
pub use copied::{Copied, CopyError, Most, free_bytes};
pub use copy::{copy, copy_held, renew};
pub use diagnostics::{Diagnostics, diagnostics};
pub use ending::end_everything;
pub use exit::{XCPU, XFSZ, ended_from_outside, is_not_started, is_own_fault, signal_name};
pub use held::Held;
pub use lay::{cleared, lay_over};
pub use words::runs_file_of;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// Variables that a command is given of this process's environment: what programs need to be found and to run, and
/// nothing that could be a secret.
pub const ENVIRONMENT: &[&str] =
    &["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "CARGO_HOME", "RUSTUP_HOME"];
/// Those of them that do not depend on who runs it: the only ones behind a boundary, which has a HOME and a PATH of its own.
const BEHIND: &[&str] = &["LANG", "LC_ALL", "TZ"];

/// Within which limits a command runs.
#[derive(Clone, Debug)]
pub struct Limited {
    /// Where it runs.
    pub folder: PathBuf,
    /// How long it may take.
    pub time: Duration,
    /// How much of the end of its output is kept, in bytes; the rest is read and dropped.
    pub output: usize,
    /// Its standard input.
    pub input: Vec<u8>,
    /// Its environment in addition to [`ENVIRONMENT`]. A name in both has the value given here.
    pub environment: Vec<(OsString, OsString)>,
    /// The most bytes of any one file that it writes; on other systems than Linux to the next 512.
    pub file_size: Option<u64>,
    /// How much time of the processor each of its processes may take: this bounds a process that left the process
    /// group.
    pub cpu: Option<Duration>,
    /// The limits on what it can reach. Without them, it can reach everything that this process's user can.
    pub boundary: Option<Boundary>,
}

impl Default for Limited {
    fn default() -> Self {
        Self {
            folder: PathBuf::new(),
            time: Duration::from_secs(60),
            output: 64 << 10,
            input: Vec::new(),
            environment: Vec::new(),
            file_size: None,
            cpu: None,
            boundary: None,
        }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that did not come from here.
    Signal(i32),
    /// Its time was over, and it was ended.
    TimedOut,
}

/// A command that ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// The end of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
    /// True if more was written than was kept.
    pub cut: bool,
}

impl Ran {
    /// The first errors and the failed tests that it names, in a sentence; `None` where it names none.
    #[must_use]
    pub fn named(&self) -> Option<String> {
        let both = [&self.stdout, &self.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        diagnostics(&plain(&uncoloured(&both.join("\n")))).sentence()
    }

    /// The end of what it wrote, as text that steers no terminal: standard error, or standard output where that is empty.
    #[must_use]
    pub fn tail(&self) -> String {
        let bytes = if self.stderr.iter().any(|b| !b.is_ascii_whitespace()) { &self.stderr } else { &self.stdout };
        plain(uncoloured(&String::from_utf8_lossy(bytes)).trim())
    }
}

/// A command in a process group and an environment of its own, behind its boundary, ready to be started.
///
/// # Errors
/// When there is no program, or none that could be started behind the boundary.
pub fn command(program: &[OsString], limited: &Limited) -> Result<Command, String> {
    let behind = limited.boundary.as_ref().map(|boundary| limits::behind(program, limited, boundary)).transpose()?;
    let (name, arguments) = behind.as_deref().unwrap_or(program).split_first().ok_or("no command is given")?;
    let mut command = Command::new(name);
    command.args(arguments).env_clear().process_group(0).kill_on_drop(true);
    for name in if behind.is_some() { BEHIND } else { ENVIRONMENT } {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(limited.boundary.iter().flat_map(Boundary::environment));
    command.envs(limited.environment.iter().map(|(name, value)| (name, value)));
    if !limited.folder.as_os_str().is_empty() {
        command.current_dir(&limited.folder);
    }
    Ok(command)
}

/// Closes this process to others of the same user: on Linux they no longer read its environment and its memory, which
/// may hold the keys of what a verifier reads. Root still does. Nothing is closed on other systems, where this does
/// nothing.
pub fn close_to_others() {
    // Where the system refuses, things are as they were.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// The process group of a command: ended with everything in it when this is dropped, however that comes about. Behind a
/// boundary, everything that the command started has ended then, wherever it went.
pub struct Group {
    leader: Option<Pid>,
    confined: bool,
}

/// How long the end of what is behind a boundary is waited for. Processes end within milliseconds, but for one that waits
/// for a disk.
const ENDED: Duration = Duration::from_secs(5);

impl Group {
    /// The group that a child leads.
    #[must_use]
    pub fn of(child: &Child, limited: &Limited) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(leader) = leader {
            ending::runs(leader);
        }
        Self { leader, confined: limited.boundary.is_some() }
    }

    /// The process with which all behind the boundary ends: the leader's child.
    #[cfg(target_os = "linux")]
    fn first(&self) -> Vec<rustix::fd::OwnedFd> {
        let Some(leader) = self.leader.filter(|_| self.confined).map(Pid::as_raw_nonzero) else { return Vec::new() };
        let children = std::fs::read_to_string(format!("/proc/{leader}/task/{leader}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?));
        let handle = |id| rustix::process::pidfd_open(id, rustix::process::PidfdFlags::empty()).ok();
        children.filter_map(handle).collect()
    }

    #[cfg(not(target_os = "linux"))]
    fn first(&self) -> Vec<rustix::fd::OwnedFd> {
        Vec::new()
    }

    /// Sets the limits that the system holds, for the leader and for whatever it starts from now on. File sizes are
    /// exact here, where the launcher rounds them up to blocks. A command without a launcher gets its limits only here.
    #[cfg(target_os = "linux")]
    fn limit(&self, limited: &Limited) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limits = [
            // A crash is a crash without the memory of it on the disk.
            (Resource::Core, Some(0)),
            (Resource::Fsize, limited.file_size),
            (Resource::Cpu, limited.cpu.map(limits::seconds)),
        ];
        for (resource, most) in limits {
            if let (Some(leader), Some(_)) = (self.leader, most) {
                // One that has ended already needs no limits.
                let _ = prlimit(Some(leader), resource, Rlimit { current: most, maximum: most });
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn limit(&self, _: &Limited) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        // A group outlives its leader, so it is ended by the leader's number even after the leader is gone. An error
        // means that the group is empty, which is the aim.
        let first = self.first();
        if let Some(group) = self.leader.take() {
            ending::is_over(group);
            let _ = kill_process_group(group, Signal::KILL);
        }
        for handle in first {
            let time = rustix::event::Timespec::try_from(ENDED).ok();
            let _ = rustix::event::poll(&mut [PollFd::new(&handle, PollFlags::IN)], time.as_ref());
        }
    }
}

/// How long the output of a command that has ended is waited for: a process that it started may hold it.
const GRACE: Duration = Duration::from_millis(500);

/// How long after a command that somebody else ended. Whoever shuts the machine down ends this process, too, and then
/// nothing follows from how the command ended.
const ENDED_FROM_OUTSIDE: Duration = Duration::from_millis(300);

/// How often it is asked whether a command is still wanted.
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// Runs a command to its end. Processes that it leaves running are ended with it, so none delays the caller by keeping
/// its output open.
///
/// # Errors
/// When it cannot be started.
///
/// ```
/// use candor_process::{Ended, Limited, run};
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// let ran = runtime.block_on(run(&["echo".into(), "done".into()], &Limited::default())).unwrap();
/// assert_eq!((ran.ended, ran.stdout.as_slice()), (Ended::Code(0), &b"done\n"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn run(program: &[OsString], limited: &Limited) -> Result<Ran, String> {
    let mut command = command(&limits::launched(program, limited)?, limited)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = program.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut child = command.spawn().map_err(|error| format!("`{name}` cannot be started: {error}"))?;
    let group = Group::of(&child, limited);
    group.limit(limited);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A command that does not read its input is its own matter.
            let _ = stdin.write_all(&limited.input).await;
        }
    };
    let (mut out, mut err) = (Last::new(limited.output), Last::new(limited.output));
    let done = {
        let mut piped = std::pin::pin!(async { tokio::join!(feed, out.read(stdout), err.read(stderr)) });
        let mut read = false;
        let work = async {
            tokio::select! {
                status = child.wait() => status,
                _ = &mut piped => {
                    read = true;
                    child.wait().await
                }
            }
        };
        let done = tokio::time::timeout(limited.time, work).await;
        if done.is_ok() && !read {
            // What it wrote is in the pipes; whoever still holds them is not waited for.
            let _ = tokio::time::timeout(GRACE, piped).await;
        }
        done
    };
    drop(group);
    // Whoever was ended is waited for, so that it is gone and not only dying.
    let _ = child.wait().await;
    // The boundary could not be made: nothing ran.
    if let Some(problem) = limited.boundary.as_ref().and_then(Boundary::problem) {
        return Err(format!("`{name}` cannot be started: {problem}"));
    }
    Ok(match done {
        Ok(status) => {
            let status = status.map_err(|error| format!("`{name}` was lost: {error}"))?;
            let ended = match (status.code(), std::os::unix::process::ExitStatusExt::signal(&status)) {
                (Some(code), _) => Ended::Code(code),
                (None, signal) => Ended::Signal(signal.unwrap_or_default()),
            };
            let from_outside = match ended {
                Ended::Signal(signal) => !is_own_fault(signal),
                Ended::Code(code) => ended_from_outside(code).is_some(),
                Ended::TimedOut => false,
            };
            if from_outside {
                tokio::time::sleep(ENDED_FROM_OUTSIDE).await;
            }
            Ran { ended, cut: out.cut || err.cut, stdout: out.kept.into(), stderr: err.kept.into() }
        }
        // What it had written by then says how far it came.
        Err(_) => Ran { ended: Ended::TimedOut, stdout: out.kept.into(), stderr: err.kept.into(), cut: true },
    })
}

/// As [`run`], for a thread that may block and may have no runtime. The command is ended soon after `unwanted` is true.
///
/// # Errors
/// As [`run`].
pub fn run_until(program: &[OsString], limited: &Limited, unwanted: impl Fn() -> bool) -> Result<Ran, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime could be made: {error}"))?;
    let ended = async {
        while !unwanted() {
            tokio::time::sleep(ASKED_EVERY).await;
        }
    };
    runtime.block_on(async {
        tokio::select! {
            ran = run(program, limited) => ran,
            () = ended => Err("the caller no longer waits for it".to_owned()),
        }
    })
}

/// The last bytes of what is read, at any time.
struct Last {
    kept: VecDeque<u8>,
    most: usize,
    cut: bool,
}

impl Last {
    fn new(most: usize) -> Self {
        Self { kept: VecDeque::new(), most, cut: false }
    }

    async fn read(&mut self, from: Option<impl AsyncRead + Unpin>) {
        let Some(mut from) = from else { return };
        let mut buffer = vec![0; 16 << 10];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            self.kept.extend(buffer.get(..read).unwrap_or_default());
            if self.kept.len() > self.most {
                self.kept.drain(..self.kept.len() - self.most);
                self.cut = true;
            }
        }
    }
}

/// Text without what could steer a terminal: control characters but for line ends and tabs, and those that turn the
/// direction of writing.
#[must_use]
pub fn plain(text: &str) -> String {
    let steers = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|&c| (!c.is_control() || matches!(c, '\n' | '\t')) && !steers(c)).collect()
}

/// Text without the sequences that colour it on a terminal.
#[must_use]
pub fn uncoloured(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next_if_eq(&'[').is_some() {
            // CSI … final byte. Source: ECMA-48, 5.4. One that is not ended ends with its line.
            while chars.next_if(|&c| c != '\n' && !('@'..='~').contains(&c)).is_some() {}
            chars.next_if(|&c| c != '\n');
        } else {
            chars.next_if(|&c| c != '\n');
        }
    }
    out
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
