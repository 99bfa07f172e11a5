//! The benchmark file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_check::{PartType, Sandbox};
use candor_json::Value;

use crate::document::{Document, FileError};
use crate::members::{Members, kind};
use crate::task::Task;

/// Many tasks, each with the sandbox it is run against, or with the world in which an agent begins.
#[derive(Debug)]
pub struct Benchmark {
    /// Its id.
    pub id: String,
    /// Its entries, in the order of the file.
    pub entries: Vec<Entry>,
}

/// A task of a benchmark. Entries of the same task are several runs of it, unless they have ids of their own. Entries
/// that name the same sandbox share it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The entry's own id, or the task's.
    pub id: String,
    /// The task.
    pub task: Arc<Task>,
    /// The ground truth it left behind. Of an entry with a world and without a sandbox, the world: the work of an agent that
    /// does nothing.
    pub sandbox: Sandbox,
    /// The folder that an agent finds when it begins, if the entry names one.
    pub world: Option<PathBuf>,
}

impl Benchmark {
    /// Reads a benchmark file with all its tasks and sandbox descriptions.
    ///
    /// # Errors
    /// Everything that is wrong with any of them, each with its file and place.
    pub fn read(file: &Path, parts: &[PartType]) -> Result<Self, Vec<FileError>> {
        let mut entries = Vec::new();
        let id = Self::read_each(file, parts, |entry| entries.push(entry))?;
        Ok(Self { id, entries })
    }

    /// Reads a benchmark file entry by entry, gives each to `each`, and returns the benchmark's id. For a caller that does
    /// not keep all tasks in memory.
    ///
    /// # Errors
    /// As [`Benchmark::read`]. By then `each` was given the entries that are right.
    pub fn read_each(file: &Path, parts: &[PartType], each: impl FnMut(Entry)) -> Result<String, Vec<FileError>> {
        let document = Document::read(file).map_err(|e| vec![e])?;
        let mut errors = Vec::new();
        match parse(&document, parts, &mut errors, each) {
            Some(id) if errors.is_empty() => Ok(id),
            _ => Err(errors),
        }
    }

    /// The state from before the work, of entries whose sandbox names none. Entries that shared a sandbox still do.
    pub fn set_baseline(&mut self, before: &Sandbox) {
        let mut changed: Vec<(Sandbox, Sandbox)> = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.sandbox.baseline().is_none()) {
            let known = changed.iter().find(|(was, _)| was.is_same(&entry.sandbox)).map(|(_, with)| with.clone());
            let with = known.unwrap_or_else(|| entry.sandbox.with_baseline(before.clone()));
            changed.push((std::mem::replace(&mut entry.sandbox, with.clone()), with));
        }
    }

    /// Keeps one of several parts of the benchmark, for machines that each run one of them. Part `part` of `parts` has every
    /// `parts`-th task from the task `part` on, counted from 1. Several runs of one task stay together, so that the criterion
    /// runs of all parts score as those of the whole benchmark do.
    pub fn keep_part(&mut self, part: usize, parts: usize) {
        let mut ordinals: HashMap<String, usize> = HashMap::new();
        self.entries.retain(|entry| {
            let next = ordinals.len();
            let ordinal = *ordinals.entry(entry.id.clone()).or_insert(next);
            ordinal % parts.max(1) + 1 == part
        });
    }
}

fn parse(
    document: &Document,
    parts: &[PartType],
    errors: &mut Vec<FileError>,
    each: impl FnMut(Entry),
) -> Option<String> {
    let members = Members::of(document, &[], document.value(), "the benchmark", &["id", "tasks"], errors)?;
    let id = members.required_text("id", "the benchmark", errors);
    let tasks = match members.get("tasks") {
        None | Some(Value::Null) => &Vec::new(),
        Some(Value::Array(tasks)) => tasks,
        Some(other) => {
            errors.push(members.error("tasks", format!("`tasks` is {}; expected a list", kind(other))));
            return None;
        }
    };
    let base = document.file().parent().unwrap_or(Path::new(""));
    let (mut opened, mut files): (_, HashMap<String, PathBuf>) = (HashMap::new(), HashMap::new());
    let entry = |(index, value): (usize, _)| {
        let entry = entry(document, parts, base, index, value, &mut opened, errors)?;
        let (id, file) = (&entry.id, entry.task.file());
        let first = files.entry(id.clone()).or_insert_with(|| file.to_owned());
        if first.as_path() != file && first.canonicalize().ok() != file.canonicalize().ok() {
            let (first, file) = (first.display(), file.display());
            let what = format!("the task files {first} and {file} have the same id `{id}`; give one another id");
            errors.push(document.error(&["tasks", &index.to_string()], what));
        }
        Some(entry)
    };
    tasks.iter().enumerate().filter_map(entry).for_each(each);
    id
}

fn entry(
    document: &Document,
    parts: &[PartType],
    base: &Path,
    index: usize,
    value: &Value,
    opened: &mut HashMap<PathBuf, Sandbox>,
    errors: &mut Vec<FileError>,
) -> Option<Entry> {
    let position = index.to_string();
    let what = format!("entry {}", index + 1);
    let steps = ["tasks", position.as_str()];
    let members = Members::of(document, &steps, value, &what, &["task", "sandbox", "world", "id"], errors)?;
    let own_id = members.text("id", errors);
    let task_file = members.required_text("task", &what, errors);
    let world = members.get("world").and_then(|_| members.required_text("world", &what, errors));
    let sandbox = match world {
        Some(_) => members.text("sandbox", errors),
        None if members.get("sandbox").is_none() => {
            errors.push(members.error("", format!("{what} has no `sandbox`, and no `world` for an agent")));
            None
        }
        None => members.required_text("sandbox", &what, errors),
    };
    let task = task_file.and_then(|name| Task::read(&base.join(name)).map_err(|e| errors.extend(e)).ok());
    let mut open = |member: &str, name: &str| {
        let path = base.join(name);
        if member == "world" && path.is_file() {
            let found = format!("the world `{name}` is a file; expected the folder that the agent finds");
            errors.push(members.error(member, found));
            return None;
        }
        if let Some(sandbox) = opened.get(&path) {
            return Some(sandbox.clone());
        }
        Sandbox::open(&path, parts)
            .inspect(|sandbox| drop(opened.insert(path, sandbox.clone())))
            .map_err(|e| {
                let named: PathBuf = e.path.clone();
                match e.position {
                    Some(_) => errors.push(FileError { file: named, position: e.position, message: e.message }),
                    None => errors.push(members.error(member, format!("the {member} `{name}`: {}", e.message))),
                }
            })
            .ok()
    };
    let sandbox = sandbox.map(|name| open("sandbox", &name));
    let before = world.as_ref().map(|name| open("world", name));
    let world = world.map(|name| base.join(name));
    let sandbox = match (sandbox, before) {
        (Some(left), None) => left?,
        (None, before) => before??,
        (Some(left), Some(before)) => match (left?, before?) {
            (left, before) if left.baseline().is_none() => left.with_baseline(before),
            (left, _) => left,
        },
    };
    let task = task?;
    Some(Entry { id: own_id.unwrap_or_else(|| task.id.clone()), task: Arc::new(task), sandbox, world })
}
