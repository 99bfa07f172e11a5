//! Criteria that read messages together are answered as each alone is, however what they want is written.

#![expect(clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use candor_check::Sandbox;
use candor_check_testkit::answered_alike;
use candor_hl7_structural::{CHECK, PART};
use candor_json::{Value, json};
use proptest::prelude::*;
use proptest::sample::select;

const TEXTS: &[&str] = &["1", "01", "1.0", "A1", "a1", "A&1", "A^1", "A|1", "é", "\"\"", "20261120", "2026-11-20"];

/// Field, component, repetition, escape and subcomponent separators.
const DELIMITERS: &[&str] = &["|^~\\&", "#$%!?", "!@*/;", "|^~", "|^"];

const CHARSETS: &[&str] = &["", "UNICODE UTF-8", "8859/1", "ISO IR87", "nonsense"];

#[derive(Clone, Copy, Debug)]
enum Style {
    Plain,
    Hexadecimal,
    FirstHexadecimal,
    TrailingComponents,
    Padded,
    Subcomponents,
}

/// A text as a message may write it.
fn spelled(text: &str, style: Style, delimiters: &str, charset: &str) -> Vec<u8> {
    let all: Vec<char> = delimiters.chars().collect();
    let (component, escape) = (all[1], all.get(3).copied());
    let bytes = |text: String| -> Vec<u8> {
        match charset {
            "8859/1" => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
            _ => text.into_bytes(),
        }
    };
    let letters = [(0, 'F'), (1, 'S'), (2, 'R'), (3, 'E'), (4, 'T')];
    let escaped = |c: char| match (escape, letters.iter().find(|(at, _)| all.get(*at) == Some(&c))) {
        (Some(escape), Some((_, letter))) => format!("{escape}{letter}{escape}"),
        _ => c.to_string(),
    };
    let plain: String = text.chars().map(escaped).collect();
    let hexadecimal = |text: &str| {
        let digits: String = bytes(text.to_owned()).iter().map(|byte| format!("{byte:02X}")).collect();
        escape.map(|escape| format!("{escape}X{digits}{escape}"))
    };
    let first = text.chars().next().map_or(0, char::len_utf8);
    bytes(match style {
        Style::Plain => plain,
        Style::Hexadecimal => hexadecimal(text).unwrap_or(plain),
        Style::FirstHexadecimal => {
            let rest: String = text[first..].chars().map(escaped).collect();
            hexadecimal(&text[..first]).map_or(plain, |first| first + &rest)
        }
        Style::TrailingComponents => format!("{plain}{component}{component}"),
        Style::Padded => format!(" {plain}"),
        Style::Subcomponents => all.get(4).map_or(plain.clone(), |sub| format!("{plain}{sub}x")),
    })
}

fn text() -> impl Strategy<Value = &'static str> {
    select(TEXTS)
}

fn written() -> impl Strategy<Value = (&'static str, Style)> {
    use Style::{FirstHexadecimal, Hexadecimal, Padded, Plain, Subcomponents, TrailingComponents};
    let styles = vec![Plain, Plain, Hexadecimal, FirstHexadecimal, TrailingComponents, Padded, Subcomponents];
    (text(), select(styles))
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let header =
        (select(DELIMITERS), select(CHARSETS), written(), select(vec!["ADT^A01", "ADT^A11", "ORU^R01", "ACK"]));
    let time = select(vec!["", "20261120100000", "20261121", "soon"]);
    let body = (written(), written(), select(vec!["NW", "CA", "OC", ""]), select(vec!["F", "W", "C"]), time);
    let form = (any::<bool>(), select(vec!["\r", "\n", "\r\n"]), 0..12_u8);
    (header, body, form).prop_map(
        |((delimiters, charset, id, kind), (one, other, order, status, time), (pid, end, damage))| {
            let all: Vec<char> = delimiters.chars().collect();
            let (field, component) = (all[0].to_string(), all[1].to_string());
            let repetition = all.get(2).map_or(String::new(), ToString::to_string);
            let mut bytes: Vec<u8> = Vec::new();
            let add = |bytes: &mut Vec<u8>, text: &str| {
                bytes.extend(text.replace('|', &field).replace('^', &component).replace('~', &repetition).bytes());
            };
            let add_spelled = |bytes: &mut Vec<u8>, (text, style): (&str, Style)| {
                bytes.extend(spelled(text, style, delimiters, charset))
            };
            add(&mut bytes, "MSH|");
            bytes.extend(delimiters.get(1..).unwrap_or_default().bytes());
            add(&mut bytes, &format!("|A|F|R|RF|{time}||{kind}|"));
            add_spelled(&mut bytes, id);
            add(&mut bytes, &format!("|P|2.5.1||||||{charset}{end}"));
            if pid {
                add(&mut bytes, "PID|1||");
                add_spelled(&mut bytes, one);
                add(&mut bytes, "^^^H^MR~");
                add_spelled(&mut bytes, other);
                add(&mut bytes, &format!("^^^H^SS||N^M{end}"));
            }
            add(&mut bytes, &format!("ORC|{order}|P1{end}OBR|1|P1{end}OBX|1|NM|K||4||||||{status}{end}"));
            match damage {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes.extend(b"no segment\r"),
                2 => bytes.insert(0, 0x0B),
                _ => {}
            }
            bytes
        },
    )
}

fn wanted() -> impl Strategy<Value = Value> {
    prop_oneof![8 => text().prop_map(Value::from), 1 => Just(json!(1)), 1 => Just(json!(null)), 1 => Just(json!(""))]
}

fn criterion() -> impl Strategy<Value = Value> {
    let path = select(vec![
        "control_id",
        "MSH.10",
        "PID.3",
        "PID.3.1",
        "PID.3[*].1",
        "PID.3[2].1",
        "PID.3[5=MR].1",
        "PID[*].3.1.1",
    ]);
    let more = prop_oneof![
        Just(None),
        Just(Some(("message_type", json!("ADT^A01")))),
        Just(Some(("since", json!("2026-11-20")))),
        Just(Some(("PID.5.2", json!("M")))),
        Just(Some(("PID.5.1", json!(null)))),
        text().prop_map(|text| Some(("PID.3[*].1", json!(text)))),
    ];
    let rest = select(vec![
        json!({"fields": [{"path": "PID.5.1", "op": "notEmpty"}]}),
        json!({"fields": [{"path": "OBX[*].5", "expected": "4"}], "match": "all"}),
        json!({"fields": [{"path": "MSH.9.2", "op": "notEmpty"}], "match": "exactly_one"}),
        json!({"fields": [{"path": "MSH.7", "op": "notEmpty"}], "match": "last"}),
        json!({"count": 0}),
        json!({"count": 1}),
        json!({"ack": true}),
        json!({"unique": "control_id"}),
    ]);
    (path, wanted(), more, any::<bool>(), rest).prop_map(|(path, wanted, more, first, rest)| {
        let mut conditions = candor_json::Map::new();
        let more: Vec<(&str, Value)> = more.into_iter().collect();
        let own = [(path, wanted)];
        let all: Vec<&(&str, Value)> =
            if first { more.iter().chain(&own).collect() } else { own.iter().chain(&more).collect() };
        for (key, value) in all {
            conditions.entry(*key).or_insert(value.clone());
        }
        let mut assertion = rest;
        assertion["assert"] = json!("hl7-structural");
        assertion["correlate_by"] = Value::Object(conditions);
        assertion
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn criteria_are_answered_alike_together_and_alone(
        files in prop::collection::vec(prop::collection::vec(message(), 1..5), 1..3),
        asked in prop::collection::vec(criterion(), 2..8),
    ) {
        let mut builder = Sandbox::builder();
        for (at, messages) in files.iter().enumerate() {
            builder = builder.file(format!("hl7/{at}.hl7"), messages.concat());
        }
        answered_alike(CHECK, &builder.build(&[PART]).unwrap(), &asked);
    }
}

/// A value is found as it is read, not as it is written.
#[test]
fn a_value_is_found_however_it_is_written() {
    let message = |at: usize, id: &str, patient: &str| {
        format!("MSH|^~\\&|A|F|R|RF|2026112010000{at}||ADT^A01|{id}|P|2.5.1||||||8859/1\rPID|1||{patient}||N\r")
    };
    let text =
        message(1, "A\\X31\\", "7^^^H~\\X39\\^^^H") + &message(2, "B\\T\\C", "\\XE9\\") + &message(3, "a1", "\"\"");
    let sandbox = Sandbox::builder().file("hl7/a.hl7", text.into_bytes()).build(&[PART]).unwrap();
    let asked = |path: &str, value: &str, found: bool| {
        let assertion = json!({"assert": "hl7-structural", "correlate_by": {path: value}, "count": 1});
        (assertion, found)
    };
    let rows = [
        asked("control_id", "A1", true),
        asked("control_id", "A\\X31\\", false),
        asked("control_id", "a1", true),
        asked("control_id", "B&C", true),
        asked("PID.3[*].1", "9", true),
        asked("PID.3.1", "9", false),
        asked("PID.3", "é", true),
        asked("PID.3.1", "\"\"", true),
    ];
    let assertions: Vec<Value> = rows.iter().map(|(assertion, _)| assertion.clone()).collect();
    let passed: Vec<bool> =
        answered_alike(CHECK, &sandbox, &assertions).iter().map(|one| one.status().name() == "passed").collect();
    assert_eq!(passed, rows.map(|(_, found)| found));
}
