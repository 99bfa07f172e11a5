//! What a command asserts less than it seems to: by its words and its exit codes alone.

use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_process::{ended_from_outside, is_not_started};

use super::settings::Settings;

/// Shells that are given a script by `-c`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "zsh", "ksh"];
/// Commands of a script that end it with 0 where they are the last of it.
const SUCCEEDS: [&str; 3] = ["true", ":", "exit 0"];

pub(super) fn review(settings: &Settings, counts: bool) -> Review {
    Review { weaknesses: weaknesses(settings, counts), ..Review::default() }
}

/// `counts` where tests are counted in what the command prints.
fn weaknesses(settings: &Settings, counts: bool) -> Vec<Weakness> {
    let decides = |code: i32| !is_not_started(code) && ended_from_outside(code).is_none();
    let accepted = |code: u8| settings.exit.contains(&code);
    if (0..=u8::MAX).all(|code| accepted(code) || !decides(i32::from(code))) {
        let message = "every exit code is accepted; write the one that says that it succeeded";
        return vec![Weakness::new(WeaknessKind::AlwaysHolds, "exit", message)];
    }
    let counted = settings.min_tests.is_some() || settings.report.is_some();
    match ends_with(&settings.command, counts) {
        // What it prints may be told of tests, and what is not printed is missed.
        Some(_) if counted => Vec::new(),
        Some(code) if accepted(code) => {
            let message = format!(
                "it ends with {code} whatever the workspace holds; write the command that looks at the work, as in [\"cargo\", \"test\"]"
            );
            vec![Weakness::new(WeaknessKind::AssertsNothing, "command", message)]
        }
        Some(code) => {
            let message = format!("it ends with {code} whatever the workspace holds, and `exit` does not accept that");
            vec![Weakness::new(WeaknessKind::NeverHolds, "command", message)]
        }
        None => Vec::new(),
    }
}

/// The code that a command always ends with, where its words alone say so. With `prints`, what it prints on the way may
/// decide too.
fn ends_with(command: &[String], prints: bool) -> Option<u8> {
    let program = command.first()?;
    // One that is named by a path of the workspace is the delegate's.
    let name = ["/bin/", "/usr/bin/"].iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program);
    match (name, command) {
        ("true", _) => Some(0),
        ("false", _) => Some(1),
        (shell, [_, flag, script]) if SHELLS.contains(&shell) && flag == "-c" => of_script(script.trim(), prints),
        _ => None,
    }
}

fn of_script(script: &str, prints: bool) -> Option<u8> {
    if SUCCEEDS.contains(&script) || script == "exit" {
        return Some(0);
    }
    let (before, last) = script.rsplit_once("||")?;
    // Of a list of several commands, one before the last may end the script.
    let several =
        before.replace("&&", " ").replace("||", " ").contains([';', '\n', '&', '(', '{', '`', '$', '<', '#', '\\']);
    let ends = before.split_whitespace().any(|word| matches!(word, "exit" | "exec" | "set"));
    (!prints && !several && !ends && SUCCEEDS.contains(&last.trim())).then_some(0)
}
