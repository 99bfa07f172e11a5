//! NULs in files.

use candor_check::records::{Completeness, Cut};

use crate::content::blanks::{of_bytes, of_text};

fn is_cut(completeness: &Completeness) -> bool {
    matches!(completeness, Completeness::Cut(_))
}

#[test]
fn nuls_fill_a_block_and_no_more() {
    for (content, nuls, behind, cut) in [
        ("a", 512, "", false),
        ("a", 513, "", true),
        ("a", 513, "\r\n", true),
        ("a\n\u{1a}", 512, "", false),
        ("", 1, "", true),
        ("", 1, "\n", true),
        ("", 0, "", false),
        ("", 0, "\n", false),
    ] {
        let bytes = [content.as_bytes(), &vec![0; nuls], behind.as_bytes()].concat();
        assert_eq!(is_cut(&of_bytes(&bytes)), cut, "{content:?} {nuls} {behind:?}");
        let decoded = crate::encoding::undeclared(&bytes).unwrap();
        assert_eq!(is_cut(&of_text(&decoded, 0)), cut, "{content:?} {nuls} {behind:?}");
    }
    for (nuls, behind, found) in [(63, "b", false), (64, "b", true), (4096, "b\n", true), (64, "", false)] {
        let bytes = [b"a".as_slice(), &vec![0; nuls], behind.as_bytes()].concat();
        let decoded = crate::encoding::undeclared(&bytes).unwrap();
        assert_eq!(is_cut(&of_text(&decoded, 0)), found, "{nuls} {behind:?}");
        assert!(!is_cut(&of_text(&decoded, 5000)), "records of a fixed width may hold NULs");
    }
    let wide = |nuls: usize| [b"\xFF\xFEa\0".as_slice(), &vec![0; 2 * nuls]].concat();
    assert!(!is_cut(&of_text(&crate::encoding::undeclared(&wide(256)).unwrap(), 0)));
    let (bytes, expected) =
        (wide(257), Cut::new(4, "a tail of 514 NUL bytes, so that the file was not written to its end"));
    assert_eq!(of_text(&crate::encoding::undeclared(&bytes).unwrap(), 0), Completeness::Cut(expected));
    assert!(!is_cut(&of_text(&crate::encoding::undeclared(&[b"TRL".as_slice(), &[0; 1000]].concat()).unwrap(), 1000)));
}
