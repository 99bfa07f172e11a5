//! The statements of a sandbox's remittances about claims that one of them reverses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use candor_check::field::Location;
use candor_check::records::{Moment, Standing};
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};
use candor_x12::{Input, Item, Path, Segment, SetView, TextSearch, Walk};
use serde::{Deserialize, Serialize};

use crate::order::{Sent, is_after};

/// CLP02 of a reversal.
pub(crate) const REVERSAL: &str = "22";

/// The most claims of which remittances are held together.
pub(crate) const MOST_CLAIMS: usize = 20_000;

/// A claim of one remittance: a CLP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemittedClaim {
    /// CLP01, the number that the provider gave it.
    pub(crate) claim: String,
    /// CLP07, the payer's own number; empty if it is missing.
    number: String,
    /// CLP02.
    pub(crate) status: String,
    /// CLP04.
    pub(crate) paid: String,
    sent: Sent,
    /// Where CLP is among others of its file or event stream.
    position: u64,
    pub(crate) place: Location,
    pub(crate) label: String,
}

impl RemittedClaim {
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

    /// True if both are about one claim: CLP01 is the same, and CLP07 where both have one.
    pub(crate) fn is_of_same_claim(&self, other: &Self) -> bool {
        let unnumbered = self.number.is_empty() || other.number.is_empty();
        self.claim == other.claim && (unnumbered || self.number == other.number)
    }

    fn is_same_segment(&self, other: &Self) -> bool {
        self.position == other.position && self.place == other.place
    }

    pub(crate) fn is_in(&self, set: &Location) -> bool {
        let within = match (self.place.span, set.span) {
            (Some((start, end)), Some((from, to))) => from <= start && end <= to,
            _ => true,
        };
        self.place.locator == set.locator && within
    }

    fn at(&self, moment: Option<Moment>) -> Standing<'_> {
        let position = usize::try_from(self.position).unwrap_or(usize::MAX);
        Standing { stream: &self.place.locator, position, moment }
    }

    /// True if this was sent after another; `None` if that is not known.
    pub(crate) fn is_after(&self, other: &Self) -> Option<bool> {
        is_after(&self.at(self.sent.moment()), &other.at(other.sent.moment()))
    }
}

/// CLP01 of claims that are reversed, held once for the criteria that read the same sets.
pub(crate) type Reversed = Arc<HashSet<String>>;

pub(crate) fn add_reversed(all: &mut Reversed, more: &Reversed) {
    if all.is_empty() {
        *all = Arc::clone(more);
    } else if !more.is_subset(all) {
        Arc::make_mut(all).extend(more.iter().cloned());
    }
}

/// Finds the claims that a set reverses. Most sets reverse none, and are searched for a text instead of being split.
pub(crate) struct Reversals {
    of_remittance: Option<TextSearch<'static>>,
    of_other: Option<TextSearch<'static>>,
}

impl Reversals {
    pub(crate) fn new() -> Self {
        let path = Path::parse("CLP.2").ok();
        let search = |text: &'static str| path.as_ref().and_then(|path| TextSearch::new(path, text));
        Self { of_remittance: search(REVERSAL), of_other: search("CLP") }
    }

    /// CLP01 of the claims.
    pub(crate) fn find(&self, set: &SetView<'_>, is_remittance: bool) -> Vec<String> {
        let search = if is_remittance { &self.of_remittance } else { &self.of_other };
        if search.as_ref().is_some_and(|search| !search.may_be_in(set)) {
            return Vec::new();
        }
        let clp = set.segments().filter(|segment| segment.id().is("CLP"));
        clp.filter(|clp| clp.text(2) == REVERSAL).map(|clp| clp.text(1).into_owned()).collect()
    }
}

pub(crate) fn too_many_claims() -> Unverifiable {
    let details = format!("remittances say more of reversed claims than can be held: {MOST_CLAIMS} claims");
    Unverifiable::new(Obstacle::LimitExceeded, details)
}

/// Gathers what remittances say of claims that one of them reverses.
pub(crate) struct Claims {
    pub(crate) reversed: Reversed,
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

/// A claim of a remittance, with the moment when it was sent.
type Dated<'s> = (&'s RemittedClaim, Option<Moment>);

pub(crate) struct History<'s>(HashMap<&'s str, Vec<Dated<'s>>>);

impl<'s> History<'s> {
    pub(crate) fn of(claims: &'s [RemittedClaim]) -> Self {
        let mut by_claim: HashMap<&str, Vec<Dated<'_>>> = HashMap::new();
        for claim in claims {
            by_claim.entry(claim.claim.as_str()).or_default().push((claim, claim.sent.moment()));
        }
        Self(by_claim)
    }

    /// The decisive other statements about the claim, without those known to have been sent before. Of reversals, and
    /// of all others, these are the last that is known to be later, and one whose order is not known. The flag is true
    /// if the order is known.
    pub(crate) fn after(
        &self,
        own: &RemittedClaim,
        keep: impl Fn(&RemittedClaim) -> bool,
    ) -> Vec<(&'s RemittedClaim, bool)> {
        let own_at = own.at(own.sent.moment());
        // By kind, known to be later and not.
        let mut decisive: [[Option<Dated<'_>>; 2]; 2] = Default::default();
        for &(other, moment) in self.0.get(own.claim.as_str()).into_iter().flatten() {
            if cancelled() || !other.is_of_same_claim(own) || other.is_same_segment(own) || !keep(other) {
                continue;
            }
            let known = match is_after(&other.at(moment), &own_at) {
                Some(false) => continue,
                later => later.is_some(),
            };
            let [reversals, others] = &mut decisive;
            let [unknown, later] = if other.is_reversal() { reversals } else { others };
            let slot = if known { later } else { unknown };
            let is_last = slot.is_none_or(|(last, at)| is_after(&other.at(moment), &last.at(at)) == Some(true));
            if is_last {
                *slot = Some((other, moment));
            }
        }
        let listed = decisive.into_iter().flat_map(|kind| kind.into_iter().zip([false, true]));
        listed.filter_map(|(found, known)| Some((found?.0, known))).collect()
    }
}

pub(crate) fn described(claim: &RemittedClaim) -> String {
    format!("CLP02 is {:?} in {}", claim.status, claim.label)
}
