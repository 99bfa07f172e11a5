//! Findings that the author accepts, each with a reason: `# candor: ignore[code] because …` in YAML, `lint.ignore` in both.

use super::{CODES, Finding, Severity, codes};
use crate::document::Comment;
use crate::plan::Plan;
use crate::task::Accepted;

/// Removes the accepted findings, and adds those about comments that accept nothing or give no reason.
pub(super) fn apply(plan: &Plan, mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut about = Vec::new();
    for (index, accepted) in plan.task.accepted.iter().enumerate() {
        let Accepted { code, criterion } = accepted;
        let prefix = criterion.as_ref().map(|id| format!("criterion `{id}`"));
        let before = findings.len();
        findings.retain(|finding| {
            let there = prefix.as_ref().is_none_or(|prefix| finding.error.message.contains(prefix.as_str()));
            !(there && finding.code == code && finding.severity != Severity::Error)
        });
        if findings.len() == before {
            let error = plan.task.error_in_ignored(index, stale(code));
            about.push(Finding::new(codes::STALE_IGNORE, error));
        }
    }
    for comment in plan.task.comments() {
        let said =
            |code, message: String| Finding::new(code, plan.task.error_at((comment.line, comment.column), message));
        if !comment.has_reason {
            let message = "nothing says why this is accepted; write `# candor: ignore[code] because …`".to_owned();
            about.push(said(codes::IGNORE_WITHOUT_REASON, message));
            continue;
        }
        for code in &comment.codes {
            let before = findings.len();
            findings.retain(|finding| {
                !(finding.code == code && finding.severity != Severity::Error && is_at(plan, comment, finding))
            });
            if findings.len() == before {
                about.push(said(codes::STALE_IGNORE, stale(code)));
            }
        }
    }
    findings.extend(about);
    findings
}

fn stale(code: &str) -> String {
    if let Some(known) = CODES.iter().find(|known| known.name == code) {
        return match known.severity {
            Severity::Error => format!("`{code}` is an error, which cannot be accepted; mend it"),
            Severity::Warning | Severity::Note => format!("nothing here is `{code}` any more; take the comment out"),
        };
    }
    let names: Vec<&str> = CODES.iter().map(|code| code.name).collect();
    let near = candor_check::settings::nearest(code, &names).map(|near| format!("; did you mean `{near}`?"));
    format!("`{code}` is not the code of a finding{}", near.unwrap_or_default())
}

/// True if a comment is about the place of a finding: its line; for a comment on a line of its own, the next line with
/// content, and the criterion that begins there.
fn is_at(plan: &Plan, comment: &Comment, finding: &Finding) -> bool {
    let Some((line, _)) = finding.error.position else { return false };
    if line == comment.about {
        return true;
    }
    let begins = |index: usize| plan.task.error_in(index, &[], "").position.map(|(line, _)| line);
    let criterion = (0..plan.criteria.len()).find(|index| begins(*index) == Some(comment.about));
    criterion.is_some_and(|index| {
        line >= comment.about
            && begins(index + 1).filter(|_| index + 1 < plan.criteria.len()).is_none_or(|next| line < next)
    })
}
