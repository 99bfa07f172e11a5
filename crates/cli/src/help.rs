//! The list of commands, by the job that they are for, and the formats that each of them writes.

use std::fmt::Write as _;

use candor::Format;
use candor::inner::report::{Style, folded};
use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _};

use crate::args::Args;
use crate::output::columns;

const GROUPS: [(&str, &[&str]); 6] = [
    ("Check", &["init", "check", "bench", "score", "report"]),
    ("Look at files", &["validate", "explain", "try"]),
    ("Write tasks", &["lint", "audit", "harden", "draft", "schema", "checks"]),
    ("Agents", &["loop", "record", "serve", "doctor"]),
    ("State and evidence", &["capture", "diff", "replay", "redact", "keys"]),
    ("This program", &["completions", "help"]),
];

const PIPED: &str = " [default: text on a terminal, else json]";
const TEXT: &str = " [default: text]";
/// Who writes what, and the default. `report`, `replay` and `loop` write less of some results, and say so themselves.
const FORMATS: [(&[&str], &[&str], &str); 13] = [
    (&["check", "bench", "score", "report", "replay"], Format::NAMES, PIPED),
    (&["loop"], &["text", "json", "ndjson", "markdown", "html"], PIPED),
    (&["checks"], &["text", "json", "ndjson", "markdown"], PIPED),
    (&["capture", "record"], &["text", "json", "ndjson"], PIPED),
    (&["audit"], &["text", "json", "ndjson", "junit", "markdown", "html", "sarif"], TEXT),
    (&["validate"], &["text", "json", "junit", "markdown", "html", "csv", "github"], TEXT),
    (&["diff"], &["text", "json", "ndjson", "markdown", "html"], TEXT),
    (&["lint"], &["text", "json", "ndjson", "sarif", "github"], TEXT),
    (&["try"], &["text", "json", "ndjson", "csv"], TEXT),
    (&["harden"], &["text", "json", "ndjson"], TEXT),
    (&["init", "explain", "schema", "doctor", "keys"], &["text", "json"], TEXT),
    (&["completions", "draft"], &["text"], ""),
    // A bundle, and the log of a service.
    (&["redact", "serve"], &[], ""),
];

/// Command lines that the help of a command ends with.
const EXAMPLES: [(&str, &[&str]); 9] = [
    (
        "check",
        &[
            "candor check task.yaml --sandbox after",
            "candor check task.yaml --sandbox after --baseline before --format junit --out result.xml",
        ],
    ),
    ("bench", &["candor bench benchmark.yaml", "candor bench benchmark.yaml --results runs.ndjson -- ./agent"]),
    ("loop", &["candor loop task.yaml --sandbox world --grant world/portal:rw -- ./agent"]),
    ("lint", &["candor lint tasks/*.yaml"]),
    ("audit", &["candor audit task.yaml --sandbox right --baseline before"]),
    ("validate", &["candor validate claims.edi", "candor validate claims.edi --ack 999"]),
    ("explain", &["candor explain claims.edi", "candor explain count_mismatch"]),
    (
        "try",
        &["candor try path hl7 'PID.3[5=MR].1' messages.hl7", "candor try search 'Appointment?patient=Patient/1' fhir"],
    ),
    ("diff", &["candor diff before after"]),
];

fn formats(command: &str) -> Option<(&'static [&'static str], &'static str)> {
    FORMATS.iter().find(|(commands, ..)| commands.contains(&command)).map(|&(_, formats, default)| (formats, default))
}

/// As in `text, json or csv`.
fn listed(formats: &[&str]) -> String {
    match formats.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => formats.concat(),
    }
}

/// Reads the command line. A wrong one, and one that asks for help, end the process.
///
/// # Errors
/// A sentence with the formats of the command, for one that it does not write.
pub(crate) fn parse() -> Result<Args, String> {
    let matches = grouped(Args::command()).get_matches();
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    written(&matches, args.output.format)?;
    Ok(args)
}

fn written(matches: &ArgMatches, format: Option<Format>) -> Result<(), String> {
    let (Some(command), Some(format)) = (matches.subcommand_name(), format) else { return Ok(()) };
    match formats(command) {
        Some((formats, _)) if !formats.is_empty() && !formats.contains(&format.name()) => {
            Err(format!("{command} writes {}", listed(formats)))
        }
        _ => Ok(()),
    }
}

fn with_formats(command: Command) -> Command {
    let Some(all) = command.get_arguments().find(|arg| arg.get_id() == "format").cloned() else { return command };
    command.mut_subcommands(|one| match formats(one.get_name()) {
        Some((formats, default)) => {
            let arg = all.clone().help(listed(formats) + default).hide(formats.is_empty());
            one.arg(arg)
        }
        None => one,
    })
}

fn with_examples(command: Command) -> Command {
    command.mut_subcommands(|one| {
        let lines = EXAMPLES.iter().find(|(name, _)| *name == one.get_name()).map(|(_, lines)| lines.join("\n  "));
        match lines {
            Some(lines) => one.after_help(format!("Examples:\n  {lines}")),
            None => one,
        }
    })
}

fn grouped(command: Command) -> Command {
    let mut groups = String::new();
    for (heading, names) in GROUPS {
        // Writing into a string does not fail.
        let _ = writeln!(groups, "{heading}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this message or the help of a command".to_owned());
            let _ = writeln!(groups, "  {name:11}  {about}");
        }
        groups.push('\n');
    }
    // A narrow terminal has no room for two columns.
    let width = columns(std::io::stdout());
    if let Some(width) = width {
        groups = folded(&groups, Style { color: false, width });
    }
    with_examples(with_formats(command))
        .next_line_help(width.is_some_and(|width| width < 50))
        .help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}"))
}
