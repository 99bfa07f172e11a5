//! How long to wait before a request is made again.

use std::time::Duration;

use jiff::Timestamp;

/// How often one request is made at most.
pub(crate) const ATTEMPTS: u32 = 4;

const SHORTEST: Duration = Duration::from_millis(100);

/// Whether the same request may be answered another time. Source: RFC 9110, 15.5.9, 15.6; RFC 6585, 4.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// The wait before attempt `attempt` + 1 (the first is 1): what the server asked for, or 250 ms and twice as long each
/// time.
pub(crate) fn wait(retry_after: Option<&str>, attempt: u32, now: Timestamp) -> Duration {
    let own = Duration::from_millis(250).saturating_mul(1 << attempt.saturating_sub(1).min(8));
    retry_after.and_then(|text| asked_for(text, now)).unwrap_or(own).max(SHORTEST)
}

/// `Retry-After`: seconds, or an HTTP date. Source: RFC 9110, 10.2.3.
fn asked_for(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are longer than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_asks_for() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let wait = |text| wait(Some(text), 1, now);
        assert_eq!(wait("2"), Duration::from_secs(2));
        assert_eq!(wait("0"), SHORTEST);
        assert_eq!(wait("Fri, 20 Nov 2026 10:00:05 GMT"), Duration::from_secs(5));
        assert_eq!(wait("Fri, 20 Nov 2026 09:00:00 GMT"), SHORTEST);
        assert_eq!(wait("soon"), Duration::from_millis(250));
        assert_eq!(wait("99999999999999999999999"), Duration::from_secs(u64::from(u32::MAX)));
        assert_eq!(super::wait(None, 3, now), Duration::from_secs(1));
    }
}
