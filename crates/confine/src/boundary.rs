//! The limits on what a command may reach, and the command line that confines it to them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::kinds::{Mode, Overlay, User};
use crate::plan::Plan;
use crate::system::{self, System};
use crate::temporary::{Temporary, temporary};

/// The resources that a command may reach, in addition to the system's programs and the toolchains on PATH. Everything
/// else is out of its reach.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// The mechanism.
    pub mode: Mode,
    /// Files and folders that can be read and executed.
    pub read: Vec<PathBuf>,
    /// Files and folders that can be written, too.
    pub write: Vec<PathBuf>,
    /// Paths that must not be reached although a granted folder contains them.
    pub hide: Vec<PathBuf>,
    /// A folder seen through a layer of its own. Needs namespaces.
    pub overlay: Option<Overlay>,
    /// `HOME`.
    pub home: PathBuf,
    /// `TMPDIR`.
    pub tmp: PathBuf,
    /// Who runs the command, if not this process's user.
    pub user: Option<User>,
    led: Led,
    shim: Vec<OsString>,
    /// True if a command is started even where it cannot be kept from the keyrings of its caller.
    keeps_keyrings: bool,
    system: Arc<System>,
    control: Option<PathBuf>,
    /// The folder with HOME, TMPDIR and an overlay's layer, removed when the last boundary that uses it is dropped.
    private: Arc<Temporary>,
}

impl Boundary {
    /// A boundary with a fresh, empty HOME and TMPDIR, applied by this program: its name and what precedes the arguments
    /// of [`shim`](crate::shim()).
    ///
    /// # Errors
    /// When no temporary folder can be made.
    pub fn new(mode: Mode, shim: Vec<OsString>) -> io::Result<Self> {
        let folder = temporary("boundary")?;
        // Links on the way to it would name another place behind the boundary.
        let path = folder.path().canonicalize()?;
        for name in ["home", "tmp", "upper", "state"] {
            fs::create_dir(path.join(name))?;
        }
        Ok(Self {
            mode,
            read: Vec::new(),
            write: Vec::new(),
            hide: Vec::new(),
            overlay: None,
            home: path.join("home"),
            tmp: path.join("tmp"),
            user: None,
            led: Led::default(),
            shim,
            keeps_keyrings: false,
            system: Arc::new(match mode {
                Mode::Namespaces => System::of_environment(),
                Mode::Landlock => System::of_environment().trusted(),
            }),
            control: None,
            private: Arc::new(folder),
        })
    }

    /// With a path that can be read.
    #[must_use]
    pub fn reading(mut self, path: impl Into<PathBuf>) -> Self {
        self.read.push(self.led.noted(path.into()));
        self
    }

    /// With a path that can be written.
    #[must_use]
    pub fn writing(mut self, path: impl Into<PathBuf>) -> Self {
        self.write.push(self.led.noted(path.into()));
        self
    }

    /// Without a path, although a granted folder contains it. Where links on the way to it lead is hidden.
    #[must_use]
    pub fn hiding(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        self.hide.push(path.canonicalize().unwrap_or_else(|_| settled(path)));
        self
    }

    /// With another HOME, which is kept.
    #[must_use]
    pub fn at_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = self.led.noted(home.into());
        self
    }

    /// With a folder seen through a layer of its own.
    #[must_use]
    pub fn overlaid(mut self, lower: impl Into<PathBuf>, at: impl Into<PathBuf>) -> Self {
        self.overlay = Some(Overlay { lower: lower.into(), at: at.into() });
        self
    }

    /// Run by another user, to whom HOME and TMPDIR then belong.
    ///
    /// # Errors
    /// When this process may not hand them over.
    pub fn run_by(mut self, user: User) -> io::Result<Self> {
        let private = self.private.path().canonicalize()?;
        // To be passed through, and not to be read.
        fs::set_permissions(&private, fs::Permissions::from_mode(0o711))?;
        for name in ["upper", "state"] {
            fs::set_permissions(private.join(name), fs::Permissions::from_mode(0o700))?;
        }
        for path in [&self.home, &self.tmp] {
            if path.starts_with(&private) {
                std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid))?;
            }
        }
        self.user = Some(user);
        Ok(self)
    }

    /// Also where the system keeps no command from the keyrings of its caller.
    pub(crate) fn keeping_keyrings(self, keeps_keyrings: bool) -> Self {
        Self { keeps_keyrings, ..self }
    }

    /// The same boundary with a HOME, a TMPDIR and a layer of its own: for another command at the same time.
    ///
    /// # Errors
    /// When no temporary folder can be made.
    pub fn another(&self) -> io::Result<Self> {
        let fresh = Self::new(self.mode, self.shim.clone())?;
        let kept = !self.is_private(&self.home);
        let another = Self {
            home: if kept { self.home.clone() } else { fresh.home },
            tmp: fresh.tmp,
            private: fresh.private,
            control: None,
            led: self.led.apart(),
            ..self.clone()
        };
        match self.user {
            Some(user) => another.run_by(user),
            None => Ok(another),
        }
    }

    /// Of HOME and TMPDIR those that were made for the command, and are removed with this.
    #[must_use]
    pub fn own_folders(&self) -> Vec<PathBuf> {
        [&self.home, &self.tmp].into_iter().filter(|path| self.is_private(path)).cloned().collect()
    }

    fn is_private(&self, path: &Path) -> bool {
        path.starts_with(self.state().with_file_name(""))
    }

    pub(crate) fn state(&self) -> PathBuf {
        let path = self.private.path();
        path.canonicalize().unwrap_or_else(|_| path.to_owned()).join("state")
    }

    pub(crate) fn controlled(&mut self, socket: PathBuf) {
        self.control = Some(socket);
    }

    /// Variables that the command is given: HOME, TMPDIR, PATH and those of toolchains.
    #[must_use]
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut all = self.system.toolchains.clone();
        all.push(("HOME".into(), self.home.clone().into()));
        all.push(("TMPDIR".into(), self.tmp.clone().into()));
        all.push(("PATH".into(), self.path()));
        all
    }

    /// PATH: only absolute folders, and none that the command can write.
    #[must_use]
    pub fn path(&self) -> OsString {
        let own = |folder: &&PathBuf| !self.writable().any(|path| folder.starts_with(path));
        std::env::join_paths(self.system.path.iter().filter(own)).unwrap_or_default()
    }

    /// Checks whether the command may write to a path, which may be gone, or put something else in its place.
    #[must_use]
    pub fn may_write(&self, path: &Path) -> bool {
        let path = settled(path);
        let above = path.ancestors().skip(1).find_map(|above| above.canonicalize().ok());
        self.writable().any(|own| path.starts_with(own) || above.as_ref().is_some_and(|above| above.starts_with(own)))
    }

    /// Checks that no delegate put something else in the place of a path.
    fn is_same(&self, path: &Path) -> bool {
        self.led.is_same(path) || !self.may_write(path) && !system::is_distrusted(path)
    }

    fn writable(&self) -> impl Iterator<Item = &PathBuf> {
        self.write.iter().chain([&self.home, &self.tmp]).chain(self.overlay.iter().map(|overlay| &overlay.at))
    }

    /// The command line that confines itself to this boundary and becomes the command.
    ///
    /// # Errors
    /// When there is no command, or the mechanism lacks what was asked for.
    pub fn launched(&self, program: &[OsString]) -> Result<Vec<OsString>, String> {
        let mut program = program.to_vec();
        let name = program.first_mut().ok_or("no command is given")?;
        *name = without_detours(name);
        if self.mode == Mode::Landlock && self.overlay.is_some() {
            return Err("an overlay needs namespaces, which this system refuses".to_owned());
        }
        let mut read: Vec<PathBuf> = self.system.read.clone();
        read.extend(self.program(program.first().ok_or("no command is given")?));
        // What is granted by the system's table must not lead to what is hidden, and Landlock cannot hide.
        if self.mode == Mode::Landlock {
            read.retain(|path| !self.hide.iter().any(|hidden| hidden.starts_with(path)));
        }
        let is_same = |path: &&PathBuf| self.is_same(path);
        read.extend(self.read.iter().filter(is_same).cloned());
        let mut hide: Vec<PathBuf> = self.system.secrets.clone();
        hide.extend(self.hide.iter().cloned());
        // What is granted within a hidden folder is there, and nothing else of it.
        hide.retain(|hidden| !read.iter().chain(self.writable()).any(|granted| granted.starts_with(hidden)));
        let all = |paths: &[PathBuf]| paths.iter().map(|path| settled(path)).collect::<Vec<_>>();
        let plan = Plan {
            mode: self.mode,
            read: all(&read),
            write: self.write.iter().chain([&self.home, &self.tmp]).filter(is_same).map(|path| settled(path)).collect(),
            hide: all(&hide),
            overlay: self
                .overlay
                .as_ref()
                .map(|Overlay { lower, at }| Overlay { lower: settled(lower), at: settled(at) }),
            upper: self.overlay.as_ref().map(|_| self.state().with_file_name("upper")),
            user: self.user,
            keeps_keyrings: self.keeps_keyrings,
            problem: Some(self.state().join("problem")),
            control: self.control.clone(),
            parent: i32::try_from(std::process::id()).ok(),
            second: None,
            command: program,
        };
        Ok(self.shim.iter().cloned().chain(plan.arguments()).collect())
    }

    /// The file of a program that an operator names, and where links lead from it.
    fn program(&self, name: &OsStr) -> Vec<PathBuf> {
        let path = Path::new(name);
        let found = if path.components().count() > 1 {
            path.is_absolute().then(|| path.to_owned())
        } else {
            self.system.path.iter().map(|folder| folder.join(path)).find(|path| path.is_file())
        };
        let Some(found) = found.filter(|path| path.is_file() && self.is_same(path)) else { return Vec::new() };
        let real = found.canonicalize().unwrap_or_else(|_| found.clone());
        let mut all = vec![found];
        all.extend(system::prefix(&real));
        all.push(real);
        all.dedup();
        all
    }

    /// Why the last command could not be started, if the boundary could not be made. Then no command ran.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let file = self.state().join("problem");
        let text = fs::read_to_string(&file).ok()?;
        let _ = fs::remove_file(&file);
        (!text.is_empty()).then_some(text)
    }
}

/// Where granted paths lead since they were granted. Who may write above one could put a link in its place, and would be
/// granted what that leads to. Such a path, and one that is gone, is left out.
#[derive(Clone, Debug, Default)]
struct Led(Arc<Mutex<BTreeMap<PathBuf, Option<PathBuf>>>>);

impl Led {
    fn noted(&self, path: PathBuf) -> PathBuf {
        self.is_same(&path);
        path
    }

    /// Checks that a path leads where it led when it was first asked for. One that was not there then leads to itself.
    fn is_same(&self, path: &Path) -> bool {
        let now = path.canonicalize().ok();
        let mut led = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*led.entry(path.to_owned()).or_insert_with(|| now.clone()) {
            Some(before) => now.as_ref() == Some(before),
            None => now.is_none_or(|now| now == settled(path)),
        }
    }

    fn apart(&self) -> Self {
        Self(Arc::new(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())))
    }
}

/// A path from the root and without `..`, so that it names one place before and after links are followed. Of what is not
/// there yet, the nearest folder above it that is there is settled.
fn settled(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if !path.components().any(|part| part == Component::ParentDir) {
        return path;
    }
    let mut settled = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                settled = settled.canonicalize().unwrap_or(settled);
                settled.pop();
            }
            part => settled.push(part),
        }
    }
    settled
}

/// A program without `..` and links on the way to it, which lead through folders that are not there behind the boundary.
/// Its own name stays: some programs do by it what they do.
fn without_detours(program: &OsStr) -> OsString {
    let path = Path::new(program);
    let parts = path.parent().zip(path.file_name()).filter(|(parent, _)| parent.is_absolute());
    let plain = parts.and_then(|(parent, name)| Some(parent.canonicalize().ok()?.join(name)));
    plain.map_or_else(|| program.to_owned(), OsString::from)
}
