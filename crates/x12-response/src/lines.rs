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
            self.count += u64::from(self.ends_with(*byte));
        }
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        let ends = byte == b'\r' || (byte == b'\n' && !self.after_return);
        self.after_return = byte == b'\r';
        ends
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

/// The bytes with which lines end, by their numbers.
pub(crate) fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Ends::default();
    (0..).zip(bytes).filter_map(|(at, byte)| ends.ends_with(*byte).then_some(at)).collect()
}
