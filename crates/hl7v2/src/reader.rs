//! Lines to messages: the beginning and end of each, and the stretches between them that are not messages.

use std::iter::FusedIterator;
use std::ops::Range;

use crate::batch::{Batches, Trailer};
use crate::delimiters::Delimiters;
use crate::ending::{Ending, Tail};
use crate::error::{Header, Malformed, ParseError};
use crate::frame::{Event, Lines, header_follows};
use crate::message::{Message, within};

/// Reads every message of `input`, in order.
///
/// Accepted around and between messages: a byte order mark, blank lines, NUL padding, MLLP framing,
/// FHS, BHS, BTS and FTS segments in any order. Segments end in CR, LF or CRLF, mixed as they come;
/// the last may have no end. Empty input holds no message.
///
/// An item is an error when its bytes cannot be read; reading goes on at the next header.
///
/// ```
/// use candor_hl7v2::messages;
///
/// let input = b"\x0bMSH|^~\\&|A\r\x1c\rMSH|^^|B\rMSH#*#C\n";
/// let read: Vec<bool> = messages(input).map(|item| item.is_ok()).collect();
/// assert_eq!(read, [true, false, true]);
/// ```
pub fn messages(input: &[u8]) -> Messages<'_> {
    Messages::from(State::default(), (input, 0), 0, false)
}

/// Reads messages that were decoded before, such as those in a JSON string or in a file of UTF-16: MSH-18 says what their
/// bytes once were, and tells nothing but what hexadecimal escape sequences mean.
///
/// ```
/// use candor_hl7v2::{Path, messages_of_text};
///
/// let message = messages_of_text("MSH|^~\\&|A|||||||||||||||8859/1\rPID|é\\XE9\\").next().unwrap().unwrap();
/// assert_eq!(Path::parse("PID.1").unwrap().select(&message).next().unwrap().text().text, "éé");
/// ```
pub fn messages_of_text(input: &str) -> Messages<'_> {
    Messages::from(State::of_text(), (input.as_bytes(), 0), 0, false)
}

/// The iterator that [`messages`] returns.
pub struct Messages<'a> {
    input: &'a [u8],
    base: usize,
    lines: Lines<'a>,
    more: bool,
    known_whole: bool,
    state: State,
}

/// The input that was read and not yet handed out.
#[derive(Default)]
pub(crate) struct State {
    open: Option<Open>,
    frame: Option<Frame>,
    /// The field separators of the last FHS and BHS, which FTS and BTS use.
    batch: [Option<u8>; 2],
    batches: Batches,
    tail: Tail,
    /// The input is text in UTF-8, whatever messages say of themselves.
    text: bool,
}

impl State {
    pub(crate) fn of_text() -> Self {
        Self { text: true, ..Self::default() }
    }
}

pub(crate) struct Open {
    span: Range<usize>,
    separator: Option<u8>,
    body: Result<(Delimiters, Vec<usize>), (usize, Malformed)>,
}

impl Open {
    fn bad(span: Range<usize>, separator: Option<u8>, offset: usize, kind: Malformed) -> Self {
        Self { span, separator, body: Err((offset, kind)) }
    }
}

pub(crate) struct Frame {
    start: usize,
    /// Where what has not been handed out yet begins.
    rest: usize,
    /// Nothing but white space so far: it hides nothing, so it needs no end. Files end in such starts.
    empty: bool,
}

enum Line {
    Blank,
    Header(Header, usize),
    Trailer,
    Segment,
    Other(usize),
}

type Item<'a> = Result<Message<'a>, ParseError>;

impl<'a> Iterator for Messages<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let separator = self.state.open.as_ref().and_then(|open| open.separator);
            let finished = match self.lines.next(separator) {
                Some(Event::Line { content, end }) => self.line(content, end, separator),
                Some(Event::Start(at)) => {
                    self.state.tail.framing();
                    let finished = self.end_unclosed(at);
                    self.state.frame = Some(Frame { start: at, rest: at, empty: true });
                    finished
                }
                Some(Event::End) => {
                    self.state.tail.framing();
                    self.state.frame = None;
                    self.finish()
                }
                None if self.more => return None,
                None => return self.end(),
            };
            if finished.is_some() {
                return finished;
            }
        }
    }
}

impl FusedIterator for Messages<'_> {}

impl<'a> Messages<'a> {
    /// Reads on from `at`, of an input that begins at `base`. With `more`, it hands out nothing that later bytes may
    /// change.
    pub(crate) fn from(state: State, (input, base): (&'a [u8], usize), at: usize, more: bool) -> Self {
        Self { input, base, lines: Lines::new(input, base, at, more), more, known_whole: false, state }
    }

    /// The state to hand out later, the offset where reading goes on, and the first offset whose bytes it needs.
    pub(crate) fn suspend(self) -> (State, usize, usize) {
        let at = self.lines.at;
        let needed = match &self.state.open {
            Some(Open { span, body: Ok(_), .. }) => span.start.min(at),
            _ => at,
        };
        (self.state, at, needed)
    }

    fn line(&mut self, content: Range<usize>, end: usize, separator: Option<u8>) -> Option<Item<'a>> {
        let kind = self.classify(&content, separator);
        let bytes = within(self.input, self.base, content.clone());
        self.state.tail.line(bytes, &content, end, matches!(kind, Line::Blank));
        if !matches!(kind, Line::Blank)
            && let Some(frame) = &mut self.state.frame
        {
            frame.empty = false;
        }
        match kind {
            Line::Blank => None,
            Line::Header(header, at) => {
                let finished = self.finish();
                self.begin(header, at..content.end, end);
                finished
            }
            Line::Trailer => {
                let finished = self.finish();
                let line = within(self.input, self.base, content.clone());
                self.state.batches.trailer(line, content.start..end);
                self.handed_out(end);
                finished
            }
            Line::Segment => {
                match &mut self.state.open {
                    Some(open) => {
                        open.span.end = end;
                        if let Ok((_, segments)) = &mut open.body {
                            segments.push(content.start);
                        }
                    }
                    None => self.text(content.start, end),
                }
                None
            }
            Line::Other(at) => {
                match &mut self.state.open {
                    Some(open) => {
                        open.span.end = end;
                        if open.body.is_ok() {
                            open.body = Err((at, Malformed::NoSegmentId));
                        }
                    }
                    None => self.text(at, end),
                }
                None
            }
        }
    }

    fn text(&mut self, start: usize, end: usize) {
        self.state.open = Some(Open::bad(start..end, None, start, Malformed::TextBeforeHeader));
    }

    /// The batch and file trailers read since the last call. A trailer before an item is there when the item is.
    pub fn trailers(&mut self) -> impl Iterator<Item = Trailer> + use<> {
        self.state.batches.take().into_iter()
    }

    /// The same for an input that is known to be whole, such as the bytes of one message that was read before: its header
    /// may be all of it and have no line end.
    #[must_use]
    pub fn known_to_be_whole(self) -> Self {
        Self { known_whole: true, ..self }
    }

    /// How the input ends, once every item was read.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.state.tail.ending(self.state.batches.open())
    }

    fn begin(&mut self, header: Header, content: Range<usize>, end: usize) {
        self.state.batches.header(header, content.start);
        let line = within(self.input, self.base, content.clone());
        let span = content.start..end;
        match (Delimiters::read(header, line), header) {
            (Ok(delimiters), Header::Msh) => {
                let mut segments = Vec::with_capacity(16);
                segments.push(content.start);
                self.state.open =
                    Some(Open { span, separator: Some(delimiters.field), body: Ok((delimiters, segments)) });
            }
            (Ok(delimiters), Header::Fhs | Header::Bhs) => {
                if let Some(separator) = self.state.batch.get_mut(usize::from(header == Header::Bhs)) {
                    *separator = Some(delimiters.field);
                }
                self.handed_out(end);
            }
            (Err((at, kind)), _) => {
                let separator = line.get(3).copied().filter(|&byte| crate::delimiters::usable(byte));
                self.state.open = Some(Open::bad(span, separator, content.start + at, kind));
            }
        }
    }

    fn classify(&self, content: &Range<usize>, separator: Option<u8>) -> Line {
        let line = within(self.input, self.base, content.clone());
        if let (Some(&id), Some(separator)) = (line.first_chunk::<3>(), separator)
            && is_segment_id(id)
            && line.get(3).is_none_or(|&byte| byte == separator)
        {
            return match &id {
                b"MSH" => Line::Header(Header::Msh, content.start),
                b"FHS" => Line::Header(Header::Fhs, content.start),
                b"BHS" => Line::Header(Header::Bhs, content.start),
                b"BTS" | b"FTS" => Line::Trailer,
                _ => Line::Segment,
            };
        }
        let text = skip_blank(line);
        let at = content.end - text.len();
        let id = text.get(..3).unwrap_or_default();
        if text.is_empty() {
            Line::Blank
        } else if let Some(header) = Header::of(id)
            && (self.state.open.is_none() || header_follows(text, separator))
        {
            Line::Header(header, at)
        } else if matches!(id, b"BTS" | b"FTS") && self.ends_batch(text.get(3)) {
            Line::Trailer
        } else {
            Line::Other(at)
        }
    }

    fn ends_batch(&self, separator: Option<&u8>) -> bool {
        separator.is_none_or(|byte| {
            self.state.batch.contains(&Some(*byte)) || (*byte == b'|' && self.state.batch == [None; 2])
        })
    }

    fn finish(&mut self) -> Option<Item<'a>> {
        let open = self.state.open.take()?;
        self.handed_out(open.span.end);
        Some(match open.body {
            Ok((delimiters, segments)) => {
                Ok(Message::new((self.input, self.base), open.span, delimiters, segments, self.state.text))
            }
            Err((offset, kind)) => Err(ParseError { offset, span: open.span, kind }),
        })
    }

    fn end(&mut self) -> Option<Item<'a>> {
        let ended = self.known_whole || self.state.tail.ended;
        let finished = self.end_unclosed(self.base + self.input.len());
        finished.map(|item| match item {
            Ok(message) if !ended && ends_in_header(&message) => {
                let span = message.span();
                Err(ParseError { offset: span.start, span, kind: Malformed::EndsInHeader })
            }
            item => item,
        })
    }

    fn handed_out(&mut self, end: usize) {
        if let Some(frame) = &mut self.state.frame {
            frame.rest = end;
        }
    }

    /// Ends what is being read at a place where a frame must not be open any more.
    fn end_unclosed(&mut self, end: usize) -> Option<Item<'a>> {
        let Some(frame) = self.state.frame.take() else {
            return self.finish();
        };
        let open = self.state.open.take();
        if frame.empty && open.is_none() {
            return None;
        }
        let end = open.map_or(end, |open| open.span.end.max(frame.rest));
        Some(Err(ParseError { offset: frame.start, span: frame.rest..end, kind: Malformed::UnclosedFrame }))
    }
}

/// True if a message whose last line has no end is a header that breaks off before its version, which is MSH-12.
fn ends_in_header(message: &Message<'_>) -> bool {
    // `2.1` is the shortest.
    const SHORTEST: usize = 3;
    let field = message.delimiters().field;
    let version = message.raw().splitn(12, |&byte| byte == field).nth(11);
    message.segments().len() == 1 && version.is_none_or(|rest| rest.len() < SHORTEST)
}

fn skip_blank(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [b' ' | b'\t' | 0x0C | 0, rest @ ..] | [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
            _ => return line,
        };
    }
}

/// Three characters, a capital letter and two capital letters or digits (HL7 v2.8.2, 2.5.2).
pub(crate) fn is_segment_id(id: [u8; 3]) -> bool {
    let [first, second, third] = id;
    let rest = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    first.is_ascii_uppercase() && rest(second) && rest(third)
}
