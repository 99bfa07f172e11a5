//! A header of a tar: POSIX ustar (IEEE Std 1003.1, `pax`), GNU's, and what was before both.

use super::trouble::Trouble;

pub(super) const BLOCK: usize = 512;

/// The fields of a header, its own only.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) link: Vec<u8>,
    pub(super) size: u64,
    pub(super) modified: Option<i64>,
    pub(super) kind: u8,
    pub(super) extended: bool,
}

pub(super) fn malformed(what: impl Into<String>) -> Trouble {
    Trouble::malformed(format!("is not a valid tar: {}", what.into()))
}

/// A field up to its first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// A number: octal digits, or GNU's base 256 where the first bit is set. `None` for anything else.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    match field.split_first()? {
        // Negative ones begin with 0xff.
        (&0x80, rest) => {
            let (high, low) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
            high.iter().all(|&byte| byte == 0).then(|| Some(u64::from_be_bytes(low.try_into().ok()?)))?
        }
        (&first, _) if first & 0x80 != 0 => None,
        _ => {
            let digits = std::str::from_utf8(text(field)).ok()?.trim_matches(' ');
            let octal = digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
            if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok().filter(|_| octal) }
        }
    }
}

/// Reads a header; `None` for a block of zeros, which ends the archive.
///
/// # Errors
/// When its checksum is another, or a number cannot be read.
pub(super) fn read(block: &[u8; BLOCK]) -> Result<Option<Header>, Trouble> {
    if block.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    let field = |at: usize, length: usize| block.get(at..at + length).unwrap_or_default();
    // Its own field counts as eight spaces; old writers added up signed bytes.
    let outside = || block.iter().enumerate().filter(|(at, _)| !(148..156).contains(at)).map(|(_, &byte)| byte);
    let unsigned: u64 = outside().map(u64::from).sum::<u64>() + 256;
    let signed: i64 = outside().map(|byte| i64::from(byte.cast_signed())).sum::<i64>() + 256;
    let told = number(field(148, 8)).ok_or_else(|| malformed("a header has no checksum"))?;
    if told != unsigned && i64::try_from(told) != Ok(signed) {
        return Err(malformed("the checksum of a header is another"));
    }
    let size = number(field(124, 12)).ok_or_else(|| malformed("the size of a member is not a number"))?;
    let is_posix = field(257, 6) == b"ustar\0";
    let mut name = text(field(0, 100)).to_vec();
    let prefix = text(field(345, 155));
    if is_posix && !prefix.is_empty() {
        name = [prefix, b"/", &name].concat();
    }
    Ok(Some(Header {
        name,
        link: text(field(157, 100)).to_vec(),
        size,
        modified: number(field(136, 12)).and_then(|seconds| i64::try_from(seconds).ok()),
        kind: block.get(156).copied().unwrap_or_default(),
        extended: block.get(482) == Some(&1),
    }))
}
