//! Audits and differences for a person, as text and as Markdown.

use std::fmt::Write as _;

use candor_check::evidence::quoted;

use crate::escape::{markdown, plain};
use crate::model::{Audit, AuditedCriterion, ChangedRecord, Difference, Survivor, Tried};

fn rate((probe, tried): &(String, Tried)) -> String {
    let covered = if tried.covered > 0 { format!(" (+{} covered)", tried.covered) } else { String::new() };
    let good = if probe == "equivalence" { "accepted" } else { "killed" };
    format!("{probe}: {} of {} {good}{covered}", tried.good, tried.tried)
}

/// A mutant that was not killed survived; an equivalent that was not accepted was rejected.
fn end(survivor: &Survivor) -> &'static str {
    if survivor.probe == "equivalence" { "rejected" } else { "survived" }
}

fn rates(criterion: &AuditedCriterion) -> String {
    criterion.probes.iter().filter(|(_, tried)| tried.tried > 0).map(rate).collect::<Vec<_>>().join(", ")
}

pub(crate) fn audit_text(audit: &Audit) -> String {
    let mut out = format!("{}: {}, {} mutants\n", plain(&audit.task_id), plain(&audit.grade), audit.mutants);
    // Writing into a string does not fail.
    for one in &audit.criteria {
        let _ = writeln!(out, "{}  {}  {}", plain(&one.criterion_id), plain(&one.grade), plain(&rates(one)));
        if let Some(details) = &one.details {
            let _ = writeln!(out, "    {}: {}", plain(&one.status), plain(details));
        }
        for survivor in &one.survivors {
            let _ = writeln!(out, "    {} {}: {}", end(survivor), plain(&survivor.operator), plain(&survivor.sentence));
            if let Some(suggestion) = &survivor.suggestion {
                let _ = writeln!(out, "        add {}", plain(&suggestion.to_string()));
            }
            if let Some(why) = &survivor.accepted {
                let _ = writeln!(out, "        accepted: {}", plain(why));
            }
        }
    }
    for finding in &audit.findings {
        let _ = writeln!(out, "{}", plain(finding));
    }
    out
}

pub(crate) fn audit_markdown(audit: &Audit) -> String {
    let mut out = format!(
        "# {}\n\nAudit: **{}**, {} mutants.\n",
        markdown(&audit.task_id),
        markdown(&audit.grade),
        audit.mutants
    );
    out += "\n| criterion | grade | mutants | survivors |\n| --- | --- | --- | --- |\n";
    for one in &audit.criteria {
        let (id, grade) = (markdown(&one.criterion_id), markdown(&one.grade));
        let _ = writeln!(out, "| {id} | {grade} | {} | {} |", markdown(&rates(one)), one.survivors.len());
    }
    let mut first = true;
    for one in &audit.criteria {
        for survivor in &one.survivors {
            if std::mem::take(&mut first) {
                out.push('\n');
            }
            let (id, operator) = (markdown(&one.criterion_id), markdown(&survivor.operator));
            let accepted = survivor.accepted.as_ref().map(|why| format!(" Accepted: {}", markdown(why)));
            let accepted = accepted.unwrap_or_default();
            let _ =
                writeln!(out, "- **{id}** {} {operator}: {}{accepted}", end(survivor), markdown(&survivor.sentence));
        }
    }
    for finding in &audit.findings {
        let _ = writeln!(out, "\n{}", markdown(finding));
    }
    out
}

pub(crate) fn audit_complaints(audit: &Audit) -> Vec<(&str, Option<String>)> {
    let complaint = |one: &AuditedCriterion| match one.grade.as_str() {
        "proven" => None,
        grade => {
            let survivors = one.survivors.iter().map(|survivor| survivor.sentence.clone());
            let why: Vec<String> = one.details.iter().cloned().chain(survivors).collect();
            Some(format!("{grade}. {}", why.join(" ")).trim().to_owned())
        }
    };
    audit.criteria.iter().map(|one| (one.criterion_id.as_str(), complaint(one))).collect()
}

fn mark(record: &ChangedRecord) -> &'static str {
    match record.change.as_str() {
        "added" => "+",
        "removed" => "-",
        _ => "~",
    }
}

pub(crate) fn difference_text(difference: &Difference) -> String {
    let mut out = String::new();
    for record in &difference.records {
        let _ = writeln!(out, "{} {}:{}", mark(record), plain(&record.part), plain(&record.record));
        for (path, before, after) in &record.fields {
            let (before, after) = (plain(&quoted(before)), plain(&quoted(after)));
            let _ = writeln!(out, "    {}: {before} -> {after}", plain(path));
        }
    }
    for unread in &difference.unread {
        let _ = writeln!(out, "not compared: {}", plain(unread));
    }
    let (added, removed, changed) = difference.counts;
    let _ = writeln!(out, "{added} added, {removed} removed, {changed} changed.");
    out
}

pub(crate) fn difference_markdown(difference: &Difference) -> String {
    let (added, removed, changed) = difference.counts;
    let mut out = format!("**{added} added, {removed} removed, {changed} changed.**\n");
    if !difference.records.is_empty() {
        out += "\n| | record | field | before | after |\n| --- | --- | --- | --- | --- |\n";
    }
    for record in &difference.records {
        let name = markdown(&format!("{}:{}", record.part, record.record));
        if record.fields.is_empty() {
            let _ = writeln!(out, "| {} | {name} | | | |", mark(record));
        }
        for (path, before, after) in &record.fields {
            let (before, after) = (markdown(&quoted(before)), markdown(&quoted(after)));
            let _ = writeln!(out, "| {} | {name} | {} | {before} | {after} |", mark(record), markdown(path));
        }
    }
    for (at, unread) in difference.unread.iter().enumerate() {
        let lead = if at == 0 { "\n" } else { "" };
        let _ = writeln!(out, "{lead}- not compared: {}", markdown(unread));
    }
    out
}
