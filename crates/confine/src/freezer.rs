//! Stops everything behind a boundary for as long as its files are copied.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use crate::Boundary;
use crate::socket::by_short_path;

/// How long the processes may take to stop.
const WAIT: Duration = Duration::from_secs(10);

/// Asks that everything stops, that it goes on, and whether it is stopped since.
pub(crate) const FREEZE: u8 = b'f';
const THAW: u8 = b't';
pub(crate) const HELD: u8 = b'h';

/// Stops everything behind a boundary, and lets it go on.
#[derive(Debug)]
pub struct Freezer {
    listener: UnixListener,
    stream: Option<UnixStream>,
}

impl Freezer {
    /// The freezer of what a boundary will start. Make it before the command line is taken.
    ///
    /// # Errors
    /// When no socket can be made.
    pub fn of(boundary: &mut Boundary) -> io::Result<Self> {
        let socket = boundary.state().join("control");
        // One of a command that ended before.
        let _ = std::fs::remove_file(&socket);
        let listener = by_short_path(&socket, |path| UnixListener::bind(path))?;
        listener.set_nonblocking(true)?;
        boundary.controlled(socket);
        Ok(Self { listener, stream: None })
    }

    /// Returns when every process behind the boundary is stopped.
    ///
    /// # Errors
    /// When they do not stop in time, or the command has ended.
    pub fn freeze(&mut self) -> io::Result<()> {
        self.asked(FREEZE)
    }

    /// Returns when no process behind the boundary has run since it was frozen. A process can have had itself woken: by a
    /// timer, by a signal with another one's end.
    ///
    /// # Errors
    /// When one ran, or the command has ended.
    pub fn held(&mut self) -> io::Result<()> {
        self.asked(HELD)
    }

    /// Lets every process go on.
    ///
    /// # Errors
    /// When the command has ended.
    pub fn thaw(&mut self) -> io::Result<()> {
        self.asked(THAW)
    }

    fn asked(&mut self, what: u8) -> io::Result<()> {
        if self.stream.is_none() {
            self.stream = Some(self.accepted()?);
        }
        let Some(stream) = &mut self.stream else { return Err(io::ErrorKind::NotConnected.into()) };
        stream.write_all(&[what])?;
        let mut answer = [0];
        stream.read_exact(&mut answer)?;
        match answer == [what] {
            true => Ok(()),
            false => Err(io::Error::other("a process behind the boundary goes on running")),
        }
    }

    /// The connection of the boundary's first process, made before the command was started: so it is the first.
    fn accepted(&self) -> io::Result<UnixStream> {
        let began = Instant::now();
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    stream.set_read_timeout(Some(WAIT))?;
                    return Ok(stream);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && began.elapsed() < WAIT => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) => return Err(error),
            }
        }
    }
}
