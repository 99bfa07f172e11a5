//! Findings in every format.

use std::collections::HashSet;
use std::fmt::Write as _;

use candor::inner::report::model::Stored;
use candor::inner::report::sarif::FileFinding;
use candor::inner::report::{Format, Style, csv_table, github_annotations, stored_result};
use candor::validate::{Finding, Report, Severity};
use candor_json::{Value, json};

use crate::output::printable;

pub(super) fn text(reports: &[Report], skipped: &[String]) -> String {
    let mut text = String::new();
    for report in reports {
        let units = match report.units.as_slice() {
            [] => String::new(),
            [one] => format!(", {one}"),
            several => format!(", {} of them", several.len()),
        };
        let _ = writeln!(text, "{}: {}{units}", printable(&report.file), report.standard.name());
        for finding in &report.findings {
            let _ = writeln!(text, "  {}", line(finding));
        }
        if report.more_findings > 0 {
            let _ = writeln!(text, "  and {} more findings", report.more_findings);
        }
    }
    for file in skipped {
        let _ = writeln!(text, "{}: not looked at, its format is unknown", printable(file));
    }
    let mut not_looked_at = Vec::new();
    for report in reports {
        let limits = report.not_looked_at.iter().map(|what| (report.standard.name(), what));
        not_looked_at.extend(limits);
    }
    // Files of a standard have the same limits: each is there once.
    let mut shown = HashSet::new();
    not_looked_at.retain(|limit| shown.insert(*limit));
    for (standard, what) in not_looked_at {
        let _ = writeln!(text, "not looked at in {standard}: {}", printable(what));
    }
    let all = reports.iter().flat_map(|report| &report.findings);
    let errors = all.clone().filter(|finding| finding.severity == Severity::Error).count();
    let warnings = all.count() - errors;
    let more: usize = reports.iter().map(|report| report.more_findings).sum();
    let number = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let _ = writeln!(
        text,
        "{}, {}, {}",
        number(reports.len(), "file"),
        number(errors + more, "error"),
        number(warnings, "warning")
    );
    text
}

fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn line(finding: &Finding) -> String {
    let severity = severity(finding);
    let line = finding.line.map(|line| format!(" line {line}")).unwrap_or_default();
    printable(&format!("{severity} {}{line}: {}", finding.code, sentence(finding)))
}

fn sentence(finding: &Finding) -> String {
    let unit = if finding.unit.is_empty() { String::new() } else { format!(" ({})", finding.unit) };
    finding.sentence() + &unit
}

fn value(reports: &[Report], skipped: &[String]) -> Value {
    let errors = reports.iter().filter(|report| !report.is_sound()).count();
    json!({ "valid": errors == 0, "files": reports, "skipped": skipped })
}

pub(super) fn json(reports: &[Report], skipped: &[String]) -> Result<String, String> {
    String::from_utf8(candor::inner::report::json::document(&value(reports, skipped)))
        .map_err(|error| error.to_string())
}

/// As `candor report` writes it from the stored JSON.
pub(super) fn stored(reports: &[Report], skipped: &[String], format: Format, style: Style) -> Result<String, String> {
    let read = Stored::of(value(reports, skipped)).map_err(|error| error.to_string())?;
    String::from_utf8(stored_result(&read, format, style)?).map_err(|error| error.to_string())
}

pub(super) fn csv(reports: &[Report]) -> Result<String, String> {
    const COLUMNS: [&str; 11] =
        ["file", "standard", "unit", "severity", "code", "rule", "path", "line", "offset", "expected", "found"];
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let rows = reports.iter().flat_map(|report| {
        report.findings.iter().map(move |finding| {
            vec![
                report.file.clone(),
                report.standard.name().to_owned(),
                finding.unit.clone(),
                severity(finding).to_owned(),
                finding.code.clone(),
                finding.rule.clone(),
                finding.path.clone(),
                number(finding.line),
                number(finding.offset),
                finding.expected.clone(),
                finding.found.clone().unwrap_or_default(),
            ]
        })
    });
    String::from_utf8(csv_table(&COLUMNS, rows)).map_err(|error| error.to_string())
}

pub(super) fn github(reports: &[Report]) -> String {
    let findings: Vec<FileFinding> = reports
        .iter()
        .flat_map(|report| {
            report.findings.iter().map(|finding| FileFinding {
                file: report.file.clone(),
                position: finding.line.and_then(|line| Some((usize::try_from(line).ok()?, 1))),
                severity: severity(finding),
                code: finding.code.clone(),
                message: sentence(finding),
            })
        })
        .collect();
    github_annotations(&findings)
}

/// A suite for each file, a case for each set, message or resource; what is of none is a case of the file.
pub(super) fn junit(reports: &[Report]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut suites = String::new();
    let (mut all, mut failed) = (0, 0);
    for report in reports {
        let of = |unit: &str| -> Vec<&Finding> {
            let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
            errors.filter(|finding| finding.unit == unit).collect()
        };
        let known = |unit: &String| report.units.contains(unit);
        let mut strays: Vec<&String> =
            report.findings.iter().map(|finding| &finding.unit).filter(|unit| !known(unit)).collect();
        strays.sort();
        strays.dedup();
        let mut cases: Vec<(&str, Vec<&Finding>)> = report.units.iter().map(|unit| (unit.as_str(), of(unit))).collect();
        cases.extend(strays.into_iter().map(|unit| (unit.as_str(), of(unit))));
        let failures = cases.iter().filter(|(_, findings)| !findings.is_empty()).count();
        (all, failed) = (all + cases.len(), failed + failures);
        let file = xml(&report.file);
        let _ = writeln!(suites, "  <testsuite name=\"{file}\" tests=\"{}\" failures=\"{failures}\">", cases.len());
        for (unit, findings) in cases {
            let unit = xml(if unit.is_empty() { &report.file } else { unit });
            if findings.is_empty() {
                let _ = writeln!(suites, "    <testcase classname=\"{file}\" name=\"{unit}\"/>");
                continue;
            }
            let _ = writeln!(suites, "    <testcase classname=\"{file}\" name=\"{unit}\">");
            for finding in findings {
                let (code, sentence) = (xml(&finding.code), xml(&line(finding)));
                let _ = writeln!(suites, "      <failure type=\"{code}\" message=\"{sentence}\"/>");
            }
            suites.push_str("    </testcase>\n");
        }
        suites.push_str("  </testsuite>\n");
    }
    let _ = writeln!(text, "<testsuites name=\"candor validate\" tests=\"{all}\" failures=\"{failed}\">");
    text + &suites + "</testsuites>\n"
}

fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
