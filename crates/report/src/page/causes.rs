//! Why task runs of a benchmark did not pass: one row for each cause, the most frequent first.

use maud::{Markup, html};

use super::Context;
use super::parts::class;
use super::text::{anchor, text};
use crate::causes::Cause;

/// The most causes that a page shows.
pub(super) const MOST: usize = 40;
/// The most criteria of a cause to which a page links.
const MOST_LINKS: usize = 12;

/// The causes, if they are fewer than the criteria that did not pass. `has_page` says which task runs, by their numbers,
/// are on the page.
pub(super) fn causes(causes: &[Cause<'_>], has_page: &dyn Fn(usize) -> bool, context: &Context<'_>) -> Markup {
    if causes.iter().all(|cause| cause.cases.len() == 1) {
        return html! {};
    }
    let criteria: usize = causes.iter().map(|cause| cause.cases.len()).sum();
    html! {
        section aria-labelledby="causes" {
            h2 #causes { "Causes" }
            p.of { (criteria) " criteria did not pass, for " (causes.len()) @if causes.len() == 1 { " cause" } @else { " causes" }
                ". A cause is the same assertion with the same reason at the same field." }
            ol.changes { @for cause in causes.iter().take(MOST) { (row(cause, has_page, context)) } }
            @if causes.len() > MOST { p.cut { (causes.len() - MOST) " more causes are not shown here." } }
        }
    }
}

fn row(cause: &Cause<'_>, has_page: &dyn Fn(usize) -> bool, context: &Context<'_>) -> Markup {
    let first = cause.first.criterion;
    let (runs, criteria) = (cause.task_runs(), cause.criteria());
    let linked: Vec<_> = cause.cases.iter().filter(|case| has_page(case.number)).take(MOST_LINKS).collect();
    html! {
        li {
            span.badge.small.(class(first.status)) { (cause.cases.len()) " ×" }
            div {
                p { b { (text(&first.label)) } @if criteria > 1 { span.of { " and " (criteria - 1) " more criteria" } }
                    " " span.chip { (text(cause.reason)) } @if let Some(path) = cause.named_path() { " at " code { (text(path)) } } }
                p.sentence { @if cause.cases.len() > 1 { "For example: " } (text(&first.details)) }
                p.of { "in " (runs) @if runs == 1 { " task run" } @else { " task runs" }
                    @for (at, case) in linked.iter().enumerate() {
                        @let anchor = anchor(&format!("t{}-", case.number), case.at, &case.criterion.criterion_id);
                        @if at == 0 { ": " } @else { ", " }
                        a href=(context.links.criterion_run(case.criterion, &anchor)) { (text(case.task.shown_id().unwrap_or("task"))) }
                    }
                    @if !linked.is_empty() && cause.cases.len() > linked.len() { " and " (cause.cases.len() - linked.len()) " more" }
                }
            }
        }
    }
}
