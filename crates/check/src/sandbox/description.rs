//! The makeup of a sandbox: its tables, its limits, where its parts are. Reads `sandbox.toml` as far as it is the same for
//! every part; each part reads its own table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::{Table, Value};

use super::Sandbox;
use super::captured::{CAPTURE, Captured};
use super::environment::Environment;
use super::folder::{Base, Folder};
use super::guard::WorkspaceGuard;
use super::limits::{Limits, duration, size};
use super::memory::{Memory, MemoryFile, Overlay, Root, in_sandbox};
use super::part::{PartSettings, PartType};
use super::section::{Section, SectionError};
use crate::settings::nearest;

const FILE: &str = "sandbox.toml";
pub(super) const EVENTS: &str = "events.ndjson";
const LIMITS: &str = "limits";
/// The key at the top that says what the sandbox is.
const ENVIRONMENT: &str = "environment";
/// The key at the top that names the sandbox from before the work.
const BASELINE: &str = "baseline";

/// A fault of a sandbox's description.
#[derive(Debug)]
pub struct SandboxError {
    /// The folder or file; [`SandboxError::MEMORY`] for a sandbox in memory.
    pub path: PathBuf,
    /// Line and column, 1-based, if there is one.
    pub position: Option<(usize, usize)>,
    /// A sentence: what was found, what was expected, what to do.
    pub message: String,
}

impl SandboxError {
    /// The name in messages of the settings of a sandbox in memory.
    pub const MEMORY: &str = "sandbox.toml (in memory)";
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

#[derive(Clone)]
pub(super) struct Description {
    pub(super) root: Root,
    own: Option<PathBuf>,
    pub(super) limits: Limits,
    pub(super) environment: Environment,
    tables: BTreeMap<String, Table>,
    settings: BTreeMap<&'static str, PartSettings>,
    /// Files in the place of those of the parts, by part, then by their paths in the part's folder.
    over: BTreeMap<String, Arc<Overlay>>,
    /// Folders of this machine in the place of those of the parts: copies that only their makers write to.
    handed_in: BTreeMap<&'static str, PathBuf>,
    pub(super) baseline: Option<Sandbox>,
    pub(super) guard: Arc<WorkspaceGuard>,
    pub(super) parts: Arc<[PartType]>,
    /// Its own description where it was captured.
    pub(super) captured: Option<Arc<Captured>>,
}

impl Description {
    /// Reads the sandbox at a path: a folder, or a file that describes one.
    pub(super) fn read(path: &Path, parts: &[PartType]) -> Result<Self, SandboxError> {
        Self::read_at(path, parts, true)
    }

    fn read_at(path: &Path, parts: &[PartType], with_baseline: bool) -> Result<Self, SandboxError> {
        let problem = |message: String| SandboxError { path: path.to_owned(), position: None, message };
        let unread = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => problem("there is no such folder or file".to_owned()),
            _ => problem(format!("no sandbox can be read here: {error}")),
        };
        let metadata = std::fs::metadata(path).map_err(unread)?;
        // Named from a folder that was removed: nothing in it can be listed.
        if let Some(error) = path.canonicalize().err().filter(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Err(unread(error));
        }
        let (root, file) = match path.extension() {
            _ if metadata.is_dir() => (path, path.join(FILE)),
            Some(extension) if extension == "toml" => (path.parent().unwrap_or(Path::new("")), path.to_owned()),
            _ => return Err(problem("a sandbox is a folder or a .toml file".to_owned())),
        };
        let wrong = |message: String| SandboxError { path: file.clone(), position: None, message };
        let text = bytes_of(&file).map_err(wrong)?.unwrap_or_default();
        let text = String::from_utf8(text).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
        let described = Self::described(Root::Disk(root.to_owned()), &text, parts, with_baseline);
        let mut description = described.map_err(|error| match error.path == Path::new(SandboxError::MEMORY) {
            true => SandboxError { path: file.clone(), ..error },
            false => error,
        })?;
        description.own = Some(path.to_owned());
        Ok(description)
    }

    /// A sandbox in memory, with the text of its `sandbox.toml`.
    pub(super) fn in_memory(memory: Memory, text: &str, parts: &[PartType]) -> Result<Self, SandboxError> {
        Self::described(Root::Memory(Arc::new(memory)), text, parts, true)
    }

    fn described(root: Root, text: &str, parts: &[PartType], with_baseline: bool) -> Result<Self, SandboxError> {
        let problem = |position, message: String| SandboxError { path: SandboxError::MEMORY.into(), position, message };
        let placed = |key: &str, message| problem(find_key(text, key), message);
        let table = text.parse::<Table>().map_err(|e| {
            let position = e.span().map(|span| line_and_column(text, span.start));
            problem(position, format!("it is not TOML: {}", e.message()))
        })?;
        let mut description = Self {
            root,
            own: None,
            limits: Limits::default(),
            environment: Environment::default(),
            tables: BTreeMap::new(),
            settings: BTreeMap::new(),
            over: BTreeMap::new(),
            handed_in: BTreeMap::new(),
            baseline: None,
            guard: Arc::default(),
            parts: parts.into(),
            captured: None,
        };
        description.captured =
            description.read_captured().map_err(|(path, message)| SandboxError { path, position: None, message })?;
        for (name, value) in table {
            if name == BASELINE {
                if with_baseline {
                    let before = description.open_baseline(&value, parts);
                    description.baseline = Some(before.map_err(|message| placed(&name, message))?);
                }
                continue;
            }
            if name == ENVIRONMENT {
                description.environment = Environment::read(&value).map_err(|message| placed(&name, message))?;
                continue;
            }
            let known = name == LIMITS || parts.iter().any(|part| part.name() == name);
            match value {
                Value::Table(settings) if known => {
                    description.tables.insert(name, settings);
                }
                _ if known => return Err(placed(&name, format!("`{name}` is not a table; write [{name}]"))),
                _ => {
                    let known: Vec<&str> = parts.iter().map(PartType::name).chain([LIMITS]).collect();
                    if let Some(near) = nearest(&name, &[ENVIRONMENT, BASELINE]) {
                        return Err(placed(&name, format!("unknown key `{name}`; did you mean `{near}`?")));
                    }
                    let near = nearest(&name, &known).map(|n| format!("; did you mean [{n}]?"));
                    let expected = format!("; expected one of {}", known.join(", "));
                    return Err(placed(&name, format!("unknown table `{name}`{}", near.unwrap_or(expected))));
                }
            }
        }
        if let Some(settings) = description.tables.get(LIMITS) {
            description.limits =
                limits(settings).map_err(|(key, message)| placed(&key, format!("[{LIMITS}] {message}")))?;
        }
        for part in parts {
            let wrong = |error: SectionError| {
                placed(
                    if error.key.is_empty() { part.name() } else { &error.key },
                    format!("[{}] {error}", part.name()),
                )
            };
            let settings = part.settings(&description.section(part.name())).map_err(wrong)?;
            description.settings.insert(part.name(), settings);
        }
        Ok(description)
    }

    fn read_captured(&self) -> Result<Option<Arc<Captured>>, (PathBuf, String)> {
        let (path, text) = match &self.root {
            Root::Disk(root) => {
                let path = root.join(CAPTURE);
                match bytes_of(&path) {
                    Ok(Some(text)) => (path, text),
                    Ok(None) => return Ok(None),
                    Err(message) => return Err((path, message)),
                }
            }
            Root::Memory(memory) => match memory.files.get(CAPTURE) {
                Some(file) => (CAPTURE.into(), file.bytes.to_vec()),
                None => return Ok(None),
            },
        };
        Captured::read(&text).map(|captured| captured.map(Arc::new)).map_err(|message| (path, message))
    }

    fn open_baseline(&self, value: &Value, parts: &[PartType]) -> Result<Sandbox, String> {
        let Value::String(path) = value else {
            return Err(format!("`{BASELINE}` is {value}; expected the path of a sandbox, as in \"before/\""));
        };
        if let Root::Memory(memory) = &self.root
            && let Some(below) = in_sandbox(path).filter(|below| !below.is_empty() && self.root.is_folder(below))
        {
            let memory = memory.sandbox_in(&below);
            let text = memory.files.get(FILE).map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
            let described = Self::described(Root::Memory(Arc::new(memory)), &text.unwrap_or_default(), parts, false);
            return described.map(Sandbox::of).map_err(|error| format!("`{BASELINE}`: {error}"));
        }
        let path = self.root.path().unwrap_or(Path::new("")).join(path);
        // No one asks for a baseline of a baseline, and two that name each other would never end.
        Self::read_at(&path, parts, false).map(Sandbox::of).map_err(|error| format!("`{BASELINE}`: {error}"))
    }

    /// The text of `sandbox.toml` for a copy of what the parts hold.
    pub(super) fn kept_settings(&self) -> String {
        let mut kept = Table::new();
        if !self.environment.is_test() {
            kept.insert(ENVIRONMENT.to_owned(), Value::String("production".to_owned()));
        }
        if let Some(limits) = self.tables.get(LIMITS) {
            kept.insert(LIMITS.to_owned(), Value::Table(limits.clone()));
        }
        for part in self.parts.iter() {
            let Some(table) = self.tables.get(part.name()) else { continue };
            let of_part: Table = part
                .kept()
                .iter()
                .filter_map(|key| Some(((*key).to_owned(), self.placed_on_disk(table.get(*key)?))))
                .collect();
            if !of_part.is_empty() {
                kept.insert(part.name().to_owned(), Value::Table(of_part));
            }
        }
        kept.to_string()
    }

    fn placed_on_disk(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.root.path().map(|root| root.join(text)).filter(|path| path.is_file()) {
                Some(path) => {
                    let path = std::fs::canonicalize(&path).unwrap_or(path);
                    Value::String(path.to_string_lossy().into_owned())
                }
                None => value.clone(),
            },
            Value::Table(table) => {
                Value::Table(table.iter().map(|(key, value)| (key.clone(), self.placed_on_disk(value))).collect())
            }
            other => other.clone(),
        }
    }

    pub(super) fn section(&self, part: &str) -> Section {
        Section::new(part, self.tables.get(part), &self.root, &self.limits)
    }

    /// The part's settings; `None` for a part that this sandbox was not opened with.
    pub(super) fn settings(&self, part: &str) -> Option<&PartSettings> {
        self.settings.get(part)
    }

    /// Lays a file over what the sandbox holds, or takes one away, by its locator: the part's name, `/`, its path in the part's
    /// folder.
    pub(super) fn lay_over(&mut self, part: &str, path: &str, file: Option<MemoryFile>) {
        let files = self.over.entry(part.to_owned()).or_default();
        Arc::make_mut(files).insert(path.to_owned(), file);
    }

    pub(super) fn events_in_memory(&self) -> Option<&MemoryFile> {
        match (self.over.get(EVENTS).and_then(|files| files.get("")), &self.root) {
            (Some(laid_over), _) => laid_over.as_ref(),
            (None, Root::Disk(_)) => None,
            (None, Root::Memory(memory)) => memory.files.get(EVENTS),
        }
    }

    pub(super) fn has_no_events(&self) -> bool {
        self.over.get(EVENTS).is_some_and(|files| matches!(files.get(""), Some(None)))
    }

    /// Returns `true` if a file was laid over a part that is read from elsewhere than from files.
    pub(super) fn is_overlaid_server(&self, part: &str) -> bool {
        self.over.contains_key(part) && self.section(part).leads_elsewhere()
    }

    pub(super) fn hand_in(&mut self, part: &'static str, folder: PathBuf) {
        self.handed_in.insert(part, folder);
    }

    pub(super) fn folder(&self, part: &'static str) -> Option<Folder> {
        let over = self.over.get(part).cloned().unwrap_or_default();
        let base = match self.base(part) {
            Base::Nothing if over.is_empty() => return None,
            base => base,
        };
        let is_own = !self.handed_in.contains_key(part);
        let captured = self.captured.clone().filter(|_| is_own);
        Some(Folder::new(part, base, over, self.limits.clone()).with_captured(captured))
    }

    pub(super) fn misspelt(&self, part: &str) -> Option<String> {
        const MOST: usize = 1000;
        let folders = std::fs::read_dir(self.root.path()?).ok()?.take(MOST).filter_map(Result::ok);
        let folders = folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let others: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| !self.settings.keys().any(|part| part == name)).collect();
        let same = others.iter().find(|name| name.eq_ignore_ascii_case(part));
        same.copied().or_else(|| nearest(part, &others)).map(str::to_owned)
    }

    fn base(&self, part: &str) -> Base {
        if let Some(folder) = self.handed_in.get(part) {
            return if folder.is_dir() { Base::Disk(folder.clone()) } else { Base::Nothing };
        }
        let section = self.section(part);
        if section.leads_elsewhere() {
            return Base::Nothing;
        }
        let path = section.folder_path().unwrap_or_else(|| part.to_owned());
        match &self.root {
            Root::Disk(root) => match root.join(&path) {
                folder if is_absent(&folder) => Base::Nothing,
                // A link that leads nowhere, or a file, is a part that cannot be read.
                folder => Base::Disk(folder),
            },
            memory if !memory.is_folder(&path) => Base::Nothing,
            Root::Memory(_) if Path::new(&path).is_absolute() => Base::Disk(path.into()),
            Root::Memory(memory) => Base::Memory(Arc::clone(memory), in_sandbox(&path).unwrap_or_default()),
        }
    }

    /// The folders and files of this machine that the parts are read from, and the description itself.
    pub(super) fn part_folders(&self) -> Vec<(&'static str, PathBuf)> {
        let parts = self.settings.keys().filter(|part| !self.handed_in.contains_key(**part));
        let folders = parts.filter_map(|part| match self.base(part) {
            Base::Disk(folder) => Some((*part, folder)),
            Base::Nothing | Base::Memory(..) => None,
        });
        folders.collect()
    }

    pub(super) fn part_places(&self) -> Vec<PathBuf> {
        let Some(root) = self.root.path() else { return Vec::new() };
        let sections = self.settings.keys().map(|part| self.section(part));
        let on_disk = sections.filter(|section| !section.leads_elsewhere());
        on_disk.map(|own| root.join(own.folder_path().unwrap_or_else(|| own.part().to_owned()))).collect()
    }

    pub(super) fn evidence_paths(&self) -> Vec<PathBuf> {
        let folders = self.part_folders().into_iter().map(|(_, folder)| folder);
        let events = self.root.path().map(|root| root.join(EVENTS));
        let named = self.settings.values().flat_map(|settings| settings.paths.iter().cloned());
        let before = self.baseline.iter().flat_map(Sandbox::evidence_paths);
        self.own.iter().cloned().chain(events).chain(folders).chain(named).chain(before).collect()
    }
}

/// The bytes of a file that describes a sandbox; `None` if nothing has its name.
///
/// # Errors
/// Why it cannot be read, as the end of a sentence.
fn bytes_of(file: &Path) -> Result<Option<Vec<u8>>, String> {
    match std::fs::metadata(file) {
        // A pipe is not waited for.
        Ok(there) if !there.is_file() => Err("it is not a regular file".to_owned()),
        Err(_) if is_absent(file) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err("it is a link that leads nowhere".to_owned()),
        _ => std::fs::read(file).map(Some).map_err(|error| format!("it cannot be read: {error}")),
    }
}

/// Returns `true` if nothing has this name, not even a link that leads nowhere.
pub(super) fn is_absent(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn limits(settings: &Table) -> Result<Limits, (String, String)> {
    let mut limits = Limits::default();
    for (key, value) in settings {
        let named = |message: String| (key.clone(), format!("`{key}`: {message}"));
        let text =
            || value.as_str().ok_or_else(|| named(format!("{value} is not a string; write \"30s\" or \"256MiB\"")));
        match key.as_str() {
            "timeout" => limits.timeout = duration(text()?).map_err(named)?,
            "max_bytes" => limits.max_bytes = size(text()?).map_err(named)?,
            "max_total_bytes" => limits.max_total_bytes = size(text()?).map_err(named)?,
            "max_evidence" => limits.max_evidence = size(text()?).map_err(named)?,
            "max_files" => {
                limits.max_files = value
                    .as_integer()
                    .and_then(|n| u64::try_from(n).ok())
                    .ok_or_else(|| named(format!("{value} is not a whole number of 0 or more")))?;
            }
            _ => {
                let near = nearest(key, Limits::KEYS);
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
