//! Where bytes come from: memory, or a stream of which only a window is held.

use std::io;

mod sealed {
    /// The inputs are the two of this module.
    pub trait Sealed {}
}

/// Bytes of which a window is at hand. Implemented by [`SliceInput`] and [`ReadInput`] alone.
pub trait Input: sealed::Sealed {
    /// The window.
    fn window(&self) -> &[u8];
    /// The offset of the window's first byte in the whole.
    fn start(&self) -> u64;
    /// Widens the window to the right; it may lose what is before `keep`. `false`: there is no more.
    ///
    /// # Errors
    /// Whatever the stream reports.
    fn more(&mut self, keep: u64) -> io::Result<bool>;
}

/// Bytes in memory: the window is the whole.
#[derive(Debug, Clone, Copy)]
pub struct SliceInput<'a>(pub(crate) &'a [u8]);

impl sealed::Sealed for SliceInput<'_> {}

impl Input for SliceInput<'_> {
    fn window(&self) -> &[u8] {
        self.0
    }

    fn start(&self) -> u64 {
        0
    }

    fn more(&mut self, _keep: u64) -> io::Result<bool> {
        Ok(false)
    }
}

/// A stream with one buffer that is used again and again. It grows only while more has to be kept.
#[derive(Debug)]
pub struct ReadInput<R> {
    source: R,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    start: u64,
    ended: bool,
}

impl<R: io::Read> ReadInput<R> {
    pub(crate) fn new(source: R, chunk: usize) -> Self {
        Self { source, buffer: vec![0; chunk.max(1)], begin: 0, end: 0, start: 0, ended: false }
    }
}

impl<R> sealed::Sealed for ReadInput<R> {}

impl<R: io::Read> Input for ReadInput<R> {
    fn window(&self) -> &[u8] {
        self.buffer.get(self.begin..self.end).unwrap_or_default()
    }

    fn start(&self) -> u64 {
        self.start
    }

    fn more(&mut self, keep: u64) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let drop = usize::try_from(keep.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let drop = drop.min(self.end - self.begin);
        self.begin += drop;
        self.start += drop as u64;
        if self.begin > 0 && self.end == self.buffer.len() {
            self.buffer.copy_within(self.begin..self.end, 0);
            self.end -= self.begin;
            self.begin = 0;
        }
        // Double the buffer when half is in use: the bytes read again after each step stay linear.
        if self.end > self.buffer.len() / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let mut filled = false;
        while let Some(room) = self.buffer.get_mut(self.end..).filter(|room| !room.is_empty()) {
            match self.source.read(room) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => {
                    self.end += count;
                    filled = true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}
