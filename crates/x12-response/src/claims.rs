//! What the remittances of a sandbox say of claims that one of them reverses.

use std::collections::{HashMap, HashSet};

use candor_check::field::Location;
use candor_check::records::Standing;
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use candor_x12::{Input, Item, Segment, SetView, Walk};
use serde::{Deserialize, Serialize};

use crate::order::{Sent, is_after};

/// CLP02 of a reversal.
pub(crate) const REVERSAL: &str = "22";

/// The most claims of which remittances are held together.
pub(crate) const MOST_CLAIMS: usize = 100_000;

/// What one remittance says of a claim: a CLP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemittedClaim {
    /// CLP01, the number that the provider gave it.
    pub(crate) claim: String,
    /// CLP07, the payer's own number; empty where there is none.
    number: String,
    /// CLP02.
    pub(crate) status: String,
    /// CLP04.
    pub(crate) paid: String,
    sent: Sent,
    /// Where CLP is among others of its file or event stream.
    position: u64,
    pub(crate) place: Location,
    /// What a person would call the remittance.
    pub(crate) label: String,
}

impl RemittedClaim {
    /// What a CLP of a set says.
    pub(crate) fn of(clp: &Segment<'_>, set: &SetView<'_>, place: &Location, located: bool) -> Self {
        let text = |element| clp.text(element).into_owned();
        let start = clp.offset();
        let locator = place.locator.as_str();
        let number = set.segment("ST").map(|st| st.text(2).into_owned()).unwrap_or_default();
        Self {
            claim: text(1),
            number: text(7),
            status: text(2),
            paid: text(4),
            sent: Sent::of(set),
            // A payload is no longer than the line it was read from.
            position: if located { start } else { start + place.span.map_or(0, |(line, _)| line) },
            place: match located {
                true => Location::bytes(locator, start..start + clp.raw().len() as u64),
                false => place.clone(),
            },
            label: format!("transaction set 835 {number} of {locator}"),
        }
    }

    pub(crate) fn is_reversal(&self) -> bool {
        self.status == REVERSAL
    }

    /// Whether both are about one claim: CLP01 is the same, and CLP07 where both have one.
    pub(crate) fn is_of_same_claim(&self, other: &Self) -> bool {
        let unnumbered = self.number.is_empty() || other.number.is_empty();
        self.claim == other.claim && (unnumbered || self.number == other.number)
    }

    fn is_same_segment(&self, other: &Self) -> bool {
        self.position == other.position && self.place == other.place
    }

    /// Whether it is in the set at this place.
    pub(crate) fn is_in(&self, set: &Location) -> bool {
        let within = match (self.place.span, set.span) {
            (Some((start, end)), Some((from, to))) => from <= start && end <= to,
            _ => true,
        };
        self.place.locator == set.locator && within
    }

    fn standing(&self) -> Standing<'_> {
        let position = usize::try_from(self.position).unwrap_or(usize::MAX);
        Standing { stream: &self.place.locator, position, moment: self.sent.moment() }
    }

    /// Whether this was sent after another; `None` where that is not known.
    pub(crate) fn is_after(&self, other: &Self) -> Option<bool> {
        is_after(&self.standing(), &other.standing())
    }
}

/// The claims that a set reverses, by CLP01.
pub(crate) fn reversed(set: &SetView<'_>) -> Vec<String> {
    let clp = set.segments().filter(|segment| segment.id().is("CLP"));
    clp.filter(|clp| clp.text(2) == REVERSAL).map(|clp| clp.text(1).into_owned()).collect()
}

pub(crate) fn too_many_claims() -> Unverifiable {
    let details = format!("remittances say more of reversed claims than can be held: {MOST_CLAIMS} claims");
    Unverifiable::new(Obstacle::LimitExceeded, details)
}

/// Gathers what remittances say of claims that one of them reverses.
pub(crate) struct Claims {
    pub(crate) reversed: HashSet<String>,
    pub(crate) found: Vec<RemittedClaim>,
}

impl Claims {
    /// Reads one stream; what cannot be read of it was reported before.
    pub(crate) fn read<I: Input>(
        &mut self,
        place: &Location,
        located: bool,
        mut walk: Walk<I>,
    ) -> Result<(), Unverifiable> {
        while let Ok(Some(item)) = walk.next_item(&mut |head| head.st.text(1) == "835") {
            if cancelled() {
                break;
            }
            let Item::Set(set) = item else { continue };
            let view = set.view();
            for clp in view.segments().filter(|segment| segment.id().is("CLP")) {
                if self.reversed.contains(&*clp.text(1)) {
                    self.found.push(RemittedClaim::of(&clp, &view, place, located));
                }
            }
            if self.found.len() > MOST_CLAIMS {
                return Err(too_many_claims());
            }
        }
        Ok(())
    }
}

/// The same by claim.
pub(crate) struct History<'s>(HashMap<&'s str, Vec<&'s RemittedClaim>>);

impl<'s> History<'s> {
    pub(crate) fn of(claims: &'s [RemittedClaim]) -> Self {
        let mut by_claim: HashMap<&str, Vec<&RemittedClaim>> = HashMap::new();
        for claim in claims {
            by_claim.entry(claim.claim.as_str()).or_default().push(claim);
        }
        Self(by_claim)
    }

    /// What else is said of the claim, but for what is known to have been sent before: each with whether it is known to be
    /// later.
    pub(crate) fn after(&self, own: &RemittedClaim) -> Vec<(&'s RemittedClaim, bool)> {
        let others = self.0.get(own.claim.as_str()).into_iter().flatten().copied();
        let others = others.filter(|other| other.is_of_same_claim(own) && !other.is_same_segment(own));
        let placed = others.filter_map(|other| match other.is_after(own) {
            Some(true) => Some((other, true)),
            Some(false) => None,
            None => Some((other, false)),
        });
        placed.collect()
    }
}

/// What a remittance says of a claim, in words.
pub(crate) fn described(claim: &RemittedClaim) -> String {
    format!("CLP02 is {:?} in {}", claim.status, claim.label)
}
