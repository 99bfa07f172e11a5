//! The entries of a benchmark that an agent is run over. A task is read again when it is run, so that memory does not grow
//! with their number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candor_engine::{Benchmark, Engine, Entry, invalid};
use candor_verification::TaskLoop;
use sha2::{Digest as _, Sha256};

use super::world;
use crate::commands::listed;

/// A task and its world.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) task: PathBuf,
    pub(super) world: PathBuf,
    /// The bytes of the world.
    pub(super) bytes: u64,
}

/// The entries of a benchmark, every one ready to be run.
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
        let read = Benchmark::read_each(file, candor_checks::PARTS, |entry| {
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
    /// The digests and sizes of worlds.
    worlds: HashMap<PathBuf, (String, u64)>,
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
        let is_part = |name: &&str| candor_checks::PARTS.iter().any(|part| name.split('/').next() == Some(part.name()));
        if let Some(name) = settings.grant.iter().map(String::as_str).find(|name| !is_part(name)) {
            let known: Vec<&str> = candor_checks::PARTS.iter().map(|part| part.name()).collect();
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
        let (of_world, bytes) = match self.worlds.get(world) {
            Some(known) => known.clone(),
            None => self.worlds.entry(world.clone()).or_insert(world::digest(world)?).clone(),
        };
        let text = std::fs::read(task.file());
        let text = text.map_err(|error| format!("{}: it cannot be read: {error}", task.file().display()))?;
        digest.update(format!("{id:?} {of_world} "));
        digest.update(Sha256::digest(&text));
        let base = task.file().parent().unwrap_or(Path::new(""));
        let script = settings.script.iter().map(|script| &script.file);
        for path in script.chain(&settings.hooks).chain(&settings.overlay) {
            digest.update(world::digest(&base.join(path))?.0);
        }
        for (name, document) in self.engine.companions(task) {
            digest.update(format!("{name:?} {:?} ", document.map(|document| document.value().to_string())));
        }
        let commands = settings.test_suite.iter().map(|suite| &suite.command).chain(&settings.evaluator);
        let named = commands.flat_map(|command| &command.0).filter(|word| Path::new(word).components().count() > 1);
        for path in named.map(|word| base.join(word)).filter(|path| path.is_file()) {
            digest.update(world::digest(&path)?.0);
        }
        Ok(Row { id: id.clone(), task: task.file().to_owned(), world: world.clone(), bytes })
    }
}
