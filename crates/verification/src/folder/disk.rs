//! Files that are written whole or not at all, and the lock of a folder.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The end of the name of a file that is being written.
const UNFINISHED: &str = "json.tmp";

fn named(file: &Path, what: &str, error: &io::Error) -> String {
    format!("{}: {what}: {error}", file.display())
}

pub(super) fn read(file: &Path) -> Result<Option<Vec<u8>>, String> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(named(file, "it cannot be read", &error)),
    }
}

/// Writes a file so that, whenever this process or the machine stops, either the old content is there or the new one.
pub(super) fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let unfinished = file.with_extension(UNFINISHED);
    let written = || -> io::Result<()> {
        let mut out = File::create(&unfinished)?;
        out.write_all(bytes)?;
        out.sync_all()?;
        fs::rename(&unfinished, file)?;
        flushed(file)
    };
    written().map_err(|error| {
        // On a full disk every byte counts.
        let _ = fs::remove_file(&unfinished);
        named(file, "it cannot be written", &error)
    })
}

/// Removes a file, if it is there.
pub(super) fn remove(file: &Path) -> Result<(), String> {
    match fs::remove_file(file).and_then(|()| flushed(file)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(file, "it cannot be removed", &error)),
        _ => Ok(()),
    }
}

fn flushed(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

pub(super) fn remove_unfinished(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for file in entries.filter(|file| file.to_string_lossy().ends_with(UNFINISHED)) {
        // A file that stays is overwritten later or ignored: no reader opens it.
        let _ = fs::remove_file(file);
    }
}

/// Holds a folder for one process. The system releases it when the process is gone, however it ended.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder.
    ///
    /// # Errors
    /// When another process holds it, whose number the error has, or no lock can be taken here.
    pub(super) fn take(folder: &Path) -> Result<Self, String> {
        let path: PathBuf = folder.join("lock");
        let wrong = |error: io::Error| named(&path, "the record cannot be locked", &error);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(wrong)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = (&file).take(20).read_to_string(&mut holder);
                let holder = match holder.trim() {
                    "" => "another loop".to_owned(),
                    pid => format!("the loop with process id {pid}"),
                };
                return Err(format!(
                    "{}: {holder} holds this record; wait until it ends, or give --record another folder",
                    folder.display()
                ));
            }
            Err(TryLockError::Error(error)) => return Err(wrong(error)),
        }
        // The next process reads who holds the folder; the lock itself does not depend on that.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}
