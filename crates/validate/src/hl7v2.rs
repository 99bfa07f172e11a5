//! HL7 v2: messages against the structure of their version.

use candor_hl7_structural::Conformance;
use candor_hl7v2::{Enclosing, Ending, Message, Path, Trailer, messages};
use candor_hl7v2_structure::{Fit, Violation, Wanted, check};

use crate::lines::Lines;
use crate::{Finding, Report, Severity, Standard};

/// Validates every message of a file, by the structure that MSH-9 says or by a named one.
#[must_use]
pub fn hl7v2(file: &str, bytes: &[u8], structure: Option<&str>) -> Report {
    hl7v2_by_profile(file, bytes, structure, None)
}

/// As [`hl7v2()`], and by what a receiver asks for beyond the standard.
#[must_use]
pub fn hl7v2_by_profile(file: &str, bytes: &[u8], structure: Option<&str>, profile: Option<&Conformance>) -> Report {
    let mut report = Report::of(file, Standard::Hl7v2);
    let lines = Lines::of(bytes);
    let (mut reading, mut number, mut is_ended) = (messages(bytes), 0, true);
    while let Some(item) = reading.next() {
        number += 1;
        match item {
            Ok(message) => {
                is_ended = message.is_terminated();
                of_message(&message, number, structure, &lines, &mut report);
                if let Some(profile) = profile {
                    of_profile(&message, number, profile, &lines, &mut report);
                }
            }
            Err(error) => {
                let unit = format!("message {number}");
                report.add(unread(
                    unit,
                    error.span.start,
                    &lines,
                    "a message that can be read",
                    error.kind.to_string(),
                ));
            }
        }
        reading.trailers().for_each(|trailer| of_trailer(&trailer, &lines, &mut report));
    }
    reading.trailers().for_each(|trailer| of_trailer(&trailer, &lines, &mut report));
    match reading.ending() {
        Ending::Open if is_ended => {}
        Ending::Open => report.leave_out("whether the last segment is whole: it has no terminator".to_owned()),
        Ending::Nuls { offset, length } => {
            let found = format!("{length} NUL bytes, as a crash leaves them");
            report.add(unread(String::new(), offset, &lines, "the end of the last message", found));
        }
        Ending::NoTrailer { ended: true, .. } => {
            report.leave_out("whether messages are missing: a batch has no trailer".to_owned());
        }
        Ending::NoTrailer { offset, .. } => {
            let found = "a batch that breaks off in its last line".to_owned();
            report.add(unread(String::new(), offset, &lines, "a batch with its trailer", found));
        }
    }
    if number == 0 {
        report.add(Finding {
            path: "MSH".to_owned(),
            found: None,
            ..unread(String::new(), 0, &lines, "a message", String::new())
        });
    }
    report
}

fn unread(unit: String, offset: usize, lines: &Lines, expected: &str, found: String) -> Finding {
    let offset = offset as u64;
    Finding {
        code: "207".to_owned(),
        rule: "reading".to_owned(),
        severity: Severity::Error,
        unit,
        path: "$readable".to_owned(),
        line: Some(lines.line(offset)),
        offset: Some(offset),
        expected: expected.to_owned(),
        found: Some(found),
    }
}

fn of_trailer(trailer: &Trailer, lines: &Lines, report: &mut Report) {
    let Some(found) = trailer.found.filter(|_| !trailer.is_right()) else { return };
    let (path, what) = match trailer.encloses {
        Enclosing::Batch => ("BTS.1", "messages"),
        Enclosing::File => ("FTS.1", "batches"),
    };
    let declared = trailer.declared.clone();
    report.add(Finding {
        code: "wrong-count".to_owned(),
        rule: "batch".to_owned(),
        path: path.to_owned(),
        ..unread(String::new(), trailer.span.start, lines, &format!("{found}, the number of {what}"), declared)
    });
}

fn text(message: &Message<'_>, path: &str) -> String {
    let path = Path::parse(path).ok();
    let value = path.as_ref().and_then(|path| path.select(message).next());
    value.map(|value| value.text().text.into_owned()).unwrap_or_default()
}

/// A person's name for a message: `message 2 (ADT^A01 MSG7)`.
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

fn of_profile(message: &Message<'_>, number: usize, profile: &Conformance, lines: &Lines, report: &mut Report) {
    let unit = unit(message, number);
    let Some((departures, more)) = profile.departures(message) else {
        report.leave_out(format!("{unit}: no rule of the profile applies"));
        return;
    };
    report.more_findings += more;
    for departure in departures {
        report.add(Finding {
            code: departure.code,
            rule: "profile".to_owned(),
            severity: if departure.is_warning { Severity::Warning } else { Severity::Error },
            unit: unit.clone(),
            path: departure.path,
            line: Some(lines.line(departure.offset)),
            offset: Some(departure.offset),
            expected: departure.expected,
            found: departure.actual,
        });
    }
}

/// The violations of a message; what Candor does not know is left out.
fn violations(message: &Message<'_>, structure: Option<&str>, unit: &str, report: &mut Report) -> Vec<Violation> {
    match check(message, structure.map_or(Wanted::ByMessage, Wanted::Named)) {
        Fit::Checked(checked) => {
            report.more_findings += checked.more;
            report.leave_out(
                "conditional fields, lengths, codes of other tables than 0125 and 0354, components".to_owned(),
            );
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
