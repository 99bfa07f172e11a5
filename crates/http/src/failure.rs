//! Why a request got no answer.

use std::{fmt, io};

/// Why a request got no answer. [`Display`](fmt::Display) gives the part of a sentence that follows "failed: "; it quotes
/// nothing that was sent.
///
/// ```
/// use candor_http::{Failure, ureq};
///
/// let failure = Failure::from(&ureq::Error::HostNotFound);
/// assert_eq!(failure.to_string(), "its host name has no address (DNS)");
/// assert!(!failure.is_passing());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The time was over. `connecting` says that there was no connection yet.
    Timeout {
        /// True if the time was over before there was a connection.
        connecting: bool,
    },
    /// The host name has no address.
    NoAddress,
    /// Nothing listens at the address.
    Refused,
    /// The connection ended before the answer was whole.
    BrokeOff,
    /// No TLS connection could be made; the words of the TLS library.
    Tls(String),
    /// The proxy did not make the connection; its status, if it gave one.
    Proxy(Option<u16>),
    /// There was no connection; the words of the system, if it gave any.
    NoConnection(Option<String>),
    /// The server's reply is not HTTP; the words of the library, which may quote what was sent.
    NotHttp(String),
    /// The request could not be made; the words of the library, which may quote what was sent.
    NotAsked(String),
}

impl Failure {
    /// True if the same request may get an answer another time.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Refused | Self::BrokeOff | Self::NoConnection(_) => true,
            Self::Proxy(status) => status.is_none_or(crate::retry::is_passing),
            Self::Timeout { .. } | Self::NoAddress | Self::Tls(_) | Self::NotHttp(_) | Self::NotAsked(_) => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout { connecting: true } => f.write_str("no connection could be made in time"),
            Self::Timeout { connecting: false } => f.write_str("there was no answer in time"),
            Self::NoAddress => f.write_str("its host name has no address (DNS)"),
            Self::Refused => f.write_str("the connection was refused"),
            Self::BrokeOff => f.write_str("the connection broke off before the answer was whole"),
            Self::Tls(why) => write!(f, "the TLS connection failed: {why}"),
            Self::Proxy(Some(status)) => write!(f, "the proxy refused the connection ({status})"),
            Self::Proxy(None) => f.write_str("the proxy refused the connection"),
            Self::NoConnection(Some(why)) => write!(f, "the connection failed: {why}"),
            Self::NoConnection(None) => f.write_str("no connection could be made"),
            Self::NotHttp(_) => f.write_str("the reply is not valid HTTP"),
            Self::NotAsked(_) => f.write_str("the request could not be made"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<&io::Error> for Failure {
    fn from(error: &io::Error) -> Self {
        use io::ErrorKind::{
            BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidData, TimedOut, UnexpectedEof,
        };
        // What breaks while a body is read comes wrapped.
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            return Self::from(inner);
        }
        match error.kind() {
            TimedOut => Self::Timeout { connecting: false },
            ConnectionRefused => Self::Refused,
            ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof => Self::BrokeOff,
            InvalidData => Self::Tls(error.to_string()),
            _ if is_lookup(error) => Self::NoAddress,
            _ => Self::NoConnection(Some(error.to_string())),
        }
    }
}

impl From<&ureq::Error> for Failure {
    fn from(error: &ureq::Error) -> Self {
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => Self::Timeout { connecting: true },
            ureq::Error::Timeout(_) => Self::Timeout { connecting: false },
            ureq::Error::HostNotFound => Self::NoAddress,
            ureq::Error::Io(error) => Self::from(error),
            ureq::Error::Rustls(error) => Self::Tls(error.to_string()),
            ureq::Error::Tls(error) => Self::Tls((*error).to_owned()),
            ureq::Error::ConnectProxyFailed(said) => Self::Proxy(status_in(said)),
            ureq::Error::InvalidProxyUrl => Self::Proxy(None),
            ureq::Error::ConnectionFailed => Self::NoConnection(None),
            ureq::Error::Http(_) | ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                Self::NotHttp(error.to_string())
            }
            error => Self::NotAsked(error.to_string()),
        }
    }
}

/// The status in a proxy's refusal: `HTTP/1.1 502 Bad Gateway`, or whatever else has a number of three digits.
fn status_in(said: &str) -> Option<u16> {
    let words = said.split(|c: char| !c.is_ascii_digit());
    words.filter(|word| word.len() == 3).find_map(|word| word.parse().ok().filter(|status| (100..600).contains(status)))
}

/// True if the system could not resolve a name. The error has no kind of its own; these are the words of Unix and of
/// Windows.
fn is_lookup(error: &io::Error) -> bool {
    let text = error.to_string();
    text.contains("lookup address") || text.contains("No such host")
}
