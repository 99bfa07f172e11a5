//! A small HTTP server for tests: what it answers, and how it breaks, is up to the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// A header field's value; empty if the request does not have the field.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The path without the query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// How an answer goes wrong on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Break {
    /// It arrives.
    #[default]
    Whole,
    /// The connection ends behind so many bytes of the body.
    After(usize),
    /// The body stops coming behind the header, and nothing ends.
    Stall,
    /// The connection ends without any answer.
    Silent,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Header fields, except those of the length and of the connection.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How it breaks.
    pub breaks: Break,
}

impl Reply {
    /// An answer of FHIR JSON.
    #[must_use]
    pub fn fhir(status: u16, body: impl ToString) -> Self {
        let headers = vec![("Content-Type".to_owned(), "application/fhir+json".to_owned())];
        Self { status, headers, body: body.to_string().into_bytes(), breaks: Break::Whole }
    }

    /// An answer of a status alone.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// With a header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Broken on its way.
    #[must_use]
    pub fn breaking(self, breaks: Break) -> Self {
        Self { breaks, ..self }
    }
}

/// A server on loopback, until it is dropped.
#[derive(Debug)]
pub struct Server {
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    stop: Arc<AtomicBool>,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server whose answers `answer` gives; many may be asked for at once.
    ///
    /// # Panics
    /// When there is no free port.
    #[must_use]
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (answer, stopped, all) = (Arc::new(answer), Arc::clone(&stop), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                std::thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    all.lock().unwrap().push(request.clone());
                    let reply = answer(&request);
                    // Whoever asked may be gone.
                    let _ = write(stream, &reply);
                });
            }
        });
        Self { url, stop, seen }
    }

    /// The requests so far, in order of their coming.
    ///
    /// # Panics
    /// When an answer panicked.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// An address where nothing listens. It is the near end of a connection, so that no other program is given its port.
///
/// # Panics
/// When there is no free port.
#[must_use]
pub fn closed() -> SocketAddr {
    static HELD: OnceLock<(TcpListener, TcpStream)> = OnceLock::new();
    let (_, near) = HELD.get_or_init(|| {
        let far = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(far.local_addr().unwrap()).unwrap();
        (far, near)
    });
    near.local_addr().unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let address = self.url.trim_start_matches("http://");
        drop(TcpStream::connect(address));
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    stream.set_read_timeout(Some(Duration::from_secs(600))).ok()?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { method, target, headers, body: Vec::new() };
    request.body.resize(request.header("content-length").parse().unwrap_or(0), 0);
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn write(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    if reply.breaks == Break::Silent {
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", reply.status);
    // An answer to HEAD says the length of what it does not hold.
    if !reply.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
        head.push_str(&format!("Content-Length: {}\r\n", reply.body.len()));
    }
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(head.as_bytes())?;
    stream.write_all(b"\r\n")?;
    match reply.breaks {
        Break::After(bytes) => stream.write_all(&reply.body[..bytes.min(reply.body.len())])?,
        // Longer than any test runs.
        Break::Stall => std::thread::sleep(Duration::from_secs(3600)),
        Break::Whole | Break::Silent => stream.write_all(&reply.body)?,
    }
    stream.flush()
}

/// Asks a server of plain HTTP, as a proxy does: the status, the header fields and the body.
///
/// # Panics
/// When it does not answer in HTTP/1.1 with a length or to the end of the connection.
#[must_use]
pub fn ask(address: &str, request: &Request) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
    let mut head = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", request.method, request.target);
    let passed =
        |name: &str| !matches!(name, "connection" | "content-length" | "accept-encoding" | "transfer-encoding");
    for (name, value) in request.headers.iter().filter(|(name, _)| passed(name)) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", request.body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an answer has a head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers: Vec<(String, String)> =
        headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = bytes.split_off(end + 4);
    let body = if chunked { unchunked(&body) } else { body };
    let is_head = request.method == "HEAD";
    let own = |name: &str| {
        matches!(name, "connection" | "transfer-encoding" | "keep-alive") || (name == "content-length" && !is_head)
    };
    let headers = headers.into_iter().filter(|(name, _)| !own(name)).collect();
    Reply { status, headers, body, breaks: Break::Whole }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n").expect("a chunk has a length");
        let length = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap().trim(), 16).unwrap();
        bytes = &bytes[end + 2..];
        if length == 0 {
            return out;
        }
        out.extend_from_slice(&bytes[..length]);
        bytes = &bytes[length + 2..];
    }
}
