//! Failures of an SFTP server.

use ssh2::ErrorCode;

use crate::store::sftp::trouble::{DENIED, Trouble, of as of_error};

#[test]
fn every_code_has_its_meaning() {
    let of = |code| of_error(&ssh2::Error::from_errno(code), "x");
    let reason = |code| match of(code) {
        Trouble::Missing => "missing".to_owned(),
        Trouble::Here(why) => format!("here {}", why.obstacle.name()),
        Trouble::Lost(why) => format!("lost {}", why.obstacle.name()),
    };
    for (code, expected) in [
        (ErrorCode::SFTP(2), "missing"),
        (ErrorCode::SFTP(10), "missing"),
        (ErrorCode::SFTP(3), "here source_denied"),
        (ErrorCode::SFTP(4), "here source_unavailable"),
        (ErrorCode::SFTP(0), "here source_unavailable"),
        (ErrorCode::SFTP(7), "lost source_unavailable"),
        (ErrorCode::Session(-9), "lost timeout"),
        (ErrorCode::Session(-30), "lost timeout"),
        (ErrorCode::Session(-13), "lost source_unavailable"),
        (ErrorCode::Session(-43), "lost source_unavailable"),
        (ErrorCode::Session(-14), "here source_unavailable"),
    ] {
        assert_eq!(reason(code), expected, "{code:?}");
    }
    assert_eq!(ssh2::Error::from_errno(ErrorCode::SFTP(3)).message(), DENIED);
}
