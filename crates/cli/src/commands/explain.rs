//! `candor explain`: an X12 file as a tree of loops, a call's turns, or a code of results, for people.

use std::fs::File;
use std::io::{self, Write};

use candor_report::{Format, is_steering, plain_json};
use candor_x12_guides::explain::{Form, explain};

use crate::args::ExplainArgs;
use crate::exit::Outcome;
use crate::input::open;
use crate::output::OutputArgs;

/// Runs it: 0 where everything was read and agrees, 1 where something could not be read or the envelope disagrees.
pub(crate) fn run(args: &ExplainArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let form = match output.format_to_read() {
        Format::Text => Form::Text,
        Format::Json => Form::Json,
        _ => return Err("--format: expected text or json".to_owned()),
    };
    let mut sink: Box<dyn Write> = match &output.out {
        Some(file) => {
            Box::new(File::create(file).map_err(|e| format!("{}: it cannot be written: {e}", file.display()))?)
        }
        None => Box::new(io::stdout().lock()),
    };
    // A file of that name is what was meant.
    if let Some(code) = args.file.to_str().filter(|_| !args.voice && !args.file.exists())
        && let Some(explained) = super::codes::explained(code, form == Form::Text)
    {
        sink.write_all(explained.as_bytes()).map_err(|e| format!("the text cannot be written: {e}"))?;
        return Ok(Outcome::Pass);
    }
    if args.voice {
        return super::explain_voice::run(&args.file, form == Form::Text, &mut sink);
    }
    let mut out = Plain { out: io::BufWriter::new(&mut sink), form };
    let input = open(&args.file)?;
    let done = explain(input, form, &mut out).and_then(|explained| out.flush().map(|()| explained));
    let explained = match done {
        // Who reads may stop reading.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Outcome::Pass),
        Err(error) => return Err(format!("{}: {error}", args.file.display())),
        Ok(explained) => explained,
    };
    if !explained.any {
        return Err(format!("{}: there is no X12 interchange in it", args.file.display()));
    }
    Ok(if explained.findings == 0 { Outcome::Pass } else { Outcome::Findings })
}

/// Passes on what steers no terminal. What is written to it is whole characters each time.
struct Plain<W> {
    out: W,
    form: Form,
}

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        match (self.form, std::str::from_utf8(part)) {
            (Form::Text, Ok(text)) if text.contains(steers) => {
                self.out.write_all(text.replace(steers, "\u{fffd}").as_bytes())?;
            }
            (Form::Json, Ok(_)) => self.out.write_all(&plain_json(part.to_vec()))?,
            _ => self.out.write_all(part)?,
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn steers(c: char) -> bool {
    is_steering(c) && c != '\n'
}
