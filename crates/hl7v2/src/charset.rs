//! The character set a message declares, and bytes to text.

use std::borrow::Cow;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, ISO_2022_JP, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5, ISO_8859_6,
    ISO_8859_7, ISO_8859_8, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, SHIFT_JIS, WINDOWS_874, WINDOWS_1252,
    WINDOWS_1254,
};

use crate::message::Message;
use crate::multibyte::{Multibyte, header};

/// A character set of HL7 table 0211 that this crate decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// `ASCII`: seven bits.
    Ascii,
    /// `UNICODE UTF-8`, and `UNICODE` in a message that is read as bytes.
    Utf8,
    /// `8859/1`.
    Latin1,
    /// Another single-byte part of ISO 8859 of which `encoding_rs` has the upper half; 0x80 to 0x9F are controls.
    Iso8859(&'static Encoding),
    /// A set that `encoding_rs` decodes as it is.
    Other(&'static Encoding),
}

/// The character set that MSH-18 declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Nothing. Bytes are UTF-8 where the message is valid UTF-8, else ISO 8859-1.
    Nothing(Charset),
    /// A set that is known.
    Known(Charset),
    /// A name that is not known. Bytes are read as if nothing was declared.
    Unknown(Charset),
}

/// Text, and whether it is all that the bytes said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// True if bytes that the character set does not have were replaced by U+FFFD.
    pub replaced: bool,
}

/// The encoding of a message's bytes, found once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded {
    pub(crate) declared: Declared,
    /// The message has no byte above 0x7F.
    ascii: bool,
}

/// MSH-18 of a message, repetition by repetition; what separates them is found in MSH-2.
pub(crate) fn labels(raw: &[u8], field: u8) -> impl Iterator<Item = &[u8]> {
    let header = raw.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let repetition = header.get(5).copied().filter(|&byte| byte != field);
    let labels = header.split(move |&byte| byte == field).nth(17).unwrap_or_default();
    labels.split(move |&byte| Some(byte) == repetition).map(<[u8]>::trim_ascii)
}

impl Encoded {
    const SHIFTED: Charset = Charset::Other(ISO_2022_JP);

    /// Reads MSH-18. Of several repetitions the first holds; the others are alternates that escapes switch to.
    pub(crate) fn of(message: &Message<'_>) -> Self {
        let raw = message.raw();
        let header = header(raw, message.delimiters().field);
        let mut labels = labels(&header, message.delimiters().field);
        let first = labels.next().unwrap_or_default();
        // A set that is switched to by escape sequences of its own is there wherever it is listed.
        let shifted = labels.find(|label| Charset::of(label) == Some(Self::SHIFTED));
        let label = shifted.unwrap_or(first);
        let assume = || {
            if std::str::from_utf8(raw).is_ok() { Charset::Utf8 } else { Charset::Latin1 }
        };
        let declared = match Charset::of(label) {
            Some(charset) => Declared::Known(charset),
            None if label.is_empty() => Declared::Nothing(assume()),
            None => Declared::Unknown(assume()),
        };
        Self { declared, ascii: raw.is_ascii() }
    }
}

impl Charset {
    /// The set with this label, by table 0211 and by the spellings in common use.
    pub(crate) fn of(label: &[u8]) -> Option<Self> {
        let key: String = label
            .iter()
            .filter(|byte| !matches!(byte, b' ' | b'-' | b'_' | b'/'))
            .map(|byte| char::from(byte.to_ascii_uppercase()))
            .collect();
        let part = key.strip_prefix("ISO8859").or_else(|| key.strip_prefix("8859"));
        let encoding = match part.unwrap_or_default() {
            "1" => return Some(Self::Latin1),
            "2" => ISO_8859_2,
            "3" => ISO_8859_3,
            "4" => ISO_8859_4,
            "5" => ISO_8859_5,
            "6" => ISO_8859_6,
            "7" => ISO_8859_7,
            "8" => ISO_8859_8,
            "9" => WINDOWS_1254,
            "10" => ISO_8859_10,
            "11" => WINDOWS_874,
            "13" => ISO_8859_13,
            "14" => ISO_8859_14,
            "15" => ISO_8859_15,
            _ => {
                return match key.as_str() {
                    "ASCII" | "USASCII" | "ISOIR6" => Some(Self::Ascii),
                    // A message that can be read byte by byte is not UTF-16: whoever stored it wrote UTF-8.
                    "UNICODEUTF8" | "UTF8" | "UNICODE" | "UNICODEUTF16" | "UTF16" => Some(Self::Utf8),
                    "ISOIR87" | "ISOIR14" | "ISOIR159" | "ISO2022JP" => Some(Self::Other(ISO_2022_JP)),
                    "SHIFTJIS" | "SJIS" | "MS932" | "CP932" | "WINDOWS31J" => Some(Self::Other(SHIFT_JIS)),
                    "EUCJP" => Some(Self::Other(EUC_JP)),
                    "GB180302000" | "GB18030" | "GBK" | "GB2312" => Some(Self::Other(GB18030)),
                    "BIG5" => Some(Self::Other(BIG5)),
                    "EUCKR" => Some(Self::Other(EUC_KR)),
                    "LATIN1" => Some(Self::Latin1),
                    "WINDOWS1252" | "CP1252" => Some(Self::Other(WINDOWS_1252)),
                    "KSX1001" => Some(Self::Other(EUC_KR)),
                    _ => None,
                };
            }
        };
        Some(Self::Iso8859(encoding))
    }

    /// The way to tell its characters apart, if one of their bytes may look like a delimiter.
    pub(crate) fn multibyte(self) -> Option<Multibyte> {
        let Self::Other(encoding) = self else { return None };
        let known = [
            (SHIFT_JIS, Multibyte::ShiftJis),
            (GB18030, Multibyte::Gb18030),
            (BIG5, Multibyte::Big5),
            (ISO_2022_JP, Multibyte::Iso2022Jp),
        ];
        known.iter().find(|(known, _)| *known == encoding).map(|&(_, multibyte)| multibyte)
    }

    /// The text that these bytes are in it.
    #[must_use]
    pub fn decode<'a>(self, bytes: &'a [u8]) -> Decoded<'a> {
        let single = |decode: &dyn Fn(u8) -> char| {
            let text: String = bytes.iter().map(|&byte| decode(byte)).collect();
            let replaced = text.contains('\u{FFFD}');
            Decoded { text: Cow::Owned(text), replaced }
        };
        match self {
            Self::Ascii => single(&|byte| {
                if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER }
            }),
            Self::Latin1 => single(&char::from),
            Self::Iso8859(encoding) => single(&|byte| {
                if byte < 0xA0 {
                    return char::from(byte);
                }
                let (text, _) = encoding.decode_without_bom_handling(std::slice::from_ref(&byte));
                text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
            }),
            Self::Utf8 => {
                let text = String::from_utf8_lossy(bytes);
                let replaced = matches!(text, Cow::Owned(_));
                Decoded { text, replaced }
            }
            Self::Other(encoding) => {
                let (text, replaced) = encoding.decode_without_bom_handling(bytes);
                Decoded { text, replaced }
            }
        }
    }
}

impl Declared {
    /// The character set that values are decoded with.
    pub fn charset(self) -> Charset {
        match self {
            Self::Nothing(charset) | Self::Known(charset) | Self::Unknown(charset) => charset,
        }
    }
}

/// Decodes what a value of a message that is text already is, escape sequences and all: `resolved` has its parts in order,
/// each with whether its bytes are those of the message's character set.
pub(crate) fn decode_parts(message: &Message<'_>, resolved: &[(Vec<u8>, bool)]) -> Decoded<'static> {
    let mut decoded = Decoded { text: Cow::Owned(String::new()), replaced: false };
    for (bytes, encoded) in resolved {
        let charset = if *encoded { message.encoded().declared.charset() } else { Charset::Utf8 };
        let part = charset.decode(bytes);
        decoded.replaced |= part.replaced;
        decoded.text.to_mut().push_str(&part.text);
    }
    decoded
}

/// Decodes what a value's bytes are once its escapes are resolved.
pub(crate) fn decode<'a>(message: &Message<'_>, bytes: Cow<'a, [u8]>) -> Decoded<'a> {
    match bytes {
        Cow::Borrowed(bytes) => decode_bytes(message, bytes),
        Cow::Owned(bytes) => {
            let decoded = decode_bytes(message, &bytes);
            Decoded { replaced: decoded.replaced, text: Cow::Owned(decoded.text.into_owned()) }
        }
    }
}

fn decode_bytes<'a>(message: &Message<'_>, bytes: &'a [u8]) -> Decoded<'a> {
    if bytes.is_ascii()
        && memchr::memchr(0x1B, bytes).is_none()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Decoded { text: Cow::Borrowed(text), replaced: false };
    }
    if message.is_text() {
        return Charset::Utf8.decode(bytes);
    }
    let encoded = message.encoded();
    let charset = match encoded.declared {
        // A message of ASCII alone does not tell what the bytes of a hexadecimal escape are.
        Declared::Nothing(_) | Declared::Unknown(_) if encoded.ascii && std::str::from_utf8(bytes).is_err() => {
            Charset::Latin1
        }
        declared => declared.charset(),
    };
    charset.decode(bytes)
}
