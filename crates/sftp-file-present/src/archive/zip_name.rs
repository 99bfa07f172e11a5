//! Names of a zip's members: UTF-8 where the archive says so, else code page 437 (APPNOTE 4.4.4 and appendix D). Info-ZIP
//! on Unix writes names as they are there and says nothing: what was made on Unix and is UTF-8 is taken for that.

/// The upper half of code page 437, from 0x80 on.
pub(super) const CP437: &str = include_str!("cp437.txt");

/// The header id of Info-ZIP's Unicode path (APPNOTE 4.6.9).
const UNICODE_PATH: u16 = 0x7075;

use super::zip_bytes::{extra_field, u32_at};

/// The text of a member's name; `None` if it is marked as UTF-8 and is not.
pub(super) fn name(bytes: &[u8], is_utf8: bool, made_on_unix: bool, extra: &[u8]) -> Option<String> {
    if is_utf8 || bytes.is_ascii() {
        return std::str::from_utf8(bytes).ok().map(str::to_owned);
    }
    if let Some(name) = extra_field(extra, UNICODE_PATH).and_then(|field| unicode_path(field, bytes)) {
        return Some(name);
    }
    if let (true, Ok(name)) = (made_on_unix, std::str::from_utf8(bytes)) {
        return Some(name.to_owned());
    }
    let upper: Vec<char> = CP437.trim_end_matches('\n').chars().collect();
    let character = |byte: u8| match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(index) => upper.get(usize::from(index)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some(bytes.iter().map(|&byte| character(byte)).collect())
}

/// The name in the field, when it is the name of this one: it follows the checksum of the other.
fn unicode_path(field: &[u8], name: &[u8]) -> Option<String> {
    let mut crc = flate2::Crc::new();
    crc.update(name);
    let same = field.first() == Some(&1) && u32_at(field, 1) == Some(crc.sum());
    let text = std::str::from_utf8(field.get(5..)?).ok()?;
    (same && !text.is_empty()).then(|| text.to_owned())
}
