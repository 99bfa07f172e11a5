//! How long to wait before an endpoint is asked again that was too busy.

use std::time::Duration;

use jiff::Timestamp;

/// The shortest wait, whatever the endpoint says.
const SHORTEST: Duration = Duration::from_millis(100);
/// The first wait where the endpoint does not say how long. Each one after it is twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// The longest of these waits.
const LONGEST: Duration = Duration::from_secs(30);

/// Whether an endpoint says that it did not take the request, and may take it later: 429 Too Many Requests (RFC 6585, 4) and
/// 503 Service Unavailable (RFC 9110, 15.6.4).
pub(super) fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// The wait after the busy answer `answer`, the first of which is 1: what the endpoint asked for, or a bounded backoff.
pub(super) fn wait(retry_after: Option<&str>, answer: u32, now: Timestamp) -> Duration {
    let own = FIRST.saturating_mul(1 << answer.saturating_sub(1).min(8)).min(LONGEST);
    retry_after.and_then(|text| asked_for(text, now)).unwrap_or(own).max(SHORTEST)
}

/// `Retry-After`: seconds, or an HTTP date. Source: RFC 9110, 10.2.3.
fn asked_for(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are longer than any attempt.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_an_endpoint_asks_for() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        for (retry_after, answer, seconds) in [
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
            assert_eq!(wait(retry_after, answer, now), Duration::from_secs_f64(seconds), "{retry_after:?} {answer}");
        }
        assert_eq!(wait(Some("99999999999999999999999"), 1, now), Duration::from_secs(u64::from(u32::MAX)));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text: String, answer: u32) {
            prop_assert!(wait(Some(&text), answer, Timestamp::UNIX_EPOCH) >= SHORTEST);
        }
    }
}
