//! Lines of a file.

use crate::lines::{at, ends};

#[test]
fn a_line_ends_with_either_or_both() {
    let bytes = b"a\nb\r\nc\rd\n\ne";
    let offsets: Vec<u64> = (0..bytes.len() as u64).collect();
    let counted = at(&bytes[..], &offsets).unwrap();
    assert_eq!(counted, [1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]);
    let ends = ends(bytes);
    let line = |offset: usize| ends.partition_point(|end| *end < offset) as u64 + 1;
    assert_eq!((0..bytes.len()).map(line).collect::<Vec<_>>(), counted);
    assert_eq!(at(&bytes[..], &[99]).unwrap(), [6]);
}
