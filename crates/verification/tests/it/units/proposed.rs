//! Criteria that a delegate proposes.

use candor_json::json;
use candor_verification::VerifierVerdict;

use crate::proposed::{with_gaps, without_workspace};

#[test]
fn proposals_without_a_workspace_are_named() {
    let proposed = vec![json!({"assert": "file-exists", "path": "report.md"}); 21];
    let findings = without_workspace(&proposed);
    assert_eq!(findings.len(), 20);
    assert_eq!(findings[0].verifier, "proposed by the delegate: file-exists report.md");
    assert_eq!(findings[0].proposed_by.as_deref(), Some("delegate"));
    assert!(
        matches!(&findings[0].verdict, VerifierVerdict::Unverifiable { reason } if reason.contains("no workspace"))
    );
    // They add nothing, and take nothing away.
    assert_eq!(with_gaps(VerifierVerdict::Passed, &findings), VerifierVerdict::Passed);
}
