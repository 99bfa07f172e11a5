//! The command line by which a boundary is handed to the program that applies it: pairs of a name and a value, then `--`
//! and the command.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use crate::kinds::{Mode, Overlay, User};

/// The exit code when the boundary could not be made, or the command could not be started behind it.
pub(crate) const NOT_STARTED: u8 = 125;

/// How the sentence begins that says why a command cannot be kept from keyrings.
pub(crate) const KEYRINGS: &str = "the system keeps no command from keyrings";
/// The value of `--keyrings` where it is started nonetheless.
const KEPT: &str = "kept";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    /// Paths that are not there even where a granted folder contains them.
    pub(crate) hide: Vec<PathBuf>,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) upper: Option<PathBuf>,
    pub(crate) user: Option<User>,
    /// True if the command is started even where it cannot be kept from the keyrings of its caller.
    pub(crate) keeps_keyrings: bool,
    /// The file that receives why the command could not be started.
    pub(crate) problem: Option<PathBuf>,
    /// The socket by which the command can be frozen.
    pub(crate) control: Option<PathBuf>,
    pub(crate) parent: Option<i32>,
    /// For the second process: how it reaches the first one.
    pub(crate) second: Option<Second>,
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Second {
    pub(crate) first: i32,
    /// The descriptor of the pipe that the first one reads.
    pub(crate) pipe: i32,
    pub(crate) last: bool,
}

impl Plan {
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut all: Vec<OsString> = vec!["--mode".into(), self.mode.name().into()];
        let mut push = |name: &str, value: OsString| all.extend([name.into(), value]);
        let lists = [("--read", &self.read), ("--write", &self.write), ("--hide", &self.hide)];
        for (name, paths) in lists {
            paths.iter().for_each(|path| push(name, path.into()));
        }
        if let Some(overlay) = &self.overlay {
            push("--lower", overlay.lower.clone().into());
            push("--at", overlay.at.clone().into());
        }
        let paths = [("--upper", &self.upper), ("--problem", &self.problem), ("--control", &self.control)];
        for (name, path) in paths {
            path.iter().for_each(|path| push(name, path.into()));
        }
        if let Some(User { uid, gid }) = self.user {
            push("--user", format!("{uid}:{gid}").into());
        }
        if self.keeps_keyrings {
            push("--keyrings", KEPT.into());
        }
        if let Some(parent) = self.parent {
            push("--parent", parent.to_string().into());
        }
        if let Some(Second { first, pipe, last }) = self.second {
            push("--second", format!("{first}:{pipe}:{}", u8::from(last)).into());
        }
        all.push("--".into());
        all.extend(self.command.iter().cloned());
        all
    }

    /// Reads what [`Plan::arguments`] wrote.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, String> {
        let mut plan = Self::default();
        let (mut lower, mut at) = (None, None);
        let mut arguments = arguments.into_iter();
        while let Some(name) = arguments.next() {
            let shown = name.to_string_lossy().into_owned();
            if shown == "--" {
                plan.command = arguments.collect();
                break;
            }
            let value = arguments.next().ok_or_else(|| format!("{shown} has no value"))?;
            let wrong = || format!("{shown} is {value:?}, which cannot be read");
            match shown.as_str() {
                "--mode" => plan.mode = value.to_str().and_then(Mode::named).ok_or_else(wrong)?,
                "--read" => plan.read.push(absolute(value, &shown)?),
                "--write" => plan.write.push(absolute(value, &shown)?),
                "--hide" => plan.hide.push(absolute(value, &shown)?),
                "--lower" => lower = Some(absolute(value, &shown)?),
                "--at" => at = Some(absolute(value, &shown)?),
                "--upper" => plan.upper = Some(absolute(value, &shown)?),
                "--problem" => plan.problem = Some(absolute(value, &shown)?),
                "--control" => plan.control = Some(absolute(value, &shown)?),
                "--keyrings" => plan.keeps_keyrings = (value == KEPT).then_some(true).ok_or_else(wrong)?,
                "--parent" => plan.parent = Some(number(&value).ok_or_else(wrong)?),
                "--user" => {
                    let (uid, gid) = value.to_str().and_then(|value| value.split_once(':')).ok_or_else(wrong)?;
                    let (uid, gid) = (uid.parse().ok(), gid.parse().ok());
                    plan.user = Some(User { uid: uid.ok_or_else(wrong)?, gid: gid.ok_or_else(wrong)? });
                }
                "--second" => {
                    let parts: Vec<i32> = value.to_string_lossy().split(':').filter_map(|n| n.parse().ok()).collect();
                    let &[first, pipe, last] = parts.as_slice() else { return Err(wrong()) };
                    plan.second = Some(Second { first, pipe, last: last != 0 });
                }
                _ => return Err(format!("unknown option {shown}")),
            }
        }
        plan.overlay = match (lower, at) {
            (Some(lower), Some(at)) => Some(Overlay { lower, at }),
            (None, None) => None,
            _ => return Err("--lower and --at belong together".to_owned()),
        };
        if plan.command.is_empty() {
            return Err("no command is given behind `--`".to_owned());
        }
        Ok(plan)
    }
}

fn number(value: &OsString) -> Option<i32> {
    value.to_str()?.parse().ok().filter(|&number| number > 0)
}

/// A path as an argument: from the root, and without `..`, so that it names one place before and after links are followed.
fn absolute(value: OsString, name: &str) -> Result<PathBuf, String> {
    let shown = value.to_string_lossy().into_owned();
    let path = PathBuf::from(OsString::from_vec(value.as_bytes().to_vec()));
    let plain = path.is_absolute() && !path.components().any(|part| part == std::path::Component::ParentDir);
    plain.then_some(path).ok_or_else(|| format!("{name} is {shown:?}; expected an absolute path without `..`"))
}
