//! A private copy of a folder, so that whoever works in it changes nothing that others look at.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat, statat};
use rustix::io::Errno;

use crate::copied::{Copied, CopyError, Most};
use crate::ending;
use crate::held::Held;

/// Copies what is in a folder into another, with permissions, times, holes and the links that stay within it. A time that was
/// lost would let a build take what is old for fresh. Sockets, pipes and devices hold nothing that could be copied.
///
/// The copy walks by descriptors and follows no link: what takes the place of a folder meanwhile is not read.
///
/// # Errors
/// When something cannot be read or written, is more than `most`, or changes its kind meanwhile; what was copied until then
/// is there.
pub fn copy(folder: &Path, into: &Path, most: Most) -> Result<Copied, CopyError> {
    let root = fs::canonicalize(folder).map_err(whole)?;
    let top = openat(CWD, &root, FOLDER, Mode::empty()).map_err(|error| whole(error.into()))?;
    Copying::new(root, top, most).into(into)
}

/// As [`copy`], of the folder that is held. Everything is read from that very folder: whatever has taken its place at its
/// path is not looked at.
///
/// # Errors
/// As [`copy`]; [`CopyError::Replaced`] where the folder is no longer at its path, [`CopyError::Io`] where nothing is.
pub fn copy_held(folder: &Held, into: &Path, most: Most) -> Result<Copied, CopyError> {
    folder.check()?;
    let top = folder.descriptor().map_err(whole)?;
    let copied = Copying::new(folder.path().to_owned(), top, most).into(into)?;
    // A folder that was away in between was not still.
    folder.check()?;
    Ok(copied)
}

/// Gives files of a copy the time of now, each one that of its turn. Those that are not there are passed over.
///
/// # Errors
/// When a time cannot be set.
pub fn renew(copy: &Path, files: &[PathBuf]) -> io::Result<()> {
    for file in files {
        match File::open(copy.join(file)).and_then(|file| file.set_modified(std::time::SystemTime::now())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

pub(crate) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn whole(error: io::Error) -> CopyError {
    CopyError::Io(PathBuf::new(), error)
}

/// An error about an entry that was there a moment ago: gone, another kind of thing by now, or not to be read.
fn about(below: &Path, error: io::Error) -> CopyError {
    let changed = [Errno::NOENT, Errno::LOOP, Errno::NOTDIR, Errno::ISDIR, Errno::XDEV, Errno::INVAL, Errno::NXIO];
    match error.raw_os_error() {
        Some(code) if !below.as_os_str().is_empty() && changed.iter().any(|errno| errno.raw_os_error() == code) => {
            CopyError::Changed(below.to_owned())
        }
        _ => CopyError::Io(below.to_owned(), error),
    }
}

/// An error once this process is ending: a folder that is written to cannot be removed.
fn goes_on(below: &Path) -> Result<(), CopyError> {
    match ending::is_ending() {
        true => Err(CopyError::Io(below.to_owned(), io::ErrorKind::Interrupted.into())),
        false => Ok(()),
    }
}

pub(crate) struct Copying {
    root: PathBuf,
    top: OwnedFd,
    most: Most,
    entries: u64,
    bytes: u64,
    /// The links in the copy: their paths in it, and where they are.
    links: Vec<(PathBuf, PathBuf)>,
    copied: Copied,
}

impl Copying {
    pub(crate) fn new(root: PathBuf, top: OwnedFd, most: Most) -> Self {
        Self { root, top, most, entries: 0, bytes: 0, links: Vec::new(), copied: Copied::default() }
    }

    fn into(mut self, into: &Path) -> Result<Copied, CopyError> {
        let to = fs::canonicalize(into).map_err(whole)?;
        self.survey()?;
        self.folder(&to)?;
        Ok(self.copied)
    }

    /// Opens what is at a path in the folder, with no link on the way and none at its end.
    pub(crate) fn beneath(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(&self.top, path, flags, Mode::empty(), resolve) {
            // Before Linux 5.6, and where a filter of system calls does not know it.
            Err(Errno::NOSYS | Errno::PERM) => self.by_names(path, flags),
            opened => Ok(opened?),
        }
    }

    pub(crate) fn by_names(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let mut at = openat(&self.top, ".", FOLDER, Mode::empty())?;
        for name in path.parent().into_iter().flat_map(Path::components) {
            at = openat(&at, name.as_os_str(), FOLDER, Mode::empty())?;
        }
        Ok(openat(&at, path.file_name().unwrap_or(OsStr::new(".")), flags, Mode::empty())?)
    }

    /// Shows what is in a folder: its name, its kind, and the open folder.
    pub(crate) fn entries(
        &self,
        below: &Path,
        mut show: impl FnMut(&OsStr, FileType, &File) -> Result<(), CopyError>,
    ) -> Result<(), CopyError> {
        let wrong = |error: io::Error| about(below, error);
        let folder = File::from(self.beneath(below, OFlags::RDONLY | OFlags::DIRECTORY).map_err(wrong)?);
        for entry in Dir::read_from(&folder).map_err(|error| wrong(error.into()))? {
            let entry = entry.map_err(|error| wrong(error.into()))?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            goes_on(below)?;
            let kind = match entry.file_type() {
                // Some file systems leave it open.
                FileType::Unknown => {
                    let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
                    stat.map(|stat| FileType::from_raw_mode(stat.st_mode)).map_err(|error| wrong(error.into()))?
                }
                kind => kind,
            };
            show(name, kind, &folder)?;
        }
        Ok(())
    }

    /// Asks for the number of entries and for their sizes before a byte is copied. What changes afterwards meets the same
    /// limits while it is copied.
    fn survey(&self) -> Result<(), CopyError> {
        let (mut entries, mut files, mut open) = (0_u64, Vec::new(), vec![PathBuf::new()]);
        while let Some(folder) = open.pop() {
            self.entries(&folder, |name, kind, _| {
                entries += 1;
                match kind {
                    _ if entries > self.most.entries => return Err(CopyError::Entries),
                    FileType::Directory => open.push(folder.join(name)),
                    FileType::RegularFile => files.push(folder.join(name)),
                    _ => {}
                }
                Ok(())
            })?;
        }
        let mut bytes = 0_u64;
        for below in files {
            // One that is gone by now is missed when it is copied.
            let Ok(file) = self.beneath(&below, OFlags::PATH) else { continue };
            let length = File::from(file).metadata().map_or(0, |metadata| metadata.len());
            if length > self.most.file {
                return Err(CopyError::File(below));
            }
            bytes = bytes.saturating_add(length);
            if bytes > self.most.bytes {
                return Err(CopyError::Bytes);
            }
        }
        Ok(())
    }

    fn folder(&mut self, to: &Path) -> Result<(), CopyError> {
        // What is open is a list and not the stack, so that no depth of folders breaks it.
        let mut open = vec![(PathBuf::new(), to.to_owned())];
        let mut done = Vec::new();
        while let Some((folder, into)) = open.pop() {
            let (mut files, mut links) = (Vec::new(), Vec::new());
            let (mut entries, most) = (self.entries, self.most.entries);
            self.entries(&folder, |name, kind, at| {
                entries += 1;
                let (below, into) = (folder.join(name), into.join(name));
                match kind {
                    _ if entries > most => return Err(CopyError::Entries),
                    FileType::Symlink => {
                        let written = readlinkat(at, name, Vec::new()).map_err(|error| about(&below, error.into()))?;
                        let written = PathBuf::from(std::ffi::OsString::from_vec(written.into_bytes()));
                        links.push((below, into, written));
                    }
                    FileType::Directory => {
                        fs::create_dir(&into).map_err(|error| CopyError::Io(below.clone(), error))?;
                        open.push((below, into));
                    }
                    FileType::RegularFile => files.push((below, into)),
                    _ => {}
                }
                Ok(())
            })?;
            self.entries = entries;
            for (below, into) in files {
                self.file(&below, &into)?;
            }
            for (below, into, written) in links {
                goes_on(&below)?;
                self.link(&below, &into, &written).map_err(|error| CopyError::Io(below, error))?;
            }
            done.push((folder, into));
        }
        self.follow(to)?;
        for (below, into) in done.into_iter().skip(1).rev() {
            let read = self.beneath(&below, OFlags::PATH | OFlags::DIRECTORY).and_then(|at| File::from(at).metadata());
            let metadata = read.map_err(|error| about(&below, error))?;
            // Where a folder's time cannot be set, the copy is as new as it is.
            let _ = File::open(&into).and_then(|folder| folder.set_times(times(&metadata)));
        }
        Ok(())
    }

    pub(crate) fn file(&mut self, below: &Path, into: &Path) -> Result<(), CopyError> {
        goes_on(below)?;
        let wrong = |error: io::Error| CopyError::Io(below.to_owned(), error);
        // A pipe that has taken its place is not waited for.
        let opened = self.beneath(below, OFlags::RDONLY | OFlags::NONBLOCK);
        let from = File::from(opened.map_err(|error| match error.kind() {
            // Only a lease keeps the file from being opened at once: fcntl(2), "Leases".
            io::ErrorKind::WouldBlock => wrong(io::Error::new(error.kind(), "a process holds a lease on it")),
            _ => about(below, error),
        })?);
        let metadata = from.metadata().map_err(wrong)?;
        if !metadata.is_file() {
            return Err(CopyError::Changed(below.to_owned()));
        }
        let mut to = File::create(into).map_err(wrong)?;
        let most = self.most.file.min(self.most.bytes.saturating_sub(self.bytes));
        let mut content = from.take(most.saturating_add(1));
        let has_holes = metadata.blocks().saturating_mul(512) < metadata.len();
        let copied = match has_holes {
            true => with_holes(&mut content, &mut to),
            false => io::copy(&mut content, &mut to),
        };
        let copied = copied.map_err(wrong)?;
        if copied > self.most.file {
            return Err(CopyError::File(below.to_owned()));
        }
        if copied > most {
            return Err(CopyError::Bytes);
        }
        self.bytes += copied;
        self.copied.files += 1;
        to.set_times(times(&metadata)).map_err(wrong)?;
        fs::set_permissions(into, metadata.permissions()).map_err(wrong)
    }

    /// A link stays one where it leads to somewhere within, written anew where it is written from the root or by a way
    /// outside; one that leads out, or nowhere, is left out.
    fn link(&mut self, below: &Path, into: &Path, written: &Path) -> io::Result<()> {
        let way = PathBuf::from(format!("/proc/self/fd/{}", self.top.as_raw_fd()));
        let way = if way.is_dir() { way } else { self.root.clone() };
        let target = fs::canonicalize(way.join(below)).ok();
        let Some(target) = target.as_deref().and_then(|target| target.strip_prefix(&self.root).ok()) else {
            self.copied.left_out.push(below.to_owned());
            return Ok(());
        };
        let written =
            if written.is_relative() && stays(below, written) { written.to_owned() } else { within(below, target) };
        std::os::unix::fs::symlink(written, into)?;
        self.links.push((below.to_owned(), into.to_owned()));
        Ok(())
    }

    /// Follows all links when everything is there, and takes out those that lead out of the copy or nowhere: behind a
    /// link to a folder, `..` is elsewhere than the names say. Repeats until every link stays inside, as one that is
    /// taken out may have been on the way of another.
    fn follow(&mut self, to: &Path) -> Result<(), CopyError> {
        loop {
            let leads = |link: &Path| fs::canonicalize(link).is_ok_and(|target| target.starts_with(to));
            let (stay, go): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.links).into_iter().partition(|(_, link)| leads(link));
            self.links = stay;
            if go.is_empty() {
                return Ok(());
            }
            for (below, link) in go {
                fs::remove_file(link).map_err(|error| CopyError::Io(below.clone(), error))?;
                self.copied.left_out.push(below);
            }
        }
    }
}

/// Copies with holes where there is nothing but NULs. Returns the number of bytes.
fn with_holes(from: &mut impl io::Read, to: &mut File) -> io::Result<u64> {
    let mut block = vec![0; 64 << 10];
    let mut length = 0_u64;
    loop {
        let read = from.read(&mut block)?;
        let bytes = block.get(..read).unwrap_or_default();
        if bytes.is_empty() {
            to.set_len(length)?;
            return Ok(length);
        }
        length += bytes.len() as u64;
        if bytes.iter().all(|byte| *byte == 0) {
            to.seek(io::SeekFrom::Start(length))?;
        } else {
            to.write_all(bytes)?;
        }
    }
}

/// A link at a place in the folder to another place in it, both without links on the way.
fn within(below: &Path, target: &Path) -> PathBuf {
    let up = below.components().skip(1).map(|_| Component::ParentDir.as_os_str());
    let way: PathBuf = up.chain(target.iter()).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

/// True if a relative link, read name by name, never leaves the folder. The real path to its target may leave it by
/// another way in the copy than in the original.
fn stays(below: &Path, written: &Path) -> bool {
    let mut depth = below.components().count().saturating_sub(1);
    written.components().all(|part| match part {
        Component::ParentDir => match depth.checked_sub(1) {
            Some(less) => {
                depth = less;
                true
            }
            None => false,
        },
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        _ => false,
    })
}

fn times(metadata: &fs::Metadata) -> FileTimes {
    match metadata.modified() {
        Ok(modified) => FileTimes::new().set_modified(modified),
        Err(_) => FileTimes::new(),
    }
}
