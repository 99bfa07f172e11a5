//! `candor explain --voice`: the turns of a call, each beside the two forms in which phrases are compared.

use std::io::{self, Read, Write};
use std::path::Path;

use candor::inner::report::is_steering;
use candor::inner::report::json::document;
use candor::inner::voice_transcript::explain::{self, ExplainedTurn};
use candor::inner::voice_transcript::transcript::{Extension, MAX_BYTES, Transcript};
use serde_json::json;

use crate::exit::Outcome;
use crate::output::printable;

/// Runs it: 0 where the transcript was read, 1 where it cannot be.
pub(super) fn run(file: &Path, as_text: bool, out: &mut dyn Write) -> Result<Outcome, String> {
    let named = |problem: &dyn std::fmt::Display| format!("{}: {problem}", file.display());
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    crate::input::open(file)?.take(most).read_to_end(&mut bytes).map_err(|error| named(&error))?;
    let call = match Transcript::read(&bytes, Extension::of(&file.to_string_lossy())) {
        Ok(call) => call,
        Err(error) => {
            let text = if as_text {
                format!("! {}\n", printable(&error.to_string())).into_bytes()
            } else {
                document(&json!({"fault": error.to_string()}))
            };
            return written(out.write_all(&text)).map(|()| Outcome::Findings).map_err(|error| named(&error));
        }
    };
    let mut out = io::BufWriter::new(out);
    written(turns(&call, as_text, &mut out).and_then(|()| out.flush())).map_err(|error| named(&error))?;
    Ok(Outcome::Pass)
}

/// Who reads may stop reading.
fn written(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

fn turns(call: &Transcript, as_text: bool, out: &mut impl Write) -> io::Result<()> {
    let turns = explain::turns(call);
    if !as_text {
        return out.write_all(&document(&turns));
    }
    let clean = |text: &str| text.replace(is_steering, " ");
    for ExplainedTurn { turn, speaker, text, normalized, meant, .. } in &turns {
        writeln!(out, "{turn:>4}  {:<10}  {}", clean(speaker), clean(text))?;
        writeln!(out, "                  {}", clean(normalized))?;
        if meant != normalized {
            writeln!(out, "                  = {}", clean(meant))?;
        }
    }
    Ok(())
}
