//! Two listings, record by record.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use candor_check::Unverifiable;
use candor_check::difference::{Change, canonical_digest, differences, leaves};
use candor_check::field::Location;
use candor_check::sandbox::{Gaps, OpenedPart, PartRecord, Recorded};
use candor_json::{Value, json};
use proptest::prelude::*;

#[derive(Debug)]
struct Table(Vec<(&'static str, Value)>);

impl OpenedPart for Table {
    fn is_listed(&self) -> bool {
        true
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        for (at, (key, value)) in self.0.iter().enumerate() {
            let place = Location::bytes("t", at as u64..at as u64);
            let digest = canonical_digest(value);
            if visit(PartRecord { collection: "orders".into(), key: (*key).into(), digest, place }).is_break() {
                break;
            }
        }
        Ok(Gaps::new())
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        Ok(leaves(&self.0[usize::try_from(record.place.span.unwrap().0).unwrap()].1))
    }

    fn record(&self, _: &Path) -> Result<Recorded, Unverifiable> {
        Ok(Recorded::default())
    }
}

fn told(before: &Table, after: &Table) -> (Vec<String>, u64) {
    let mut told = Vec::new();
    let compared = differences("portal", before, after, &mut |difference| {
        let fields = match &difference.change {
            Change::Changed { fields } => candor_json::to_string(fields).unwrap(),
            _ => String::new(),
        };
        told.push(format!("{} {} {fields}", difference.record, difference.change.name()).trim().to_owned());
        ControlFlow::Continue(())
    });
    (told, compared.unwrap().records)
}

#[test]
fn what_came_what_went_and_what_changed() {
    let before = Table(vec![
        ("76", json!({"status": "open"})),
        ("77", json!({"status": "open", "n": 1, "note": null})),
        ("78", json!({})),
    ]);
    let after = Table(vec![
        ("79", json!({"status": "new"})),
        ("77", json!({"n": 1.0, "status": "cancelled", "by": null})),
        ("76", json!({"status": "open"})),
    ]);
    let (told, records) = told(&before, &after);
    assert_eq!(records, 4);
    assert_eq!(
        told,
        [
            r#"orders/77 changed [{"path":"status","before":"open","after":"cancelled"},{"path":"by","after":null},{"path":"note","before":null}]"#,
            "orders/78 removed",
            "orders/79 added",
        ]
    );
}

#[test]
fn one_of_two_of_a_name_is_seen_to_be_gone() {
    let twice = Table(vec![("a", json!({"x": 1})), ("a", json!({"x": 1}))]);
    let once = Table(vec![("a", json!({"x": 1}))]);
    assert_eq!(told(&twice, &once).0, ["orders/a#2 removed"]);
    assert_eq!(told(&once, &twice).0, ["orders/a#2 added"]);
    assert_eq!(told(&twice, &twice), (Vec::new(), 2));
}

/// Lists its records once, and none from then on.
struct Fleeting(std::sync::atomic::AtomicBool, Table);

impl OpenedPart for Fleeting {
    fn is_listed(&self) -> bool {
        true
    }

    fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        match self.0.swap(true, std::sync::atomic::Ordering::Relaxed) {
            false => self.1.records(visit),
            true => Ok(Gaps::new()),
        }
    }

    fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        self.1.fields(record)
    }

    fn record(&self, into: &Path) -> Result<Recorded, Unverifiable> {
        self.1.record(into)
    }
}

#[test]
fn what_is_gone_from_the_second_listing_is_not_lost() {
    let before = Fleeting(false.into(), Table(vec![("a", json!({"x": 1}))]));
    let compared = differences("portal", &before, &Table(Vec::new()), &mut |_| ControlFlow::Continue(()));
    assert!(compared.unwrap_err().details.contains("became others while they were compared"));
}

fn table() -> impl Strategy<Value = Table> {
    let key = prop::sample::select(vec!["a", "b", "c", "d"]);
    prop::collection::vec((key, (0..3i32).prop_map(|n| json!({"n": n, "m": [n]}))), 0..6).prop_map(Table)
}

proptest! {
    #[test]
    fn nothing_differs_from_itself_and_both_ways_tell_the_same(a in table(), b in table()) {
        prop_assert!(told(&a, &a).0.is_empty());
        let (there, back) = (told(&a, &b), told(&b, &a));
        prop_assert_eq!(there.0.len(), back.0.len());
        prop_assert_eq!(there.1, back.1);
        prop_assert_eq!(there.0.is_empty(), sorted(&a) == sorted(&b));
    }
}

/// The records by name; those of one name in their order.
fn sorted(table: &Table) -> BTreeMap<&'static str, Vec<&Value>> {
    let mut sorted: BTreeMap<_, Vec<_>> = BTreeMap::new();
    table.0.iter().for_each(|(key, value)| sorted.entry(*key).or_default().push(value));
    sorted
}
