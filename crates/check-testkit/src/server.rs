//! The server of a vector: HTTP/1.1 on this machine, answering by path, with the faults that servers have.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;

/// The response at a path.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Served {
    /// The status; 200 without one.
    pub status: Option<u16>,
    /// Header fields.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
    /// How long the answer is held back, in milliseconds.
    pub delay_ms: u64,
    /// The fault of the server, if it does not answer.
    pub fault: Option<Fault>,
}

/// The behavior of a server that does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// It takes the request and sends nothing.
    Hang,
    /// It closes the connection.
    Close,
    /// It sends bytes that are not HTTP.
    Garbage,
    /// It breaks off within the body.
    Cut,
}

/// A server under way; ended when this is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(serves: BTreeMap<String, Served>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let (ended, serves) = (Arc::clone(&over), Arc::new(serves));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let (serves, ended) = (Arc::clone(&serves), Arc::clone(&ended));
                // Whoever hangs up early is not this server's concern.
                std::thread::spawn(move || drop(answer(&stream, &serves, &ended)));
            }
        });
        Self { address, over }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn answer(mut stream: &TcpStream, serves: &BTreeMap<String, Served>, over: &AtomicBool) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or(Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let missing = Served { status: Some(404), ..Served::default() };
    let served = serves.get(path).unwrap_or(&missing);
    std::thread::sleep(Duration::from_millis(served.delay_ms));
    match served.fault {
        Some(Fault::Hang) => {
            while !over.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(20));
            }
            return Ok(());
        }
        Some(Fault::Close) => return Ok(()),
        Some(Fault::Garbage) => return stream.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n"),
        Some(Fault::Cut) | None => {}
    }
    let length = if served.fault == Some(Fault::Cut) { served.body.len() + 100 } else { served.body.len() };
    let mut head =
        format!("HTTP/1.1 {} x\r\nContent-Length: {length}\r\nConnection: close\r\n", served.status.unwrap_or(200));
    for (name, value) in &served.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    if method != "HEAD" {
        stream.write_all(served.body.as_bytes())?;
    }
    stream.flush()
}
