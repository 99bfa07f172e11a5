//! `explain`: the tree of a message, batches, acknowledgments, and any bytes.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_check::explain::{Explained, Form};
use candor_hl7_structural::explain::explain;
use candor_json::Value;
use proptest::prelude::*;

const ORU: &str = "MSH|^~\\&|LAB|H|EHR|C|20261120||ORU^R01^ORU_R01|42|P|2.5.1\rPID|1||77^^^H^MR~88^^^H^SS||Roe^Ann\r\
    ORC|RE\rOBR|1|||718-7^Hemoglobin\rOBX|1|NM|718-7||13\\T\\5||^^|\rZLB|x\rOBR|2|||2345-7\rOBX|1|NM|2345-7||99\r";

fn text(input: &[u8]) -> (String, Explained) {
    written(input, Form::Text)
}

fn written(input: &[u8], form: Form) -> (String, Explained) {
    let mut out = Vec::new();
    let explained = explain(input, form, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), explained)
}

#[test]
fn a_message_is_a_tree_of_groups_segments_and_fields() {
    let (text, explained) = text(ORU.as_bytes());
    assert_eq!(explained, Explained { any: true, findings: 0 });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "message 1: ORU^R01, control id 42, version 2.5.1, LAB (H) → EHR (C), 20261120");
    assert_eq!(lines[1..3], ["  structure ORU_R01", "  MSH  Message Header"]);
    let from_group = lines.iter().position(|line| *line == "  PATIENT_RESULT[1]").unwrap();
    let expected = [
        "  PATIENT_RESULT[1]",
        "    PATIENT[1]",
        "      PID  Patient Identification",
        "        PID-1  Set ID - PID: 1",
        "        PID-3  Patient Identifier List: 77^^^H^MR",
        "        PID-3[2]  Patient Identifier List: 88^^^H^SS",
        "        PID-5  Patient Name: Roe^Ann",
        "    ORDER_OBSERVATION[1]",
        "      ORC  Common Order",
        "        ORC-1  Order Control: RE",
        "      OBR  Observation Request",
        "        OBR-1  Set ID - OBR: 1",
        "        OBR-4  Universal Service Identifier: 718-7^Hemoglobin",
        "      OBSERVATION[1]",
        "        OBX  Observation/Result",
        "          OBX-1  Set ID - OBX: 1",
        "          OBX-2  Value Type: NM",
        "          OBX-3  Observation Identifier: 718-7",
        "          OBX-5  Observation Value: 13&5",
        "        ZLB  a local segment",
        "          ZLB-1: x",
        "    ORDER_OBSERVATION[2]",
        "      OBR[2]  Observation Request",
    ];
    assert_eq!(lines[from_group..from_group + expected.len()], expected, "{text}");
}

#[test]
fn programs_read_the_same_as_people() {
    let (json, _) = written(ORU.as_bytes(), Form::Json);
    let all: Value = candor_json::from_str(&json).unwrap();
    assert_eq!(all[0]["structure"], "ORU_R01");
    let last = all[0]["segments"].as_array().unwrap().last().unwrap();
    assert_eq!(last["segment"], "OBX[2]");
    assert_eq!(last["groups"], "PATIENT_RESULT[1].ORDER_OBSERVATION[2].OBSERVATION[1]");
    assert_eq!(last["fields"][3]["value"], "99");
    assert_eq!(written(b"", Form::Json), ("[]\n".to_owned(), Explained { any: false, findings: 0 }));
}

#[test]
fn an_acknowledgment_says_what_became_of_the_message() {
    let ack = "MSH|^~\\&|EHR|C|LAB|H|2026||ACK^R01^ACK|9|P|2.5.1\rMSA|AE|42\rERR|||207^Application error|E\r";
    let (text, _) = text(ack.as_bytes());
    let line = "  = acknowledges message 42: AE, application error: the receiver found an error in it; error: 207^Application error";
    assert_eq!(text.lines().nth(1), Some(line), "{text}");
}

#[test]
fn batches_and_frames_are_read_as_the_check_reads_them() {
    let plain = "MSH|^~\\&|A||||||ADT^A01|1|P|2.3\rPID|1\r";
    let batch = format!("FHS|^~\\&|A\rBHS|^~\\&|A\r{plain}{plain}BTS|3\rFTS|1\r");
    let (shown, explained) = text(batch.as_bytes());
    assert_eq!((explained.findings, shown.matches("control id").count()), (1, 2), "{shown}");
    assert!(shown.contains("! BTS-1 is 3, expected 2, the number of messages (byte "), "{shown}");
    assert!(shown.ends_with("FTS  batches: 1\n"), "{shown}");
    let framed = format!("\x0b{plain}\x1c\r\x0b{plain}\x1c\r");
    assert_eq!(text(framed.as_bytes()).0.matches("control id").count(), 2);
    let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(text(&wide).0, text(plain.as_bytes()).0);
    let open = format!("BHS|^~\\&|A\r{plain}");
    assert!(text(open.as_bytes()).0.ends_with("! the batch that begins here has no BTS (byte 0)\n"));
}

#[test]
fn a_message_of_no_known_structure_is_a_flat_list() {
    let (shown, _) = text(b"MSH|^~\\&|A||||||ZZZ^Z01|1|P|2.5.1\rPID|1\r");
    let note = "  Version 2.5.1 has no structure for ZZZ^Z01, so the segments are listed without groups.\n";
    assert!(shown.contains(note) && shown.contains("\n  PID  Patient Identification\n"), "{shown}");
    let (shown, _) = text(b"MSH|^~\\&|A||||||ADT^A01|1|P|9.9\rPID|1\r");
    assert!(shown.contains("There are no tables of version 9.9, so"), "{shown}");
}

#[test]
fn what_cannot_be_read_has_a_place_and_long_values_are_cut() {
    let (shown, explained) = text(b"hello\rMSH|^~\\&|A||||||ADT^A01|1|P|2.5.1\rPID|1\r");
    assert!(shown.starts_with("! ") && shown.contains("(byte 0)"), "{shown}");
    assert_eq!(explained, Explained { any: true, findings: 1 });
    let long = format!("MSH|^~\\&|A||||||ADT^A01|1|P|2.5.1\rPID|\x1b[2J{}\r", "x".repeat(5000));
    let (shown, _) = text(long.as_bytes());
    assert!(shown.contains("\u{fffd}[2J") && shown.contains("x… (5004 characters)"), "{shown}");
    let many = format!("MSH|^~\\&|A||||||ADT^A01|1|P|2.5.1\rPID|||{}\r", "7~".repeat(500));
    assert!(text(many.as_bytes()).0.contains("and 100 repetitions of a field."));
}

#[test]
fn real_messages_are_explained() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut explained = 0;
    for folder in std::fs::read_dir(fixtures).unwrap().map(|folder| folder.unwrap()) {
        if !folder.file_name().to_string_lossy().starts_with("hl7v2-") {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()) {
            let bytes = if file.is_file() { std::fs::read(&file).unwrap() } else { Vec::new() };
            if bytes.starts_with(b"MSH") {
                let (shown, outcome) = text(&bytes);
                assert!(shown.contains("MSH  Message Header") || outcome.findings > 0, "{}", file.display());
                explained += 1;
            }
        }
    }
    assert!(explained > 300, "{explained}");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), fields in "[A-Z0-9|^~&\\\\\r]{0,120}") {
        let header: &[u8] = b"MSH|^~\\&|A||||||ORU^R01|1|P|2.5.1\r";
        for input in [bytes.clone(), [header, bytes.as_slice()].concat(), [header, fields.as_bytes()].concat()] {
            let (shown, explained) = text(&input);
            prop_assert_eq!(explained.any, !shown.is_empty());
            let (json, same) = written(&input, Form::Json);
            prop_assert_eq!(explained, same);
            prop_assert!(candor_json::from_str::<Value>(&json).is_ok_and(|list| list.is_array()));
        }
    }
}
