//! A connection's bytes to frames (MLLP release 1: 0x0B, content, 0x1C 0x0D), with the variants that are seen.

const START: u8 = 0x0B;
const END: u8 = 0x1C;

/// Splits what comes in, however it is cut, into frames with all their bytes.
///
/// Accepted: no start; an end without the carriage return, or with a line feed or NUL in its place; a start where the
/// frame before it was never ended; white space and NUL between frames; empty frames, which are dropped.
///
/// ```
/// use candor_mllp::Frames;
///
/// let mut frames = Frames::default();
/// frames.push(b"\x0bMSH|^~\\&|A\r\x1c\r\x0bMSH|^~");
/// assert_eq!(frames.next_frame().as_deref(), Some(&b"\x0bMSH|^~\\&|A\r\x1c\r"[..]));
/// assert_eq!(frames.next_frame(), None);
/// assert_eq!(frames.held(), 7);
/// ```
#[derive(Debug, Default)]
pub struct Frames {
    buffer: Vec<u8>,
    /// Up to where no frame ends.
    looked: usize,
}

impl Frames {
    /// Takes bytes as they were read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// How many bytes wait for the rest of their frame.
    #[must_use]
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// The beginning of the frame that has not ended.
    #[must_use]
    pub fn begun(&self) -> &[u8] {
        &self.buffer
    }

    /// The next frame that is complete, its framing bytes with it.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        loop {
            let end = self.end()?;
            let frame = self.cut(end);
            if !is_empty(&frame) {
                return Some(frame);
            }
        }
    }

    /// True if the bytes end in 0x1C, which is the end of a frame if nothing follows.
    #[must_use]
    pub fn may_have_ended(&self) -> bool {
        self.buffer.last() == Some(&END)
    }

    /// Nothing follows: what ends in 0x1C is a frame.
    pub fn settle(&mut self) -> Option<Vec<u8>> {
        if !self.may_have_ended() {
            return None;
        }
        let frame = self.cut(self.buffer.len());
        (!is_empty(&frame)).then_some(frame)
    }

    fn cut(&mut self, end: usize) -> Vec<u8> {
        self.looked = 0;
        let rest = self.buffer.split_off(end.min(self.buffer.len()));
        std::mem::replace(&mut self.buffer, rest)
    }

    /// Where the first frame ends, if the bytes so far decide that.
    fn end(&mut self) -> Option<usize> {
        // A start does not belong to the frame before it; blanks and starts before the first content are this
        // frame's own.
        let begin = self.buffer.iter().take_while(|&&byte| is_blank(byte) || byte == START).count();
        let mut from = self.looked.max(begin);
        loop {
            let rest = self.buffer.get(from..)?;
            let Some(at) = memchr::memchr2(START, END, rest).map(|at| from + at) else {
                self.looked = self.buffer.len();
                return None;
            };
            // The next call looks at this byte again, if it cannot be decided yet.
            self.looked = at;
            let after = self.buffer.get(at + 1..).unwrap_or_default();
            if self.buffer.get(at) == Some(&END) {
                match after.first() {
                    None => return None,
                    Some(b'\r' | b'\n' | 0) => return Some(at + 2),
                    Some(&(START | END)) => return Some(at + 1),
                    Some(_) => {}
                }
            } else {
                match after.get(..3) {
                    None if is_header_so_far(after) => return None,
                    Some(b"MSH" | b"FHS" | b"BHS") => return Some(at),
                    _ => {}
                }
            }
            from = at + 1;
        }
    }
}

fn is_header_so_far(bytes: &[u8]) -> bool {
    [b"MSH", b"FHS", b"BHS"].iter().any(|id| id.starts_with(bytes))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | 0)
}

fn is_empty(frame: &[u8]) -> bool {
    frame.iter().all(|&byte| is_blank(byte) || byte == START || byte == END)
}
