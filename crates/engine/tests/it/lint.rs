//! Which weakness is found, and where. tests/cli/lint.trycmd holds the sentences.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use candor_check::field::Field;
use candor_check::json_path::DottedPath;
use candor_check::records::RecordRules;
use candor_check::review::{RecordReview, Review, Shape, Statuses, Unchanged, Weakness, WeaknessKind};
use candor_check::{Check, CheckType, Evidence, Meta, Obstacle, Sandbox, Unverifiable};
use candor_engine::{CODES, Document, Engine, Finding, Severity, Task, invalid, lint, lint_with_notes};
use candor_json::json;

/// A record-shaped check of which nothing but its settings matters here.
#[derive(serde::Deserialize)]
struct Records {
    search: Option<String>,
    #[serde(default)]
    fields: Vec<Field<DottedPath>>,
    count: Option<candor_check::settings::Cardinality>,
    /// An order, of which a second one is not counted.
    #[serde(default)]
    is_order: bool,
}

/// A check of which nothing but what it holds unchanged matters here.
#[derive(serde::Deserialize)]
struct Still {
    parts: Option<Vec<String>>,
    #[serde(default)]
    open: Vec<(String, Option<String>)>,
}

impl Check for Still {
    const META: Meta =
        Meta { assert: "still", about: "", part: "baseline", files: &[], evidence_key: "fieldResults", schema: "{}" };
    type Seen = ();

    async fn observe(&self, sandbox: &Sandbox) -> Result<(), Unverifiable> {
        Err(sandbox.no_source("baseline"))
    }

    fn judge(&self, (): &()) -> Evidence {
        Evidence::unverifiable(Obstacle::NoSource, Vec::new(), "")
    }

    fn review(&self) -> Review {
        let unchanged = Some(Unchanged { parts: self.parts.clone(), open: self.open.clone() });
        Review { passes_on_nothing: true, unchanged, ..Review::default() }
    }
}

impl Check for Records {
    const META: Meta =
        Meta { assert: "records", about: "", part: "files", files: &[], evidence_key: "fieldResults", schema: "{}" };
    type Seen = ();

    async fn observe(&self, sandbox: &Sandbox) -> Result<(), Unverifiable> {
        Err(sandbox.no_source("files"))
    }

    fn judge(&self, (): &()) -> Evidence {
        Evidence::unverifiable(Obstacle::NoSource, Vec::new(), "")
    }

    fn review(&self) -> Review {
        let review = RecordReview {
            one: "record",
            member: "fields",
            fields: &self.fields,
            rules: RecordRules { count: self.count, ..RecordRules::default() },
            selected: self.search.is_some(),
            select_by: "search",
            beside: false,
            whole: false,
        };
        let mut review = review.review_shaped(&[], &|_, _| Shape { single: true, ..Shape::default() });
        if self.is_order {
            let open = Weakness::new(WeaknessKind::SiblingUnseen, "fields", "a second order is not counted");
            review.statuses = Statuses { kind: "Order".to_owned(), asserted: vec![], open: vec![("$orders", open)] };
        }
        review
    }
}

fn found(criteria: &[&str]) -> Vec<Finding> {
    found_in("", criteria)
}

fn found_in(members: &str, criteria: &[&str]) -> Vec<Finding> {
    let lines: String = criteria.iter().map(|criterion| format!("  - {{{criterion}}}\n")).collect();
    let document =
        Document::parse(Path::new("t.yaml"), format!("id: t{members}\ncriteria:\n{lines}").as_bytes()).unwrap();
    let engine = Engine::new([CheckType::of::<Records>(), CheckType::of::<Still>()], "candor/test");
    let plan = engine.plan(Arc::new(Task::from_document(document).unwrap()));
    let mut without = lint_with_notes(&plan);
    without.retain(|finding| finding.severity != Severity::Note);
    assert_eq!(lint(&plan), without);
    lint_with_notes(&plan)
}

fn codes(criteria: &[&str]) -> Vec<(&'static str, Option<(usize, usize)>)> {
    found(criteria).into_iter().map(|finding| (finding.code, finding.error.position)).collect()
}

const SOUND: &str = "id: s, assertion: {assert: records, search: x}";
const FORBIDS: &str = "id: f, assertion: {assert: records, search: y, count: 0}";

#[test]
fn a_weak_assertion_is_shown_at_its_place() {
    for (weak, code, member) in [
        ("assertion: {assert: records}", "asserts_nothing", "assertion"),
        ("assertion: {assert: records, search: x, count: {min: 0}}", "always_holds", "count"),
        (
            "assertion: {assert: records, search: x, fields: [{path: a, op: in, expected: []}]}",
            "never_holds",
            "expected",
        ),
        (
            "assertion: {assert: records, search: x, fields: [{path: a, op: notEquals, expected: 1, absent: pass}]}",
            "passes_on_absence",
            "fields",
        ),
        (
            "partial_credit: true, assertion: {assert: records, search: x, fields: [{path: a, expected: 1, weight: 0}, {path: b, expected: 1}]}",
            "dead_field",
            "weight",
        ),
        (
            "partial_credit: true, assertion: {assert: records, search: x, fields: [{path: a, expected: 1, weight: 0}]}",
            "no_field_weight",
            "fields",
        ),
    ] {
        let weak = format!("id: a, {weak}");
        let findings = found(&[&weak, SOUND]);
        let column = "  - {".len() + weak.find(member).unwrap() + 1;
        assert_eq!(findings.len(), 1, "{weak}: {findings:?}");
        assert_eq!((findings[0].code, findings[0].error.position), (code, Some((3, column))), "{weak}");
    }
}

#[test]
fn a_second_order_is_seen_only_where_its_own_part_may_not_change() {
    let order = "id: o, assertion: {assert: records, search: x, is_order: true}";
    let seen = |still: &str| codes(&[order, &format!("id: s, assertion: {{assert: still{still}}}")]).is_empty();
    assert_eq!(codes(&[order]), [("sibling_unseen", Some((3, 13)))]);
    assert!(seen(""));
    assert!(seen(", parts: [portal, files]"));
    assert!(seen(", open: [[files, Other], [portal, null]]"));
    assert!(!seen(", parts: [portal]"));
    assert!(!seen(", open: [[files, Order]]"));
    assert!(!seen(", open: [[files, null]]"));
}

#[test]
fn weights_of_fields_do_not_matter_where_there_is_no_score_in_part() {
    let field = "assertion: {assert: records, search: x, fields: [{path: a, expected: 1, weight: 0}]}";
    assert_eq!(codes(&[&format!("id: a, gate: true, partial_credit: true, {field}")]), []);
    assert_eq!(codes(&[&format!("id: a, {field}")]), []);
    assert_eq!(codes(&[&format!("id: a, partial_credit: false, {field}")]), []);
}

#[test]
fn a_task_that_requires_nothing() {
    assert_eq!(codes(&[FORBIDS]), [("nothing_required", Some((2, 1)))]);
    assert_eq!(codes(&[FORBIDS, SOUND]), []);
    // Nine tenths that forbid are enough to pass.
    let sound = format!("{SOUND}, weight: 0.1");
    let forbids = format!("{FORBIDS}, weight: 0.9");
    assert_eq!(codes(&[&forbids, &sound])[0].0, "nothing_required");
    assert_eq!(codes(&[&forbids, &format!("{sound}, gate: true")]), []);
    assert_eq!(found_in("\npass: all", &[&forbids, &sound]), []);
    assert_eq!(codes(&[]), [("no_criteria", Some((2, 1)))]);
}

#[test]
fn what_asserts_the_same_counts_twice() {
    let again = "id: b, assertion: {search: x, assert: records}";
    assert_eq!(codes(&[SOUND, again]), [("duplicate_criterion", Some((4, 13)))]);
    assert_eq!(codes(&[SOUND, &format!("{again}, axis: safety")]), []);
    assert_eq!(codes(&[SOUND, "id: b, assertion: {search: z, assert: records}"]), []);
}

#[test]
fn weights_that_decide_nothing() {
    let weighed = |id: &str, rest: &str| format!("id: {id}, {rest}, assertion: {{assert: records, search: {id}}}");
    let under = |members: &str, rests: &[&str]| {
        let all: Vec<String> = rests.iter().enumerate().map(|(n, rest)| weighed(&format!("c{n}"), rest)).collect();
        let found = found_in(members, &all.iter().map(String::as_str).collect::<Vec<_>>());
        found.into_iter().map(|finding| (finding.severity, finding.code)).collect::<Vec<_>>()
    };
    let of = |rests: &[&str]| under("", rests);
    let tenths = ["weight: 1"; 10];
    assert_eq!(under("\npass: all", &tenths), []);
    assert_eq!(under("\npass: 1", &tenths), []);
    assert_eq!(under("\npass: all", &["weight: 9, gate: true", "weight: 1", "weight: 0.001"]), []);
    assert_eq!(under("\npass: all", &["weight: 1", "weight: 0"]), [(Severity::Warning, "dead_criterion")]);
    assert_eq!(under("\npass: 0.5", &["weight: 1"; 2]), []);
    assert_eq!(under("\npass: 0.5", &["weight: 2", "weight: 1"]), [(Severity::Warning, "never_decides")]);
    assert_eq!(of(&["weight: 1", "weight: 0"]), [(Severity::Warning, "dead_criterion")]);
    assert_eq!(of(&["weight: 1", "weight: 0, gate: true"]), []);
    assert_eq!(of(&["weight: 9, gate: true", "weight: 1"]), [(Severity::Warning, "dead_criterion")]);
    assert_eq!(of(&["weight: 1", "weight: 1", "weight: 0.001"]), [(Severity::Warning, "never_decides")]);
    assert_eq!(of(&["weight: 1"; 10]), [(Severity::Warning, "fails_unnoticed"); 10]);
    assert_eq!(of(&["weight: 1"; 9]), []);
    assert_eq!(of(&["weight: 0", "weight: 0"]), [(Severity::Warning, "no_weight")]);
}

#[test]
fn the_page_has_every_code_with_its_severity() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trusting-a-green.md");
    let page = fs::read_to_string(file).unwrap();
    let table = page.split("\n## Codes of lint\n").nth(1).unwrap();
    // Links are the page's own, and a bar within a cell is escaped.
    let plain = |cell: &str| {
        let mut cell = cell.replace(r"\|", "|");
        while let Some(end) = cell.find("](") {
            let (start, close) = (cell[..end].rfind('[').unwrap(), end + cell[end..].find(')').unwrap());
            cell = format!("{}{}{}", &cell[..start], &cell[start + 1..end], &cell[close + 1..]);
        }
        cell
    };
    let told: Vec<(String, String, String)> = table
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.splitn(3, " | ");
            let (name, severity) = (cells.next()?.trim_end_matches('`').to_owned(), cells.next()?.to_owned());
            Some((name, severity, plain(cells.next()?)))
        })
        .collect();
    let known: Vec<(String, String, String)> = CODES
        .iter()
        .map(|code| (code.name.to_owned(), code.severity.name().to_owned(), code.about().to_owned()))
        .collect();
    assert_eq!(told, known);
}

#[test]
fn slips_of_the_pen_are_shown_at_their_places() {
    let with = |more: &str| format!("{SOUND}, {more}");
    let other = |more: &str| format!("id: o, assertion: {{assert: records, search: y}}, {more}");
    for (one, two, expected) in [
        (with("label: Booked"), other("label: Booked"), Some(("same_label", "label"))),
        (with("label: o"), other("weight: 1"), None),
        (
            with("weight: 1"),
            "id: p, assertion: {assert: records, search: \"{{mrn}}\"}".to_owned(),
            Some(("other_placeholder", "search")),
        ),
        (with("weight: 1"), "id: p, assertion: {assert: records, search: \"[0-9]{2}\"}".to_owned(), None),
    ] {
        let column = expected.map(|(_, member)| "  - {".len() + two.rfind(member).unwrap() + 1);
        let found: Vec<_> = codes(&[&one, &two]);
        let expected: Vec<_> = expected.map(|(code, _)| (code, column.map(|column| (4, column)))).into_iter().collect();
        assert_eq!(found, expected, "{one}\n{two}");
    }
}

#[test]
fn criteria_that_cannot_both_pass() {
    let of = |id: &str, rest: &str| format!("id: {id}, assertion: {{assert: records, search: x{rest}}}");
    let equals = |value: &str| format!(", fields: [{{path: a, expected: {value}}}]");
    let pair = |one: &str, other: &str, gate: &str| {
        let [one, other] = [of("a", one), of("b", other)].map(|criterion| format!("{criterion}{gate}"));
        codes(&[&one, &other]).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    assert_eq!(pair(", count: 0", ", count: 1", ""), ["criteria_exclude"]);
    assert_eq!(pair(", count: 0", ", count: 1", ", gate: true"), ["gates_exclude"]);
    assert_eq!(pair(", count: 0", "", ""), ["criteria_exclude"]);
    assert_eq!(pair(", count: {min: 1}", ", count: 2", ""), [""; 0]);
    let (one, other) = (equals("submitted"), equals("draft"));
    assert_eq!(pair(&format!("{one}, count: 1"), &other, ""), ["criteria_exclude"]);
    // Of several records, one may be so and another so.
    assert_eq!(pair(&one, &other, ""), [""; 0]);
}

#[test]
fn what_another_criterion_asserts_counts_twice() {
    let of =
        |id: &str, fields: &str| format!("id: {id}, assertion: {{assert: records, search: x, fields: [{fields}]}}");
    let strong = of("s", "{path: a, expected: submitted}, {path: b, expected: 1}");
    let again = of("t", "{path: b, expected: 1}, {path: a, expected: submitted}");
    assert_eq!(codes(&[&strong, &again]), [("duplicate_criterion", Some((4, 13)))]);
}

#[test]
fn one_result_of_many_may_fail_unnoticed() {
    let fields: Vec<String> = (0..10).map(|n| format!("{{path: f{n}, expected: 1}}")).collect();
    let of = |count: usize| {
        let fields = fields[..count].join(", ");
        format!("id: a, partial_credit: true, assertion: {{assert: records, search: x, fields: [{fields}]}}")
    };
    assert_eq!(codes(&[&of(10)]), [("field_fails_unnoticed", Some((3, 13)))]);
    assert_eq!(codes(&[&of(9)]), []);
    assert_eq!(codes(&[&of(10).replace("id: a", "id: a, gate: true")]), []);
    assert_eq!(found_in("\npass: all", &[&of(10)]), []);
    let weighed = |one: &str, other: &str| {
        let fields = format!("{{path: a, expected: 1, weight: {one}}}, {{path: b, expected: 1, weight: {other}}}");
        format!("id: a, partial_credit: true, assertion: {{assert: records, search: x, fields: [{fields}]}}")
    };
    assert_eq!(codes(&[&weighed("95", "5")]), [("field_fails_unnoticed", Some((3, 13)))]);
    assert_eq!(codes(&[&weighed("0.1", "0.9")]), [("field_fails_unnoticed", Some((3, 13)))]);
    assert_eq!(codes(&[&weighed("0.899", "0.101")]), []);
    // Of nine, the heavy ones do not fail unnoticed, and the light one does.
    let uneven = of(9).replace("expected: 1}", "expected: 1, weight: 3}").replacen("weight: 3", "weight: 1", 1);
    assert_eq!(codes(&[&uneven]), [("field_fails_unnoticed", Some((3, 13)))]);
}

#[test]
fn inputs_and_prompts_that_say_nothing() {
    let of = |members: &str| -> Vec<&str> { found_in(members, &[SOUND]).into_iter().map(|found| found.code).collect() };
    assert_eq!(of("\ninputs: {member: W1, status: x}\nprompt: Book ${inputs.member}."), ["unused_input"]);
    assert_eq!(of("\ninputs: {member: {id: W1}}\nprompt: Book ${inputs.member.id}."), [""; 0]);
    assert_eq!(of("\nprompt: ' '"), ["empty_prompt"]);
}

#[test]
fn what_the_author_accepts_is_not_told() {
    let of = |text: &str| {
        let document = Document::parse(Path::new("t.yaml"), text.as_bytes()).unwrap();
        let engine = Engine::new([CheckType::of::<Records>()], "candor/test");
        let plan = engine.plan(Arc::new(Task::from_document(document).unwrap()));
        lint(&plan).into_iter().map(|finding| (finding.code, finding.error.position)).collect::<Vec<_>>()
    };
    let task = |before: &str, behind: &str| {
        format!(
            "id: t\ncriteria:\n{before}  - id: a\n    assertion: {{assert: records}}{behind}\n  - id: b\n    assertion: {{assert: records, search: x}}\n"
        )
    };
    assert_eq!(of(&task("", "")), [("asserts_nothing", Some((4, 5)))]);
    for accepted in [
        task("", " # candor: ignore[asserts_nothing] because the folder has one record"),
        task("  # candor: ignore[asserts_nothing] because the folder has one record\n", ""),
        task("", "") + "lint: {ignore: [{code: asserts_nothing, because: one record}]}\n",
        task("", "") + "lint: {ignore: [{code: asserts_nothing, criterion: a, because: one record}]}\n",
    ] {
        assert_eq!(of(&accepted), [], "{accepted}");
    }
    for (kept, code) in [
        (task("", " # candor: ignore[asserts_nothing]"), "ignore_without_reason"),
        (task("", " # candor: ignore[dead_field] because x"), "stale_ignore"),
        (task("", "") + "lint: {ignore: [{code: asserts_nothing, criterion: b, because: x}]}\n", "stale_ignore"),
        (task("", "") + "lint: {ignore: [{code: assert_nothing, because: x}]}\n", "stale_ignore"),
    ] {
        let codes: Vec<_> = of(&kept).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["asserts_nothing", code], "{kept}");
    }
    // What cannot be run cannot be accepted.
    let error = "id: t\ncriteria:\n  - {id: a, assertion: {assert: nothing}} # candor: ignore[unsupported_assertion] because x\n";
    assert_eq!(of(error).iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["unsupported_assertion", "stale_ignore"]);
}

/// The faults of an assertion, each with its place, and none that only follows from another.
#[test]
fn every_fault_of_an_assertion_is_named_at_once() {
    let of = |assertion: &str| -> Vec<String> {
        let text = format!("id: t\ncriteria:\n  - {{id: a, assertion: {{assert: records, {assertion}}}}}\n");
        let document = Document::parse(Path::new("t.yaml"), text.as_bytes()).unwrap();
        let engine = Engine::new([CheckType::of::<Records>()], "candor/test");
        let plan = engine.plan(Arc::new(Task::from_document(document).unwrap()));
        let findings = invalid(&plan).into_iter().map(|error| error.message);
        findings.map(|message| message.split(": ").nth(2).unwrap_or_default().to_owned()).collect()
    };
    let fields =
        "{path: a, equals: 1}, {path: b, expected: 1}, {path: c, op: eqals, expected: 1}, {path: d, exp: 1, u: 2}";
    assert_eq!(
        of(&format!("fields: [{fields}], count: many")),
        ["fields[0].equals", "fields[2]", "fields[3].exp", "fields[3].u", "count"]
    );
    assert_eq!(of("search: 1, count: 1"), ["search"]);
    assert_eq!(of("search: x"), Vec::<String>::new());
    let text = "id: t\ncolour: red\ncriteria:\n  - {assertion: {assert: records, count: many}}\n";
    let (task, errors) = Task::readable(Document::parse(Path::new("t.yaml"), text.as_bytes()).unwrap());
    assert_eq!(errors.len(), 2, "{errors:?}");
    let plan = Engine::new([CheckType::of::<Records>()], "candor/test").plan(Arc::new(task.unwrap()));
    assert_eq!(invalid(&plan).len(), 1);
}

#[test]
fn a_placeholder_of_another_language_is_found_and_nothing_else() {
    for (text, expected) in [
        ("{{member_id}}", Some("{{member_id}}")),
        ("Patient/{{ .Patient.ID }}", Some("{{ .Patient.ID }}")),
        ("x $inputs.status y", Some("$inputs.status")),
        ("a{{2}}", None),
        ("{{}}", None),
        ("{{ a b }}", None),
        ("{{", None),
        ("$.inputs.status", None),
        ("$5.00", None),
        ("[0-9]{3}", None),
    ] {
        let assertion = json!({"assert": "records", "search": text});
        let task = json!({"id": "t", "criteria": [{"id": "a", "assertion": assertion}]});
        let engine = Engine::new([CheckType::of::<Records>()], "candor/test");
        let plan = engine.plan(Arc::new(Task::from_document(Document::from_value(task).unwrap()).unwrap()));
        let found = lint(&plan).into_iter().find(|finding| finding.code == "other_placeholder");
        // The criterion is named first.
        let found = found.and_then(|finding| finding.error.message.split('`').nth(3).map(str::to_owned));
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}
