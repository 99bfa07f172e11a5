//! The elements of the dictionary.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The kind of an element in the dictionary: its type, and its least and most characters.
pub(crate) struct Kind {
    pub(crate) data_type: &'static str,
    pub(crate) least: usize,
    pub(crate) most: usize,
}

pub(crate) static ELEMENTS: LazyLock<HashMap<&str, Kind>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        let (number, data_type) = (words.next()?, words.next()?);
        let (least, most) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((number, Kind { data_type, least, most }))
    };
    include_str!("../data/elements.txt").lines().filter(|line| !line.starts_with(';')).filter_map(read).collect()
});
