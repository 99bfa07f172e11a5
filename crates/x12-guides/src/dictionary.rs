//! The base standard's own elements, for segments of which a guide's tables say nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

static SEGMENTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("../data/dictionary.txt").lines().filter(|line| !line.starts_with(';'));
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        Some((words.next()?, words.collect()))
    };
    lines.filter_map(read).collect()
});

/// The elements of a segment from a position on, as the tables write them; nothing for a segment that is not in it.
pub(crate) fn elements_from(id: &str, position: usize) -> Option<&'static [&'static str]> {
    SEGMENTS.get(id).map(|elements| elements.get(position..).unwrap_or_default())
}

pub(crate) fn segments() -> impl Iterator<Item = &'static str> {
    SEGMENTS.keys().copied()
}
