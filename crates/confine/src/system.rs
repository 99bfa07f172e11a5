//! The files that every command can read: the system's programs, and the toolchains that are found on PATH.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Folders of the system, one a line with its source.
pub(crate) const SYSTEM: &str = include_str!("../data/system.tsv");
/// Variables that name a toolchain's folder, one a line with its source.
pub(crate) const TOOLCHAINS: &str = include_str!("../data/toolchains.tsv");
/// Folders that others than an operator write to.
static DISTRUSTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Of one folder of PATH, at most this many entries are read in search of links to programs elsewhere.
const MOST_LINKS: usize = 512;

#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) secrets: Vec<PathBuf>,
    /// PATH: its absolute folders that are there.
    pub(crate) path: Vec<PathBuf>,
    pub(crate) toolchains: Vec<(OsString, OsString)>,
}

/// The programs and toolchains that every command can read, and nothing of an operator's.
#[derive(Clone, Debug)]
pub struct Programs(Vec<PathBuf>);

impl Programs {
    /// Those of this process's environment.
    #[must_use]
    pub fn of_environment() -> Self {
        /// Read by every command, and no programs.
        const OTHER: [&str; 4] = ["/etc", "/proc", "/sys", "/dev"];
        let mut read = System::of_environment().read;
        read.retain(|path| !OTHER.iter().any(|other| path.starts_with(other)));
        Self(read)
    }

    /// Is a file or a folder, given by its path without links, one of them?
    #[must_use]
    pub fn hold(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }
}

/// Names a folder that a delegate may write to. Boundaries that this process makes with Landlock from now on have no programs
/// of it, though PATH may name it: Landlock closes no part of a folder that may be written. Namespaces close it.
pub fn distrust(folder: &Path) {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    DISTRUSTED.lock().unwrap_or_else(PoisonError::into_inner).insert(real);
}

pub(crate) fn is_distrusted(path: &Path) -> bool {
    let others = DISTRUSTED.lock().unwrap_or_else(PoisonError::into_inner);
    path.ancestors().any(|above| others.contains(above))
}

pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| line.split('\t').collect())
}

impl System {
    pub(crate) fn of_environment() -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::of(home.as_deref(), std::env::split_paths(&path), |name| std::env::var_os(name))
    }

    /// Without what lies in a folder that is distrusted, and without homes of toolchains that contain one.
    pub(crate) fn trusted(mut self) -> Self {
        let is_trusted =
            |path: &Path| !is_distrusted(path) && !path.canonicalize().is_ok_and(|real| is_distrusted(&real));
        let others = DISTRUSTED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_above = |path: &Path| !is_system(path) && others.iter().any(|folder| folder.starts_with(path));
        self.read.retain(|path| is_trusted(path) && !is_above(path));
        self.path.retain(|path| is_trusted(path));
        self.toolchains.retain(|(_, folder)| is_trusted(Path::new(folder)));
        self
    }

    pub(crate) fn of(
        home: Option<&Path>,
        path: impl Iterator<Item = PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let mut found = Self::default();
        let mut read: BTreeSet<PathBuf> =
            rows(SYSTEM).filter_map(|row| row.first().map(PathBuf::from)).filter(|path| path.exists()).collect();
        for row in rows(TOOLCHAINS) {
            let [name, usual, secrets, ..] = row.as_slice() else { continue };
            let given = variable(name).map(PathBuf::from);
            let usual = home.filter(|_| !usual.is_empty()).map(|home| home.join(usual));
            let folder = given.or(usual).filter(|folder| is_fit(folder, home) && folder.is_dir());
            if let Some(folder) = folder {
                found.secrets.extend(secrets.split(',').filter(|name| !name.is_empty()).map(|name| folder.join(name)));
                found.toolchains.push(((*name).into(), folder.clone().into()));
                read.insert(folder);
            }
        }
        for folder in path.filter(|folder| folder.is_absolute() && folder.is_dir()) {
            if found.path.contains(&folder) {
                continue;
            }
            if is_fit(&folder, home) && !is_system(&folder) {
                read.extend(prefix_of_folder(&folder).filter(|prefix| is_fit(prefix, home)));
                let links = std::fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST_LINKS);
                let links = links.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
                for real in links.filter_map(|entry| entry.path().canonicalize().ok()) {
                    read.extend(prefix(&real).filter(|prefix| is_fit(prefix, home)));
                    read.insert(real);
                }
                read.insert(folder.clone());
            }
            found.path.push(folder);
        }
        found.secrets.retain(|path| path.exists());
        found.read = read.into_iter().collect();
        found
    }
}

/// True for a folder of programs that is not a home, a root or a folder that contains a home.
fn is_fit(folder: &Path, home: Option<&Path>) -> bool {
    let deep = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
    let plain = folder.is_absolute() && !folder.components().any(|part| part == Component::ParentDir);
    plain && deep >= 2 && !home.is_some_and(|home| home.starts_with(folder))
}

fn is_system(path: &Path) -> bool {
    rows(SYSTEM).filter_map(|row| row.first().copied()).any(|folder| path.starts_with(folder))
}

/// The folder that a program was installed to, if its own is called `bin`: `/opt/node` of `/opt/node/bin/node`.
pub(crate) fn prefix(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    (!is_system(program)).then(|| prefix_of_folder(folder))?
}

fn prefix_of_folder(folder: &Path) -> Option<PathBuf> {
    let named = folder.file_name().is_some_and(|name| name == "bin" || name == "sbin");
    let above = folder.parent().filter(|_| named)?;
    // `~/.local` and `~` have a `bin`, and much else.
    let is_home = above.file_name().is_some_and(|name| name == ".local");
    let fit = is_fit(above, std::env::var_os("HOME").map(PathBuf::from).as_deref());
    (fit && !is_home && !is_system(above)).then(|| above.to_owned())
}
