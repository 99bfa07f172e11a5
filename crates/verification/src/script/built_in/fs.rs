//! `fs.stat` and `fs.read`: the workspace and what is granted, and nothing beyond by any link.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use rustix::fs::{Mode, OFlags};
use serde_json::{Value as Json, json};

/// The most bytes of a file that is read.
const MOST: u64 = 8 << 20;

/// Why a path was not read, in a sentence.
pub(super) enum Unread {
    /// The workspace holds no text file there.
    Work(String),
    /// The program may not read it, or the operator's file is not a text.
    Refused(String),
}

/// The files that a program may read.
#[derive(Debug)]
pub(super) struct Files {
    workspace: PathBuf,
    granted: Vec<PathBuf>,
}

impl Files {
    pub(super) fn new(workspace: &Path, granted: &[PathBuf]) -> Self {
        let workspace = Some(workspace.to_owned()).filter(|path| !path.as_os_str().is_empty());
        let granted = workspace.iter().chain(granted).map(|path| crate::guard::real(path)).collect();
        Self { workspace: workspace.unwrap_or_default(), granted }
    }

    /// The properties of what lies at a path; `None` where nothing does.
    pub(super) fn stat(&self, asked: &str) -> Result<Json, Unread> {
        self.properties(asked).map_err(|why| self.unread(asked, why))
    }

    pub(super) fn read(&self, asked: &str) -> Result<String, Unread> {
        self.text(asked).map_err(|why| self.unread(asked, why))
    }

    fn unread(&self, asked: &str, why: String) -> Unread {
        let workspace = self.granted.first().filter(|_| !self.workspace.as_os_str().is_empty());
        let real = crate::guard::real(&self.workspace.join(asked));
        let climbs = real.components().any(|part| part == Component::ParentDir);
        match workspace.is_some_and(|workspace| !climbs && real.starts_with(workspace)) {
            true => Unread::Work(why),
            false => Unread::Refused(why),
        }
    }

    fn properties(&self, asked: &str) -> Result<Json, String> {
        let real = self.real(asked)?;
        let metadata = match real.as_deref().map(std::fs::metadata) {
            None => return Ok(Json::Null),
            Some(Ok(metadata)) => metadata,
            Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Json::Null),
            Some(Err(error)) => return Err(unreadable(asked, &error)),
        };
        let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        Ok(json!({
            "exists": true,
            "is_file": metadata.is_file(),
            "is_dir": metadata.is_dir(),
            "size": metadata.len(),
            "modified": modified.map(|time| format!("{time:.3}")),
        }))
    }

    fn text(&self, asked: &str) -> Result<String, String> {
        let error = |error: std::io::Error| unreadable(asked, &error);
        let no_file = || format!("`{asked}` is no file");
        let real = self.real(asked)?.ok_or_else(|| format!("`{asked}` is not there"))?;
        // What is no file is not opened; should it become something else before it is, opening it does not wait.
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
            return Err(format!("`{asked}` changes while it is read"));
        }
        let mut bytes = Vec::new();
        file.take(MOST + 1).read_to_end(&mut bytes).map_err(error)?;
        if bytes.len() as u64 > MOST {
            return Err(format!("`{asked}` is larger than {MOST} bytes"));
        }
        String::from_utf8(bytes)
            .map_err(|error| format!("`{asked}` is no UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
    }

    /// Where a path leads when every link is followed; nothing where nothing is there.
    fn real(&self, asked: &str) -> Result<Option<PathBuf>, String> {
        let asked_path = Path::new(asked);
        if asked_path.is_relative() && self.workspace.as_os_str().is_empty() {
            return Err(format!("there is no workspace that `{asked}` could be in"));
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
            return Err(format!(
                "`{asked}` leads to what is not granted; grant it with --allow-read {}",
                real.display()
            ));
        }
        Ok(there.then_some(real))
    }
}

fn unreadable(asked: &str, error: &std::io::Error) -> String {
    format!("`{asked}` cannot be read: {error}")
}
