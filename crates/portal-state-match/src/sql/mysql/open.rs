//! Connecting to MySQL and MariaDB, and what their errors mean.

use std::io;
use std::time::{Duration, Instant};

use candor_check::Obstacle;
use candor_check::sandbox::Remote;
use mysql::prelude::Queryable as _;
use mysql::{Conn, DriverError, Error, Opts, OptsBuilder, SslOpts};

use crate::sql::tls::{self, Tls};
use crate::sql::trouble::{Reach, Trouble};

/// The time that connecting may take where nothing else is given.
const CONNECT: Duration = Duration::from_secs(10);

/// Times in UTC, text as it is, and a transaction that only reads at one snapshot.
const BEGIN: &[&str] = &[
    "SET NAMES utf8mb4",
    "SET SESSION time_zone = '+00:00', sql_mode = ''",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
];

/// Connects and begins; whether it is MariaDB.
pub(super) fn open(remote: &Remote, deadline: Instant) -> Result<(Conn, bool), Trouble> {
    let builder = options(remote, deadline)?;
    let asked = match builder.1 {
        Tls::Disable => None,
        Tls::Require | Tls::Prefer => Some(encrypted(remote)?),
    };
    let connected = match Conn::new(builder.0.clone().ssl_opts(asked)) {
        Err(Error::DriverError(DriverError::TlsNotSupported)) if builder.1 == Tls::Prefer => Conn::new(builder.0),
        connected => connected,
    };
    let mut connection = connected.map_err(|error| trouble(&error).all())?;
    let version: Option<String> = connection.query_first("SELECT version()").map_err(|error| trouble(&error).all())?;
    for sql in BEGIN {
        connection.query_drop(sql).map_err(|error| trouble(&error).all())?;
    }
    Ok((connection, version.is_some_and(|version| version.contains("MariaDB"))))
}

fn options(remote: &Remote, deadline: Instant) -> Result<(OptsBuilder, Tls), Trouble> {
    let unavailable = |what: String| Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what);
    let (_, rest) = remote.url.split_once(':').unwrap_or_default();
    if rest.contains('?') {
        return Err(unavailable("has a URL with `?`; write settings next to it in sandbox.toml".to_owned()));
    }
    let parsed = Opts::from_url(&format!("mysql:{rest}"))
        .map_err(|error| unavailable(format!("has a URL that cannot be used: {error}")))?;
    let tls = tls::asked(remote, tls::leaves(&parsed.get_ip_or_hostname()));
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let connect = remote.duration("connect_timeout").unwrap_or(CONNECT).min(left);
    let builder = OptsBuilder::from_opts(parsed)
        .pass(remote.secret("password").map(candor_check::sandbox::Secret::reveal))
        .prefer_socket(false)
        .tcp_connect_timeout(Some(connect))
        .read_timeout(Some(left))
        .write_timeout(Some(left))
        .tcp_keepalive_time_ms(Some(30_000))
        .stmt_cache_size(4);
    Ok((builder, tls))
}

fn encrypted(remote: &Remote) -> Result<SslOpts, Trouble> {
    // Read here too, as the driver takes a file without certificates for none.
    tls::client(remote.file("ca_file"))?;
    Ok(SslOpts::default().with_root_cert_path(remote.file("ca_file").map(|path| path.to_owned())))
}

impl Trouble {
    /// The same where nothing can be read without it.
    fn all(self) -> Self {
        Self { reach: Reach::Connection, ..self }
    }
}

/// The errors of the server that are about logins, and about permissions.
/// Source: MySQL's and MariaDB's error message references.
const LOGIN: &[u16] = &[1045, 1698, 1044, 1130, 1251, 1524, 1862, 1820, 3118, 4151];
const PERMISSION: &[u16] = &[1142, 1143, 1227, 1356, 1370];
const TIME: &[u16] = &[1205, 1969, 3024, 1317];
const GONE: &[u16] = &[1040, 1049, 1053, 1077, 1080, 1129, 1203, 1226, 1927];
const DAMAGED: &[u16] = &[126, 127, 134, 144, 145, 1034, 1035, 1194, 1195];

/// The trouble behind an error. The server's words are repeated only if they are about logins, permissions and its own
/// state, as others may hold values.
pub(super) fn trouble(error: &Error) -> Trouble {
    match error {
        Error::MySqlError(said) => {
            let message: String = said.message.chars().take(200).collect();
            match said.code {
                code if LOGIN.contains(&code) => {
                    Trouble::new(Obstacle::SourceDenied, Reach::Connection, format!("refuses the login: {message}"))
                }
                code if PERMISSION.contains(&code) => {
                    Trouble::new(Obstacle::SourceDenied, Reach::Resource, format!("refuses to be read: {message}"))
                }
                1205 => {
                    let what = "did not answer in time: the table is locked by another transaction";
                    Trouble::new(Obstacle::Timeout, Reach::Resource, what)
                }
                code if TIME.contains(&code) => {
                    let what = "did not answer in time: a statement was broken off";
                    Trouble::new(Obstacle::Timeout, Reach::Resource, what)
                }
                code if GONE.contains(&code) => {
                    Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, format!("cannot be read: {message}"))
                }
                code if DAMAGED.contains(&code) => {
                    Trouble::malformed(Reach::Resource, format!("is damaged: error {code}"))
                }
                code => {
                    let what = format!("cannot be read: a statement failed with error {code}");
                    Trouble::new(Obstacle::SourceUnavailable, Reach::Statement, what)
                }
            }
        }
        error if is_late(error) => Trouble::new(Obstacle::Timeout, Reach::Connection, "did not answer in time"),
        Error::DriverError(DriverError::ConnectTimeout | DriverError::Timeout) => {
            Trouble::new(Obstacle::Timeout, Reach::Connection, "did not answer in time when it was connected to")
        }
        error => {
            let said: String = error.to_string().chars().take(200).collect();
            Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, format!("cannot be read: {said}"))
        }
    }
}

fn is_late(error: &Error) -> bool {
    let behind = match error {
        Error::IoError(error) => Some(error),
        Error::CodecError(error) => std::error::Error::source(error).and_then(|behind| behind.downcast_ref()),
        _ => None,
    };
    behind.is_some_and(|error: &io::Error| matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock))
}
