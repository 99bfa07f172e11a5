//! A sandbox to a folder of files that gives the same verdicts.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use candor_check::difference::{Recording, write_part};
use candor_check::sandbox::{CAPTURE, Captured, CapturedPart, Gap};
use candor_check::{EVENTS, PartType, Sandbox, Unverifiable};
use jiff::Timestamp;

use crate::parts::{chosen, is_there, scratch};

/// Why nothing was captured.
#[derive(Debug)]
pub enum CaptureError {
    /// The caller named a part that does not exist.
    Part(String),
    /// The folder holds something already.
    NotEmpty(PathBuf),
    /// It cannot be written.
    Write(PathBuf, io::Error),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(what) => f.write_str(what),
            Self::NotEmpty(folder) => {
                write!(f, "{}: the folder is not empty; a capture is written into a new one", folder.display())
            }
            Self::Write(path, error) => write!(f, "{}: it cannot be written: {error}", path.display()),
        }
    }
}

impl std::error::Error for CaptureError {}

/// Writes the parts of a sandbox (those that are named, else all that it has) into a folder that is new or empty, with
/// `capture.json` next to them: when, from where, how many records, the hash of every file, and every gap.
///
/// A place that could not be read is a gap, not an error: a part of the capture reports its gaps to its readers.
///
/// # Errors
/// When a name is that of no part, or the folder cannot be written.
pub async fn capture(sandbox: &Sandbox, into: &Path, named: Option<&[String]>) -> Result<Captured, CaptureError> {
    let parts = chosen(sandbox, named).map_err(CaptureError::Part)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| CaptureError::Write(path, error)
    };
    fs::create_dir_all(into).map_err(failed(into))?;
    if fs::read_dir(into).map_err(failed(into))?.next().is_some() {
        return Err(CaptureError::NotEmpty(into.to_owned()));
    }
    let mut captured = Captured::new(now());
    for part in parts {
        let one = match is_there(sandbox, part).await {
            // Its records are in the events, which are copied whole.
            Ok(true) if !sandbox.has(part.name()) => {
                Ok(CapturedPart { from: EVENTS.to_owned(), ..CapturedPart::default() })
            }
            Ok(true) => write_part(sandbox, part, into, false).await,
            Ok(false) if named.is_none() => continue,
            Ok(false) => Err(sandbox.no_source(part.name())),
            Err(why) => Err(why),
        };
        let mut one = one.unwrap_or_else(|why| {
            // The folder represents the part, so that the part does not seem to have never been there.
            let _ = fs::create_dir_all(into.join(part.name()));
            CapturedPart { from: place(sandbox, part), gaps: vec![whole(part, why.details)], ..CapturedPart::default() }
        });
        match special(sandbox, part).await {
            Ok(special) => one.gaps.extend(special),
            // With a gap already, the capture is not whole.
            Err(why) if one.gaps.is_empty() => one.gaps.push(whole(part, why.details)),
            Err(_) => {}
        }
        captured.parts.insert(part.name().to_owned(), one);
    }
    let settings = sandbox.kept_settings();
    if !settings.is_empty() {
        let file = into.join("sandbox.toml");
        fs::write(&file, settings).map_err(failed(&file))?;
    }
    match sandbox.recorded_events() {
        Ok(None) => {}
        Ok(Some(events)) => {
            let file = into.join(EVENTS);
            fs::write(&file, events).map_err(failed(&file))?;
        }
        // Whichever part reads events lacks them.
        Err(why) => {
            for (name, part) in &mut captured.parts {
                part.gaps.push(Gap { place: format!("{name}/"), what: why.details.clone() });
            }
        }
    }
    write(&captured, into)?;
    count(sandbox, &mut captured, into).await;
    write(&captured, into)?;
    Ok(captured)
}

/// The pipes, sockets and devices of a part, which a copy lacks.
async fn special(sandbox: &Sandbox, part: PartType) -> Result<Vec<Gap>, Unverifiable> {
    let Some(folder) = sandbox.folder(part.name()) else { return Ok(Vec::new()) };
    let listing = sandbox.blocking(part.name(), move || folder.list()).await?;
    let gap = |(place, why): (String, Unverifiable)| {
        let what = why.details.strip_prefix(&place).unwrap_or(&why.details).trim_start().to_owned();
        Gap { place, what }
    };
    Ok(listing.special.into_iter().map(gap).collect())
}

fn write(captured: &Captured, into: &Path) -> Result<(), CaptureError> {
    let file = into.join(CAPTURE);
    let mut text = candor_json::to_vec_pretty(captured).unwrap_or_default();
    text.push(b'\n');
    fs::write(&file, text).map_err(|error| CaptureError::Write(file, error))
}

/// Counts the records of what was written. A part whose copy cannot be listed gets a gap.
async fn count(sandbox: &Sandbox, captured: &mut Captured, into: &Path) {
    let Ok(copy) = Sandbox::open(into, sandbox.parts()) else { return };
    let copy = copy.with_work(sandbox.work().clone());
    for part in sandbox.parts() {
        let Some(one) = captured.parts.get_mut(part.name()) else { continue };
        let mut kept = None;
        let counted = match Recording::of(&copy, *part, || scratch(&mut kept)).await {
            Ok(recording) => sandbox.work().wait(move || Ok((recording.count()?, recording.keys()?))).await,
            Err(why) => Ok(Err(why)),
        };
        match counted {
            Ok(Ok(((records, _), keys))) => (one.records, one.keys) = (records, keys),
            // A gap that is there already says why.
            _ if !one.gaps.is_empty() => {}
            Ok(Err(why)) => one.gaps.push(whole(*part, why.details)),
            Err(error) => one.gaps.push(whole(*part, format!("counting its records broke off: {error:?}"))),
        }
    }
}

/// The time in whole seconds.
fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

fn whole(part: PartType, what: String) -> Gap {
    Gap { place: format!("{}/", part.name()), what }
}

fn place(sandbox: &Sandbox, part: PartType) -> String {
    sandbox.section(part.name()).text("url").ok().flatten().unwrap_or_else(|| format!("{}/", part.name()))
}
