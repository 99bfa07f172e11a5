//! Stand-ins for clouds: moto as Amazon S3, fake-gcs-server as Google Cloud Storage, Azurite as Azure Blob Storage. One of
//! each for all tests of a binary; they end when it does.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

struct Running {
    /// The words that it printed when it was ready.
    said: Vec<String>,
    // The server ends when this pipe does, so that it cannot outlive the tests, however they end.
    _pipe: Option<ChildStdin>,
    _child: Child,
}

/// The address of moto's S3, which does not ask clients for credentials.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn s3() -> &'static str {
    static RUNNING: OnceLock<(Running, String)> = OnceLock::new();
    &RUNNING.get_or_init(|| with_address(python("s3"))).1
}

/// The address of moto's S3 that checks signatures and rights, and an access key's id and secret, which may read the
/// bucket `claims` and nothing else.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn guarded_s3() -> (&'static str, &'static str, &'static str) {
    static RUNNING: OnceLock<(Running, String)> = OnceLock::new();
    let (running, address) = RUNNING.get_or_init(|| with_address(python("s3-guarded")));
    (address, &running.said[1], &running.said[2])
}

/// The address of fake-gcs-server.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn google() -> &'static str {
    static RUNNING: OnceLock<(Running, String)> = OnceLock::new();
    &RUNNING.get_or_init(|| with_address(python("google"))).1
}

/// The address of Azurite. Its account and key are those that its documentation names.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn azurite() -> &'static str {
    static RUNNING: OnceLock<(Running, String)> = OnceLock::new();
    &RUNNING.get_or_init(start_azurite).1
}

fn with_address(running: Running) -> (Running, String) {
    let port: u16 = running.said[0].parse().expect("a stand-in prints its port");
    (running, format!("127.0.0.1:{port}"))
}

fn python(kind: &str) -> Running {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs the stand-ins for clouds and names their Python in CANDOR_PEERS_PYTHON");
    let mut child = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cloud_server.py"))
        .arg(kind)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Python runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    assert!(!said.is_empty(), "the stand-in `{kind}` does not start");
    Running { said, _pipe: child.stdin.take(), _child: child }
}

fn start_azurite() -> (Running, String) {
    let modules = std::env::var_os("CANDOR_PEERS_NODE")
        .expect("`cargo xtask test` installs Azurite and names its folder in CANDOR_PEERS_NODE");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/azurite.cjs"))
        .arg(port.to_string())
        .env("NODE_PATH", modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("node runs");
    let address = format!("127.0.0.1:{port}");
    let start = Instant::now();
    while std::net::TcpStream::connect(&address).is_err() {
        assert!(start.elapsed() < Duration::from_secs(300), "Azurite does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    (Running { said: Vec::new(), _pipe: child.stdin.take(), _child: child }, address)
}
