//! Connecting to PostgreSQL, and what its errors mean.

use std::str::FromStr as _;
use std::time::{Duration, Instant};

use candor_check::Obstacle;
use candor_check::sandbox::Remote;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::text_of;
use crate::sql::tls::{self, Tls};
use crate::sql::trouble::{Reach, Trouble};

/// The time that connecting may take where nothing else is given.
const CONNECT: Duration = Duration::from_secs(10);

/// Connects, and begins a transaction that only reads.
pub(super) async fn open(remote: &Remote, deadline: Instant) -> Result<Client, Trouble> {
    let config = config(remote)?;
    let limit = remote.duration("connect_timeout").unwrap_or(CONNECT);
    let limit = limit.min(deadline.saturating_duration_since(Instant::now()));
    let connecting = async {
        let client = connected(&config, remote).await?;
        client.batch_execute(BEGIN).await.map_err(|error| trouble(&error))?;
        if let Some(schema) = remote.text("schema") {
            let sql = "SELECT pg_catalog.set_config('search_path', pg_catalog.quote_ident(nspname), false) \
                       FROM pg_catalog.pg_namespace WHERE nspname = $1::text";
            if client.query(sql, &[&schema]).await.map_err(|error| trouble(&error))?.is_empty() {
                let what = format!("has no schema `{schema}`, which sandbox.toml names");
                return Err(Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what));
            }
        }
        if remote.flag("row_security") {
            client.batch_execute("SET row_security = on").await.map_err(|error| trouble(&error))?;
        }
        Ok(client)
    };
    match tokio::time::timeout(limit, connecting).await {
        Ok(client) => client,
        Err(_) => {
            Err(Trouble::new(Obstacle::Timeout, Reach::Connection, "did not answer in time when it was connected to"))
        }
    }
}

/// Dates as ISO writes them, in UTC; floating point numbers in full; rows in the order of the table; and no row hidden by a
/// policy without an error.
const BEGIN: &str = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; \
    SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'iso_8601'; SET TimeZone = 'UTC'; SET extra_float_digits = 1; \
    SET bytea_output = 'hex'; SET synchronize_seqscans = off; SET max_parallel_workers_per_gather = 0; \
    SET cursor_tuple_fraction = 1; SET row_security = off; SET idle_in_transaction_session_timeout = 0; \
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

fn config(remote: &Remote) -> Result<Config, Trouble> {
    let unavailable = |what: String| Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what);
    let mut config = Config::from_str(&remote.url)
        .map_err(|error| unavailable(format!("has a URL that cannot be used: {}", text_of(&error))))?;
    if let Some(password) = remote.secret("password") {
        config.password(password.reveal());
    }
    let leaves = config.get_hosts().iter().any(|host| match host {
        Host::Tcp(host) => tls::leaves(host),
        #[cfg(unix)]
        Host::Unix(_) => false,
    });
    let written = remote.url.split_once('?').is_some_and(|(_, query)| query.contains("sslmode="));
    if !(written && remote.text("tls").is_none()) {
        config.ssl_mode(match tls::asked(remote, leaves) {
            Tls::Require => SslMode::Require,
            Tls::Prefer => SslMode::Prefer,
            Tls::Disable => SslMode::Disable,
        });
    }
    config.application_name("candor").keepalives(true).keepalives_idle(Duration::from_secs(30));
    Ok(config)
}

async fn connected(config: &Config, remote: &Remote) -> Result<Client, Trouble> {
    let tls = MakeRustlsConnect::new(tls::client(remote.file("ca_file"))?);
    let (client, connection) = config.connect(tls).await.map_err(|error| trouble(&error))?;
    // Its end shows in what the client answers.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(client)
}

/// The trouble behind an error. The server's words are repeated only if they are about logins, permissions and its own
/// state, as others may hold values.
pub(super) fn trouble(error: &Error) -> Trouble {
    let Some(said) = error.as_db_error() else {
        let what = match error.is_closed() {
            true => "was connected to, and the connection was closed".to_owned(),
            false => format!("cannot be read: {}", text_of(error)),
        };
        return Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, what);
    };
    let code = said.code().code();
    let message: String = said.message().chars().take(200).collect();
    let class = code.get(..2).unwrap_or_default();
    match *said.code() {
        SqlState::INSUFFICIENT_PRIVILEGE => {
            Trouble::new(Obstacle::SourceDenied, Reach::Resource, format!("refuses to be read: {message}"))
        }
        SqlState::QUERY_CANCELED => {
            Trouble::new(Obstacle::Timeout, Reach::Resource, "did not answer in time: a statement was broken off")
        }
        SqlState::LOCK_NOT_AVAILABLE => {
            let what = "did not answer in time: the table is locked by another transaction";
            Trouble::new(Obstacle::Timeout, Reach::Resource, what)
        }
        _ if class == "28" => {
            Trouble::new(Obstacle::SourceDenied, Reach::Connection, format!("refuses the login: {message}"))
        }
        _ if ["08", "3D", "57", "58"].contains(&class) => {
            Trouble::new(Obstacle::SourceUnavailable, Reach::Connection, format!("cannot be read: {message}"))
        }
        _ if ["53", "54"].contains(&class) => {
            Trouble::new(Obstacle::SourceUnavailable, Reach::Resource, format!("cannot be read: {message}"))
        }
        _ => {
            let what = format!("cannot be read: a statement failed with SQLSTATE {code}");
            Trouble::new(Obstacle::SourceUnavailable, Reach::Statement, what)
        }
    }
}
