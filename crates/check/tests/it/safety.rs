//! Records that undo earlier ones, and elements that make a record unsafe.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::field::Location;
use candor_check::records::{
    Asserting, Element, Fact, FactRole, Facts, Match, RecordRules, SafetyTable, undone, unsafe_element,
};
use candor_check::sandbox::Environment;
use candor_json::json;
use proptest::prelude::*;

const TABLE: &str = concat!(
    "at\telement\tvalues\tmatters\tundoes\tkey\tuntil\tsource\n",
    "A11\tMSH.9.2\tA11\twork\tMSH.9.2=A01 A04\tPID.3 + PV1.19 | PID.18\tMSH.9.2=A01\tADT\n",
    "OBX\tOBX.11\tD W X\twork\t-\t-\t-\ttable 0085\n",
    "MSH\tMSH.11.1\tT D\tproduction\t-\t-\t-\ttable 0103\n",
    "*\tstatus\tentered-in-error\talways\t-\t-\t-\ta status\n",
);

fn asserting(matching: Match, environment: Environment) -> Asserting {
    Asserting::new(false, RecordRules { matching, count: None }, true, environment)
}

fn fact(role: FactRole, moment: Option<u64>, patient: &str, numbers: [&str; 2]) -> Fact {
    let number = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Fact {
        row: "A11 MSH.9.2".into(),
        role,
        moment,
        within: Some(patient.into()),
        numbers: numbers.map(number).to_vec(),
        path: "MSH.9.2".into(),
        value: json!("A11"),
        place: Location::whole("hl7/a.hl7"),
        label: "message 2".into(),
    }
}

/// The outcome for the first fact: `certain`, `open` or `safe`.
fn outcome(facts: &[Fact]) -> &'static str {
    let table = SafetyTable::read(TABLE);
    let found = undone(&table, &asserting(Match::Any, Environment::Test), &Facts::new(facts), &facts[..1]);
    match found {
        None => "safe",
        Some(found) if found.is_undecidable() => "open",
        Some(_) => "certain",
    }
}

#[test]
fn a_later_record_of_the_same_key_undoes() {
    use FactRole::{Restores, Undoes, Undone};
    let own = |numbers| fact(Undone, Some(1), "p", numbers);
    for (facts, expected) in [
        (vec![own(["v1", ""])], "safe"),
        (vec![own(["v1", ""]), fact(Undoes, Some(2), "p", ["v1", ""])], "certain"),
        (vec![own(["v1", ""]), fact(Undoes, Some(2), "p", ["v2", ""])], "safe"),
        (vec![own(["v1", ""]), fact(Undoes, Some(2), "q", ["v1", ""])], "safe"),
        (vec![own(["v1", ""]), fact(Undoes, Some(0), "p", ["v1", ""])], "safe"),
        (vec![own(["v1", ""]), fact(Undoes, Some(1), "p", ["v1", ""])], "safe"),
        // The first number that both have decides.
        (vec![own(["v1", "a1"]), fact(Undoes, Some(2), "p", ["v2", "a1"])], "safe"),
        (vec![own(["v1", "a1"]), fact(Undoes, Some(2), "p", ["", "a1"])], "certain"),
        // Without a number in common the only record of the patient is meant; of several, no one knows which.
        (vec![own(["v1", ""]), fact(Undoes, Some(2), "p", ["", ""])], "certain"),
        (vec![own(["", ""]), fact(Undone, Some(0), "p", ["", ""]), fact(Undoes, Some(2), "p", ["", ""])], "open"),
        // A record that came later cannot be meant.
        (vec![own(["", ""]), fact(Undone, Some(3), "p", ["", ""]), fact(Undoes, Some(2), "p", ["", ""])], "certain"),
        (vec![own(["", ""]), fact(Undone, None, "p", ["", ""]), fact(Undoes, Some(2), "p", ["", ""])], "open"),
        (vec![own(["", ""]), fact(Undone, Some(0), "q", ["", ""]), fact(Undoes, Some(2), "p", ["", ""])], "certain"),
        // What restores it must come after what undid it.
        (
            vec![own(["v1", ""]), fact(Undoes, Some(2), "p", ["v1", ""]), fact(Restores, Some(3), "p", ["v1", ""])],
            "safe",
        ),
        (
            vec![own(["v1", ""]), fact(Undoes, Some(3), "p", ["v1", ""]), fact(Restores, Some(2), "p", ["v1", ""])],
            "certain",
        ),
        // Without a time no one knows which came first.
        (vec![own(["v1", ""]), fact(Undoes, None, "p", ["v1", ""])], "open"),
        (vec![fact(Undone, None, "p", ["v1", ""]), fact(Undoes, Some(2), "p", ["v1", ""])], "open"),
        // What may restore it leaves it open.
        (vec![own(["v1", ""]), fact(Undoes, Some(2), "p", ["v1", ""]), fact(Restores, Some(3), "p", ["", ""])], "open"),
    ] {
        assert_eq!(outcome(&facts), expected, "{facts:#?}");
    }
}

/// Where a row has no numbers, the patient alone is the key.
#[test]
fn a_row_without_numbers_goes_by_what_both_are_within() {
    let of = |role, moment, patient| Fact { numbers: Vec::new(), ..fact(role, Some(moment), patient, ["", ""]) };
    let own = of(FactRole::Undone, 2, "p");
    let several = [own.clone(), of(FactRole::Undone, 1, "p"), of(FactRole::Undoes, 3, "p")];
    assert_eq!(outcome(&several), "certain");
    assert_eq!(outcome(&[own, of(FactRole::Undoes, 3, "q")]), "safe");
}

#[test]
fn a_row_matters_where_its_column_says() {
    let table = SafetyTable::read(TABLE);
    assert!(table.faults().is_empty(), "{:?}", table.faults());
    let found = |asserting: &Asserting, at: &'static str, value: &'static str, named: bool| {
        unsafe_element(&table, asserting, |row| {
            let element = Element {
                path: row.element.into(),
                value: json!(value),
                source: Location::whole("hl7/a.hl7"),
                named,
                assert: row.element.into(),
            };
            if row.at == at { vec![element] } else { Vec::new() }
        })
    };
    let work = asserting(Match::Any, Environment::Test);
    let form = asserting(Match::All, Environment::Test);
    let production = asserting(Match::All, Environment::Production);
    assert_eq!(
        found(&work, "OBX", "W", false).unwrap().why,
        "OBX.11 is \"W\"; assert `OBX.11` or write `allow_modifiers: true`"
    );
    assert!(found(&work, "OBX", "F", false).is_none());
    assert!(found(&work, "OBX", "W", true).is_none());
    assert!(found(&form, "OBX", "W", false).is_none());
    assert!(found(&work, "MSH", "T", false).is_none());
    assert!(found(&production, "MSH", "T", false).is_some());
    assert!(found(&form, "*", "entered-in-error", false).is_some());
    assert!(found(&Asserting { allow_modifiers: true, ..work }, "OBX", "W", false).is_none());
}

proptest! {
    /// The index finds what a look at every pair of records finds.
    #[test]
    fn the_index_agrees_with_every_pair(
        records in prop::collection::vec((0..3_u8, 0..6_u64, 0..2_u8, 0..3_u8, 0..3_u8), 1..12)
    ) {
        let name = |number: u8| ["", "1", "2"][usize::from(number)];
        let mut facts: Vec<Fact> = records.iter().map(|(role, moment, patient, visit, account)| {
            let role = [FactRole::Undone, FactRole::Undoes, FactRole::Restores][usize::from(*role)];
            fact(role, Some(*moment), ["p", "q"][usize::from(*patient)], [name(*visit), name(*account)])
        }).collect();
        facts[0].role = FactRole::Undone;
        let own = &facts[0];
        let compared = |other: &Fact| {
            if other.within != own.within { return None; }
            let both = other.numbers.iter().zip(&own.numbers).find(|(a, b)| a.is_some() && b.is_some());
            match both { Some((a, b)) if a == b => Some(true), Some(_) => None, None => Some(false) }
        };
        let latest = |role, same| {
            let of = facts.iter().filter(|f| f.role == role && compared(f) == Some(same));
            of.filter_map(|f| f.moment).max()
        };
        let undoable = |by: Option<u64>| {
            facts.iter().filter(|f| f.role == FactRole::Undone && f.within == own.within && f.moment < by).count()
        };
        let later = |moment: &u64| Some(*moment) > own.moment;
        let same = latest(FactRole::Undoes, true).filter(later);
        let expected = match same.or(latest(FactRole::Undoes, false).filter(later)) {
            None => "safe",
            by if latest(FactRole::Restores, true) > by => "safe",
            by if latest(FactRole::Restores, false) > by => "open",
            by if same.is_none() && undoable(by) > 1 => "open",
            _ => "certain",
        };
        prop_assert_eq!(outcome(&facts), expected);
    }
}
