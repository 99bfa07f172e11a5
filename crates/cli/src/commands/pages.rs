//! Pages for a browser, with what lies behind a result: the files of the sandbox, the task's assertions, the command.

use std::fs;
use std::path::{Component, Path, PathBuf};

use candor_engine as engine;
use candor_report::comparison::Comparison;
use candor_report::model::{BenchmarkRun, Stored, TaskRun};
use candor_report::page::{self, Context, Filter, Ground};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The largest file of a sandbox that is read for a page.
const LARGEST: u64 = 64 << 20;

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

#[expect(clippy::unnecessary_wraps, reason = "a build without pages refuses here")]
pub(crate) fn benchmark_run(run: &engine::BenchmarkRun) -> Result<Vec<u8>, String> {
    Ok(page::benchmark_run(&BenchmarkRun::from(run), &Filter::default(), &Context::default()).into_bytes())
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
