//! Character encodings of files.

use encoding_rs::Encoding;

/// An encoding that the assertion names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Charset {
    Ascii,
    Latin1,
    Other(&'static Encoding),
}

impl Charset {
    /// The encoding of that name.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.as_str() {
            "ascii" | "usascii" => Ok(Self::Ascii),
            "latin1" | "iso88591" => Ok(Self::Latin1),
            "cp1252" => Ok(Self::Other(encoding_rs::WINDOWS_1252)),
            "ebcdic" | "cp037" | "ibm037" | "cp500" | "ibm500" | "cp1047" | "ibm1047" => {
                Err(format!("the encoding `{name}` is EBCDIC, which is not supported by this version"))
            }
            _ => Encoding::for_label(name.as_bytes()).map(Self::Other).ok_or_else(|| {
                format!("`{name}` is no encoding; write utf-8, ascii, iso-8859-1, windows-1252 or utf-16le")
            }),
        }
    }

    /// The text of the bytes, its byte order mark dropped, and whether all of them are valid. Bytes that are not become
    /// U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> (String, bool) {
        match self {
            Self::Ascii => (String::from_utf8_lossy(bytes).into_owned(), bytes.is_ascii()),
            Self::Latin1 => (bytes.iter().map(|&b| char::from(b)).collect(), true),
            Self::Other(encoding) => {
                let (text, malformed) = encoding.decode_with_bom_removal(bytes);
                (text.into_owned(), !malformed)
            }
        }
    }
}

/// The text of bytes of which nobody said how they are encoded: UTF-8, its byte order mark dropped.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, (usize, String)> {
    let skipped = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(skipped).map_err(|error| {
        let offset = error.valid_up_to() + bytes.len() - skipped.len();
        (offset, "a byte that is not UTF-8; give `encoding` where the file is written in another".to_owned())
    })
}
