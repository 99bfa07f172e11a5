//! How a service is started.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Where a service keeps what it is given.
#[derive(Clone, Debug)]
pub enum Database {
    /// SQLite, in this folder.
    Folder(PathBuf),
    /// PostgreSQL, at this URL.
    Postgres(String),
}

/// The settings of a service.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where it keeps what it is given.
    pub database: Database,
    /// The name under which results are recorded.
    pub verifier_id: String,
    /// How long `complete` and `/v1/grade` wait for a grading before they answer 202.
    pub answer_within: Duration,
    /// The largest body of a request, in bytes.
    pub max_body: usize,
    /// For how long a run's token is valid.
    pub run_token_ttl: Duration,
    /// After how long events and evidence of a completed run are deleted; `None` keeps them.
    pub keep: Option<Duration>,
    /// The address that callers know the service by, behind a proxy.
    pub public_url: Option<String>,
    /// Hosts that sandboxes outside may be read from.
    pub allow_hosts: Vec<String>,
    /// Ports of this machine for MLLP, the first and the last.
    pub mllp_ports: Option<(u16, u16)>,
    /// Lets `/nemo` be used without an operator's key: on loopback only, with sandboxes that are given by their parts.
    pub nemo_open: bool,
}
