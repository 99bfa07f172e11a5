//! NULs at the end of a file, and in the midst of a text: what a transfer leaves that reserves the room first and then breaks
//! off, or of whose pieces one did not arrive.

use candor_check::records::{Completeness, Cut};

use crate::encoding::Decoded;

/// As many NULs as fill up the last block of a tape or a disk.
const MOST_NULS: usize = 512;

/// From so many NULs on, one behind the other, a text has a hole. Programs do not write as many between characters.
const HOLE: usize = 64;

/// True for a character that may lie among the NULs behind the content: white space, and the Ctrl-Z that ends a file on
/// CP/M and DOS.
fn is_blank(character: char) -> bool {
    matches!(character, '\0' | '\u{1a}' | ' ' | '\t' | '\r' | '\n')
}

/// Of bytes that bring their own encoding, in all of which a NUL is a zero.
pub(super) fn of_bytes(bytes: &[u8]) -> Completeness {
    let kept = bytes.iter().rposition(|byte| !is_blank(char::from(*byte))).map_or(0, |last| last + 1);
    let nuls = bytes.iter().skip(kept).filter(|byte| **byte == 0).count();
    judged(kept == 0, kept, nuls, MOST_NULS)
}

/// Of text. Records of a fixed `width` may themselves end in NULs.
pub(super) fn of_text(decoded: &Decoded<'_>, width: usize) -> Completeness {
    let kept = decoded.text.trim_end_matches(is_blank).len();
    let tail = decoded.text.get(kept..).unwrap_or_default();
    let nuls = tail.chars().filter(|character| *character == '\0').count();
    match hole(decoded.text.get(..kept).unwrap_or_default(), HOLE + width) {
        Some((at, nuls)) => {
            let nuls = nuls * decoded.bytes_of_nul();
            let what = format!("a hole of {nuls} NUL bytes, so that a part of the file was not written");
            Completeness::Cut(Cut::new(decoded.offset(at) as u64, what))
        }
        None => judged(kept == 0, decoded.offset(kept), nuls * decoded.bytes_of_nul(), MOST_NULS + width),
    }
}

/// The first run of so many NULs: where it begins, and how many there are.
fn hole(text: &str, least: usize) -> Option<(usize, usize)> {
    let mut rest = text;
    while let Some(at) = rest.find('\0') {
        let run = rest.get(at..)?;
        let behind = run.trim_start_matches('\0');
        let nuls = run.len() - behind.len();
        if nuls >= least {
            return Some((text.len() - run.len(), nuls));
        }
        rest = behind;
    }
    None
}

/// How much of a text is left without the NULs that fill up its last block.
pub(super) fn without_padding(text: &str) -> usize {
    let kept = text.trim_end_matches(is_blank).len();
    let padded = text.get(kept..).is_some_and(|tail| tail.contains('\0'));
    if padded { kept } else { text.len() }
}

fn judged(nothing_else: bool, offset: usize, nuls: usize, most: usize) -> Completeness {
    match (nothing_else, nuls) {
        (_, 0) => Completeness::Unknown,
        (true, nuls) => Completeness::Cut(Cut::new(0, format!("a file of nothing but NUL bytes ({nuls} of them)"))),
        (false, nuls) if nuls > most => {
            let what = format!("a tail of {nuls} NUL bytes, so that the file was not written to its end");
            Completeness::Cut(Cut::new(offset as u64, what))
        }
        (false, _) => Completeness::Unknown,
    }
}
