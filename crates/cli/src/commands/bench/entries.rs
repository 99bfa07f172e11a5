//! The entries of a benchmark that an agent is run over. A task is read again when it is run, so that memory does not grow
//! with their number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candor::inner::engine::{Benchmark, Engine, Entry, Task, invalid};
use candor::verification::TaskLoop;
use sha2::{Digest as _, Sha256};

use super::world::{self, By};
use crate::commands::listed;
use crate::commands::verify_loop::sha256;

pub(super) struct Row {
    pub(super) id: String,
    pub(super) task: PathBuf,
    pub(super) world: PathBuf,
    /// The bytes of its copy, and of the copy of what the agent may write in it, which is judged.
    pub(super) bytes: u64,
    /// The digest of what judges the work.
    judges: String,
    /// The digest of the world, by times.
    seen: String,
}

impl Row {
    /// Returns `true` if the task, what it names and the world are as they were when the benchmark began. Else its result
    /// would be one of another version.
    pub(super) async fn is_unchanged(&self, engine: &Engine) -> bool {
        let (engine, file, world) = (engine.clone(), self.task.clone(), self.world.clone());
        let now = move || {
            let task = Task::read(&file).ok()?;
            let judges = judges(&engine, &task, &TaskLoop::of(&task).ok()?).ok()?;
            Some((sha256(&judges), world::digest(&world, By::Time).ok()?.0))
        };
        let now = tokio::task::spawn_blocking(now).await.ok().flatten();
        now.is_some_and(|(judges, seen)| (judges, seen) == (self.judges.clone(), self.seen.clone()))
    }
}

pub(super) struct Entries {
    pub(super) benchmark_id: String,
    pub(super) rows: Vec<Row>,
    /// The digest of the ids, tasks and worlds, and of the files that tasks name.
    pub(super) digest: String,
}

impl Entries {
    /// Reads a benchmark file with its tasks and worlds. `keep_going` also takes tasks with criteria that are invalid.
    ///
    /// # Errors
    /// Everything that is wrong with an entry: a sentence each.
    pub(super) fn read(file: &Path, engine: &Engine, keep_going: bool) -> Result<Self, String> {
        let mut reading = Reading { file, engine, keep_going, ids: HashMap::new(), worlds: HashMap::new() };
        let (mut rows, mut wrong, mut digest, mut number) = (Vec::new(), Vec::new(), Sha256::new(), 0);
        let read = Benchmark::read_each(file, candor::inner::checks::PARTS, |entry| {
            number += 1;
            match reading.row(number, &entry, &mut digest) {
                Ok(row) => rows.push(row),
                Err(what) => wrong.push(what),
            }
        });
        let benchmark_id = read.map_err(|errors| listed(&errors))?;
        if !wrong.is_empty() {
            return Err(wrong.join("\n"));
        }
        if rows.is_empty() {
            return Err(format!("{}: there is no task in it", file.display()));
        }
        digest.update(&benchmark_id);
        let digest = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { benchmark_id, rows, digest })
    }
}

struct Reading<'a> {
    file: &'a Path,
    engine: &'a Engine,
    keep_going: bool,
    /// The number of the first entry of each id.
    ids: HashMap<String, usize>,
    /// The digests of worlds, by content and by times, and their bytes.
    worlds: HashMap<PathBuf, (String, String, u64)>,
}

impl Reading<'_> {
    fn row(&mut self, number: usize, entry: &Entry, digest: &mut Sha256) -> Result<Row, String> {
        let (file, id, task) = (self.file.display(), &entry.id, &entry.task);
        let Some(world) = &entry.world else {
            return Err(format!(
                "{file}: entry {number} (`{id}`) has no `world`; add `world: FOLDER`, the folder that the agent finds"
            ));
        };
        if let Some(first) = self.ids.insert(id.clone(), number) {
            return Err(format!(
                "{file}: entries {first} and {number} have the id `{id}`; give each an `id` of its own, by which its \
                 results are known"
            ));
        }
        if task.prompt.is_none() {
            return Err(format!(
                "{}: the task has no `prompt`, and the agent would not know what to do",
                task.file().display()
            ));
        }
        let settings = TaskLoop::of(task).map_err(|error| error.to_string())?;
        let looks = settings.script.is_some() || settings.test_suite.is_some() || settings.evaluator.is_some();
        if task.criteria.is_empty() && !looks {
            return Err(format!(
                "{}: the task has no criteria, and no script, test suite or evaluator looks at the work, so no work could \
                 pass; add criteria, or one of these",
                task.file().display()
            ));
        }
        let is_part =
            |name: &&str| candor::inner::checks::PARTS.iter().any(|part| name.split('/').next() == Some(part.name()));
        if let Some(name) = settings.grant.iter().map(String::as_str).find(|name| !is_part(name)) {
            let known: Vec<&str> = candor::inner::checks::PARTS.iter().map(|part| part.name()).collect();
            return Err(format!(
                "{}: `loop.grant` names `{name}`, which is not a part of a sandbox; expected one of {}",
                task.file().display(),
                known.join(", ")
            ));
        }
        // A folder made for the agent would say that nothing was in a part that was never recorded.
        let part = |name: &String| name.split('/').next().unwrap_or_default().to_owned();
        let gone = |name: &&String| part(name) != world::WORKSPACE && !world.join(part(name)).is_dir();
        if let Some(name) = settings.grant.iter().find(gone) {
            return Err(format!(
                "{}: `loop.grant` names `{name}`, and the world `{}` has no folder `{}`; make it, and leave it empty if \
                 nothing is in it",
                task.file().display(),
                world.display(),
                part(name),
            ));
        }
        let wrong = invalid(&self.engine.plan(task.clone()));
        if !self.keep_going && !wrong.is_empty() {
            return Err(format!("{}\nno work could pass; correct the task file, or add --keep-going", listed(&wrong)));
        }
        let (of_world, seen, bytes) = match self.worlds.get(world) {
            Some(known) => known.clone(),
            None => {
                // A change after this is seen at the end of a task run.
                let (seen, bytes) = world::digest(world, By::Time)?;
                let known = (world::digest(world, By::Content)?.0, seen, bytes);
                self.worlds.entry(world.clone()).or_insert(known).clone()
            }
        };
        let written = settings.grant.iter().map(String::as_str).chain([world::WORKSPACE]).map(|name| world.join(name));
        let judged =
            written.filter(|part| part.is_dir()).map(|part| world::digest(&part, By::Time).map(|(_, bytes)| bytes));
        let judged = judged.sum::<Result<u64, String>>()?;
        let judges = judges(self.engine, task, &settings)?;
        digest.update(format!("{id:?} {of_world} "));
        digest.update(&judges);
        let (task, world, judges) = (task.file().to_owned(), world.clone(), sha256(&judges));
        Ok(Row { id: id.clone(), task, world, bytes: bytes.saturating_add(judged), judges, seen })
    }
}

/// The digest of the files that judge the work of a task: its own, and those that it names.
fn judges(engine: &Engine, task: &Task, settings: &TaskLoop) -> Result<Vec<u8>, String> {
    let text = std::fs::read(task.file());
    let text = text.map_err(|error| format!("{}: it cannot be read: {error}", task.file().display()))?;
    let mut all = Sha256::digest(&text).to_vec();
    let base = task.file().parent().unwrap_or(Path::new(""));
    let script = settings.script.iter().map(|script| &script.file);
    for path in script.chain(&settings.hooks).chain(&settings.overlay) {
        all.extend(world::digest(&base.join(path), By::Followed)?.0.into_bytes());
    }
    for (name, document) in engine.companions(task) {
        let value = document.map(|document| document.value().to_string());
        all.extend(format!("{name:?} {value:?} ").into_bytes());
    }
    let commands = settings.test_suite.iter().map(|suite| &suite.command).chain(&settings.evaluator);
    let named = commands.flat_map(|command| &command.0).filter(|word| Path::new(word).components().count() > 1);
    for path in named.map(|word| base.join(word)).filter(|path| path.is_file()) {
        all.extend(world::digest(&path, By::Followed)?.0.into_bytes());
    }
    Ok(all)
}
