//! Regular expressions that match every text.

/// Expressions that authors write for "anything". An audit finds others that match every text.
const ANYTHING: [&str; 7] = ["", ".*", ".+", "(?s).*", "(?s).+", "^.*$", r"[\s\S]*"];

/// Is the expression a common one that every text which is not empty matches?
///
/// ```
/// use candor_check::review::matches_anything;
/// assert!(matches_anything(".*"));
/// assert!(!matches_anything(".*a"));
/// ```
#[must_use]
pub fn matches_anything(expression: &str) -> bool {
    ANYTHING.contains(&expression)
}
