//! Every structure of every version: messages made from it fit, and what is taken away or put in is named.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::sync::OnceLock;

use candor_hl7v2::messages;
use candor_hl7v2_structure::{Fit, Rule, Version, Violation, Wanted, check, segments, unknown};
use proptest::prelude::*;

/// A structure's text as a tree, read apart from the code under test.
#[derive(Clone, Debug)]
enum Item {
    Segment(String, char),
    Group(Vec<Item>, char),
    Choice(Vec<Item>, char),
}

fn tree(tokens: &mut std::iter::Peekable<std::str::Chars<'_>>) -> (Vec<Item>, bool) {
    let (mut items, mut choice) = (Vec::new(), false);
    let sign = |tokens: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        tokens.next_if(|c| matches!(c, '?' | '*' | '+')).unwrap_or('1')
    };
    loop {
        match tokens.peek() {
            None => return (items, choice),
            Some('}') => {
                tokens.next();
                return (items, choice);
            }
            Some(' ') => {
                tokens.next();
            }
            Some('|') => {
                tokens.next();
                choice = true;
            }
            Some(_) => {
                let mut word = String::new();
                while let Some(c) = tokens.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                if tokens.next_if_eq(&'{').is_some() {
                    let (inner, choice) = tree(tokens);
                    let sign = sign(tokens);
                    items.push(if choice { Item::Choice(inner, sign) } else { Item::Group(inner, sign) });
                } else {
                    assert!(!word.is_empty(), "{tokens:?}");
                    let sign = sign(tokens);
                    items.push(Item::Segment(word, sign));
                }
            }
        }
    }
}

/// Makes a message of the structure: `often` returns the count of every item.
fn make(items: &[Item], often: &mut impl FnMut(char) -> usize, out: &mut Vec<String>) {
    for item in items {
        let (Item::Segment(_, sign) | Item::Group(_, sign) | Item::Choice(_, sign)) = item;
        for _ in 0..often(*sign) {
            match item {
                Item::Segment(id, _) => out.push(if id == "ANY" { "NTE".to_owned() } else { id.clone() }),
                Item::Group(inner, _) => make(inner, often, out),
                Item::Choice(inner, _) => {
                    let chosen = often('n') % inner.len();
                    make(std::slice::from_ref(&inner[chosen]), often, out);
                }
            }
        }
    }
}

type Structure = (&'static str, String, Vec<Item>);

fn structures() -> &'static [Structure] {
    static ALL: OnceLock<Vec<Structure>> = OnceLock::new();
    ALL.get_or_init(read_structures)
}

fn read_structures() -> Vec<Structure> {
    let mut all = Vec::new();
    for version in Version::all() {
        let path = format!("{}/data/{}.txt", env!("CARGO_MANIFEST_DIR"), version.id());
        let text = std::fs::read_to_string(path).unwrap();
        for line in text.lines().take_while(|line| !line.is_empty()).skip(1) {
            let (name, text) = line.split_once(": ").unwrap();
            assert!(version.has_structure(name));
            all.push((version.id(), name.to_owned(), tree(&mut text.chars().peekable()).0));
        }
    }
    all
}

fn message(version: &str, ids: &[String]) -> String {
    let mut text = format!("MSH|^~\\&|A|B|C|D|20261121||ADT^A01|1|P|{version}\r");
    for id in ids.iter().skip(1) {
        text.push_str(id);
        text.push_str("|x\r");
    }
    text
}

fn violations(text: &str, wanted: Wanted<'_>) -> Vec<Violation> {
    let message = messages(text.as_bytes()).next().unwrap().unwrap();
    match check(&message, wanted) {
        Fit::Checked(checked) => checked.violations,
        other => panic!("{other:?}"),
    }
}

fn of_order(text: &str, structure: &str) -> Vec<(Rule, String)> {
    let order = |v: &Violation| v.code == 100 || v.rule == Rule::TooManySegments;
    let found = violations(text, Wanted::Named(structure));
    found.into_iter().filter(order).map(|v| (v.rule, v.path)).collect()
}

#[test]
fn the_least_and_the_fullest_message_of_every_structure_fit() {
    let all = structures();
    assert!(all.len() > 2000, "{}", all.len());
    for (version, name, items) in all {
        for many in [0, 1, 2] {
            let mut ids = Vec::new();
            let mut often = |sign: char| match (sign, many) {
                ('1', _) => 1,
                ('+', 0) | ('?', 1..) => 1,
                ('?' | '*', 0) => 0,
                ('n', many) => many,
                (_, many) => many,
            };
            make(items, &mut often, &mut ids);
            let text = message(version, &ids);
            assert_eq!(of_order(&text, name), [], "{version} {name}: {ids:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(400)))]

    #[test]
    fn any_message_of_a_structure_fits(which: prop::sample::Index, choices in prop::collection::vec(0..3usize, 64)) {
        let all = structures();
        let (version, name, items) = which.get(all);
        let mut ids = Vec::new();
        let mut at = 0;
        let mut often = |sign: char| {
            at += 1;
            let number = choices[at % choices.len()];
            // Nothing repeats without end.
            match sign {
                '1' => 1,
                '+' => if at > 300 { 1 } else { 1 + number },
                '?' => number % 2,
                'n' => number,
                _ => if at > 300 { 0 } else { number },
            }
        };
        make(items, &mut often, &mut ids);
        prop_assert_eq!(of_order(&message(version, &ids), name), []);
    }

    #[test]
    fn no_message_makes_it_panic_and_every_span_is_inside(
        ids in prop::collection::vec(prop::sample::select(vec!["MSH", "PID", "PV1", "OBX", "OBR", "ORC", "NTE", "ZZZ", "XXX", "IN1", "EVN", "TQ1"]), 0..40),
        fields in prop::collection::vec("[0-9A-Z|^~&\\\\\"é ]{0,20}", 1..8),
        which: prop::sample::Index,
    ) {
        let all = structures();
        let (version, name, _) = which.get(all);
        let mut text = format!("MSH|^~\\&|A|B|C|D|20261121||{}|1|P|{version}\r", name.replace('_', "^"));
        for (at, id) in ids.iter().enumerate() {
            if *id != "MSH" {
                text.push_str(&format!("{id}|{}\r", fields[at % fields.len()]));
            }
        }
        for wanted in [Wanted::ByMessage, Wanted::Named(name)] {
            let message = messages(text.as_bytes()).next().unwrap().unwrap();
            if let Fit::Checked(checked) = check(&message, wanted) {
                for violation in checked.violations {
                    prop_assert!(violation.span.start <= violation.span.end && violation.span.end <= text.len());
                    prop_assert!(violation.line >= 1 && violation.line <= message.segments().len() + 1);
                }
            }
        }
    }
}

const ORU: [&str; 9] = ["MSH", "PID", "PV1", "ORC", "OBR", "OBX", "OBX", "NTE", "SPM"];

fn oru(ids: &[&str]) -> Vec<(Rule, String)> {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    of_order(&message("2.5.1", &ids), "ORU_R01")
}

#[test]
fn one_fault_is_one_violation() {
    assert_eq!(oru(&ORU), []);
    let without = |id: &str| ORU.into_iter().filter(|other| *other != id).collect::<Vec<_>>();
    // A missing first segment of a group is one fault, and its members still belong to the group.
    assert_eq!(oru(&without("OBR")), [(Rule::MissingSegment, "OBR".into())]);
    assert_eq!(oru(&["MSH", "PV1", "OBR"]), [(Rule::MissingSegment, "PID".into())]);
    assert_eq!(oru(&["MSH", "PID"]), [(Rule::MissingGroup, "ORC".into())]);
    assert_eq!(oru(&["MSH"]), [(Rule::MissingGroup, "PID".into())]);
    let put = |at: usize, id: &'static str| {
        let mut ids = ORU.to_vec();
        ids.insert(at, id);
        ids
    };
    assert_eq!(oru(&put(3, "TXA")), [(Rule::UnexpectedSegment, "TXA".into())]);
    assert_eq!(oru(&put(2, "PD1")), []);
    assert_eq!(oru(&put(3, "PD1")), [(Rule::SegmentOutOfOrder, "PD1".into())]);
    assert_eq!(oru(&put(3, "PV1")), [(Rule::TooManySegments, "PV1[2]".into())]);
    // Local segments and those that the version does not know may be anywhere.
    assert_eq!(oru(&put(1, "ZZ1")), []);
    assert_eq!(oru(&put(5, "QQQ")), []);
    assert_eq!(oru(&["MSH", "ZZ1"]), [(Rule::MissingGroup, "PID".into())]);
}

#[test]
fn a_segment_out_of_order_is_sent_to_where_it_belongs() {
    let expected = |structure: &str, ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let found = violations(&message("2.5.1", &ids), Wanted::Named(structure));
        let of_order = found.into_iter().filter(|one| one.rule == Rule::SegmentOutOfOrder);
        of_order.map(|one| one.expected).collect::<Vec<_>>()
    };
    let before = |id: &str| vec![format!("before {id}, which it follows here")];
    assert_eq!(expected("OMG_O19", &["MSH", "PID", "ORC", "OBR", "TQ1", "OBX"]), before("OBR"));
    // A second one does not belong there, and each segment is listed once.
    let [second] = &*expected("OMG_O19", &["MSH", "ORC", "TQ1", "OBR", "TQ1"]) else { panic!() };
    assert!(second.starts_with("one of ORC, ") && second.matches("ORC").count() == 1, "{second}");
}

#[test]
fn a_violation_says_what_and_where() {
    let text = "MSH|^~\\&|A|B|C|D|20261121||ORU^R01^ORU_R01|1|P|2.5.1\rPID|1||7||Smith\rOBR|1|||GLU\rOBX|1|NM|GLU||5||||||F\r\
                ORC|RE\rOBX|1|NM|GLU||5 mg~6||||||F\r";
    let found = violations(text, Wanted::ByMessage);
    let [missing, wrong_type] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((missing.path.as_str(), missing.line, missing.code), ("OBR", 6, 100));
    assert_eq!(missing.group, "PATIENT_RESULT[1].ORDER_OBSERVATION[2]");
    assert_eq!(missing.span, text.rfind("OBX").unwrap()..text.rfind("OBX").unwrap());
    assert_eq!((wrong_type.path.as_str(), wrong_type.code), ("OBX[2].5", 102));
    assert_eq!(
        (wrong_type.expected.as_str(), wrong_type.actual.as_deref()),
        ("a number (Observation Value)", Some("5 mg"))
    );
    assert_eq!(&text[wrong_type.span.clone()], "5 mg");
}

#[test]
fn fields_are_held_to_their_definitions() {
    let pid = |fields: &str| {
        let text = format!("MSH|^~\\&|A|B|C|D|20261121||ADT^A01|1|P|2.5.1\rEVN||20261121\rPID|{fields}\rPV1|1|I\r");
        violations(&text, Wanted::ByMessage).into_iter().map(|v| (v.code, v.path)).collect::<Vec<_>>()
    };
    assert_eq!(pid("1||7^^^H^MR||Smith^John||19800229|M"), []);
    assert_eq!(pid("1||||Smith"), [(101, "PID.3".into())]);
    assert_eq!(pid("1||^^~||Smith"), [(101, "PID.3".into())]);
    assert_eq!(pid("1||\"\"||\"\"||\"\"|\"\""), []);
    assert_eq!(pid("1||7||Smith||19810229"), [(102, "PID.7".into())]);
    assert_eq!(pid("1||7||Smith||1981-02-28"), [(102, "PID.7".into())]);
    assert_eq!(pid("1||7||Smith||19810228|M~F"), [(198, "PID.8[2]".into())]);
    assert_eq!(pid("one||7||Smith"), [(102, "PID.1".into())]);
    // Beyond the last field the version knows nothing.
    assert_eq!(pid(&format!("1||7||Smith{}x", "|".repeat(80))), []);
}

#[test]
fn the_structure_is_the_one_the_message_says() {
    let fit = |type_: &str, version: &str| {
        let text =
            format!("MSH|^~\\&|A|B|C|D|20261121||{type_}|1|P|{version}\rEVN|A01|20261121\rPID|1||7||S\rPV1|1|I\r");
        match check(&messages(text.as_bytes()).next().unwrap().unwrap(), Wanted::ByMessage) {
            Fit::Checked(checked) => (checked.structure.to_owned(), checked.violations.len()),
            other => (format!("{other:?}"), 0),
        }
    };
    assert_eq!(fit("ADT^A01^ADT_A01", "2.5.1"), ("ADT_A01".into(), 0));
    assert_eq!(fit("ADT^A04", "2.5.1^USA"), ("ADT_A01".into(), 0));
    assert_eq!(fit("ADT^A08^ADT_A01", "2.8.2"), ("ADT_A01".into(), 0));
    assert_eq!(fit("ADT^A04^ADT_A04", "2.5.1"), ("ADT_A01".into(), 1));
    assert_eq!(fit("ADT^A04^ORU_R01", "2.5.1").0, "ORU_R01");
    assert_eq!(fit("ADT", "2.1").0, "ADT_A01");
    assert_eq!(fit("ADT^Z01", "2.5.1").0, "UnknownStructure { version: \"2.5.1\", name: \"ADT^Z01\" }");
    assert_eq!(fit("ADT^A01", "2.9").0, "UnknownVersion(\"2.9\")");
    assert_eq!(fit("ADT^A01", "").0, "UnknownVersion(\"\")");
    assert_eq!(fit("ADT^A01", "2.7.1").0, "ADT_A01");
    let ack = "MSH|^~\\&|A|B|C|D|20261121||ACK^A01|1|P|2.3\rMSA|AA|1\r";
    assert_eq!(violations(ack, Wanted::ByMessage), []);
}

#[test]
fn what_cannot_be_told_apart_takes_no_time_without_bound() {
    let mut ids = vec!["MSH".to_owned(), "PID".to_owned(), "OBR".to_owned()];
    for _ in 0..candor_test_size::pick(10_000, 100_000) {
        ids.extend(["OBX", "NTE", "PV1", "SPM", "OBX"].map(str::to_owned));
    }
    let found = of_order(&message("2.5.1", &ids), "ORU_R01");
    assert_eq!(found.len(), candor_hl7v2_structure::MOST_VIOLATIONS);
}

/// A path is refused only where no version has the place.
#[test]
fn what_any_version_has_is_known() {
    for (segment, field, known) in [
        (*b"PID", Some(40), true),
        // 2.9 has fields and segments that the tables do not have.
        (*b"OBX", Some(33), true),
        (*b"PID", Some(45), true),
        (*b"PID", Some(46), false),
        (*b"GSP", Some(1), true),
        (*b"QPD", Some(13), true),
        (*b"RDT", Some(30), true),
        (*b"PID", Some(u32::MAX), false),
        // 2.1 and 2.2 alone.
        (*b"UB1", Some(1), true),
        (*b"PRT", Some(1), true),
        (*b"ZZZ", Some(999), true),
        (*b"XYZ", None, false),
        (*b"MSH", Some(1), true),
    ] {
        assert_eq!(unknown(segment, field).is_none(), known, "{segment:?} {field:?}");
    }
    let ids = segments();
    assert!(ids.len() > 150 && ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    assert!(ids.iter().all(|id| unknown(id.as_bytes().try_into().unwrap(), None).is_none()));
}
