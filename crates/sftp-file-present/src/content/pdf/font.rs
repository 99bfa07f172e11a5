//! Fonts, as far as text needs them: which characters codes represent, and how wide they are.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Encoding, Error, Object};

/// The most that one stream of it may hold when it is decompressed.
pub(super) const LARGEST_STREAM: usize = 16 << 20;

/// A font as the resources of a page give it, its `ToUnicode` put before its `Encoding` (ISO 32000-1, 9.10.2).
pub(super) struct Source {
    dictionary: Dictionary,
    /// True if nothing says which characters its codes represent.
    opaque: bool,
    is_composite: bool,
    widths: Widths,
}

struct Widths {
    by_code: HashMap<u32, f32>,
    default: f32,
}

pub(super) struct Font<'a> {
    source: &'a Source,
    encoding: Option<Encoding<'a>>,
}

/// The flag of a font descriptor that says that a font has characters of its own (ISO 32000-1, table 123).
const SYMBOLIC: i64 = 4;
/// The most codes of a font whose widths are kept: those that two bytes have.
const MOST_CODES: usize = 1 << 16;

impl Source {
    pub(super) fn new(document: &Document, font: &Dictionary) -> Self {
        let subtype = font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        let is_composite = subtype == b"Type0";
        let has_unicode = font.get_deref(b"ToUnicode", document).and_then(Object::as_stream).is_ok();
        let encoding = font.get_deref(b"Encoding", document).ok();
        let mut dictionary = font.clone();
        // What names no type is taken for none, though there is no other that it could be.
        dictionary.set("Type", Object::Name(b"Font".to_vec()));
        if has_unicode {
            dictionary.remove(b"Encoding");
        }
        let says_nothing = match encoding {
            Some(Object::Name(name)) => !matches!(
                name.as_slice(),
                b"StandardEncoding"
                    | b"MacRomanEncoding"
                    | b"MacExpertEncoding"
                    | b"WinAnsiEncoding"
                    | b"PDFDocEncoding"
                    | b"UniGB-UCS2-H"
                    | b"UniGB-UTF16-H"
            ),
            Some(Object::Dictionary(_)) => false,
            _ => is_composite || has_own_characters(document, font),
        };
        Self {
            dictionary,
            opaque: !has_unicode && says_nothing,
            is_composite,
            widths: if is_composite { composite_widths(document, font) } else { simple_widths(document, font) },
        }
    }

    pub(super) fn font<'a>(&'a self, document: &'a Document) -> Result<Font<'a>, Error> {
        if self.opaque {
            return Ok(Font { source: self, encoding: None });
        }
        let encoding = self.dictionary.get_font_encoding_with_limit(document, LARGEST_STREAM)?;
        // `lopdf` takes the standard encoding where it cannot read the one that is given.
        let given = self.dictionary.has(b"Encoding") || self.dictionary.has(b"ToUnicode");
        let standard = matches!(encoding, Encoding::OneByteEncoding(_)) && given && !self.names_encoding(document);
        Ok(Font { source: self, encoding: (!standard).then_some(encoding) })
    }

    /// True if a name gives the encoding, on its own or in a dictionary without `Differences`.
    fn names_encoding(&self, document: &Document) -> bool {
        match self.dictionary.get_deref(b"Encoding", document) {
            Ok(Object::Name(_)) => true,
            Ok(Object::Dictionary(encoding)) => !encoding.has(b"Differences"),
            _ => false,
        }
    }
}

/// Returns `true` if a simple font brings its own characters and does not say which.
fn has_own_characters(document: &Document, font: &Dictionary) -> bool {
    let Ok(descriptor) = font.get_deref(b"FontDescriptor", document).and_then(Object::as_dict) else {
        // Of the fonts that every reader has, two have characters of their own.
        let name = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
        return matches!(name, b"Symbol" | b"ZapfDingbats");
    };
    descriptor.get(b"Flags").and_then(Object::as_i64).is_ok_and(|flags| flags & SYMBOLIC != 0)
}

fn number(object: &Object) -> Option<f32> {
    object.as_float().ok()
}

fn simple_widths(document: &Document, font: &Dictionary) -> Widths {
    let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or_default();
    let first = u32::try_from(first).unwrap_or_default();
    let listed = font.get_deref(b"Widths", document).and_then(Object::as_array);
    let listed = listed.map(Vec::as_slice).unwrap_or_default();
    let by_code = (first..).zip(listed.iter().take(256)).filter_map(|(code, width)| Some((code, number(width)?)));
    // The fonts that every reader has come without: about half as wide as they are high.
    Widths { by_code: by_code.collect(), default: 500.0 }
}

fn composite_widths(document: &Document, font: &Dictionary) -> Widths {
    let mut widths = Widths { by_code: HashMap::new(), default: 1000.0 };
    let descendants = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
    let descendant = descendants.ok().and_then(|fonts| document.dereference(fonts.first()?).ok());
    let Some(Ok(descendant)) = descendant.map(|(_, object)| object.as_dict()) else { return widths };
    if let Some(default) = descendant.get_deref(b"DW", document).ok().and_then(number) {
        widths.default = default;
    }
    let Ok(listed) = descendant.get_deref(b"W", document).and_then(Object::as_array) else { return widths };
    let mut listed = listed.iter();
    // `c [w …]` or `first last w` (ISO 32000-1, 9.7.4.3).
    while let (Some(first), Some(next)) = (listed.next(), listed.next()) {
        let Some(first) = first.as_i64().ok().and_then(|code| u32::try_from(code).ok()) else { break };
        match next {
            Object::Array(each) => {
                let each = (first..).zip(each).filter_map(|(code, width)| Some((code, number(width)?)));
                widths.by_code.extend(each.take(MOST_CODES));
            }
            last => {
                let last = last.as_i64().ok().and_then(|code| u32::try_from(code).ok());
                let (Some(last), Some(width)) = (last, listed.next().and_then(number)) else { break };
                widths.by_code.extend((first..=last).take(MOST_CODES).map(|code| (code, width)));
            }
        }
        if widths.by_code.len() > MOST_CODES {
            break;
        }
    }
    widths
}

impl Font<'_> {
    /// The text of a string; nothing where no one can say what it is.
    pub(super) fn text(&self, bytes: &[u8]) -> Option<String> {
        let text = self.encoding.as_ref()?.bytes_to_string(bytes).ok()?;
        (!text.contains('\u{fffd}')).then_some(text)
    }

    /// How wide a string is, in thousandths of the size, and how many codes it has.
    pub(super) fn width(&self, bytes: &[u8]) -> (f32, usize) {
        let widths = &self.source.widths;
        let of = |code: u32| widths.by_code.get(&code).copied().unwrap_or(widths.default);
        if self.source.is_composite {
            // The codes of composite fonts have two bytes but where a CMap says otherwise, which is rare.
            let codes = bytes.chunks(2).map(|code| code.iter().fold(0, |code, &byte| code << 8 | u32::from(byte)));
            (codes.map(of).sum(), bytes.len().div_ceil(2))
        } else {
            (bytes.iter().map(|&byte| of(u32::from(byte))).sum(), bytes.len())
        }
    }
}
