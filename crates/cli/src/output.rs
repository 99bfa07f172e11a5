//! Standard output and standard error.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use candor::check::feature::missing_feature;
use candor::inner::report::{Format, Style, folded, is_steering};
use clap::{Args as ClapArgs, ValueEnum};

use crate::spare::Reads;

pub(crate) fn format(name: &str) -> Result<Format, String> {
    let format = Format::named(name).ok_or_else(|| format!("expected one of {}", Format::NAMES.join(", ")))?;
    if !format.is_built() {
        return Err(missing_feature(&format!("write the format {name}"), "html"));
    }
    Ok(format)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// The bounds of a line's width, whatever the terminal has.
const NARROWEST: usize = 20;
const WIDEST: usize = 200;

/// The columns of a terminal, if the stream is one.
pub(crate) fn columns(stream: impl AsFd) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(width, _)| usize::from(width.0).clamp(NARROWEST, WIDEST))
}

#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// How the result is written; the help of a command lists its formats
    #[arg(long, global = true, value_name = "FORMAT", value_parser = format, display_order = 900)]
    pub format: Option<Format>,
    /// Write the result there instead of standard output
    #[arg(long, global = true, value_name = "FILE", display_order = 901)]
    pub out: Option<PathBuf>,
    /// Colours of text: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        display_order = 902
    )]
    pub color: ColorChoice,
    /// No progress on standard error
    #[arg(long, short, global = true, display_order = 903)]
    pub quiet: bool,
}

impl OutputArgs {
    /// The format to write: as asked for, else text on a terminal and JSON elsewhere.
    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or(if self.on_terminal() { Format::Text } else { Format::Json })
    }

    /// The format of a command that explains and does not judge: as asked for, else text.
    pub(crate) fn format_to_read(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }

    pub(crate) fn on_terminal(&self) -> bool {
        self.out.is_none() && io::stdout().is_terminal()
    }

    /// How text is laid out: as wide as the terminal, and in colour on one whose user did not say no.
    pub(crate) fn style(&self) -> Style {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        let color = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => !is_set("NO_COLOR") && (is_forced || self.on_terminal() && !is_dumb),
        };
        let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = named.or_else(|| columns(io::stdout()).filter(|_| self.on_terminal()));
        Style { color, width: width.unwrap_or(100).clamp(NARROWEST, WIDEST) }
    }

    /// Text for people: on a terminal, in lines of its width.
    pub(crate) fn folded(&self, text: &str) -> String {
        if self.on_terminal() { folded(text, self.style()) } else { text.to_owned() }
    }

    /// Writes a result of a format; text is [`Self::folded`].
    pub(crate) fn write_as(&self, format: Format, result: &[u8]) -> Result<(), String> {
        match std::str::from_utf8(result) {
            Ok(text) if format == Format::Text => self.write(self.folded(text).as_bytes()),
            _ => self.write(result),
        }
    }

    pub(crate) fn write(&self, result: &[u8]) -> Result<(), String> {
        match &self.out {
            Some(file) => write_file(file, result),
            None => say(result),
        }
    }

    /// Refuses to write `--out`, or one of these places, over what the command reads, and two of them into one file.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub(crate) fn spare<'p>(
        &self,
        places: impl IntoIterator<Item = &'p PathBuf>,
        reads: impl FnOnce() -> Reads,
    ) -> Result<(), String> {
        let written: Vec<PathBuf> = self.out.iter().cloned().chain(places.into_iter().cloned()).collect();
        if written.is_empty() { Ok(()) } else { reads().spare(&written) }
    }

    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }
}

pub(crate) fn write_file(file: &Path, content: &[u8]) -> Result<(), String> {
    fs::write(file, content).map_err(|e| format!("{}: it cannot be written: {e}", file.display()))
}

/// Writes a result to standard output.
pub(crate) fn say(result: &[u8]) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(result).and_then(|()| out.flush()) {
        // Who reads may stop reading: that changes no verdict.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| format!("standard output cannot be written: {e}")),
    }
}

/// A writer of text to a terminal, which folds each line to the width of the terminal.
pub(crate) struct Folding<W> {
    out: W,
    style: Style,
    /// The bytes after the last line feed.
    begun: Vec<u8>,
}

impl<W: Write> Folding<W> {
    pub(crate) fn new(out: W, style: Style) -> Self {
        Self { out, style, begun: Vec::new() }
    }

    fn pass_on(&mut self, bytes: usize) -> io::Result<()> {
        let rest = self.begun.split_off(bytes);
        let lines = std::mem::replace(&mut self.begun, rest);
        self.out.write_all(folded(&String::from_utf8_lossy(&lines), self.style).as_bytes())
    }
}

impl<W: Write> Write for Folding<W> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(part);
        if let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') {
            self.pass_on(end + 1)?;
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on(self.begun.len())?;
        self.out.flush()
    }
}

/// Text from outside on one line: nothing in it steers a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.replace(is_steering, "\u{fffd}")
}

/// Writes a message to standard error. Nothing in it steers a terminal.
pub(crate) fn complain(message: &str) {
    let message = message.replace(|c| is_steering(c) && !matches!(c, '\n' | '\t'), "\u{fffd}");
    let message = match columns(io::stderr()) {
        Some(width) => folded(&message, Style { color: false, width }),
        None => message,
    };
    let mut err = io::stderr().lock();
    // Without standard error the message cannot be shown.
    let _ = writeln!(err, "{}", message.trim_end());
}
