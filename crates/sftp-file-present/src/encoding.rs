//! Character encodings of files.

use encoding_rs::Encoding;

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
/// The names of ASCII on it.
const ASCII: [&str; 3] = ["ascii", "usascii", "ansix341968"];
/// The names of the several EBCDIC code pages.
const EBCDIC: [&str; 7] = ["ebcdic", "cp037", "ibm037", "cp500", "ibm500", "cp1047", "ibm1047"];

impl Charset {
    /// The encoding of that name.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.as_str() {
            name if ASCII.contains(&name) => return Ok(Self::Ascii),
            name if LATIN_1.contains(&name) => return Ok(Self::Latin1),
            "windows1252" | "cp1252" | "xcp1252" => return Ok(Self::Windows1252),
            "utf16" => return Ok(Self::Utf16),
            known if EBCDIC.contains(&known) => {
                return Err(format!("the encoding `{name}` is EBCDIC, which is not supported by this version"));
            }
            _ => {}
        }
        Encoding::for_label(name.as_bytes())
            .map(Self::Other)
            .ok_or_else(|| format!("`{name}` is no encoding; write utf-8, ascii, iso-8859-1, windows-1252 or utf-16le"))
    }

    /// The text of the bytes, its byte order mark dropped, and whether all of them are valid. Bytes that are not become
    /// U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> (String, bool) {
        match self {
            Self::Ascii => (String::from_utf8_lossy(bytes).into_owned(), bytes.is_ascii()),
            Self::Latin1 => (bytes.iter().map(|&b| char::from(b)).collect(), true),
            Self::Windows1252 => {
                let unassigned = |b: &u8| matches!(b, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
                let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes);
                (text.into_owned(), !bytes.iter().any(unassigned))
            }
            Self::Utf16 if bytes.starts_with(b"\xFE\xFF") => decoded(encoding_rs::UTF_16BE, bytes),
            Self::Utf16 => decoded(encoding_rs::UTF_16LE, bytes),
            Self::Other(encoding) => decoded(encoding, bytes),
        }
    }
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> (String, bool) {
    let (text, malformed) = encoding.decode_with_bom_removal(bytes);
    // A byte order mark of the other order decodes to U+FFFE, which is no character.
    let other_order = text.starts_with('\u{fffe}');
    (text.into_owned(), !malformed && !other_order)
}

/// The text of bytes of which nobody said how they are encoded: UTF-8, its byte order mark dropped.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, (usize, String)> {
    let skipped = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(skipped).map_err(|error| {
        let offset = error.valid_up_to() + bytes.len() - skipped.len();
        (offset, "a byte that is not UTF-8; give `encoding` where the file is written in another".to_owned())
    })
}
