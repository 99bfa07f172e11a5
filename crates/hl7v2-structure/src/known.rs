//! Which segments and fields any version of the standard has.

use crate::table::Version;

/// A place that no version of the standard has, 2.1 to 2.8.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// There is no such segment.
    Segment,
    /// The segment has no such field, at any time.
    Field {
        /// The segment's last field, in the version that has most of them.
        last: u32,
    },
}

/// Whether a segment, or a field of it, is one that no version has. Of Z segments the standard says nothing.
///
/// ```
/// use candor_hl7v2_structure::{Unknown, unknown};
///
/// assert_eq!(unknown(*b"PID", Some(3)), None);
/// assert_eq!(unknown(*b"PID", Some(99)), Some(Unknown::Field { last: 40 }));
/// assert_eq!(unknown(*b"PIX", None), Some(Unknown::Segment));
/// assert_eq!(unknown(*b"ZPI", Some(99)), None);
/// ```
#[must_use]
pub fn unknown(segment: [u8; 3], field: Option<u32>) -> Option<Unknown> {
    if segment.first() == Some(&b'Z') {
        return None;
    }
    // The newest first: it has most of what anybody asks for.
    let definitions = || Version::all().rev().filter_map(|version| version.segment(segment));
    definitions().next().map_or(Some(Unknown::Segment), |_| {
        let number = field?;
        let known = definitions().any(|definition| definition.field(number).is_some());
        (!known).then(|| Unknown::Field { last: definitions().map(|definition| definition.last()).max().unwrap_or(0) })
    })
}

/// The ids of all segments that any version has, in order.
#[must_use]
pub fn segments() -> Vec<&'static str> {
    let mut ids: Vec<&'static str> = Version::all().flat_map(Version::segments).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
