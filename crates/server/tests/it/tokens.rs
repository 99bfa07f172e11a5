//! Bearer tokens.

use crate::token::{Kind, Presented, derived, mint};

#[test]
fn a_token_is_known_by_its_digest_alone() {
    let (token, stored) = mint(Kind::Run, "0123abc").unwrap();
    let presented = Presented::read(&token).unwrap();
    assert_eq!((presented.kind, presented.id.as_str()), (Kind::Run, "0123abc"));
    assert!(presented.is(&stored));
    assert!(!stored.contains(&token) && !presented.is(&mint(Kind::Run, "0123abc").unwrap().1));
    for text in ["", "crt_", "crt_a", "crt__x", "xx_a_b", "crt_a'b_c", "ck_a b_c"] {
        assert!(Presented::read(text).is_none(), "{text}");
    }
}

#[test]
fn a_derived_token_is_the_same_again_for_the_same_holder() {
    let (first, _) = derived(Kind::Agent, "1", "crt_1_secret");
    assert_eq!(derived(Kind::Agent, "1", "crt_1_secret").0, first);
    assert_ne!(derived(Kind::Agent, "1", "crt_1_other").0, first);
    assert_ne!(derived(Kind::Agent, "2", "crt_1_secret").0, first);
}
