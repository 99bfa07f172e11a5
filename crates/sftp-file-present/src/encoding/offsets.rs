//! From the bytes of a decoded text back to those of the file.

use encoding_rs::Encoding;

/// How the bytes of a text and those of its file go together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Offsets {
    /// The text is the file's own bytes behind its byte order mark.
    Shifted(usize),
    OneByte,
    /// UTF-16 behind a byte order mark.
    Utf16 {
        skipped: usize,
    },
    /// UTF-8 behind a byte order mark, with U+FFFD for what is not valid.
    Utf8 {
        skipped: usize,
    },
    /// As long as the text before it is in the encoding; behind bytes that are not valid this is near, not exact.
    Encoded(&'static Encoding),
}

impl Offsets {
    pub(super) fn of(self, text: &str, bytes: &[u8], at: usize) -> usize {
        let before = text.get(..text.floor_char_boundary_at(at)).unwrap_or(text);
        match self {
            Self::Shifted(skipped) => at + skipped,
            Self::OneByte => before.chars().count(),
            Self::Utf16 { skipped } => skipped + 2 * before.encode_utf16().count(),
            Self::Encoded(encoding) => encoding.encode(before).0.len(),
            Self::Utf8 { skipped } => {
                let (mut of_text, mut of_file) = (0, skipped);
                for chunk in bytes.get(skipped..).unwrap_or_default().utf8_chunks() {
                    let (valid, invalid) = (chunk.valid().len(), chunk.invalid().len());
                    if at <= of_text + valid {
                        return of_file + at.saturating_sub(of_text);
                    }
                    of_text += valid + if invalid > 0 { '\u{fffd}'.len_utf8() } else { 0 };
                    of_file += valid + invalid;
                }
                of_file
            }
        }
    }
}

/// `str::floor_char_boundary` is younger than the oldest compiler that builds this.
trait FloorCharBoundary {
    fn floor_char_boundary_at(&self, at: usize) -> usize;
}

impl FloorCharBoundary for str {
    fn floor_char_boundary_at(&self, at: usize) -> usize {
        (0..=at.min(self.len())).rev().find(|&at| self.is_char_boundary(at)).unwrap_or_default()
    }
}
