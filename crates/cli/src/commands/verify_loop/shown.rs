//! The record of a loop as a person or a program reads it.

use std::fmt::Write as _;

use candor_report::{Format, Style};
use candor_verification::{AttemptOutcome, Claim, LoopOutcome, LoopRecord, VerifierVerdict, plain};

/// A record in a format.
pub(super) fn record(record: &LoopRecord, format: Format, style: Style) -> Result<Vec<u8>, String> {
    match format {
        Format::Json => {
            let mut bytes = serde_json::to_vec_pretty(record).map_err(|e| e.to_string())?;
            bytes.push(b'\n');
            Ok(bytes)
        }
        Format::Ndjson => {
            let mut end = serde_json::to_value(record).map_err(|e| e.to_string())?;
            if let Some(end) = end.as_object_mut() {
                end.remove("attempts");
            }
            let attempts = record.attempts.iter().map(serde_json::to_string);
            let lines = attempts.chain([serde_json::to_string(&end)]).map(|line| line.map(|line| line + "\n"));
            lines.collect::<Result<String, _>>().map(String::into_bytes).map_err(|e| e.to_string())
        }
        Format::Text => Ok(text(record, style).into_bytes()),
        Format::Junit | Format::Markdown => writes(format).map(|()| Vec::new()),
    }
}

/// Refuses a format that no record is written in.
pub(super) fn writes(format: Format) -> Result<(), String> {
    match format {
        Format::Json | Format::Ndjson | Format::Text => Ok(()),
        Format::Junit | Format::Markdown => {
            Err("`candor loop` writes text, json or ndjson; give --format one of these".to_owned())
        }
    }
}

fn text(record: &LoopRecord, style: Style) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{text}");
    };
    for attempt in &record.attempts {
        let (mark, color) = match attempt.outcome {
            AttemptOutcome::Passed => ("✓", 32),
            AttemptOutcome::Failed => ("✗", 31),
            AttemptOutcome::Unverifiable => ("?", 33),
            AttemptOutcome::Broken => ("!", 33),
        };
        let mark = if style.color { format!("\u{1b}[{color}m{mark}\u{1b}[0m") } else { mark.to_owned() };
        let score = attempt.score.as_ref().map(|score| format!("  score {score}")).unwrap_or_default();
        line(&format!("{mark} attempt {}{score}", attempt.attempt + 1));
        if let Some(error) = &attempt.delegate_error {
            line(&format!("    the delegate broke off: {}", indented(error)));
        } else if let Some(said) = plain(&attempt.claim.response).lines().next() {
            line(&format!("    it said: {}", said.chars().take(style.width).collect::<String>()));
        }
        if let Some(named) = outputs(&attempt.claim) {
            line(&format!("    the delegate names these outputs: {named}"));
        }
        if let Some(reason) = &attempt.reason {
            line(&format!("    {}", indented(reason)));
        }
        for hook in attempt.hooks.iter().filter(|hook| hook.action != "allow") {
            line(&format!("    hook {}: {}", plain(&hook.name), hook.action));
        }
        for flag in &attempt.flags {
            line(&format!("    flag: {flag}"));
        }
    }
    let end = match record.outcome {
        LoopOutcome::Passed => match with_failures(record) {
            Some(failures) => format!("passed, {failures}"),
            None => "passed: the work is verified".to_owned(),
        },
        LoopOutcome::VerificationFailed => {
            format!("verification_failed: escalated to a human after {} attempts", record.attempts.len())
        }
        LoopOutcome::Unverifiable => {
            format!("unverifiable: {}", indented(record.reason.as_deref().unwrap_or_default()))
        }
        LoopOutcome::Broken => format!("broken: {}", indented(record.reason.as_deref().unwrap_or_default())),
    };
    line(&end);
    if let (Some(first), Some(last)) = (&record.first_score, &record.last_score)
        && record.attempts.len() > 1
    {
        line(&format!("score of the first attempt {first}, of the last {last}"));
    }
    for open in record.escalation.iter().flat_map(|escalation| &escalation.open_criteria) {
        line(&format!("open: {}: {}", plain(&open.label), indented(&open.evidence_gap)));
    }
    for finding in record.escalation.iter().flat_map(|escalation| &escalation.findings) {
        if let VerifierVerdict::Failed { reason } | VerifierVerdict::Unverifiable { reason } = &finding.verdict {
            line(&format!("open: {}: {}", plain(&finding.verifier), indented(reason)));
        }
    }
    for hook in record.escalation.iter().flat_map(|escalation| &escalation.blocked) {
        line(&format!("blocked: {}: {}", plain(&hook.name), indented(hook.reason.as_deref().unwrap_or_default())));
    }
    out
}

/// The criteria that failed in the task run that passed: `1 of 11 criteria failed: mg-dose`.
fn with_failures(record: &LoopRecord) -> Option<String> {
    let run = record.attempts.last()?.task_run.as_ref()?;
    let ids: Vec<String> =
        run.get("passed_with_failures")?.as_array()?.iter().filter_map(|id| Some(plain(id.as_str()?))).collect();
    let of = run.get("criterion_runs")?.as_array()?.len();
    Some(format!("{} of {of} criteria failed: {}", ids.len(), ids.join(", ")))
}

/// The most outputs of one attempt that are shown.
const OUTPUTS: usize = 20;

/// The outputs that a delegate names, in one line.
fn outputs(claim: &Claim) -> Option<String> {
    let named = claim.named_outputs();
    let more = named.len().saturating_sub(OUTPUTS);
    let shown: Vec<String> = named.into_iter().take(OUTPUTS).map(|one| one.chars().take(200).collect()).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| shown.join(", ") + &more)
}

/// Text of several lines, as it stands below its mark.
fn indented(text: &str) -> String {
    plain(text).trim_end().replace('\n', "\n    ")
}
