//! Results of `candor audit`: the vectors of `conformance/audit`, and hostile input. `AUDIT_VECTORS=overwrite` writes
//! the results into the vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use candor_audit::{Grade, Influence, Options, Probe, Report, audit};
use candor_check::Sandbox;
use candor_check::evidence::Entry;
use candor_check::field::Location;
use candor_check::operators::{Change, Kind, Operator, Target};
use candor_check::strict_json::edited;
use candor_engine::{Document, Engine, Task};
use candor_json::{Value, json};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
pub(crate) struct Vector {
    pub(crate) id: String,
    files: BTreeMap<String, String>,
    /// The files from before the work, where the assertion is about them.
    #[serde(default)]
    baseline: Option<BTreeMap<String, String>>,
    pub(crate) assertion: Value,
    /// True if the criterion is one that rejects right work, to show the results of equivalents then.
    #[serde(default)]
    too_strict: bool,
    expected: Expected,
}

impl Vector {
    fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        self.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
    }

    pub(crate) fn sandbox(&self) -> Sandbox {
        let after = sandbox_of(&self.files);
        match &self.baseline {
            Some(before) => after.with_baseline(sandbox_of(before)),
            None => after,
        }
    }
}

fn sandbox_of(files: &BTreeMap<String, String>) -> Sandbox {
    let mut builder = Sandbox::builder();
    for (path, content) in files {
        builder = match path.as_str() {
            "sandbox.toml" => builder.settings(content.clone()),
            _ => builder.file(path, content.clone().into_bytes()),
        };
    }
    builder.build(candor_checks::PARTS).unwrap()
}

#[derive(Debug, Deserialize, PartialEq)]
struct Expected {
    grade: String,
    operators: BTreeMap<String, String>,
}

fn engine() -> Engine {
    Engine::new(candor_checks::ALL.iter().copied(), "audit").with_parts(candor_checks::PARTS.iter().copied())
}

fn audited(task: &Task, sandbox: &Sandbox) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(audit(&engine(), task, sandbox, candor_checks::OPERATORS, &Options::default())).unwrap()
}

fn task(assertion: &Value) -> Task {
    let text = json!({"id": "t", "criteria": [{"id": "c", "assertion": assertion}]}).to_string();
    Task::from_document(Document::parse(Path::new("t.json"), text.as_bytes()).unwrap()).unwrap()
}

fn task_of(criteria: &Value) -> Task {
    let text = json!({"id": "t", "criteria": criteria}).to_string();
    Task::from_document(Document::parse(Path::new("t.json"), text.as_bytes()).unwrap()).unwrap()
}

fn hardened(criteria: &Value, sandbox: &Sandbox) -> candor_audit::Hardened {
    let text = json!({"id": "t", "criteria": criteria}).to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (engine, options) = (engine(), Options::default());
    let all = candor_checks::OPERATORS;
    let mut ask = |_: &candor_audit::Mended| true;
    let made = candor_audit::harden(&engine, Path::new("t.json"), &text, sandbox, all, &options, &mut ask);
    runtime.block_on(made).unwrap()
}

fn vector_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/audit");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files
}

fn vectors() -> Vec<Vector> {
    let read = |file: PathBuf| candor_json::from_slice::<Vectors>(&std::fs::read(file).unwrap()).unwrap().vectors;
    vector_files().into_iter().flat_map(read).collect()
}

/// Every vector with its audit, which takes long: those who ask for it share it.
pub(crate) fn audits() -> &'static [(Vector, Report)] {
    static AUDITS: OnceLock<Vec<(Vector, Report)>> = OnceLock::new();
    let audited = |vector: Vector| {
        let report = audited(&task(&vector.assertion), &vector.sandbox());
        (vector, report)
    };
    AUDITS.get_or_init(|| vectors().into_iter().map(audited).collect())
}

fn operators() -> impl Iterator<Item = &'static Operator> {
    candor_checks::OPERATORS.iter().flat_map(|list| list.iter())
}

/// A mutant of an operator lives, or all of them came out as they must.
fn outcomes(report: &Report) -> Expected {
    let survivors = || report.criteria.iter().flat_map(|one| &one.survivors);
    let outcome = |name: &String| {
        let lives = survivors().any(|survivor| survivor.operator == *name);
        let stands = if name.starts_with("leaf/") { "killed" } else { "stands" };
        (name.clone(), if lives { "survives" } else { stands }.to_owned())
    };
    Expected { grade: report.grade.name().to_owned(), operators: report.operators.keys().map(outcome).collect() }
}

#[test]
fn vectors_come_out_as_expected() {
    let overwrite = std::env::var("AUDIT_VECTORS").is_ok_and(|value| value == "overwrite");
    let mut wrong = Vec::new();
    let mut audits = audits().iter();
    for file in vector_files() {
        let mut document: Value = candor_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for at in 0..document["vectors"].as_array().unwrap().len() {
            let (vector, report) = audits.next().unwrap();
            assert_eq!(document["vectors"][at]["id"], vector.id.as_str());
            let found = outcomes(report);
            if report.criteria[0].status != "passed" {
                wrong.push(format!("{}: {:?}", vector.id, report.criteria[0].details));
            } else if overwrite {
                document["vectors"][at]["expected"] = json!({"grade": found.grade, "operators": found.operators});
            } else if found != vector.expected {
                wrong.push(format!("{}: {:?}\n{}", vector.id, vector.expected, report.told()));
            }
        }
        if overwrite {
            std::fs::write(&file, format!("{document:#}\n")).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two criteria select one record by different keys: the audit adds the second record itself.
#[test]
fn two_criteria_that_select_by_different_keys_may_pass_by_two_records() {
    let apart = |criteria: Value, (path, content): (&str, &str)| {
        let files = BTreeMap::from([(path.to_owned(), content.to_owned())]);
        let report = audited(&task_of(&criteria), &sandbox_of(&files));
        assert!(report.criteria.iter().all(|one| one.status == "passed"), "{}", report.told());
        let survivors = report.criteria[1].survivors.iter().filter(|one| one.operator == "leaf/another-record");
        let sentences: Vec<String> = survivors.map(|survivor| survivor.sentence.clone()).collect();
        sentences.into_iter().any(|sentence| sentence.contains("`one` passes by the other record"))
    };
    let row = |key: &str, value: &str, more: Value| {
        let mut assertion = json!({"assert": "portal-state-match", "correlate_by": {"resource": "requests", "key": key, "value": value}, "count": 1});
        assertion.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assertion
    };
    let both = |one: Value, two: Value| json!([{"id": "one", "assertion": one}, {"id": "two", "assertion": two}]);
    let rows =
        ("portal/requests.json", r#"[{"id": "A1", "member": "M-4471", "auth": "AUTH-99", "status": "approved"}]"#);
    let approved = || json!({"assertions": [{"path": "status", "expected": "approved"}]});
    assert!(apart(both(row("member", "M-4471", json!({})), row("auth", "AUTH-99", approved())), rows));
    // Keys of one or two letters, and numbers.
    let short =
        ("portal/requests.json", r#"[{"id": "A1", "member": "M1", "auth": "C", "number": 7, "status": "approved"}]"#);
    assert!(apart(both(row("member", "M1", json!({})), row("auth", "C", approved())), short));
    let by_number = json!({"correlate_by": {"resource": "requests", "key": "number", "value": 7}});
    assert!(apart(both(row("member", "M1", json!({})), row("number", "", by_number.clone())), short));
    // `7` is not in 7.5.
    let dosed = ("portal/requests.json", r#"[{"id": "A1", "member": "M1", "number": 7, "dose": 7.5}]"#);
    let of_dose = json!({"assertions": [{"path": "dose", "expected": 7.5}]});
    assert!(apart(both(row("member", "M1", of_dose), row("number", "", by_number)), dosed));
    let bound = json!({"assertions": [{"path": "member", "expected": "M1"}]});
    assert!(!apart(both(row("member", "M1", json!({})), row("auth", "C", bound)), short));
    // One that names what the other selects by needs one record.
    let bound = json!({"assertions": [{"path": "member", "expected": "M-4471"}]});
    assert!(!apart(both(row("member", "M-4471", json!({})), row("auth", "AUTH-99", bound)), rows));
    let resource = (
        "fhir/s.json",
        r#"{"resourceType": "ServiceRequest", "id": "s1", "status": "active", "intent": "order", "subject": {"reference": "Patient/p-4471"}, "code": {"coding": [{"system": "http://loinc.org", "code": "24627-2"}]}}"#,
    );
    let search = |search: Value| json!({"assert": "fhir-resource-state", "resource_type": "ServiceRequest", "search": search, "count": 1});
    let (subject, code) = (json!({"subject": "Patient/p-4471"}), json!({"code": "24627-2"}));
    assert!(apart(both(search(subject.clone()), search(code)), resource));
    let with_system = json!({"code": "http://loinc.org|24627-2"});
    assert!(apart(both(search(subject.clone()), search(with_system)), resource));
    let in_words = (
        "fhir/s.json",
        r#"{"resourceType": "ServiceRequest", "id": "s1", "status": "active", "intent": "order", "subject": {"reference": "Patient/p-4471"}, "code": {"coding": [{"system": "http://loinc.org", "code": "24627-2"}], "text": "CT of the chest"}}"#,
    );
    let concept = json!({"code": {"concept": {"any": ["http://loinc.org|24627-2"], "names": ["CT of the chest"]}}});
    assert!(apart(both(search(subject.clone()), search(concept)), in_words));
    let either = json!({"code": "http://loinc.org|24627-2,http://loinc.org|30746-2"});
    assert!(apart(both(search(subject.clone()), search(either)), resource));
    assert!(!apart(
        both(search(subject.clone()), search(json!({"subject": "Patient/p-4471", "code": "24627-2"}))),
        resource
    ));
    let short = (
        "fhir/s.json",
        r#"{"resourceType": "ServiceRequest", "id": "s1", "status": "active", "intent": "order", "subject": {"reference": "Patient/p1"}, "code": {"coding": [{"system": "http://loinc.org", "code": "C1"}]}}"#,
    );
    // An id is in a reference.
    for one in [json!({"subject": "Patient/p1"}), json!({"patient": "p1"})] {
        assert!(apart(both(search(one.clone()), search(json!({"code": "C1", "status": "active"}))), short), "{one}");
        assert!(!apart(both(search(one.clone()), search(json!({"code": "C1", "patient": "p1"}))), short), "{one}");
    }
    // A value that both select by is not a key of either. One that only the first selects by is.
    let one = json!({"patient": "p1", "status": "active"});
    for (other, expected) in [
        (json!({"code": "C1", "status": "active"}), true),
        (json!({"code": "C1", "patient": "p1"}), true),
        (json!({"code": "C1", "patient": "p1", "status": "active"}), false),
    ] {
        assert_eq!(apart(both(search(one.clone()), search(other.clone())), short), expected, "{other}");
    }
}

#[test]
fn two_criteria_of_one_record_are_bound_by_harden() {
    let rows = r#"[{"id": "A1", "member": "M-4471", "auth": "AUTH-99", "status": "approved"}]"#;
    let sandbox = sandbox_of(&BTreeMap::from([("portal/requests.json".to_owned(), rows.to_owned())]));
    let by = |key: &str, value: &str| json!({"resource": "requests", "key": key, "value": value});
    let criteria = json!([
        {"id": "one", "assertion": {"assert": "portal-state-match", "correlate_by": by("member", "M-4471"), "count": 1}},
        {"id": "two", "assertion": {"assert": "portal-state-match", "correlate_by": by("auth", "AUTH-99"), "count": 1,
            "assertions": [{"path": "status", "expected": "approved"}]}},
    ]);
    let made = hardened(&criteria, &sandbox);
    let task: Value = candor_json::from_str(&made.text).unwrap();
    let fields = task["criteria"][1]["assertion"]["assertions"].as_array().unwrap();
    assert!(fields.contains(&json!({"path": "member", "expected": "M-4471"})), "{}", made.text);
    let another = |report: &Report| report.told().contains("leaf/another-record");
    assert!(another(&audited(&task_of(&criteria), &sandbox)) && !another(&made.report), "{}", made.report.told());
}

#[test]
fn a_call_that_says_so_does_not_show_that_it_was_done() {
    let call = r#"[{"speaker": "agent", "text": "Your request R7 is submitted."}]"#;
    let sandbox = |status: &str| {
        let row = format!(r#"[{{"id": "R7", "status": "{status}", "member": "M-4471"}}]"#);
        sandbox_of(&BTreeMap::from([
            ("voice/call.json".to_owned(), call.to_owned()),
            ("portal/requests.json".to_owned(), row),
        ]))
    };
    let said = json!({"id": "said", "assertion": {"assert": "voice-transcript", "speaker": "agent",
        "contains": [{"phrase": "request R7 is submitted", "stated": true}]}});
    let done = json!({"id": "done", "assertion": {"assert": "portal-state-match", "count": 1,
        "correlate_by": {"resource": "requests", "key": "member", "value": "M-4471"},
        "assertions": [{"path": "status", "expected": "submitted"}]}});
    let sentence =
        "lives: portal/ is in its state from before the work, and the calls are as they are. [voice/said-not-done]";
    let lives = |criteria: Value, before: Option<&str>| {
        let after = sandbox("submitted");
        let after = before.map_or(after.clone(), |status| after.with_baseline(sandbox(status)));
        let report = audited(&task_of(&criteria), &after);
        assert_eq!(report.criteria[0].status, "passed", "{}", report.told());
        report.told().contains(sentence)
    };
    assert!(lives(json!([said]), Some("draft")));
    // Another criterion looks at the record; nothing was done there; nothing is known of before.
    assert!(!lives(json!([said, done]), Some("draft")));
    assert!(!lives(json!([said]), Some("submitted")));
    assert!(!lives(json!([said]), None));
    let made = hardened(&json!([said]), &sandbox("submitted").with_baseline(sandbox("draft")));
    let left = made.left.iter().find(|left| left.what.contains("portal/ is in its state")).unwrap();
    assert!(left.why.contains("assert the record in a criterion of its own"), "{left:?}");
}

/// A remittance about two claims: the reversal of the other one concerns no criterion that names one of them.
#[test]
fn what_happens_to_another_claim_is_no_harm_of_this_one() {
    let set = "ST*835*0001~BPR*I*300*C*ACH~TRN*1*EFT-1*1512345678~LX*1~CLP*C1001*1*100*100**12*P1*11*1~CLP*C1003*1*200*200**12*P3*11*1~SE*7*0001~";
    let header = format!(
        "ISA*00*{0:10}*00*{0:10}*ZZ*{1:15}*ZZ*{2:15}*261120*0600*^*00501*000000801*0*P*:~",
        "", "PAYER", "CLINIC"
    );
    let file = format!("{header}GS*HP*PAYER*CLINIC*20261127*0600*801*X*005010X221A1~{set}GE*1*801~IEA*1*000000801~");
    let sandbox = sandbox_of(&BTreeMap::from([("x12/payment.835".to_owned(), file)]));
    let criteria = json!([{"id": "paid", "assertion": {"assert": "x12-response", "transaction": "835", "count": 1,
        "correlate_by": {"TRN.2": "EFT-1"}, "fields": [{"path": "CLP[1=C1001].4", "expected": 100}]}}]);
    let report = audited(&task_of(&criteria), &sandbox);
    // That of the claim itself is tried, and noticed.
    assert_eq!(report.operators.get("x12/reversal"), Some(&1), "{}", report.told());
    assert!(!report.told().contains("x12/reversal"), "{}", report.told());
    let made = hardened(&criteria, &sandbox);
    assert!(!made.text.contains("C1003"), "{}", made.text);
}

#[test]
fn every_operator_has_its_vectors() {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for vector in vectors() {
        for (operator, outcome) in vector.expected.operators {
            seen.entry(operator).or_default().insert(outcome);
        }
    }
    let wanted = |one: &Operator| -> &[&str] {
        match one.kind {
            Kind::Harm => &["stands", "survives"],
            Kind::Remark => &["survives"],
            Kind::Breach | Kind::Equivalence | Kind::Order => &["stands"],
        }
    };
    let lacks = |one: &Operator| {
        let has = |outcome: &&&str| seen.get(one.id).is_some_and(|outcomes| outcomes.contains(**outcome));
        let missing: Vec<&&str> = wanted(one).iter().filter(|outcome| !has(outcome)).collect();
        (!missing.is_empty()).then(|| format!("{}: no vector in which it {missing:?}", one.id))
    };
    let missing: Vec<String> = operators().filter_map(lacks).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let same = |id: &str| {
        operators().any(|one| one.id == id && matches!(one.kind, Kind::Equivalence | Kind::Order | Kind::Breach))
    };
    let of_right = vectors().into_iter().filter(|vector| !vector.too_strict);
    let rejected: Vec<String> = of_right
        .flat_map(|vector| vector.expected.operators)
        .filter(|(id, outcome)| outcome == "survives" && same(id))
        .map(|(id, _)| id)
        .collect();
    assert!(rejected.is_empty(), "equivalents that are rejected, breaches that live: {rejected:?}");
    let names: BTreeSet<&str> = operators().map(|one| one.id).collect();
    assert_eq!(names.len(), operators().count(), "two operators have one id");
    assert!(operators().all(|one| one.why.len() > 20 && one.id.contains('/')));
}

#[test]
fn the_page_lists_every_operator() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/trusting-a-green.md");
    let page = std::fs::read_to_string(page).unwrap();
    let section = page.split("\n## Changes of an audit\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let names_of = |part: &str| -> BTreeSet<&str> {
        let first =
            if part == "baseline" { "| all, of `state-unchanged` |".to_owned() } else { format!("| `{part}` |") };
        let row = section.lines().find_map(|line| line.strip_prefix(first.as_str())).unwrap_or_default();
        row.split([',', '|', ';', ':']).map(str::trim).collect()
    };
    let missing: Vec<&str> = operators()
        .map(|one| one.id)
        .filter(|id| id.split_once('/').is_some_and(|(part, name)| !names_of(part).contains(name)))
        .collect();
    assert!(missing.is_empty(), "not in docs/trusting-a-green.md: {missing:?}");
}

/// Every text in quotation marks was looked up: FHIR R4 4.0.1 and the HL7 tables in its definitions, RFCs by their
/// text.
#[test]
fn what_an_operator_quotes_is_in_the_list_of_quotations() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/audit/quotations.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    let listed: BTreeSet<&str> = text.lines().skip(1).map(|line| line.split_once('\t').unwrap().0).collect();
    let quoted = |one: &'static Operator| one.why.split('"').skip(1).step_by(2);
    let quoted: BTreeSet<&str> = operators().flat_map(quoted).collect();
    assert_eq!(quoted, listed);
    assert!(operators().all(|one| one.why.matches('"').count() % 2 == 0));
}

/// The operators whose files cannot be read, on purpose.
const CUT_OFF: [&str; 2] = ["files/truncated", "files/empty"];

/// Where a criterion finds what it passes on, and the files of the part.
fn every_change(
    assertion: &Value,
    sandbox: &Sandbox,
    files: &BTreeMap<String, Vec<u8>>,
    each: &mut dyn FnMut(&Operator, &Change),
) {
    let engine = engine();
    let plan = engine.plan(Arc::new(task(assertion)));
    let run = runtime().block_on(engine.run(&plan, sandbox));
    let evidence = &run.criterion_runs[0].evidence;
    let phrases = evidence.results.iter().filter_map(|entry| match entry {
        Entry::Phrase(phrase) => phrase.source.clone(),
        Entry::Field(_) => None,
    });
    let mut places: Vec<Location> = evidence.sources.iter().map(|source| source.place()).chain(phrases).collect();
    let files: Vec<(String, Arc<[u8]>)> =
        files.iter().map(|(path, bytes)| (path.clone(), Arc::from(bytes.as_slice()))).collect();
    let found = places.len();
    places.extend(["fhir/", "hl7/", "x12/", "files/"].map(Location::whole));
    places.extend(files.iter().map(|(path, _)| Location::whole(path.as_str())));
    for (at, place) in places.iter().enumerate() {
        let part = place.locator.split('/').next().unwrap_or_default();
        let files: Vec<_> = files.iter().filter(|(path, _)| path.split('/').next() == Some(part)).cloned().collect();
        // Whole files are where breaches and changes of a state begin; records are where the evidence says.
        let applies = |one: &&Operator| match one.kind {
            Kind::Breach => [part, "baseline"].contains(&one.part()),
            _ => at < found && one.part() == part,
        };
        for operator in operators().filter(applies) {
            let forbidden = (operator.kind == Kind::Breach).then_some(assertion);
            let target = Target { files: &files, place, is_production: true, forbidden };
            for change in (operator.apply)(&target) {
                each(operator, &change);
            }
        }
    }
}

/// The values that must not be there by an assertion: values of negative operators, and phrases.
fn forbidden(assertion: &Value, found: &mut Vec<String>) {
    fn texts(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
            Value::Object(phrase) => {
                ["phrase", "text"].iter().filter_map(|name| phrase.get(*name)).for_each(|one| texts(one, found))
            }
            Value::Null => {}
            other => found.push(other.to_string()),
        }
    }
    match assertion {
        Value::Object(members) => {
            let is_negative = |name: &&str| ["notEquals", "notIn", "notContains"].contains(name);
            let says = |name: &str| members.get(name).and_then(Value::as_str);
            if says("op").as_ref().is_some_and(is_negative) || says("quantifier") == Some("none") {
                members.get("expected").into_iter().for_each(|expected| texts(expected, found));
            }
            members.get("not_contains").into_iter().for_each(|phrases| texts(phrases, found));
            members.values().for_each(|value| forbidden(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| forbidden(item, found)),
        _ => {}
    }
}

/// True if a text holds a value as words of its own.
fn says(text: &[u8], value: &str) -> bool {
    let (text, value) = (String::from_utf8_lossy(text).to_lowercase(), value.to_lowercase());
    let alone = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + value.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    };
    !value.is_empty() && text.match_indices(&value).any(|(at, _)| alone(at))
}

/// The folder of an example's done work, and the files in it by their locators.
fn done_right(folder: &Path) -> Option<(Sandbox, BTreeMap<String, Vec<u8>>)> {
    fn walk(folder: &Path, below: &str, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{below}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => walk(&entry.path(), &format!("{name}/"), files),
                false => drop(files.insert(name, std::fs::read(entry.path()).unwrap())),
            }
        }
    }
    let folder = folder.join("done-right");
    let mut files = BTreeMap::new();
    walk(folder.is_dir().then_some(&folder)?, "", &mut files);
    Some((Sandbox::open(&folder, candor_checks::PARTS).unwrap(), files))
}

/// A criterion that forbids just what an operator writes kills it and nothing else: that proves nothing of the rubric.
#[test]
fn no_criterion_forbids_what_an_operator_makes() {
    let mut tried = 0;
    let mut written_for_it = BTreeSet::new();
    let mut look = |name: &str, assertion: &Value, sandbox: &Sandbox, files: &BTreeMap<String, Vec<u8>>| {
        let mut values = Vec::new();
        forbidden(assertion, &mut values);
        if values.is_empty() {
            return;
        }
        every_change(assertion, sandbox, files, &mut |operator, change| {
            if operator.kind != Kind::Harm {
                return;
            }
            tried += 1;
            let was = files.get(&change.locator).map(Vec::as_slice).unwrap_or_default();
            let edited = edited(was, &change.edits);
            let new = change.files.iter().filter_map(|(_, bytes)| bytes.as_deref()).chain([edited.as_slice()]);
            let new: Vec<&[u8]> = new.collect();
            for value in values.iter().filter(|value| !says(was, value) && new.iter().any(|new| says(new, value))) {
                written_for_it.insert(format!("{name} forbids {value:?}, which {} makes", operator.id));
            }
        });
    };
    for vector in vectors() {
        let files = vector.bytes();
        look(&vector.id, &vector.assertion, &vector.sandbox(), &files);
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples");
    let folders = |folder: &Path| {
        let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    };
    let mut seen = 0;
    for folder in folders(&examples).into_iter().chain(folders(&examples.join("literal"))) {
        let (file, Some((sandbox, files))) = (folder.join("task.yaml"), done_right(&folder)) else { continue };
        seen += 1;
        for criterion in Task::read(&file).unwrap().criteria {
            look(&format!("{} of {}", criterion.id, folder.display()), &criterion.assertion, &sandbox, &files);
        }
    }
    assert!(written_for_it.is_empty(), "{}", written_for_it.into_iter().collect::<Vec<_>>().join("\n"));
    assert!(seen >= 11 && tried >= 5, "{seen} examples, {tried} changes");
}

#[test]
fn what_is_forbidden_is_found() {
    let mut found = Vec::new();
    let assertion = json!({"fields": [{"path": "a", "op": "notIn", "expected": ["x", 5]}, {"path": "b", "expected": "y"},
        {"item": "c", "fields": [{"path": "d", "op": "notEquals", "expected": "z"}]}],
        "not_contains": ["one", {"phrase": "two", "mode": "exact"}]});
    forbidden(&assertion, &mut found);
    found.sort();
    assert_eq!(found, ["5", "one", "two", "x", "z"]);
    assert!(says(br#"{"a": "W1"}"#, "w1") && !says(br#"{"a": "W11"}"#, "W1") && !says(b"", "W1"));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn no_operator_makes_a_source_that_cannot_be_read() {
    let runtime = runtime();
    let mut tried = BTreeSet::new();
    for vector in vectors() {
        let before = vector.sandbox();
        every_change(&vector.assertion, &before, &vector.bytes(), &mut |operator, change| {
            if CUT_OFF.contains(&operator.id) || change.is_nothing() {
                return;
            }
            let file = vector.files.get(&change.locator).map(String::as_bytes).unwrap_or_default();
            let mut after = before.clone();
            if !change.edits.is_empty() {
                after = after.with_file(&change.locator, edited(file, &change.edits));
            }
            for (locator, bytes) in &change.files {
                after = match bytes {
                    Some(bytes) => after.with_file(locator, Arc::clone(bytes)),
                    None => after.without_file(locator),
                };
            }
            // A breach may add a part that was not there.
            let diff = runtime.block_on(candor_state::diff_of_work(&before, &after, None)).unwrap();
            let unread: Vec<String> = diff.unread.iter().map(|one| format!("{one:?}")).collect();
            assert!(unread.is_empty(), "{} on {}: {}\n{}", operator.id, vector.id, change.sentence, unread.join("\n"));
            tried.insert(operator.id);
        });
    }
    let untried: Vec<&str> =
        operators().map(|one| one.id).filter(|id| !tried.contains(id) && !CUT_OFF.contains(id)).collect();
    assert!(untried.is_empty(), "never tried: {untried:?}");
}

#[test]
fn the_same_inputs_give_the_same_report() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples/medication-order");
    let task = Task::read(&folder.join("task.yaml")).unwrap();
    let sandbox = Sandbox::open(&folder.join("done-right"), candor_checks::PARTS).unwrap();
    assert_eq!(audited(&task, &sandbox).to_value(), audited(&task, &sandbox).to_value());
}

#[test]
fn a_value_that_two_records_have_is_weak_and_not_broken() {
    let rows = br#"[{"id": "1", "member": "M1", "status": "open"}, {"id": "2", "member": "M1", "status": "open"}]"#;
    let sandbox = Sandbox::builder().file("portal/orders.json", *rows).build(candor_checks::PARTS).unwrap();
    let of = |matching: Value| {
        let mut assertion = json!({"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "member", "value": "M1"},
            "assertions": [{"path": "status", "expected": "open"}]});
        if !matching.is_null() {
            assertion["match"] = matching;
        }
        audited(&task(&assertion), &sandbox)
    };
    let any = of(Value::Null);
    assert_eq!(any.criteria[0].status, "passed", "{}", any.told());
    assert_eq!(any.grade, Grade::Weak, "{}", any.told());
    assert!(any.told().contains("Another record holds the criterion up. [leaf/another-record]"), "{}", any.told());
    let all = of(json!("all"));
    // Of both rows every value counts, and by its key one of them is still selected.
    let told = all.told();
    let mut held_up = told.lines().filter(|line| line.contains("another-record"));
    assert!(held_up.all(|line| line.contains("selection by")), "{told}");
}

#[test]
fn some_of_the_probes_prove_nothing() {
    let sandbox = Sandbox::builder().file("portal/orders.json", *br#"[{"id": "1", "member": "M1"}]"#);
    let sandbox = sandbox.build(candor_checks::PARTS).unwrap();
    let assertion = json!({"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "member", "value": "M1"},
        "count": 1, "assertions": [{"path": "id", "expected": "1"}]});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let of = |options: Options| {
        runtime.block_on(audit(&engine(), &task(&assertion), &sandbox, candor_checks::OPERATORS, &options)).unwrap()
    };
    let leaves = of(Options { probes: vec![Probe::Leaf], ..Options::default() });
    assert_eq!((leaves.grade, leaves.total(|one| one.leaf).tried > 0), (Grade::Weak, true), "{}", leaves.told());
    assert!(leaves.told().contains("not asked: null, harm, equivalence, influence, order"), "{}", leaves.told());
    for probe in [Probe::Null, Probe::Harm, Probe::Equivalence, Probe::Influence] {
        let one = of(Options { probes: vec![probe], ..Options::default() });
        assert_eq!(one.grade, Grade::Weak, "{probe:?} {}", one.told());
    }
    // `null` does not apply to a guard, and `leaf` finds nothing to change in it.
    let guard = json!({"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "member", "value": "M2"}, "count": 0});
    for probe in [Probe::Null, Probe::Leaf] {
        let (options, task) = (Options { probes: vec![probe], ..Options::default() }, task(&guard));
        let report = runtime.block_on(audit(&engine(), &task, &sandbox, candor_checks::OPERATORS, &options)).unwrap();
        assert_eq!(report.grade, Grade::Unaudited, "{probe:?}");
    }
    let cut = of(Options { mutants: 1, ..Options::default() });
    assert_eq!(cut.grade, Grade::Weak, "{}", cut.told());
    let unread = sandbox.with_baseline(Sandbox::builder().build(candor_checks::PARTS).unwrap());
    let unread = audited(&task(&assertion), &unread);
    assert!(unread.told().contains("c could not be decided on the baseline"), "{}", unread.told());
}

#[test]
fn a_criterion_that_decides_between_partial_and_fail_is_not_dead() {
    let rows = br#"[{"id": "1", "member": "M1", "status": "open"}]"#;
    let sandbox = Sandbox::builder().file("portal/orders.json", *rows).build(candor_checks::PARTS).unwrap();
    let influence = |weights: &[(f64, bool)]| -> Vec<bool> {
        let criterion = |(at, (weight, gate)): (usize, &(f64, bool))| {
            json!({"id": format!("c{at}"), "weight": weight, "gate": gate, "assertion": {"assert": "portal-state-match", "count": 1,
                "correlate_by": {"resource": "orders", "key": "member", "value": "M1"}}})
        };
        let criteria: Vec<Value> = weights.iter().enumerate().map(criterion).collect();
        let report = audited(&task_of(&json!(criteria)), &sandbox);
        report.criteria.iter().map(|one| one.influence == Influence::Decides).collect()
    };
    for (weights, decides) in [
        (vec![(95.0, false), (5.0, false)], vec![true, true]),
        (vec![(0.9, false), (0.1, false)], vec![true, true]),
        (vec![(95.0, true), (5.0, false)], vec![true, false]),
        (vec![(1.0, false), (0.0, false), (0.0, true)], vec![true, false, true]),
    ] {
        assert_eq!(influence(&weights), decides, "{weights:?}");
    }
}

#[test]
fn a_short_key_of_a_row_is_a_leaf() {
    let rows = br#"[{"id": 77, "member": "M1"}, {"id": 78, "member": "M2"}]"#;
    let sandbox = Sandbox::builder().file("portal/orders.json", *rows).build(candor_checks::PARTS).unwrap();
    for (key, value) in [("member", json!("M1")), ("id", json!(77)), ("id", json!("77"))] {
        let by = json!({"resource": "orders", "key": key, "value": value});
        let report = audited(&task(&json!({"assert": "portal-state-match", "correlate_by": by, "count": 1})), &sandbox);
        assert_eq!((report.criteria[0].leaf.good, report.criteria[0].leaf.tried), (1, 1), "{}", report.told());
    }
}

#[test]
fn a_sandbox_of_before_shows_what_passes_without_work() {
    let row = |status: &str| format!(r#"[{{"id": "1", "status": "{status}", "member": "M1"}}]"#).into_bytes();
    let sandbox =
        |status| Sandbox::builder().file("portal/orders.json", row(status)).build(candor_checks::PARTS).unwrap();
    let by = json!({"resource": "orders", "key": "member", "value": "M1"});
    let about = |path: &str, expected: &str| {
        let assertion = json!({"assert": "portal-state-match", "correlate_by": by, "assertions": [{"path": path, "expected": expected}]});
        audited(&task(&assertion), &sandbox("open").with_baseline(sandbox("draft")))
    };
    assert_ne!(about("status", "open").grade, Grade::Broken);
    let vacuous = about("id", "1");
    assert_eq!(vacuous.grade, Grade::Broken);
    assert!(vacuous.told().contains("passes before the work"), "{}", vacuous.told());
    let first = |report: &Report| report.told().lines().next().is_some_and(|line| line.contains("No --baseline"));
    let assertion = json!({"assert": "portal-state-match", "correlate_by": by, "count": 1});
    assert!(!first(&vacuous) && first(&audited(&task(&assertion), &sandbox("open"))));
}

proptest! {
    /// Whatever a file contains, and wherever a place leads.
    #[test]
    fn no_operator_panics(
        content in prop_oneof![
            any::<String>(),
            "MSH[|!][\\^~&A-Z0-9|\r\n]{0,80}",
            "ISA[*A-Z0-9 ]{100,103}:~[A-Z0-9*~:]{0,80}",
            "\\[?\\{\"(status|text|id|coding|resourceType)\": ?[\"a-z0-9\\[\\]{}:, ]{0,60}",
        ],
        start in 0_u64..90, length in 0_u64..200, whole in any::<bool>(),
        ending in prop::sample::select(vec!["fhir/a.json", "hl7/a.hl7", "x12/a.edi", "portal/a.json", "portal/a.ndjson", "files/a.csv", "files/a.json", "files/a.txt", "voice/a.json", "fhir/", "hl7/", "x12/", "files/", "fhir/a.ndjson"]),
    ) {
        let files = vec![(ending.to_owned(), Arc::from(content.as_bytes()))];
        let place = if whole { Location::whole(ending) } else { Location::bytes(ending, start..start + length) };
        let by = if whole { json!({"resource": "a", "key": "k", "value": "v"}) } else { json!({"TRN.2": "1", "PID.3[5=MR].1": "2", "message_type": "ADT"}) };
        let forbidden = json!({"path": "a/*", "correlate_by": by, "transaction": "271", "resource_type": "Patient", "search": {"identifier": "a|b"},
            "not_contains": ["x", {"text": "y"}]});
        let target = Target { files: &files, place: &place, is_production: true, forbidden: Some(&forbidden) };
        for operator in operators() {
            for change in (operator.apply)(&target) {
                let file = if change.locator == ending { content.as_bytes() } else { &[] };
                let _ = edited(file, &change.edits);
            }
        }
    }
}
