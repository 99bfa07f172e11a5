//! Runs the command in a copy of the workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use candor_check::{Obstacle, Sandbox, Source, Unverifiable, work};
use candor_process::{Boundary, Ended, Limited, plain, run_until, runs_file_of, uncoloured};
use tokio::sync::Semaphore;

use super::copy::Copy;
use super::counts::{self, Counts, NAMES};
use super::report::{self, Unread};
use super::seen::{End, Ran};
use super::settings::Settings;
use crate::files::Paths;
use crate::looked::Looked;
use crate::source::{Workspace, workspace};

/// Commands of one sandbox run one after the other: builds that share two cores would run out of their time together.
struct Turn(Semaphore);

impl Source for Turn {
    const READS: &'static [&'static str] = &[];

    async fn open(_: &Sandbox) -> Result<Self, Unverifiable> {
        Ok(Self(Semaphore::new(1)))
    }
}

/// Runs the command; `counted` where tests are.
pub(super) async fn observe(settings: &Settings, counted: bool, sandbox: &Sandbox) -> Looked<Ran> {
    Looked::at(look(settings, counted, sandbox).await, sandbox.work().now())
}

async fn look(settings: &Settings, counted: bool, sandbox: &Sandbox) -> Result<Ran, Unverifiable> {
    let folder = workspace(sandbox)?;
    let how = Workspace::of(sandbox)?.unwrap_or_default();
    let turn = sandbox.source::<Turn>().await?;
    // The semaphore is never closed; without a permit the run would only be less orderly.
    let _permit = turn.0.acquire().await;
    let guard = sandbox.workspace_guard().clone();
    if !guard.changes.is_empty() {
        // They may say whatever is asked for, so they are not run.
        return Ok(Ran::without_copy(End::Protected(guard.changes)));
    }
    let copy = sandbox.blocking("workspace/", move || Copy::of(&folder, &guard)).await?;
    let ran = run(settings, counted, &copy, &how, sandbox).await;
    // A large copy takes its time to be removed.
    let _ = sandbox.work().wait(move || drop(copy)).await;
    ran
}

async fn run(
    settings: &Settings,
    counted: bool,
    copy: &Copy,
    how: &Workspace,
    sandbox: &Sandbox,
) -> Result<Ran, Unverifiable> {
    let folder = settings.folder.iter().fold(copy.work(), |path, name| path.join(name));
    if !within(&folder, copy) || !folder.is_dir() {
        return Ok(Ran::not(End::NoFolder(settings.folder.join("/")), copy));
    }
    let command = match program(settings, &folder, copy)? {
        Ok(command) => command,
        Err(end) => return Ok(Ran::not(end, copy)),
    };
    if let Some(report) = &settings.report {
        let (work, report) = (copy.work(), report.clone());
        // A report that was there before the tests ran says nothing of them.
        sandbox.blocking("workspace/", move || removed(&work, &report)).await?;
    }
    let runs_file = runs_file_of(&settings.command.iter().map(OsString::from).collect::<Vec<_>>(), &folder);
    let boundary = boundary(sandbox, copy).map_err(|why| Unverifiable::new(Obstacle::SourceUnavailable, why))?;
    let held_by = boundary.as_ref().map_or("none", |boundary| boundary.mode.name());
    let limited = Limited { boundary, ..limited(settings, how, sandbox, copy, folder) };
    let began = Instant::now();
    let time = limited.time;
    let ran = sandbox.work().wait(move || run_until(&command, &limited, work::cancelled)).await;
    let ran = ran.unwrap_or_else(|error| Err(error.to_string()));
    let ran = ran.map_err(|why| Unverifiable::new(Obstacle::SourceUnavailable, why))?;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    // Files are named as in the workspace, and not where the copy of it lies.
    let copied = format!("{}/", copy.work().display());
    let text = |bytes: &[u8]| plain(&uncoloured(&String::from_utf8_lossy(bytes))).replace(&copied, "");
    let (stdout, stderr) = (text(&ran.stdout), text(&ran.stderr));
    let end = match ran.ended {
        Ended::Code(code) => End::Code(code),
        Ended::Signal(signal) => End::Signal(signal),
        Ended::TimedOut => End::TimedOut(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
    };
    let (mut tests, mut report) = (None, None);
    if counted {
        match &settings.report {
            None => {
                let both = [&ran.stdout, &ran.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                tests = counts::of(&both.join("\n"), ran.cut);
            }
            Some(globs) => {
                let (work, globs, limits) = (copy.work(), globs.clone(), sandbox.limits().clone());
                let read = move || Ok(reported(&work, &globs, limits.max_bytes));
                match sandbox.blocking("workspace/", read).await? {
                    Ok(counts) => tests = counts,
                    Err(what) => report = Some(what),
                }
            }
        }
    }
    Ok(Ran {
        end,
        stdout,
        stderr,
        cut: ran.cut,
        took_ms,
        runs_file,
        tests,
        report,
        own_tests: counted && own_tests(sandbox),
        boundary: Some(held_by.to_owned()),
        ..Ran::not(End::Code(0), copy)
    })
}

/// The boundary of the command where this process offers one: the copy can be written, and the sandbox is not there.
fn boundary(sandbox: &Sandbox, copy: &Copy) -> Result<Option<Boundary>, String> {
    let Some(boundary) = candor_confine::found().strongest()? else { return Ok(None) };
    let boundary = boundary.writing(copy.work()).writing(copy.tmp()).at_home(copy.home());
    Ok(Some(sandbox.evidence_paths().into_iter().fold(boundary, Boundary::hiding)))
}

fn limited(settings: &Settings, how: &Workspace, sandbox: &Sandbox, copy: &Copy, folder: PathBuf) -> Limited {
    let mut environment: Vec<(OsString, OsString)> =
        vec![("HOME".into(), copy.home().into()), ("TMPDIR".into(), copy.tmp().into()), ("CI".into(), "true".into())];
    // Where rustup keeps its compilers; it holds no secrets, and without it none is found from another HOME.
    if std::env::var_os("RUSTUP_HOME").is_none()
        && let Some(home) = std::env::var_os("HOME").map(|home| Path::new(&home).join(".rustup"))
        && home.is_dir()
    {
        environment.push(("RUSTUP_HOME".into(), home.into()));
    }
    let granted = how.environment.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    environment.extend(granted);
    environment.extend(settings.env.iter().map(|(name, value)| (name.into(), value.into())));
    let time = settings.timeout.min(how.timeout);
    Limited {
        folder,
        time,
        output: usize::try_from(how.max_output).unwrap_or(usize::MAX),
        environment,
        file_size: Some(sandbox.limits().max_total_bytes),
        // Many threads of one process may use many cores; what is ended by this has left the process group.
        cpu: Some(time.saturating_mul(64).max(Duration::from_secs(1))),
        ..Limited::default()
    }
}

fn own_tests(sandbox: &Sandbox) -> bool {
    let guard = sandbox.workspace_guard();
    guard.overlay.is_none() && !guard.protects
}

fn within(path: &Path, copy: &Copy) -> bool {
    match (path.canonicalize(), copy.work().canonicalize()) {
        (Ok(path), Ok(work)) => path.starts_with(work),
        _ => false,
    }
}

/// The command with its program found: a path is one within the workspace, a name is looked up in PATH.
fn program(settings: &Settings, folder: &Path, copy: &Copy) -> Result<Result<Vec<OsString>, End>, Unverifiable> {
    let mut command: Vec<OsString> = settings.command.iter().map(OsString::from).collect();
    let name = settings.command.first().map(String::as_str).unwrap_or_default();
    if name.starts_with('/') || !name.contains('/') {
        return Ok(Ok(command));
    }
    let path = folder.join(name);
    if !path.is_file() || !within(&path, copy) {
        return Ok(Err(End::NoProgram(name.to_owned())));
    }
    use std::os::unix::fs::PermissionsExt as _;
    let executable = path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
    if !executable {
        return Ok(Err(End::NoProgram(format!("{name}, which is not executable"))));
    }
    if let Some(first) = command.first_mut() {
        *first = path.into();
    }
    Ok(Ok(command))
}

fn matching(work: &Path, globs: &Paths) -> Result<Vec<PathBuf>, std::io::Error> {
    let (mut open, mut found) = (vec![work.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let below = path.strip_prefix(work).unwrap_or(&path).to_string_lossy().into_owned();
                if globs.matches(&below) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

fn removed(work: &Path, globs: &Paths) -> Result<(), Unverifiable> {
    let remove = || matching(work, globs)?.iter().try_for_each(std::fs::remove_file);
    remove().map_err(|error| {
        let details = format!("an old report cannot be removed from the copy: {error}");
        Unverifiable::new(Obstacle::SourceUnavailable, details)
    })
}

/// The sum of the counts of all reports; `None` without a report.
fn reported(work: &Path, globs: &Paths, most: u64) -> Result<Option<Counts>, Unread> {
    let mut sum: Option<Counts> = None;
    let name = |path: &Path| path.strip_prefix(work).unwrap_or(path).display().to_string();
    let unlisted = |error: std::io::Error| Unread::None(format!("the reports cannot be listed: {error}"));
    for path in matching(work, globs).map_err(unlisted)? {
        let before = format!("the report {} cannot be read: ", name(&path));
        let wrong = |what: String| Unread::None(what).of(&before);
        let size = path.metadata().map_err(|error| wrong(error.to_string()))?.len();
        if size > most {
            return Err(Unread::Limit("it is larger than the limit max_bytes".to_owned()).of(&before));
        }
        let bytes = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let counts = report::read(&bytes).map_err(|unread| unread.of(&before))?;
        let sum = sum.get_or_insert_with(|| Counts { by: counts.by.clone(), ..Counts::default() });
        sum.ran += counts.ran;
        sum.failed += counts.failed;
        sum.skipped += counts.skipped;
        sum.broken = sum.broken.saturating_add(counts.broken);
        let room = NAMES.saturating_sub(sum.names.len());
        sum.names.extend(counts.names.into_iter().take(room));
    }
    Ok(sum)
}
