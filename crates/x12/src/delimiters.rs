//! The characters that split an interchange, as its ISA declares them.

/// The delimiters of one interchange.
///
/// They come from the fixed positions of ISA (X12.5 and X12.6): the element separator is byte 4, the
/// repetition separator is ISA11 from version 00402 on, the component separator is ISA16 and the
/// segment terminator is what follows ISA16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiters {
    element: u8,
    component: Option<u8>,
    repetition: Option<u8>,
    terminator: [u8; 4],
    terminator_len: u8,
}

impl Delimiters {
    /// Delimiters from their parts; `None` when text could not be split by them: the terminator is
    /// empty, longer than one UTF-8 character can be, or begins with the element separator.
    ///
    /// A component or repetition separator that an earlier role has taken already is dropped, so that
    /// reading is never ambiguous: the element separator goes first, then the terminator, then the
    /// component separator.
    #[must_use]
    pub fn new(element: u8, component: Option<u8>, repetition: Option<u8>, terminator: &[u8]) -> Option<Self> {
        let first = *terminator.first()?;
        if first == element || terminator.len() > 4 {
            return None;
        }
        let mut bytes = [0; 4];
        for (to, from) in bytes.iter_mut().zip(terminator) {
            *to = *from;
        }
        let free = |c: &u8| *c != element && *c != first;
        let component = component.filter(free);
        Some(Self {
            element,
            component,
            repetition: repetition.filter(free).filter(|c| Some(*c) != component),
            terminator: bytes,
            terminator_len: terminator.len() as u8,
        })
    }

    /// The data element separator.
    #[must_use]
    pub const fn element(&self) -> u8 {
        self.element
    }

    /// The component element separator; `None` when ISA16 declares none that can be used.
    #[must_use]
    pub const fn component(&self) -> Option<u8> {
        self.component
    }

    /// The repetition separator; `None` before version 00402 and when ISA11 declares none.
    #[must_use]
    pub const fn repetition(&self) -> Option<u8> {
        self.repetition
    }

    /// The segment terminator: one byte, or the bytes of one UTF-8 character.
    #[must_use]
    pub fn terminator(&self) -> &[u8] {
        self.terminator.get(..usize::from(self.terminator_len)).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn find_terminator(&self, text: &[u8]) -> Option<usize> {
        let [first, ..] = self.terminator;
        if self.terminator_len == 1 {
            return memchr::memchr(first, text);
        }
        memchr::memchr_iter(first, text)
            .find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(self.terminator())))
    }

    /// How many bytes at the start of `text` belong to no segment: white space and empty segments.
    #[inline]
    pub(crate) fn skip_blank(&self, text: &[u8]) -> usize {
        let [terminator, ..] = self.terminator;
        if text.first().is_some_and(|byte| byte.is_ascii_uppercase() && *byte != terminator) {
            return 0;
        }
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if byte == terminator {
                let rest = text.get(at..).unwrap_or_default();
                if self.terminator_len > 1 && !rest.starts_with(self.terminator()) {
                    break;
                }
                at += usize::from(self.terminator_len);
            } else if is_blank(byte) && byte != self.element {
                at += 1;
            } else {
                break;
            }
        }
        at
    }
}

/// White space that may occur between segments and before a segment id.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}
