//! The system's account of a file: its time, and why it cannot be read.

use std::time::SystemTime;

use jiff::Timestamp;
use rustix::io::Errno;

/// Errors that come from how a work left a path. Every other one is an outage.
const OF_WORK: [Errno; 7] =
    [Errno::NOENT, Errno::NOTDIR, Errno::ISDIR, Errno::LOOP, Errno::ACCESS, Errno::PERM, Errno::NAMETOOLONG];

pub(super) enum Unread {
    /// The workspace holds no text file there.
    Work(String),
    /// The program may not read it, the operator's file is not a text, or the machine cannot read it now.
    Refused(String),
}

/// A time, or the nearest that has a text: a file system may hold years of more than four digits.
pub(super) fn nearest(time: SystemTime) -> Timestamp {
    let end = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(end)
}

pub(super) fn unreadable(asked: &str, error: &std::io::Error) -> Unread {
    let why = format!("`{asked}` cannot be read: {error}");
    let of_work = match Errno::from_io_error(error) {
        Some(errno) => OF_WORK.contains(&errno),
        // A zero byte in the name.
        None => error.kind() == std::io::ErrorKind::InvalidInput,
    };
    if of_work { Unread::Work(why) } else { Unread::Refused(why) }
}
