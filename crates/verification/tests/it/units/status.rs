//! The states of a task.

use candor_verification::TaskStatus;
use candor_verification::TaskStatus::{AwaitingVerification, Completed, EscalatedToHuman, Failed, InProgress, Passed};

#[test]
fn only_the_transitions_of_the_contract_exist() {
    let count = TaskStatus::ALL.iter().flat_map(|from| TaskStatus::ALL.iter().filter(|to| from.leads_to(**to)));
    assert_eq!(count.count(), 8);
    for end in [Completed, EscalatedToHuman] {
        assert!(TaskStatus::ALL.iter().all(|to| !end.leads_to(*to)), "{end:?} is an end");
    }
    assert!(!InProgress.leads_to(Passed) && !AwaitingVerification.leads_to(Passed) && !Failed.leads_to(Passed));
    for status in TaskStatus::ALL {
        assert_eq!(candor_json::to_value(status).unwrap(), status.name());
    }
}
