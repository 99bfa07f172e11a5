//! `candor capture`.

use std::fmt::Write as _;

use candor::check::Sandbox;
use candor::check::sandbox::Captured;
use candor::inner::report::{Format, json, plain};

use super::{end, or_interrupt, runtime};
use crate::args::CaptureArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &CaptureArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let format = output.format();
    let sandbox = Sandbox::open(&args.sandbox, candor::inner::checks::PARTS).map_err(|e| e.to_string())?;
    let runtime = runtime()?;
    let named = (!args.part.is_empty()).then_some(args.part.as_slice());
    let done = runtime.block_on(or_interrupt(candor_state::capture(&sandbox, &args.into, named)));
    runtime.shutdown_background();
    let Some(captured) = done else { return Ok(end(sandbox.work())) };
    let captured = captured.map_err(|error| error.to_string())?;
    let rendered = match format {
        Format::Json => json::document(&captured),
        Format::Ndjson => json::line(&captured),
        _ => told(&captured).into_bytes(),
    };
    output.write_as(format, &rendered)?;
    let whole = captured.parts.values().all(|part| part.gaps.is_empty());
    Ok(if whole { Outcome::Pass } else { Outcome::Inconclusive })
}

fn told(captured: &Captured) -> String {
    let mut text = String::new();
    for (name, part) in &captured.parts {
        let total: u64 = part.records.values().sum();
        let each: Vec<String> = part
            .records
            .iter()
            .filter(|(collection, _)| !collection.is_empty())
            .map(|(collection, count)| format!("{collection} {count}"))
            .collect();
        let each = if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) };
        let noun = if total == 1 { "record" } else { "records" };
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{name}: {total} {noun} from {}", plain(&format!("{}{each}", part.from)));
        for gap in &part.gaps {
            let _ = writeln!(text, "  not captured: {}", plain(&format!("{}: {}", gap.place, gap.what)));
        }
    }
    if captured.parts.is_empty() {
        text.push_str("The sandbox has no part to capture.\n");
    }
    text
}
