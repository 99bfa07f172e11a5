//! Which segments and fields any version of the standard has.

use crate::table::Version;

/// Segments that came with version 2.9, which has no tables here.
const OF_2_9: [&[u8; 3]; 14] =
    [b"CDO", b"DEV", b"DPS", b"DST", b"GSC", b"GSP", b"GSR", b"MCP", b"OH1", b"OH2", b"OH3", b"OH4", b"OMC", b"PM1"];

/// Segments whose last field may be followed by any number of its like: the parameters of a query, the columns of a table.
const OPEN_ENDED: [&[u8; 3]; 2] = [b"QPD", b"RDT"];

/// So many fields beyond the last one that is known are taken for those of a later version: 2.9 added up to five to a segment
/// (OBX-31 to OBX-33, NTE-9), and real messages have them.
const LATER_FIELDS: u32 = 5;

/// A place that no version of the standard has, 2.1 to 2.9.
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

/// Finds a segment, or a field of it, that no version has. The standard does not define Z segments.
///
/// ```
/// use candor_hl7v2_structure::{Unknown, unknown};
///
/// assert_eq!(unknown(*b"PID", Some(3)), None);
/// assert_eq!(unknown(*b"PID", Some(99)), Some(Unknown::Field { last: 40 }));
/// assert_eq!(unknown(*b"PIX", None), Some(Unknown::Segment));
/// assert_eq!(unknown(*b"ZPI", Some(99)), None);
/// assert_eq!(unknown(*b"OBX", Some(33)), None);
/// ```
#[must_use]
pub fn unknown(segment: [u8; 3], field: Option<u32>) -> Option<Unknown> {
    if segment.first() == Some(&b'Z') || OF_2_9.contains(&&segment) {
        return None;
    }
    // The newest first: it has most of what anybody asks for.
    let definitions = || Version::all().rev().filter_map(|version| version.segment(segment));
    definitions().next().map_or(Some(Unknown::Segment), |_| {
        let number = field?;
        // Before the last field is asked for, which reads the tables of all versions.
        if definitions().any(|definition| definition.field(number).is_some()) {
            return None;
        }
        let last = definitions().map(|definition| definition.last()).max().unwrap_or(0);
        let later = number > last && (number - last <= LATER_FIELDS || OPEN_ENDED.contains(&&segment));
        (!later).then_some(Unknown::Field { last })
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
