//! `candor explain`: X12, HL7 v2 and FHIR files as trees, a call's turns, or a code of results, for people.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use candor::check::explain::{Explained, Form};
#[cfg(not(all(feature = "hl7", feature = "fhir")))]
use candor::check::feature::missing_feature;
#[cfg(feature = "fhir")]
use candor::inner::fhir_resource_state::explain::explain as fhir;
#[cfg(feature = "hl7")]
use candor::inner::hl7_structural::explain::explain as hl7v2;
use candor::inner::report::{Format, is_steering, plain_json};
use candor::validate::Standard;

use crate::args::ExplainArgs;
use crate::exit::Outcome;
use crate::input::open;
use crate::output::{Folding, OutputArgs};

/// Runs it: 0 where everything was read and agrees, 1 where something could not be read or the envelope disagrees.
pub(crate) fn run(args: &ExplainArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let form = if output.format_to_read() == Format::Json { Form::Json } else { Form::Text };
    let mut sink: Box<dyn Write> = match &output.out {
        Some(file) => {
            Box::new(File::create(file).map_err(|e| format!("{}: it cannot be written: {e}", file.display()))?)
        }
        None if form == Form::Text && output.on_terminal() => {
            Box::new(Folding::new(io::stdout().lock(), output.style()))
        }
        None => Box::new(io::stdout().lock()),
    };
    // A file of that name is what was meant.
    if let Some(code) = args.file.to_str().filter(|_| !args.voice && !args.file.exists())
        && let Some(explained) = super::codes::explained(code, form == Form::Text)
    {
        let written = sink.write_all(explained.as_bytes()).and_then(|()| sink.flush());
        written.map_err(|e| format!("the text cannot be written: {e}"))?;
        return Ok(Outcome::Pass);
    }
    if let Some(code) = args.file.to_str().filter(|_| !args.file.exists())
        && let Some(near) = super::codes::nearest(code)
    {
        return Err(format!("{code}: there is neither such a file nor such a code; did you mean `{near}`?"));
    }
    if args.voice {
        return super::explain_voice::run(&args.file, args.phrase.as_deref(), form == Form::Text, &mut sink);
    }
    let mut out = Plain { out: io::BufWriter::new(&mut sink), form };
    let name = args.file.display().to_string();
    let (done, record) = match Source::open(&args.file, &name)? {
        Source::X12(input) => (x12(input, form, &mut out), "X12 interchange"),
        Source::Hl7v2(bytes) => (hl7v2(&bytes, form, &mut out), "HL7 v2 message"),
        Source::Fhir(bytes) => (fhir(&bytes, form, &mut out), "FHIR resource"),
    };
    let explained = match done.and_then(|explained| out.flush().map(|()| explained)) {
        // Who reads may stop reading.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Outcome::Pass),
        Err(error) => return Err(format!("{name}: {error}")),
        Ok(explained) => explained,
    };
    if !explained.any {
        return Err(format!("{name}: there is no {record} in it"));
    }
    Ok(if explained.findings == 0 { Outcome::Pass } else { Outcome::Findings })
}

/// A file by its format: X12 is read while it is explained, the others are read before.
enum Source {
    X12(Box<dyn Read>),
    Hl7v2(Vec<u8>),
    Fhir(Vec<u8>),
}

/// The most bytes that tell the format of a file.
const HEAD: u64 = 64 << 10;
/// The most bytes of a file that is read before it is explained.
const MOST_BYTES: u64 = 256 << 20;

impl Source {
    fn open(file: &Path, name: &str) -> Result<Self, String> {
        let mut input = open(file)?;
        let head = bytes(&mut input, HEAD, name)?;
        let unknown = || {
            format!(
                "{name}: it is not in a format that explain reads: X12, HL7 v2, FHIR as JSON; a transcript of a call \
                 needs --voice"
            )
        };
        let standard = Standard::of(name, &head).ok_or_else(unknown)?;
        let mut all = io::Cursor::new(head).chain(input);
        if standard == Standard::X12 {
            return Ok(Self::X12(Box::new(all)));
        }
        let bytes = bytes(&mut all, MOST_BYTES + 1, name)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("{name}: it is larger than {} MiB", MOST_BYTES >> 20));
        }
        let names_type = || bytes.windows(RESOURCE_TYPE.len()).any(|part| part == RESOURCE_TYPE);
        match standard {
            Standard::Hl7v2 => Ok(Self::Hl7v2(bytes)),
            // Other JSON, such as a transcript.
            _ if !names_type() => Err(unknown()),
            _ => Ok(Self::Fhir(bytes)),
        }
    }
}

/// The member that every FHIR resource has.
const RESOURCE_TYPE: &[u8] = b"resourceType";

fn bytes(input: &mut impl Read, most: u64, name: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    input.take(most).read_to_end(&mut bytes).map_err(|error| format!("{name}: it cannot be read: {error}"))?;
    Ok(bytes)
}

fn x12(input: impl Read, form: Form, out: &mut impl Write) -> io::Result<Explained> {
    let form = match form {
        Form::Text => candor_x12_guides::explain::Form::Text,
        Form::Json => candor_x12_guides::explain::Form::Json,
    };
    let explained = candor_x12_guides::explain::explain(input, form, out)?;
    Ok(Explained { any: explained.any, findings: explained.findings })
}

#[cfg(not(feature = "hl7"))]
fn hl7v2(_: &[u8], _: Form, _: &mut impl Write) -> io::Result<Explained> {
    Err(io::Error::other(missing_feature("explain HL7 v2 messages", "hl7")))
}

#[cfg(not(feature = "fhir"))]
fn fhir(_: &[u8], _: Form, _: &mut impl Write) -> io::Result<Explained> {
    Err(io::Error::other(missing_feature("explain FHIR resources", "fhir")))
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
