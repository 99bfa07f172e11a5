//! `fs.stat` and `fs.read`: the workspace and what is granted, and nothing beyond by any link.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use candor_json::{Value as Json, json};
use rustix::fs::{Mode, OFlags};

use super::system::{Unread, nearest, unreadable};
use crate::script::protocol::{Call, Task};

/// The most bytes of a file that is read.
const MOST: u64 = 8 << 20;

#[derive(Debug)]
pub(super) struct Files {
    workspace: PathBuf,
    granted: Vec<PathBuf>,
    said: Said,
}

/// The claim of the delegate, and the strings that the program has of its operator.
#[derive(Debug)]
struct Said {
    claim: [String; 3],
    operator: Vec<String>,
}

impl Said {
    fn of(call: &Call) -> Self {
        let (result, args) = match &call.task {
            Task::Run { result, args, .. } => (result, args.get()),
            Task::Handle { result, .. } => (result, ""),
        };
        let claim = [&*text(&result.response), result.tool_calls.get(), result.tool_results.get()].map(str::to_owned);
        let env = call.env.values().flatten().map(String::as_str);
        Self { claim, operator: [call.source.as_str(), args].into_iter().chain(env).map(str::to_owned).collect() }
    }

    /// Returns `true` if the delegate chose a path, and no operator.
    fn claims(&self, path: &str) -> bool {
        let path = text(path);
        !path.is_empty()
            && self.claim.iter().any(|said| said.contains(&path))
            && !self.operator.iter().any(|own| own.contains(&path))
    }
}

/// A text as JSON writes it.
fn text(text: &str) -> String {
    let text = Json::from(text).to_string();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default().to_owned()
}

impl Files {
    pub(super) fn new(call: &Call) -> Self {
        let workspace = Some(call.workspace.clone()).filter(|path| !path.as_os_str().is_empty());
        let granted = workspace.iter().chain(&call.read).map(|path| crate::guard::real(path)).collect();
        Self { workspace: workspace.unwrap_or_default(), granted, said: Said::of(call) }
    }

    /// The properties of what lies at a path; `None` where nothing does.
    pub(super) fn stat(&self, asked: &str) -> Result<Json, Unread> {
        self.properties(asked).map_err(|why| self.unread(asked, why))
    }

    pub(super) fn read(&self, asked: &str) -> Result<String, Unread> {
        self.text(asked).map_err(|why| self.unread(asked, why))
    }

    /// A file that is wrong is the work's fault where the work made it, the link that leads out, or its path.
    fn unread(&self, asked: &str, why: Unread) -> Unread {
        let real = crate::guard::real(&self.workspace.join(asked));
        let climbs = real.components().any(|part| part == Component::ParentDir);
        let granted = |granted: &PathBuf| real.starts_with(granted);
        let inside = self.copy().is_some_and(|copy| !climbs && granted(copy));
        let led_out = self.in_workspace(asked) && !self.granted.iter().any(granted);
        match why {
            Unread::Work(why) if !inside && !led_out && !self.said.claims(asked) => Unread::Refused(why),
            why => why,
        }
    }

    /// The workspace itself, if the script has one.
    fn copy(&self) -> Option<&PathBuf> {
        self.granted.first().filter(|_| !self.workspace.as_os_str().is_empty())
    }

    /// Returns `true` if a path names something in the workspace, before any link is followed.
    fn in_workspace(&self, asked: &str) -> bool {
        let asked = Path::new(asked);
        let climbs = asked.components().any(|part| part == Component::ParentDir);
        let path = self.workspace.join(asked);
        !climbs && self.copy().is_some_and(|copy| path.starts_with(&self.workspace) || path.starts_with(copy))
    }

    fn properties(&self, asked: &str) -> Result<Json, Unread> {
        let real = self.real(asked)?;
        let metadata = match real.as_deref().map(std::fs::metadata) {
            None => return Ok(Json::Null),
            Some(Ok(metadata)) => metadata,
            Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Json::Null),
            Some(Err(error)) => return Err(unreadable(asked, &error)),
        };
        let modified = metadata.modified().ok().map(nearest);
        Ok(json!({
            "exists": true,
            "is_file": metadata.is_file(),
            "is_dir": metadata.is_dir(),
            "size": metadata.len(),
            "modified": modified.map(|time| format!("{time:.3}")),
        }))
    }

    fn text(&self, asked: &str) -> Result<String, Unread> {
        let error = |error: std::io::Error| unreadable(asked, &error);
        let no_file = || Unread::Work(format!("`{asked}` is not a file"));
        let real = self.real(asked)?.ok_or_else(|| Unread::Work(format!("`{asked}` is not there")))?;
        // Only a file is opened. If the path becomes something else before that, opening it does not wait.
        if !std::fs::metadata(&real).map_err(error)?.is_file() {
            return Err(no_file());
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened: OwnedFd = rustix::fs::open(&real, flags, Mode::empty()).map_err(|e| error(e.into()))?;
        let file = File::from(opened);
        if !file.metadata().map_err(error)?.is_file() {
            return Err(no_file());
        }
        // A folder on the way may have become a link meanwhile. Where the system tells, what was opened tells its path.
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if opened.ok().or(self.real(asked)?).as_ref() != Some(&real) {
            return Err(Unread::Refused(format!("`{asked}` changes while it is read")));
        }
        let mut bytes = Vec::new();
        file.take(MOST + 1).read_to_end(&mut bytes).map_err(error)?;
        if bytes.len() as u64 > MOST {
            return Err(Unread::Work(format!("`{asked}` is larger than {MOST} bytes")));
        }
        String::from_utf8(bytes).map_err(|error| {
            Unread::Work(format!("`{asked}` is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
        })
    }

    /// Where a path leads when every link is followed; nothing where nothing is there.
    fn real(&self, asked: &str) -> Result<Option<PathBuf>, Unread> {
        let asked_path = Path::new(asked);
        if asked_path.is_relative() && self.workspace.as_os_str().is_empty() {
            return Err(Unread::Refused(format!("there is no workspace that `{asked}` could be in")));
        }
        let path = self.workspace.join(asked_path);
        let (real, there) = match path.canonicalize() {
            Ok(real) => (real, true),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                (crate::guard::real(&path), false)
            }
            Err(error) => return Err(unreadable(asked, &error)),
        };
        let climbs = real.components().any(|part| part == Component::ParentDir);
        if climbs || !self.granted.iter().any(|granted| real.starts_with(granted)) {
            if self.in_workspace(asked) {
                return Err(Unread::Work(format!("`{asked}` leads out of the workspace by a link")));
            }
            if self.said.claims(asked) {
                return Err(Unread::Work(format!("`{asked}`, which the answer names, is not in the workspace")));
            }
            return Err(Unread::Refused(format!(
                "`{asked}` leads to what is not granted; grant it with --allow-read {}",
                real.display()
            )));
        }
        Ok(there.then_some(real))
    }
}
