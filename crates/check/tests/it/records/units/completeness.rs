//! How far a reader of a format got.

use candor_check::field::Location;
use candor_check::records::{Completeness, Cut, Fault, Reading};

#[test]
fn a_cut_is_handled_before_the_value() {
    assert_eq!(Reading::whole(1).map(|one| one + 1).uncut(), Ok(2));
    assert_eq!(Reading::unknown(1).uncut(), Ok(1));
    let cut = Cut::new(7, "a message that ends in its header");
    let reading = Reading::new(1, Completeness::Cut(cut.clone()));
    assert_eq!(reading.clone().into_parts(), (1, Completeness::Cut(cut.clone())));
    assert_eq!(reading.uncut(), Err(cut.clone()));
    let unreadable = cut.unreadable("files/a.hl7", Fault::System);
    assert_eq!(unreadable.what, "at byte 7 is a message that ends in its header");
    assert_eq!(unreadable.place, Location::bytes("files/a.hl7", 7..7));
}
