//! The list of commands, by the job that they are for.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::args::Args;

const GROUPS: [(&str, &[&str]); 6] = [
    ("Check", &["init", "check", "bench", "score", "report"]),
    ("Look at files", &["validate", "explain", "try"]),
    ("Write tasks", &["lint", "audit", "harden", "draft", "schema", "checks"]),
    ("Agents", &["loop", "record", "serve", "doctor"]),
    ("State and evidence", &["capture", "diff", "replay", "redact", "keys"]),
    ("This program", &["completions", "help"]),
];

/// Reads the command line. A wrong one, and one that asks for help, end the process.
pub(crate) fn parse() -> Args {
    let matches = grouped(Args::command()).get_matches();
    Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
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
    command
        .help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::GROUPS;
    use crate::args::Args;

    #[test]
    fn every_command_is_in_a_group_and_on_a_line() {
        let command = Args::command();
        let shown: BTreeSet<&str> =
            command.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(grouped.len(), grouped.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(grouped.into_iter().filter(|name| *name != "help").collect::<BTreeSet<_>>(), shown);
        for one in command.get_subcommands() {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && about.len() <= 65, "{}: {about}", one.get_name());
        }
    }
}
