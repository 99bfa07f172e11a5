//! `candor schema`.

use candor::verification::TaskLoop;
use clap::Args as ClapArgs;
use serde_json::Value;

use crate::exit::Outcome;
use crate::output::OutputArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// The kind of assertion, as in `candor checks`; or task, benchmark, sandbox, result, loop
    pub assert: Option<String>,
}

pub(crate) fn run(args: &SchemaArgs, output: &OutputArgs) -> Result<Outcome, String> {
    // A schema as text is its JSON.
    output.write(format!("{:#}\n", of(args.assert.as_deref())?).as_bytes())?;
    Ok(Outcome::Pass)
}

/// The schema of an assertion, of all of them, of a file or of a result.
pub(crate) fn of(name: Option<&str>) -> Result<Value, String> {
    let read = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    match name {
        Some("loop") => read(TaskLoop::SCHEMA),
        Some("benchmark") => read(candor::inner::engine::BENCHMARK_SCHEMA),
        Some("sandbox") => read(candor::inner::checks::SANDBOX_SCHEMA),
        Some("result") => read(candor::inner::report::RESULT_SCHEMA),
        Some("task") => {
            let mut task = read(candor::inner::engine::TASK_SCHEMA)?;
            let mut assertion = candor::inner::checks::schema(None)?;
            if let Some(members) = assertion.as_object_mut() {
                members.remove("$schema");
            }
            if let Some(parts) = task.get_mut("$defs").and_then(Value::as_object_mut) {
                parts.insert("loop".to_owned(), read(TaskLoop::SCHEMA)?);
                parts.insert("assertion".to_owned(), assertion);
            }
            Ok(task)
        }
        assert => candor::inner::checks::schema(assert),
    }
}
