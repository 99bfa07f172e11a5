//! Writes frames to numbered files that are durable before a message is acknowledged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A folder that frames are written to.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    next: u64,
    /// True if the folder has names that are not synced yet, and that a crash could take back.
    unsynced: bool,
}

/// A frame that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The file's name in the folder.
    pub name: String,
}

const PREFIX: &str = "mllp-";
const SUFFIX: &str = ".hl7";

/// True for the hidden file of a recorder that no longer runs: it was killed while it wrote, and never acknowledged the
/// message. Where processes cannot be looked up, no file is removed.
fn is_left_behind(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(".part"));
    let process = parts.and_then(|parts| parts.split('-').nth(1)?.parse::<u32>().ok());
    let looked_up = |process: u32| Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists();
    process.is_some_and(|process| process != std::process::id() && looked_up(process))
}

impl Store {
    /// Opens a folder, which is made if it is not there. Numbers go on after the highest that is there, and what a killed recorder
    /// left half written is removed.
    ///
    /// # Errors
    /// When the folder cannot be made, listed or synced.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let mut highest = 0;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_str().is_some_and(is_left_behind) {
                // Another recorder may sweep as well.
                let _ = fs::remove_file(entry.path());
            }
            let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok());
            highest = highest.max(number.unwrap_or(0));
        }
        let store = Self { folder: folder.to_owned(), next: highest + 1, unsynced: false };
        store.sync_folder()?;
        Ok(store)
    }

    /// Writes a frame to a file of its own. It is durable when [`Store::sync`] has returned.
    ///
    /// The bytes are written and synced under a hidden name and then linked under their number, which no other recorder
    /// in the same folder can take: a file with a number is whole.
    ///
    /// # Errors
    /// When it cannot be written; nothing with a number is left then.
    pub fn write(&mut self, frame: &[u8]) -> io::Result<Stored> {
        let (part, mut file) = self.part()?;
        let written = file.write_all(frame).and_then(|()| file.sync_data());
        drop(file);
        let linked = written.and_then(|()| self.link(&part));
        // The bytes have their number now, or the message is not acknowledged.
        let removed = fs::remove_file(&part);
        let name = linked?;
        removed?;
        self.unsynced = true;
        Ok(Stored { name })
    }

    /// Makes the names of what was written durable.
    ///
    /// # Errors
    /// When the folder cannot be synced: nothing that was written since is certain.
    pub fn sync(&mut self) -> io::Result<()> {
        if self.unsynced {
            self.sync_folder()?;
            self.unsynced = false;
        }
        Ok(())
    }

    fn part(&self) -> io::Result<(PathBuf, File)> {
        let mut number = 0u32;
        loop {
            let path = self.folder.join(format!(".{PREFIX}{:08}-{}-{number}.part", self.next, std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                // What a recorder left that was killed while it wrote.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn link(&mut self, part: &Path) -> io::Result<String> {
        loop {
            let name = format!("{PREFIX}{:08}{SUFFIX}", self.next);
            self.next += 1;
            match fs::hard_link(part, self.folder.join(&name)) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}
