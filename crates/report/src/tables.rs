//! Output that is not the result of a task: findings of `candor lint`, the table of checks.

use candor_check::Meta;
use candor_engine::Finding;
use candor_json::{Value, json};

use crate::sarif::{self, FileFinding};
use crate::{Format, github_annotations, json as encoded, plain};

/// Faults and weaknesses of tasks, in a format.
///
/// # Errors
/// A sentence that names the formats.
pub fn findings(findings: &[Finding], format: Format) -> Result<Vec<u8>, String> {
    match format {
        Format::Text => Ok(findings.iter().map(finding_line).collect::<String>().into_bytes()),
        Format::Json => Ok(encoded::document(&findings.iter().map(finding).collect::<Vec<_>>())),
        Format::Ndjson => Ok(findings.iter().map(finding).flat_map(|finding| encoded::line(&finding)).collect()),
        Format::Sarif => {
            let findings: Vec<_> = findings.iter().map(file_finding).collect();
            Ok(format!("{:#}\n", sarif::findings(&findings)).into_bytes())
        }
        Format::Github => {
            let findings: Vec<_> = findings.iter().map(file_finding).collect();
            Ok(github_annotations(&findings).into_bytes())
        }
        _ => Err("lint writes text, json, ndjson, sarif or github".to_owned()),
    }
}

fn file_finding(finding: &Finding) -> FileFinding {
    FileFinding {
        file: finding.error.file.display().to_string(),
        position: finding.error.position,
        severity: finding.severity.name(),
        code: finding.code.to_string(),
        message: finding.error.message.clone(),
    }
}

fn finding_line(finding: &Finding) -> String {
    let error = &finding.error;
    let position = error.position.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let (severity, code, message) = (finding.severity.name(), finding.code, plain(&error.message));
    format!("{}{position}: {severity}[{code}]: {message}\n", error.file.display())
}

fn finding(finding: &Finding) -> Value {
    json!({
        "file": finding.error.file,
        "line": finding.error.position.map(|(line, _)| line),
        "column": finding.error.position.map(|(_, column)| column),
        "severity": finding.severity.name(),
        "code": finding.code,
        "message": finding.error.message,
    })
}

/// The table of checks, in a format.
///
/// # Errors
/// A sentence that names the formats.
pub fn checks(metas: &[&Meta], format: Format) -> Result<Vec<u8>, String> {
    match format {
        Format::Text => {
            let width = metas.iter().map(|meta| meta.assert.len()).max().unwrap_or_default();
            let part = metas.iter().map(|meta| meta.part.len()).max().unwrap_or_default();
            let row = |meta: &&Meta| format!("{:width$}  {:part$}  {}\n", meta.assert, meta.part, meta.about);
            Ok(metas.iter().map(row).collect::<String>().into_bytes())
        }
        Format::Json => Ok(encoded::document(&metas.iter().map(check).collect::<Vec<_>>())),
        Format::Ndjson => Ok(metas.iter().map(check).flat_map(|check| encoded::line(&check)).collect()),
        Format::Markdown => {
            let row = |meta: &&Meta| {
                format!("| `{}` | `{}/` | {} | `{}` |\n", meta.assert, meta.part, meta.about, meta.evidence_key)
            };
            let head = "| assert | reads | asserts | evidence |\n| --- | --- | --- | --- |\n";
            Ok((head.to_owned() + &metas.iter().map(row).collect::<String>()).into_bytes())
        }
        _ => Err("checks writes text, json, ndjson or markdown".to_owned()),
    }
}

fn check(meta: &&Meta) -> Value {
    json!({"assert": meta.assert, "about": meta.about, "part": meta.part, "evidence_key": meta.evidence_key})
}
