//! The part `portal` as `state` and `audit` see it: records, fields, captures.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails it by panicking")]

use std::ops::ControlFlow;

use candor_check::Sandbox;
use candor_check::sandbox::PartRecord;
use candor_check_testkit::uphold_part_contract;
use candor_portal_state_match::PART;

const ORDERS: &str =
    r#"[{"id": 76, "status": "open", "lines": [{"code": "A", "units": 1.0}]}, {"id": "77", "status": "open"}]"#;
const NOTES: &str = "text,at\ncalled,2026-11-22\ncalled,2026-11-22\n";

fn sandbox(orders: &str) -> Sandbox {
    let builder =
        Sandbox::builder().file("portal/orders.json", orders.as_bytes()).file("portal/notes.csv", NOTES.as_bytes());
    builder.build(&[PART]).unwrap()
}

fn records(sandbox: &Sandbox) -> Vec<PartRecord> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let part = runtime.block_on(PART.open(sandbox)).unwrap();
    let mut records = Vec::new();
    let gaps = part.records(&mut |record| {
        records.push(record);
        ControlFlow::Continue(())
    });
    assert!(gaps.unwrap().is_empty());
    records
}

#[test]
fn the_contract_of_parts() {
    uphold_part_contract(PART, &sandbox(ORDERS));
}

#[test]
fn a_row_has_its_id_or_its_content_for_a_key() {
    let listed = records(&sandbox(ORDERS));
    let keys: Vec<(&str, &str)> = listed.iter().map(|r| (r.collection.as_str(), r.key.as_str())).collect();
    assert_eq!((keys[2], keys[3]), (("orders", "76"), ("orders", "77")));
    // Two rows that nothing tells apart are two records.
    assert_eq!(keys[1].1, keys[0].1);
}

#[test]
fn a_digest_changes_with_a_field_and_not_with_its_writing() {
    let digests = |orders: &str| records(&sandbox(orders)).iter().map(|record| record.digest).collect::<Vec<_>>();
    let before = digests(ORDERS);
    assert_eq!(before, digests(&ORDERS.replace("1.0", "1").replace("\"status\": \"open\"", "\"status\":   \"open\"")));
    let after = digests(&ORDERS.replacen("open", "cancelled", 1));
    assert_eq!(before.iter().zip(&after).filter(|(a, b)| a != b).count(), 1);
}
