//! X12 and HL7 v2: every damage has its finding, or is named as not looked at.
#![cfg(all(feature = "balance", feature = "hl7"))]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_json::json;
use candor_validate::{Conformance, Report, Types, hl7v2, hl7v2_by_profile, x12};

const CLAIMS: &str = include_str!("../data/right.x12");
const ADMISSION: &str = "MSH|^~\\&|EHR|CLINIC|RIS|RAD|20261120091500||ADT^A01^ADT_A01|42|P|2.5.1\rEVN||20261120091500\r\
    PID|1||1001^^^CLINIC^MR||Doe^Jane||19700521|F\rPV1|1|I|W^1\r";

/// The code and the path of the first error, and how many there are.
fn found(report: &Report) -> (usize, Option<(&str, &str)>) {
    (report.findings.len(), report.findings.first().map(|one| (one.code.as_str(), one.path.as_str())))
}

#[test]
fn every_damage_of_a_claim_has_its_finding() {
    const LINE: &str = "2000A.2000B.2300.2400";
    for (from, to, code, path) in [
        ("CLM*C1*150*", "CLM*C1**", "IK403:1", "2000A.2000B.2300.CLM02".to_owned()),
        ("62704~", "6666666666666666~", "IK403:5", "2000A.2000B.2010BA.N403".to_owned()),
        ("99213*150*", "99213*15O*", "IK403:6", format!("{LINE}.SV102")),
        ("20261118~\nCLM", "20261318~\nCLM", "IK403:8", format!("{LINE}.DTP03")),
        ("19700521*F~", "19700521*X~", "IK403:7", "2000A.2000B.2010BA.DMG03".to_owned()),
        ("SE*28", "SE*29", "IK502:4", "SE.1".to_owned()),
        ("GE*1*", "GE*2*", "AK905:5", "GE.1".to_owned()),
        ("IEA*1*", "IEA*2*", "TA105:021", "IEA.1".to_owned()),
        ("CLM*C1*150*", "CLM*C1*151*", "IK403:I12", "CLM02".to_owned()),
    ] {
        assert!(CLAIMS.contains(from), "{from}");
        let report = x12("a", CLAIMS.replace(from, to).as_bytes(), Types::default()).report;
        assert_eq!(found(&report), (1, Some((code, path.as_str()))), "{to}: {:?}", report.findings);
    }
    for cut in ["SV1*HC:99213*90", "SE*28"] {
        let cut = CLAIMS.split(cut).next().unwrap();
        let report = x12("a", cut.as_bytes(), Types::default()).report;
        assert_eq!(found(&report), (3, Some(("IK502:2", "$readable"))), "{:?}", report.findings);
    }
}

#[test]
fn every_damage_of_a_message_has_its_finding() {
    for (from, to, code, path) in [
        ("PV1|1|I|W^1\r", "", "100", "PV1"),
        ("||Doe^Jane|", "|||", "101", "PID.5"),
        ("19700521", "1970-05-21", "102", "PID.7"),
        ("PID|1|", "PID|x|", "102", "PID.1"),
        ("ADT_A01", "ADT_X01", "103", "MSH.9.3"),
        ("PID|1", "EVN||20261120091500\rPID|1", "198", "EVN[2]"),
        ("|I|W^1\r", "", "101", "PV1.2"),
    ] {
        assert!(ADMISSION.contains(from), "{from}");
        let report = hl7v2("a", ADMISSION.replace(from, to).as_bytes(), None);
        assert_eq!(found(&report), (1, Some((code, path))), "{to}: {:?}", report.findings);
    }
    let batch = |end: &str| format!("FHS|^~\\&\rBHS|^~\\&\r{ADMISSION}{end}");
    for (text, expected) in [
        (batch("BTS|1\rFTS|1\r"), None),
        (batch("BTS|2\rFTS|1\r"), Some(("wrong-count", "BTS.1"))),
        (batch("BTS|1\rFTS|2\r"), Some(("wrong-count", "FTS.1"))),
        (ADMISSION.chars().take(40).collect(), Some(("207", "$readable"))),
        (format!("{ADMISSION}{}", "\0".repeat(4096)), Some(("207", "$readable"))),
        (String::new(), Some(("207", "MSH"))),
    ] {
        let report = hl7v2("a", text.as_bytes(), None);
        assert_eq!(found(&report).1, expected, "{text}: {:?}", report.findings);
    }
}

#[test]
fn a_message_without_a_mark_of_its_end_is_named() {
    let is_named = |text: &str| hl7v2("a", text.as_bytes(), None).not_looked_at.iter().any(|one| one.contains("whole"));
    assert!(is_named(ADMISSION.trim_end()) && !is_named(ADMISSION));
}

#[test]
fn a_profile_asks_for_more_than_the_standard() {
    let profile = json!({
        "profile": "receiver", "version": "2.7", "segments": {"NK1": {"usage": "R"}},
        "fields": [{"path": "MSH.3.1", "max_length": 2, "severity": "warning"}, {"path": "PID.8", "values": ["F"]}],
    });
    let read = |profile: &candor_json::Value| Conformance::read(profile);
    let report = hl7v2_by_profile("a", ADMISSION.as_bytes(), None, Some(&read(&profile).unwrap()));
    let codes: Vec<_> = report.findings.iter().map(|one| (one.code.as_str(), one.path.as_str(), one.line)).collect();
    let expected = [("203", "MSH.12.1", Some(1)), ("100", "NK1", Some(5)), ("104", "MSH.3.1", Some(1))];
    assert_eq!(codes, expected, "{:?}", report.findings);
    assert!(!report.is_sound());
    let other = json!({"profile": "p", "fields": [{"path": "ZZZ.1", "usage": "R"}]});
    let report = hl7v2_by_profile("a", ADMISSION.as_bytes(), None, Some(&read(&other).unwrap()));
    assert!(report.not_looked_at.iter().any(|one| one.contains("no rule of the profile applies")), "{report:?}");
    assert!(read(&json!({"profile": "p"})).is_err());
}
