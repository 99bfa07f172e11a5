//! The marks in values that differ.

use proptest::prelude::*;

use crate::marks::{Piece, marked};

#[test]
fn what_differs_is_marked_and_nothing_else() {
    let (expected, actual) = marked("2026-11-20", "2026-12-20");
    assert_eq!(expected, [("2026-1".to_owned(), false), ("1".to_owned(), true), ("-20".to_owned(), false)]);
    assert_eq!(actual, [("2026-1".to_owned(), false), ("2".to_owned(), true), ("-20".to_owned(), false)]);
    assert_eq!(marked("submitted", "draft").1, [("draft".to_owned(), true)]);
    assert_eq!(marked("72148", "73721").0, [("72148".to_owned(), true)]);
    assert_eq!(marked("a.json", "a.json.part").1, [("a.json".to_owned(), false), (".part".to_owned(), true)]);
    let (_, actual) = marked("the order is here", "the order is not here");
    assert_eq!(actual, [("the order is ".to_owned(), false), ("not ".to_owned(), true), ("here".to_owned(), false)]);
    // Letters that two different words happen to share tell a reader nothing.
    assert_eq!(
        marked("The MRI is approved now.", "The MRI is in review now.").1,
        [("The MRI is ".to_owned(), false), ("in review ".to_owned(), true), ("now.".to_owned(), false)]
    );
}

proptest! {
    #[test]
    fn no_character_is_lost(expected in "\\PC{0,40}|a{290,320}b{0,3}", actual in "\\PC{0,40}|a{290,320}c{0,3}") {
        let (left, right) = marked(&expected, &actual);
        let joined = |pieces: &[Piece]| pieces.iter().map(|(text, _)| text.as_str()).collect::<String>();
        prop_assert_eq!(joined(&left), expected.clone());
        prop_assert_eq!(joined(&right), actual.clone());
        let kept = |pieces: &[Piece]| pieces.iter().filter(|(_, differs)| !differs).map(|(text, _)| text.as_str()).collect::<String>();
        prop_assert_eq!(kept(&left), kept(&right));
        if expected == actual && !expected.is_empty() {
            prop_assert!(left.iter().all(|(_, differs)| !differs));
        }
    }
}
