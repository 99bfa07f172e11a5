//! Messages out of a stream that comes in pieces, in bounded memory.

use crate::batch::Trailer;
use crate::ending::Ending;
use crate::error::ParseError;
use crate::message::Message;
use crate::reader::{Messages, State};

/// Something that was read from a stream.
#[derive(Debug)]
pub enum Part<'a> {
    /// A message.
    Message(Message<'a>),
    /// Bytes that are not a message, and the reason.
    Unreadable(ParseError),
    /// The trailer of a batch or a file.
    Trailer(Trailer),
    /// How the stream ends: the last thing that is handed out.
    Ending(Ending),
}

/// Reads what [`messages`](crate::messages) reads, piece by piece: wherever the stream is cut into pieces, the messages,
/// the errors and the trailers are the same, and every offset counts from the beginning of the stream.
///
/// It holds one message and the piece that was given last.
///
/// ```
/// use candor_hl7v2::{Part, Stream};
///
/// let mut stream = Stream::default();
/// let mut spans = Vec::new();
/// let mut read = |part: Part<'_>| {
///     if let Part::Message(message) = part {
///         spans.push(message.span());
///     }
/// };
/// stream.push(b"MSH|^~\\&|A\rPI", &mut read);
/// stream.push(b"D|1\rMSH|^~\\&|B\r", &mut read);
/// stream.finish(&mut read);
/// assert_eq!(spans, [0..17, 17..28]);
/// ```
#[derive(Default)]
pub struct Stream {
    buffer: Vec<u8>,
    base: usize,
    at: usize,
    state: State,
}

impl Stream {
    /// A stream of text that was decoded before, as [`messages_of_text`](crate::messages_of_text) has it.
    #[must_use]
    pub fn of_text() -> Self {
        Self { state: State::of_text(), ..Self::default() }
    }

    /// Reads the next piece and hands out what is complete.
    pub fn push(&mut self, piece: &[u8], each: &mut impl FnMut(Part<'_>)) {
        self.buffer.extend_from_slice(piece);
        self.read(true, each);
    }

    /// Hands out what is left at the end of the stream.
    pub fn finish(mut self, each: &mut impl FnMut(Part<'_>)) {
        self.read(false, each);
    }

    fn read(&mut self, more: bool, each: &mut impl FnMut(Part<'_>)) {
        let state = std::mem::take(&mut self.state);
        let mut reading = Messages::from(state, (&self.buffer, self.base), self.at, more);
        while let Some(item) = reading.next() {
            each(match item {
                Ok(message) => Part::Message(message),
                Err(error) => Part::Unreadable(error),
            });
            reading.trailers().map(Part::Trailer).for_each(&mut *each);
        }
        reading.trailers().map(Part::Trailer).for_each(&mut *each);
        if !more {
            each(Part::Ending(reading.ending()));
        }
        let (state, at, needed) = reading.suspend();
        (self.state, self.at) = (state, at);
        self.buffer.drain(..needed.saturating_sub(self.base).min(self.buffer.len()));
        self.base = needed;
    }
}

impl std::fmt::Debug for Stream {
    /// Shows where it is and no content.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("at", &self.at).field("held", &self.buffer.len()).finish_non_exhaustive()
    }
}
