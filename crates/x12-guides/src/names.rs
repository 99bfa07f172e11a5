//! Segments and codes in words.

use std::collections::HashMap;
use std::sync::LazyLock;

static NAMES: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| lines(include_str!("../data/names.txt")).filter_map(|line| line.split_once(' ')).collect());

static MEANINGS: LazyLock<HashMap<(&str, &str), &str>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        Some(((words.next()?, words.next()?), words.next()?))
    };
    lines(include_str!("../data/meanings.txt")).filter_map(read).collect()
});

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with(';'))
}

/// The name of a segment, in words; `None` for an unknown one.
///
/// ```
/// assert_eq!(candor_x12_guides::segment_name("EB"), Some("Eligibility or benefit"));
/// ```
#[must_use]
pub fn segment_name(id: &str) -> Option<&'static str> {
    NAMES.get(id).copied()
}

/// The meaning of a code in an element of an answer, in words: of a composite, its first component. `None` if it is
/// unknown.
///
/// ```
/// assert_eq!(candor_x12_guides::meaning("EB", 1, "6"), Some("inactive"));
/// ```
#[must_use]
pub fn meaning(id: &str, element: usize, code: &str) -> Option<&'static str> {
    MEANINGS.get(&(format!("{id}{element:02}").as_str(), code)).copied()
}
