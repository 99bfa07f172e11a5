//! A loop for a person at a terminal.

use super::{LoopAttempt, LoopEnd, LoopRun};
use crate::text::findings::listed;
use crate::text::layout::{BELOW, Color, painted, wrapped};
use crate::{Style, numbers, plain};

/// Every attempt, how the loop ended, and what is open. `told`: progress has shown the attempts already, so that their
/// reasons are not repeated.
pub(crate) fn text(run: &LoopRun, told: bool, style: Style) -> String {
    let mut out = String::new();
    for (index, attempt) in run.attempts.iter().enumerate() {
        let of_delegate = attempt.of_delegate();
        // Several attempts have a line of scores at the end.
        if told && of_delegate.is_empty() && run.attempts.len() > 1 {
            continue;
        }
        out += &head(attempt, style);
        match told {
            true => out += &of_delegate.iter().map(|line| lines(line, style)).collect::<String>(),
            false => out += &body(attempt, run.attempts.get(..index).unwrap_or_default(), style),
        }
    }
    let color = match run.outcome {
        LoopEnd::Passed => Color::Green,
        LoopEnd::Failed => Color::Red,
        LoopEnd::AlreadyMet | LoopEnd::Unverifiable | LoopEnd::Broken => Color::Yellow,
    };
    out += &format!("{}\n", painted(style, color, &run.end(plain)));
    if let Some(reason) = run.reason_beside_attempts() {
        out += &lines(reason, style);
    }
    if let Some(weakness) = run.weakness() {
        out += &lines_at(0, &weakness, style);
    }
    if let (Some(first), Some(last)) = (run.first_score, run.last_score)
        && run.attempts.len() > 1
    {
        let (first, last) = (numbers::score(first), numbers::score(last));
        out += &format!("score of the first attempt {first}, of the last {last}\n");
    }
    let last_reason = run.attempts.last().and_then(|last| last.reason.as_deref()).unwrap_or_default();
    for (what, name, why) in run.open() {
        // What the last attempt's reason says in full is not said again.
        match why.is_empty() || last_reason.contains(why) {
            true => out += &lines_at(0, &format!("{what}: {name}"), style),
            false => out += &lines_at(0, &format!("{what}: {name}: {why}"), style),
        }
    }
    out
}

fn head(attempt: &LoopAttempt, style: Style) -> String {
    let (mark, color) = match attempt.outcome {
        LoopEnd::Passed => ("✓", Color::Green),
        LoopEnd::Failed => ("✗", Color::Red),
        LoopEnd::AlreadyMet | LoopEnd::Unverifiable => ("?", Color::Yellow),
        LoopEnd::Broken => ("!", Color::Yellow),
    };
    let score = attempt.score.map(|score| format!("  score {}", numbers::score(score))).unwrap_or_default();
    format!("{} attempt {}{score}\n", painted(style, color, mark), attempt.attempt + 1)
}

/// The lines of an attempt. A reason that an earlier attempt had is not repeated.
fn body(attempt: &LoopAttempt, before: &[LoopAttempt], style: Style) -> String {
    let mut out = String::new();
    let reason = attempt.reason.as_deref().unwrap_or_default();
    if attempt.delegate_error.is_none()
        && let Some(said) = attempt.claim.response.lines().next()
    {
        out += &format!("    it said: {}\n", plain(&said.chars().take(style.width).collect::<String>()));
    }
    for line in attempt.of_delegate() {
        out += &lines(&line, style);
    }
    if let Some(named) = attempt.claim.named_outputs() {
        out += &lines(&format!("the delegate names these outputs: {named}"), style);
    }
    let first = before.iter().find(|other| other.reason == attempt.reason);
    out += &reason_lines(reason, first.map(|first| first.attempt), style);
    for hook in attempt.hooks.iter().filter(|hook| hook.action != "allow") {
        out += &format!("    hook {}: {}\n", plain(&hook.name), plain(&hook.action));
    }
    for flag in &attempt.flags {
        out += &format!("    flag: {}\n", plain(flag));
    }
    out
}

/// The lines of a reason. A long one that an earlier attempt had, counted from 0, is not repeated: a line names the attempt.
#[must_use]
pub fn reason_lines(reason: &str, earlier: Option<u64>, style: Style) -> String {
    let whole = lines(reason, style);
    match earlier {
        Some(attempt) if whole.lines().count() > 1 => {
            lines(&format!("the reason is that of attempt {}", attempt + 1), style)
        }
        _ => whole,
    }
}

fn lines(text: &str, style: Style) -> String {
    lines_at(4, text, style)
}

/// Text that may quote the system under test, line by line in the width of the terminal, from a column on. Nothing in it
/// steers a terminal, no later line begins where one of this program does, and findings have a line each.
#[must_use]
pub fn lines_at(column: usize, text: &str, style: Style) -> String {
    const DEEPEST: usize = 8;
    let line = |(at, line): (usize, &str)| {
        let indented = line.chars().take_while(|c| *c == ' ').count().min(DEEPEST);
        let column = if at == 0 { column } else { column.max(BELOW) };
        let line = plain(line);
        match listed(&line) {
            None => wrapped(&line, column + indented, style),
            Some((begin, findings)) => {
                let below = column.max(BELOW) + indented + 2;
                let findings = findings.iter().map(|finding| wrapped(&format!("- {finding}"), below, style));
                wrapped(begin, column + indented, style) + &findings.collect::<String>()
            }
        }
    };
    text.trim_end().lines().enumerate().map(line).collect()
}
