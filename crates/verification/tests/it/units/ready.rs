//! The status of an answer, and the URL that is asked for it.

use proptest::prelude::*;

use crate::ready::{Ready, status_of};

#[test]
fn a_status_is_read_from_a_status_line_alone() {
    for (line, status) in [
        (&b"HTTP/1.1 200 OK\r\n"[..], Some(200)),
        (b"HTTP/1.0 503 Service Unavailable\r\nX: y", Some(503)),
        (b"HTTP/1.1 200", Some(200)),
        (b"HTTP/2 200", None),
        (b"SSH-2.0-x\r\n", None),
        (b"HTTP/1.1 2000 OK", None),
        (b"", None),
    ] {
        assert_eq!(status_of(line), status);
    }
}

proptest! {
    #[test]
    fn whatever_is_read_is_read_without_a_panic(line: Vec<u8>, url in "(http://)?[ -~]{0,20}") {
        let _ = status_of(&line);
        if let Ok(ready) = Ready::parse(&url) {
            prop_assert_eq!(Ready::parse(&ready.to_string()), Ok(ready));
        }
    }
}
