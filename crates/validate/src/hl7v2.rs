//! HL7 v2: messages against the structure of their version.

use candor_hl7v2::{Message, Path, messages};
use candor_hl7v2_structure::{Fit, Violation, Wanted, check};

use crate::lines::Lines;
use crate::{Finding, Report, Severity, Standard};

/// Validates every message of a file, by the structure that MSH-9 says or by a named one.
#[must_use]
pub fn hl7v2(file: &str, bytes: &[u8], structure: Option<&str>) -> Report {
    let mut report = Report::of(file, Standard::Hl7v2);
    let lines = Lines::of(bytes);
    let mut any = false;
    for (number, item) in (1..).zip(messages(bytes)) {
        any = true;
        match item {
            Ok(message) => of_message(&message, number, structure, &lines, &mut report),
            Err(error) => {
                let offset = error.span.start as u64;
                report.add(Finding {
                    code: "207".to_owned(),
                    rule: "reading".to_owned(),
                    severity: Severity::Error,
                    unit: format!("message {number}"),
                    path: "$readable".to_owned(),
                    line: Some(lines.line(offset)),
                    offset: Some(offset),
                    expected: "a message that can be read".to_owned(),
                    found: Some(error.kind.to_string()),
                });
            }
        }
    }
    if !any {
        report.add(Finding {
            code: "207".to_owned(),
            rule: "reading".to_owned(),
            severity: Severity::Error,
            unit: String::new(),
            path: "MSH".to_owned(),
            line: Some(1),
            offset: Some(0),
            expected: "a message".to_owned(),
            found: None,
        });
    }
    report
}

fn text(message: &Message<'_>, path: &str) -> String {
    let path = Path::parse(path).ok();
    let value = path.as_ref().and_then(|path| path.select(message).next());
    value.map(|value| value.text().text.into_owned()).unwrap_or_default()
}

/// What a person calls a message: `message 2 (ADT^A01 MSG7)`.
fn unit(message: &Message<'_>, number: usize) -> String {
    let parts = [text(message, "MSH.9.1"), text(message, "MSH.9.2")];
    let kind = parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("^");
    format!("message {number} ({kind} {})", text(message, "MSH.10")).replace(" )", ")")
}

fn of_message(message: &Message<'_>, number: usize, structure: Option<&str>, lines: &Lines, report: &mut Report) {
    let unit = unit(message, number);
    report.read(&unit);
    for violation in violations(message, structure, &unit, report) {
        let offset = violation.span.start as u64;
        let place = if violation.group.is_empty() { String::new() } else { format!("{}.", violation.group) };
        report.add(Finding {
            code: violation.code.to_string(),
            rule: "structure".to_owned(),
            severity: Severity::Error,
            unit: unit.clone(),
            path: format!("{place}{}", violation.path),
            line: Some(lines.line(offset)),
            offset: Some(offset),
            expected: violation.expected,
            found: violation.actual,
        });
    }
}

/// What is wrong with one message; what is not known is left out.
fn violations(message: &Message<'_>, structure: Option<&str>, unit: &str, report: &mut Report) -> Vec<Violation> {
    match check(message, structure.map_or(Wanted::ByMessage, Wanted::Named)) {
        Fit::Checked(checked) => {
            report.more_findings += checked.more;
            report.leave_out("conditional fields, lengths, codes of user-defined tables, components".to_owned());
            checked.violations
        }
        Fit::UnknownVersion(version) => {
            report.leave_out(format!("{unit}: there are no tables of version {version:?} (MSH-12)"));
            Vec::new()
        }
        Fit::UnknownStructure { version, name } => {
            report.leave_out(format!("{unit}: version {version} has no structure {name:?}"));
            Vec::new()
        }
    }
}

pub(crate) fn faults(message: &Message<'_>, structure: Option<&str>) -> Vec<Violation> {
    violations(message, structure, "", &mut Report::of("", Standard::Hl7v2))
}
