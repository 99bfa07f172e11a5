//! Parameters that say how a server is to answer, and those that only a server can answer.

use super::SearchError;

/// Parameters that a folder cannot answer.
pub(super) const NEEDS_A_SERVER: &[&str] = &["_content", "_filter", "_list", "_query", "_text", "_type"];

/// Whether a parameter is one that does not change which resources are found (`_count`, `_include`, `_revinclude`).
pub(super) fn is_without_effect(name: &str, value: &str) -> Result<bool, SearchError> {
    match name {
        "_count" if value.parse::<u64>().is_err() => {
            Err(SearchError::value(name, value, "it is no number of resources"))
        }
        "_count" | "_include" | "_revinclude" => Ok(true),
        _ => {
            let including = name.strip_prefix("_include:").or_else(|| name.strip_prefix("_revinclude:"));
            Ok(including.is_some_and(|modifier| matches!(modifier, "iterate" | "recurse")))
        }
    }
}
