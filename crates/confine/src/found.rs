//! The mechanisms that this system offers, found by trying each once.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::plan::KEYRINGS;
use crate::{Boundary, Mode};

/// The program that confines itself, as this process offers it.
static SHIM: OnceLock<(Vec<OsString>, Option<Mode>)> = OnceLock::new();
static FOUND: OnceLock<Found> = OnceLock::new();

/// The variable that names the program `candor-confine` to processes that offer no other one.
const SETTING: &str = "CANDOR_CONFINE";
const PROGRAM: &str = "candor-confine";

/// Names the program, and what precedes its arguments, by which this process starts commands behind a boundary:
/// `candor confine`. Without a value, it is not set. `only` leaves all other mechanisms out.
///
/// A process that does not call this uses `candor-confine`: the one that `CANDOR_CONFINE` names, or the one in the folder
/// of the library or program that this crate is part of.
pub fn offer(shim: Vec<OsString>, only: Option<Mode>) {
    // The first one is in use.
    let _ = SHIM.set((shim, only));
}

/// The mechanisms that the system offers.
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
    /// Why no command is started, if the program that `CANDOR_CONFINE` names, or that lies next to this one, is not
    /// `candor-confine` or cannot be started.
    pub refused: Option<String>,
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

    /// The strongest boundary, or none where there is no mechanism.
    ///
    /// # Errors
    /// When the program that should confine commands is another one, or no temporary folder can be made.
    pub fn strongest(&self) -> Result<Option<Boundary>, String> {
        match &self.refused {
            Some(why) => Err(why.clone()),
            None => self.best().map(|mode| self.boundary(mode)).transpose(),
        }
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
                // The boundary holds everything else, and `keyrings` records this gap.
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

/// The mechanisms that the system offers to this process, tried at the first call.
pub fn found() -> &'static Found {
    FOUND.get_or_init(|| match SHIM.get() {
        Some((shim, _)) if shim.is_empty() => nothing("it was not wanted"),
        Some((shim, only)) => Found::by(shim.clone(), *only),
        None => match std::env::var_os(SETTING) {
            Some(program) => {
                by_program(Path::new(&program), &format!("set {SETTING} to the program {PROGRAM}, or unset it"))
            }
            None => match own_folder().map(|folder| folder.join(PROGRAM)).filter(|file| file.exists()) {
                Some(program) => by_program(&program, &format!("install it again, or name it by {SETTING}")),
                None => nothing("this program has no command that confines itself"),
            },
        },
    })
}

fn nothing(why: &str) -> Found {
    let modes = [Mode::Namespaces, Mode::Landlock].map(|mode| (mode, Err(why.to_owned())));
    Found { modes: modes.into(), overlay: Some(why.to_owned()), ..Found::default() }
}

/// The boundary that the system offers by a program that should be `candor-confine`.
pub(crate) fn by_program(program: &Path, advice: &str) -> Found {
    // A relative name would be looked up again in the folder of each command.
    let named = std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    match answers(&named) {
        Ok(()) => Found::by(vec![named.into()], None),
        Err(why) => {
            let why = format!("no command is started, because {program:?} cannot confine it: {why}; {advice}");
            Found { refused: Some(why.clone()), ..nothing(&why) }
        }
    }
}

/// Asks a program for what only [`shim`](crate::shim()) does: to say in a file which argument it does not know.
fn answers(program: &Path) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let folder = crate::temporary("boundary").map_err(|error| error.to_string())?;
    let (file, wrong) = (folder.path().join("problem"), "no mechanism");
    let mut command = Command::new(program);
    command.arg("--problem").arg(&file).args(["--mode", wrong]).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map_err(|error| error.to_string())?;
    let said = std::fs::read_to_string(&file).unwrap_or_default();
    if said.contains(wrong) { Ok(()) } else { Err(format!("it is not {PROGRAM}")) }
}

/// The folder of the library or program that this code was loaded from.
pub(crate) fn own_folder() -> Option<PathBuf> {
    let here = PROGRAM.as_ptr().addr();
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| is_within(line, here))?;
    Some(Path::new(line.get(line.find('/')?..)?).parent()?.to_owned())
}

/// Returns `true` if a line such as `7f00-7f10 r--p 00000000 08:01 42 /usr/lib/libc.so` is about an address.
fn is_within(line: &str, address: usize) -> bool {
    let range = line.split(' ').next().and_then(|range| range.split_once('-'));
    let ends =
        range.and_then(|(from, to)| Some(usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?));
    ends.is_some_and(|ends| ends.contains(&address))
}

/// Why a user cannot run a program: the first folder on the way to it that the user may not enter. Such a folder refuses
/// questions about what is in it.
pub(crate) fn closed(program: &Path, user: u32, is_refused: impl Fn(&Path) -> bool) -> Option<String> {
    let mut way: Vec<&Path> = program.ancestors().collect();
    way.reverse();
    let folder = way.into_iter().find(|path| is_refused(path))?.parent()?;
    Some(format!(
        "the user with id {user} cannot run {}: the folder {} is closed to others",
        program.display(),
        folder.display()
    ))
}

pub(crate) fn is_refused(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}
