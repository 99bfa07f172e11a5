//! Character encodings of files.

mod offsets;

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding};

use self::offsets::Offsets;

/// An encoding that the assertion names. The WHATWG list, which `encoding_rs` follows, takes ASCII and ISO 8859-1 for
/// windows-1252, its five unassigned bytes for control characters, and UTF-16 for little-endian; to assert an encoding
/// is to ask for more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Charset {
    Ascii,
    Latin1,
    Windows1252,
    /// In the order that the byte order mark says, little-endian without one.
    Utf16,
    Other(&'static Encoding),
}

/// The names of ISO 8859-1 on the WHATWG list of windows-1252, letters and digits alone.
const LATIN_1: [&str; 8] = ["latin1", "l1", "iso88591", "iso885911987", "cp819", "ibm819", "isoir100", "csisolatin1"];
const ASCII: [&str; 3] = ["ascii", "usascii", "ansix341968"];
pub(crate) const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// The text, its byte order mark dropped. Bytes that are not valid are U+FFFD.
    pub(crate) text: Cow<'a, str>,
    /// The first byte that is not valid in the encoding.
    pub(crate) invalid: Option<usize>,
    offsets: Offsets,
    bytes: &'a [u8],
}

impl<'a> Decoded<'a> {
    /// The byte of the file that a byte of the text is at.
    pub(crate) fn offset(&self, at: usize) -> usize {
        self.offsets.of(&self.text, self.bytes, at).min(self.bytes.len())
    }

    pub(crate) fn bytes_of_nul(&self) -> usize {
        if matches!(self.offsets, Offsets::Utf16 { .. }) { 2 } else { 1 }
    }

    fn new(bytes: &'a [u8], text: Cow<'a, str>, invalid: Option<usize>, offsets: Offsets) -> Self {
        Self { text, invalid, offsets, bytes }
    }
}

impl Charset {
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.as_str() {
            name if ASCII.contains(&name) => return Ok(Self::Ascii),
            name if LATIN_1.contains(&name) => return Ok(Self::Latin1),
            "windows1252" | "cp1252" | "xcp1252" => return Ok(Self::Windows1252),
            "utf16" => return Ok(Self::Utf16),
            _ => {}
        }
        let known = Encoding::for_label(name.as_bytes()).filter(|&known| known != encoding_rs::REPLACEMENT);
        known.map(Self::Other).ok_or_else(|| {
            format!(
                "`{name}` is not an encoding that Candor reads; write utf-8, ascii, iso-8859-1, windows-1252, shift_jis or utf-16le"
            )
        })
    }

    /// Why text in an encoding of that name may not be what is asked for, where its first bytes say another: the end of a
    /// sentence about the file.
    pub(crate) fn hint(self, bytes: &[u8], name: &str) -> Option<String> {
        let marked = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
        let is_other = marked && !self.is_utf16();
        is_other.then(|| format!("begins with the byte order mark of UTF-16, and `encoding` is {name}"))
    }

    pub(crate) fn is_utf16(self) -> bool {
        match self {
            Self::Utf16 => true,
            Self::Other(encoding) => encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE,
            Self::Ascii | Self::Latin1 | Self::Windows1252 => false,
        }
    }

    pub(crate) fn decode(self, bytes: &[u8]) -> Decoded<'_> {
        let one_byte = |text: String, invalid| Decoded::new(bytes, text.into(), invalid, Offsets::OneByte);
        match self {
            Self::Ascii => {
                let character = |&b: &u8| if b.is_ascii() { char::from(b) } else { '\u{fffd}' };
                one_byte(bytes.iter().map(character).collect(), bytes.iter().position(|b| !b.is_ascii()))
            }
            Self::Latin1 => one_byte(bytes.iter().map(|&b| char::from(b)).collect(), None),
            Self::Windows1252 => {
                let unassigned = |b: &u8| matches!(b, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
                let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes);
                one_byte(text.into_owned(), bytes.iter().position(unassigned))
            }
            Self::Utf16 if bytes.starts_with(b"\xFE\xFF") => decoded(encoding_rs::UTF_16BE, bytes),
            Self::Utf16 => decoded(encoding_rs::UTF_16LE, bytes),
            Self::Other(encoding) => decoded(encoding, bytes),
        }
    }
}

fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let utf16 = encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE;
    let mark: &[u8] = match () {
        () if encoding == encoding_rs::UTF_8 => UTF8_MARK,
        () if encoding == encoding_rs::UTF_16LE => b"\xFF\xFE",
        () if encoding == encoding_rs::UTF_16BE => b"\xFE\xFF",
        () => b"",
    };
    let rest = bytes.strip_prefix(mark).unwrap_or(bytes);
    let skipped = bytes.len() - rest.len();
    let (text, malformed) = encoding.decode_without_bom_handling(rest);
    // A byte order mark of the other order decodes to U+FFFE, which is not a character.
    let invalid = if utf16 && text.starts_with('\u{fffe}') {
        Some(skipped)
    } else {
        malformed.then(|| skipped + first_malformed(encoding, rest))
    };
    let offsets = match () {
        () if utf16 => Offsets::Utf16 { skipped },
        () if encoding == encoding_rs::UTF_8 => Offsets::Utf8 { skipped },
        () if encoding.is_single_byte() => Offsets::OneByte,
        () => Offsets::Encoded(encoding),
    };
    Decoded::new(bytes, text, invalid, offsets)
}

/// The first byte that an encoding cannot decode, of bytes that hold such a one.
fn first_malformed(encoding: &'static Encoding, bytes: &[u8]) -> usize {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(4096);
    let mut at = 0;
    while let Some(rest) = bytes.get(at..) {
        text.clear();
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => break,
            DecoderResult::OutputFull => {}
            // The malformed bytes, and those that were read behind them, were read as well.
            DecoderResult::Malformed(length, behind) => {
                return at.saturating_sub(usize::from(length) + usize::from(behind));
            }
        }
    }
    bytes.len()
}

/// How many bytes of a text show that it is UTF-16.
const HEAD: usize = 64;

/// The first NUL of a text that has one at every second byte, as UTF-16 has without a byte order mark.
pub(crate) fn unmarked_utf16(bytes: &[u8]) -> Option<(usize, String)> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let nuls = |side: usize| head.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let pairs = head.len() / 2;
    // Characters beyond U+00FF have no NUL.
    let most = |nuls: usize| pairs > 1 && nuls * 4 >= pairs * 3;
    let name = match (nuls(0), nuls(1)) {
        (0, low) if most(low) => "utf-16le",
        (high, 0) if most(high) => "utf-16be",
        _ => return None,
    };
    let at = head.iter().position(|byte| *byte == 0)?;
    Some((at, format!("NUL at every second byte, as in UTF-16 without a byte order mark; give `encoding: {name}`")))
}

/// The text of bytes of which no one said how they are encoded: UTF-8, or UTF-16 where a byte order mark says so.
///
/// # Errors
/// The first byte that is neither, and what is wrong there.
pub(crate) fn undeclared(bytes: &[u8]) -> Result<Decoded<'_>, (usize, String)> {
    if bytes.starts_with(b"\xFF\xFE\0\0") || bytes.starts_with(b"\0\0\xFE\xFF") {
        return Err((0, "a byte order mark of UTF-32, which is not read".to_owned()));
    }
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        let decoded = Charset::Utf16.decode(bytes);
        return match decoded.invalid {
            Some(offset) => Err((offset, "a byte that is not UTF-16, as the byte order mark says".to_owned())),
            None => Ok(decoded),
        };
    }
    if let Some(wide) = unmarked_utf16(bytes) {
        return Err(wide);
    }
    let skipped = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    let shift = bytes.len() - skipped.len();
    match std::str::from_utf8(skipped) {
        Ok(text) => Ok(Decoded::new(bytes, text.into(), None, Offsets::Shifted(shift))),
        Err(error) => Err((
            error.valid_up_to() + shift,
            "a byte that is not UTF-8; give `encoding` where the file is written in another".to_owned(),
        )),
    }
}

/// The text of an XML document, by its byte order mark, its first bytes or its declaration (XML 1.0, appendix F); UTF-8
/// where none of them says otherwise.
///
/// # Errors
/// As [`undeclared`], and a declared encoding that is not read or that the bytes are not in.
pub(crate) fn of_xml(bytes: &[u8]) -> Result<Decoded<'_>, (usize, String)> {
    const MARKS: [&[u8]; 3] = [UTF8_MARK, b"\xFF\xFE", b"\xFE\xFF"];
    if MARKS.iter().any(|mark| bytes.starts_with(mark)) {
        return undeclared(bytes);
    }
    let declared = match bytes {
        [b'<', 0, ..] => Some(("utf-16le".to_owned(), encoding_rs::UTF_16LE)),
        [0, b'<', ..] => Some(("utf-16be".to_owned(), encoding_rs::UTF_16BE)),
        _ => None,
    };
    let (name, charset) = match declared {
        Some((name, encoding)) => (name, Charset::Other(encoding)),
        None => match declaration(bytes) {
            None => return undeclared(bytes),
            Some(name) => {
                let charset =
                    Charset::named(&name).map_err(|what| (0, format!("an XML declaration in which {what}")))?;
                (name, charset)
            }
        },
    };
    let decoded = charset.decode(bytes);
    match decoded.invalid {
        Some(offset) => Err((offset, format!("a byte that is not {name}, the encoding that the document declares"))),
        None => Ok(decoded),
    }
}

/// The encoding that an XML declaration names.
fn declaration(bytes: &[u8]) -> Option<String> {
    const LONGEST: usize = 1024;
    let head = bytes.get(..LONGEST.min(bytes.len()))?;
    let head: String = head.iter().map(|&b| char::from(b)).collect();
    let (inside, _) = head.strip_prefix("<?xml")?.split_once("?>")?;
    let (_, value) = inside.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value.get(1..)?.split_once(quote).map(|(name, _)| name.to_owned())
}
