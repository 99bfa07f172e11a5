//! The names that the standard gives to segments and fields.

use crate::table::{Segment, Version};

/// The name of a segment, in the newest version that has one; `None` for a Z segment and for what no version has.
///
/// ```
/// assert_eq!(candor_hl7v2_structure::segment_name("PID"), Some("Patient Identification"));
/// ```
#[must_use]
pub fn segment_name(segment: &str) -> Option<&'static str> {
    definitions(segment).map(|segment| segment.name).find(|name| !name.is_empty())
}

/// The name of a field of a segment, in the newest version that has one.
///
/// ```
/// assert_eq!(candor_hl7v2_structure::field_name("PID", 3), Some("Patient Identifier List"));
/// assert_eq!(candor_hl7v2_structure::field_name("PID", 99), None);
/// ```
#[must_use]
pub fn field_name(segment: &str, field: u32) -> Option<&'static str> {
    definitions(segment)
        .filter_map(|segment| segment.field(field))
        .map(|field| field.name)
        .find(|name| !name.is_empty())
}

fn definitions(segment: &str) -> impl Iterator<Item = &'static Segment> {
    let id = <[u8; 3]>::try_from(segment.as_bytes()).ok();
    Version::all().rev().filter_map(move |version| version.segment(id?))
}
