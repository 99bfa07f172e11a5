//! The difference between two persons.

use proptest::prelude::*;

use crate::person::Person;

fn person(number: &str, first: &str, born: &str, dependent: bool) -> Person {
    let id = (!number.is_empty()).then(|| ("MI".to_owned(), number.to_owned()));
    Person {
        id,
        last: "DOE".to_owned(),
        first: first.to_owned(),
        born: born.to_owned(),
        dependent,
        ..Person::default()
    }
}

#[test]
fn the_number_decides_and_else_name_and_birth() {
    let jane = person("M100", "JANE", "19700521", false);
    let element = |other: &Person| jane.difference(other).map(|(element, ..)| element);
    assert_eq!(element(&person("M100", "JANE ANN", "19700521", false)), None);
    assert_eq!(element(&person("m100", "ZOE", "", false)), None, "one number is one person");
    assert_eq!(element(&person("M999", "JANE", "19700521", false)), Some("NM1.9"));
    assert_eq!(element(&person("", "Jane Ann", "19700521", false)), None);
    assert_eq!(element(&person("", "ZOE", "19700521", false)), Some("NM1.4"));
    assert_eq!(element(&person("", "JANE", "19710521", false)), Some("DMG.2"));
    assert_eq!(element(&person("M999", "JANE", "19700521", true)), None, "a dependent may have another number");
    assert_eq!(element(&person("M100", "TIM", "20100101", true)), Some("NM1.4"), "or that of the subscriber");
    assert_eq!(element(&person("", "", "", false)), None, "nothing is said");
}

proptest! {
    #[test]
    fn everybody_is_like_himself(last in ".{0,12}", first in ".{0,12}", number in ".{0,8}", born in "[0-9]{0,8}", dependent: bool) {
        let id = (!number.is_empty()).then(|| ("MI".to_owned(), number));
        let one = Person { id, last, first, born, dependent, ..Person::default() };
        prop_assert_eq!(one.difference(&one), None);
        let nobody = Person::default();
        prop_assert_eq!(one.difference(&nobody), None);
        prop_assert_eq!(nobody.difference(&one), None);
    }
}
