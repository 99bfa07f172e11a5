//! Grades bytes that never were on a disk: the order that went out, and the row behind the portal.
//!
//! ```sh
//! cargo run --example in_memory
//! ```

use std::io::Write as _;

use candor::json::json;
use candor::{Engine, Sandbox, Status, Task, Verdict};

/// Grades one task.
///
/// # Errors
/// When a result is not the expected one.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let task = Task::from_value(json!({
        "id": "order-mri",
        "inputs": {"member_id": "W123456789", "cpt": "72148"},
        "criteria": [
            {
                "id": "order-sent",
                "label": "The order went out with the right code",
                "assertion": {
                    "assert": "hl7-structural",
                    "correlate_by": {"message_type": "ORM^O01", "PID.3.1": "774410"},
                    "fields": [{"path": "OBR.4.1", "expected": "${inputs.cpt}"}],
                },
            },
            {
                "id": "pa-submitted",
                "label": "Prior authorization submitted for the right member",
                "assertion": {
                    "assert": "portal-state-match",
                    "correlate_by": {
                        "resource": "prior_auth_requests", "key": "member_id", "value": "${inputs.member_id}"
                    },
                    "assertions": [{"path": "status", "expected": "submitted"}],
                },
            },
        ],
    }))?;

    let order = "MSH|^~\\&|EHR|CLINIC|RIS|RAD|20261120||ORM^O01|42|P|2.5.1\r\
        PID|1||774410||Smith^John\rORC|NW|1\rOBR|1|1||72148^MRI lumbar spine\r";
    let sandbox = Sandbox::builder()
        .hl7("out.hl7", order)
        .portal("prior_auth_requests", json!([{"member_id": "W123456789", "status": "draft"}]))
        .build()?;

    let run = candor::blocking::run(&Engine::standard(), &task, &sandbox)?;
    for criterion in run.criterion_runs() {
        let reason = criterion.reason().unwrap_or("passed");
        writeln!(std::io::stdout(), "{}: {reason}: {}", criterion.label(), criterion.details())?;
    }

    assert_eq!(run.verdict(), Verdict::Partial);
    assert_eq!(run.criterion_run("order-sent").map(|run| run.status()), Some(Status::Passed));
    assert_eq!(run.criterion_run("pa-submitted").and_then(|run| run.reason()), Some("field_mismatch"));
    Ok(())
}
