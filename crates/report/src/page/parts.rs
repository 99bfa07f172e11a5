//! Parts that several pages have.

use candor_check::Status;
use candor_json::Value;
use candor_scoring::Verdict;
use maud::{Markup, html};

use super::alike::alike;
use super::marks::{Piece, marked};
use super::names::Standard;
use super::text::{cut, escaped, text};
pub(super) use crate::markdown::mark as sign;
use crate::model::{Axis, Entry, FieldEntry, PhraseEntry, Place, TaskOutcome, TaskRun};
use crate::numbers;

pub(super) fn class(status: Status) -> &'static str {
    match status {
        Status::Passed => "pass",
        Status::Failed => "fail",
        Status::Unverifiable => "open",
    }
}

pub(super) fn mark(status: Status) -> Markup {
    html! { span.mark.(class(status)) role="img" aria-label=(status.name()) { (sign(status)) } }
}

/// The colour of a verdict: a pass in which something failed is not green.
pub(super) fn verdict_class(outcome: &TaskOutcome) -> &'static str {
    match (outcome.conclusive, outcome.verdict) {
        _ if outcome.invalid.is_some() => "open",
        (false, _) => "open",
        (true, Verdict::Pass) if outcome.failures.is_some() => "open",
        (true, Verdict::Pass) => "pass",
        (true, Verdict::Partial) => "part",
        (true, Verdict::Fail) => "fail",
    }
}

pub(super) fn verdict(outcome: &TaskOutcome, threshold: bool) -> Markup {
    html! {
        div.verdict {
            p.badge.(verdict_class(outcome)) { (numbers::headline(outcome)) }
            div.score {
                p { span.number { (numbers::decimal(outcome.score)) } span.of { " score" }
                    @if let Some((low, high)) = numbers::ends(outcome.interval) { span.of { ", between " (low) " and " (high) } }
                }
                (bar(outcome.score, outcome.interval, threshold))
                @if outcome.coverage < 1.0 {
                    p.of { (numbers::score(outcome.coverage * 100.0)) " % of the weight could be verified" }
                }
            }
        }
        @if !outcome.conclusive {
            p.notice { b { "Not conclusive." } " What could not be verified may change the verdict." }
        }
    }
}

/// A score as a bar: what was reached, what is open, and the threshold of a pass.
pub(super) fn bar(score: f64, (low, high): (f64, f64), threshold: bool) -> Markup {
    let width = |part: f64| format!("{:.2}", (part * 100.0).clamp(0.0, 100.0));
    html! {
        svg.bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect.track x="0" y="0" width="100" height="4" {}
            rect.range x=(width(low)) y="0" width=(width(high - low)) height="4" {}
            rect.fill x="0" y="0" width=(width(score)) height="4" {}
            @if threshold { rect.tick x="89.8" y="0" width="0.4" height="4" {} }
        }
    }
}

pub(super) fn axes(axes: &[Axis]) -> Markup {
    if axes.iter().all(|axis| axis.name == "__default__") {
        return html! {};
    }
    html! {
        section.axes aria-label="Axes" {
            @for axis in axes {
                div.axis {
                    span.name { @if axis.name == "__default__" { "no axis" } @else { (text(&axis.name)) } }
                    span.value { (numbers::decimal(axis.score))
                        @if let Some(interval) = numbers::interval(axis.interval) { " " (interval) }
                    }
                    (bar(axis.score, axis.interval, false))
                    span.of {
                        @if let Some(weight) = &axis.weight { "weight " (text(weight)) }
                        @if let Some(runs) = axis.task_runs { (runs) @if runs == 1 { " task run" } @else { " task runs" } }
                    }
                }
            }
        }
    }
}

/// A value as it is compared: JSON, without the quotation marks of a text, which are shown apart.
pub(super) fn value(value: &Value) -> Markup {
    match value {
        Value::Null => html! { i.nothing { "nothing" } },
        Value::String(string) => html! { bdi.v { span.q { "\"" } (text(string)) span.q { "\"" } } },
        other => html! { bdi.v { (text(&other.to_string())) } },
    }
}

fn pieces(parts: &[Piece], quoted: bool) -> Markup {
    html! {
        bdi.v {
            @if quoted { span.q { "\"" } }
            @for (part, differs) in parts {
                @if *differs { mark { (escaped(part)) } } @else { (escaped(part)) }
            }
            @if quoted { span.q { "\"" } }
        }
    }
}

/// Both values, what differs marked inside them.
fn pair(expected: &Value, actual: &Value) -> (Markup, Markup) {
    let shown = |value: &Value| match value {
        Value::String(text) => Some((text.clone(), true)),
        Value::Number(number) => Some((number.to_string(), false)),
        Value::Bool(flag) => Some((flag.to_string(), false)),
        _ => None,
    };
    match (shown(expected), shown(actual)) {
        (Some((left, left_quoted)), Some((right, right_quoted)))
            if left != right && cut(&left).1.is_none() && cut(&right).1.is_none() =>
        {
            let (left, right) = marked(&left, &right);
            (pieces(&left, left_quoted), pieces(&right, right_quoted))
        }
        _ => (value(expected), value(actual)),
    }
}

pub(super) fn place(place: &Place) -> Markup {
    html! {
        span.place {
            code { (text(&place.locator)) }
            @if let Some((start, end)) = place.span { " bytes " (start) "–" (end) }
        }
    }
}

pub(super) fn entry(entry: &Entry, standard: Standard, id: Option<&str>) -> Markup {
    match entry {
        Entry::Field(field) => field_entry(field, standard, id),
        Entry::Phrase(phrase) => phrase_entry(phrase, id),
    }
}

pub(super) fn field_entry(field: &FieldEntry, standard: Standard, id: Option<&str>) -> Markup {
    field_pair(field, standard, id, ("expected", "found"))
}

pub(super) fn field_pair(
    field: &FieldEntry,
    standard: Standard,
    id: Option<&str>,
    (left, right): (&str, &str),
) -> Markup {
    let status = if field.passed { Status::Passed } else { Status::Failed };
    let compared = field.op.is_none() && !field.passed;
    let (expected, actual) = match compared {
        true => pair(&field.expected, &field.actual),
        false => (value(&field.expected), value(&field.actual)),
    };
    let meaning = |value: &Value| match value {
        Value::String(code) => standard.code(&field.path, code),
        _ => None,
    };
    let alike = match (&field.expected, &field.actual) {
        (Value::String(left), Value::String(right)) if compared => alike(left, right),
        _ => None,
    };
    html! {
        li.field.(class(status)) id=[id] {
            div.path {
                (mark(status)) "\u{a0}" (deep(id, &html! { code { (text(&field.path)) } }))
                @if let Some(words) = standard.path(&field.path) { span.words { (text(&words)) } }
            }
            dl.pair {
                div {
                    dt { (left) }
                    dd {
                        @if let Some(op) = &field.op { span.op { (text(operator(op))) } " " }
                        @if !(field.op.is_some() && field.expected.is_null()) { (expected) }
                        @if let Some(words) = meaning(&field.expected) { span.means { (words) } }
                    }
                }
                div {
                    dt { (right) }
                    dd {
                        (actual)
                        @if let Some(words) = meaning(&field.actual) { span.means { (words) } }
                        @if let Some(reason) = &field.reason { " " span.chip { (text(reason)) } }
                        @for rule in &field.rules { " " span.chip { "equal by " (text(rule)) } }
                        @if let Some(alike) = &alike { p.of { (text(alike)) } }
                    }
                }
            }
            @if let Some(source) = &field.source { div.at { (place(source)) } }
        }
    }
}

/// An operator in words, where its name is not one.
fn operator(name: &str) -> &str {
    match name {
        "notEquals" => "anything but",
        "in" => "one of",
        "notIn" => "none of",
        "greaterThan" => "greater than",
        "greaterOrEqual" => "at least",
        "lessThan" => "less than",
        "lessOrEqual" => "at most",
        "notContains" => "does not contain",
        "notEmpty" => "something",
        "empty" => "nothing",
        name => name,
    }
}

pub(super) fn deep(id: Option<&str>, name: &Markup) -> Markup {
    html! { @match id { Some(id) => { a.deep href=(format!("#{id}")) { (name) } } None => { (name) } } }
}

fn phrase_entry(phrase: &PhraseEntry, id: Option<&str>) -> Markup {
    let status = if phrase.passed { Status::Passed } else { Status::Failed };
    html! {
        li.field.(class(status)) id=[id] {
            div.path {
                (mark(status)) "\u{a0}" (deep(id, &html! { bdi.v { span.q { "“" } (text(&phrase.phrase)) span.q { "”" } } }))
                span.words { @if phrase.forbidden { "must not be said" } @else { "must be said" } }
            }
            dl.pair {
                div {
                    dt { "said" }
                    dd {
                        @match (&phrase.quote, phrase.found) {
                            (Some(quote), true) => { q.quote { (text(quote)) } }
                            (Some(quote), false) => { i.nothing { "no; the nearest is " } q.quote { (text(quote)) } }
                            (None, true) => { "yes" }
                            (None, false) => { i.nothing { "no" } }
                        }
                        @if let Some(reason) = &phrase.reason { " " span.chip { (text(reason)) } }
                    }
                }
            }
            @if phrase.turn.is_some() || phrase.source.is_some() {
                div.at {
                    @if let Some(turn) = phrase.turn { "turn " (turn) " of the call, " }
                    @if let Some(source) = &phrase.source { (place(source)) }
                }
            }
        }
    }
}

pub(super) fn legend(words: &[(&str, &str)]) -> Markup {
    html! {
        details.more {
            summary { "How to read this page" }
            dl.legend { @for (word, meaning) in words { div { dt { (word) } dd { (meaning) } } } }
        }
    }
}

/// How long an agent took, what it gained by further answers, and where its world is.
pub(super) fn agent(task: &TaskRun) -> Markup {
    let Some(agent) = &task.agent else { return html! {} };
    html! {
        @if let Some(seconds) = agent.seconds { (format!(", {seconds:.1} s of work")) }
        @if let Some(gained) = agent.gained { (format!(", {gained:+.2} with the last answer")) }
        @if let Some(kept) = &agent.kept { ", its world is in " code { (text(kept)) } }
    }
}
