//! Headers of a tar.

use crate::archive::tar_header::number;

#[test]
fn numbers_are_octal_or_base_256() {
    assert_eq!(number(b"0000644\0"), Some(0o644));
    assert_eq!(number(b"   644 \0"), Some(0o644));
    assert_eq!(number(b"\0\0\0\0\0\0\0\0"), Some(0));
    assert_eq!(number(b"\x80\0\0\0\0\0\0\x02\0\0\0\0"), Some(1 << 33));
    for field in [
        &b"0000648\0"[..],
        b"+1\0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"x",
        b"\x80\x01\0\0\0\0\0\x02\0\0\0\0",
    ] {
        assert_eq!(number(field), None, "{field:?}");
    }
}
