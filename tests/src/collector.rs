//! An OpenTelemetry collector (Rotel), and behind it a sink that reads what it passes on by the protocol's own definitions.
//! Both end with the test.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use candor_json::Value;

/// An HTTP server that takes OTLP requests and hands over each one as JSON.
pub struct Sink {
    /// `http://127.0.0.1:PORT`
    pub address: String,
    requests: Receiver<Value>,
    // It ends when this pipe does.
    _pipe: ChildStdin,
    child: Child,
}

/// A collector in front of a sink.
pub struct Collector {
    /// `http://127.0.0.1:PORT`
    pub address: String,
    /// The server that gets the requests which the collector passes on.
    pub sink: Sink,
    child: Child,
}

fn python() -> std::ffi::OsString {
    std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs the collector and names its Python in CANDOR_PEERS_PYTHON")
}

/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(300);

impl Sink {
    /// Starts one.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Self {
        let mut child = Command::new(python())
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/otlp_sink.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python runs");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port: u16 = lines.next().expect("the sink prints its port").unwrap().parse().unwrap();
        let (tell, requests) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if tell.send(candor_json::from_str(&line).unwrap()).is_err() {
                    break;
                }
            }
        });
        let pipe = child.stdin.take().unwrap();
        Self { address: format!("http://127.0.0.1:{port}"), requests, _pipe: pipe, child }
    }

    /// The next request for each of the paths, in this order, whichever comes first.
    ///
    /// # Panics
    /// When one does not come, or one came that is not as the definitions say.
    #[must_use]
    pub fn requests<const N: usize>(&self, paths: [&str; N]) -> [Value; N] {
        let mut found: [Option<Value>; N] = [const { None }; N];
        while found.iter().any(Option::is_none) {
            let request = self.requests.recv_timeout(PATIENCE).expect("the collector passes on what it was sent");
            assert_eq!(request.get("error"), None, "{request}");
            let at = paths.iter().position(|path| request["path"] == **path).expect("a path that is waited for");
            assert!(found[at].replace(request).is_none(), "{} came twice", paths[at]);
        }
        found.map(Option::unwrap)
    }

    /// True if nothing arrives within a second.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.requests.recv_timeout(Duration::from_secs(1)).is_err()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Collector {
    /// Starts one.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Self {
        let sink = Sink::start();
        let found = Command::new(python()).args(["-c", "import rotel; print(rotel.__path__[0])"]).output().unwrap();
        let folder = String::from_utf8(found.stdout).unwrap();
        let program = Path::new(folder.trim()).join("rotel-agent");
        let [http, grpc] = [free_port(), free_port()];
        let child = Command::new(program)
            .arg("start")
            .args(["--otlp-http-endpoint", &format!("127.0.0.1:{http}")])
            .args(["--otlp-grpc-endpoint", &format!("127.0.0.1:{grpc}")])
            .args(["--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", &sink.address])
            .args(["--batch-timeout", "100ms"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the collector runs");
        let collector = Self { address: format!("http://127.0.0.1:{http}"), sink, child };
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", http)).is_err() {
            assert!(Instant::now() < until, "the collector does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        collector
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port on which no program listens.
///
/// # Panics
/// When every port is in use.
#[must_use]
pub fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}
