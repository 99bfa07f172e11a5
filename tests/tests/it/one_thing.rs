//! The tasks of the documentation that bind facts of one and the same thing: each passes where the work is right, and
//! fails where the same facts are of two things.

use std::fs;
use std::path::Path;

use candor_check::{Sandbox, Status};
use candor_engine::{Document, Engine, Task};
use candor_json::{Value, json};
use proptest::prelude::*;

/// The assertions of a page that have an item group, in order.
fn documented(page: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/checks").join(page);
    let text = fs::read_to_string(file).unwrap();
    let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let bound = blocks.filter(|block| block.contains("item: ") && block.starts_with("assert: "));
    bound.map(|block| Document::parse(Path::new("shown.yaml"), block.as_bytes()).unwrap().value().clone()).collect()
}

fn outcome(assertion: &Value, file: &str, content: &str) -> (Status, String) {
    let sandbox = Sandbox::builder().file(file, content.as_bytes()).build(candor_checks::PARTS).unwrap();
    let task = json!({"id": "t", "criteria": [{"id": "c", "assertion": assertion}]}).to_string();
    let task = Task::from_document(Document::parse(Path::new("t.json"), task.as_bytes()).unwrap()).unwrap();
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "candor/test");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&engine.plan(task.into()), &sandbox));
    let evidence = &run.criterion_runs[0].evidence;
    (evidence.status(), evidence.details().to_owned())
}

/// A file with its right content, and the changes that make it wrong.
struct Work {
    file: &'static str,
    right: String,
    wrong: Vec<(&'static str, &'static str)>,
}

fn holds(page: &str, works: Vec<Work>) {
    let tasks = documented(page);
    assert_eq!(tasks.len(), works.len(), "{page}");
    for (task, Work { file, right, wrong }) in tasks.iter().zip(works) {
        let (status, details) = outcome(task, file, &right);
        assert_eq!(status, Status::Passed, "{page}: {task}: {details}");
        assert!(!wrong.is_empty());
        for (from, to) in wrong {
            let changed = right.replace(from, to);
            assert_ne!(changed, right, "{page}: {from}");
            let (status, details) = outcome(task, file, &changed);
            assert_eq!(status, Status::Failed, "{page}: {task}: {from} -> {to}: {details}");
        }
    }
}

fn segments(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\r")).collect()
}

/// A transaction set in its envelope; its segments with ST and without SE.
fn x12(functional: &str, guide: &str, lines: &[&str]) -> String {
    let control = lines[0].rsplit('*').find(|part| part.len() == 4).unwrap();
    let set: String = lines.iter().map(|line| format!("{line}~")).collect();
    format!(
        "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000101*0*T*:~\
         GS*{functional}*A*B*20261120*0915*101*X*{guide}~{set}SE*{}*{control}~GE*1*101~IEA*1*000000101~",
        lines.len() + 1
    )
}

#[test]
fn a_dosage() {
    let order = json!({
        "resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order",
        "subject": {"reference": "Patient/p9"},
        "dosageInstruction": [{"route": {"text": "IV"}, "doseAndRate": [{"doseQuantity": {"value": 2, "unit": "g"}}]}]
    });
    let given = r#"{"route":{"text":"IV"},"doseAndRate":[{"doseQuantity":{"value":2,"unit":"g"}}]}"#;
    holds(
        "fhir-resource-state.md",
        vec![Work {
            file: "fhir/m1.json",
            right: order.to_string(),
            wrong: vec![
                ("\"IV\"", "\"oral\""),
                ("\"g\"", "\"mg\""),
                (
                    r#"[{"doseQuantity":{"value":2,"unit":"g"}}]"#,
                    r#"[{"doseQuantity":{"value":2,"unit":"mg"}},{"doseQuantity":{"value":20,"unit":"g"}}]"#,
                ),
                (
                    given,
                    r#"{"route":{"text":"oral"},"doseAndRate":[{"doseQuantity":{"value":2,"unit":"g"}}]},{"route":{"text":"IV"},"doseAndRate":[{"doseQuantity":{"value":60,"unit":"mg"}}]}"#,
                ),
            ],
        }],
    );
}

#[test]
fn a_dose_of_a_message() {
    let message = segments(&[
        r"MSH|^~\&|A|F|R|RF|20261120100000||VXU^V04^VXU_V04|1|P|2.5.1",
        "PID|1||880001^^^A^MR~990002^^^B^SS",
        "ORC|RE||1",
        "RXA|0|1|20261120||03^MMR^CVX|0.5|mL",
        "RXR|SC^Subcutaneous",
        "ORC|RE||2",
        "RXA|0|1|20261120||207^COVID^CVX|0.3|mL",
        "RXR|IM^Intramuscular",
    ]);
    holds(
        "hl7-structural.md",
        vec![Work {
            file: "hl7/a.hl7",
            right: message,
            wrong: vec![
                ("||03^MMR", "||94^MMRV"),
                ("RXR|SC^Subcutaneous\r", ""),
                (
                    "||03^MMR^CVX|0.5|mL\rRXR|SC^Subcutaneous",
                    "||03^MMR^CVX|0.5|mL\rRXR|IM^Intramuscular\rORC|RE||3\rRXA|0|1|20261120||08^HEPB^CVX|0.5|mL\rRXR|SC^Subcutaneous",
                ),
                ("880001^^^A^MR~990002^^^B^SS", "990002^^^A^MR~880001^^^B^SS"),
            ],
        }],
    );
}

#[test]
fn a_claim_of_a_member() {
    let billed = [
        "ST*837*0001*005010X222A1",
        "BHT*0019*00*B1*20261120*0915*CH",
        "NM1*41*2*CLINIC*****46*S1",
        "PER*IC*DESK*TE*2175550100",
        "NM1*40*2*ACME*****46*A1",
        "HL*1**20*1",
        "NM1*85*2*CLINIC*****XX*1234567893",
        "N3*1 MAIN ST",
        "N4*TOWN*IL*627040001",
        "REF*EI*123456789",
        "HL*2*1*22*0",
        "SBR*P*18*******CI",
        "NM1*IL*1*DOE*X****MI*M100",
        "CLM*C1*150***11:B:1*Y*A*Y*Y",
        "HI*ABK:M545",
        "LX*1",
        "SV1*HC:99213*150*UN*1***1",
        "DTP*472*D8*20261118",
        "HL*3*1*22*0",
        "SBR*P*18*******CI",
        "NM1*IL*1*DOE*X****MI*M200",
        "CLM*C2*90***11:B:1*Y*A*Y*Y",
        "HI*ABK:M545",
        "LX*1",
        "SV1*HC:99213*90*UN*1***1",
        "DTP*472*D8*20261118",
    ];
    let enrolled = [
        "ST*834*0001*005010X220A1",
        "BGN*00*F1*20261120*0915****4",
        "N1*P5*EMPLOYER*FI*123456789",
        "N1*IN*ACME*FI*987654321",
        "INS*Y*18*021*20*A***FT",
        "REF*0F*M200",
        "NM1*IL*1*DOE*X****34*123456789",
        "HD*021**HLT",
        "DTP*348*D8*20261201",
        "INS*Y*18*024*20*A***FT",
        "REF*0F*M100",
        "NM1*IL*1*DOE*X****34*123456780",
        "HD*024**HLT",
        "DTP*349*D8*20261201",
    ];
    let paid = [
        "ST*835*0001*005010X221A1",
        "BPR*I*120*C*CHK************20261119",
        "TRN*1*CHK1*1987654321",
        "N1*PR*ACME",
        "N1*PE*CLINIC*XX*1234567893",
        "LX*1",
        "CLP*C1*1*150*120**12*ICN1",
        "NM1*QC*1*DOE*X****MI*M100",
        "CLP*C2*4*90*0**12*ICN2",
        "NM1*QC*1*ROE*Y****MI*M200",
    ];
    let acknowledged = [
        "ST*277*0001*005010X214",
        "BHT*0085*08*R1*20261120*0915*TH",
        "HL*1**20*1",
        "NM1*AY*2*ACME*****46*A1",
        "TRN*1*T1",
        "DTP*050*D8*20261120",
        "DTP*009*D8*20261120",
        "HL*2*1*21*1",
        "NM1*41*2*CLINIC*****46*S1",
        "TRN*2*B1",
        "STC*A1:19:PR*20261120*WQ*240",
        "HL*3*2*19*1",
        "NM1*85*2*CLINIC*****XX*1234567893",
        "TRN*1*0",
        "HL*4*3*PT",
        "NM1*QC*1*DOE*X****MI*M100",
        "TRN*2*C1",
        "STC*A2:20:PR*20261120*WQ*150",
        "HL*5*3*PT",
        "NM1*QC*1*ROE*Y****MI*M200",
        "TRN*2*C2",
        "STC*A3:21:PR*20261120*U*90",
    ];
    holds(
        "x12-response.md",
        vec![
            Work {
                file: "x12/a.x12",
                right: x12("HC", "005010X222A1", &billed),
                wrong: vec![
                    ("CLM*C1*150", "CLM*C1*1500"),
                    ("CLM*C1*150***11:B:1*Y*A*Y*Y", "CLM*C3*150***11:B:1*Y*A*Y*Y"),
                    ("MI*M100", "MI*M300"),
                    ("CLM*C1*150", "CLM*C2*150"),
                ],
            },
            Work {
                file: "x12/a.x12",
                right: x12("BE", "005010X220A1", &enrolled),
                wrong: vec![("REF*0F*M100", "REF*0F*M300"), ("18*024*20", "18*001*20")],
            },
            Work {
                file: "x12/a.x12",
                right: x12("HP", "005010X221A1", &paid),
                wrong: vec![("MI*M100", "MI*M300"), ("CLP*C1*1*150*120", "CLP*C1*1*150*12"), ("CLP*C1*", "CLP*C9*")],
            },
            Work {
                file: "x12/a.x12",
                right: x12("HN", "005010X214", &acknowledged),
                wrong: vec![("STC*A2:20", "STC*A3:21"), ("TRN*2*C1", "TRN*2*C3"), ("MI*M100", "MI*M300")],
            },
        ],
    );
    // The facts of two members, exchanged: every value is there.
    for (task, right, exchanged) in [
        (0, x12("HC", "005010X222A1", &billed), [("MI*M100", "MI*M200")]),
        (1, x12("BE", "005010X220A1", &enrolled), [("0F*M100", "0F*M200")]),
        (2, x12("HP", "005010X221A1", &paid), [("MI*M100", "MI*M200")]),
        (3, x12("HN", "005010X214", &acknowledged), [("MI*M100", "MI*M200")]),
    ] {
        let [(one, other)] = exchanged;
        let changed = right.replace(one, "\u{1}").replace(other, one).replace('\u{1}', other);
        let (status, details) = outcome(&documented("x12-response.md")[task], "x12/a.x12", &changed);
        assert_eq!(status, Status::Failed, "{task}: {details}");
    }
}

#[test]
fn what_was_dropped() {
    let remittance = x12(
        "HP",
        "005010X221A1",
        &[
            "ST*835*0001*005010X221A1",
            "BPR*I*50*C*CHK************20261119",
            "TRN*1*CHK1*1987654321",
            "N1*PR*ACME",
            "N1*PE*CLINIC*XX*1234567893",
            "LX*1",
            "CLP*C1*1*150*50**12*ICN1",
            "NM1*QC*1*DOE*X****MI*W9",
            "CLP*C2*4*90*0**12*ICN2",
            "NM1*QC*1*ROE*Y****MI*W1",
        ],
    );
    let results: String = [("1", "2823-3", "4.1", "F"), ("2", "2951-2", "140", "P")]
        .map(|(id, code, value, status)| {
            segments(&[
                &format!(r"MSH|^~\&|A|F|R|RF|20261120100000||ORU^R01^ORU_R01|{id}|P|2.5.1"),
                "PID|1||5",
                "OBR|1",
                &format!("OBX|1|NM|{code}||{value}|mmol/L|||||{status}"),
            ])
        })
        .concat();
    holds(
        "sftp-file-present.md",
        vec![
            Work {
                file: "files/outbound/claims.csv",
                right: "member,status\nW2,denied\nW1,paid\n".to_owned(),
                wrong: vec![("W1,paid", "W1,denied\nW2,paid"), ("W1", "W3")],
            },
            Work {
                file: "files/inbound/a.835",
                right: remittance,
                wrong: vec![("MI*W9", "MI*W1"), ("150*50*", "150*5*"), ("CLP*C1*", "CLP*C7*")],
            },
            Work {
                file: "files/outbound/a.hl7",
                right: results,
                wrong: vec![("||4.1|", "||41|"), ("|||||F", "|||||P"), ("2823-3", "2000-0")],
            },
            Work {
                file: "files/outbound/claims.xml",
                right: "<claims><claim id='C2'><member>W1</member><status>denied</status></claim><claim id='C1'><member>W1</member><status>paid</status></claim></claims>".to_owned(),
                wrong: vec![("C1", "C3"), ("paid", "pended"), ("'C1'><member>W1", "'C1'><member>W2")],
            },
        ],
    );
}

/// A path as it is written plainly, as it is written from the item on, and a value that may be there.
type Paths = Vec<[&'static str; 3]>;

/// A file in which there is one item: its place and content, the assertion, the member of its fields, the item, and paths.
type Single = (&'static str, String, Value, &'static str, &'static str, Paths);

/// A file for each kind of data.
fn single() -> Vec<Single> {
    let file = |name: &str| json!({"assert": "sftp-file-present", "path": name});
    let order = json!({"resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order", "dosageInstruction": [{"text": "a", "route": {"text": "IV"}}]});
    let message = segments(&[
        r"MSH|^~\&|A|F|R|RF|20261120100000||ORU^R01^ORU_R01|1|P|2.5.1",
        "PID|1||5",
        "OBR|1",
        "OBX|1|NM|2823-3||4.1|mmol/L|||||F",
    ]);
    let set = x12(
        "HP",
        "005010X221A1",
        &["ST*835*0001*005010X221A1", "BPR*I*50", "LX*1", "CLP*C1*1*150*50**12*ICN1", "NM1*QC*1*DOE*X****MI*W9"],
    );
    let obx = vec![
        ["OBX.3.1", "OBX.3.1", "2823-3"],
        ["OBX.5", "OBX.5", "4.1"],
        ["OBX.11", "OBX.11", "F"],
        ["OBX.8", "OBX.8", ""],
    ];
    let clp = vec![
        ["2100.CLP.1", "CLP.1", "C1"],
        ["2100.CLP.4", "CLP.4", "50"],
        ["2100.NM1.9", "NM1.9", "W9"],
        ["2100.CAS.1", "CAS.1", ""],
    ];
    let fhir = json!({"assert": "fhir-resource-state", "resource_type": "MedicationRequest"});
    let portal = json!({"assert": "portal-state-match", "correlate_by": {"resource": "r"}});
    vec![
        (
            "fhir/a.json",
            order.to_string(),
            fhir,
            "fields",
            "dosageInstruction",
            vec![
                ["dosageInstruction.text", "text", "a"],
                ["dosageInstruction.route.text", "route.text", "IV"],
                ["dosageInstruction.patientInstruction", "patientInstruction", ""],
            ],
        ),
        (
            "portal/r.json",
            r#"[{"lines": [{"cpt": "1", "state": "open"}]}]"#.to_owned(),
            portal,
            "assertions",
            "lines",
            vec![["lines.cpt", "cpt", "1"], ["lines.state", "state", "open"], ["lines.note", "note", ""]],
        ),
        ("hl7/a.hl7", message.clone(), json!({"assert": "hl7-structural"}), "fields", "OBX", obx.clone()),
        ("files/a.hl7", message, file("a.hl7"), "fields", "OBX", obx),
        ("x12/a.x12", set.clone(), json!({"assert": "x12-response"}), "fields", "2100", clp.clone()),
        ("files/a.x12", set, file("a.x12"), "fields", "2100", clp),
        (
            "files/a.csv",
            "member,status,note\nW1,paid,\n".to_owned(),
            file("a.csv"),
            "fields",
            "$rows",
            vec![["member", "member", "W1"], ["status", "status", "paid"]],
        ),
        (
            "files/a.xml",
            "<claims><claim id='C1'><member>W1</member></claim></claims>".to_owned(),
            file("a.xml"),
            "fields",
            "claims/claim",
            vec![
                ["claims/claim/@id", "@id", "C1"],
                ["claims/claim/member", "member", "W1"],
                ["claims/claim/note", "note", ""],
            ],
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::pick(16, 400)))]

    #[test]
    fn a_group_over_one_item_is_its_fields(
        chosen in prop::collection::vec((0..4usize, 0..4usize, 0..6usize), 1..4),
        matching in prop::sample::select(vec!["any", "all", "exactly_one"]),
        through_where: bool,
    ) {
        let operators = ["equals", "notEquals", "in", "contains", "notEmpty", "empty"];
        for (path, content, assertion, member, item, paths) in single() {
            let field = |inside: bool| {
                chosen.iter().map(|(at, value, operator)| {
                    let [plain, within, _] = paths[at % paths.len()];
                    let value = paths[value % paths.len()][2];
                    let operator = operators[*operator];
                    let mut field = json!({"path": if inside { within } else { plain }, "op": operator});
                    match operator {
                        "in" => field["expected"] = json!([value, "x"]),
                        "notEmpty" | "empty" => {}
                        _ => field["expected"] = json!(value),
                    }
                    field
                }).collect::<Vec<_>>()
            };
            let with = |fields: Value| {
                let mut assertion = assertion.clone();
                assertion[member] = fields;
                outcome(&assertion, path, &content)
            };
            let plain = with(json!(field(false)));
            let group = with(json!([{"item": item, "match": matching, "fields": field(true)}]));
            prop_assert_eq!(plain.0, group.0, "{}: {}: {}", path, plain.1, group.1);
            if through_where {
                let narrowed = with(json!([{"item": item, "where": field(true)}]));
                prop_assert_eq!(plain.0, narrowed.0, "{}: where: {}: {}", path, plain.1, narrowed.1);
            }
        }
    }
}
