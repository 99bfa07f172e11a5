//! The view of a source on a page: in the source's own format, with what decided marked.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use candor_json::{Value, json};
use candor_report::model::Stored;
use candor_report::page::{self, Context, Ground};
use proptest::prelude::*;

/// A source.
struct Source(String, Vec<u8>);

impl Ground for Source {
    fn source(&self, locator: &str, _: Option<&str>) -> Option<Vec<u8>> {
        (locator == self.0).then(|| self.1.clone())
    }

    fn assertion(&self, _: &str) -> Option<Value> {
        Some(json!({"assert": "made-up"}))
    }

    fn command(&self) -> Option<String> {
        Some("candor check task.yaml --sandbox 'a b'".to_owned())
    }
}

fn page(key: &str, locator: &str, content: &[u8], results: Value) -> String {
    let run = json!({
        "task_id": "t", "verdict": "fail", "score": 0.0, "criterion_runs": [{
            "id": "cr_1", "criterion_id": "c", "label": "C", "weight": 1, "status": "failed", "score": 0.0, "reason": "field_mismatch",
            "details": "No.", "evidence": {key: results, "sources": [{"locator": locator, "sha256": "00"}]},
        }],
    });
    let Stored::Task(run) = Stored::of(run).unwrap() else { panic!() };
    page::task_run(&run, &Context { ground: &Source(locator.to_owned(), content.to_vec()), ..Context::default() })
}

fn field(path: &str, locator: &str, span: (usize, usize)) -> Value {
    json!([{"path": path, "expected": "a", "actual": "b", "passed": false, "source": {"locator": locator, "span": [span.0, span.1]}}])
}

fn span(content: &str, part: &str) -> (usize, usize) {
    let at = content.find(part).unwrap();
    (at, at + part.len())
}

#[test]
fn a_message_is_shown_by_segments_with_the_field_named() {
    let text = "MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2.5.1\rEVN||20261120\rPID|1||774410^^^GH^MR||Smith^John\r";
    let shown =
        page("field_results", "hl7/a.hl7", text.as_bytes(), field("PID.3.1", "hl7/a.hl7", span(text, "774410")));
    assert!(shown.contains("<mark>774410</mark>"), "{shown}");
    assert!(shown.contains("Patient Identification: PID-3 Patient Identifier List"), "{shown}");
    assert!(shown.contains("Patient Identification · Patient Identifier List · component 1"));
}

#[test]
fn a_message_is_shown_in_its_own_characters() {
    let text = b"MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2.5.1||||||8859/1\rPID|1||774410||M\xFCller^J\xF6rg\r";
    let start = text.windows(6).position(|part| part == b"M\xFCller").unwrap();
    let shown = page("field_results", "hl7/a.hl7", text, field("PID.5.1", "hl7/a.hl7", (start, start + 6)));
    assert!(shown.contains("<mark>Müller</mark>^Jörg"), "{shown}");
}

/// No part of a whole message decided, so the caption names no mark.
#[test]
fn a_source_without_a_mark_says_so() {
    let text = "MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2.5.1\rPID|1||774410\r";
    let count = json!([{"path": "$count", "expected": 1, "actual": 2, "passed": false, "op": "count",
        "source": {"locator": "hl7/a.hl7", "span": [0, text.len()]}}]);
    let shown = page("field_results", "hl7/a.hl7", text.as_bytes(), count);
    assert!(shown.contains("it decided as a whole") && !shown.contains("what decided is marked"), "{shown}");
}

/// A field that is missing has the bytes of its message: the segment that should hold it is marked.
#[test]
fn the_segment_of_a_missing_field_is_marked() {
    let text = "MSH|^~\\&|A|B|C|D|20261120||ORM^O01|1|P|2.5.1\rPID|1||774410\rORC|RP|ORD-1\r";
    let of = |path: &str, actual: Value| {
        let result = json!([{"path": path, "expected": "x", "actual": actual, "passed": false,
            "source": {"locator": "hl7/a.hl7", "span": [0, text.len()]}}]);
        page("field_results", "hl7/a.hl7", text.as_bytes(), result)
    };
    assert!(of("ORC[1=NW].2.1", Value::Null).contains("<mark>ORC</mark>|RP|ORD-1"));
    assert!(of("ORC.1", json!("RP")).contains("ORC|<mark>RP</mark>|ORD-1"));
    assert!(!of("OBX.5", Value::Null).contains("<mark>"));
}

#[test]
fn a_set_is_shown_as_a_tree_of_loops() {
    let text = "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261121*0900*^*00501*000000001*0*T*:~\
        GS*HB*A*B*20261121*0900*1*X*005010X279A1~ST*271*1*005010X279A1~BHT*0022*11*1*20261121*0900~\
        HL*1**20*1~NM1*PR*2*PAYER*****PI*1~HL*2*1*21*1~NM1*1P*2*CLINIC*****XX*2~\
        HL*3*2*22*0~TRN*2*93175*9X~NM1*IL*1*SMITH*JOHN~EB*6**30~SE*11*1~GE*1*1~IEA*1*000000001~";
    let (start, _) = span(text, "EB*6");
    let shown = page("fieldResults", "x12/a.271", text.as_bytes(), field("EB.1", "x12/a.271", (start + 3, start + 4)));
    assert!(shown.contains("EB*<mark>6</mark>**30"), "{shown}");
    assert!(shown.contains("Loop 2110C") && shown.contains("Eligibility or benefit: inactive"), "{shown}");
}

#[test]
fn a_resource_is_folded_around_the_element() {
    let resource = json!({
        "resourceType": "Claim", "id": "c1", "text": {"div": "long"}, "identifier": [1, 2, 3], "use": "claim", "status": "draft",
        "patient": {"reference": "Patient/1"}, "created": "2026", "insurer": {}, "provider": {}, "priority": {}, "careTeam": [],
        "item": [{"sequence": 1, "productOrService": {"coding": [{"system": "cpt", "code": "73721"}]}}],
    })
    .to_string();
    let shown = page(
        "fieldResults",
        "fhir/a.json",
        resource.as_bytes(),
        field("item[0].productOrService.coding.code", "fhir/a.json", (0, resource.len())),
    );
    assert!(shown.contains("<mark>&quot;73721&quot;</mark>"), "{shown}");
    assert!(shown.contains("item[0]") && shown.contains("coding[0]") && shown.contains("resourceType: "), "{shown}");
    assert!(shown.contains("more lines"), "{shown}");
}

#[test]
fn the_item_that_was_asserted_is_marked_alone() {
    let patient = json!({"resourceType": "Patient", "name": [{"family": "One", "given": ["Ann", "Bea"]}, {"family": "Two", "given": ["Cid"]}]})
        .to_string();
    for (path, marked) in [
        ("name[1].family", vec!["Two"]),
        ("name.0.family", vec!["One"]),
        ("name.family", vec!["One", "Two"]),
        ("name.0.given.1", vec!["Bea"]),
        ("name.where(use = 'official').family.first()", vec!["One", "Two"]),
    ] {
        let shown =
            page("fieldResults", "fhir/a.json", patient.as_bytes(), field(path, "fhir/a.json", (0, patient.len())));
        let found: Vec<&str> = ["One", "Two", "Ann", "Bea", "Cid"]
            .into_iter()
            .filter(|value| shown.contains(&format!("<mark>&quot;{value}&quot;</mark>")))
            .collect();
        assert_eq!(found, marked, "{path}: {shown}");
    }
}

#[test]
fn an_element_that_is_missing_has_a_line() {
    let claim = json!({"resourceType": "Claim", "id": "c1", "valueQuantity": {"value": 1}, "item": [{"sequence": 1}]})
        .to_string();
    let of = |path: &str| {
        let result = json!([{"path": path, "expected": "a", "actual": null, "passed": false, "reason": "absent",
            "source": {"locator": "fhir/a.json", "span": [0, claim.len()]}}]);
        page("fieldResults", "fhir/a.json", claim.as_bytes(), result)
    };
    for (path, name) in [("status", "status"), ("item.0.detail", "detail"), ("item.detail.sequence", "detail")] {
        let shown = of(path);
        assert!(shown.contains(&format!("{name}: <mark>nothing</mark>")), "{path}: {shown}");
    }
    assert!(!of("value").contains("<mark>nothing</mark>"));
}

/// A criterion that found no candidate names the nearest one without its digest, which another criterion has.
#[test]
fn a_source_that_another_criterion_read_is_shown() {
    let text = "{\"resourceType\": \"Claim\", \"status\": \"draft\"}";
    let nearest = json!({"locator": "fhir/a.json", "label": "Claim", "matched": 0, "of": 1, "first_mismatch":
        {"path": "status", "expected": "active", "actual": "draft", "passed": false,
            "source": {"locator": "fhir/a.json", "span": [0, text.len()]}}});
    let shown = |digests: &[&str]| {
        let one = |id: &str, evidence: Value| {
            json!({"id": id, "criterion_id": id, "label": id, "weight": 1, "status": "failed", "score": 0.0,
                "reason": "no_candidate", "details": "No.", "evidence": evidence})
        };
        let mut all = vec![one(
            "a",
            json!({"fieldResults": [], "candidates": {"considered": 1, "matched": 0, "nearest": nearest},
            "sources": []}),
        )];
        let read = |digest: &&str| {
            one(digest, json!({"fieldResults": [], "sources": [{"locator": "fhir/a.json", "sha256": digest}]}))
        };
        all.extend(digests.iter().map(read));
        let run = json!({"task_id": "t", "verdict": "fail", "score": 0.0, "criterion_runs": all});
        let Stored::Task(run) = Stored::of(run).unwrap() else { panic!() };
        let ground = Digested("fhir/a.json", "d1", text);
        page::task_run(&run, &Context { ground: &ground, ..Context::default() })
    };
    assert!(shown(&["d1", "d1"]).contains("status: <mark>&quot;draft&quot;</mark>"));
    // It changed in between, or is not what was read.
    for digests in [&["d1", "d2"][..], &["d1", "d2", "d1"], &["d2"], &[]] {
        assert!(!shown(digests).contains("<figure"), "{digests:?}");
    }
}

/// A source and its digest.
struct Digested(&'static str, &'static str, &'static str);

impl Ground for Digested {
    fn source(&self, locator: &str, sha256: Option<&str>) -> Option<Vec<u8>> {
        (locator == self.0 && sha256 == Some(self.1)).then(|| self.2.into())
    }

    fn assertion(&self, _: &str) -> Option<Value> {
        None
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// Each row is as asserted, and there is one too many.
#[test]
fn rows_that_are_too_many_are_shown() {
    let text = "[{\"id\": 1, \"status\": \"approved\"}, {\"id\": 2, \"status\": \"approved\"}]";
    let of = |id: &str| {
        let start = text.find(&format!("{{\"id\": {id}")).unwrap();
        (start, start + text[start..].find('}').unwrap() + 1)
    };
    let result = |(start, end): (usize, usize)| {
        json!({"path": "status", "expected": "approved", "actual": "approved", "passed": true,
            "source": {"locator": "portal/a.json", "span": [start, end]}})
    };
    let count = json!({"path": "$count", "expected": 1, "actual": 2, "passed": false});
    let shown =
        page("assertionResults", "portal/a.json", text.as_bytes(), json!([count, result(of("1")), result(of("2"))]));
    assert_eq!(shown.matches("<mark>&quot;approved&quot;</mark>").count(), 2, "{shown}");
    assert!(shown.contains("another place of the same source"), "{shown}");
}

#[test]
fn a_row_is_shown_between_its_neighbours() {
    let rows =
        ["{\"id\": 1, \"status\": \"new\"}", "{\"id\": 2, \"status\": \"draft\"}", "{\"id\": 3, \"status\": \"late\"}"];
    for text in [format!("[\n  {}\n]", rows.join(",\n  ")), rows.join("\n")] {
        for (row, before, after) in [
            (0, None, Some("id&quot;: 2")),
            (1, Some("id&quot;: 1"), Some("id&quot;: 3")),
            (2, Some("id&quot;: 2"), None),
        ] {
            let wanted = field("status", "portal/a.json", span(&text, rows[row]));
            let shown = page("assertionResults", "portal/a.json", text.as_bytes(), wanted);
            for (place, id) in [("the row before", before), ("the row after", after)] {
                let line = shown.find(place).map(|at| &shown[at..at + 60]);
                assert_eq!(
                    line.map(|line| id.is_some_and(|id| line.contains(id))),
                    id.map(|_| true),
                    "{row} {place}: {shown}"
                );
            }
        }
    }
}

#[test]
fn a_call_is_shown_by_turns() {
    let turns = json!([{"speaker": "agent", "text": "Hello."}, {"speaker": "payer", "text": "I can not confirm it."}, {"speaker": "agent", "text": "Thanks."}]);
    let said = turns.to_string();
    let shown =
        page("phraseResults", "voice/a.json", said.as_bytes(), phrase("not confirm", span(&said, "I can not confirm")));
    assert!(shown.contains("I can <mark>not confirm</mark> it.") && shown.contains("turn 1"), "{shown}");
}

fn phrase(quote: &str, (start, end): (usize, usize)) -> Value {
    json!([{"phrase": "p", "found": false, "passed": false, "forbidden": false, "quote": quote,
        "source": {"locator": "voice/a.json", "span": [start, end]}}])
}

/// Turns that did not decide have the same words.
#[test]
fn the_turn_that_decided_is_marked_alone() {
    let turns = json!({"call": {"id": 7, "items": [
        {"speaker": 0, "text": "Yes, it is approved."}, {"tool": "look_up"}, {"speaker": 1, "text": "It is approved?"},
        {"speaker": 0, "text": "Only in"}, {"speaker": 0, "text": "part."},
    ]}});
    let said = turns.to_string();
    let shown =
        page("phraseResults", "voice/a.json", said.as_bytes(), phrase("is approved", span(&said, "It is approved?")));
    assert_eq!(shown.matches("<mark>is approved</mark>").count(), 1, "{shown}");
    assert!(shown.contains("It <mark>is approved</mark>?") && !shown.contains("turn 2"), "{shown}");
    let (start, _) = span(&said, "Only in");
    let (_, end) = span(&said, "part.");
    let shown = page("phraseResults", "voice/a.json", said.as_bytes(), phrase("Only in part", (start, end)));
    assert!(shown.contains("<mark>Only in</mark>") && shown.contains("<mark>part.</mark>"), "{shown}");
}

#[test]
fn ten_megabytes_are_shown_in_part_and_the_cut_is_named() {
    let mut text = "x".repeat(5 << 20);
    let start = text.len();
    text += "WRONG";
    text += &"y".repeat(5 << 20);
    let shown = page("fieldResults", "files/a.txt", text.as_bytes(), field("line", "files/a.txt", (start, start + 5)));
    assert!(shown.len() < 200 << 10, "{}", shown.len());
    assert!(
        shown.contains("<mark>WRONG</mark>") && shown.contains("characters, shown in part"),
        "{}",
        &shown[shown.len() - 4000..]
    );
    let lines: String = (0..200_000).map(|n| format!("line {n}, and what else is on it\n")).collect();
    let shown =
        page("fieldResults", "files/a.txt", lines.as_bytes(), field("line", "files/a.txt", span(&lines, "line 777,")));
    assert!(shown.contains("<mark>line 777,</mark>") && shown.contains("more lines") && shown.len() < 200 << 10);
}

#[test]
fn a_criterion_becomes_a_vector() {
    let shown = page("fieldResults", "files/a.txt", b"hello", field("line", "files/a.txt", (0, 5)));
    for part in [
        "&quot;files/a.txt&quot;: &quot;hello&quot;",
        "&quot;assert&quot;: &quot;made-up&quot;",
        "&quot;status&quot;: &quot;failed&quot;",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    assert!(!shown.contains("FILL IN") && shown.contains("candor check task.yaml --sandbox &#39;a b&#39;"));
}

proptest! {
    /// Bytes that are not what the folder says, and spans that lead anywhere.
    #[test]
    fn no_source_breaks_a_page(
        folder in prop::sample::select(vec!["hl7", "x12", "fhir", "voice", "files", "portal"]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        start in 0usize..320, end in 0usize..320, path in "\\PC{0,12}",
    ) {
        let locator = format!("{folder}/a");
        let key = if folder == "hl7" { "field_results" } else { "fieldResults" };
        let shown = page(key, &locator, &bytes, field(&path, &locator, (start, end)));
        let body = &shown[shown.find("<body>").unwrap()..shown.rfind("<script>").unwrap()];
        prop_assert!(!body.chars().any(|c| c.is_control() && c != '\n'), "{}", body);
    }
}
