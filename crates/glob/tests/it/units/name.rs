//! Tests that compare one name of a path with one name of a glob.

use proptest::prelude::*;

use crate::name::{Name, Part};

fn slowly(parts: &[Part], name: &[char]) -> bool {
    match (parts.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((Part::Any, more)), None) => slowly(more, name),
        (Some((Part::Any, more)), Some((_, rest))) => slowly(more, name) || slowly(parts, rest),
        (Some((part, more)), Some((c, rest))) => part.takes(*c) && slowly(more, rest),
        _ => false,
    }
}

proptest! {
    #[test]
    fn matches_as_the_definition_says(glob in "[ab*?é]{0,8}", name in "[abé]{0,10}") {
        let glob = Name::parse(&glob).unwrap();
        let characters: Vec<char> = name.chars().collect();
        prop_assert_eq!(glob.matches(&name), slowly(&glob.0, &characters));
    }
}

#[test]
fn many_stars_take_no_time() {
    let glob = Name::parse(&"*a".repeat(2000)).unwrap();
    assert!(!glob.matches(&"a".repeat(1999)));
    assert!(glob.matches(&"a".repeat(3000)));
}

#[test]
fn classes_are_read_as_shells_read_them() {
    for (glob, yes, no) in [
        ("[]a]", "]", "b"),
        ("[!]a]", "b", "]"),
        ("[a-]", "-", "b"),
        ("[a-c]", "b", "d"),
        ("[é-ü]", "í", "e"),
        ("[\\]]", "]", "\\"),
    ] {
        let name = Name::parse(glob).unwrap();
        assert!(name.matches(yes) && !name.matches(no), "{glob}");
    }
    assert!(Name::parse("[c-a]").is_err() && Name::parse("[a").is_err() && Name::parse("a\\").is_err());
}
