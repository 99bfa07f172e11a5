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
