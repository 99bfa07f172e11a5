//! Names in the command of an agent.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::filled::{filled, url_filled};

#[test]
fn names_are_replaced_by_their_bytes_and_encoded_in_a_url() {
    let world = OsStr::from_bytes(b"/tmp/a \xff");
    let names = [("{world}", world), ("{entry}", OsStr::new("a & {epoch}")), ("{epoch}", OsStr::new("2"))];
    let word = filled(OsStr::new("--in={world} {entry}.{epoch} {none}"), &names);
    assert_eq!(word.as_bytes(), b"--in=/tmp/a \xff a & {epoch}.2 {none}");
    let url = url_filled("http://h/do?w={world}&e={entry}&n={epoch}", &names);
    assert_eq!(url, "http://h/do?w=/tmp/a%20%FF&e=a%20%26%20%7Bepoch%7D&n=2");
}
