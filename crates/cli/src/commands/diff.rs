//! `candor diff`.

use candor_check::Sandbox;
use candor_report::model::Stored;
use candor_report::{Format, stored_result};

use super::{end, or_interrupt, runtime};
use crate::args::DiffArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &DiffArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let open = |path: &std::path::Path| Sandbox::open(path, candor_checks::PARTS).map_err(|e| e.to_string());
    let (before, after) = (open(&args.before)?, open(&args.after)?);
    let before = before.with_work(after.work().clone());
    let runtime = runtime()?;
    let named = (!args.part.is_empty()).then_some(args.part.as_slice());
    let done = runtime.block_on(or_interrupt(candor_state::diff(&before, &after, named)));
    runtime.shutdown_background();
    let Some(diff) = done else { return Ok(end(after.work())) };
    let diff = diff?;
    let rendered = match output.format_to_read() {
        Format::Text => diff.told(),
        Format::Json => format!("{:#}\n", diff.to_value()),
        Format::Ndjson => format!("{}\n", diff.to_value()),
        format => {
            let stored = Stored::of(diff.to_value()).map_err(|error| error.to_string())?;
            let rendered = stored_result(&stored, format, output.style())?;
            String::from_utf8(rendered).map_err(|error| error.to_string())?
        }
    };
    output.write(rendered.as_bytes())?;
    Ok(match (diff.unread.is_empty(), diff.differences.is_empty()) {
        (false, _) => Outcome::Inconclusive,
        (true, true) => Outcome::Pass,
        (true, false) => Outcome::Findings,
    })
}
