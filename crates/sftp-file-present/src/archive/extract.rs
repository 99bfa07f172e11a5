//! The members of an archive that somebody asked for, each unpacked and held against its checksum.

use super::gathering::{Extraction, Gathering, Wanted};
use super::keys::Keys;
use super::shape::{Archive, Shape};
use super::trouble::{Bounds, Trouble};
use super::unwrap::{unwrapped, unwrapping};
use super::{tar, zip};

/// Unpacks the members of an archive that `wanted` asks for.
///
/// # Errors
/// When the archive as a whole cannot be read, or holds more than the bounds say.
pub(crate) fn extract(
    bytes: &[u8],
    shape: &Shape<'_>,
    keys: &Keys,
    bounds: &Bounds,
    wanted: &dyn Fn(&str) -> Wanted,
) -> Result<Extraction, Trouble> {
    let mut gathering = Gathering::new(bounds, wanted);
    match shape.archive {
        None => return Ok(Extraction::default()),
        Some(Archive::Tar) => tar::walk(unwrapping(bytes, &shape.wrappers, keys, bounds)?, &mut gathering)?,
        Some(Archive::Zip) if shape.wrappers.is_empty() => zip::walk(bytes, &mut gathering)?,
        Some(Archive::Zip) => zip::walk(&unwrapped(bytes, &shape.wrappers, keys, bounds)?, &mut gathering)?,
    }
    Ok(gathering.finished())
}
