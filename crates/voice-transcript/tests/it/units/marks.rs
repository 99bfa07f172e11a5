//! The marks of a word.

use crate::marks::Marks;

#[test]
fn a_word_has_the_marks_of_its_tables() {
    let no = Marks::of("no");
    assert!(no.any(Marks::NO) && no.any(Marks::NEGATES) && no.any(Marks::HARMLESS) && no.any(Marks::ANSWER));
    assert!(!no.any(Marks::NUMBER.and(Marks::STARTS)));
    assert!(Marks::of("colour").any(Marks::RESPELLED) && Marks::of("cant").any(Marks::RESPELLED));
    assert!(Marks::of("15").any(Marks::DIGITS) && Marks::of("-5").any(Marks::DIGITS));
    assert!(Marks::of("[music]").any(Marks::TAG));
    // "2 times a day"
    assert!(Marks::of("2").any(Marks::WAY) && Marks::of("2").any(Marks::DIGITS));
    assert_eq!(Marks::of("zeppelin"), Marks::default());
    assert_eq!(Marks::of(""), Marks::default());
}
