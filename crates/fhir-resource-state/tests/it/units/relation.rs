//! Relations of links.

use crate::relation::is;

#[test]
fn relations_have_no_case() {
    for next in ["next", "Next", "NEXT", " next", "http://www.iana.org/assignments/relation/next"] {
        assert!(is(next, "next"), "{next}");
    }
    for other in ["", "nextt", "prev", "http://www.iana.org/assignments/relation/", "é", "http://a.example/next"] {
        assert!(!is(other, "next"), "{other}");
    }
}
