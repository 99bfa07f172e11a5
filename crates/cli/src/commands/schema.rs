//! `candor schema`.

use candor_check::feature::missing_feature;
use candor_check::settings::nearest;
use candor_verification::TaskLoop;
use serde_json::{Map, Value, json};

use crate::args::SchemaArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &SchemaArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let known: Vec<&str> = candor_checks::KNOWN.iter().map(|check| check.meta().assert).collect();
    let schema = match &args.assert {
        None => any_assertion(),
        // The settings of a loop, which a task may hold.
        Some(name) if name == "loop" => serde_json::from_str(TaskLoop::SCHEMA).map_err(|error| error.to_string())?,
        Some(name) => match candor_checks::KNOWN.iter().find(|check| check.meta().assert == name) {
            Some(check) => match check.missing_feature() {
                None => check.schema(),
                Some(feature) => return Err(missing_feature(&format!("check `{name}`"), feature)),
            },
            None => {
                let near = nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
                let expected = near.unwrap_or_else(|| format!("known are {}", known.join(", ")));
                return Err(format!("no check asserts `{name}`; {expected}"));
            }
        },
    };
    output.write(format!("{schema:#}\n").as_bytes())?;
    Ok(Outcome::Pass)
}

/// One schema for an assertion of any kind: each kind's own, embedded under its name.
fn any_assertion() -> Value {
    let schemas: Map<String, Value> =
        candor_checks::ALL.iter().map(|check| (check.meta().assert.to_owned(), check.schema())).collect();
    let references: Vec<Value> =
        schemas.values().filter_map(|schema| Some(json!({"$ref": schema.get("$id")?}))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "assertion",
        "description": "An assertion of any kind, told by its `assert` member.",
        "oneOf": references,
        "$defs": schemas,
    })
}
