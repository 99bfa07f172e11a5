//! The places that evidence quotes.

use crate::evidence::{Entry, Evidence};
use crate::field::{FieldResult, Location};

/// The places of results, in order.
///
/// ```
/// use candor_check::field::{FieldResult, Location};
/// use candor_check::records::QuotedPlaces;
/// use candor_json::json;
///
/// let quoted = FieldResult::constraint("PID.5", json!("DOE"), json!("DOE"), true).at(Location::bytes("a.hl7", 40..43));
/// let places = QuotedPlaces::of_results([&quoted]);
/// assert!(places.any_within(&Location::bytes("a.hl7", 0..100)) && !places.any_within(&Location::bytes("a.hl7", 50..100)));
/// ```
#[derive(Debug)]
pub struct QuotedPlaces<'a>(Vec<(&'a str, Option<(u64, u64)>)>);

impl<'a> QuotedPlaces<'a> {
    /// The places of the results that evidence shows and that `are` says yes to.
    pub fn of(evidence: &'a Evidence, are: impl Fn(&FieldResult) -> bool) -> Self {
        let field = |entry: &'a Entry| match entry {
            Entry::Field(result) => Some(result),
            Entry::Phrase(_) => None,
        };
        Self::of_results(evidence.results.iter().filter_map(field).filter(|result| are(result)))
    }

    /// The places of results.
    pub fn of_results(results: impl IntoIterator<Item = &'a FieldResult>) -> Self {
        let sources = results.into_iter().filter_map(|result| result.source.as_ref());
        let mut places: Vec<_> = sources.map(|at| (at.locator.as_str(), at.span)).collect();
        places.sort_unstable();
        places.dedup();
        Self(places)
    }

    /// Returns `true` if one of them may lie within a place: it does, or bytes of one of the two are not known.
    #[must_use]
    pub fn any_within(&self, place: &Location) -> bool {
        let locator = place.locator.as_str();
        let from = |least| self.0.partition_point(|at| *at < least);
        let first = self.0.get(from((locator, None))).filter(|at| at.0 == locator);
        match (first, place.span) {
            (None, _) => false,
            (Some((_, None)), _) | (_, None) => true,
            (_, Some((start, end))) => {
                let behind = self.0.get(from((locator, Some((start, 0))))..).unwrap_or_default().iter();
                let spans = behind.take_while(|at| at.0 == locator).filter_map(|at| at.1);
                spans.take_while(|at| at.0 <= end).any(|at| at.1 <= end)
            }
        }
    }
}
