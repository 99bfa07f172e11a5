//! `candor doctor`.

use candor_verification::confine::{found, offer};

use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(output: &OutputArgs) -> Result<Outcome, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    offer(vec![program.into(), "confine".into()], None);
    let found = found();
    let mut lines: Vec<String> = found
        .modes
        .iter()
        .map(|(mode, offered)| match offered {
            Ok(()) => format!("✓ {}", mode.name()),
            Err(why) => format!("✗ {}: {why}", mode.name()),
        })
        .collect();
    lines.push(match &found.overlay {
        None => "✓ overlay".to_owned(),
        Some(why) => format!("✗ overlay: {why}"),
    });
    if found.best().is_some() {
        lines.push(match &found.keyrings {
            None => "✓ keyrings".to_owned(),
            Some(why) => format!("✗ keyrings: {why}"),
        });
    }
    lines.push(match found.best() {
        Some(mode) => format!("The boundary of `candor loop` is held by {}.", mode.name()),
        None => "There is no boundary here: `candor loop` needs --no-isolation.".to_owned(),
    });
    output.write(format!("{}\n", lines.join("\n")).as_bytes())?;
    Ok(if found.best().is_some() { Outcome::Pass } else { Outcome::Findings })
}
