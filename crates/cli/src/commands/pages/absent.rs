//! A build without pages: says which feature has them.

use std::path::PathBuf;

use candor::check::feature::missing_feature;
use candor::inner::engine;
use candor::inner::report::comparison::Comparison;
use candor::inner::report::model::Stored;

#[derive(Default)]
#[expect(dead_code, reason = "what a page would show")]
pub(crate) struct Behind<'a> {
    pub(crate) sandbox: Option<&'a PathBuf>,
    pub(crate) task: Option<&'a engine::Task>,
    pub(crate) command: Option<String>,
}

fn missing<T>() -> Result<T, String> {
    Err(missing_feature("write pages", "html"))
}

pub(crate) fn are_built() -> Result<(), String> {
    missing()
}

pub(crate) fn command(_: &str, _: &[(&str, Option<&PathBuf>)]) -> String {
    String::new()
}

pub(crate) fn task_run(_: &engine::TaskRun, _: Behind<'_>) -> Result<Vec<u8>, String> {
    missing()
}

pub(crate) fn benchmark_run(_: &engine::BenchmarkRun, _: &[engine::Entry]) -> Result<Vec<u8>, String> {
    missing()
}

pub(crate) fn stored(_: &Stored, _: usize, _: Behind<'_>) -> Result<Vec<u8>, String> {
    missing()
}

pub(crate) fn comparison(_: &Comparison<'_>, _: (&str, &str)) -> Result<Vec<u8>, String> {
    missing()
}
