//! What this system offers, found out by trying it once.

use std::ffi::OsString;
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
        let mut found = Self { shim, ..Self::default() };
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
        if !cfg!(target_os = "linux") {
            return Err("only Linux has it".to_owned());
        }
        let failed = |error: std::io::Error| error.to_string();
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
