//! Two runs side by side: what got better, what got worse, and whether that is more than chance.

use candor_check::Status;
use maud::{Markup, html};

use super::frame::page;
use super::parts::{mark, verdict_class};
use super::text::text;
use super::{Context, Shape};
use crate::comparison::{Change, Comparison, Counts, Pair};
use crate::model::{CriterionRun, TaskRun};
use crate::numbers;

/// The most rows of one list.
const MOST: usize = 300;

/// The page of a comparison. `names` are what a person calls the run before and the run after.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>, names: (&str, &str), context: &Context<'_>) -> String {
    let (counts, criteria) = (&comparison.task_counts, &comparison.criterion_counts);
    let hero = if counts.worse + criteria.worse > 0 {
        "fail"
    } else if counts.undecided > 0 {
        "open"
    } else {
        "pass"
    };
    let content = html! {
        section.hero.(hero) {
            h1 { "Two runs compared" }
            p.ids { span { "before: " code { (text(names.0)) } } span { "after: " code { (text(names.1)) } } }
            (row("Tasks", counts))
            (row("Criteria", criteria))
            p.of.below { "Two-sided and exact. Criteria of the same task depend on each other: rely on the p over tasks." }
        }
        (tasks(&comparison.tasks, context))
        @for (change, title) in [(Change::Worse, "Criteria that got worse"), (Change::Better, "Criteria that got better"), (Change::Undecided, "Criteria that are undecided")] {
            (list(&comparison.criteria, change, title, context))
        }
    };
    page(context, "Comparison", "Two runs compared", &content)
}

fn row(what: &str, counts: &Counts) -> Markup {
    html! {
        h2.small { (what) }
        dl.stats {
            div { dt { "better" } dd.pass { (counts.better) } }
            div { dt { "worse" } dd.fail { (counts.worse) } }
            div { dt { "undecided" } dd.open { (counts.undecided) } }
            div { dt { "the same" } dd { (counts.same) } }
            div { dt { "McNemar's p" } dd { (p(counts.p())) span.of { (chance(counts)) } } }
        }
    }
}

fn p(value: f64) -> String {
    if value < 0.0001 { "< 0.0001".to_owned() } else { numbers::decimal(value) }
}

fn chance(counts: &Counts) -> &'static str {
    match (counts.better + counts.worse, counts.p() < 0.05) {
        (0, _) => "nothing changed",
        (_, true) => "more than chance",
        (_, false) => "may be chance",
    }
}

fn word(change: Change) -> (&'static str, &'static str) {
    match change {
        Change::Better => ("pass", "better"),
        Change::Worse => ("fail", "worse"),
        Change::Undecided => ("open", "undecided"),
        Change::Same => ("same", "the same"),
    }
}

fn tasks(pairs: &[Pair<'_, TaskRun>], context: &Context<'_>) -> Markup {
    let mut ordered: Vec<&Pair<'_, TaskRun>> = pairs.iter().collect();
    ordered.sort_by_key(|pair| match pair.change {
        Change::Worse => 0,
        Change::Better => 1,
        Change::Undecided => 2,
        Change::Same => 3,
    });
    let side = |run: Option<&TaskRun>| {
        html! {
            @match run {
                Some(run) => { span.badge.small.(verdict_class(&run.outcome)) { (numbers::headline(&run.outcome)) } " " (numbers::decimal(run.outcome.score)) }
                None => { i.nothing { "not run" } }
            }
        }
    };
    html! {
        section aria-labelledby="tasks" {
            h2 #tasks { "Tasks" }
            div.scroll tabindex="0" role="group" aria-label="Tasks" {
                table.criteria {
                    thead { tr { th scope="col" { "Task" } th scope="col" { "Before" } th scope="col" { "After" } th scope="col" { "Change" } } }
                    tbody { @for pair in ordered.iter().take(MOST) {
                        @let (class, word) = word(pair.change);
                        tr { th scope="row" { (linked(pair, context)) } td { (side(pair.before)) } td { (side(pair.after)) } td { span.badge.small.(class) { (word) } } }
                    } }
                }
            }
            @if ordered.len() > MOST { p.cut { (ordered.len() - MOST) " more tasks are not shown here." } }
        }
    }
}

/// A task, which leads to its run where each has a page.
fn linked(pair: &Pair<'_, TaskRun>, context: &Context<'_>) -> Markup {
    let run = pair.after.or(pair.before).filter(|_| matches!(context.shape, Shape::Site(_)));
    html! { @match run { Some(run) => { a href=(context.links.task_run(run, 0)) { (text(pair.shown)) } } None => { (text(pair.shown)) } } }
}

fn list(pairs: &[Pair<'_, CriterionRun>], change: Change, title: &str, context: &Context<'_>) -> Markup {
    let these: Vec<&Pair<'_, CriterionRun>> = pairs.iter().filter(|pair| pair.change == change).collect();
    if these.is_empty() {
        return html! {};
    }
    html! {
        section {
            h2 { (title) }
            ul.changes {
                @for pair in these.iter().take(MOST) {
                    @if let Some(one) = pair.after.or(pair.before) {
                        li {
                            span.sides { (side(pair.before)) " → " (side(pair.after)) }
                            div {
                                p { b { @match context.shape {
                                        Shape::Site(_) => { a href=(context.links.criterion_run(one, "")) { (text(&one.label)) } }
                                        Shape::Document => { (text(&one.label)) }
                                    } } " " span.of { (text(pair.shown)) } }
                                @let told = if change == Change::Better { pair.before } else { pair.after };
                                @if let Some(told) = told.filter(|told| told.status != Status::Passed) { p.sentence { @if change == Change::Better { "Before: " } (text(&told.details)) } }
                            }
                        }
                    }
                }
            }
            @if these.len() > MOST { p.cut { (these.len() - MOST) " more are not shown here." } }
        }
    }
}

fn side(run: Option<&CriterionRun>) -> Markup {
    match run {
        Some(run) => mark(run.status),
        None => html! { span.mark role="img" aria-label="not run" { "–" } },
    }
}
