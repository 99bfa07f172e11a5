//! Observations that are stored.

use candor_json::json;

use crate::observed::{Kept, Observed, Stored, What};

/// The deepest nesting that is kept.
const MAX_DEPTH: usize = 120;

#[test]
fn what_is_too_deep_to_be_read_back_is_not_kept() {
    let nested = |depth| (0..depth).fold(json!("[{"), |inner, _| json!([inner]));
    let kept = |depth| Observed::read(&Kept::seen("a", 1, &nested(depth)).into_bytes(None)).unwrap().what;
    assert!(matches!(kept(MAX_DEPTH), What::Seen(Stored { observation, .. }) if observation == nested(MAX_DEPTH)));
    assert!(matches!(kept(MAX_DEPTH + 1), What::TooDeep(_)));
}

#[test]
fn an_unknown_member_is_refused() {
    assert!(Observed::read(br#"{"what":{"unbound":{}}}"#).is_ok());
    for text in [r#"{"what":{"unbound":{}},"more":1}"#, r#"{"what":{"unbound":{"a":1}}}"#, r#"{"what":{}}"#, "{}"] {
        assert!(Observed::read(text.as_bytes()).is_err(), "{text}");
    }
}
