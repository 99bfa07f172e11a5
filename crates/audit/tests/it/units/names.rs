//! Ids made of names, and globs that a name matches.

use crate::names::{matches, slug};

#[test]
fn ids_are_words_with_dashes() {
    for (name, id) in [
        ("MedicationRequest", "medication-request"),
        ("prior_auth_requests", "prior-auth-requests"),
        ("ORM^O01", "orm-o01"),
        ("*", "record"),
        ("claims_*", "claims"),
    ] {
        assert_eq!(slug(name), id);
    }
}

#[test]
fn globs_match_within_a_folder() {
    assert!(matches("out/a_*.csv", "out/a_20261120.csv") && matches("a", "a") && matches("*-*.x", "1-2.x"));
    assert!(!matches("out/*.csv", "out/a/b.csv") && !matches("a", "ab") && !matches("a*c", "ab"));
}
