//! The characters that split an interchange.

use crate::delimiters::Delimiters;

#[test]
fn a_separator_taken_already_is_dropped() {
    let d = Delimiters::new(b'*', Some(b':'), Some(b':'), b"~").unwrap();
    assert_eq!((d.component(), d.repetition()), (Some(b':'), None));
    let d = Delimiters::new(b'*', Some(b'~'), Some(b'*'), b"~").unwrap();
    assert_eq!((d.component(), d.repetition()), (None, None));
    assert_eq!(Delimiters::new(b'~', None, None, b"~"), None);
    assert_eq!(Delimiters::new(b'*', None, None, b""), None);
}

#[test]
fn blanks_and_empty_segments_are_skipped() {
    let d = Delimiters::new(b'*', Some(b':'), None, b"~").unwrap();
    assert_eq!(d.skip_blank(b"~\r\n ~ST*271"), 5);
    assert_eq!(d.skip_blank(b"ST"), 0);
    let tab = Delimiters::new(b'\t', Some(b':'), None, b"\n").unwrap();
    assert_eq!(tab.skip_blank(b"\n\tST"), 1);
}

#[test]
fn a_terminator_of_several_bytes_is_found_whole() {
    let d = Delimiters::new(b'*', Some(b'>'), None, "…".as_bytes()).unwrap();
    assert_eq!(d.find_terminator("N1*A\u{2019}B…".as_bytes()), Some("N1*A\u{2019}B".len()));
}
