//! `sandbox.toml`, and the layout of a folder that needs none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::decryption::{self, Decryption};
use super::judge::{self, JudgeServer};
use super::limits::{Limits, duration, size};
use super::paged::{self, PagedServer};
use super::remote::{self, Remote};
use super::server::{self, HttpServer};
use super::workspace::{self, Workspace};
use super::{Secret, on};
use crate::settings::nearest;

/// The parts of a sandbox.
pub const PARTS: &[&str] = &["fhir", "hl7", "portal", "files", "voice", "x12", workspace::PART];

/// The parts that can be read from a server over HTTP.
const SERVED: &[&str] = &["fhir"];

/// The parts that can be read from a server that gives out rows.
const PAGED: &[&str] = &["portal"];

/// The settings that may hold a secret, and then only through `${env:NAME}`.
const SECRETS: &[&str] = &["token", "password"];

/// What is wrong with a sandbox's description.
#[derive(Debug)]
pub struct SandboxError {
    /// The folder or file.
    pub path: PathBuf,
    /// Line and column, 1-based, where there is one.
    pub position: Option<(usize, usize)>,
    /// What was found, what was expected, what to do.
    pub message: String,
}

impl std::fmt::Display for SandboxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for SandboxError {}

/// Where each part is, and within which limits it is read.
#[derive(Clone)]
pub(super) struct Description {
    pub(super) root: PathBuf,
    /// The sandbox's folder, or the file that describes it.
    own: Option<PathBuf>,
    pub(super) limits: Limits,
    folders: BTreeMap<&'static str, PathBuf>,
    servers: BTreeMap<&'static str, HttpServer>,
    paged: BTreeMap<&'static str, PagedServer>,
    remotes: BTreeMap<&'static str, Remote>,
    decryptions: BTreeMap<&'static str, Decryption>,
    pub(super) judge: Option<JudgeServer>,
    pub(super) workspace: Option<Workspace>,
    /// The folder that stands in the workspace's place, a copy that nobody but its maker writes to.
    pub(super) handed_in: Option<PathBuf>,
}

impl Description {
    pub(super) fn read(path: &Path) -> Result<Self, SandboxError> {
        Ok(Self { own: Some(path.to_owned()), ..Self::read_parts(path)? })
    }

    fn read_parts(path: &Path) -> Result<Self, SandboxError> {
        let problem = |message: String| SandboxError { path: path.to_owned(), position: None, message };
        let metadata = std::fs::metadata(path).map_err(|e| problem(format!("no sandbox can be read here: {e}")))?;
        if metadata.is_dir() {
            let file = path.join("sandbox.toml");
            return match file.is_file() {
                true => Self::described(path, &file),
                false => Ok(Self::plain(path)),
            };
        }
        match path.extension() {
            Some(extension) if extension == "toml" => Self::described(path.parent().unwrap_or(Path::new("")), path),
            _ => Err(problem("a sandbox is a folder or a .toml file".to_owned())),
        }
    }

    fn described(root: &Path, file: &Path) -> Result<Self, SandboxError> {
        let problem = |position, message: String| SandboxError { path: file.to_owned(), position, message };
        let text = std::fs::read_to_string(file).map_err(|e| problem(None, format!("it cannot be read: {e}")))?;
        let table = text.parse::<Table>().map_err(|e| {
            let position = e.span().map(|span| line_and_column(&text, span.start));
            problem(position, format!("it is not TOML: {}", e.message()))
        })?;
        let placed = |key: &str, message| problem(find_key(&text, key), message);
        let mut description = Self::plain(root);
        for (name, value) in &table {
            let mut value = value.clone();
            if name == "voice" {
                let judge = judge::taken(root, &mut value);
                description.judge = judge.map_err(|(key, message)| placed(&key, format!("[voice] {message}")))?;
                if description.judge.is_some() && value.as_table().is_some_and(Table::is_empty) {
                    continue;
                }
            }
            if name == workspace::PART
                && let Value::Table(settings) = &value
            {
                let read = workspace::read(root, settings)
                    .map_err(|(key, message)| placed(&key, format!("[{name}] {message}")))?;
                description.workspace = Some(read.0);
                description.folders.extend(read.1.map(|folder| (workspace::PART, folder)));
                continue;
            }
            let known = PARTS.iter().find(|part| **part == name);
            match (known, &value) {
                (Some(part), Value::Table(settings)) if SERVED.contains(part) && server::is_server(settings) => {
                    let server = server::read(root, settings)
                        .map_err(|(key, message)| placed(&key, format!("[{part}] {message}")))?;
                    description.servers.insert(part, server);
                }
                (Some(part), Value::Table(settings)) if PAGED.contains(part) && server::is_server(settings) => {
                    let server = paged::read(root, settings)
                        .map_err(|(key, message)| placed(&key, format!("[{part}] {message}")))?;
                    description.paged.insert(part, server);
                }
                (Some(part), Value::Table(settings)) => {
                    let mut settings = settings.clone();
                    let decryption = decryption::take(root, part, &mut settings)
                        .map_err(|(key, message)| placed(&key, format!("[{part}] {message}")))?;
                    if let Some(decryption) = decryption {
                        description.decryptions.insert(part, decryption);
                        if settings.is_empty() {
                            // The files lie where they always do.
                            continue;
                        }
                    }
                    let settings = &settings;
                    if let Some(remote) = remote::read(root, part, settings) {
                        let remote = remote.map_err(|(key, message)| placed(&key, format!("[{part}] {message}")))?;
                        description.remotes.insert(part, remote);
                        continue;
                    }
                    let folder = part_folder(root, part, settings)
                        .map_err(|(key, message)| placed(key, format!("[{part}] {message}")))?;
                    description.folders.insert(part, folder);
                }
                (None, Value::Table(settings)) if name == "limits" => {
                    description.limits =
                        limits(settings).map_err(|(key, message)| placed(&key, format!("[limits] {message}")))?;
                }
                (None, _) if name != "limits" => {
                    let known: Vec<&str> = PARTS.iter().copied().chain(["limits"]).collect();
                    let near = nearest(name, &known).map(|n| format!("; did you mean [{n}]?"));
                    let expected = format!("; expected one of {}", known.join(", "));
                    return Err(placed(name, format!("unknown table `{name}`{}", near.unwrap_or(expected))));
                }
                _ => return Err(placed(name, format!("`{name}` is no table; write [{name}]"))),
            }
        }
        Ok(description)
    }

    /// A folder with the parts where they always are.
    fn plain(root: &Path) -> Self {
        let (folders, servers, remotes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (decryptions, paged) = (BTreeMap::new(), BTreeMap::new());
        Self {
            root: root.to_owned(),
            own: None,
            limits: Limits::default(),
            folders,
            servers,
            paged,
            remotes,
            decryptions,
            judge: None,
            workspace: None,
            handed_in: None,
        }
    }

    /// What the part's encrypted files are decrypted with.
    pub(super) fn decryption(&self, part: &str) -> Option<&Decryption> {
        self.decryptions.get(part)
    }

    /// The server that stands in the place of the part's folder.
    pub(super) fn server(&self, part: &str) -> Option<&HttpServer> {
        self.servers.get(part)
    }

    /// The server of rows that stands in the place of the part's folder.
    pub(super) fn paged(&self, part: &str) -> Option<&PagedServer> {
        self.paged.get(part)
    }

    /// The file server, bucket or database that stands in the place of the part's folder.
    pub(super) fn remote(&self, part: &str) -> Option<&Remote> {
        self.remotes.get(part)
    }

    /// The folders and files of this machine that the parts are read from, and the description itself.
    pub(super) fn evidence_paths(&self) -> Vec<PathBuf> {
        let is_read = |part: &&&str| self.handed_in.is_none() || **part != workspace::PART;
        let parts = PARTS.iter().filter(is_read).filter_map(|part| self.folder(part));
        let databases = self.remotes.values().filter_map(|remote| {
            let path = remote.url.strip_prefix("sqlite:")?;
            Some(on(&remote.root, path.strip_prefix("//").unwrap_or(path)))
        });
        self.own.iter().cloned().chain([self.root.join(super::events::FILE)]).chain(parts).chain(databases).collect()
    }

    /// The part's folder, when it is there.
    pub(super) fn folder(&self, part: &'static str) -> Option<PathBuf> {
        let elsewhere = self.servers.contains_key(part) || self.paged.contains_key(part);
        if elsewhere || self.remotes.contains_key(part) {
            return None;
        }
        if part == workspace::PART
            && let Some(folder) = &self.handed_in
        {
            return Some(folder.clone());
        }
        let folder = self.folders.get(part).cloned().unwrap_or_else(|| self.root.join(part));
        folder.is_dir().then_some(folder)
    }
}

fn part_folder<'a>(root: &Path, part: &str, settings: &'a Table) -> Result<PathBuf, (&'a str, String)> {
    let mut folder = None;
    for (key, value) in settings {
        let Some(text) = value.as_str() else {
            return Err((key, format!("`{key}` is {value}; expected a string")));
        };
        if SECRETS.contains(&key.as_str()) {
            secret(text).map_err(|message| (key.as_str(), format!("`{key}` {message}")))?;
        }
        match key.as_str() {
            "path" => folder = Some(on(root, text)),
            "url" => match text.strip_prefix("file://") {
                Some(path) => folder = Some(on(root, path)),
                None => {
                    return Err((key, no_such_url(part)));
                }
            },
            "token" | "table" | "identity_file" | "password" | "known_hosts" => {
                return Err((
                    key,
                    format!("`{key}` goes with a server, and this version reads folders only; leave it out"),
                ));
            }
            _ => {
                let near = nearest(key, &["path", "url", "token", "table", "identity_file", "password", "known_hosts"]);
                let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err((key, format!("unknown setting `{key}`{near}")));
            }
        }
    }
    match folder {
        Some(folder) if folder.is_dir() => Ok(folder),
        Some(folder) => Err(("path", format!("`path`: there is no folder {}", folder.display()))),
        None => Err((
            settings.keys().next().map_or("", String::as_str),
            "has no `path`; give a folder, as in path = \"captured/\"".to_owned(),
        )),
    }
}

/// What is said of a URL that no part of this kind is read from.
fn no_such_url(part: &str) -> String {
    let mut known = remote::examples(part);
    if SERVED.contains(&part) {
        known.push("https://…");
    }
    if PAGED.contains(&part) {
        known.push("https://…/{resource}");
    }
    match known.as_slice() {
        [] => format!(
            "`url`: servers and databases are not supported by this version; give a folder, as in path = \"{part}/\""
        ),
        known => format!("`url` is none that is read here; expected {}, file://… or a path", known.join(", ")),
    }
}

/// Reads a secret: `${env:NAME}` and nothing else, so that no secret is ever written into a file.
pub(super) fn secret(text: &str) -> Result<Secret, String> {
    let name = text
        .strip_prefix("${env:")
        .and_then(|rest| rest.strip_suffix('}'))
        .ok_or("is written out; a secret is given only as ${env:NAME}")?;
    std::env::var(name).map(Secret::new).map_err(|_| format!("names the environment variable {name}, which is not set"))
}

fn limits(settings: &Table) -> Result<Limits, (String, String)> {
    let mut limits = Limits::default();
    for (key, value) in settings {
        let named = |message: String| (key.clone(), format!("`{key}`: {message}"));
        let text = || value.as_str().ok_or_else(|| named(format!("{value} is no string; write \"30s\" or \"256MiB\"")));
        match key.as_str() {
            "timeout" => limits.timeout = duration(text()?).map_err(named)?,
            "max_bytes" => limits.max_bytes = size(text()?).map_err(named)?,
            "max_total_bytes" => limits.max_total_bytes = size(text()?).map_err(named)?,
            "max_files" => {
                limits.max_files = value
                    .as_integer()
                    .and_then(|n| u64::try_from(n).ok())
                    .ok_or_else(|| named(format!("{value} is no whole number of 0 or more")))?;
            }
            _ => {
                let near = nearest(key, &["timeout", "max_bytes", "max_total_bytes", "max_files"]);
                let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err((key.clone(), format!("unknown limit `{key}`{near}")));
            }
        }
    }
    Ok(limits)
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    (line, column)
}

/// The place of the first line that sets or opens `key`: near enough for a person to find it.
fn find_key(text: &str, key: &str) -> Option<(usize, usize)> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let named = start.trim_start_matches(['[', '"', '\'']).strip_prefix(key);
        if !key.is_empty() && named.is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '"', '\'', '.'])) {
            return Some(line_and_column(text, offset + line.len() - start.len()));
        }
        offset += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Result<Description, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("captured")).unwrap();
        std::fs::write(folder.path().join("sandbox.toml"), text).unwrap();
        Description::read(folder.path())
            .map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn a_described_folder_replaces_its_part() {
        let d = described("[hl7]\npath = \"captured/\"\n[limits]\ntimeout = \"2s\"\nmax_bytes = \"1KiB\"\n").unwrap();
        assert!(d.folders["hl7"].ends_with("captured/"));
        assert_eq!((d.limits.timeout.as_secs(), d.limits.max_bytes), (2, 1024));
    }

    #[test]
    fn a_judge_leaves_the_calls_where_they_are() {
        let judge = "judge = { url = \"https://judge.example.org/v1\", model = \"m\" }";
        let d = described(&format!("[voice]\n{judge}\n")).unwrap();
        assert!(d.judge.is_some() && d.folders.is_empty());
        let d = described(&format!("[voice]\npath = \"captured/\"\n{judge}\n")).unwrap();
        assert!(d.judge.is_some() && d.folders["voice"].ends_with("captured/"));
        let error = described(&format!("[hl7]\npath = \"captured/\"\n{judge}\n")).err().unwrap();
        assert!(error.contains("[hl7] `judge`"), "{error}");
    }

    #[test]
    fn a_workspace_is_read_where_it_is_or_handed_in() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["sandbox", "project", "copy"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let open = || crate::Sandbox::open(&at("sandbox")).unwrap();
        assert!(open().workspace().is_none() && open().folder("workspace").is_none());
        std::fs::write(at("sandbox/sandbox.toml"), "[workspace]\npath = \"../project\"\nenv = [\"A\"]\n").unwrap();
        let sandbox = open();
        assert_eq!(sandbox.workspace().unwrap().environment, ["A"]);
        let reads = |sandbox: &crate::Sandbox, name: &str| {
            let real = at(name).canonicalize().unwrap();
            sandbox.evidence_paths().iter().any(|path| path.canonicalize().is_ok_and(|path| path == real))
        };
        assert!(reads(&sandbox, "project"));
        std::fs::write(at("copy/a"), "").unwrap();
        let handed = sandbox.with_workspace(at("copy"));
        assert!(!reads(&handed, "project") && !reads(&handed, "copy") && reads(&handed, "sandbox"));
        assert_eq!(handed.folder("workspace").unwrap().list().unwrap().files.len(), 1);
        assert_eq!(handed.workspace().unwrap().environment, ["A"]);
        assert_eq!(sandbox.folder("workspace").unwrap().list().unwrap().files.len(), 0);
        let error = described("[workspace]\nendpont = \"x\"").err().unwrap();
        assert!(error.contains("sandbox.toml:2:1: [workspace] unknown setting `endpont`"), "{error}");
    }

    #[test]
    fn every_slip_is_named_with_its_place() {
        for (text, expected) in [
            ("[hl8]\n", "sandbox.toml:1:1: unknown table `hl8`; did you mean [hl7]?"),
            ("\n[hl7]\npaht = \"x\"\n", "sandbox.toml:3:1: [hl7] unknown setting `paht`; did you mean `path`?"),
            ("[hl7]\npath = \"nowhere\"", "[hl7] `path`: there is no folder"),
            ("[hl7]\n", "[hl7] has no `path`"),
            ("hl7 = 1", "sandbox.toml:1:1: `hl7` is no table; write [hl7]"),
            (
                "[hl7]\nurl = \"postgres://db.example.org\"",
                "sandbox.toml:2:1: [hl7] `url`: servers and databases are not supported",
            ),
            ("[fhir]\nurl = \"ftp://fhir.example.org\"", "sandbox.toml:2:1: [fhir] `url` is none that is read here"),
            ("\n[portal]\nurl = \"https://a.example/api\"", "sandbox.toml:3:1: [portal] `url` has no {resource}"),
            ("[portal]\nurl = \"ftp://a.example\"", "https://…/{resource}"),
            ("[files]\nurl = \"ftp://a.example\"", "expected sftp://user@host:22/drop, s3://"),
            ("[files]\nurl = \"sftp://u@a.example\"", "sandbox.toml:2:1: [files] has no `known_hosts`"),
            ("[files]\npgp_key_file = \"none\"", "sandbox.toml:2:1: [files] `pgp_key_file`: there is no file"),
            ("[files]\npgp_passphrase = \"x\"", "`pgp_passphrase` is written out; a secret is given only"),
            ("[files]\npgp_passphrase = \"${env:CARGO_PKG_NAME}\"", "opens a key; give `pgp_key_file`"),
            ("[files]\npgp_passphrase = [\"hunter2\"]", "`pgp_passphrase` is no string"),
            ("[hl7]\npgp_key_file = \"x\"", "unknown setting `pgp_key_file`"),
            ("[fhir]\nurl = \"https://a.example/?x\"", "sandbox.toml:2:1: [fhir] `url` has a query"),
            (
                "[fhir]\ntoken = \"abc\"",
                "sandbox.toml:2:1: [fhir] `token` is written out; a secret is given only as ${env:NAME}",
            ),
            (
                "[fhir]\ntoken = \"${env:CANDOR_TEST_NOT_SET}\"",
                "names the environment variable CANDOR_TEST_NOT_SET, which is not set",
            ),
            ("[limits]\ntimeout = 30", "sandbox.toml:2:1: [limits] `timeout`: 30 is no string"),
            ("[limits]\ntimeot = \"3s\"", "did you mean `timeout`?"),
            ("[limits", "sandbox.toml:1:"),
        ] {
            let error = described(text).err().unwrap();
            assert!(error.contains(expected), "{text}\n{error}\n{expected}");
        }
    }

    #[test]
    fn a_secret_never_prints() {
        let secret = Secret::new("hunter2".to_owned());
        assert!(!format!("{secret} {secret:?}").contains("hunter2"));
        assert_eq!(secret.reveal(), "hunter2");
        let error = described("[fhir]\ntoken = \"hunter2\"").err().unwrap();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
