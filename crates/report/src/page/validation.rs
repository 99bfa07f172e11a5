//! Files that were held to their standards, and what is wrong with each.

use candor_check::Status;
use maud::{Markup, html};

use super::Context;
use super::frame::page;
use super::parts::{class, deep, mark};
use super::text::{anchor, text};
use crate::model::{ValidatedFile, Validation, Violation};

/// The most findings of one file, and the most kinds of findings, that a page shows.
const MOST: usize = 200;
const MOST_KINDS: usize = 40;

/// The page of a validation.
#[must_use]
pub fn validation(validation: &Validation, context: &Context<'_>) -> String {
    let (errors, warnings) = validation.counts();
    let (hero, word) = match (errors, warnings) {
        (0, 0) => ("pass", "VALID"),
        (0, _) => ("open", "VALID, WITH WARNINGS"),
        _ => ("fail", "NOT VALID"),
    };
    let groups = validation.grouped();
    let content = html! {
        section.hero.(hero) {
            h1 { "Files held to their standards" }
            div.verdict { p.badge.(hero) { (word) } }
            dl.stats {
                div { dt { "files" } dd { (validation.files.len()) } }
                div { dt { "errors" } dd.fail[errors > 0] { (errors) } }
                div { dt { "warnings" } dd.open[warnings > 0] { (warnings) } }
                @if !validation.skipped.is_empty() { div { dt { "skipped" } dd { (validation.skipped.len()) } } }
            }
        }
        @if groups.iter().any(|group| group.count > 1) {
            section aria-labelledby="kinds" {
                h2 #kinds { "Findings by kind" }
                ol.changes { @for group in groups.iter().take(MOST_KINDS) {
                    li {
                        span.badge.small.(severity(group.first)) { (group.count) " ×" }
                        div {
                            p { b { (text(&group.first.path)) } " " span.chip { (text(&group.first.code)) } }
                            p.sentence { (text(&group.first.sentence())) }
                            p.of { @if group.count > 1 { "first " } "in " (text(group.file)) @if let Some(line) = group.first.line { ", line " (line) } }
                        }
                    }
                } }
                @if groups.len() > MOST_KINDS { p.cut { (groups.len() - MOST_KINDS) " more kinds are not shown here." } }
            }
        }
        section aria-labelledby="files" {
            h2 #files { "Files" }
            @for (at, one) in validation.files.iter().enumerate() { (file(at, one)) }
        }
        @if !validation.skipped.is_empty() {
            section aria-labelledby="skipped" {
                h2 #skipped { "Skipped, because the format is unknown" }
                ul.sources { @for one in validation.skipped.iter().take(MOST) { li { code { (text(one)) } } } }
                @if validation.skipped.len() > MOST { p.cut { (validation.skipped.len() - MOST) " more files are not shown here." } }
            }
        }
    };
    page(context, "Validation", "Files held to their standards", &content)
}

fn severity(one: &Violation) -> &'static str {
    if one.is_warning() { "open" } else { "fail" }
}

fn file(at: usize, one: &ValidatedFile) -> Markup {
    let (errors, warnings) = one.counts();
    let status = match (errors, warnings) {
        (0, 0) => Status::Passed,
        (0, _) => Status::Unverifiable,
        _ => Status::Failed,
    };
    let number = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let left_out = one.findings.len().saturating_sub(MOST) as u64 + one.more_findings;
    html! {
        details.criterion.(class(status)) id=(anchor("", at, &one.file)) open[errors + warnings > 0] {
            summary {
                (mark(status))
                h3 { (text(&one.file)) }
                span.facts {
                    span { (text(&one.standard)) }
                    @match one.units.as_slice() { [] => {} [unit] => { span { (text(unit)) } } units => { span { (units.len()) " parts" } } }
                    @if errors > 0 { span.chip { (number(errors, "error")) } }
                    @if warnings > 0 { span.chip { (number(warnings, "warning")) } }
                }
            }
            div.inside {
                @if one.findings.is_empty() { p { "Nothing is wrong with what was checked." } }
                @else { div.scroll tabindex="0" role="group" aria-label="Findings" { (table(&one.findings, &anchor("", at, &one.file))) } }
                @if left_out > 0 { p.cut { (left_out) " more findings are not shown here; --format json has up to 10,000 of a file." } }
                @if !one.not_looked_at.is_empty() {
                    h4 { "Not checked" }
                    ul.sources { @for what in one.not_looked_at.iter().take(MOST) { li { (text(what)) } } }
                }
            }
        }
    }
}

fn table(findings: &[Violation], id: &str) -> Markup {
    html! {
        table.criteria {
            thead { tr {
                th.num scope="col" { "Line" } th scope="col" { "Where" } th scope="col" { "Found" } th scope="col" { "Expected" }
                th.wide scope="col" { "Code" } th.wide scope="col" { "Part" }
            } }
            tbody { @for (number, one) in findings.iter().take(MOST).enumerate() {
                @let id = format!("{id}-f{number}");
                tr id=(id) {
                    td.num { @match one.line { Some(line) => { (line) } None => { "–" } } }
                    th scope="row" { (deep(Some(&id), &html! { code { (text(&one.path)) } })) @if one.is_warning() { " " span.chip { "warning" } } }
                    td { @match &one.found { Some(found) => { bdi.v { (text(found)) } } None => { i.nothing { "nothing" } } } }
                    td { (text(&one.expected)) }
                    td.wide { code { (text(&one.code)) } }
                    td.wide { (text(&one.unit)) @if !one.rule.is_empty() { " " span.of { (text(&one.rule)) } } }
                }
            } }
        }
    }
}
