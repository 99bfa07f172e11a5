//! How the input ends: whether anything shows that it was cut off.

use std::ops::Range;

use crate::batch::Enclosing;

/// How an input ends.
///
/// HL7 v2 does not mark the end of a file: between two messages a cut cannot show. A message that is cut inside its header
/// is an error of its own ([`Malformed::EndsInHeader`](crate::Malformed::EndsInHeader)), and so is a frame without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing shows a cut.
    Open,
    /// A batch or a file has a header, and its trailer is missing.
    NoTrailer {
        /// The scope without a trailer.
        encloses: Enclosing,
        /// Where its header begins.
        offset: usize,
        /// True if the last line has its end. Without it, the batch breaks off in that line.
        ended: bool,
    },
    /// More NUL bytes than padding explains, or nothing else: what a crash leaves of a file.
    Nuls {
        /// The first of them.
        offset: usize,
        /// How many there are.
        length: usize,
    },
}

/// The most NUL bytes at the end of an input that are padding: one block of a disk.
const PADDING: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// Something other than NUL bytes and white space was read.
    content: bool,
    /// The last line with content has its line end, or a frame's end follows it.
    pub(crate) ended: bool,
    /// NUL bytes since the last content: the first, and how many.
    nuls: Option<(usize, usize)>,
}

impl Tail {
    /// A line that holds `bytes` at `content` and ends, with its terminator, at `end`.
    pub(crate) fn line(&mut self, bytes: &[u8], content: &Range<usize>, end: usize, blank: bool) {
        let zeros = match blank {
            true => bytes.iter().filter(|&&byte| byte == 0).count(),
            false => bytes.iter().rev().take_while(|&&byte| byte == 0).count(),
        };
        let first = match blank {
            true => content.start + memchr::memchr(0, bytes).unwrap_or_default(),
            false => content.end - zeros,
        };
        if !blank {
            (self.content, self.ended, self.nuls) = (true, end > content.end, None);
        }
        if zeros > 0 {
            let (from, before) = self.nuls.unwrap_or((first, 0));
            self.nuls = Some((from, before + zeros));
        }
    }

    /// A byte that begins or ends a frame.
    pub(crate) fn framing(&mut self) {
        *self = Self { content: true, ended: true, nuls: None };
    }

    pub(crate) fn ending(&self, batch: Option<(Enclosing, usize)>) -> Ending {
        match (self.nuls, batch) {
            (Some((offset, length)), _) if length > PADDING || !self.content => Ending::Nuls { offset, length },
            (_, Some((encloses, offset))) => Ending::NoTrailer { encloses, offset, ended: self.ended },
            (_, None) => Ending::Open,
        }
    }
}
