//! A loop for a person at a terminal.

use super::{LoopAttempt, LoopEnd, LoopRun};
use crate::text::layout::{BELOW, Color, painted, wrapped};
use crate::{Style, numbers, plain};

/// Every attempt, how the loop ended, and what is open. `told`: progress has told of the attempts already, so that their
/// reasons are not repeated.
pub(crate) fn text(run: &LoopRun, told: bool, style: Style) -> String {
    let mut out = String::new();
    for attempt in &run.attempts {
        out += &head(attempt, style);
        match told {
            true => out += &attempt.of_delegate().iter().map(|line| lines(line, style)).collect::<String>(),
            false => out += &body(attempt, style),
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

fn body(attempt: &LoopAttempt, style: Style) -> String {
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
    out += &lines(reason, style);
    for hook in attempt.hooks.iter().filter(|hook| hook.action != "allow") {
        out += &format!("    hook {}: {}\n", plain(&hook.name), plain(&hook.action));
    }
    for flag in &attempt.flags {
        out += &format!("    flag: {}\n", plain(flag));
    }
    out
}

fn lines(text: &str, style: Style) -> String {
    lines_at(4, text, style)
}

fn lines_at(column: usize, text: &str, style: Style) -> String {
    const DEEPEST: usize = 8;
    let line = |(at, line): (usize, &str)| {
        let indented = line.chars().take_while(|c| *c == ' ').count().min(DEEPEST);
        let column = if at == 0 { column } else { column.max(BELOW) };
        wrapped(&plain(line), column + indented, style)
    };
    text.trim_end().lines().enumerate().map(line).collect()
}
