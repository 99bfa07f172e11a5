//! Lines of a file, by the bytes in it.

/// Where lines end.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// The lines of a file; CR, LF and CRLF end one.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let ends = bytes.iter().enumerate().filter(|&(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self(ends.map(|(at, _)| at).collect())
    }

    /// The line that a byte is in, from 1.
    pub(crate) fn line(&self, offset: u64) -> u64 {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        self.0.partition_point(|&end| end < offset) as u64 + 1
    }
}
