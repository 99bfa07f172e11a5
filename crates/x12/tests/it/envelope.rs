//! Every disagreement of an envelope, with X12's own code, and none where there is none.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "tests fail by panicking"
)]

use crate::common;

use common::{ISA, SET, account, group, sound};

/// What a walk found to disagree, as `code path`.
fn codes(text: &str) -> Vec<String> {
    account(text.as_bytes())
        .iter()
        .flat_map(|line| {
            assert!(!line.starts_with("fault"), "{line}");
            line.split(" [")
                .skip(1)
                .map(|finding| finding.split(' ').take(2).collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn one_change_one_finding() {
    let cases: [(&str, &str, &[&str]); 25] = [
        ("", "", &[]),
        ("IEA*1*000000001", "IEA*1*000000002", &["TA105:001 IEA.2"]),
        ("IEA*1*000000001", "IEA*1*1", &[]),
        ("IEA*1*", "IEA*2*", &["TA105:021 IEA.1"]),
        ("IEA*1*", "IEA*001*", &[]),
        ("IEA*1*", "IEA**", &["TA105:021 IEA.1"]),
        ("IEA*1*000000001~", "IEA~", &["TA105:001 IEA.2", "TA105:021 IEA.1"]),
        ("IEA*1*000000001~", "", &["TA105:023 IEA"]),
        ("GE*1*1", "GE*1*2", &["AK905:4 GE.2"]),
        ("GE*1*1", "GE*1*0001", &[]),
        ("GE*1*1", "GE*3*1", &["AK905:5 GE.1"]),
        ("GE*1*1~", "", &["AK905:3 GE"]),
        ("SE*7*0001", "SE*7*0002", &["IK502:3 SE.2"]),
        ("SE*7*0001", "SE*7*1", &["IK502:3 SE.2"]),
        ("SE*7*", "SE*6*", &["IK502:4 SE.1"]),
        ("SE*7*", "SE*x*", &["IK502:4 SE.1"]),
        ("ST*271*0001*005010X279A1", "ST*271*0001*005010X279", &["IK502:19 ST.3"]),
        ("ST*271*0001*005010X279A1", "ST*271*0001", &[]),
        ("GS*HB", "GS*HS", &["IK502:18 GS.1"]),
        ("*^*00501*", "*U*00501*", &["TA105:022 ISA.11"]),
        ("*^*00501*", "*:*00501*", &["TA105:022 ISA.11"]),
        ("*^*00501*", "*U*00401*", &["AK905:2 GS.8"]),
        ("*0*P*:~", "*0*P*A~", &["TA105:027 ISA.16"]),
        ("*0*P*:~", "*0*P*^~", &["TA105:022 ISA.11"]),
        ("*1*X*005010X279A1", "*1*X*004010X092A1", &["IK502:19 ST.3", "AK905:2 GS.8"]),
    ];
    for (from, to, expected) in cases {
        let text = if from.is_empty() { sound() } else { sound().replacen(from, to, 1) };
        assert!(from.is_empty() || text != sound(), "{from} is not there");
        assert_eq!(codes(&text), expected, "{from} → {to}");
    }
}

#[test]
fn a_padded_number_is_the_same_number() {
    let text = sound().replace("*000000001*0*P*", "*        1*0*P*");
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn an_uneven_header_is_read_and_named() {
    let text = sound().replace("SENDER         ", "SENDER");
    assert_eq!(codes(&text), ["TA105:022 ISA"]);
    assert_eq!(common::select(text.as_bytes(), "ISA.6"), ["SENDER"]);
    assert_eq!(common::select(text.as_bytes(), "EB.3[*]"), ["1", "33", "30"]);
}

#[test]
fn control_numbers_that_come_again() {
    let twice = format!("{}{}", sound(), sound());
    assert_eq!(codes(&twice), ["TA105:025 ISA.13"]);
    let partners = format!("{}{}", sound(), sound().replace("SENDER  ", "SENDER 2"));
    assert_eq!(codes(&partners), [""; 0]);
    let groups = format!("{ISA}{}{}IEA*2*000000001~", group(SET, 1), group(SET, 1));
    assert_eq!(codes(&groups), ["AK905:19 GS.6"]);
    let sets = format!("{ISA}{}IEA*1*000000001~", group(&format!("{SET}{SET}"), 2));
    assert_eq!(codes(&sets), ["IK502:23 ST.2"]);
}

#[test]
fn a_set_outside_any_group() {
    let text = format!("{ISA}{SET}IEA*0*000000001~");
    assert_eq!(codes(&text), ["IK502:18 GS"]);
    assert_eq!(common::select(text.as_bytes(), "EB.1"), ["1"]);
    assert_eq!(common::select(text.as_bytes(), "GS.8"), [""; 0]);
}

#[test]
fn the_next_interchange_ends_one_without_iea() {
    let text = sound().replace("IEA*1*000000001~", "")
        + &sound().replace("*000000001*", "*000000002*").replace("1*000000001~", "1*000000002~");
    assert_eq!(codes(&text), ["TA105:022 IEA"]);
}

#[test]
fn ambiguous_delimiters_hinder_reading_and_letters_do_not() {
    for (to, hinders) in [("*:*00501*", true), ("*U*00501*", false)] {
        let text = sound().replace("*^*00501*", to);
        let mut walk = candor_x12::Walk::from_slice(text.as_bytes());
        let mut seen = Vec::new();
        while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
            if let candor_x12::Item::InterchangeEnd { findings, .. } = item {
                seen.extend(findings.iter().map(|finding| finding.hinders_reading));
            }
        }
        assert_eq!(seen, [hinders], "{to}");
    }
}
