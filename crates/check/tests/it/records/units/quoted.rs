//! The places that evidence quotes.

use candor_check::field::{FieldResult, Location};
use candor_check::records::QuotedPlaces;
use candor_json::json;
use proptest::prelude::*;

fn place() -> impl Strategy<Value = Location> {
    let span = prop::option::of((0_u64..12, 0_u64..6).prop_map(|(from, length)| (from, from + length)));
    ("[ab]", span).prop_map(|(locator, span)| Location { locator, span })
}

proptest! {
    #[test]
    fn a_place_is_found_as_by_looking_at_all(places in prop::collection::vec(place(), 0..8), outer in place()) {
        let result = |at: &Location| FieldResult::constraint("f", json!(1), json!(1), true).at(at.clone());
        let results: Vec<FieldResult> = places.iter().map(result).collect();
        let within = |inner: &Location| match (inner.span, outer.span) {
            (Some((start, end)), Some((from, to))) => from <= start && end <= to,
            _ => true,
        };
        let expected = places.iter().any(|inner| inner.locator == outer.locator && within(inner));
        prop_assert_eq!(QuotedPlaces::of_results(&results).any_within(&outer), expected);
    }
}
