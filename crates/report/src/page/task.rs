//! A task run: criteria in the order of the weight that they lost.

use candor_check::Status;
use maud::{Markup, html};

use super::criterion::section;
use super::frame::page;
use super::parts::{agent, axes, legend, mark, verdict, verdict_class};
use super::text::{anchor, text};
use super::{Context, OfRun};
use crate::model::{CriterionRun, TaskRun};
use crate::numbers;

const WORDS: &[(&str, &str)] = &[
    (
        "this page",
        "Candor read the systems in which the work should be done, and compared what is there with what the task asks for.",
    ),
    ("✓ ✗ ?", "The criterion holds, does not hold, or could not be verified, which says nothing about the work."),
    ("score", "The weight of the criteria that hold, of the weight of all."),
    ("verdict", "PASS from a score of 0.9 where the task asks for nothing else, FAIL at 0, PARTIAL between."),
    ("gate", "Unless this criterion holds, the verdict is FAIL whatever the score."),
    ("found", "What is there, with the file and its bytes. What an agent says of its work is not evidence."),
];

/// The page of a task run.
///
/// ```
/// use candor_report::{model::Stored, page};
/// let run = br#"{"task_id": "t", "verdict": "pass", "score": 1.0, "criterion_runs": []}"#;
/// let Ok(Stored::Task(run)) = Stored::read(run) else { panic!() };
/// assert!(page::task_run(&run, &page::Context::default()).starts_with("<!DOCTYPE html>"));
/// ```
#[must_use]
pub fn task_run(run: &TaskRun, context: &Context<'_>) -> String {
    page(context, "Task run", run.title(), &content(run, context))
}

pub(super) fn content(run: &TaskRun, context: &Context<'_>) -> Markup {
    let ordered = by_weight_lost(run, "");
    html! {
        section.hero.(verdict_class(&run.outcome)) {
            h1 { (text(run.title())) }
            (ids(run))
            (verdict(&run.outcome, false))
            (lead(run))
            @if let Some(invalid) = &run.outcome.invalid {
                p.notice { b { "The task file is wrong" } @if let Some(named) = numbers::invalid(invalid, str::to_owned) { ": " (text(&named)) } ". This says nothing about the work." }
            }
            @if let Some(failures) = &run.outcome.failures {
                p.notice { b { "Passed, and not everything is right: " } (text(&numbers::failures(failures, str::to_owned))) "." }
            }
            (legend(WORDS))
        }
        (axes(&run.outcome.axes))
        (body(run, &ordered, context))
    }
}

fn ids(run: &TaskRun) -> Markup {
    let first = run.criteria().first();
    html! {
        p.ids {
            @if let Some(id) = run.shown_id() { span { "task " code { (text(id)) } } }
            @if let Some(id) = run.id.as_deref() { span { "run " code { (text(id)) } } }
            @if let Some(at) = run.criteria().iter().filter_map(|one| one.completed_at.as_deref()).max() { span { "checked " (text(at)) } }
            @if let Some(verifier) = first.map(|one| one.verifier_id.as_str()).filter(|id| !id.is_empty()) { span { "by " (text(verifier)) } }
            @if let Some(phase) = run.phase.as_deref().filter(|phase| *phase != "completed") { span { (text(phase)) } }
            @if let Some(one) = &run.agent { span { "epoch " (one.epoch) (agent(run)) } }
        }
    }
}

fn lead(run: &TaskRun) -> Markup {
    let count = |status| run.criteria().iter().filter(|one| one.status == status).count();
    let (all, failed, open) = (run.criteria().len(), count(Status::Failed), count(Status::Unverifiable));
    let criteria = if all == 1 { "criterion" } else { "criteria" };
    html! {
        p.lead {
            @if run.scored { "The rubric is hidden: criteria are not shown." }
            @else if run.criterion_runs.is_none() { "The result was stored without its criteria." }
            @else if all == 0 { "The task has no criteria." }
            @else if failed + open == 0 { "All " (all) " " (criteria) " hold." }
            @else {
                (failed) " of " (all) " " (criteria) @if failed == 1 { " does not hold" } @else { " do not hold" }
                @if open > 0 { ", " (open) " could not be verified" }
                "."
            }
        }
    }
}

/// The criteria with their anchors, those first that lost most weight; then what could not be verified, then the order of
/// the task.
pub(super) fn by_weight_lost<'r>(run: &'r TaskRun, prefix: &str) -> Vec<(&'r CriterionRun, String)> {
    let anchors = run.criteria().iter().enumerate().map(|(at, one)| (one, anchor(prefix, at, &one.criterion_id)));
    let mut ordered: Vec<(&CriterionRun, String)> = anchors.collect();
    let rank = |one: &CriterionRun| match one.status {
        Status::Failed => 0,
        Status::Unverifiable => 1,
        Status::Passed => 2,
    };
    ordered.sort_by(|(a, _), (b, _)| {
        let gates = |one: &CriterionRun| u8::from(!(one.gate && one.status != Status::Passed));
        gates(a).cmp(&gates(b)).then(b.weight_lost().total_cmp(&a.weight_lost())).then(rank(a).cmp(&rank(b)))
    });
    ordered
}

fn body(run: &TaskRun, ordered: &[(&CriterionRun, String)], context: &Context<'_>) -> Markup {
    if ordered.is_empty() {
        return html! {};
    }
    let ground = OfRun::new(run, context.ground);
    let context = &Context { ground: &ground, ..*context };
    html! {
        section.summary aria-labelledby="summary" {
            h2 #summary { "Criteria, by the weight they lost" }
            (table(ordered, context))
        }
        section aria-labelledby="evidence" {
            h2 #evidence { "Evidence" }
            @for (criterion, anchor) in ordered { (section(criterion, anchor, run.shown_id(), context)) }
        }
    }
}

pub(super) fn table(ordered: &[(&CriterionRun, String)], context: &Context<'_>) -> Markup {
    let has_axis = ordered.iter().any(|(one, _)| one.axis.is_some());
    html! {
        table.criteria {
            thead { tr {
                th scope="col" { span.hush { "Status" } }
                th scope="col" { "Criterion" }
                th.wide scope="col" { "Why" }
                @if has_axis { th.wide scope="col" { "Axis" } }
                th.num scope="col" { "Lost" }
                th.num.wide scope="col" { "Score" }
            } }
            tbody {
                @for (one, anchor) in ordered {
                    tr {
                        td { (mark(one.status)) }
                        td { a href=(context.links.criterion_run(one, anchor)) { (text(&one.label)) }
                            @if one.gate { " " span.chip { "gate" } } }
                        td.wide { @if let Some(reason) = &one.reason { code { (text(reason)) } } }
                        @if has_axis { td.wide { (text(one.axis.as_deref().unwrap_or_default())) } }
                        td.num {
                            @if one.weight_lost() > 0.0 { b { (numbers::decimal(one.weight_lost())) } } @else { "0" }
                            span.of { " of " (text(&one.weight)) }
                        }
                        td.num.wide { (numbers::decimal(one.score)) }
                    }
                }
            }
        }
    }
}
