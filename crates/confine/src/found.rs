//! What this system offers, found out by trying it once.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::plan::KEYRINGS;
use crate::{Boundary, Mode};

/// The program that confines itself, as this process offers it.
static SHIM: OnceLock<(Vec<OsString>, Option<Mode>)> = OnceLock::new();
static FOUND: OnceLock<Found> = OnceLock::new();

/// Names the program, and what precedes its arguments, by which this process starts commands behind a boundary:
/// `candor confine`. Without it there is no boundary. `only` leaves all other mechanisms out.
pub fn offer(shim: Vec<OsString>, only: Option<Mode>) {
    // The first one is in use.
    let _ = SHIM.set((shim, only));
}

/// What the system offers.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Each mechanism, and why it is not there.
    pub modes: Vec<(Mode, Result<(), String>)>,
    /// Why no folder can be seen through a layer of its own, if none can.
    pub overlay: Option<String>,
    /// Why commands reach the keyrings of their caller, if they do.
    pub keyrings: Option<String>,
    /// Why this process's user cannot run the program that confines itself, if a folder above it is closed. Then nothing was
    /// tried, and the system may offer what is missing here.
    pub closed: Option<String>,
    shim: Vec<OsString>,
}

impl Found {
    /// The strongest mechanism that there is.
    #[must_use]
    pub fn best(&self) -> Option<Mode> {
        self.modes.iter().find(|(_, offered)| offered.is_ok()).map(|(mode, _)| *mode)
    }

    /// Why stronger mechanisms than this one are not in use, and what this one does not hold on this system.
    #[must_use]
    pub fn weaker_because(&self, mode: Option<Mode>) -> Vec<String> {
        let stronger = self.modes.iter().take_while(|(other, _)| Some(*other) != mode);
        let stronger = stronger.filter_map(|(other, why)| Some(format!("{}: {}", other.name(), why.as_ref().err()?)));
        let keyrings = self.keyrings.iter().filter(|_| mode.is_some()).map(|why| format!("keyrings: {why}"));
        stronger.chain(keyrings).collect()
    }

    /// A boundary of a mechanism.
    ///
    /// # Errors
    /// When the system does not offer it, or no temporary folder can be made.
    pub fn boundary(&self, mode: Mode) -> Result<Boundary, String> {
        match self.modes.iter().find(|(other, _)| *other == mode) {
            Some((_, Ok(()))) => Boundary::new(mode, self.shim.clone())
                .map(|boundary| boundary.keeping_keyrings(self.keyrings.is_some()))
                .map_err(|error| format!("no folder for HOME and TMPDIR can be made: {error}")),
            Some((_, Err(why))) => Err(format!("{}: {why}", mode.name())),
            None => Err(format!("{}: this program does not offer it", mode.name())),
        }
    }

    /// Tries every mechanism, or one, with a program that applies it.
    #[must_use]
    pub fn by(shim: Vec<OsString>, only: Option<Mode>) -> Self {
        let wanted = |mode: &Mode| only.is_none_or(|only| only == *mode);
        let user = rustix::process::geteuid().as_raw();
        let closed = shim.first().and_then(|program| closed(Path::new(program), user, is_refused));
        let mut found = Self { shim, closed, ..Self::default() };
        for mode in [Mode::Namespaces, Mode::Landlock].into_iter().filter(wanted) {
            let mut offered = found.tried(mode, false);
            if let Some(why) = offered.as_ref().err().filter(|why| why.starts_with(KEYRINGS)).cloned() {
                // Everything else is held, and this is said.
                found.keyrings = Some(why);
                offered = found.tried(mode, false);
            }
            found.modes.push((mode, offered));
        }
        found.overlay = match only {
            Some(Mode::Landlock) => Some("an overlay needs namespaces".to_owned()),
            _ => found.tried(Mode::Namespaces, true).err(),
        };
        found
    }

    /// Starts a command that does nothing.
    fn tried(&self, mode: Mode, overlay: bool) -> Result<(), String> {
        if let Some(why) = &self.closed {
            return Err(why.clone());
        }
        if !cfg!(target_os = "linux") {
            return Err("only Linux has it".to_owned());
        }
        let failed = |error: io::Error| error.to_string();
        let boundary = Boundary::new(mode, self.shim.clone()).map_err(failed)?;
        let mut boundary = boundary.keeping_keyrings(self.keyrings.is_some());
        let lower = boundary.state();
        if overlay {
            let at = boundary.tmp.join("layer");
            std::fs::create_dir(&at).map_err(failed)?;
            boundary = boundary.overlaid(lower, at);
        }
        let words = boundary.launched(&["true".into()])?;
        let (name, arguments) = words.split_first().ok_or("no program confines itself")?;
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).current_dir("/");
        let done = command.output().map_err(failed)?;
        match (boundary.problem(), done.status.success()) {
            (Some(problem), _) => Err(problem),
            (None, true) => Ok(()),
            (None, false) => Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()),
        }
    }
}

/// What the system offers to this process, tried at the first call.
pub fn found() -> &'static Found {
    FOUND.get_or_init(|| match SHIM.get() {
        Some((shim, only)) => Found::by(shim.clone(), *only),
        None => {
            let why = "this program has no command that confines itself";
            let none = |mode| (mode, Err(why.to_owned()));
            let modes = [Mode::Namespaces, Mode::Landlock].map(none).into();
            Found { modes, overlay: Some(why.to_owned()), ..Found::default() }
        }
    })
}

/// Why a user cannot run a program: the first folder on the way to it that the user may not enter. Such a folder refuses
/// questions about what is in it.
fn closed(program: &Path, user: u32, is_refused: impl Fn(&Path) -> bool) -> Option<String> {
    let mut way: Vec<&Path> = program.ancestors().collect();
    way.reverse();
    let folder = way.into_iter().find(|path| is_refused(path))?.parent()?;
    Some(format!(
        "the user with id {user} cannot run {}: the folder {} is closed to others",
        program.display(),
        folder.display()
    ))
}

fn is_refused(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_is_closed_is_named() {
        let below = |folder: &'static str| move |path: &Path| path != Path::new(folder) && path.starts_with(folder);
        let program = Path::new("/home/ann/candor/target/candor");
        assert_eq!(
            closed(program, 65534, below("/home/ann")).as_deref(),
            Some(
                "the user with id 65534 cannot run /home/ann/candor/target/candor: the folder /home/ann is closed to others"
            )
        );
        assert_eq!(closed(program, 65534, below("/home/bob")), None);
        assert_eq!(closed(Path::new("candor"), 65534, is_refused), None);
    }
}
