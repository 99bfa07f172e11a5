//! Asks a URL whether a service is ready.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// Where a service says that it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    authority: String,
    path: String,
}

impl Ready {
    /// Reads `http://HOST:PORT/PATH`.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    ///
    /// ```
    /// use candor_verification::Ready;
    /// assert_eq!(Ready::parse("http://127.0.0.1:8080/health").unwrap().to_string(), "http://127.0.0.1:8080/health");
    /// assert!(Ready::parse("127.0.0.1:8080").is_err());
    /// ```
    pub fn parse(url: &str) -> Result<Self, String> {
        let wrong = || format!("`{url}` is not a URL of the form http://HOST:PORT/PATH");
        let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = authority.rsplit_once(':').ok_or_else(wrong)?;
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic());
        if host.is_empty() || !is_plain(rest) || authority.contains('@') || !port.parse::<u16>().is_ok_and(|n| n > 0) {
            return Err(wrong());
        }
        Ok(Self { authority: authority.to_owned(), path: format!("/{path}") })
    }

    pub(crate) fn connected(&self) -> Option<TcpStream> {
        let mut addresses = self.authority.to_socket_addrs().ok()?;
        addresses.find_map(|address| TcpStream::connect_timeout(&address, ANSWERED_WITHIN).ok())
    }

    /// The status of the answer; `None` where there is no answer.
    pub(crate) fn status(&self) -> Option<u16> {
        let mut stream = self.connected()?;
        stream.set_read_timeout(Some(ANSWERED_WITHIN)).ok()?;
        stream.set_write_timeout(Some(ANSWERED_WITHIN)).ok()?;
        let request = format!("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.path, self.authority);
        stream.write_all(request.as_bytes()).ok()?;
        let mut line = Vec::new();
        let end = Instant::now() + ANSWERED_WITHIN;
        let mut buffer = [0; 64];
        while line.len() < 64 && !line.contains(&b'\n') && Instant::now() < end {
            match stream.read(&mut buffer).ok()? {
                0 => break,
                read => line.extend_from_slice(buffer.get(..read)?),
            }
        }
        status_of(&line)
    }
}

impl std::fmt::Display for Ready {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

/// The status of a status line: `HTTP/1.1 200 OK`.
pub(crate) fn status_of(line: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(line.split(|b| matches!(b, b'\r' | b'\n')).next()?).ok()?;
    let mut words = text.split(' ');
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next().filter(|code| code.len() == 3)?.parse().ok()
}
