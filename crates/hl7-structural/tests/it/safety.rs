//! Cancellations, over traffic that is made up.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests fails them by panicking")]

use std::collections::HashMap;

use candor_check::field::Location;
use candor_check::records::{Asserting, Fact, FactRole, Facts, RecordRules, UnsafeMatch, undone};
use candor_check::sandbox::Environment;
use proptest::prelude::*;

use crate::here::{Hash, Here, Origin};

// Modules of cancellations, compiled once more.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/cancel.rs"]
mod cancel;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/identity.rs"]
mod identity;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/of_orders.rs"]
mod of_orders;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/reads.rs"]
mod reads;
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/safety/table.rs"]
mod table;

use cancel::Cancels;
use table::{TABLE, text_at};

/// By message of a file, whether it was cancelled: yes, no, or not known.
fn cancelled(messages: &[String]) -> Vec<Option<bool>> {
    let (mut cancels, mut numbers) = (Cancels::default(), Vec::new());
    for (at, text) in messages.iter().enumerate() {
        let message = candor_hl7v2::messages(text.as_bytes()).next().unwrap().unwrap();
        let origin = Origin { hash: Hash::Known(""), located: true, from: "hl7/a.hl7".to_owned(), event: None };
        let file = Location::whole("hl7/a.hl7");
        let here = Here::new(&origin, &file, 1, at as u64..at as u64 + 1);
        let read = cancels.read(&message, &here).map(|(number, _)| number);
        numbers.push(read.or(cancels.meant(&message, &here, read).map(|(number, _)| number)));
    }
    let facts = cancels.facts(&numbers.iter().flatten().map(|number| (*number, 0)).collect());
    let all: Vec<Fact> = facts.iter().map(|(_, fact)| fact.clone()).collect();
    let index = Facts::new(&all);
    let asserting = Asserting::new(false, RecordRules::default(), true, Environment::Test);
    let of = |at: usize| {
        let own = facts.iter().filter(|(of, fact)| Some(*of) == numbers[at] && fact.role == FactRole::Undone);
        let own: Vec<Fact> = own.map(|(_, fact)| fact.clone()).collect();
        let found = undone(&TABLE, &asserting, &index, &own);
        found.as_ref().map(UnsafeMatch::is_undecidable).map_or(Some(false), |open| (!open).then_some(true))
    };
    (0..messages.len()).map(of).collect()
}

fn adt(event: &str, at: usize, patient: &str, visit: &str) -> String {
    format!(
        "MSH|^~\\&|A|F|R|RF|202611201000{at:02}||ADT^{event}|{at}|P|2.5.1\rPID|1||{patient}\rPV1|1|I{}{visit}\r",
        "|".repeat(17)
    )
}

proptest! {
    /// A cancellation is about the earlier admissions of its patient and visit, and no others.
    #[test]
    fn the_index_finds_what_the_keys_say(
        messages in prop::collection::vec((any::<bool>(), 0..2_usize, 0..3_usize), 1..12)
    ) {
        let visit = |visit: usize| ["", "V1", "V2"][visit];
        let texts: Vec<String> = messages.iter().enumerate().map(|(at, (cancels, patient, of))| {
            adt(if *cancels { "A11" } else { "A01" }, at, ["7", "8"][*patient], visit(*of))
        }).collect();
        for (at, answer) in cancelled(&texts).into_iter().enumerate() {
            let (cancels, patient, of) = messages[at];
            if cancels {
                prop_assert_eq!(answer, Some(false));
                continue;
            }
            let is_of_patient = |cancels: bool| move |(_, (is, other, _)): &(usize, &(bool, usize, usize))| {
                *is == cancels && *other == patient
            };
            let later = || messages.iter().enumerate().skip(at + 1).filter(is_of_patient(true));
            let open = later().rfind(|(_, (_, _, other))| *other == 0 || of == 0);
            // Only an admission before the cancellation can be meant.
            let before = |end: usize| messages.iter().enumerate().take(end).filter(is_of_patient(false)).count();
            let expected = if of != 0 && later().any(|(_, (_, _, other))| *other == of) {
                Some(true)
            } else {
                open.map_or(Some(false), |(end, _)| (before(end) == 1).then_some(true))
            };
            prop_assert_eq!(answer, expected, "{:?} in {:?}", at, &messages);
        }
    }

    /// Nothing that can be read as a message makes it stumble.
    #[test]
    fn any_fields_are_read(
        messages in prop::collection::vec(("[A-Z0-9^~&|]{0,30}", "[A-Z0-9^~&|\"]{0,30}", "(CA|NW|UC|OC|)[A-Z0-9^~&|]{0,12}"), 1..6)
    ) {
        let texts: Vec<String> = messages.iter().map(|(header, patient, order)| {
            format!("MSH|^~\\&|A|F|R|RF|{header}\rPID|1||{patient}\rORC|{order}\rSCH|{order}\rORC|{order}\r")
        }).collect();
        prop_assert_eq!(cancelled(&texts).len(), texts.len());
    }
}

#[test]
fn many_numbers_of_one_patient_take_no_time() {
    let pairs: Vec<String> = (0..2000).map(|at| adt("A01", at % 60, &format!("{at}~{}", at + 1), "")).collect();
    let mut messages = pairs;
    messages.push(adt("A11", 59, "0", "V1"));
    assert_eq!(cancelled(&messages).len(), 2001);
}

/// The facts for a criterion that means no message, if others mean some of them.
fn facts_of_no_message(messages: &[&str], meant_by_others: &[usize]) -> Vec<Fact> {
    let mut cancels = Cancels::default();
    for (at, text) in messages.iter().enumerate() {
        let message = candor_hl7v2::messages(text.as_bytes()).next().unwrap().unwrap();
        let origin = Origin { hash: Hash::Known(""), located: true, from: "hl7/a.hl7".to_owned(), event: None };
        let file = Location::whole("hl7/a.hl7");
        let here = Here::new(&origin, &file, at as u64 + 1, at as u64..at as u64 + 1);
        let read = cancels.read(&message, &here).map(|(number, _)| number);
        if meant_by_others.contains(&at) {
            cancels.meant(&message, &here, read);
        }
    }
    cancels.facts(&HashMap::new()).into_iter().map(|(_, fact)| fact).collect()
}

#[test]
fn facts_are_the_same_whatever_others_mean() {
    let messages = [
        "MSH|^~\\&|A|F|R|RF|20261120100000||ORU^R01|1|P|2.5.1\rOBR|1|P1|F1\rOBX|1|NM|K||4||||||F\r",
        "MSH|^~\\&|A|F|R|RF|20261120110000||ORM^O01|2|P|2.5.1\rORC|CA\r",
        "MSH|^~\\&|A|F|R|RF|20261120120000||ORU^R01|3|P|2.5.1\rOBR|1|P1|F1\rOBX|1|NM|K||4||||||W\r",
    ];
    let alone = facts_of_no_message(&messages, &[]);
    assert_eq!(facts_of_no_message(&messages, &[0]), alone);
    let paths: Vec<&str> = alone.iter().map(|fact| fact.path.as_str()).collect();
    assert_eq!(paths, ["ORC.1"], "a withdrawal of what is not meant is kept");
}

#[test]
fn every_line_of_the_table_is_a_row() {
    assert!(TABLE.faults().is_empty(), "{:?}", TABLE.faults());
    for row in TABLE.rows() {
        assert!(candor_hl7v2::Path::parse(row.element).is_ok(), "{row:?}");
        let undoes = row.undoes.iter().flat_map(|undoes| undoes.within.iter().chain(&undoes.numbers));
        for element in undoes {
            assert!(candor_hl7v2::Path::parse(element).is_ok(), "{row:?}");
        }
    }
}
