//! Conformance vectors: language-neutral JSON, one file a topic. `conformance/vector.schema.json` describes them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_json::Value;
use serde::{Deserialize, Deserializer};

use crate::server::{Served, Server};

/// A file of vectors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    /// The check they are for.
    pub check: String,
    /// The subject of the vectors.
    pub topic: String,
    /// The meaning of each flag.
    pub notes: BTreeMap<String, String>,
    /// The vectors.
    pub vectors: Vec<Vector>,
}

/// A case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Unique within the check.
    pub id: String,
    /// The point of the case, in a sentence.
    pub comment: String,
    /// The classes that the case belongs to; the file's `notes` explain each flag.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The sandbox: paths to contents. A path that ends in `/` is an empty folder.
    pub files: BTreeMap<String, FileSpec>,
    /// The responses of a server, by path. If there are any, `${server}` in a text of `files` is its URL.
    #[serde(default)]
    pub serves: BTreeMap<String, Served>,
    /// The assertion.
    pub assertion: Value,
    /// The expected outcome.
    pub expected: Expected,
}

/// The content of one file of a sandbox.
pub enum FileSpec {
    /// Bytes, and the time of the last modification where it matters.
    Content(Vec<u8>, Option<SystemTime>),
    /// Bytes to which others are added while the assertion is run.
    Growing {
        /// The content at first.
        bytes: Vec<u8>,
        /// The bytes that are added.
        more: Vec<u8>,
        /// How long after the run began.
        after: Duration,
    },
    /// A copy of a file of `fixtures/`.
    Fixture(String),
    /// A SQLite database that these statements make.
    Sqlite(String),
    /// A symbolic link.
    Link(String),
    /// An empty folder.
    Folder,
}

/// The expected outcome of a case. Members that are not given are not compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// `passed`, `failed` or `unverifiable`.
    pub status: String,
    /// The reason; null on a pass.
    pub reason: Option<String>,
    /// The score without `partial_credit`: 1 of a pass, else 0.
    pub score: Option<candor_json::Number>,
    /// The share of results that passed, to fifteen digits. Where only the score is given, the share is the same.
    pub share: Option<candor_json::Number>,
    /// Texts that `details` must hold.
    #[serde(default)]
    pub details: Vec<String>,
    /// A part of the evidence: of an object the members given, of an array all elements in order.
    pub evidence: Option<Value>,
}

impl<'de> Deserialize<'de> for FileSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        file_spec(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl FileSpec {
    /// Makes the SQLite database that the statements describe.
    ///
    /// # Panics
    /// When the statements are wrong.
    pub(crate) fn write_database(&self, vector: &str, path: &Path) {
        let Self::Sqlite(statements) = self else { return };
        let database = rusqlite::Connection::open(path).unwrap();
        // The test does not need the file after a loss of power.
        database.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;").unwrap();
        database.execute_batch(statements).unwrap_or_else(|e| panic!("{vector}: {}: {e}", path.display()));
        database.close().unwrap_or_else(|(_, e)| panic!("{vector}: {}: {e}", path.display()));
    }
}

fn file_spec(value: Value) -> Result<FileSpec, String> {
    let members = match value {
        Value::Null => return Ok(FileSpec::Folder),
        Value::String(text) => return Ok(FileSpec::Content(text.into_bytes(), None)),
        Value::Object(members) => members,
        other => return Err(format!("{other} is not a file: write a text, null for a folder, or an object")),
    };
    let mut text = BTreeMap::new();
    let mut times = 1;
    let mut grows = None;
    for (name, value) in members {
        match (name.as_str(), value) {
            ("text" | "base64" | "fixture" | "sqlite" | "link" | "modified", Value::String(value)) => {
                text.insert(name, value);
            }
            ("grows", Value::Object(value)) => {
                let more = value.get("text").and_then(Value::as_str).ok_or("`grows` has a `text`")?;
                let after = value.get("after_ms").and_then(Value::as_u64).ok_or("`grows` has an `after_ms`")?;
                grows = Some((more.as_bytes().to_vec(), Duration::from_millis(after)));
            }
            ("times", Value::Number(value)) => {
                times = value.as_u64().and_then(|n| usize::try_from(n).ok()).ok_or("`times` is no count")?;
            }
            (_, value) => return Err(format!("a file has no member `{name}`: {value}")),
        }
    }
    let modified = match text.remove("modified") {
        Some(at) => Some(SystemTime::from(at.parse::<jiff::Timestamp>().map_err(|e| e.to_string())?)),
        None => None,
    };
    let mut entries = text.into_iter();
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        return Err("a file has exactly one of text, base64, fixture, sqlite, link".to_owned());
    };
    if let Some((more, after)) = grows {
        return match (name.as_str(), modified) {
            ("text", None) => Ok(FileSpec::Growing { bytes: value.into_bytes(), more, after }),
            _ => Err("what `grows` has a `text`, and no `modified`".to_owned()),
        };
    }
    Ok(match name.as_str() {
        "text" => FileSpec::Content(value.repeat(times).into_bytes(), modified),
        "base64" => {
            FileSpec::Content(BASE64_STANDARD.decode(value).map_err(|e| e.to_string())?.repeat(times), modified)
        }
        "fixture" => FileSpec::Fixture(value),
        "sqlite" => FileSpec::Sqlite(value),
        _ => FileSpec::Link(value),
    })
}

/// Every vector of a folder, with the file that contains it.
///
/// # Panics
/// When a file is not a vector file, an id occurs twice, or a flag is not explained.
#[must_use]
pub fn read_vectors(folder: &Path) -> Vec<(PathBuf, Vector)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let check = folder.file_name().unwrap().to_string_lossy().into_owned();
    let mut ids = std::collections::HashSet::new();
    let mut vectors = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let file: VectorFile = candor_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(file.check, check, "{} is in the folder of another check", path.display());
        assert!(!file.topic.is_empty(), "{} has no topic", path.display());
        for vector in file.vectors {
            assert!(ids.insert(vector.id.clone()), "{}: the id {} occurs twice", path.display(), vector.id);
            for flag in &vector.flags {
                assert!(file.notes.contains_key(flag), "{}: no note explains the flag {flag}", path.display());
            }
            vectors.push((path.clone(), vector));
        }
    }
    vectors
}

/// The project's fixtures.
#[must_use]
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

impl Vector {
    pub(crate) fn serve(&self) -> Option<Server> {
        (!self.serves.is_empty()).then(|| Server::start(self.serves.clone()))
    }

    /// Writes the sandbox into a folder.
    ///
    /// # Panics
    /// When a file cannot be written.
    pub fn write_sandbox(&self, root: &Path) {
        self.write_served(root, None);
    }

    /// As [`Vector::write_sandbox`], with the URL of its server in the place of `${server}`.
    pub(crate) fn write_served(&self, root: &Path, server: Option<&Server>) {
        for (name, spec) in &self.files {
            let path = root.join(name);
            if let FileSpec::Folder = spec {
                assert!(name.ends_with('/'), "{}: an empty folder's name ends in /: {name}", self.id);
                fs::create_dir_all(&path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match spec {
                FileSpec::Content(bytes, modified) => {
                    match server.zip(std::str::from_utf8(bytes).ok()) {
                        Some((server, text)) => fs::write(&path, text.replace("${server}", &server.url())).unwrap(),
                        None => fs::write(&path, bytes).unwrap(),
                    }
                    if let Some(time) = modified {
                        fs::File::options().append(true).open(&path).unwrap().set_modified(*time).unwrap();
                    }
                }
                FileSpec::Growing { bytes, .. } => fs::write(&path, bytes).unwrap(),
                FileSpec::Fixture(name) => {
                    let from = fixtures().join(name);
                    fs::copy(&from, &path).unwrap_or_else(|e| panic!("{}: {}: {e}", self.id, from.display()));
                }
                FileSpec::Sqlite(_) => spec.write_database(&self.id, &path),
                FileSpec::Link(target) => link(target, &path),
                FileSpec::Folder => {}
            }
        }
    }
}

impl Vector {
    /// Adds to the growing files, each in its own time, while the caller goes on with the sandbox.
    ///
    /// # Panics
    /// When a file cannot be written.
    #[must_use]
    pub fn grow(&self, root: &Path) -> Vec<JoinHandle<()>> {
        let growing = self.files.iter().filter_map(|(name, spec)| match spec {
            FileSpec::Growing { more, after, .. } => Some((root.join(name), more.clone(), *after)),
            _ => None,
        });
        let later = |(path, more, after): (PathBuf, Vec<u8>, Duration)| {
            std::thread::spawn(move || {
                std::thread::sleep(after);
                fs::File::options().append(true).open(&path).unwrap().write_all(&more).unwrap();
            })
        };
        growing.map(later).collect()
    }
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(windows)]
fn link(target: &str, path: &Path) {
    std::os::windows::fs::symlink_file(target, path).unwrap();
}
