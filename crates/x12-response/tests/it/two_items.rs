//! Criteria about two items of a set that nothing binds.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests fails them by panicking")]

use candor_check::review::WeaknessKind;
use candor_json::{Value, json};
use candor_x12_response::CHECK;

fn place(mut assertion: Value) -> Option<String> {
    assertion["assert"] = json!("x12-response");
    let review = CHECK.bind(assertion).unwrap().review();
    let mut weaknesses = review.weaknesses.into_iter().filter(|weakness| weakness.kind == WeaknessKind::TwoItems);
    weaknesses.next().map(|weakness| weakness.place)
}

#[test]
fn what_is_about_two_of_a_set_is_told_from_what_is_bound() {
    let claim = |path: &str| json!({"transaction": "837", "correlate_by": {"2010BA.NM1.9": "M100"}, "fields": [{"path": path, "expected": 150}]});
    let member = |path: &str| json!({"transaction": "834", "correlate_by": {"2000.REF[1=0F].2": "M100"}, "fields": [{"path": path, "expected": "024"}]});
    let paid = |path: &str| json!({"transaction": "835", "fields": [{"path": "CLP[1=C1].4", "expected": 50}, {"path": path, "expected": "W1"}]});
    for unbound in [claim("2300[1=C1].CLM.2"), claim("CLM.2"), member("2000.INS.3"), paid("2100.NM1[1=QC][9=W1].9")] {
        assert!(place(unbound.clone()).is_some(), "{unbound}");
    }
    for bound in [
        claim("2000B[2010BA.NM1.9=M100].2300[CLM.1=C1].CLM.2"),
        claim("BHT.3"),
        member("2000[REF[1=0F].2=M100].INS.3"),
        paid("2100[CLP.1=C1].NM1[1=QC].9"),
        paid("BPR.2"),
        json!({"transaction": "271", "correlate_by": {"2000C.TRN02": "93175"}, "fields": [{"path": "2110C.EB[3=30].1", "expected": "1"}]}),
        json!({"transaction": "835", "fields": [{"item": "2100", "fields": [{"path": "CLP.1", "expected": "C1"}]}]}),
    ] {
        assert_eq!(place(bound.clone()), None, "{bound}");
    }
}
