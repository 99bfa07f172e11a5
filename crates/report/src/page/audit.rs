//! An audit: kill rates by criterion, and every survivor with what would kill it.

use maud::{Markup, html};

use super::Context;
use super::frame::page;
use super::parts::{deep, legend};
use super::text::{anchor, text};
use crate::model::{Audit, AuditedCriterion, Survivor, Tried};

/// The most survivors of one criterion that a page shows.
const MOST: usize = 100;

const WORDS: &[(&str, &str)] = &[
    ("mutant", "A copy of the finished work with one change. A criterion kills it when it no longer passes."),
    ("leaf", "An asserted value was deleted or replaced. Every one must be killed."),
    (
        "harm",
        "The work was made wrong, and every asserted value was left as it is. Every one must be killed, or be covered: killed by another criterion.",
    ),
    ("breach", "What must not be there was added. Every one must be killed."),
    ("equivalence", "The same work in another form. Every one must be accepted."),
    ("survivor", "A mutant that was not killed, or an equivalent that was not accepted."),
    ("empty, before", "The criterion where nothing is there, and in the state before the work began."),
    (
        "verdict, order",
        "Whether the criterion can change the verdict, and whether the order of files changes the criterion.",
    ),
];

/// The page of an audit.
#[must_use]
pub fn audit(audit: &Audit, context: &Context<'_>) -> String {
    let survivors: usize = audit.criteria.iter().map(|one| one.survivors.len()).sum();
    let content = html! {
        section.hero.(class(&audit.grade)) {
            h1 { (text(&audit.task_id)) }
            p.ids { span { (audit.mutants) " mutants" } span { "seed " (audit.seed) } }
            div.verdict {
                p.badge.(class(&audit.grade)) { (text(&audit.grade.to_uppercase())) }
                dl.stats { @for (probe, tried) in &audit.totals { (rate(probe, *tried)) } }
            }
            p.lead { (meaning(&audit.grade)) }
            @for finding in &audit.findings { p.notice { (text(finding)) } }
            (legend(WORDS))
        }
        section.summary aria-labelledby="summary" {
            h2 #summary { "Criteria" }
            div.scroll tabindex="0" role="group" aria-label="Criteria" { (table(audit)) }
        }
        section aria-labelledby="survivors" {
            h2 #survivors { "Survivors" }
            @if survivors == 0 { p { "No mutant survived." } }
            @for (at, one) in audit.criteria.iter().enumerate() { (criterion(at, one)) }
        }
    };
    page(context, "Audit", &audit.task_id, &content)
}

fn class(grade: &str) -> &'static str {
    match grade {
        "proven" => "pass",
        "weak" => "part",
        "broken" => "fail",
        _ => "open",
    }
}

fn meaning(grade: &str) -> &'static str {
    match grade {
        "proven" => "Every criterion goes red when the work is wrong, and stays green when only its form changes.",
        "weak" => "Some wrong work passes, or some right work in another form does not.",
        "broken" => "A criterion cannot go red, or a value that it asserts may be anything.",
        _ => "Not every criterion could be audited.",
    }
}

fn rate(probe: &str, tried: Tried) -> Markup {
    let good = if probe == "equivalence" { "accepted" } else { "killed" };
    html! { div { dt { (text(probe)) } dd { (tried.good) " / " (tried.tried) span.of { (good) @if tried.covered > 0 { ", " (tried.covered) " covered" } } } } }
}

fn table(audit: &Audit) -> Markup {
    let probes = ["leaf", "harm", "breach", "equivalence"];
    let any = |probe: &&str| {
        audit.criteria.iter().any(|one| one.probes.iter().any(|(name, tried)| name == probe && tried.tried > 0))
    };
    let probes: Vec<&str> = probes.into_iter().filter(any).collect();
    html! {
        table.audited {
            thead { tr {
                th scope="col" { "Criterion" } th scope="col" { "Grade" } th scope="col" { "Empty" } th scope="col" { "Before" }
                @for probe in &probes { th.num scope="col" { (probe) } }
                th scope="col" { "Verdict" } th scope="col" { "Order" } th.num scope="col" { "Survivors" }
            } }
            tbody { @for (at, one) in audit.criteria.iter().enumerate() {
                tr {
                    th scope="row" { a href=(format!("#{}", anchor("", at, &one.criterion_id))) { (text(&one.criterion_id)) } }
                    td { span.badge.small.(class(&one.grade)) { (text(&one.grade)) } }
                    td { (text(&one.null.replace('_', " "))) }
                    td { (text(&one.baseline.replace('_', " "))) }
                    @for probe in &probes {
                        td.num { @match one.probes.iter().find(|(name, tried)| name == probe && tried.tried > 0) {
                            Some((_, tried)) => { (tried.good) "/" (tried.tried) @if tried.covered > 0 { span.of { " +" (tried.covered) } } }
                            None => { "–" }
                        } }
                    }
                    td { (text(&one.influence.replace('_', " "))) }
                    td { (text(&one.order.replace('_', " "))) }
                    td.num { (one.survivors.len()) }
                }
            } }
        }
    }
}

fn criterion(at: usize, one: &AuditedCriterion) -> Markup {
    let id = anchor("", at, &one.criterion_id);
    html! {
        details.criterion.(class(&one.grade)) id=(id) open[!one.survivors.is_empty()] {
            summary { h3 { (text(&one.criterion_id)) } span.facts { span.chip { (text(&one.grade)) } span { (one.survivors.len()) " survivors" } } }
            div.inside {
                @if let Some(details) = &one.details { p.sentence { (text(&one.status)) ": " (text(details)) } }
                @if one.survivors.is_empty() && one.details.is_none() { p { "Nothing survived." } }
                @for (number, survivor) in one.survivors.iter().take(MOST).enumerate() { (survived(survivor, &format!("{id}-s{number}"))) }
                @if one.survivors.len() > MOST { p.cut { (one.survivors.len() - MOST) " more survivors are not shown here." } }
            }
        }
    }
}

/// Changed bytes of a source, on the lines on which they are.
fn bytes(changed: &str) -> Markup {
    match changed.is_empty() {
        true => html! { i.nothing { "nothing" } },
        false => html! { bdi.v { (super::text::lines(changed)) } },
    }
}

fn survived(survivor: &Survivor, id: &str) -> Markup {
    html! {
        article.survivor id=(id) {
            h4 { (deep(Some(id), &html! { code { (text(&survivor.operator)) } })) " " span.chip { (text(&survivor.probe)) } @if survivor.accepted.is_some() { " " span.chip { "accepted" } } }
            p.sentence { (text(&survivor.sentence)) }
            @if let Some(why) = &survivor.accepted { p { "Accepted, because " (text(why)) } }
            @if !(survivor.before.is_empty() && survivor.after.is_empty()) {
                dl.pair {
                    div { dt { "before" } dd { (bytes(&survivor.before)) } }
                    div { dt { "after" } dd { (bytes(&survivor.after)) } }
                }
            }
            @if !survivor.locator.is_empty() { p.at { code { (text(&survivor.locator)) } } }
            @if let Some(suggestion) = &survivor.suggestion {
                p { "This, merged into the assertion, kills it:" }
                pre.copy tabindex="0" aria-label="suggestion" { code { (super::text::lines(&format!("{suggestion:#}"))) } }
            }
        }
    }
}
