//! A folder of an SFTP server as a store: one connection for all criteria, on which only ever questions are asked.

mod address;
mod connect;
mod known_hosts;
mod login;
mod private_key;
mod server;
mod trouble;
mod walk;

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_check::sandbox::{Limits, Remote, Secret};
use candor_check::{Obstacle, Unverifiable};
use jiff::Timestamp;

use super::{Listing, Store, StoredFile};
use address::Address;
use connect::{Connection, Lease};
use server::{Reading, Server};
use trouble::Trouble;
use walk::{Attributes, Bounds, Kind, Place, Tree as _};

/// How long a connection may take to come about, where `connect_timeout` does not say.
const CONNECT: Duration = Duration::from_secs(10);

struct Settings {
    address: Address,
    known_hosts: PathBuf,
    identity_file: Option<PathBuf>,
    passphrase: Option<Secret>,
    agent: bool,
    password: Option<Secret>,
    connect_timeout: Duration,
    limits: Limits,
}

pub(crate) struct SftpStore {
    settings: Settings,
    state: Mutex<State>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    /// The last connection that did not come about, and when that was known.
    failed: Option<(Instant, Unverifiable)>,
}

/// The findings of listings, so that a file is not searched for again from the top.
#[derive(Default)]
struct Known {
    root: Option<Vec<u8>>,
    folders: HashMap<String, Vec<u8>>,
    odd: HashMap<String, Vec<u8>>,
}

impl SftpStore {
    /// Reads the settings; the connection is made by the first read.
    pub(crate) fn new(remote: &Remote, limits: &Limits) -> Result<Self, Unverifiable> {
        let wrong = |what: String| {
            let details = format!("[files] of sandbox.toml: the url {} {what}", remote.url);
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        };
        let address = Address::of(remote).map_err(wrong)?;
        let file = |name: &str| remote.file(name).map(PathBuf::from);
        let denied = |what: &str| Unverifiable::new(Obstacle::SourceDenied, format!("[files] of sandbox.toml {what}"));
        let settings = Settings {
            address,
            known_hosts: file("known_hosts").ok_or_else(|| denied("names no `known_hosts`"))?,
            identity_file: file("identity_file"),
            passphrase: remote.secret("passphrase").cloned(),
            agent: remote.flag("agent"),
            password: remote.secret("password").cloned(),
            connect_timeout: remote.duration("connect_timeout").unwrap_or(CONNECT).min(limits.timeout),
            limits: limits.clone(),
        };
        if settings.identity_file.is_none() && !settings.agent && settings.password.is_none() {
            return Err(denied("gives no way to log in: `identity_file`, `agent = true` or `password`"));
        }
        Ok(Self { settings, state: Mutex::default(), known: Mutex::default() })
    }

    /// The connection, made anew unless one holds; and true if it was made just now.
    fn connection(&self) -> Result<(Arc<Connection>, bool), Unverifiable> {
        let asked = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = state.connection.as_ref().filter(|connection| !connection.is_lost()) {
            return Ok((Arc::clone(connection), false));
        }
        // Who waited while another tried has the same answer; and a refusal is not asked for twice: it could lock an account.
        if let Some((when, why)) = &state.failed
            && (*when >= asked || why.obstacle == Obstacle::SourceDenied)
        {
            return Err(why.clone());
        }
        match Connection::open(&self.settings) {
            Ok(connection) => {
                let connection = Arc::new(connection);
                state.connection = Some(Arc::clone(&connection));
                state.failed = None;
                Ok((connection, true))
            }
            Err(why) => {
                state.failed = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    /// Does something on a channel. A connection that others used before may have been closed meanwhile: then it is done
    /// once more, on a new one.
    fn on_channel<T>(&self, act: impl Fn(Lease) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let until = Instant::now() + self.settings.limits.timeout;
        loop {
            let (connection, is_new) = self.connection().map_err(Trouble::Lost)?;
            let done = connection.lease(until, &self.settings.address.name).and_then(&act);
            match done {
                Err(Trouble::Lost(why)) => {
                    connection.lose();
                    if is_new || why.obstacle == Obstacle::Timeout || Instant::now() >= until {
                        return Err(Trouble::Lost(why));
                    }
                }
                done => return done,
            }
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store's folder as the server names it.
    ///
    /// # Errors
    /// When it is not there, or no folder: then nothing was observed.
    fn root(&self, server: &Server<'_>) -> Result<Vec<u8>, Trouble> {
        let address = &self.settings.address;
        let missing = |what: &str| {
            let details = format!("{} {what}, so nothing could be read", address.name);
            Trouble::Here(Unverifiable::new(Obstacle::SourceUnavailable, details))
        };
        let known = self.known().root.clone();
        let root = match known {
            Some(root) => root,
            None => match server.absolute(&address.path) {
                Ok(root) if root.starts_with(b"/") => root,
                Ok(_) => return Err(missing("is at no absolute path, as the server sees it")),
                Err(Trouble::Missing) => return Err(missing("is not there")),
                Err(trouble) => return Err(trouble),
            },
        };
        match server.followed(&root) {
            Ok(Attributes { kind: Some(Kind::Folder), .. }) => {}
            Ok(_) => return Err(missing("is no folder")),
            Err(Trouble::Missing) => return Err(missing("is not there")),
            Err(trouble) => return Err(trouble),
        }
        let root: Vec<u8> = match root.iter().rposition(|&byte| byte != b'/') {
            Some(last) => root.into_iter().take(last + 1).collect(),
            None => b"/".to_vec(),
        };
        self.known().root = Some(root.clone());
        Ok(root)
    }

    /// The real path of a file, and its attributes; `None` if no file has that path.
    fn find(&self, server: &Server<'_>, path: &str) -> Result<Option<(Vec<u8>, Attributes)>, Trouble> {
        let root = self.root(server)?;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (odd, known) = {
            let known = self.known();
            (known.odd.get(path).cloned(), known.folders.get(folder).cloned())
        };
        if let Some(real) = odd {
            return match server.attributes(&real) {
                Ok(attributes) => Ok(Some((real, attributes)).filter(|found| found.1.kind == Some(Kind::File))),
                Err(Trouble::Missing) => Ok(None),
                Err(trouble) => Err(trouble),
            };
        }
        let place = match &known {
            Some(real) => walk::resolve(server, &root, real, name.as_bytes())?,
            None => walk::resolve(server, &root, &root, path.as_bytes())?,
        };
        Ok(match place {
            Place::Inside(real, attributes) if attributes.kind == Some(Kind::File) => Some((real, attributes)),
            _ => None,
        })
    }
}

impl Store for SftpStore {
    fn name(&self) -> &str {
        &self.settings.address.name
    }

    fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    fn list(&self, below: &str) -> Result<Listing, Unverifiable> {
        let name = self.name();
        let until = Instant::now() + self.settings.limits.timeout;
        let walked = self.on_channel(|lease| {
            let server = Server { sftp: lease.sftp() };
            let root = self.root(&server)?;
            walk::walk(&server, &root, below, &Bounds { limits: &self.settings.limits, until, name })
        });
        let walked = walked.map_err(|trouble| trouble.about(name))?;
        let mut known = self.known();
        let is_below = |path: &String| {
            below.is_empty() || path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        known.folders.retain(|path, _| !is_below(path));
        known.odd.retain(|path, _| !is_below(path));
        known.folders.extend(walked.folders);
        known.odd.extend(walked.odd);
        Ok(walked.listing)
    }

    fn stat(&self, path: &str) -> Result<Option<StoredFile>, Unverifiable> {
        let locator = format!("{}{path}", self.name());
        let found = self.on_channel(|lease| self.find(&Server { sftp: lease.sftp() }, path));
        let found = found.map_err(|trouble| trouble.about(&locator))?;
        let Some((_, attributes)) = found else { return Ok(None) };
        let Some(size) = attributes.size else {
            let details = format!("{locator} cannot be looked at: the server does not say how large it is");
            return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
        };
        let modified =
            attributes.modified.and_then(|seconds| Timestamp::from_second(i64::try_from(seconds).ok()?).ok());
        Ok(Some(StoredFile { path: path.to_owned(), locator, size, modified, version: None }))
    }

    fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable> {
        let opened = self.on_channel(|lease| {
            let (real, _) = self.find(&Server { sftp: lease.sftp() }, &file.path)?.ok_or(Trouble::Missing)?;
            Reading::open(lease, &real, &file.locator)
        });
        Ok(Box::new(opened.map_err(|trouble| trouble.about(&file.locator))?))
    }
}
