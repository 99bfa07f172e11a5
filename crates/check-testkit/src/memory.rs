//! The same vectors without a folder: their files in memory, judged by the same code. `conformance/not-in-memory.txt` names
//! the vectors that cannot, each with its reason; a line that has become wrong fails. In small size, every third of the
//! others is judged so.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use candor_check::{CheckType, Evidence, PartType, Sandbox};
use regex::Regex;

use crate::once::run;
use crate::server::Server;
use crate::vector::{FileSpec, Vector, fixtures};

pub(crate) struct InMemory {
    check: CheckType,
    parts: Vec<PartType>,
    name: String,
    /// Vectors that cannot run in memory, with the reason.
    excluded: BTreeMap<String, String>,
    listed: usize,
    ran: usize,
    /// Those that only the full size runs.
    left_out: usize,
    wrong: Vec<String>,
}

impl InMemory {
    pub(crate) fn of(check: CheckType, parts: &[PartType], folder: &Path) -> Self {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(folder.join("../not-in-memory.txt")).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let excluded = lines.filter_map(|line| {
            let (vector, reason) = line.split_once(": ").unwrap_or_else(|| panic!("`{line}` has no reason"));
            let (check, id) = vector.split_once('/').unwrap_or_else(|| panic!("`{line}` names no check"));
            (check == name).then(|| (id.to_owned(), reason.to_owned()))
        });
        let excluded: BTreeMap<String, String> = excluded.collect();
        let listed = excluded.len();
        Self { check, parts: parts.to_vec(), listed, excluded, name, ran: 0, left_out: 0, wrong: Vec::new() }
    }

    pub(crate) fn compare(&mut self, vector: &Vector, in_folder: &Evidence, folder: &Path, server: Option<&Server>) {
        let excluded = self.excluded.remove(&vector.id);
        let every = candor_test_size::pick(3, 1);
        // Not those whose observations the contract stores in small size.
        let is_left_out = excluded.is_none() && (self.ran + self.left_out) % every != every / 2;
        let place = format!("{}/{}", self.name, vector.id);
        let evidence = match sandbox(vector, &self.parts, server) {
            Ok(_) if is_left_out => {
                self.left_out += 1;
                return;
            }
            Ok(sandbox) => run(self.check, vector.assertion.clone(), &sandbox),
            Err(why) if excluded.is_some() => return assert!(!why.is_empty()),
            Err(why) => return self.wrong.push(format!("{place}: {why}")),
        };
        let path = format!("{}/", folder.display());
        let shown = |evidence: &Evidence| {
            let value = evidence.to_value(self.check.meta().evidence_key);
            without_times(&format!("{:?}\n{}\n{value}", evidence.reason(), evidence.details()).replace(&path, ""))
        };
        let (memory, folder) = (shown(&evidence), shown(in_folder));
        match (memory == folder, excluded) {
            (true, None) => self.ran += 1,
            (true, Some(_)) => self.wrong.push(format!("{place}: runs in memory, and is in not-in-memory.txt")),
            (false, None) => self.wrong.push(format!("{place}: in memory\n{memory}\nin a folder\n{folder}")),
            (false, Some(_)) => {}
        }
    }

    /// Fails with every difference, and with lines of `not-in-memory.txt` that name no vector.
    pub(crate) fn finish(mut self, vectors: usize) {
        let unknown = self.excluded.keys().map(|id| format!("{}/{id}: no such vector", self.name));
        self.wrong.extend(unknown);
        assert!(self.wrong.is_empty(), "{} vectors in memory:\n{}", self.wrong.len(), self.wrong.join("\n"));
        let known = self.ran + self.left_out + self.listed;
        assert_eq!(known, vectors, "{}: not every vector ran in memory or is listed", self.name);
        println!("{} of {vectors} vectors in memory", self.ran);
    }
}

/// Evidence without what differs from run to run: when it was made, how long something took, when a file was written.
pub(crate) fn without_times(text: &str) -> String {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| {
        let times = r#"\d{4}-\d\d-\d\dT[\d:]+\.\d+Z|took \d+ ms|"took_ms":\d+|"path":"\$time".*?"actual":\d+"#;
        Regex::new(times).unwrap()
    });
    TIMES.replace_all(text, "[TIME]").into_owned()
}

/// The vector's sandbox in memory.
///
/// # Errors
/// Why it needs a folder.
fn sandbox(vector: &Vector, parts: &[PartType], server: Option<&Server>) -> Result<Sandbox, &'static str> {
    let mut builder = Sandbox::builder();
    for (name, spec) in &vector.files {
        let bytes = match spec {
            FileSpec::Link(_) => return Err("has a link"),
            FileSpec::Growing { .. } => return Err("has a file that grows"),
            FileSpec::Folder => {
                builder = builder.folder(name);
                continue;
            }
            FileSpec::Content(bytes, modified) => {
                let bytes = match server.zip(std::str::from_utf8(bytes).ok()) {
                    Some((server, text)) => text.replace("${server}", &server.url()).into_bytes(),
                    None => bytes.clone(),
                };
                if let (Some(modified), true) = (modified, name != "sandbox.toml") {
                    builder = builder.file_of(name, bytes, *modified);
                    continue;
                }
                bytes
            }
            FileSpec::Fixture(fixture) => fs::read(fixtures().join(fixture)).unwrap(),
            FileSpec::Sqlite(_) => {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("database");
                spec.write_database(&vector.id, &path);
                fs::read(path).unwrap()
            }
        };
        builder = match name.as_str() {
            "sandbox.toml" => {
                builder.settings(String::from_utf8(bytes).map_err(|_| "has settings that are not UTF-8")?)
            }
            name => builder.file(name, bytes),
        };
    }
    builder.build(parts).map_err(|error| panic!("{}: {error}", vector.id))
}
