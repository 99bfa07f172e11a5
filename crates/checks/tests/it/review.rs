//! The warnings of each check about assertions that cannot fail, and the nearest similar assertions that can.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::CheckType;
use candor_check::review::WeaknessKind::{AlwaysHolds, AssertsNothing, NeverHolds, PassesOnAbsence};
use candor_check::review::{Review, WeaknessKind};
use candor_checks::ALL;
use candor_json::{Value, json};

fn review(assertion: &Value) -> Review {
    let check: &CheckType = ALL.iter().find(|check| check.meta().assert == assertion["assert"]).unwrap();
    check.bind(assertion.clone()).unwrap_or_else(|error| panic!("{assertion}: {error}")).review()
}

fn found(assertion: &Value) -> Vec<(WeaknessKind, String)> {
    // Tests that nothing protects have a test of their own.
    let weaknesses = review(assertion).weaknesses.into_iter();
    let other = weaknesses.filter(|weakness| weakness.kind != WeaknessKind::TestsUnprotected);
    other.map(|weakness| (weakness.kind, weakness.place)).collect()
}

/// An assertion with members put over it.
fn with(assertion: &Value, members: Value) -> Value {
    let mut whole = assertion.clone();
    whole.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    whole
}

/// For each record-shaped check: nothing selected, something selected, the member of the fields, and a path.
fn records() -> [(Value, Value, &'static str, &'static str); 5] {
    let fhir = json!({"assert": "fhir-resource-state", "resource_type": "Patient"});
    let hl7 = json!({"assert": "hl7-structural"});
    let portal = json!({"assert": "portal-state-match", "correlate_by": {"resource": "requests"}});
    let files = json!({"assert": "sftp-file-present", "path": "**/*", "format": "json"});
    let x12 = json!({"assert": "x12-response", "transaction": "271"});
    [
        (fhir.clone(), with(&fhir, json!({"search": {"active": "true"}})), "fields", "maritalStatus.text"),
        (hl7.clone(), with(&hl7, json!({"correlate_by": {"PID.3.1": "1"}})), "fields", "PV1.2"),
        (
            portal.clone(),
            with(&portal, json!({"correlate_by": {"resource": "r", "key": "id", "value": 1}})),
            "assertions",
            "status",
        ),
        (files.clone(), with(&files, json!({"path": "out/*.json"})), "fields", "status"),
        (x12.clone(), with(&x12, json!({"correlate_by": {"TRN.2": "1"}})), "fields", "EB.1"),
    ]
}

#[test]
fn what_selects_and_compares_nothing_is_named_in_every_check() {
    for (all, some, member, path) in records() {
        assert_eq!(found(&all), [(AssertsNothing, String::new())], "{all}");
        assert_eq!(found(&some), [], "{some}");
        let compared = json!({member: [{"path": path, "expected": "x"}]});
        assert_eq!(found(&with(&all, compared)), [], "{all}");
        assert_eq!(found(&with(&all, json!({"count": 3}))), [], "{all}");
    }
}

#[test]
fn what_passes_without_it_is_named_in_every_check() {
    for (_, some, member, path) in records() {
        let negative = json!({"path": path, "op": "notEquals", "expected": "x", "absent": "pass"});
        let positive = json!({"path": path, "op": "matches", "expected": "[a-z]+"});
        assert_eq!(found(&with(&some, json!({member: [negative]}))), [(PassesOnAbsence, member.to_owned())], "{some}");
        assert_eq!(found(&with(&some, json!({member: [negative, positive]}))), [], "{some}");
        let everything = json!({"path": path, "op": "matches", "expected": ".*"});
        let place = format!("{member}[1].expected");
        assert_eq!(found(&with(&some, json!({member: [positive, everything]}))), [(AlwaysHolds, place)], "{some}");
        let forbids = with(&some, json!({"count": 0}));
        assert_eq!(found(&forbids), [], "{some}");
        assert!(review(&forbids).passes_on_nothing, "{some}");
        let either = with(&some, json!({"count": {"max": 1}, member: [positive]}));
        assert_eq!(found(&either), [(PassesOnAbsence, "count".to_owned())], "{some}");
    }
}

#[test]
fn what_is_asserted_beside_fields_counts() {
    let [fhir, hl7, portal, files, x12] = records().map(|(all, ..)| all);
    for sound in [
        with(&fhir, json!({"read": {"id": "a1"}})),
        with(&hl7, json!({"structure": true})),
        with(&hl7, json!({"segments": [{"segment": "PV1", "max": 1}]})),
        with(&portal, json!({"unique": ["id"]})),
        with(&files, json!({"min_bytes": 1})),
        with(&files, json!({"no_partials": true})),
        with(&files, json!({"none": ["*.tmp"]})),
        with(&x12, json!({"envelope": "strict"})),
        with(&x12, json!({"answer": {"coverage": "active"}})),
    ] {
        assert_eq!(found(&sound), [], "{sound}");
    }
    let segment = with(&hl7, json!({"segments": [{"segment": "PV1", "min": 0}]}));
    assert_eq!(found(&segment), [(AssertsNothing, String::new()), (AlwaysHolds, "segments[0]".to_owned())]);
    let size = with(&files, json!({"path": "a.json", "min_bytes": 0}));
    assert_eq!(found(&size), [(AlwaysHolds, "min_bytes".to_owned())]);
}

#[test]
fn what_decides_nothing_of_a_workspace_is_named() {
    let all: Vec<u8> = (0..=255).collect();
    let decided: Vec<u8> = (0..=255).filter(|code| ![126, 127, 129, 130, 137, 143, 152, 153].contains(code)).collect();
    let compiles = |members: Value| with(&json!({"assert": "code-compiles", "command": ["make"]}), members);
    let tests = |members: Value| with(&json!({"assert": "tests-pass", "command": ["make"]}), members);
    let contains = |regex: &str| json!({"assert": "content-contains", "path": "a", "regex": regex});
    let finished = |members: Value| with(&json!({"assert": "no-placeholders"}), members);
    let answers = |status: Value| json!({"assert": "endpoint-responds", "url": "/", "status": status});
    let sh = |script: &str| compiles(json!({"command": ["sh", "-c", script]}));
    for (assertion, neighbour, kind, place) in [
        (
            json!({"assert": "file-exists", "path": "**"}),
            json!({"assert": "file-exists", "path": "**/*.md"}),
            AssertsNothing,
            "",
        ),
        (
            json!({"assert": "file-exists", "path": "a", "count": {"min": 0}}),
            json!({"assert": "file-exists", "path": "a", "count": 0}),
            AlwaysHolds,
            "count",
        ),
        (
            json!({"assert": "file-not-empty", "path": "a", "min_bytes": 0}),
            json!({"assert": "file-not-empty", "path": "a", "min_bytes": 1}),
            AlwaysHolds,
            "min_bytes",
        ),
        (contains(".+"), contains(r"\S"), AlwaysHolds, "regex"),
        (
            finished(json!({"path": "src/**", "exclude": ["docs/**", "src/**"]})),
            finished(json!({"path": "src/**", "exclude": "src/gen/**"})),
            NeverHolds,
            "exclude",
        ),
        (
            finished(json!({"path": ["tests/**", "a/test_b.py"]})),
            finished(json!({"path": ["tests/**", "src/b.py"]})),
            NeverHolds,
            "path",
        ),
        (
            finished(json!({"path": "tests/*.rs"})),
            finished(json!({"path": "tests/*.rs", "include_tests": true})),
            NeverHolds,
            "path",
        ),
        (compiles(json!({"command": ["true"]})), compiles(json!({"command": ["truly"]})), AssertsNothing, "command"),
        (
            compiles(json!({"command": ["/bin/true", "x"]})),
            compiles(json!({"command": ["truly", "x"]})),
            AssertsNothing,
            "command",
        ),
        (
            compiles(json!({"command": ["false"], "exit": [1, 2]})),
            compiles(json!({"command": ["test"]})),
            AssertsNothing,
            "command",
        ),
        (compiles(json!({"command": ["false"]})), compiles(json!({"command": ["falsely"]})), NeverHolds, "command"),
        (sh("exit 0"), sh("make; exit $?"), AssertsNothing, "command"),
        (sh("make && make install || true"), sh("make || make all"), AssertsNothing, "command"),
        (sh("make; echo built"), sh("make && echo built"), AssertsNothing, "command"),
        (sh("make\nprintf done"), sh("set -e; make; echo built"), AssertsNothing, "command"),
        (sh("grep -q 'a; echo b' x; echo ok"), sh("grep -q \"x; echo b\" file"), AssertsNothing, "command"),
        (sh("ruff check . | tee log"), sh("set -o pipefail; ruff check . | tee log"), AssertsNothing, "command"),
        (sh("a | b | cat"), sh("cat x | grep -q y"), AssertsNothing, "command"),
        (
            compiles(json!({"command": ["echo", "ok"]})),
            compiles(json!({"command": ["echoes", "ok"]})),
            AssertsNothing,
            "command",
        ),
        (
            compiles(json!({"command": ["cargo", "--version"]})),
            compiles(json!({"command": ["cargo", "build"]})),
            AssertsNothing,
            "command",
        ),
        (sh("make || :"), sh("set -e; make; make lint || :"), AssertsNothing, "command"),
        (compiles(json!({"exit": all})), compiles(json!({"exit": all[1..]})), AlwaysHolds, "exit"),
        (tests(json!({"exit": decided})), tests(json!({"exit": decided[1..]})), AlwaysHolds, "exit"),
        (
            tests(json!({"command": ["true"]})),
            tests(json!({"command": ["true"], "min_tests": 1})),
            AssertsNothing,
            "command",
        ),
        (
            tests(json!({"command": ["bash", "-lc", "pytest; echo ok"]})),
            tests(json!({"command": ["bash", "-lc", "pytest; echo ok"], "min_tests": 1})),
            AssertsNothing,
            "command",
        ),
        (
            tests(json!({"command": ["sh", "-c", "make || true"]})),
            tests(json!({"command": ["sh", "-c", "make || true"], "report": "report.xml"})),
            AssertsNothing,
            "command",
        ),
        (
            tests(json!({"command": ["sh", "-c", "pytest; exit 3"]})),
            tests(json!({"command": ["sh", "-c", "pytest; exit 3"], "exit": [3], "min_tests": 1})),
            NeverHolds,
            "command",
        ),
        (answers(json!(["2xx", "3xx", "4xx", "5xx"])), answers(json!(["2xx", "3xx", "4xx"])), AlwaysHolds, "status"),
        (
            json!({"assert": "response-time", "url": "/", "limit": "1s", "status": ["1xx", "2xx", "3xx", "4xx", "5xx"]}),
            json!({"assert": "response-time", "url": "/", "limit": "1s"}),
            AlwaysHolds,
            "status",
        ),
    ] {
        assert_eq!(found(&assertion), [(kind, place.to_owned())], "{assertion}");
        assert_eq!(found(&neighbour), [], "{neighbour}");
    }
}

#[test]
fn tests_that_the_delegate_may_delete_and_commands_that_it_may_write_are_named() {
    let kinds = |assertion: Value| -> Vec<WeaknessKind> {
        review(&assertion).weaknesses.into_iter().map(|weakness| weakness.kind).collect()
    };
    let tests = |members: Value| with(&json!({"assert": "tests-pass", "command": ["pytest"]}), members);
    assert_eq!(kinds(tests(json!({}))), [WeaknessKind::TestsUnprotected]);
    assert_eq!(kinds(tests(json!({"min_tests": 3}))), []);
    let own = tests(json!({"command": ["./run_tests.sh"], "min_tests": 3}));
    assert_eq!(kinds(own), [WeaknessKind::OwnCommand]);
    assert_eq!(kinds(json!({"assert": "code-compiles", "command": ["/usr/bin/make"]})), []);
}

#[test]
fn what_two_items_may_satisfy_is_named() {
    let kinds = |assertion: Value| -> Vec<(WeaknessKind, String)> {
        review(&assertion).weaknesses.into_iter().map(|weakness| (weakness.kind, weakness.place)).collect()
    };
    let two = |place: &str| vec![(WeaknessKind::TwoItems, place.to_owned())];
    let fields = |one: &str, other: &str| json!([{"path": one, "expected": "a"}, {"path": other, "expected": "b"}]);
    let patient = |one: &str, other: &str| json!({"assert": "fhir-resource-state", "resource_type": "Patient", "fields": fields(one, other)});
    assert_eq!(kinds(patient("address.city", "address.state")), two("fields[1]"));
    assert_eq!(kinds(patient("address.0.city", "address.0.state")), []);
    assert_eq!(kinds(patient("maritalStatus.text", "telecom.value")), []);
    let file = |path: &str, one: &str, other: &str| json!({"assert": "sftp-file-present", "path": path, "fields": fields(one, other)});
    assert_eq!(kinds(file("a.csv", "member", "status")), two("fields[1]"));
    assert_eq!(kinds(file("a.ndjson", "member", "status")), two("fields[1]"));
    assert_eq!(kinds(file("a.json", "member", "status")), []);
    assert_eq!(kinds(file("a.csv", "row[member=W1].status", "row[member=W1].amount")), []);
    assert_eq!(kinds(file("a.json", "$.claims[*].id", "$.claims[*].amount")), two("fields[1]"));
    let message = |one: &str, other: &str| json!({"assert": "hl7-structural", "fields": fields(one, other)});
    assert_eq!(kinds(message("OBX[*].3.1", "OBX[*].5")), two("fields[1]"));
    assert_eq!(kinds(message("OBX.3.1", "OBX.5")), []);
    assert_eq!(kinds(message("PID.3[*].1", "PID.3[*].5")), two("fields[1]"));
}

#[test]
fn a_status_that_nobody_asserts_is_named() {
    let open = |assertion: Value| -> Vec<&'static str> {
        review(&assertion).statuses.open.into_iter().map(|(element, _)| element).collect()
    };
    let fhir = |resource_type: &str, members: Value| {
        with(&json!({"assert": "fhir-resource-state", "resource_type": resource_type}), members)
    };
    let text = json!([{"path": "description", "expected": "Echo"}]);
    assert_eq!(open(fhir("Appointment", json!({"fields": text}))), ["status"]);
    assert_eq!(open(fhir("Appointment", json!({"fields": text, "search": {"status": "booked"}}))), [""; 0]);
    assert_eq!(open(fhir("Appointment", json!({"search": {"patient": "Patient/1"}, "count": 0}))), [""; 0]);
    let stated = json!({"fields": [{"fhirpath": "status = 'booked'", "expected": true}]});
    assert_eq!(open(fhir("Appointment", stated)), [""; 0]);
    let order = json!({"search": {"status": "active", "patient": "Patient/1"}});
    assert_eq!(open(fhir("MedicationRequest", order)), ["intent"]);
    let order = json!({"search": {"status": "active", "intent": "order"}});
    assert_eq!(open(fhir("MedicationRequest", order)), [""; 0]);
    assert_eq!(open(fhir("Patient", json!({"fields": [{"path": "birthDate", "expected": "1974-05-12"}]}))), [""; 0]);
    let result = |more: Value| {
        let mut fields = vec![json!({"path": "OBX.5", "expected": "5"})];
        fields.extend(more.as_array().unwrap().clone());
        json!({"assert": "hl7-structural", "correlate_by": {"message_type": "ORU^R01"}, "fields": fields})
    };
    assert_eq!(open(result(json!([]))), ["OBX.11"]);
    assert_eq!(open(result(json!([{"path": "OBX.11", "expected": "F"}]))), [""; 0]);
}

#[test]
fn what_a_list_of_fields_of_an_order_leaves_out_is_named() {
    let order = |resource_type: &str, members: Value| {
        with(&json!({"assert": "fhir-resource-state", "resource_type": resource_type}), members)
    };
    let open = |assertion: &Value| -> Vec<&'static str> {
        let open = review(assertion).statuses.open.into_iter().map(|(element, _)| element);
        open.filter(|element| !matches!(*element, "status" | "intent")).collect()
    };
    let says = |assertion: &Value, element: &str| {
        let all = review(assertion).statuses.open;
        all.into_iter().find(|(own, _)| *own == element).map(|(_, weakness)| weakness.message).unwrap()
    };
    let listed = order(
        "MedicationRequest",
        json!({"search": {"code": "0338-1715-40"}, "match": "exactly_one", "fields": [
            {"path": "subject.reference", "expected": "Patient/p-1"}, {"path": "authoredOn", "expected": "2026-11-20T09:05:00Z"},
            {"path": "dosageInstruction.doseAndRate.doseQuantity", "expected": {"value": 2, "unit": "g"}}]}),
    );
    assert_eq!(open(&listed), ["siblings", "concept", "dosage", "note"]);
    for (element, mended) in [
        ("siblings", "`search: {patient: Patient/p-1, authoredon: 2026-11-20}` with `count: 1`"),
        ("concept", "any: [\"http://hl7.org/fhir/sid/ndc|0338-1715-40\"], names:"),
        ("dosage", "`{dosage: {dose: 2 g, frequency: …, route: …}}`"),
        ("note", "`{path: note.text, op: matches, expected:"),
    ] {
        assert!(says(&listed, element).contains(mended), "{element}: {}", says(&listed, element));
    }
    // What the notes propose is an assertion, and nothing is left of them.
    let meant = json!({"search": {"patient": "Patient/p-1", "authoredon": "2026-11-20"}, "count": 1, "fields": [
        {"path": "medication", "concept": {"any": ["http://hl7.org/fhir/sid/ndc|0338-1715-40"], "names": ["magnesium"]}},
        {"dosage": {"dose": "2 g"}},
        {"path": "note.text", "op": "matches", "expected": "(?i).*(disregard|in error|do not|cancel).*", "quantifier": "none", "absent": "pass"}]});
    assert_eq!(open(&order("MedicationRequest", meant)), [""; 0]);
    let imaging = order("ServiceRequest", json!({"fields": [{"path": "code.coding.code", "expected": "24587-8"}]}));
    assert_eq!(open(&imaging), ["siblings", "concept", "note"]);
    assert!(says(&imaging, "siblings").contains("authored: …"), "{}", says(&imaging, "siblings"));
    let of_one = json!({"read": {"id": "o1"}, "fields": [{"path": "note.text", "expected": "x"}]});
    assert_eq!(open(&order("ServiceRequest", of_one)), [""; 0]);
    assert_eq!(open(&order("ServiceRequest", json!({"search": {"patient": "1"}, "count": 0}))), [""; 0]);
    assert_eq!(open(&order("Observation", json!({"search": {"code": "8867-4"}}))), [""; 0]);
}
