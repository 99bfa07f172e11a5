//! A connection to a server, and the channels on it.

use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_check::{Obstacle, Unverifiable};
use ssh2::{ErrorCode, MethodType, Session, Sftp};

use super::known_hosts::{Verdict, fingerprint, kind, kinds, verdict};
use super::trouble::{self, Trouble, is_timeout, session};
use super::{Settings, login};

/// How many channels are used at a time. Servers commonly allow ten to a connection.
const CHANNELS: usize = 4;

/// How often something is sent while an answer is waited for, in seconds, so that nothing between takes the line for dead.
const KEEP_ALIVE: u32 = 15;

pub(super) struct Connection {
    session: Session,
    /// To be shut, so that who still waits on the connection does not wait on.
    socket: TcpStream,
    is_lost: AtomicBool,
    channels: Mutex<Channels>,
    freed: Condvar,
}

struct Channels {
    idle: Vec<Sftp>,
    open: usize,
    most: usize,
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// As the library takes it: 0 would be for ever.
fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX).max(1)
}

impl Connection {
    /// Connects, makes sure whose server it is, and logs in.
    ///
    /// # Errors
    /// Which of these failed, and why.
    pub(super) fn open(settings: &Settings) -> Result<Self, Unverifiable> {
        let name = &settings.address.name;
        let until = Instant::now() + settings.connect_timeout;
        let known_hosts = read(&settings.known_hosts)
            .map_err(|error| denied(format!("{name}: {} cannot be read: {error}", settings.known_hosts.display())))?;
        let stream = stream(settings, until)?;
        let socket = stream
            .try_clone()
            .map_err(|error| Unverifiable::new(Obstacle::SourceUnavailable, format!("{name}: {error}")))?;
        let shut = |why: Unverifiable| {
            // Nothing is left to be said to the server; that it is gone already is as well.
            let _ = socket.shutdown(Shutdown::Both);
            why
        };
        let mut session = Session::new().map_err(|_| unavailable(format!("{name}: no session could be made")))?;
        session.set_timeout(milliseconds(left(until)));
        prefer(&session, &kinds(&known_hosts, &settings.address.host, settings.address.port));
        session.set_tcp_stream(stream);
        session.handshake().map_err(|error| shut(no_handshake(&error, settings)))?;
        is_known(&session, &known_hosts, settings).map_err(shut)?;
        login::log_in(&session, settings, || milliseconds(left(until))).map_err(shut)?;
        session.set_timeout(milliseconds(left(until)));
        session.set_keepalive(false, KEEP_ALIVE);
        let sftp = session.sftp().map_err(|error| shut(no_sftp(&error, settings)))?;
        session.set_timeout(milliseconds(settings.limits.timeout));
        let channels = Mutex::new(Channels { idle: vec![sftp], open: 1, most: CHANNELS });
        Ok(Self { session, socket, is_lost: AtomicBool::new(false), channels, freed: Condvar::new() })
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Says that the connection is of no more use: what still waits on it ends.
    pub(super) fn lose(&self) {
        self.is_lost.store(true, Ordering::SeqCst);
        // It may be shut already.
        let _ = self.socket.shutdown(Shutdown::Both);
        self.freed.notify_all();
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }

    /// A channel of its own: the library mixes up what two of its users do on one.
    ///
    /// # Errors
    /// When the connection is lost, or all channels stay in use for too long.
    pub(super) fn lease(self: &Arc<Self>, until: Instant, name: &str) -> Result<Lease, Trouble> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.is_lost() {
                let details = format!("{name} cannot be read: the connection to the server broke off");
                return Err(Trouble::Lost(Unverifiable::new(Obstacle::SourceUnavailable, details)));
            }
            if let Some(sftp) = channels.idle.pop() {
                return Ok(Lease { sftp: Some(sftp), connection: Arc::clone(self) });
            }
            if channels.open < channels.most {
                match self.session.sftp() {
                    Ok(sftp) => {
                        channels.open += 1;
                        return Ok(Lease { sftp: Some(sftp), connection: Arc::clone(self) });
                    }
                    // A server that grants no more channels is read through those there are.
                    Err(error) if channels.open > 0 && !is_fatal(&error) => channels.most = channels.open,
                    Err(error) => return Err(trouble::of(&error, name)),
                }
            }
            let time = left(until);
            if time.is_zero() {
                let details = format!("{name} cannot be read: other reads of the server take too long");
                return Err(Trouble::Here(Unverifiable::new(Obstacle::Timeout, details)));
            }
            channels = self.freed.wait_timeout(channels, time).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_lost() {
            // A farewell; who does not hear it sees the connection closed.
            self.session.set_timeout(1000);
            let _ = self.session.disconnect(None, "done", None);
        }
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// A channel in use, given back when it is dropped.
pub(super) struct Lease {
    sftp: Option<Sftp>,
    connection: Arc<Connection>,
}

impl Lease {
    pub(super) fn sftp(&self) -> &Sftp {
        #[expect(clippy::expect_used, reason = "it is taken out in drop only")]
        self.sftp.as_ref().expect("a lease holds its channel until it is dropped")
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut channels = self.connection.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.idle.extend(self.sftp.take());
        drop(channels);
        self.connection.freed.notify_one();
    }
}

fn denied(details: String) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceDenied, details)
}

fn unavailable(details: String) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceUnavailable, details)
}

/// A file of the operator's, within what such a file may be.
fn read(path: &std::path::Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(64 << 20).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn stream(settings: &Settings, until: Instant) -> Result<TcpStream, Unverifiable> {
    let address = &settings.address;
    let name = &address.name;
    let addresses = (address.host.as_str(), address.port)
        .to_socket_addrs()
        .map_err(|error| unavailable(format!("{name}: the host {} is not found: {error}", address.host)))?;
    let mut why = unavailable(format!("{name}: the host {} has no address", address.host));
    for address in addresses {
        let time = left(until).max(Duration::from_millis(1));
        match TcpStream::connect_timeout(&address, time) {
            Ok(stream) => {
                // Questions are short and each waits for its answer.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                let details = format!("{name}: no connection came about within {}", seconds(settings.connect_timeout));
                why = Unverifiable::new(Obstacle::Timeout, details);
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                why = unavailable(format!("{name}: the connection was refused"));
            }
            Err(error) => why = unavailable(format!("{name}: no connection came about: {error}")),
        }
    }
    Err(why)
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

/// Asks first for keys of the kinds that are known, as `ssh` does: a server has several, and shows one.
fn prefer(session: &Session, kinds: &[String]) {
    const RSA: [&str; 3] = ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"];
    if kinds.is_empty() {
        return;
    }
    let mut wanted: Vec<&str> = Vec::new();
    for kind in kinds {
        match kind.as_str() {
            "ssh-rsa" => wanted.extend(RSA),
            other => wanted.push(other),
        }
    }
    let supported = session.supported_algs(MethodType::HostKey).unwrap_or_default();
    wanted.extend(&supported);
    let mut once = Vec::new();
    for name in wanted {
        if supported.contains(&name) && !once.contains(&name) {
            once.push(name);
        }
    }
    // Where that cannot be set, the server shows what it likes, and that is held against the file all the same.
    let _ = session.method_pref(MethodType::HostKey, &once.join(","));
}

fn no_handshake(error: &ssh2::Error, settings: &Settings) -> Unverifiable {
    let name = &settings.address.name;
    match error.code() {
        ErrorCode::Session(code) if is_timeout(code) => Unverifiable::new(
            Obstacle::Timeout,
            format!(
                "{name}: the server accepted the connection and did not introduce itself within {}",
                seconds(settings.connect_timeout)
            ),
        ),
        ErrorCode::Session(session::BANNER_RECV) => unavailable(format!("{name}: what answers there is no SSH server")),
        ErrorCode::Session(session::KEX_FAILURE | session::KEY_EXCHANGE_FAILURE | session::METHOD_NONE) => {
            unavailable(format!("{name}: the server and this program agree on no way to encrypt"))
        }
        _ => unavailable(format!("{name}: the server broke the connection off before it had introduced itself")),
    }
}

fn is_known(session: &Session, known_hosts: &str, settings: &Settings) -> Result<(), Unverifiable> {
    let address = &settings.address;
    let name = &address.name;
    let file = settings.known_hosts.display();
    let Some((key, _)) = session.host_key() else {
        return Err(denied(format!("{name}: the server shows no host key")));
    };
    let (kind, print) = (kind(key), fingerprint(key));
    let why = match verdict(known_hosts, &address.host, address.port, key) {
        Verdict::Known => return Ok(()),
        Verdict::Unknown => format!("the host key is unknown: {kind} {print} is not in {file}"),
        Verdict::OfOtherKinds(others) => {
            format!("the host key is unknown: {file} knows the host by {} and not by {kind} {print}", others.join(", "))
        }
        Verdict::Changed(known) => {
            format!("the host key has changed: the server shows {kind} {print}, and {file} has {known} for it")
        }
        Verdict::Revoked => format!("the host key is revoked: {file} marks {kind} {print} so"),
    };
    Err(denied(format!("{name}: {why}")))
}

fn no_sftp(error: &ssh2::Error, settings: &Settings) -> Unverifiable {
    let name = &settings.address.name;
    match error.code() {
        ErrorCode::Session(code) if is_timeout(code) => Unverifiable::new(
            Obstacle::Timeout,
            format!("{name}: the login went well, and no SFTP session came about in time"),
        ),
        _ => unavailable(format!("{name}: the login went well, and the server offers no SFTP session")),
    }
}

fn is_fatal(error: &ssh2::Error) -> bool {
    /// `CHANNEL_FAILURE`, `CHANNEL_REQUEST_DENIED`, `CHANNEL_UNKNOWN`, `CHANNEL_CLOSED` of `libssh2.h`.
    const OF_THE_CHANNEL: [i32; 4] = [-21, -22, -23, -26];
    !matches!(error.code(), ErrorCode::Session(code) if OF_THE_CHANNEL.contains(&code))
}
