//! Finds a pattern in a file that is not text: in its bytes, which is exact, and in the texts that they could be read
//! as.

use regex::Regex;
use regex::bytes;

/// The most bytes that are read in every way.
pub(super) const MOST: usize = 16 << 20;

/// A pattern, over the bytes of files that hold NULs.
#[derive(Debug)]
pub(super) struct InBytes {
    bytes: bytes::Regex,
    text: Regex,
}

impl InBytes {
    pub(super) fn new(pattern: &Regex, ignore_case: bool) -> Result<Self, regex::Error> {
        let builder = |text: &str| {
            let mut builder = bytes::RegexBuilder::new(text);
            builder.case_insensitive(ignore_case).multi_line(true).size_limit(1 << 22).build()
        };
        Ok(Self { bytes: builder(pattern.as_str())?, text: pattern.clone() })
    }

    pub(super) fn find(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        self.bytes.find_iter(bytes).map(|found| (found.start(), found.end())).collect()
    }

    /// True if a text that the bytes could be read as may contain a match: a text of two or four bytes for a character,
    /// wherever it begins. Always true of more than [`MOST`] bytes, which are not read in these ways.
    pub(super) fn may_stand(&self, bytes: &[u8]) -> bool {
        if bytes.len() > MOST {
            return true;
        }
        let narrow: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        let latin = || narrow.iter().map(|&byte| char::from(byte)).collect::<String>();
        self.bytes.is_match(&narrow) || self.text.is_match(&latin()) || self.stands_wide(bytes)
    }

    fn stands_wide(&self, bytes: &[u8]) -> bool {
        let sixteen = |from: usize, unit: fn([u8; 2]) -> u16| {
            let units = bytes.get(from..).unwrap_or_default().chunks_exact(2);
            let units = units.filter_map(|pair| Some(unit(pair.try_into().ok()?)));
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
        };
        let thirty_two = |from: usize, unit: fn([u8; 4]) -> u32| {
            let units = bytes.get(from..).unwrap_or_default().chunks_exact(4);
            let units = units.filter_map(|four| Some(unit(four.try_into().ok()?)));
            units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
        };
        let stands = |text: String| self.text.is_match(&text);
        (0..2).any(|from| stands(sixteen(from, u16::from_le_bytes)) || stands(sixteen(from, u16::from_be_bytes)))
            || (0..4).any(|from| {
                stands(thirty_two(from, u32::from_le_bytes)) || stands(thirty_two(from, u32::from_be_bytes))
            })
    }
}

/// Line and column of an offset in bytes, both from 1, the column in bytes.
pub(super) fn position(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = bytes.get(..offset).unwrap_or_default();
    let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    (memchr::memchr_iter(b'\n', before).count() + 1, offset - line + 1)
}
