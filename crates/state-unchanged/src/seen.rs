//! The observation that `observe` hands to `judge`.

use candor_check::difference::Difference;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::{Obstacle, Unverifiable};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) parts: Vec<SeenPart>,
}

impl SeenPart {
    /// A part that the baseline lacks: what is in it now may have come with the work.
    pub(crate) fn without_baseline(part: &str) -> Self {
        let details = format!(
            "the baseline lacks the part `{part}`, which the sandbox has; name the parts to compare in `parts`, or add an \
             empty `{part}/` folder to the baseline"
        );
        Self::unread(part, &Unverifiable::new(Obstacle::NoSource, details))
    }

    /// A part that could not be compared.
    pub(crate) fn unread(part: &str, why: &Unverifiable) -> Self {
        let place = Location::whole(format!("{part}/"));
        let gap = Unreadable { place, what: why.details.clone(), fault: Fault::Obstacle(why.obstacle) };
        let (differences, unreadable) = (Vec::new(), Vec::new());
        Self { part: part.to_owned(), records: 0, differences, unread_before: vec![gap], unreadable }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeenPart {
    pub(crate) part: String,
    /// How many records there are on either side, each counted once.
    pub(crate) records: u64,
    pub(crate) differences: Vec<Difference>,
    /// Places of the baseline that could not be read. A record that seems new may have been there.
    pub(crate) unread_before: Vec<Unreadable>,
    /// Places of the sandbox that could not be read. A record that seems gone may still be there.
    pub(crate) unreadable: Vec<Unreadable>,
}
