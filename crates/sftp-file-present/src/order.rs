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
