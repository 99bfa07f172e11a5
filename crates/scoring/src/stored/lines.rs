//! Lines out of a reader, one buffer for all, none longer than a limit.

use std::io::{BufRead, Read};

use super::Problem;

/// The lines of one file that are not blank.
pub(crate) struct Lines<R> {
    reader: R,
    max_bytes: usize,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R, max_bytes: usize) -> Self {
        Lines { reader, max_bytes, buffer: Vec::new(), number: 0 }
    }

    /// The number of the line that was read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number.max(1)
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, (u64, Problem)> {
        loop {
            self.buffer.clear();
            // One byte beyond the limit tells a line that just fits from one that goes on; the
            // line feed itself may be that byte.
            let limit = u64::try_from(self.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
            let read = self.reader.by_ref().take(limit).read_until(b'\n', &mut self.buffer);
            self.number += 1;
            let column = |length: usize| u64::try_from(length).unwrap_or(u64::MAX) + 1;
            match read {
                Err(error) => return Err((column(self.buffer.len()), Problem::Io(error))),
                Ok(0) => return Ok(None),
                Ok(length) if length > self.max_bytes && !self.buffer.ends_with(b"\n") => {
                    let max_bytes = self.max_bytes;
                    return Err((column(max_bytes), Problem::LineTooLong { max_bytes }));
                }
                Ok(_) => {}
            }
            if !self.text().is_empty() {
                return str::from_utf8(self.text())
                    .map(Some)
                    .map_err(|error| (column(error.valid_up_to()), Problem::NotUtf8));
            }
        }
    }

    /// The line without a byte order mark, its end and the white space before it.
    fn text(&self) -> &[u8] {
        let mark: &[u8] = if self.number == 1 { b"\xEF\xBB\xBF" } else { b"" };
        self.buffer.strip_prefix(mark).unwrap_or(&self.buffer).trim_ascii_end()
    }
}
