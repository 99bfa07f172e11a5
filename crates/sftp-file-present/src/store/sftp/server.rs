//! The tree of a server: every question is one of the protocol's, and only ever a question.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ssh2::{ErrorCode, File, FileStat, Sftp};

use super::connect::{Connection, Lease};
use super::trouble::{self, Trouble, session};
use super::walk::{Attributes, Each, Kind, Tree};

/// A channel of a connection, asked by paths that messages name as they are on the server.
pub(super) struct Server<'a> {
    pub(super) sftp: &'a Sftp,
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> &Path {
    // Where paths are text, the library takes nothing else; bytes that are not text name nothing there.
    Path::new(std::str::from_utf8(bytes).unwrap_or("\u{fffd}"))
}

fn bytes(path: PathBuf) -> Vec<u8> {
    path.into_os_string().into_encoded_bytes()
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

fn attributes(stat: &FileStat) -> Attributes {
    /// The bits of the mode that tell the kind, and their values, as in `sys/stat.h` of POSIX.
    const KINDS: u32 = 0o170_000;
    let kind = stat.perm.map(|mode| mode & KINDS).filter(|&kind| kind != 0).map(|kind| match kind {
        0o040_000 => Kind::Folder,
        0o100_000 => Kind::File,
        0o120_000 => Kind::Link,
        _ => Kind::Other,
    });
    Attributes { kind, size: stat.size, modified: stat.mtime }
}

impl Server<'_> {
    pub(super) fn absolute(&self, bytes_of: &[u8]) -> Result<Vec<u8>, Trouble> {
        self.sftp.realpath(path(bytes_of)).map(bytes).map_err(|error| trouble::of(&error, &shown(bytes_of)))
    }

    pub(super) fn followed(&self, bytes: &[u8]) -> Result<Attributes, Trouble> {
        let stat = self.sftp.stat(path(bytes)).map_err(|error| trouble::of(&error, &shown(bytes)))?;
        Ok(attributes(&stat))
    }
}

impl Tree for Server<'_> {
    fn attributes(&self, bytes: &[u8]) -> Result<Attributes, Trouble> {
        let stat = self.sftp.lstat(path(bytes)).map_err(|error| trouble::of(&error, &shown(bytes)))?;
        Ok(attributes(&stat))
    }

    fn target(&self, link: &[u8]) -> Result<Vec<u8>, Trouble> {
        self.sftp.readlink(path(link)).map(bytes).map_err(|error| trouble::of(&error, &shown(link)))
    }

    fn entries(&self, folder: &[u8], each: &mut Each<'_>) -> Result<(), Trouble> {
        let failed = |error: &ssh2::Error| trouble::of(error, &shown(folder));
        let mut open = self.sftp.opendir(path(folder)).map_err(|error| failed(&error))?;
        let mut ended = false;
        loop {
            match open.readdir() {
                Ok((name, stat)) => {
                    ended = false;
                    each(&bytes(name), attributes(&stat))?;
                }
                // The library says this for the end, and as well for an answer that holds no name, behind which others
                // may come. Only if the server then adds nothing is the list complete.
                Err(error) if error.code() == ErrorCode::Session(session::FILE) => {
                    if ended {
                        return Ok(());
                    }
                    ended = true;
                }
                // After the end, some servers no longer know the handle.
                Err(error) if ended && matches!(error.code(), ErrorCode::SFTP(_)) => return Ok(()),
                Err(error) => {
                    return Err(match failed(&error) {
                        // It was there when it was opened: what it held is not known.
                        Trouble::Missing => Trouble::Here(Trouble::Missing.about(&shown(folder))),
                        trouble => trouble,
                    });
                }
            }
        }
    }
}

/// A file that is being read. Its channel serves no other file until it is dropped.
pub(super) struct Reading {
    // Closed before its channel is given back.
    file: File,
    lease: Lease,
    locator: String,
}

impl Reading {
    pub(super) fn open(lease: Lease, real: &[u8], locator: &str) -> Result<Self, Trouble> {
        let file = lease.sftp().open(path(real)).map_err(|error| trouble::of(&error, locator))?;
        Ok(Self { file, lease, locator: locator.to_owned() })
    }
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer).map_err(|error| {
            let connection: &Connection = self.lease.connection();
            let trouble = trouble::of_read(&error, connection.session(), &self.locator);
            if matches!(trouble, Trouble::Lost(_)) {
                connection.lose();
            }
            io::Error::other(trouble.about(&self.locator))
        })
    }
}
