//! The difference of two states, record by record.

use maud::{Markup, html};

use super::Context;
use super::frame::page;
use super::names::Standard;
use super::parts::field_pair;
use super::text::{anchor, text};
use crate::model::{ChangedRecord, Difference, FieldEntry};

/// The most records that a page shows, and the most fields of one.
const MOST: usize = 500;

/// The page of a difference.
#[must_use]
pub fn difference(difference: &Difference, context: &Context<'_>) -> String {
    let (added, removed, changed) = difference.counts;
    let hero = if !difference.unread.is_empty() {
        "open"
    } else if difference.records.is_empty() {
        "pass"
    } else {
        "part"
    };
    let mut parts: Vec<&str> = difference.records.iter().map(|record| record.part.as_str()).collect();
    parts.sort_unstable();
    parts.dedup();
    let content = html! {
        section.hero.(hero) {
            h1 { "What changed" }
            dl.stats {
                div { dt { "added" } dd { (added) } }
                div { dt { "removed" } dd { (removed) } }
                div { dt { "changed" } dd { (changed) } }
            }
            @if difference.records.is_empty() { p.lead { "No record differs." } }
            @for unread in &difference.unread { p.notice { b { "Not compared: " } (text(unread)) } }
        }
        @for part in &parts {
            section {
                h2 { (text(part)) }
                @for (at, record) in difference.records.iter().enumerate().filter(|(_, record)| record.part == **part).take(MOST) { (changed_record(at, record)) }
                @let more = difference.records.iter().filter(|record| record.part == **part).count().saturating_sub(MOST);
                @if more > 0 { p.cut { (more) " more records are not shown here; --format json has all of them." } }
            }
        }
    };
    page(context, "Difference", "What changed", &content)
}

fn changed_record(at: usize, record: &ChangedRecord) -> Markup {
    let id = anchor("", at, "");
    let standard = Standard::of_part(&record.part);
    let (class, sign) = match record.change.as_str() {
        "added" => ("pass", "+"),
        "removed" => ("fail", "−"),
        _ => ("part", "~"),
    };
    html! {
        details.criterion.(class) id=(id) open[!record.fields.is_empty()] {
            summary { span.mark.(class) aria-hidden="true" { (sign) } h3 { (text(&record.record)) } span.facts { span.chip { (text(&record.change)) } } }
            div.inside {
                @if record.fields.is_empty() { p { "The whole record was " (text(&record.change)) "." } }
                @else { ul.fields.states { @for (number, (path, before, after)) in record.fields.iter().take(MOST).enumerate() {
                    (field(path, before, after, standard, &format!("{id}-f{number}")))
                } } }
                @if record.fields.len() > MOST { p.cut { (record.fields.len() - MOST) " more fields are not shown here." } }
            }
        }
    }
}

fn field(path: &str, before: &candor_json::Value, after: &candor_json::Value, standard: Standard, id: &str) -> Markup {
    let entry = FieldEntry {
        path: path.to_owned(),
        expected: before.clone(),
        actual: after.clone(),
        passed: false,
        op: None,
        rules: Vec::new(),
        reason: None,
        source: None,
    };
    field_pair(&entry, standard, Some(id), ("before", "after"))
}
