//! The claims and levels of a set, and whether the last word on a claim takes it back.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_check::field::Location;
use candor_check::records::{Asserting, FactRole, Facts, RecordRules, SafetyTable, UnsafeMatch, undone};
use candor_check::sandbox::Environment;
use candor_x12::{Delimiters, Excerpt, Path, SetView};
use proptest::prelude::*;

use crate::claims::{History, REVERSAL, RemittedClaim};
use crate::facts::{TABLE, fact, facts};
use crate::units::Units;

/// A CLP of one claim in an interchange of its own, sent on a day of November; without a day its order is not known.
fn remitted(day: Option<usize>, reverses: bool, position: u64) -> RemittedClaim {
    let date = day.map_or_else(String::new, |day| format!("2611{:02}", day + 1));
    let isa = format!("ISA*00**00**ZZ*PAYER*ZZ*PROVIDER*{date}*0915*^*00501*1*0*P*:");
    let clp = format!("CLP*C1*{}*1*1~", if reverses { REVERSAL } else { "1" });
    let delimiters = Delimiters::new(b'*', Some(b':'), None, b"~").unwrap();
    let isa = Excerpt { bytes: isa.as_bytes(), offset: 0 };
    let set = SetView { delimiters, isa, gs: None, body: Excerpt { bytes: clp.as_bytes(), offset: position } };
    RemittedClaim::of(&set.segment("CLP").unwrap(), &set, &Location::whole(format!("x12/{position}.x12")), false)
}

#[test]
fn the_table_has_no_faults_and_its_elements_are_paths() {
    let table: &SafetyTable = &TABLE;
    assert!(table.faults().is_empty(), "{:?}", table.faults());
    for row in table.rows() {
        assert!(Path::parse(row.element).unwrap().element().is_some(), "{}", row.element);
        assert!(["answer", "claim", "set", "interchange"].contains(&row.at), "{}", row.at);
    }
}

fn undone_by(own: &RemittedClaim, all: &[RemittedClaim]) -> Option<UnsafeMatch> {
    let history = History::of(all);
    let row = TABLE.rows().iter().find(|row| row.undoes.is_some()).unwrap();
    let asserting = Asserting::new(false, RecordRules::default(), true, Environment::Test);
    let after = history.after(own, |_| true);
    undone(&TABLE, &asserting, &Facts::new(&facts(row, &after)), &[fact(row, own, FactRole::Undone, Some(0))])
}

proptest! {
    #[test]
    fn the_last_word_on_a_claim_decides(
        reverses in proptest::collection::vec(any::<bool>(), 0..7),
        order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(),
        undated in any::<bool>(),
    ) {
        let mut reverses = reverses;
        reverses.insert(0, false);
        let claim = |day: usize| remitted(Some(day), reverses[day], day as u64);
        let own = claim(0);
        // Read in any order.
        let mut all: Vec<RemittedClaim> = order.into_iter().filter(|day| *day < reverses.len()).map(claim).collect();
        let is_reversed = reverses.last() == Some(&true);
        prop_assert_eq!(undone_by(&own, &all).map(|found| found.is_undecidable()), is_reversed.then_some(false));
        // One more reversal, or a correction, on an unknown day.
        all.push(remitted(None, undated, 99));
        let expected = match (is_reversed, undated) {
            (true, true) => Some(false),
            (true, false) | (false, true) => Some(true),
            (false, false) => None,
        };
        prop_assert_eq!(undone_by(&own, &all).map(|found| found.is_undecidable()), expected);
    }

    #[test]
    fn claims_are_apart_and_begin_with_their_segment(
        ids in proptest::collection::vec(
            prop::sample::select(vec!["CLM*C1", "CLP*C1", "LX*1", "HL*1**20", "HL*2*1*22", "HL*3*2*23", "NM1*IL", "SV1*HC", "PLB*1"]),
            0..60,
        ),
    ) {
        let text = ids.iter().map(|id| format!("{id}~")).collect::<String>();
        let delimiters = Delimiters::new(b'*', Some(b':'), None, b"~").unwrap();
        let body = Excerpt { bytes: text.as_bytes(), offset: 0 };
        let segments = SetView { delimiters, isa: Excerpt { bytes: &[], offset: 0 }, gs: None, body }.read();
        prop_assert_eq!(segments.len(), ids.len());
        let units = Units::of(&segments);
        let mut end = 0;
        for claim in &units.claims {
            prop_assert!(claim.start >= end && claim.end > claim.start && claim.end <= ids.len());
            prop_assert!(ids[claim.start].starts_with("CL"));
            end = claim.end;
        }
        for (number, id) in ids.iter().enumerate() {
            let claim = units.claim_with(number);
            prop_assert_eq!(claim.is_some_and(|claim| claim.start == number), id.starts_with("CL"));
            prop_assert!(units.claims_around(Some(number)).len() <= units.claims.len());
        }
        prop_assert_eq!(units.claims_around(None).len(), units.claims.len());
    }
}
