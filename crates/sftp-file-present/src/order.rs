//! The order of files: by name, numbers in names compared as numbers, so that `a_9` comes before `a_10`.

use std::cmp::Ordering;

/// Compares two paths. Those that differ in zeros before a number alone are distinguished by their text.
pub(crate) fn by_name(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (text, behind) = until_digit(left);
        let (other, other_behind) = until_digit(right);
        // A number is compared with what is in its place.
        let both = !behind.is_empty() && !other_behind.is_empty();
        if text != other || !both {
            return left.cmp(right).then_with(|| a.cmp(b));
        }
        let ((number, rest), (other, other_rest)) = (digits(behind), digits(other_behind));
        match number.len().cmp(&other.len()).then_with(|| number.cmp(other)) {
            Ordering::Equal => (left, right) = (rest, other_rest),
            order => return order,
        }
    }
}

fn until_digit(text: &str) -> (&str, &str) {
    text.split_at_checked(text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len())).unwrap_or((text, ""))
}

/// The number that a text begins with, without zeros before it, and what follows.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
}
