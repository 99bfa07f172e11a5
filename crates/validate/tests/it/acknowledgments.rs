//! Acknowledgments say what the findings say, and are sound themselves.
#![cfg(all(feature = "balance", feature = "hl7"))]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;

use candor_validate::{Acknowledgment, Stamp, Standard, Types, acknowledge, hl7v2, hl7v2_ack, x12};
use proptest::prelude::*;

const CLAIMS: &[u8] = include_bytes!("../data/claims.x12");
const RIGHT: &[u8] = include_bytes!("../data/right.x12");

fn stamp() -> Stamp {
    Stamp { date: "20261121".to_owned(), time: "0900".to_owned() }
}

/// The acknowledgment of a file, which is sound itself.
fn answered(kind: Acknowledgment, bytes: &[u8]) -> String {
    let text = acknowledge(kind, &x12("claims.x12", bytes, Types::default()), &stamp()).unwrap();
    let own = x12("answer.x12", text.as_bytes(), Types::default()).report;
    assert!(own.is_sound(), "{text}\n{:#?}", own.findings);
    text
}

#[test]
fn what_is_right_is_accepted() {
    assert!(x12("right.x12", RIGHT, Types::default()).report.findings.is_empty());
    assert!(answered(Acknowledgment::Ta1, RIGHT).contains("TA1*000000101*261120*0915*A*000~"));
    let text = answered(Acknowledgment::Implementation, RIGHT);
    assert!(text.contains("IK5*A~") && text.contains("AK9*A*1*1*1~") && !text.contains("IK3"), "{text}");
    let text = answered(Acknowledgment::Claims, RIGHT);
    assert_eq!(text.matches("STC*A2:20:PR").count(), 2, "{text}");
    assert!(text.contains("AMT*YU*240~") && !text.contains("AMT*YY"), "{text}");
}

#[test]
fn codes_are_those_of_the_findings() {
    let report = x12("claims.x12", CLAIMS, Types::default()).report;
    let codes: BTreeSet<&str> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, BTreeSet::from(["IK403:7", "IK403:8", "IK403:I12"]));
    let text = answered(Acknowledgment::Implementation, CLAIMS);
    for expected in
        ["IK3*CLM*23*2300*8~", "IK4*5:2**7*X~", "IK4*3**8*20261399~", "IK4*2**I12*90~", "IK5*R*5~", "AK9*R*1*1*0~"]
    {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
    let text = answered(Acknowledgment::Claims, CLAIMS);
    assert!(text.contains("TRN*2*C1~\nSTC*A2:20:PR*20261121*WQ*150~"), "{text}");
    assert!(text.contains("TRN*2*C2~\nSTC*A7:21*20261121*U*90~"), "{text}");
    assert!(text.contains("QTY*90*1~") && text.contains("QTY*AA*1~") && text.contains("AMT*YY*90~"), "{text}");
}

#[test]
fn a_set_that_is_cut_off_is_rejected() {
    let text = String::from_utf8_lossy(RIGHT);
    let cut = text.split("SE*").next().unwrap();
    let validated = x12("cut.x12", cut.as_bytes(), Types::default());
    assert!(validated.report.findings.iter().any(|finding| finding.code == "IK502:2"), "{:#?}", validated.report);
    let text = acknowledge(Acknowledgment::Implementation, &validated, &stamp()).unwrap();
    assert!(text.contains("AK2*837*0001*005010X222A1~\nIK5*R*2~"), "{text}");
    assert!(acknowledge(Acknowledgment::Ta1, &x12("letter.x12", b"Dear Sir", Types::default()), &stamp()).is_err());
}

#[test]
fn messages_are_answered_by_their_structure() {
    let whole =
        b"MSH|^~\\&|A|F|R|RF|20261120100000||ADT^A01^ADT_A01|1|P|2.5.1\rEVN||20261120\rPID|1||77||Doe^Jane\rPV1|1|I\r";
    let text = hl7v2_ack("a.hl7", whole, None, &stamp()).unwrap();
    assert!(text.starts_with("MSH|^~\\&|R|RF|A|F|202611210900||ACK^A01^ACK|"), "{text}");
    assert!(text.ends_with("\rMSA|AA|1\r"), "{text}");
    let wrong = String::from_utf8_lossy(whole).replace("PV1|1|I\r", "");
    let text = hl7v2_ack("a.hl7", wrong.as_bytes(), None, &stamp()).unwrap();
    assert!(text.contains("\rMSA|AE|1\rERR||PV1^1|100^Segment sequence error^HL70357|E|"), "{text}");
    let report = hl7v2("answer.hl7", text.as_bytes(), None);
    assert!(report.is_sound(), "{text}\n{report:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0_usize..900, cut in 0_usize..900) {
        let mut damaged = CLAIMS.to_vec();
        damaged.truncate(cut.max(1));
        let at = at.min(damaged.len());
        damaged.splice(at..at, bytes.iter().copied());
        for bytes in [bytes.as_slice(), &damaged] {
            let _ = Standard::of("a", bytes);
            let validated = x12("a", bytes, Types::default());
            for kind in [Acknowledgment::Ta1, Acknowledgment::Implementation, Acknowledgment::Claims] {
                if let Ok(text) = acknowledge(kind, &validated, &stamp()) {
                    prop_assert!(text.starts_with("ISA*"));
                }
            }
            let _ = hl7v2("a", bytes, None);
            let _ = hl7v2_ack("a", bytes, None, &stamp());
        }
    }
}
