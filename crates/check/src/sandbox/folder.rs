//! A part of the sandbox as a folder: its files, read within the limits and within the folder.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::captured::{Captured, CapturedPart, Gap};
use super::limits::{Limits, size_text};
use super::locator;
use super::memory::{Memory, MemoryFile, Overlay, plain, relative};
use super::part::Gaps;
use crate::field::Location;
use crate::outcome::{Obstacle, Unverifiable};
use crate::records::{Fault, Unreadable};
use crate::work;

/// The most bytes that a file which is read piece by piece counts as held.
const STREAMED: u64 = 16 << 20;

/// A folder of the sandbox, on this machine or in memory, with the files that were laid over it.
#[derive(Clone, Debug)]
pub struct Folder {
    part: &'static str,
    base: Base,
    over: Arc<Overlay>,
    limits: Limits,
    /// The capture's entry for the part, where the folder is one that was captured.
    captured: Option<Arc<Captured>>,
}

/// The folder without the files laid over it.
#[derive(Clone, Debug)]
pub(super) enum Base {
    /// No folder: all files were laid over it.
    Nothing,
    Disk(PathBuf),
    Memory(Arc<Memory>, String),
}

/// A regular file in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Relative to the part's folder, `/` between its parts.
    pub path: String,
    /// Relative to the sandbox: the part's name, `/`, the path.
    pub locator: String,
    /// Its size in bytes when it was listed.
    pub size: u64,
    /// When it was last modified, where the file system says.
    pub modified: Option<SystemTime>,
    content: FileContent,
}

#[derive(Clone, PartialEq, Eq)]
enum FileContent {
    Disk(PathBuf),
    Memory(Arc<[u8]>),
}

impl std::fmt::Debug for FileContent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disk(path) => f.debug_tuple("Disk").field(path).finish(),
            Self::Memory(bytes) => write!(f, "Memory({} bytes)", bytes.len()),
        }
    }
}

impl FileEntry {
    /// Where the file is on this machine; `None` for a file in memory.
    #[must_use]
    pub fn location(&self) -> Option<&Path> {
        match &self.content {
            FileContent::Disk(path) => Some(path),
            FileContent::Memory(_) => None,
        }
    }

    /// The content of a file in memory; `None` for one on disk.
    #[must_use]
    pub fn in_memory(&self) -> Option<&Arc<[u8]>> {
        match &self.content {
            FileContent::Disk(_) => None,
            FileContent::Memory(bytes) => Some(bytes),
        }
    }
}

enum FileReader<D> {
    Disk(D),
    Memory(Cursor<Arc<[u8]>>),
}

impl<D: Read> Read for FileReader<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(buffer),
            Self::Memory(bytes) => bytes.read(buffer),
        }
    }
}

/// The content of a folder, in order of path.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The regular files.
    pub files: Vec<FileEntry>,
    /// Symbolic links that lead out of the folder, or nowhere: not followed, matching nothing, named in `details`.
    pub outside_links: Vec<String>,
    /// Folders and files that could not be looked at, with why.
    pub unreadable: Vec<(String, Unverifiable)>,
    /// Pipes, sockets and devices, which are not read.
    pub special: Vec<(String, Unverifiable)>,
}

/// A folder of a walk, by its real path, with the folders above it.
#[derive(Debug)]
pub struct Above<T> {
    real: T,
    above: Option<Rc<Self>>,
}

impl<T: PartialEq> Above<T> {
    /// Nothing for a folder that is one of those above it.
    #[must_use]
    pub fn of(real: T, above: Option<Rc<Self>>) -> Option<Rc<Self>> {
        let mut higher = above.as_ref();
        while let Some(folder) = higher {
            if folder.real == real {
                return None;
            }
            higher = folder.above.as_ref();
        }
        Some(Rc::new(Self { real, above }))
    }
}

/// Returns `true` if a path leads nowhere, or in a circle, rather than to something that may not be looked at.
fn is_nowhere(error: &io::Error) -> bool {
    /// ELOOP, of Linux and of the BSDs; the standard library has no stable name for it.
    const CIRCLE: [i32; 2] = [40, 62];
    let circle = error.raw_os_error().is_some_and(|code| CIRCLE.contains(&code));
    circle || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A function of a line of a file: its place in bytes, and its text without the line end.
pub type EachLine<'a> = dyn FnMut((u64, u64), &[u8]) -> ControlFlow<()> + 'a;

/// A file's content.
#[derive(Clone, Debug)]
pub struct FileBytes {
    /// The content. Its hash is taken from here when it is first asked for, so do not change it before.
    pub bytes: Vec<u8>,
    sha256: OnceLock<String>,
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, sha256: OnceLock::new() }
    }
}

impl FileBytes {
    /// SHA-256 of the content, in lower-case hex. Taken once, when it is first asked for.
    #[must_use]
    pub fn sha256(&self) -> &str {
        self.sha256.get_or_init(|| hex(&Sha256::digest(&self.bytes)))
    }

    /// Takes the hash and drops the content.
    #[must_use]
    pub fn without_bytes(self) -> Self {
        Self { bytes: Vec::new(), sha256: self.sha256().to_owned().into() }
    }
}

impl Folder {
    pub(super) fn new(part: &'static str, base: Base, over: Arc<Overlay>, limits: Limits) -> Self {
        Self { part, base, over, limits, captured: None }
    }

    pub(super) fn with_captured(self, captured: Option<Arc<Captured>>) -> Self {
        Self { captured, ..self }
    }

    /// The capture's entry for this part, where the folder is one that was captured. Its gaps are in every [`Listing`].
    #[must_use]
    pub fn captured(&self) -> Option<&CapturedPart> {
        self.captured.as_ref()?.parts.get(self.part)
    }

    /// The part's name.
    #[must_use]
    pub fn part(&self) -> &'static str {
        self.part
    }

    /// The limits within which the folder is read.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Every regular file below the folder, sub-folders included, in order of path.
    ///
    /// # Errors
    /// When the folder itself cannot be listed, or holds more files than the limit.
    pub fn list(&self) -> Result<Listing, Unverifiable> {
        self.list_below("")
    }

    /// As [`Folder::list`], of one sub-folder only; nothing when there is no such sub-folder.
    ///
    /// # Errors
    /// As [`Folder::list`].
    pub fn list_below(&self, below: &str) -> Result<Listing, Unverifiable> {
        let mut listing = match &self.base {
            Base::Nothing => Listing::default(),
            Base::Disk(root) => self.list_on_disk(root, below)?,
            Base::Memory(memory, folder) => self.list_in_memory(memory, folder, below),
        };
        listing.unreadable.extend(self.captured().into_iter().flat_map(|part| &part.gaps).map(Gap::obstacle));
        self.lay_over(&mut listing, below);
        if listing.files.len() as u64 > self.limits.max_files {
            return Err(self.too_many());
        }
        Ok(listing)
    }

    fn list_in_memory(&self, memory: &Memory, folder: &str, below: &str) -> Listing {
        let files = memory.below(folder).filter_map(|(path, file)| {
            let path = relative(path, folder)?;
            is_below(path, below).then(|| self.memory_entry(path, file))
        });
        Listing { files: files.collect(), ..Listing::default() }
    }

    /// Puts the files that were laid over the folder in the place of those that it has.
    fn lay_over(&self, listing: &mut Listing, below: &str) {
        if self.over.is_empty() {
            return;
        }
        let hidden: BTreeSet<String> = self.over.keys().map(|path| format!("{}/{path}", self.part)).collect();
        listing.files.retain(|file| !hidden.contains(&file.locator));
        listing.outside_links.retain(|link| !hidden.contains(link));
        for places in [&mut listing.unreadable, &mut listing.special] {
            places.retain(|(place, _)| !hidden.contains(place));
        }
        let over = self.over.iter().filter(|(path, _)| is_below(path, below));
        listing.files.extend(over.filter_map(|(path, file)| Some(self.memory_entry(path, file.as_ref()?))));
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn memory_entry(&self, path: &str, file: &MemoryFile) -> FileEntry {
        FileEntry {
            path: path.to_owned(),
            locator: format!("{}/{path}", self.part),
            size: file.bytes.len() as u64,
            modified: file.modified,
            content: FileContent::Memory(Arc::clone(&file.bytes)),
        }
    }

    fn list_on_disk(&self, root: &Path, below: &str) -> Result<Listing, Unverifiable> {
        let root = self.real(root)?;
        let mut listing = Listing::default();
        let start = root.join(below);
        match fs::canonicalize(&start) {
            Ok(real) if !real.starts_with(&root) => {
                listing.outside_links.push(self.name(&root, &start));
                return Ok(listing);
            }
            Ok(real) if !real.is_dir() => return Ok(listing),
            Err(error) if is_nowhere(&error) => return Ok(listing),
            Err(error) => return Err(obstacle(&self.name(&root, &start), &error)),
            Ok(_) => {}
        }
        let mut open = vec![(start.clone(), None)];
        let mut looked = 0;
        while let Some((folder, above)) = open.pop() {
            // A folder that links to one above it is looked into once; one that has two names is looked into by both.
            let above = match fs::canonicalize(&folder) {
                Ok(real) => match Above::of(real, above) {
                    Some(above) => above,
                    None => continue,
                },
                Err(error) => {
                    let name = self.name(&root, &folder);
                    listing.unreadable.push((name.clone(), obstacle(&name, &error)));
                    continue;
                }
            };
            looked += 1;
            work::wanted()?;
            if looked > self.limits.max_files {
                return Err(self.too_many());
            }
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if folder == start => return Err(obstacle(self.part, &error)),
                Err(error) => {
                    let name = self.name(&root, &folder);
                    listing.unreadable.push((name.clone(), obstacle(&name, &error)));
                    continue;
                }
            };
            for entry in entries.take_while(|_| !work::cancelled()) {
                match entry {
                    Ok(entry) => {
                        let path = entry.path();
                        let folder = match entry.file_type() {
                            // What a folder says of its own entries spares a way through the path for each.
                            Ok(kind) if !kind.is_symlink() => self.sort_in(&root, path, entry.metadata(), &mut listing),
                            _ => self.sort_in_named(&root, path, &mut listing),
                        };
                        open.extend(folder.map(|folder| (folder, Some(Rc::clone(&above)))));
                    }
                    Err(error) => {
                        let name = self.name(&root, &folder);
                        listing.unreadable.push((name.clone(), obstacle(&name, &error)));
                    }
                }
                if listing.files.len() as u64 > self.limits.max_files {
                    return Err(self.too_many());
                }
            }
        }
        work::wanted()?;
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        listing.outside_links.sort();
        listing.special.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(listing)
    }

    /// The names of the folders in a sub-folder, in order; none where it is not there or cannot be listed, and no more than
    /// 1,000 of them. They are for what messages say of a folder that was not found.
    #[must_use]
    pub fn folders_in(&self, within: &str) -> Vec<String> {
        const MOST: usize = 1000;
        let mut names = match &self.base {
            Base::Nothing => BTreeSet::new(),
            Base::Disk(root) => folders_on_disk(root, within, MOST),
            Base::Memory(memory, folder) => {
                let all = memory.files.keys().chain(&memory.folders);
                let below = all.filter_map(|path| relative(path, folder));
                below.filter_map(|path| folder_in(path, within)).map(str::to_owned).collect()
            }
        };
        let over = self.over.iter().filter(|(_, file)| file.is_some()).map(|(path, _)| path);
        names.extend(over.filter_map(|path| folder_in(path, within)).map(str::to_owned));
        names.into_iter().take(MOST).collect()
    }

    /// The file of a path as it is now; `None` if it is not inside the folder.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn entry(&self, path: &str) -> Result<Option<FileEntry>, Unverifiable> {
        let simple = plain(path).filter(|_| !path.ends_with('/')).unwrap_or_default();
        if let Some(file) = self.over.get(&simple) {
            return Ok(file.as_ref().map(|file| self.memory_entry(&simple, file)));
        }
        let root = match &self.base {
            Base::Nothing => return Ok(None),
            Base::Memory(memory, folder) => {
                return Ok(memory.file_in(folder, &simple).map(|file| self.memory_entry(&simple, file)));
            }
            Base::Disk(root) => self.real(root)?,
        };
        let location = root.join(path);
        match fs::canonicalize(&location) {
            Ok(real) if real.starts_with(&root) => {}
            Ok(_) => return Ok(None),
            Err(error) if is_nowhere(&error) => return Ok(None),
            Err(error) => return Err(obstacle(&self.name(&root, &location), &error)),
        }
        let mut listing = Listing::default();
        self.sort_in_named(&root, location, &mut listing);
        match listing.unreadable.pop() {
            Some((_, why)) => Err(why),
            None => Ok(listing.files.pop()),
        }
    }

    /// True if a path is a symbolic link that leads out of the folder, or nowhere, so that [`Folder::entry`] finds nothing.
    #[must_use]
    pub fn leads_out(&self, path: &str) -> bool {
        let Base::Disk(root) = &self.base else { return false };
        let Ok(root) = fs::canonicalize(root) else { return false };
        let location = root.join(path);
        let is_link = fs::symlink_metadata(&location).is_ok_and(|m| m.file_type().is_symlink());
        is_link && fs::canonicalize(&location).map_or(true, |real| !real.starts_with(&root))
    }

    /// True if a path leads nowhere, or in a circle: of a link that [`Folder::leads_out`] tells of, there is nothing that
    /// could be looked at elsewhere.
    #[must_use]
    pub fn leads_nowhere(&self, path: &str) -> bool {
        let Base::Disk(root) = &self.base else { return false };
        fs::canonicalize(root.join(path)).is_err_and(|error| is_nowhere(&error))
    }

    /// Where the folder is on this machine; `None` when it is in memory.
    #[must_use]
    pub fn location(&self) -> Option<&Path> {
        match &self.base {
            Base::Disk(root) => Some(root),
            Base::Nothing | Base::Memory(..) => None,
        }
    }

    /// Returns `true` if any of the folder's files are in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        !self.over.is_empty() || self.location().is_none()
    }

    fn too_many(&self) -> Unverifiable {
        let details = format!("{}/ holds more than {} files (limit max_files)", self.part, self.limits.max_files);
        Unverifiable::new(Obstacle::LimitExceeded, details)
    }

    /// As [`Folder::sort_in`], of what may be a link.
    fn sort_in_named(&self, root: &Path, path: PathBuf, listing: &mut Listing) -> Option<PathBuf> {
        let is_link = fs::symlink_metadata(&path).is_ok_and(|m| m.file_type().is_symlink());
        let leads_out = || match fs::canonicalize(&path) {
            Ok(target) => !target.starts_with(root),
            Err(error) => is_nowhere(&error),
        };
        if is_link && leads_out() {
            listing.outside_links.push(self.name(root, &path));
            return None;
        }
        let metadata = fs::metadata(&path);
        self.sort_in(root, path, metadata, listing)
    }

    /// Puts an entry where it belongs; gives it back where it is a folder to be looked into.
    fn sort_in(
        &self,
        root: &Path,
        path: PathBuf,
        metadata: io::Result<fs::Metadata>,
        listing: &mut Listing,
    ) -> Option<PathBuf> {
        match metadata {
            Ok(metadata) if metadata.is_dir() => return Some(path),
            Ok(metadata) if metadata.is_file() => {
                let locator = self.name(root, &path);
                let relative = locator.get(self.part.len() + 1..).unwrap_or_default().to_owned();
                listing.files.push(FileEntry {
                    locator,
                    path: relative,
                    size: metadata.len(),
                    modified: metadata.modified().ok(),
                    content: FileContent::Disk(path),
                });
            }
            // Reading one may never end.
            Ok(_) => {
                let name = self.name(root, &path);
                let details = format!("{name} is a pipe, a socket or a device");
                listing.special.push((name, Unverifiable::new(Obstacle::SourceUnavailable, details)));
            }
            Err(error) => {
                let name = self.name(root, &path);
                listing.unreadable.push((name.clone(), obstacle(&name, &error)));
            }
        }
        None
    }

    /// The part's folder, without links on the way.
    fn real(&self, root: &Path) -> Result<PathBuf, Unverifiable> {
        let real = fs::canonicalize(root).map_err(|error| obstacle(self.part, &error))?;
        match real.is_dir() {
            true => Ok(real),
            false => Err(Unverifiable::new(Obstacle::SourceUnavailable, format!("{} is not a folder", self.part))),
        }
    }

    fn name(&self, root: &Path, path: &Path) -> String {
        format!("{}/{}", self.part, locator(path.strip_prefix(root).unwrap_or(path)))
    }

    /// Reads a file whole.
    ///
    /// # Errors
    /// When it is larger than `max_bytes`, or cannot be read.
    pub fn read(&self, file: &FileEntry) -> Result<FileBytes, Unverifiable> {
        work::hold(file.size.saturating_sub(STREAMED));
        let mut reader = self.open(file)?;
        let failed = |e: io::Error| obstacle(&file.locator, &e);
        // Zeroed by the system where it is first written. `read_to_end` alone would write zeros everywhere first.
        let mut bytes = vec![0; usize::try_from(file.size.min(self.limits.max_bytes)).unwrap_or_default()];
        let filled = fill(&mut reader, &mut bytes).map_err(failed)?;
        bytes.truncate(filled);
        reader.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > self.limits.max_bytes {
            return Err(over_the_limit(&file.locator, &self.limits));
        }
        Ok(bytes.into())
    }

    /// Opens a file to be read piece by piece. At most one byte more than `max_bytes` comes out of it; a file that is
    /// known to be larger is refused at once.
    ///
    /// # Errors
    /// When it is larger than `max_bytes`, or cannot be opened.
    pub fn open(&self, file: &FileEntry) -> Result<impl Read + use<>, Unverifiable> {
        if file.size > self.limits.max_bytes {
            return Err(over_the_limit(&file.locator, &self.limits));
        }
        work::wanted()?;
        match &file.content {
            FileContent::Memory(bytes) => Ok(FileReader::Memory(Cursor::new(Arc::clone(bytes)))),
            FileContent::Disk(path) => {
                let open = File::open(path).map_err(|e| obstacle(&file.locator, &e))?;
                work::hold(file.size.min(STREAMED));
                Ok(FileReader::Disk(work::until_cancelled(open).take(self.limits.max_bytes.saturating_add(1))))
            }
        }
    }

    /// Some bytes of a file: fewer where it ends before.
    ///
    /// # Errors
    /// As [`Folder::open`], and when they are more than `max_bytes`.
    pub fn read_at(&self, file: &FileEntry, span: (u64, u64)) -> Result<Vec<u8>, Unverifiable> {
        let length = span.1.saturating_sub(span.0);
        if length > self.limits.max_bytes {
            return Err(over_the_limit(&file.locator, &self.limits));
        }
        work::wanted()?;
        let failed = |error: io::Error| obstacle(&file.locator, &error);
        let mut bytes = Vec::new();
        match &file.content {
            FileContent::Memory(all) => {
                let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(all.len());
                bytes.extend_from_slice(all.get(at(span.0)..at(span.1)).unwrap_or_default());
            }
            FileContent::Disk(path) => {
                let mut open = File::open(path).map_err(failed)?;
                open.seek(SeekFrom::Start(span.0)).map_err(failed)?;
                open.take(length).read_to_end(&mut bytes).map_err(failed)?;
            }
        }
        Ok(bytes)
    }

    /// Hands the lines of a file over, one at a time, each with its place in bytes and without its line end, until `each`
    /// breaks. Empty lines are handed over, too.
    ///
    /// # Errors
    /// As [`Folder::open`], and when a read fails on the way.
    pub fn lines(&self, file: &FileEntry, each: &mut EachLine<'_>) -> Result<(), Unverifiable> {
        let mut reader = BufReader::with_capacity(256 << 10, self.open(file)?);
        let (mut line, mut start) = (Vec::new(), 0u64);
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(|error| obstacle(&file.locator, &error))?;
            if read == 0 {
                return Ok(());
            }
            if start + read as u64 > self.limits.max_bytes {
                return Err(over_the_limit(&file.locator, &self.limits));
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if each((start, start + text.len() as u64), text).is_break() {
                return Ok(());
            }
            start += read as u64;
        }
    }

    /// Copies every file into another folder, which is there: bytes and times as they are.
    ///
    /// # Errors
    /// When the folder cannot be listed. A file that cannot be copied whole is not there, and among the gaps.
    pub fn copy_into(&self, into: &Path) -> Result<Gaps, Unverifiable> {
        let listing = self.list()?;
        let gap =
            |locator: &str, what: String, fault: Fault| Unreadable { place: Location::whole(locator), what, fault };
        let mut gaps: Gaps = listing
            .unreadable
            .iter()
            .map(|(place, why)| gap(place, why.details.clone(), Fault::Obstacle(why.obstacle)))
            .collect();
        for file in &listing.files {
            let mut content = match self.open(file) {
                Ok(content) => content,
                Err(why) => {
                    gaps.push(gap(&file.locator, why.details, Fault::Obstacle(why.obstacle)));
                    continue;
                }
            };
            let to = into.join(&file.path);
            let mut write = || {
                fs::create_dir_all(to.parent().unwrap_or(into))?;
                let mut copy = File::create(&to)?;
                io::copy(&mut content, &mut copy)?;
                file.modified.map_or(Ok(()), |time| copy.set_modified(time))
            };
            if let Err(error) = write() {
                // A file that was copied in part must not pass for the whole.
                drop(fs::remove_file(&to));
                let what = format!("{} cannot be copied: {error}", file.locator);
                gaps.push(gap(&file.locator, what, Fault::Obstacle(Obstacle::SourceUnavailable)));
            }
        }
        let outside = "is a link that leads out of the folder and was not followed";
        gaps.extend(listing.outside_links.iter().map(|link| gap(link, outside.to_owned(), Fault::Recording)));
        Ok(gaps)
    }

    /// SHA-256 of a file, in lower-case hex, without holding it in memory.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn sha256(&self, file: &FileEntry) -> Result<String, Unverifiable> {
        let mut reader = self.open(file)?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(hex(&hasher.finalize())),
                Ok(read) => hasher.update(buffer.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(obstacle(&file.locator, &error)),
            }
        }
    }
}

/// Reads until a buffer is full or the bytes end. Returns their number.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    // Small enough that a job can be cancelled on the way.
    const PIECE: usize = 1 << 20;
    let mut filled = 0;
    while filled < buffer.len() {
        let end = buffer.len().min(filled + PIECE);
        match reader.read(buffer.get_mut(filled..end).unwrap_or_default()) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns `true` if a path lies in a sub-folder; everything lies in `""`.
fn is_below(path: &str, folder: &str) -> bool {
    relative(path, folder.trim_matches('/')).is_some()
}

/// The folder in `within` that a path leads through.
fn folder_in<'p>(path: &'p str, within: &str) -> Option<&'p str> {
    relative(path, within.trim_matches('/'))?.split_once('/').map(|(folder, _)| folder)
}

fn folders_on_disk(root: &Path, within: &str, most: usize) -> BTreeSet<String> {
    let Ok(root) = fs::canonicalize(root) else { return BTreeSet::new() };
    let Ok(folder) = fs::canonicalize(root.join(within)) else { return BTreeSet::new() };
    if !folder.starts_with(&root) {
        return BTreeSet::new();
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.filter_map(|entry| entry.file_name().into_string().ok()).take(most).collect()
}

fn over_the_limit(locator: &str, limits: &Limits) -> Unverifiable {
    let limit = size_text(limits.max_bytes);
    Unverifiable::new(Obstacle::LimitExceeded, format!("{locator} is larger than {limit} (limit max_bytes)"))
}

pub(super) fn obstacle(locator: &str, error: &io::Error) -> Unverifiable {
    let obstacle = match error.kind() {
        io::ErrorKind::PermissionDenied => Obstacle::SourceDenied,
        io::ErrorKind::TimedOut => Obstacle::Timeout,
        _ => Obstacle::SourceUnavailable,
    };
    Unverifiable::new(obstacle, format!("{locator} cannot be read: {error}"))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).map_or('0', |&d| char::from(d));
    bytes.iter().flat_map(|&b| [digit(b >> 4), digit(b & 15)]).collect()
}
