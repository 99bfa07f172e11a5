//! The order of paths.

use std::cmp::Ordering;

use proptest::prelude::*;

use crate::order::by_name;

#[test]
fn numbers_in_names_are_numbers() {
    let ordered = [
        "A_1",
        "a_",
        "a_.txt",
        "a_0",
        "a_1",
        "a_1.txt",
        "a_02",
        "a_2",
        "a_9",
        "a_10",
        "a_10a",
        "a_18446744073709551616",
        "a_b",
        "ab",
        "r3.2",
        "r3.11",
        "x/1",
        "x1/2",
        "x1/10",
        "x2/1",
    ];
    for (index, one) in ordered.iter().enumerate() {
        for (other_index, other) in ordered.iter().enumerate() {
            assert_eq!(by_name(one, other), index.cmp(&other_index), "{one} {other}");
        }
    }
}

proptest! {
    #[test]
    fn it_is_an_order(names in prop::collection::vec("[a0-9./]{0,5}", 3)) {
        let [a, b, c] = [names[0].as_str(), names[1].as_str(), names[2].as_str()];
        prop_assert_eq!(by_name(a, b), by_name(b, a).reverse());
        prop_assert_eq!(by_name(a, b) == Ordering::Equal, a == b);
        if by_name(a, b).is_le() && by_name(b, c).is_le() {
            prop_assert!(by_name(a, c).is_le(), "{} {} {}", a, b, c);
        }
    }

    #[test]
    fn numbers_go_up(stem in "[a-z_.]{0,4}", a in any::<u32>(), b in any::<u32>(), end in "[a-z.]{0,3}") {
        prop_assert_eq!(by_name(&format!("{stem}{a}{end}"), &format!("{stem}{b}{end}")), a.cmp(&b));
    }
}
