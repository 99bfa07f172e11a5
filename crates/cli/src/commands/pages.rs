//! Pages for a browser, with what lies behind a result: the files of the sandbox, the task's assertions, the command.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use candor::check::{PartType, Sandbox};
use candor::inner::engine;
use candor::inner::report::comparison::Comparison;
use candor::inner::report::model::{BenchmarkRun, CriterionRun, Stored, TaskRun};
use candor::inner::report::page::{self, Context, Filter, Ground};
use candor_json::Value;
use sha2::{Digest, Sha256};

/// The largest file of a sandbox that is read for a page, and for a page with many sandboxes.
const LARGEST: u64 = 64 << 20;
const LARGEST_OF_MANY: u64 = 4 << 20;

#[derive(Default)]
pub(crate) struct Behind<'a> {
    pub(crate) sandbox: Option<&'a PathBuf>,
    pub(crate) task: Option<&'a engine::Task>,
    pub(crate) command: Option<String>,
}

impl Ground for Behind<'_> {
    /// A file of the sandbox folder, when it still is what the result was made from.
    fn source(&self, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        let (sandbox, sha256) = (self.sandbox?, sha256?);
        let folder = if sandbox.is_dir() { sandbox.as_path() } else { sandbox.parent()? };
        let relative = Path::new(locator);
        if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
            return None;
        }
        let file = folder.join(relative).canonicalize().ok()?;
        let is_within = file.starts_with(folder.canonicalize().ok()?);
        let size = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?.len();
        let bytes = (is_within && size <= LARGEST).then(|| fs::read(&file).ok())??;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        (digest == sha256).then_some(bytes)
    }

    fn assertion(&self, criterion_id: &str) -> Option<Value> {
        let criterion = self.task?.criteria.iter().find(|criterion| criterion.id == criterion_id)?;
        Some(criterion.assertion.clone())
    }

    fn command(&self) -> Option<String> {
        self.command.clone()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a build without pages refuses here")]
pub(crate) fn are_built() -> Result<(), String> {
    Ok(())
}

pub(crate) fn command(name: &str, words: &[(&str, Option<&PathBuf>)]) -> String {
    let mut out = format!("candor {name}");
    for (option, path) in words {
        if let Some(path) = path {
            let path = path.display().to_string();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
            let quoted = match !path.is_empty() && path.chars().all(is_plain) {
                true => path,
                false => format!("'{}'", path.replace('\'', "'\\''")),
            };
            out += &if option.is_empty() { format!(" {quoted}") } else { format!(" {option} {quoted}") };
        }
    }
    out
}

#[expect(clippy::unnecessary_wraps, reason = "a build without pages refuses here")]
pub(crate) fn task_run(run: &engine::TaskRun, behind: Behind<'_>) -> Result<Vec<u8>, String> {
    let context = Context { ground: &behind, ..Context::default() };
    Ok(page::task_run(&TaskRun::from(run), &context).into_bytes())
}

/// The sandboxes of a benchmark by task run.
struct Sandboxes<'a>(HashMap<&'a str, &'a Sandbox>);

impl Ground for Sandboxes<'_> {
    fn source(&self, _: &str, _: Option<&str>) -> Option<Vec<u8>> {
        None
    }

    fn source_of(&self, run: &CriterionRun, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        let sandbox = self.0.get(run.task_run_id.as_deref()?)?;
        let (part, path) = locator.split_once('/')?;
        let part = sandbox.parts().iter().map(PartType::name).find(|name| *name == part)?;
        let folder = sandbox.folder(part)?;
        let file = folder.entry(path).ok()??;
        let found = (file.size <= LARGEST_OF_MANY).then(|| folder.read(&file).ok())??;
        (Some(found.sha256()) == sha256).then_some(found.bytes)
    }

    fn assertion(&self, _: &str) -> Option<Value> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// The page of a benchmark, with what the sandboxes of `entries` hold; without entries it shows no sources.
#[expect(clippy::unnecessary_wraps, reason = "a build without pages refuses here")]
pub(crate) fn benchmark_run(run: &engine::BenchmarkRun, entries: &[engine::Entry]) -> Result<Vec<u8>, String> {
    let of = run.task_runs.iter().map(|task| task.id.as_str()).zip(entries.iter().map(|entry| &entry.sandbox));
    let sandboxes = Sandboxes(of.collect());
    let context = Context { ground: &sandboxes, ..Context::default() };
    Ok(page::benchmark_run(&BenchmarkRun::from(run), &Filter::default(), &context).into_bytes())
}

/// The page of a stored result; `number` is the page of a benchmark run.
#[expect(clippy::unnecessary_wraps, reason = "a build without pages refuses here")]
pub(crate) fn stored(result: &Stored, number: usize, behind: Behind<'_>) -> Result<Vec<u8>, String> {
    let context = Context { ground: &behind, ..Context::default() };
    let filter = Filter { page: number, ..Filter::default() };
    let page = match result {
        Stored::Task(run) => page::task_run(run, &context),
        Stored::Benchmark(run) => page::benchmark_run(run, &filter, &context),
        Stored::Audit(audit) => page::audit(audit, &context),
        Stored::Difference(difference) => page::difference(difference, &context),
        Stored::Loop(record) => page::loop_record(record, &context),
        Stored::Validation(read) => page::validation(read, &context),
    };
    Ok(page.into_bytes())
}

#[expect(clippy::unnecessary_wraps, reason = "a build without pages refuses here")]
pub(crate) fn comparison(compared: &Comparison<'_>, names: (&str, &str)) -> Result<Vec<u8>, String> {
    Ok(page::comparison(compared, names, &Context::default()).into_bytes())
}
