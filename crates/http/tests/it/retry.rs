//! The wait before asking again.

use std::time::Duration;

use candor_http::retry::{Backoff, SHORTEST};
use jiff::Timestamp;
use proptest::prelude::*;

const SLOW: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(30) };

#[test]
fn what_a_server_asks_for() {
    let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    for (retry_after, attempt, seconds) in [
        (Some("2"), 1, 2.0),
        (Some("0"), 1, 0.1),
        (Some("Fri, 20 Nov 2026 10:00:05 GMT"), 4, 5.0),
        (Some("Fri, 20 Nov 2026 09:00:00 GMT"), 1, 0.1),
        (Some("soon"), 2, 2.0),
        (Some("-1"), 1, 1.0),
        (None, 1, 1.0),
        (None, 3, 4.0),
        (None, u32::MAX, 30.0),
    ] {
        assert_eq!(SLOW.wait(retry_after, attempt, now), Duration::from_secs_f64(seconds), "{retry_after:?} {attempt}");
    }
    assert_eq!(SLOW.wait(Some("99999999999999999999999"), 1, now), Duration::from_secs(u64::from(u32::MAX)));
}

proptest! {
    #[test]
    fn any_text_is_read(text: String, attempt: u32) {
        prop_assert!(SLOW.wait(Some(&text), attempt, Timestamp::UNIX_EPOCH) >= SHORTEST);
    }
}
