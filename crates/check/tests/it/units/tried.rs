//! Reasons why a path selects nothing.

use candor_check::tried::{distinct, unselected};

#[test]
fn a_reason_quotes_three_contents_at_most() {
    let of = |contents: &[&str]| unselected("PID.3", contents.iter());
    assert_eq!(of(&["a", "b"]).unwrap(), "PID.3 is `a`, `b`, in which the path selects nothing");
    assert_eq!(of(&["a", "b", "c"]).unwrap(), "PID.3 is `a`, `b`, `c`, in which the path selects nothing");
    let more = of(&["a", "b", "c", "d"]).unwrap();
    assert_eq!(more, "PID.3 is `a`, `b`, `c` and more, in which the path selects nothing");
    assert_eq!(of(&[]), None);
    assert_eq!(distinct(["NM1", "EB", "NM1"].into_iter(), " "), "EB NM1");
}
