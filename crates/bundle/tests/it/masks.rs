//! Masks: nothing of the ground truth is in any format.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_bundle::{Bundle, MaskKey, Recorded, Terms, of_check, replay};
use candor_check::Sandbox;
use candor_check::mask::Mask as _;
use candor_engine::BenchmarkRun;
use candor_json::{Value, json};
use candor_report::{Format, Style, benchmark_run, task_run};
use candor_scoring::BenchmarkScorer;

use crate::common::{at, bundle, contents, engine, manifest, run, task_of, three};

const KEY: &[u8] = b"sixteen bytes or more";

/// Every place of a sandbox that can hold a value: forty marked values and more.
fn marked() -> (Vec<Value>, Sandbox) {
    let mark = |number: usize| format!("MARK{number:02}");
    let patient = |number: usize| {
        json!({
            "resourceType": "Patient", "id": mark(number), "active": true,
            "name": [{"family": mark(number + 1), "given": [mark(number + 2), mark(number + 3)]}],
            "identifier": [{"system": mark(number + 4), "value": mark(number + 5)}],
            "birthDate": "1931-04-17", "address": [{"city": mark(number + 6)}],
        })
    };
    let hl7 = format!(
        "MSH|^~\\&|{}|{}|APP|FAC|20261120||ADT^A01|{}|P|2.5.1\rPID|1||{}^^^A||{}^{}\r",
        mark(20),
        mark(21),
        mark(22),
        mark(23),
        mark(24),
        mark(25)
    );
    let rows = json!([
        {"id": mark(26), "member": mark(27), "status": mark(28), "note": mark(29)},
        {"id": mark(30), "member": mark(31), "status": mark(32)},
    ]);
    let call = format!(
        "agent: Hello, this is {} speaking\ncaller: my number is {} and I am {}\n",
        mark(33),
        mark(34),
        mark(35)
    );
    let x12 = format!(
        "ISA*00*          *00*          *ZZ*{}         *ZZ*{}         *261120*1000*^*00501*000000001*0*T*:~GS*HB*A*B*20261120*1000*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*{}*20261120*1000~HL*1**20*1~NM1*PR*2*{}~SE*5*0001~GE*1*1~IEA*1*000000001~",
        mark(36),
        mark(37),
        mark(38),
        mark(39)
    );
    let drop = format!("{{\"name\": \"{}\", \"amount\": \"{}\"}}", mark(40), mark(41));
    let bundle = json!({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": patient(1)}, {"resource": patient(10)}]});
    let sandbox = Sandbox::builder()
        .file("fhir/all.json", bundle.to_string().into_bytes())
        .file(format!("hl7/{}.hl7", mark(42)), hl7.into_bytes())
        .file("portal/requests.json", rows.to_string().into_bytes())
        .file(format!("voice/{}.txt", mark(43)), call.into_bytes())
        .file(format!("x12/{}.edi", mark(44)), x12.into_bytes())
        .file(format!("files/out/{}.json", mark(45)), drop.into_bytes())
        .file(format!("files/out/{}.json", mark(46)), format!("{{\"name\": {}", mark(47)).into_bytes())
        .file(format!("workspace/{}.md", mark(48)), format!("# {}\nTODO {}\n", mark(49), mark(50)).into_bytes())
        .build(candor_checks::PARTS)
        .unwrap();
    let fhir = |fields: Value| json!({"assert": "fhir-resource-state", "resource_type": "Patient", "fields": fields});
    let assertions = vec![
        fhir(json!([{"path": "name.family", "expected": "x"}, {"path": "active", "expected": true}])),
        fhir(json!([{"path": "name.given", "op": "contains", "expected": "MAR"}])),
        json!({"assert": "fhir-resource-state", "resource_type": "Patient", "search": {"family": "Nobody"},
            "fields": [{"path": "identifier.value", "op": "notEmpty"}]}),
        fhir(json!([{"path": "address", "op": "count", "expected": 4}, {"path": "identifier", "op": "empty"}])),
        json!({"assert": "hl7-structural",
            "fields": [{"path": "PID.5.1", "expected": "Smith"}, {"path": "PID.3.1", "op": "notEmpty"}]}),
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "requests", "key": "status", "value": "none"},
            "assertions": [{"path": "note", "expected": "x"}]}),
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "requests"}, "assertions": [{"path": "status", "expected": "x"}]}),
        json!({"assert": "voice-transcript", "contains": ["good bye"]}),
        json!({"assert": "voice-transcript", "contains": ["my number is"], "not_contains": ["speaking"]}),
        json!({"assert": "x12-response", "transaction": "271", "fields": [{"path": "BHT.3", "expected": "x"}]}),
        json!({"assert": "sftp-file-present", "path": "out/*.json",
            "fields": [{"path": "name", "expected": "x"}]}),
        json!({"assert": "sftp-file-present", "path": "out/*.json"}),
        json!({"assert": "no-placeholders", "path": "**/*.md"}),
        json!({"assert": "content-contains", "path": "**/*.md", "text": "nothing of this"}),
        json!({"assert": "file-exists", "path": "*.md"}),
    ];
    (assertions, sandbox)
}

fn has_mark(bytes: &[u8]) -> bool {
    // By no more than its beginning, so that a value that was cut is found as well.
    bytes.windows(4).any(|window| window == b"MARK")
}

#[test]
fn no_marked_value_is_in_any_format() {
    let (assertions, sandbox) = marked();
    let (engine, key) = (engine(), MaskKey::new(KEY).unwrap());
    // Each alone as well, so that one that is refused does not hide the others.
    let task = task_of(&assertions);
    let mut masked = run(&engine, &task, &sandbox);
    let shown = candor_json::to_string(&masked).unwrap();
    let seen = (0..60).filter(|number| shown.contains(&format!("MARK{number:02}"))).count();
    assert!(seen >= 15, "without the mask {seen} marked values show: {shown}");
    for criterion in &masked.criterion_runs {
        assert_ne!(criterion.reason(), Some("invalid_assertion"), "{}", criterion.evidence.details());
    }
    key.mask(&task, &mut masked);
    let style = Style { color: false, width: 100 };
    for name in Format::NAMES {
        let format = Format::named(name).unwrap();
        let bytes = task_run(&masked, format, style);
        assert!(!has_mark(&bytes), "{name}: {}", String::from_utf8_lossy(&bytes));
        let scorer = BenchmarkScorer::new();
        let bench = BenchmarkRun {
            id: "br_1".to_owned(),
            benchmark_id: "b".to_owned(),
            result: scorer.finish(),
            task_runs: vec![masked.clone()],
        };
        assert!(!has_mark(&benchmark_run(&bench, format, style)), "{name}");
    }
    let terms = Terms { at: at(), agent_id: None, key: None, masked: true };
    let recorded = Recorded { task: &task, run: &masked, sandbox: &sandbox };
    let bytes = of_check(&engine, recorded, &terms).unwrap();
    let (members, manifest) = (contents(&bytes), manifest(&bytes));
    let names = manifest["parts"].as_object().unwrap().keys();
    for name in names.filter(|name| manifest["tasks"][0]["task"] != name.as_str()) {
        assert!(!has_mark(&members[&format!("parts/{name}")]));
    }
    let opened = Bundle::read(bytes).unwrap();
    let replayed = replay(&opened, &engine, None);
    assert!(replayed.is_not_judged() && replayed.masked && !replayed.same, "{replayed:#?}");
    assert_eq!(replayed.left_out.len(), assertions.len());
}

#[test]
fn equal_values_stay_equal_and_keep_their_extension() {
    let (assertions, sandbox) = marked();
    let (engine, key) = (engine(), MaskKey::new(KEY).unwrap());
    let task = task_of(&assertions);
    let mut masked = run(&engine, &task, &sandbox);
    let plain = json!(masked);
    key.mask(&task, &mut masked);
    let masked = json!(masked);
    let hash = |text: &str| key.hash(text);
    let (before, after) = (&plain["criterion_runs"][0]["evidence"], &masked["criterion_runs"][0]["evidence"]);
    let actual = before["fieldResults"][0]["actual"].as_str().map(hash);
    assert_eq!(after["fieldResults"][0]["actual"].as_str().map(str::to_owned), actual);
    assert!(actual.is_some() && after["fieldResults"][0]["path"] == "name.family");
    assert_eq!(after["fieldResults"][0]["expected"], "x");
    let paths = masked["criterion_runs"][11]["evidence"]["matchedPaths"].as_array().unwrap();
    assert_eq!(paths.len(), 2);
    assert!(
        paths
            .iter()
            .all(|path| path.as_str().unwrap().starts_with("masked:") && path.as_str().unwrap().ends_with(".json"))
    );
}

#[test]
fn a_bundle_can_be_masked_later() {
    let (task, sandbox) = three();
    let (engine, key) = (engine(), MaskKey::new(KEY).unwrap());
    let whole = Bundle::read(bundle(&task, &sandbox, None)).unwrap();
    let keep = ["c0".to_owned(), "c1".to_owned()];
    let masked = Bundle::read(whole.masked(&keep, &key, None, &engine).unwrap()).unwrap();
    let replayed = replay(&masked, &engine, None);
    assert!(replayed.is_not_judged(), "{replayed:#?}");
    let result = &replayed.task_run["criterion_runs"][1]["evidence"]["assertionResults"][0];
    assert_eq!(result["actual"], key.hash("approved"));
    assert_eq!(result["expected"], "denied");
    assert_eq!(replayed.task_run["criterion_runs"][2]["evidence"], json!({}));
}

#[test]
fn a_hash_is_the_first_sixteen_digits_of_the_hmac() {
    // RFC 4231, test case 2, whose key is 4 bytes: lengthened by zeros, as HMAC does.
    let key = MaskKey::new(b"Jefe\0\0\0\0\0\0\0\0\0\0\0\0").unwrap();
    assert_eq!(key.hash("what do ya want for nothing?"), "masked:5bdcc146bf60754e");
    assert_eq!(MaskKey::new(b"Jefe").unwrap_err().to_string(), "it has 4 bytes, expected at least 16");
}
