//! The unsafe values, and the texts of a message that they are compared with.

use std::sync::LazyLock;

use candor_check::records::SafetyTable;
use candor_hl7v2::Message;

use crate::correlation::first;

/// The unsafe values, with the standard's source for every row.
pub(crate) static TABLE: LazyLock<SafetyTable> =
    LazyLock::new(|| SafetyTable::read(include_str!("../../data/unsafe.tsv")));

/// The text of the first value at a path such as `PV1.19.1`.
pub(crate) fn text_at(path: &str, message: &Message<'_>) -> Option<String> {
    first(&candor_hl7v2::Path::parse(path).ok()?, message)
}
