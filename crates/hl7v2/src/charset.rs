//! The character set a message declares, and bytes to text.

use std::borrow::Cow;

use encoding_rs::{
    EUC_KR, Encoding, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_10,
    ISO_8859_13, ISO_8859_14, ISO_8859_15, WINDOWS_874, WINDOWS_1252, WINDOWS_1254,
};

use crate::message::Message;

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
    /// A set that `encoding_rs` decodes as it is and in which no delimiter can be part of a character.
    Other(&'static Encoding),
}

/// What MSH-18 says.
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
    /// Whether bytes that the character set does not have were replaced by U+FFFD.
    pub replaced: bool,
}

/// What a message's bytes are, found once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded {
    pub(crate) declared: Declared,
    /// Nothing above 0x7F stands in the message.
    ascii: bool,
}

impl Encoded {
    /// Reads MSH-18. Of several repetitions the first holds; the others are alternates that escapes switch to.
    pub(crate) fn of(message: &Message<'_>) -> Self {
        let label = message
            .segments()
            .next()
            .and_then(|msh| msh.field(18))
            .and_then(|field| field.repetitions().next())
            .map(|repetition| repetition.raw().trim_ascii())
            .unwrap_or_default();
        let raw = message.raw();
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
    fn of(label: &[u8]) -> Option<Self> {
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
                    "UNICODEUTF8" | "UTF8" | "UNICODE" => Some(Self::Utf8),
                    "LATIN1" => Some(Self::Latin1),
                    "WINDOWS1252" | "CP1252" => Some(Self::Other(WINDOWS_1252)),
                    "KSX1001" => Some(Self::Other(EUC_KR)),
                    _ => None,
                };
            }
        };
        Some(Self::Iso8859(encoding))
    }

    fn decode<'a>(self, bytes: &'a [u8]) -> Decoded<'a> {
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
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Decoded { text: Cow::Borrowed(text), replaced: false };
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
