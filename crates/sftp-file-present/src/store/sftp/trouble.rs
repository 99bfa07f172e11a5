//! Failures of a server, distinguished by codes: the texts of the library mislead, so Candor writes every sentence.

use std::io;

use candor_check::{Obstacle, Unverifiable};
use ssh2::ErrorCode;

/// Codes of libssh2, by their names in `libssh2.h`.
pub(super) mod session {
    pub(crate) const BANNER_RECV: i32 = -2;
    pub(crate) const KEX_FAILURE: i32 = -5;
    pub(crate) const KEY_EXCHANGE_FAILURE: i32 = -8;
    pub(crate) const TIMEOUT: i32 = -9;
    pub(crate) const PASSWORD_EXPIRED: i32 = -15;
    pub(crate) const FILE: i32 = -16;
    pub(crate) const METHOD_NONE: i32 = -17;
    pub(crate) const AUTHENTICATION_FAILED: i32 = -18;
    pub(crate) const PUBLICKEY_UNVERIFIED: i32 = -19;
    pub(crate) const SOCKET_TIMEOUT: i32 = -30;
    pub(crate) const SFTP_PROTOCOL: i32 = -31;
    pub(crate) const PROTO: i32 = -14;
    pub(crate) const AGENT_PROTOCOL: i32 = -42;
}

/// Codes of the protocol, by their names in draft-ietf-secsh-filexfer-02, section 7.
mod status {
    pub(super) const OK: i32 = 0;
    pub(super) const NO_SUCH_FILE: i32 = 2;
    pub(super) const PERMISSION_DENIED: i32 = 3;
    pub(super) const NO_CONNECTION: i32 = 6;
    pub(super) const CONNECTION_LOST: i32 = 7;
    pub(super) const OP_UNSUPPORTED: i32 = 8;
    /// Of later drafts, which some servers use in version 3 all the same: `NO_SUCH_PATH`, `NOT_A_DIRECTORY`, `LINK_LOOP`.
    pub(super) const NOWHERE: [i32; 3] = [10, 19, 21];
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    Missing,
    /// The server answered with a refusal; the connection still holds.
    Here(Unverifiable),
    /// The connection is of no more use.
    Lost(Unverifiable),
}

impl Trouble {
    pub(super) fn about(self, place: &str) -> Unverifiable {
        match self {
            Self::Missing => Unverifiable::new(Obstacle::SourceUnavailable, format!("{place} is no longer there")),
            Self::Here(why) | Self::Lost(why) => why,
        }
    }
}

pub(super) fn is_timeout(code: i32) -> bool {
    matches!(code, session::TIMEOUT | session::SOCKET_TIMEOUT)
}

pub(super) fn of(error: &ssh2::Error, place: &str) -> Trouble {
    match error.code() {
        ErrorCode::SFTP(status::NO_SUCH_FILE) => Trouble::Missing,
        ErrorCode::SFTP(code) if status::NOWHERE.contains(&code) => Trouble::Missing,
        ErrorCode::SFTP(status::PERMISSION_DENIED) => {
            here(Obstacle::SourceDenied, format!("{place} cannot be read: the server denies the permission"))
        }
        ErrorCode::SFTP(status::NO_CONNECTION | status::CONNECTION_LOST) => lost(place),
        ErrorCode::SFTP(status::OP_UNSUPPORTED) => here(
            Obstacle::SourceUnavailable,
            format!("{place} cannot be read: the server does not support what that takes"),
        ),
        // Without a status of the server's, it is the library that could not make sense of what came.
        ErrorCode::SFTP(status::OK) | ErrorCode::Session(session::PROTO | session::SFTP_PROTOCOL) => here(
            Obstacle::SourceUnavailable,
            format!("{place} cannot be read: the server's answer breaks the protocol"),
        ),
        ErrorCode::SFTP(code) => here(
            Obstacle::SourceUnavailable,
            format!("{place} cannot be read: the server answers with the status {code}"),
        ),
        ErrorCode::Session(code) if is_timeout(code) => Trouble::Lost(Unverifiable::new(
            Obstacle::Timeout,
            format!("{place} cannot be read: the server did not answer in time"),
        )),
        ErrorCode::Session(_) => lost(place),
    }
}

/// The meaning of a failed read for a place: of the error itself only its kind is left, the rest the session knows.
pub(super) fn of_read(error: &io::Error, session: &ssh2::Session, place: &str) -> Trouble {
    match ssh2::Error::last_session_error(session).map(|error| error.code()) {
        Some(ErrorCode::Session(session::SFTP_PROTOCOL)) if error.to_string() == DENIED => {
            of(&ssh2::Error::from_errno(ErrorCode::SFTP(status::PERMISSION_DENIED)), place)
        }
        Some(ErrorCode::Session(session::SFTP_PROTOCOL)) => here(
            Obstacle::SourceUnavailable,
            format!("{place} cannot be read to its end: the server answers with an error"),
        ),
        Some(code) => of(&ssh2::Error::from_errno(code), place),
        None if error.kind() == io::ErrorKind::TimedOut => {
            of(&ssh2::Error::from_errno(ErrorCode::Session(session::TIMEOUT)), place)
        }
        None => lost(place),
    }
}

/// As the library words the status `PERMISSION_DENIED`.
pub(super) const DENIED: &str = "permission denied";

fn here(obstacle: Obstacle, details: String) -> Trouble {
    Trouble::Here(Unverifiable::new(obstacle, details))
}

fn lost(place: &str) -> Trouble {
    let details = format!("{place} cannot be read: the connection to the server broke off");
    Trouble::Lost(Unverifiable::new(Obstacle::SourceUnavailable, details))
}
