//! The parts of a boundary: its mechanism, a layer over a folder, and the user who runs the command.

use std::fs;
use std::path::PathBuf;

/// The mechanism that holds a boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// PID, mount and IPC namespaces: what is not granted is not there, and everything ends with the init.
    #[default]
    Namespaces,
    /// Landlock: what is not granted cannot be opened; a subreaper ends what a command leaves.
    Landlock,
}

impl Mode {
    /// Its name, as records have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
        }
    }

    /// The mode of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Namespaces, Self::Landlock].into_iter().find(|mode| mode.name() == name)
    }
}

/// A folder that a command sees as its own: what it writes is in a layer above, which is removed with the boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The folder below, which never changes.
    pub lower: PathBuf,
    /// Where the command sees it.
    pub at: PathBuf,
}

/// A user of the system, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The user.
    pub uid: u32,
    /// The group; there are no others.
    pub gid: u32,
}

impl User {
    /// The user of a name in `/etc/passwd`, or of a number there.
    ///
    /// # Errors
    /// When there is no such user.
    pub fn named(name: &str) -> Result<Self, String> {
        let users = fs::read_to_string("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}"))?;
        let user = users.lines().find_map(|line| {
            let mut parts = line.split(':');
            let (login, _, uid, gid) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            (login == name || uid == name).then_some(())?;
            Some(Self { uid: uid.parse().ok()?, gid: gid.parse().ok()? })
        });
        user.ok_or_else(|| format!("there is no user `{name}` in /etc/passwd"))
    }
}
