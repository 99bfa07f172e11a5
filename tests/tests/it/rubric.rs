//! The criteria that `candor harden` adds and `candor draft` writes: over the vectors of `conformance/audit`, the
//! bundled examples, and demonstrations in every part.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_audit::{About, DraftError, Hardened, Killed, Options, Report, audit, draft, harden};
use candor_check::{Sandbox, SandboxBuilder, Status};
use candor_engine::{Document, Engine, Task};
use candor_json::{Value, json};

use crate::audit::audits;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn engine() -> Engine {
    Engine::new(candor_checks::ALL.iter().copied(), "rubric").with_parts(candor_checks::PARTS.iter().copied())
}

fn wait<T>(done: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(done)
}

fn task(text: &str) -> Task {
    Task::from_document(Document::parse(Path::new("t.yaml"), text.as_bytes()).unwrap())
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn with(assertion: &Value) -> Task {
    task(&json!({"id": "t", "criteria": [{"id": "c", "assertion": assertion}]}).to_string())
}

fn audited(task: &Task, sandbox: &Sandbox) -> Report {
    wait(audit(&engine(), task, sandbox, candor_checks::OPERATORS, &Options::default())).unwrap()
}

fn hardened(text: &str, sandbox: &Sandbox) -> Hardened {
    let options = Options::default();
    let operators = candor_checks::OPERATORS;
    wait(harden(&engine(), Path::new("t.yaml"), text, sandbox, operators, &options, &mut |_| true)).unwrap()
}

/// The criteria of a task with their statuses on a sandbox.
fn statuses(text: &str, sandbox: &Sandbox) -> BTreeMap<String, Status> {
    let engine = engine();
    let plan = engine.plan(Arc::new(task(text)));
    let run = wait(engine.run(&plan, sandbox));
    run.criterion_runs.iter().map(|run| (run.criterion_id.clone(), run.status())).collect()
}

fn built(files: &BTreeMap<String, String>) -> Sandbox {
    let add = |builder: SandboxBuilder, (path, content): (&String, &String)| match path.as_str() {
        "sandbox.toml" => builder.settings(content.clone()),
        _ => builder.file(path, content.clone().into_bytes()),
    };
    files.iter().fold(Sandbox::builder(), add).build(candor_checks::PARTS).unwrap()
}

/// Lists are appended to, other members set: as the contract says it.
fn merged(assertion: &Value, suggestion: &Value) -> Value {
    let mut merged = assertion.clone();
    for (name, value) in suggestion.as_object().unwrap() {
        match (merged.get_mut(name), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
            _ => merged[name] = value.clone(),
        }
    }
    merged
}

#[test]
fn every_suggestion_kills_its_survivor_and_nothing_else() {
    let (mut suggested, mut lived, mut tried) = (0, 0, 0);
    for (vector, report) in audits() {
        let sandbox = vector.sandbox();
        let before = report.total(|one| one.equivalence);
        for survivor in report.criteria.iter().flat_map(|one| &one.survivors) {
            lived += 1;
            let Some(suggestion) = &survivor.suggestion else { continue };
            suggested += 1;
            if suggested % candor_test_size::pick(4, 1) != 0 {
                continue;
            }
            tried += 1;
            let (with_it, unsuggested) =
                (with(&merged(&vector.assertion, suggestion)), Options { suggest: false, ..Options::default() });
            let again = wait(audit(&engine(), &with_it, &sandbox, candor_checks::OPERATORS, &unsuggested)).unwrap();
            let told = format!("{}: {suggestion}\n{}\n{}", vector.id, report.told(), again.told());
            assert_eq!(again.criteria[0].status, "passed", "{told}");
            let lives = |report: &Report| {
                report.criteria.iter().flat_map(|one| &one.survivors).any(|one| one.sentence == survivor.sentence)
            };
            assert!(!lives(&again), "{told}");
            let after = again.total(|one| one.equivalence);
            assert!(after.tried - after.good <= before.tried - before.good, "{told}");
        }
    }
    println!("{tried} of {suggested} suggestions for {lived} survivors");
    assert!(suggested >= 15 && suggested * 2 >= lived, "{suggested} of {lived} survivors have a suggestion");
}

#[test]
fn another_form_is_accepted_where_nothing_lives_by_it() {
    const OWN: &str = r#""medicationCodeableConcept": {"coding": [{"system": "http://hl7.org/fhir/sid/ndc", "code": "0338-1715-40"}]}"#;
    let sandbox = |drug: &str| {
        let order = format!(
            r#"{{"resourceType": "MedicationRequest", "id": "o1", "status": "active", "intent": "order", {drug}, "subject": {{"reference": "Patient/p1"}}}}"#
        );
        built(&[("fhir/o1.json".to_owned(), order)].into_iter().collect())
    };
    let referred = |codings: &str| {
        sandbox(&format!(
            r##""contained": [{{"resourceType": "Medication", "id": "d", "code": {{"coding": [{codings}]}}}}], "medicationReference": {{"reference": "#d"}}"##
        ))
    };
    let right = r#"{"system": "http://hl7.org/fhir/sid/ndc", "code": "0338-1715-40"}"#;
    let wrong = r#"{"system": "http://hl7.org/fhir/sid/ndc", "code": "40032-917-01"}"#;
    let of = |drug: &str| {
        format!(
            "id: t\ncriteria:\n  - id: c\n    assertion:\n      assert: fhir-resource-state\n      resource_type: MedicationRequest\n      fields:\n        - {drug} # the drug\n        - {{ path: subject.reference, expected: Patient/p1 }}\n"
        )
    };
    let widened = |text: &str| {
        let options = Options { widen: true, ..Options::default() };
        let operators = candor_checks::OPERATORS;
        let passing = sandbox(OWN);
        wait(harden(&engine(), Path::new("t.yaml"), text, &passing, operators, &options, &mut |_| true)).unwrap()
    };

    let written = of(r#"{ path: medicationCodeableConcept.coding.code, expected: "0338-1715-40" }"#);
    let wider = widened(&written);
    let drug = r#"- { one_of: [[{ path: medicationCodeableConcept.coding.code, expected: "0338-1715-40" }], [{ path: medication, concept: { any: ["http://hl7.org/fhir/sid/ndc|0338-1715-40"] } }]] } # the drug"#;
    assert!(wider.text.contains(drug), "{}", wider.text);
    let others = |text: &str| text.lines().filter(|line| !line.contains("# the drug")).collect::<Vec<_>>().join("\n");
    assert!(others(&wider.text).starts_with(&others(&written)), "{}", wider.text);
    for (sandbox, passes) in [
        (sandbox(OWN), true),
        (referred(right), true),
        (referred(wrong), false),
        (referred(&format!("{right}, {wrong}")), false),
    ] {
        assert_eq!(statuses(&wider.text, &sandbox)["c"] == Status::Passed, passes, "{}", wider.text);
    }

    // Another code of the system dies today, and would live in the form.
    let written = of(r#"{ path: medicationCodeableConcept.coding.code, op: in, expected: ["0338-1715-40"] }"#);
    let same = widened(&written);
    assert!(!same.text.contains("one_of"), "{}", same.text);
    let why = |left: &candor_audit::Left| left.why == "an alternative that accepts it lets wrong work pass";
    assert!(same.left.iter().any(why), "{:?}", same.left);
}

#[test]
fn rows_that_may_be_several_are_told_apart() {
    let rows = r#"[{"id": "1", "member": "W1", "cpt": "72148", "status": "approved"}, {"id": "2", "member": "W1", "cpt": "73721", "status": "approved"}]"#;
    let sandbox = built(&[("portal/requests.json".to_owned(), rows.to_owned())].into_iter().collect());
    let assertion = json!({"assert": "portal-state-match", "match": "all", "count": {"min": 2},
        "correlate_by": {"resource": "requests", "key": "member", "value": "W1"},
        "assertions": [{"path": "status", "expected": "approved"}]});
    let report = audited(&with(&assertion), &sandbox);
    let of = |operator: &str| {
        let survivor = report.criteria[0].survivors.iter().find(|one| one.operator == operator);
        survivor.unwrap_or_else(|| panic!("{}", report.told())).suggestion.clone()
    };
    assert_eq!(of("portal/duplicate-row"), Some(json!({"unique": ["cpt"]})), "{}", report.told());
}

#[test]
fn the_examples_are_hardened_and_stay_green() {
    for name in ["medication-order", "prior-auth", "elr"] {
        let folder = root().join("fixtures/examples").join(name);
        let file = folder.join("task.yaml");
        let text = std::fs::read_to_string(&file).unwrap();
        let mut sandbox = Sandbox::open(&folder.join("done-right"), candor_checks::PARTS).unwrap();
        let before = folder.join("before");
        if before.is_dir() {
            sandbox = sandbox.with_baseline(Sandbox::open(&before, candor_checks::PARTS).unwrap());
        }
        let options = Options::default();
        let operators = candor_checks::OPERATORS;
        let mended = wait(harden(&engine(), &file, &text, &sandbox, operators, &options, &mut |_| true)).unwrap();
        assert!(mended.report.criteria.iter().all(|one| one.status == "passed"), "{}", mended.report.told());
        let before = audited(&Task::read(&file).unwrap(), &sandbox);
        let left = |report: &Report| report.total(|one| one.harm).tried - report.total(|one| one.harm).good;
        assert!(left(&mended.report) <= left(&before), "{}", mended.report.told());
        assert_eq!(mended.mended.is_empty(), mended.text == text, "{name}");
        // Every line that was there is still there, in its order.
        let mut lines = mended.text.lines();
        for line in text.lines() {
            assert!(lines.any(|own| own == line), "{name}: {line}\n{}", mended.text);
        }
        let again = hardened_at(&file, &mended.text, &sandbox);
        assert_eq!(again, mended.text, "{name}: hardened twice");
    }
}

fn hardened_at(file: &Path, text: &str, sandbox: &Sandbox) -> String {
    let options = Options::default();
    let operators = candor_checks::OPERATORS;
    wait(harden(&engine(), file, text, sandbox, operators, &options, &mut |_| true)).unwrap().text
}

const ROWS: &str = r#"[{"id": "1", "member": "M1", "status": "open"}, {"id": "2", "member": "M2", "status": "open"}]"#;

fn rows(rows: &str) -> Sandbox {
    Sandbox::builder().file("portal/orders.json", rows.as_bytes().to_vec()).build(candor_checks::PARTS).unwrap()
}

#[test]
fn declined_additions_are_not_made() {
    let text = "id: t\ncriteria:\n  - { id: c, assertion: { assert: portal-state-match, correlate_by: { resource: orders, key: member, value: M1 } } }\n";
    let options = Options::default();
    let operators = candor_checks::OPERATORS;
    let sandbox = rows(ROWS);
    let (engine, mut asked) = (engine(), Vec::new());
    let mut ask = |mended: &candor_audit::Mended| {
        asked.push(mended.survivor.clone());
        false
    };
    let done = wait(harden(&engine, Path::new("t.yaml"), text, &sandbox, operators, &options, &mut ask)).unwrap();
    assert_eq!((done.text.as_str(), done.mended.is_empty()), (text, true));
    assert!(!asked.is_empty() && done.left.iter().all(|left| left.why.contains("declined")), "{:?}", done.left);
}

#[test]
fn what_passes_before_the_work_is_mended_by_what_the_work_set() {
    let before = rows(&ROWS.replace("\"M1\", \"status\": \"open\"", "\"M1\", \"status\": \"draft\""));
    let text = "id: t\ncriteria:\n  - id: c\n    assertion:\n      assert: portal-state-match\n      correlate_by: { resource: orders, key: member, value: M1 }\n      assertions: [{ path: id, expected: \"1\" }]\n";
    let done = hardened(text, &rows(ROWS).with_baseline(before));
    assert!(done.text.contains("{ path: status, expected: open }"), "{}", done.text);
    assert_eq!(done.report.criteria[0].baseline, Killed::Killed, "{}", done.report.told());
    assert_eq!(done.left, [], "{}", done.text);
}

/// A harm to another record than the one that is asserted.
#[test]
fn what_is_elsewhere_is_held_by_a_criterion_that_nothing_else_changed() {
    let row = |id: &str, status: &str| format!(r#"{{"id": "{id}", "member": "M1", "status": "{status}"}}"#);
    let before = rows(&format!("[{}]", row("1", "denied")));
    let after = rows(&format!("[{}, {}]", row("1", "denied"), row("2", "approved")));
    let text = "id: t\ncriteria:\n  - id: c\n    assertion:\n      assert: portal-state-match\n      correlate_by: { resource: orders, key: member, value: M1, where: { status: approved } }\n      match: exactly_one\n";
    let report = audited(&task(text), &after.with_baseline(before.clone()));
    let siblings: Vec<&Value> =
        report.criteria.iter().flat_map(|one| &one.survivors).filter_map(|one| one.sibling.as_ref()).collect();
    assert!(!siblings.is_empty(), "{}", report.told());
    assert_eq!((&siblings[0]["weight"], &siblings[0]["gate"]), (&json!(0), &json!(true)));
    let done = hardened(text, &after.with_baseline(before));
    assert!(done.text.ends_with("{ id: nothing-else, label: Nothing else changed, weight: 0, gate: true, assertion: { assert: state-unchanged, parts: [portal], except: [{ added: \"portal:orders\", max: 1 }] } }\n"), "{}", done.text);
}

/// A part that came with the work, or of which a criterion says that nothing changed, hides no other part.
#[test]
fn what_is_elsewhere_is_held_in_each_part_that_can_be_compared() {
    let row = |id: &str, status: &str| format!(r#"{{"id": "{id}", "member": "M1", "status": "{status}"}}"#);
    let before = format!("[{}]", row("1", "denied"));
    let after = format!("[{}, {}]", row("1", "denied"), row("2", "approved"));
    let sandbox = |rows: &str, call: bool| {
        let with = Sandbox::builder().file("portal/orders.json", rows.as_bytes().to_vec());
        let with = if call {
            with.file("voice/call.json", br#"[{"speaker": "agent", "text": "Hello there."}]"#.to_vec())
        } else {
            with
        };
        with.build(candor_checks::PARTS).unwrap()
    };
    let text = "id: t\ncriteria:\n  - id: c\n    assertion:\n      assert: portal-state-match\n      correlate_by: { resource: orders, key: member, value: M1, where: { status: approved } }\n      match: exactly_one\n";
    let held = |part: &str| {
        format!("  - {{ id: v, weight: 0, gate: true, assertion: {{ assert: state-unchanged, parts: [{part}] }} }}\n")
    };
    for (text, was_there, is_there, parts) in [
        (text.to_owned(), false, true, Some("[portal]")),
        (text.to_owned(), true, true, Some("[portal, voice]")),
        (text.to_owned() + &held("voice"), true, true, Some("[portal]")),
        (
            text.to_owned() + &held("voice, portal").replace("] }", "], except: [{ added: portal:orders }] }"),
            true,
            true,
            None,
        ),
    ] {
        let done = hardened(&text, &sandbox(&after, is_there).with_baseline(sandbox(&before, was_there)));
        let added = done.mended.iter().find_map(|one| one.sibling.as_ref());
        let named = added.map(|one| one["assertion"]["parts"].clone());
        let expected = parts.map(|parts| json!(parts.trim_matches(['[', ']']).split(", ").collect::<Vec<_>>()));
        assert_eq!(named, expected, "{}", done.text);
    }
}

/// The example of a prior authorization, and what was there before it in every part.
fn prior_auth(is_before: bool) -> Sandbox {
    let folder = root().join("fixtures/examples/prior-auth/done-right");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut open = vec![folder.clone()];
    while let Some(below) = open.pop() {
        for entry in std::fs::read_dir(below).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
    let came =
        ["fhir/prior-auth.json", "hl7/orm-out.hl7", "x12/eligibility.271", "files/outbound/", "voice/payer-call.json"];
    let kept = files.into_iter().filter(|(name, _)| !is_before || !came.iter().any(|new| name.starts_with(new)));
    let built = kept.fold(Sandbox::builder(), |builder, (name, bytes)| match (is_before, name.as_str()) {
        (true, "portal/prior_auth_requests.json") => builder.file(&name, *b"[]"),
        _ => builder.file(&name, bytes),
    });
    built.build(candor_checks::PARTS).unwrap()
}

#[test]
fn a_draft_passes_after_the_work_and_not_before_it() {
    let (before, after) = (prior_auth(true), prior_auth(false));
    let about = About { id: Some("mri"), prompt: Some("Get the MRI authorized: ${really}") };
    let done = wait(draft(&engine(), &before, std::slice::from_ref(&after), candor_checks::OPERATORS, about)).unwrap();
    let on_after = statuses(&done.text, &after.with_baseline(before.clone()));
    assert!(on_after.values().all(|status| *status == Status::Passed), "{on_after:?}\n{}", done.text);
    let on_before = statuses(&done.text, &before.with_baseline(before.clone()));
    for (id, status) in on_before {
        assert!(
            status != Status::Passed || id.starts_with("nothing-else"),
            "{id} passes before the work\n{}",
            done.text
        );
    }
    let parts = [
        "fhir-resource-state",
        "hl7-structural",
        "x12-response",
        "portal-state-match",
        "sftp-file-present",
        "voice-transcript",
        "state-unchanged",
    ];
    for part in parts {
        assert!(done.text.contains(&format!("assert: {part}")), "{part}\n{}", done.text);
    }
    let leaf = done.report.total(|one| one.leaf);
    assert_eq!(leaf.good, leaf.tried, "{}\n{}", done.report.told(), done.text);
    assert!(!done.text.contains("uuid") && done.text.contains("pass: all"), "{}", done.text);
    assert!(task(&done.text).prompt.as_deref() == Some("Get the MRI authorized: ${really}"));
}

#[test]
fn files_of_a_workspace_are_drafted_too() {
    let of = |files: &[(&str, &str)]| {
        let add = |builder: SandboxBuilder, (path, text): &(&str, &str)| builder.file(path, text.as_bytes().to_vec());
        files.iter().fold(Sandbox::builder(), add).build(candor_checks::PARTS).unwrap()
    };
    let before = of(&[("workspace/notes.md", "# Notes\n")]);
    let after = of(&[("workspace/notes.md", "# Notes\nmore\n"), ("workspace/letter.txt", "Dear Dr. Rivera\n")]);
    let done = wait(draft(&engine(), &before, &[after], candor_checks::OPERATORS, About::default())).unwrap();
    assert!(done.text.contains("assertion:\n      assert: file-not-empty\n      path: letter.txt\n"), "{}", done.text);
    assert!(done.text.contains("# No criterion for workspace: notes.md"), "{}", done.text);
}

#[test]
fn what_differs_between_demonstrations_is_left_out() {
    let order = |id: &str, dose: u32, note: &str| {
        let order = json!({"resourceType": "MedicationRequest", "id": id, "status": "active", "intent": "order",
            "identifier": [{"system": "urn:orders", "value": format!("ORD-{id}")}],
            "medicationCodeableConcept": {"coding": [{"system": "urn:drugs", "code": "mg"}]},
            "subject": {"reference": "Patient/7"}, "authoredOn": "2026-11-20T09:05:13Z",
            "dosageInstruction": [{"text": note, "doseAndRate": [{"doseQuantity": {"value": dose, "unit": "g"}}]}]});
        let patient = json!({"resourceType": "Patient", "id": "7"});
        let file = json!([patient, order]).as_array().unwrap().iter().map(|one| format!("{one}\n")).collect::<String>();
        Sandbox::builder().file("fhir/all.ndjson", file.into_bytes()).build(candor_checks::PARTS).unwrap()
    };
    let before =
        Sandbox::builder().file("fhir/all.ndjson", b"{\"resourceType\": \"Patient\", \"id\": \"7\"}\n".to_vec());
    let before = before.build(candor_checks::PARTS).unwrap();
    let afters = [order("x1", 2, "slowly"), order("k9", 2, "over an hour")];
    let done = wait(draft(&engine(), &before, &afters, candor_checks::OPERATORS, About::default())).unwrap();
    for absent in ["expected: slowly", "ORD-x1\" }", "expected: x1", "path: authoredOn"] {
        assert!(!done.text.contains(absent), "{absent}\n{}", done.text);
    }
    for there in [
        "search: { patient: Patient/7, code: \"urn:drugs|mg\" }",
        "path: dosageInstruction.doseAndRate.doseQuantity.value, expected: 2",
        "(it differs between the demonstrations)",
        "authoredOn",
    ] {
        assert!(done.text.contains(there), "{there}\n{}", done.text);
    }
    for after in &afters {
        let found = statuses(&done.text, &after.with_baseline(before.clone()));
        assert!(found.values().all(|status| *status == Status::Passed), "{found:?}\n{}", done.text);
    }
}

#[test]
fn no_difference_is_nothing_to_draft() {
    let nothing = wait(draft(&engine(), &rows(ROWS), &[rows(ROWS)], candor_checks::OPERATORS, About::default()));
    assert!(matches!(nothing, Err(DraftError::NoDifference { number: 1, records: 2 })));
    let cut = wait(draft(&engine(), &rows(ROWS), &[rows("[{\"id\": ")], candor_checks::OPERATORS, About::default()));
    assert!(matches!(cut, Err(DraftError::Unread(_))));
}
