//! Which fields are dates.

use crate::datatype::Simple;
use crate::table::Version;

/// True if a field is a date or a time stamp in every version that has it: DT, TS, DTM.
///
/// ```
/// use candor_hl7v2_structure::is_date;
///
/// assert!(is_date(*b"RXA", 3) && is_date(*b"PID", 7));
/// assert!(!is_date(*b"PID", 3) && !is_date(*b"OBX", 5) && !is_date(*b"ZPI", 1));
/// ```
#[must_use]
pub fn is_date(segment: [u8; 3], field: u32) -> bool {
    let definitions = Version::all().filter_map(|version| version.segment(segment)?.field(field));
    let are_dates: Vec<bool> =
        definitions.map(|field| matches!(field.parts, [(1, 1, Simple::Dt | Simple::Dtm)])).collect();
    !are_dates.is_empty() && are_dates.iter().all(|is_date| *is_date)
}
