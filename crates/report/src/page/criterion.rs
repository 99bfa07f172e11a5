//! A criterion run: expected against found, where it was read, what came closest.

use candor_check::Status;
use maud::{Markup, html};

use super::Context;
use super::excerpt;
use super::frame::page;
use super::names::Standard;
use super::parts::{class, entry, field_entry, mark, place};
use super::text::{anchor, text};
use super::vector;
use crate::model::{CriterionRun, Entry, FieldEntry, Nearest};
use crate::numbers;

/// The most results of one criterion that a page shows, of those that failed and of those that passed.
const MOST: usize = 100;

/// The page of a criterion run.
#[must_use]
pub fn criterion_run(run: &CriterionRun, task_id: Option<&str>, context: &Context<'_>) -> String {
    let anchor = anchor("", 0, &run.criterion_id);
    let content = html! {
        section.hero.(class(run.status)) {
            h1 { (text(&run.label)) }
            p.ids {
                @if let Some(task) = task_id { span { "task " code { (text(task)) } } }
                span { "run " code { (text(&run.id)) } }
            }
        }
        h2.hush { "Evidence" }
        (told(run, &anchor, task_id, context, true))
    };
    page(context, "Criterion run", &run.label, &content)
}

/// A criterion with its evidence, closed where it passed.
pub(super) fn section(run: &CriterionRun, id: &str, task_id: Option<&str>, context: &Context<'_>) -> Markup {
    told(run, id, task_id, context, false)
}

/// A criterion with its evidence; `alone` on its own page.
fn told(run: &CriterionRun, id: &str, task_id: Option<&str>, context: &Context<'_>, alone: bool) -> Markup {
    let own_page = if alone { None } else { context.links.alone(run) };
    html! {
        details.criterion.(class(run.status)) id=(id) open[alone || run.status != Status::Passed] {
            summary {
                (mark(run.status))
                h3 { (text(&run.label)) }
                span.facts {
                    @if let Some(axis) = &run.axis { span { (text(axis)) } }
                    span { "weight " (text(&run.weight)) }
                    span { "score " (numbers::decimal(run.score)) }
                    @if run.gate { span.chip { "gate" } }
                    @if let Some(reason) = &run.reason { span.chip { (text(reason)) } }
                }
            }
            div.inside {
                p.sentence { (text(&run.details)) @if let Some(address) = own_page { " " a.alone href=(address) { "This criterion alone" } } }
                (failed_results(run, id))
                (excerpt::figures(run, context))
                @if let Some(nearest) = run.nearest().filter(|_| run.status != Status::Passed) { (nearest_candidate(&nearest, run, id)) }
                (passed_results(run, id))
                (sources(run))
                (reproduce(run, task_id, context))
            }
        }
    }
}

/// Results, each with its anchor; the cut is named.
fn list(entries: &[(usize, Entry)], standard: Standard, id: &str) -> Markup {
    let more = entries.len().saturating_sub(MOST);
    html! {
        ul.fields { @for (at, one) in entries.iter().take(MOST) { (entry(one, standard, Some(&format!("{id}-f{at}")))) } }
        @if more > 0 { p.cut { (more) " more results are not shown here; --format json has all of them." } }
    }
}

fn numbered(run: &CriterionRun, passed: bool) -> Vec<(usize, Entry)> {
    run.entries().into_iter().enumerate().filter(|(_, entry)| entry.passed() == passed).collect()
}

fn failed_results(run: &CriterionRun, id: &str) -> Markup {
    let entries = numbered(run, false);
    html! {
        @if !entries.is_empty() {
            h4 { "What does not hold" }
            (list(&entries, Standard::of(run), id))
        }
    }
}

fn passed_results(run: &CriterionRun, id: &str) -> Markup {
    let entries = numbered(run, true);
    let list = || list(&entries, Standard::of(run), id);
    html! {
        @if !entries.is_empty() {
            @if run.status == Status::Passed {
                h4 { "What holds" }
                (list())
            } @else {
                details.more {
                    summary { (entries.len()) @if entries.len() == 1 { " result holds" } @else { " results hold" } }
                    (list())
                }
            }
        }
    }
}

fn nearest_candidate(nearest: &Nearest, run: &CriterionRun, id: &str) -> Markup {
    let (matched, of) = nearest.matched;
    // What is listed above is not said again.
    let told = |mismatch: &FieldEntry| {
        run.entries().iter().any(|entry| match entry {
            Entry::Field(field) => field == mismatch,
            Entry::Phrase(phrase) => mismatch.path == "$phrase" && !phrase.passed && phrase.quote.is_some(),
        })
    };
    let fits = matched == of && run.candidates().is_some_and(|(_, left)| left > 0);
    html! {
        section.nearest {
            h4 { @if fits { "The first that was found" } @else { "The candidate that came closest" } }
            p {
                b { (text(&nearest.label)) }
                @if of > 0 { ": " (matched) " of " (of) " fields match" }
                @if let Some((considered, left)) = run.candidates() {
                    span.of { " (" (considered) " looked at, " (left) " selected)" }
                }
            }
            @if let Some(mismatch) = nearest.first_mismatch.as_ref().filter(|mismatch| !told(mismatch)) {
                p.of { "The first field that kept it from matching:" }
                ul.fields { (field_entry(mismatch, Standard::of(run), Some(&format!("{id}-nearest")))) }
            }
        }
    }
}

fn sources(run: &CriterionRun) -> Markup {
    const SHOWN: usize = 20;
    let sources = run.sources();
    html! {
        @if !sources.is_empty() {
            details.more {
                summary { "Where it was read (" (sources.len()) @if sources.len() == 1 { " source" } @else { " sources" } ")" }
                ul.sources {
                    @for (source, sha256) in sources.iter().take(SHOWN) {
                        li {
                            (place(source))
                            @if let Some(sha256) = sha256 { span.hash { "SHA-256 " code { (text(sha256)) } } }
                        }
                    }
                }
                @if sources.len() > SHOWN { p.cut { (sources.len() - SHOWN) " more sources are not shown here." } }
            }
        }
    }
}

fn reproduce(run: &CriterionRun, task_id: Option<&str>, context: &Context<'_>) -> Markup {
    let command = context.ground.command();
    let vector = vector::vector(run, task_id, context.ground);
    html! {
        details.more {
            summary { "Reproduce it, or make a test of it" }
            @match &command {
                Some(command) => {
                    p { "This command makes the result again:" }
                    pre.copy tabindex="0" aria-label="command" { code { (text(command)) } }
                }
                None => {
                    p { "Check the task again on the same sandbox, with the task's file in the place of " code { "TASK" } ":" }
                    pre.copy tabindex="0" aria-label="command" { code { "candor check TASK --sandbox SANDBOX --format html --out result.html" } }
                }
            }
            p { "The criterion as a conformance vector" @if !vector.is_whole { ", with what the result does not hold left open as " code { "FILL IN" } } ":" }
            pre.copy tabindex="0" aria-label="conformance vector" { code { (super::text::lines(&vector.json)) } }
        }
    }
}
