//! The independent FHIR server, one for all tests of a binary.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

struct Running {
    address: String,
    // The server ends when this pipe does, so that it cannot outlive the tests, however they end.
    _pipe: ChildStdin,
    _child: Child,
}

/// Its address, `127.0.0.1:PORT`; started on first use. Every first path segment is a store of its own.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn fhir_server() -> &'static str {
    static RUNNING: OnceLock<Running> = OnceLock::new();
    &RUNNING.get_or_init(start).address
}

fn start() -> Running {
    let modules = std::env::var_os("CANDOR_PEERS_NODE")
        .expect("`cargo xtask test` installs the FHIR server and names its folder in CANDOR_PEERS_NODE");
    let mut child = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fhir_server.cjs"))
        .env("NODE_PATH", modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.trim().parse().expect("the FHIR server prints its port");
    Running { address: format!("127.0.0.1:{port}"), _pipe: child.stdin.take().unwrap(), _child: child }
}
