//! The record of a loop: its attempts, and the last task run with its evidence.

use maud::html;

use super::Context;
use super::frame::page;
use super::task::content;
use super::text::text;
use crate::loop_run::LoopEnd;
use crate::model::LoopRecord;
use crate::numbers;

/// The page of a loop.
#[must_use]
pub fn loop_record(record: &LoopRecord, context: &Context<'_>) -> String {
    let run = &record.run;
    let class = |end: LoopEnd| match end {
        LoopEnd::Passed => "pass",
        LoopEnd::Failed => "fail",
        LoopEnd::AlreadyMet | LoopEnd::Unverifiable | LoopEnd::Broken => "open",
    };
    let word = |end: LoopEnd| match end {
        LoopEnd::Passed => "passed",
        LoopEnd::Failed => "failed",
        LoopEnd::AlreadyMet => "already met",
        LoopEnd::Unverifiable => "unverifiable",
        LoopEnd::Broken => "broken",
    };
    let shown = html! {
        section.hero.(class(run.outcome)) {
            h1 { (text(&run.task_id)) }
            p.lead { (text(&run.end(str::to_owned))) }
            @if let Some(weakness) = run.weakness() { p.notice { (text(&weakness)) } }
        }
        section aria-labelledby="attempts" {
            h2 #attempts { "Attempts" }
            ol.changes {
                @for attempt in &run.attempts {
                    li {
                        span.badge.small.(class(attempt.outcome)) { (word(attempt.outcome)) }
                        div {
                            p { b { "Attempt " (attempt.attempt + 1) }
                                @if let Some(score) = attempt.score { span.of { " score " (numbers::decimal(score)) } } }
                            @for line in attempt.reason.as_deref().unwrap_or_default().lines() { p.sentence { (text(line)) } }
                            @for said in attempt.of_delegate() { @for line in said.lines() { p.sentence { (text(line)) } } }
                            @if !attempt.claim.response.is_empty() {
                                details.more { summary { "What the delegate said, which is not evidence" } p.sentence { (text(&attempt.claim.response)) } }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(last) = &record.last {
            h2 { "The last attempt that was judged" }
            (content(last, context))
        }
    };
    page(context, "Loop", &run.task_id, &shown)
}
