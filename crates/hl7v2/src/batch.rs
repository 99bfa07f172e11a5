//! Batch and file trailers: the counts they declare, and the counts found (HL7 v2.8.2, 2.10.3).

use std::ops::Range;

use crate::error::Header;
use crate::frame::{END, START};

/// The scope of a trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosing {
    /// BTS: a batch of messages.
    Batch,
    /// FTS: a file of batches.
    File,
}

/// A batch trailer or a file trailer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// The scope that it closes.
    pub encloses: Enclosing,
    /// Its place, with its line end.
    pub span: Range<usize>,
    /// BTS-1 or FTS-1 as written, up to the next separator.
    pub declared: String,
    /// The number of messages, or batches, before it. Messages that cannot be read are counted too. `None` if there is
    /// no such number: a file whose messages are not in batches.
    pub found: Option<u64>,
    /// From the header (or what came before) to the trailer.
    pub covers: Range<usize>,
}

impl Trailer {
    /// True if the declared count is the count found. A trailer without a count is never wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let declared = self.declared.trim();
        declared.is_empty() || self.found.is_none_or(|found| declared.parse() == Ok(found))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Batches {
    messages: u64,
    batches: u64,
    /// A BHS was read and its BTS was not.
    is_open: bool,
    /// Where the batch and the file begin.
    batch: usize,
    file: usize,
    trailers: Vec<Trailer>,
    /// The headers that no trailer has answered yet.
    open_batch: Option<usize>,
    open_file: Option<usize>,
}

impl Batches {
    pub(crate) fn header(&mut self, header: Header, at: usize) {
        match header {
            Header::Msh => self.messages += 1,
            Header::Bhs => {
                self.close();
                self.is_open = true;
                self.batch = at;
                self.open_batch = Some(at);
            }
            Header::Fhs => {
                *self = Self {
                    batch: at,
                    file: at,
                    open_file: Some(at),
                    trailers: std::mem::take(&mut self.trailers),
                    ..Self::default()
                }
            }
        }
    }

    pub(crate) fn trailer(&mut self, line: &[u8], span: Range<usize>) {
        let line = line.trim_ascii();
        let declared = line.get(4..).unwrap_or_default();
        let separator = line.get(3).copied().unwrap_or(b'|');
        let ends = |byte: &u8| *byte == separator || matches!(*byte, b'\r' | b'\n' | START | END);
        let declared = declared.split(ends).next().unwrap_or_default();
        let declared = String::from_utf8_lossy(declared.get(..40).unwrap_or(declared)).into_owned();
        let (encloses, found, from) = if line.starts_with(b"BTS") {
            let messages = self.messages;
            self.is_open = true;
            self.close();
            self.open_batch = None;
            (Enclosing::Batch, Some(messages), self.batch)
        } else {
            self.close();
            (self.open_batch, self.open_file) = (None, None);
            (Enclosing::File, (self.batches > 0 || self.messages == 0).then_some(self.batches), self.file)
        };
        let covers = from..span.end;
        self.batch = span.end;
        if encloses == Enclosing::File {
            (self.messages, self.batches, self.file) = (0, 0, span.end);
        }
        self.trailers.push(Trailer { encloses, span, declared, found, covers });
    }

    fn close(&mut self) {
        if self.is_open {
            self.batches += 1;
            self.messages = 0;
            self.is_open = false;
        }
    }

    /// The innermost batch or file that has a header and no trailer yet, and where it begins.
    pub(crate) fn open(&self) -> Option<(Enclosing, usize)> {
        let batch = self.open_batch.map(|at| (Enclosing::Batch, at));
        batch.or(self.open_file.map(|at| (Enclosing::File, at)))
    }

    pub(crate) fn take(&mut self) -> Vec<Trailer> {
        std::mem::take(&mut self.trailers)
    }
}
