//! The levels of a transaction set by their numbers.

use std::collections::HashMap;

/// HL01 to the occurrence it begins; of a repeated number, the last.
#[derive(Default)]
pub(crate) struct Levels {
    /// Those numbered 1, 2, 3 and so on as they came, as X12 wants it.
    in_order: Vec<usize>,
    others: HashMap<String, usize>,
}

impl Levels {
    pub(crate) fn insert(&mut self, number: &str, occurrence: usize) {
        if in_order(number) == Some(self.in_order.len()) {
            self.in_order.push(occurrence);
        } else if !number.is_empty() {
            self.others.insert(number.to_owned(), occurrence);
        }
    }

    pub(crate) fn get(&self, number: &str) -> Option<usize> {
        let other = if self.others.is_empty() { None } else { self.others.get(number) };
        other.or_else(|| self.in_order.get(in_order(number)?)).copied()
    }
}

/// How many levels come before the one with this number, where they are numbered in order. Another spelling of the same
/// number, `01`, is another number.
fn in_order(number: &str) -> Option<usize> {
    let is_plain = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { number.parse::<usize>().ok()?.checked_sub(1) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_of_a_number_is_meant() {
        let mut levels = Levels::default();
        for (occurrence, number) in ["1", "2", "2", "01", "", "9", "3", "1"].into_iter().enumerate() {
            levels.insert(number, occurrence);
        }
        let found = ["1", "2", "3", "01", "9", "", "4", "002", "18446744073709551616"].map(|number| levels.get(number));
        assert_eq!(found, [Some(7), Some(2), Some(6), Some(3), Some(5), None, None, None, None]);
    }
}
