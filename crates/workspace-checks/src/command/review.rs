//! What a command asserts less than it seems to: by its words and its exit codes alone.

use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_process::{ended_from_outside, is_not_started};

use super::settings::Settings;

/// Shells that are given a script by `-c`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "zsh", "ksh"];
/// Commands of a script that end it with 0 where they are the last of it.
const SUCCEEDS: [&str; 3] = ["true", ":", "exit 0"];
/// Programs that print and succeed.
const PRINT: [&str; 2] = ["echo", "printf"];
/// What a pipe ends in that succeeds whatever comes before it.
const SINKS: [&str; 4] = ["tee", "cat", "head", "tail"];
/// Arguments by which a program says what it is, and does nothing.
const ABOUT_ITSELF: [&str; 4] = ["--version", "-V", "--help", "version"];

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
        None => [unprotected(settings, counts), own(settings)].into_iter().flatten().collect(),
    }
}

/// Tests that pass where they were deleted.
fn unprotected(settings: &Settings, counts: bool) -> Option<Weakness> {
    let message = "tests that were deleted or rewritten pass as well; write `min_tests`, and name the tests in the task's `loop.protect` or `loop.overlay`";
    (counts && settings.min_tests.is_none()).then(|| Weakness::new(WeaknessKind::TestsUnprotected, "", message))
}

/// A command that is a file of the workspace.
fn own(settings: &Settings) -> Option<Weakness> {
    let program = settings.command.first()?;
    let message = format!(
        "`{program}` is a file of the workspace, which whoever did the work may have written; name it in the task's `loop.protect`"
    );
    (program.contains('/') && !program.starts_with('/'))
        .then(|| Weakness::new(WeaknessKind::OwnCommand, "command", message))
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
        (print, _) if PRINT.contains(&print) => Some(0),
        (name, [_, only]) if !name.contains('/') && ABOUT_ITSELF.contains(&only.as_str()) => Some(0),
        (shell, [_, flag, script]) if SHELLS.contains(&shell) && flag == "-c" => of_script(script.trim(), prints),
        _ => None,
    }
}

fn of_script(script: &str, prints: bool) -> Option<u8> {
    if SUCCEEDS.contains(&script) || script == "exit" {
        return Some(0);
    }
    let ends = script.split_whitespace().any(|word| matches!(word, "exit" | "exec" | "set" | "trap"));
    if prints || ends {
        return None;
    }
    let succeeds = |command: &str| {
        let program = command.split_whitespace().next().unwrap_or_default();
        SUCCEEDS.contains(&command.trim()) || PRINT.contains(&program)
    };
    // A quotation mark that is open belongs to what stands before.
    let whole = |command: &str| ['"', '\''].iter().all(|mark| command.matches(*mark).count() % 2 == 0);
    let plain =
        |command: &str| !command.contains([';', '\n', '&', '|', '(', '{', '`', '<', '#', '\\']) && whole(command);
    if let Some((_, last)) = script.rsplit_once([';', '\n'])
        && plain(last)
        && succeeds(last)
    {
        return Some(0);
    }
    if let Some((before, last)) = script.rsplit_once("||")
        && plain(&before.replace("&&", " ").replace("||", " "))
        && !before.contains('$')
        && SUCCEEDS.contains(&last.trim())
    {
        return Some(0);
    }
    let (before, last) = script.rsplit_once('|')?;
    let sink = last.split_whitespace().next().is_some_and(|program| SINKS.contains(&program));
    (sink && plain(&before.replace('|', " ")) && !before.contains("||") && plain(last)).then_some(0)
}
