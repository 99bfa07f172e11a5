//! Every disagreement of an envelope, with X12's own code, and no findings for sound envelopes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "tests fail by panicking"
)]

use crate::common;

use common::{ISA, SET, account, group, sound};

/// The disagreements that a walk found, as `code path`.
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
        ("IEA*1*000000001~", "IEA~", &["TA105:021 IEA.1", "TA105:001 IEA.2"]),
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
    for number in ["00000001", "1"] {
        let text = sound().replace("GE*1*1~", &format!("GE*1*{number}~"));
        assert_eq!(codes(&text), [""; 0]);
    }
}

/// Each element of each segment in every form of damage, and one element too many: one finding that names the element.
#[test]
fn each_damaged_element_is_named() {
    // Of each element: does it have a length, a type, codes; may it be left out, or be blank.
    let elements: &[(&str, &[&str])] = &[
        (
            "ISA",
            &[
                "id", "blank", "id", "blank", "id", "text", "id", "text", "date", "time", "", "number", "number", "id",
                "id", "",
            ],
        ),
        ("GS", &["id2", "text", "text", "date", "time", "number", "id", "version"]),
        ("ST", &["id3", "text", "guide"]),
        ("SE", &["number", "control"]),
        ("GE", &["number", "number"]),
        ("IEA", &["number", "number"]),
    ];
    let mut tried = 0;
    for (id, kinds) in elements {
        let text = sound();
        let start = text.split('~').map(|segment| segment.len() + 1).scan(0, |at, length| {
            let start = *at;
            *at += length;
            Some(start)
        });
        let start = start.into_iter().find(|start| text[*start..].starts_with(&format!("{id}*"))).unwrap();
        let end = start + text[start..].find('~').unwrap();
        let parts: Vec<&str> = text[start..end].split('*').collect();
        let with = |segment: String| format!("{}{segment}{}", &text[..start], &text[end..]);
        for (position, kind) in (1..).zip(*kinds) {
            let fixed = *id == "ISA";
            let width = parts[position].len();
            let fill = |c: char| c.to_string().repeat(width);
            let damage: Vec<String> = match *kind {
                "" | "blank" => vec![],
                // Of fixed width: another width moves what follows, and is a fault of the header.
                "id" if fixed => vec![fill(' '), fill('?')],
                "text" if fixed => vec![fill(' ')],
                "date" if fixed => vec![fill(' '), "261320".into(), "260231".into(), "26112A".into()],
                "time" if fixed => vec![fill(' '), "2400".into(), "1260".into(), "12 0".into()],
                "number" if fixed => vec![fill(' '), fill('A')],
                "id" => vec![String::new(), " ".into(), "?".into(), "XX".into()],
                "id2" => vec![String::new(), "  ".into(), "H".into(), "HBX".into()],
                "id3" => vec![String::new(), "   ".into(), "27".into(), "2711".into()],
                "text" => vec![String::new(), "    ".into(), "1".into(), "1".repeat(16)],
                "date" => vec![
                    String::new(),
                    "        ".into(),
                    "2026112".into(),
                    "202611200".into(),
                    "20261301".into(),
                    "20250229".into(),
                ],
                "time" => vec![
                    String::new(),
                    "    ".into(),
                    "120".into(),
                    "12000".into(),
                    "2400".into(),
                    "120060".into(),
                    "ABCD".into(),
                ],
                "number" => vec![String::new(), " ".into(), "A".into(), "-1".into(), "1".repeat(11)],
                "version" => vec![String::new(), " ".into(), format!("00501{}", "0".repeat(8))],
                "control" => vec![String::new(), "    ".into(), "1".repeat(16)],
                "guide" => vec![" ".into(), "0".repeat(36)],
                other => panic!("{other}"),
            };
            for value in damage {
                let mut changed = parts.clone();
                changed[position] = &value;
                let found = codes(&with(changed.join("*")));
                let named = format!(" {id}.{position}");
                assert!(found.iter().any(|finding| finding.ends_with(&named)), "{id}.{position} {value:?}: {found:?}");
                assert_eq!(
                    found.iter().filter(|finding| finding.ends_with(&named)).count(),
                    1,
                    "{id}.{position} {value:?}: {found:?}"
                );
                tried += 1;
            }
        }
        if *id != "ISA" {
            let found = codes(&with(format!("{}*1", text[start..end].to_owned())));
            assert_eq!(found.len(), 1, "{id}: {found:?}");
            assert!(found[0].contains(&format!(" {id}.")), "{id}: {found:?}");
        }
    }
    assert!(tried > 90, "{tried}");
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
