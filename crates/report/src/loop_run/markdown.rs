//! A loop as Markdown: a table of attempts, and what is open below it.

use std::fmt::Write as _;

use super::{LoopEnd, LoopRun};
use crate::escape::{markdown as escaped, markdown_id};
use crate::numbers;

pub(crate) fn markdown(run: &LoopRun) -> String {
    let mut out = format!("# {}\n\n**{}**\n", escaped(&run.task_id), run.end(markdown_id));
    if let Some(reason) = run.reason_beside_attempts() {
        let _ = writeln!(out, "\n{}", one_line(reason));
    }
    if let Some(weakness) = run.weakness() {
        let _ = writeln!(out, "\n{}", escaped(&weakness));
    }
    out += "\n| | attempt | score | reason |\n| --- | --- | --- | --- |\n";
    for attempt in &run.attempts {
        let mark = match attempt.outcome {
            LoopEnd::Passed => "✓",
            LoopEnd::Failed => "✗",
            LoopEnd::AlreadyMet | LoopEnd::Unverifiable => "?",
            LoopEnd::Broken => "!",
        };
        let score = attempt.score.map(numbers::score).unwrap_or_default();
        let said = attempt.reason.clone().into_iter().chain(attempt.of_delegate());
        let reason = said.map(|text| one_line(&text)).collect::<Vec<_>>().join("<br>");
        // Writing into a string does not fail.
        let _ = writeln!(out, "| {mark} | {} | {score} | {reason} |", attempt.attempt + 1);
    }
    let open = run.open();
    if !open.is_empty() {
        out.push('\n');
    }
    for (what, name, why) in open {
        let _ = writeln!(out, "- {what}: **{}**: {}", escaped(name), one_line(why));
    }
    out
}

fn one_line(text: &str) -> String {
    text.trim_end().lines().map(escaped).collect::<Vec<_>>().join("<br>")
}
