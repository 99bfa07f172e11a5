//! Ids of records at a fixed time.

use jiff::Timestamp;

use crate::clock::Clock;

#[test]
fn a_fixed_time_gives_the_same_ids_again_and_different_ones_to_different_records() {
    let ids = || {
        let clock = Clock::standing_at(Timestamp::UNIX_EPOCH);
        let (first, second) = (clock.next_run(), clock.next_run());
        [first.task_run(), second.task_run(), first.criterion_run(0), first.criterion_run(1), second.criterion_run(0)]
    };
    assert_eq!(ids(), ids());
    assert_eq!(std::collections::HashSet::from(ids()).len(), 5);
    let length = Clock::default().next_run().task_run().len();
    assert!(ids().iter().all(|id| id.len() == length));
    assert_ne!(Clock::default().next_run().task_run(), Clock::default().next_run().task_run());
}
