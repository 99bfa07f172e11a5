//! Limits of one X12 file, and the record of one that could not be read.

use candor_check::Unverifiable;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::Limits;

pub(crate) fn obstacle(locator: &str, why: Unverifiable) -> Unreadable {
    Unreadable { place: Location::whole(locator), what: why.details, fault: Fault::Obstacle(why.obstacle) }
}

pub(crate) fn x12_limits(limits: &Limits) -> candor_x12::Limits {
    let own = candor_x12::Limits::default();
    let most = usize::try_from(limits.max_bytes).unwrap_or(usize::MAX).max(1);
    candor_x12::Limits { segment: own.segment.min(most), set: own.set.min(most), ..own }
}
