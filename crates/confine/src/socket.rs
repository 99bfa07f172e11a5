//! A socket in a folder whose path is longer than the address of a socket may be.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

/// The longest path that is an address, in bytes. Source: unix(7), `sun_path` with its zero.
const LONGEST: usize = 107;

/// Does something by a path that names the socket in at most [`LONGEST`] bytes: itself, or by way of its open folder.
pub(crate) fn by_short_path<T>(socket: &Path, done: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if socket.as_os_str().len() <= LONGEST {
        return done(socket);
    }
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = File::open(folder)?;
    done(&PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name))
}
