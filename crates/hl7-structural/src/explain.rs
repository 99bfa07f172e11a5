//! HL7 v2 messages explained: a tree of groups, segments and fields for people, a list of messages for programs.

mod shown;

use std::io::{self, Write};

use candor_check::explain::{Entries, Explained, Form};
use candor_hl7v2::{Enclosing, Ending, Messages, ParseError, Trailer, messages, messages_of_text};
use candor_json::json;

use crate::observe::wide;
use shown::ShownMessage;

/// Explains every message of a file: batches, MLLP frames and UTF-16 are read as the check reads them.
///
/// # Errors
/// When the output cannot be written.
///
/// ```
/// use candor_check::explain::Form;
/// use candor_hl7_structural::explain::explain;
///
/// let mut out = Vec::new();
/// let ack = b"MSH|^~\\&|LAB|H|EHR|C|20261120||ACK^A01|7|P|2.5.1\rMSA|AA|42\r";
/// let explained = explain(ack, Form::Text, &mut out)?;
/// assert_eq!((explained.any, explained.findings), (true, 0));
/// let text = String::from_utf8_lossy(&out);
/// assert!(text.starts_with("message 1: ACK^A01, control id 7, version 2.5.1, LAB (H) → EHR (C), 20261120\n"), "{text}");
/// assert!(text.contains("    MSA-2  Message Control ID: 42\n"), "{text}");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn explain(bytes: &[u8], form: Form, out: &mut impl Write) -> io::Result<Explained> {
    match wide(bytes) {
        Some(encoding) => {
            let (text, _) = encoding.decode_with_bom_removal(bytes);
            of_messages(messages_of_text(&text), form, out)
        }
        None => of_messages(messages(bytes), form, out),
    }
}

fn of_messages(mut reading: Messages<'_>, form: Form, out: &mut impl Write) -> io::Result<Explained> {
    let mut explaining =
        Explaining { entries: Entries::default(), as_text: form == Form::Text, findings: 0, messages: 0 };
    let mut any = false;
    while let Some(item) = reading.next() {
        any = true;
        let start = match &item {
            Ok(message) => message.span().start,
            Err(error) => error.span.start,
        };
        // The trailer that ends a message was read with it.
        let (before, after): (Vec<Trailer>, Vec<Trailer>) =
            reading.trailers().partition(|trailer| trailer.span.start < start);
        explaining.trailers(&before, out)?;
        match item {
            Ok(message) => {
                explaining.messages += 1;
                let shown = ShownMessage::of(explaining.messages, &message);
                if explaining.as_text {
                    shown.text(out)?;
                } else {
                    explaining.entries.add(&shown, out)?;
                }
            }
            Err(error) => explaining.fault(&error, out)?,
        }
        explaining.trailers(&after, out)?;
    }
    let last: Vec<Trailer> = reading.trailers().collect();
    any |= !last.is_empty();
    explaining.trailers(&last, out)?;
    explaining.ending(&reading.ending(), out)?;
    let Explaining { entries, as_text, findings, .. } = explaining;
    if !as_text {
        entries.end(out)?;
    }
    Ok(Explained { any: any || findings > 0, findings })
}

struct Explaining {
    entries: Entries,
    as_text: bool,
    findings: usize,
    messages: usize,
}

impl Explaining {
    fn trailers(&mut self, trailers: &[Trailer], out: &mut impl Write) -> io::Result<()> {
        for trailer in trailers {
            let (id, counted) = match trailer.encloses {
                Enclosing::Batch => ("BTS", "messages"),
                Enclosing::File => ("FTS", "batches"),
            };
            let is_right = trailer.is_right();
            self.findings += usize::from(!is_right);
            if !self.as_text {
                let entry = json!({
                    "trailer": id, "declared": trailer.declared, "found": trailer.found, "agrees": is_right,
                    "offset": trailer.span.start,
                });
                self.entries.add(&entry, out)?;
                continue;
            }
            let declared = candor_check::explain::on_one_line(trailer.declared.trim(), 40);
            let found = trailer.found.map(|found| found.to_string()).unwrap_or_default();
            match (declared.as_str(), found.as_str()) {
                _ if !is_right => {
                    let offset = trailer.span.start;
                    writeln!(out, "! {id}-1 is {declared}, expected {found}, the number of {counted} (byte {offset})")?;
                }
                ("", "") => writeln!(out, "{id}")?,
                ("", count) | (count, _) => writeln!(out, "{id}  {counted}: {count}")?,
            }
        }
        Ok(())
    }

    fn ending(&mut self, ending: &Ending, out: &mut impl Write) -> io::Result<()> {
        let (offset, what) = match ending {
            Ending::Open => return Ok(()),
            Ending::Nuls { offset, length } => {
                (*offset, format!("{length} NUL bytes follow, as a crash leaves them in a file"))
            }
            Ending::NoTrailer { encloses: Enclosing::Batch, offset, .. } => {
                (*offset, "the batch that begins here has no BTS".to_owned())
            }
            Ending::NoTrailer { encloses: Enclosing::File, offset, .. } => {
                (*offset, "the file of batches that begins here has no FTS".to_owned())
            }
        };
        self.problem(offset, &what, out)
    }

    fn fault(&mut self, error: &ParseError, out: &mut impl Write) -> io::Result<()> {
        self.problem(error.offset, &error.kind.to_string(), out)
    }

    fn problem(&mut self, offset: usize, what: &str, out: &mut impl Write) -> io::Result<()> {
        self.findings += 1;
        if self.as_text {
            return writeln!(out, "! {what} (byte {offset})");
        }
        self.entries.add(&json!({"fault": what, "offset": offset}), out)
    }
}
