//! Lines of a file, as an editor counts them: a line ends with LF, CR or both.

use std::io::{self, Read};

#[derive(Default)]
struct Ends {
    count: u64,
    after_return: bool,
}

impl Ends {
    fn pass(&mut self, piece: &[u8]) {
        for byte in piece {
            let ends = *byte == b'\r' || (*byte == b'\n' && !self.after_return);
            self.count += u64::from(ends);
            self.after_return = *byte == b'\r';
        }
    }
}

/// The lines, from 1, of the bytes at these offsets; offsets in order.
pub(crate) fn at(mut source: impl Read, offsets: &[u64]) -> io::Result<Vec<u64>> {
    const PIECE: usize = 64 * 1024;
    let mut ends = Ends::default();
    let mut piece = vec![0; PIECE];
    let mut passed = 0;
    let mut lines = Vec::with_capacity(offsets.len());
    for &offset in offsets {
        while passed < offset {
            let most = usize::try_from(offset - passed).unwrap_or(PIECE).min(PIECE);
            let count = source.read(piece.get_mut(..most).unwrap_or_default())?;
            if count == 0 {
                break;
            }
            ends.pass(piece.get(..count).unwrap_or_default());
            passed += count as u64;
        }
        lines.push(ends.count + 1);
    }
    Ok(lines)
}

/// How many lines end in these bytes.
pub(crate) fn ends(bytes: &[u8]) -> u64 {
    let mut ends = Ends::default();
    ends.pass(bytes);
    ends.count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_either_or_both() {
        let bytes = b"a\nb\r\nc\rd\n\ne";
        let offsets: Vec<u64> = (0..bytes.len() as u64).collect();
        assert_eq!(at(&bytes[..], &offsets).unwrap(), [1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]);
        assert_eq!(ends(bytes), 5);
        assert_eq!(at(&bytes[..], &[99]).unwrap(), [6]);
    }
}
