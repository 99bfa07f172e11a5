//! When to ask again, and how long to wait before that.

use std::time::Duration;

use jiff::Timestamp;

/// The shortest wait, whatever the server says.
pub const SHORTEST: Duration = Duration::from_millis(100);

/// True if the same request may get another answer another time. Source: RFC 9110, 15.5.9, 15.6; RFC 6585, 4.
#[must_use]
pub fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// How the waits grow where the server does not say how long to wait: twice as long each time.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// The first wait.
    pub first: Duration,
    /// The longest one.
    pub longest: Duration,
}

impl Backoff {
    /// The wait before attempt `attempt` + 1, where the first attempt is 1: what `Retry-After` asks for, or its own.
    #[must_use]
    pub fn wait(self, retry_after: Option<&str>, attempt: u32, now: Timestamp) -> Duration {
        let own = self.first.saturating_mul(1 << attempt.saturating_sub(1).min(8)).min(self.longest);
        retry_after.and_then(|text| asked_for(text, now)).unwrap_or(own).max(SHORTEST)
    }
}

/// `Retry-After`: seconds, or an HTTP date. Source: RFC 9110, 10.2.3.
///
/// ```
/// let now = jiff::Timestamp::UNIX_EPOCH;
/// assert_eq!(candor_http::retry::asked_for("2", now), Some(std::time::Duration::from_secs(2)));
/// assert_eq!(candor_http::retry::asked_for("soon", now), None);
/// ```
#[must_use]
pub fn asked_for(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are longer than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}
