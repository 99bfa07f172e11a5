//! Every format over one run that has all there is: a pass, a failure with its nearest, something unverifiable; and over
//! text that means harm.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::path::Path;

use candor_check::evidence::{Candidates, Entry, Nearest};
use candor_check::field::{FieldResult, Location};
use candor_check::{Evidence, Failure, Obstacle, Share};
use candor_engine::{BenchmarkRun, CriterionRun, TaskRun};
use candor_json::{Value, json};
use candor_report::{Format, Style, benchmark_run, plain, stored_score, task_run};
use candor_scoring::stored::{Limits, StoredRuns};
use candor_scoring::{BenchmarkScorer, CriterionOutcome, PassRule, Score, Status, TaskScorer};
use jiff::Timestamp;
use proptest::prelude::*;

const STYLE: Style = Style { color: false, width: 80 };

fn criterion(id: &str, label: &str, axis: Option<&str>, weight: &str, evidence: Evidence) -> CriterionRun {
    let at: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
    CriterionRun {
        id: format!("cr_{id}"),
        task_run_id: "tr_1".to_owned(),
        criterion_id: id.to_owned(),
        label: label.to_owned(),
        axis: axis.map(str::to_owned),
        weight: weight.parse().unwrap(),
        gate: id == "gate",
        partial_credit: id == "half",
        task_pass: PassRule::default(),
        evidence,
        broke: false,
        evidence_key: "field_results",
        verifier_id: "candor/test".to_owned(),
        started_at: at,
        completed_at: at,
        observed: None,
    }
}

fn task(label: &str, details: &str) -> TaskRun {
    let field = |passed| {
        FieldResult::constraint("PID.5.1", json!("Smith"), json!("Smyth"), passed)
            .at(Location::bytes("hl7/a.hl7", 10..15))
    };
    let nearest = Nearest {
        place: Location::bytes("hl7/a.hl7", 0..99),
        label: "message 1 of hl7/a.hl7".to_owned(),
        first_mismatch: Some(field(false)),
        matched: (1, 2),
    };
    let entries = vec![Entry::Field(field(true)), Entry::Field(field(false))];
    let runs = vec![
        criterion(
            "gate",
            label,
            Some("correctness"),
            "2",
            Evidence::passed(vec![field(true).into()], "1 message in hl7/."),
        ),
        criterion(
            "half",
            "Half of it",
            Some("correctness"),
            "1",
            Evidence::failed(Failure::FieldMismatch, Share::of(1, 2).unwrap(), entries, details)
                .over(Candidates { considered: 3, matched: 1, nearest: Some(nearest) }, Vec::new()),
        ),
        criterion(
            "open",
            "Not to be read",
            None,
            "1",
            Evidence::unverifiable(Obstacle::Timeout, Vec::new(), "It took too long."),
        ),
    ];
    let mut scorer = TaskScorer::new();
    runs.iter().for_each(|run| scorer.add(&run.outcome().unwrap()));
    TaskRun {
        id: "tr_1".to_owned(),
        task_id: "t".to_owned(),
        task_name: Some("A task".to_owned()),
        result: scorer.finish(),
        criterion_runs: runs,
        scored: false,
    }
}

fn shown(run: &TaskRun, format: Format) -> String {
    String::from_utf8(task_run(run, format, STYLE)).unwrap()
}

/// Compares with a file of `tests/messages/report`, or writes it for `cargo xtask bless`.
fn holds(name: &str, text: String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/messages/report").join(name);
    snapbox::assert_data_eq!(text, snapbox::Data::read_from(&path, None).raw());
}

fn usual() -> TaskRun {
    task("All of it", "1 of 3 messages; 1 of 2 fields failed: PID.5.1 is \"Smyth\".")
}

/// Ten criteria pass, and one fails with nine of its ten fields as asserted.
fn passed_with_failures(id: &str) -> TaskRun {
    let field = |passed| Entry::Field(FieldResult::constraint("dose", json!(2), json!(20), passed));
    let passed =
        |n: usize| criterion(&format!("c{n}"), "Fine", None, "1", Evidence::passed(vec![field(true)], "Fine."));
    let entries = [vec![field(true); 9], vec![field(false)]].concat();
    let share = Share::of(9, 10).unwrap();
    let evidence = Evidence::failed(Failure::FieldMismatch, share, entries, "1 of 10 fields failed.");
    let failed = criterion(id, "The dose", None, "1", evidence);
    let runs: Vec<CriterionRun> = (0..10).map(passed).chain([failed]).collect();
    let mut scorer = TaskScorer::new();
    runs.iter().for_each(|run| scorer.add(&run.outcome().unwrap()));
    TaskRun { task_id: "orders".to_owned(), result: scorer.finish(), criterion_runs: runs, ..usual() }
}

#[test]
fn a_pass_in_which_a_criterion_failed_names_it() {
    let run = passed_with_failures("mg-dose");
    assert!(shown(&run, Format::Text).contains("\n PASS, 1 of 11 criteria failed: mg-dose; score 0.9\n"));
    let value: Value = candor_json::from_str(&shown(&run, Format::Json)).unwrap();
    assert_eq!(value["passed_with_failures"], json!(["mg-dose"]));
    let dose = &value["criterion_runs"][10];
    assert_eq!((&dose["score"], &dose["share"]), (&json!(0.0), &json!(0.9)));
    let junit = shown(&run, Format::Junit);
    let property = r#"<property name="passed_with_failures" value="1 of 11 criteria failed: mg-dose"/>"#;
    assert!(junit.contains(property), "{junit}");
    let markdown = shown(&run, Format::Markdown);
    assert!(markdown.contains("Verdict **PASS**, 1 of 11 criteria failed: `mg-dose`; score 0.9.\n"), "{markdown}");

    let mut stored = StoredRuns::new(Limits::default());
    stored.read("runs", shown(&run, Format::Ndjson).as_bytes(), |_| {}).unwrap();
    let score = stored.finish(|_| {});
    for format in Format::NAMES.iter().filter_map(|name| Format::named(name)) {
        let text = String::from_utf8(stored_score(&score, format, STYLE)).unwrap();
        assert!(text.contains("mg-dose"), "{format:?}: {text}");
    }

    let mut scorer = BenchmarkScorer::new();
    scorer.add(Some("orders"), &run.result);
    let benchmark = |run: &TaskRun, format| {
        let (id, result, task_runs) = ("b".to_owned(), scorer.clone().finish(), vec![run.clone()]);
        let run = BenchmarkRun { id: "br_1".to_owned(), benchmark_id: id, result, task_runs };
        String::from_utf8(benchmark_run(&run, format, STYLE)).unwrap()
    };
    holds("benchmark-failures.text", benchmark(&run, Format::Text));
    assert!(benchmark(&run, Format::Markdown).contains("| orders | PASS, 1 of 11 criteria failed: `mg-dose` | 0.9 |"));

    let hidden = TaskRun { scored: true, ..run };
    for format in Format::NAMES.iter().filter_map(|name| Format::named(name)) {
        for text in [shown(&hidden, format), benchmark(&hidden, format)] {
            assert!(!text.contains("passed_with_failures") && !text.contains("criteria failed"), "{format:?}: {text}");
        }
    }
}

#[test]
fn many_failures_are_named_in_part() {
    let mut scorer = TaskScorer::new();
    let outcome = |id, weight: &str, status, score| CriterionOutcome::new(id, weight.parse().unwrap(), status, score);
    scorer.add(&outcome("heavy", "1000", Status::Passed, Score::ONE).unwrap());
    let ids: Vec<String> = (0..25).map(|n| format!("c{n}")).collect();
    ids.iter().for_each(|id| scorer.add(&outcome(id, "1", Status::Failed, Score::ZERO).unwrap()));
    let run = TaskRun { result: scorer.finish(), ..usual() };
    let text = shown(&run, Format::Text);
    assert!(
        text.contains("PASS, 25 of 26 criteria failed: c0, c1, ") && text.contains("c19 and 5 more; score"),
        "{text}"
    );
    let value: Value = candor_json::from_str(&shown(&run, Format::Json)).unwrap();
    assert_eq!(value["passed_with_failures"], json!(ids));
}

#[test]
fn the_task_s_rule_for_a_pass_is_read_back() {
    let mut run = passed_with_failures("mg-dose");
    for (rule, verdict) in [("all", "partial"), ("0.95", "partial"), ("0.5", "pass")] {
        let pass: PassRule = rule.parse().unwrap();
        let mut scorer = TaskScorer::new().passing(pass.clone());
        run.criterion_runs.iter_mut().for_each(|criterion| criterion.task_pass = pass.clone());
        run.criterion_runs.iter().for_each(|criterion| scorer.add(&criterion.outcome().unwrap()));
        run.result = scorer.finish();
        let first: Value = candor_json::from_str(&shown(&run, Format::Json)).unwrap();
        assert_eq!(first["verdict"], verdict, "{rule}");
        let mut stored = StoredRuns::new(Limits::default());
        stored.read("runs", shown(&run, Format::Ndjson).as_bytes(), |_| {}).unwrap();
        let again: Value = candor_json::from_slice(&stored_score(&stored.finish(|_| {}), Format::Json, STYLE)).unwrap();
        for member in ["verdict", "pass", "passed_with_failures", "score", "interval", "conclusive"] {
            assert_eq!(again.get(member), first.get(member), "{rule}: {member}");
        }
    }
}

#[test]
fn text_is_a_table_with_what_failed_explained() {
    holds("table.text", shown(&usual(), Format::Text));
    let colored = task_run(&usual(), Format::Text, Style { color: true, width: 80 });
    assert!(String::from_utf8(colored).unwrap().contains("\u{1b}[31m✗\u{1b}[0m"));
}

#[test]
fn markdown_and_junit_list_the_same() {
    holds("list.md", shown(&usual(), Format::Markdown));
    holds("junit.xml", shown(&usual(), Format::Junit));
}

#[test]
fn json_is_the_contract_s_shape() {
    let value: Value = candor_json::from_str(&shown(&usual(), Format::Json)).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&value),
        [
            "task_run_id",
            "task_id",
            "phase",
            "verdict",
            "score",
            "interval",
            "coverage",
            "conclusive",
            "axes",
            "criterion_runs"
        ]
    );
    assert_eq!(value["interval"], json!([0.625, 0.875]));
    assert_eq!(value["verdict"], "partial");
    let half = &value["criterion_runs"][1];
    assert_eq!(
        names(half),
        [
            "id",
            "task_run_id",
            "criterion_id",
            "label",
            "axis",
            "weight",
            "status",
            "passed",
            "score",
            "share",
            "reason",
            "details",
            "evidence",
            "verifier_id",
            "started_at",
            "completed_at"
        ]
    );
    assert_eq!(half["evidence"]["field_results"][1]["source"], json!({"locator": "hl7/a.hl7", "span": [10, 15]}));
    assert_eq!(half["started_at"], "2026-11-20T10:00:00.000Z");
    assert_eq!(value["criterion_runs"][0]["gate"], true);
}

#[test]
fn a_hidden_rubric_stays_hidden_in_every_format() {
    let mut run = task("SECRET label", "SECRET details");
    run.scored = true;
    for name in Format::NAMES {
        let format = Format::named(name).unwrap();
        let text = shown(&run, format);
        for hidden in [
            "SECRET",
            "criterion_id",
            "half",
            "Half of it",
            "Smyth",
            "Smith",
            "field_mismatch",
            "timeout",
            "too long",
            "hl7/a.hl7",
        ] {
            assert!(!text.contains(hidden), "{format:?} gives {hidden} away:\n{text}");
        }
        // The page has a test of its own, and its style and script are in it.
        if format != Format::Html {
            holds(&format!("hidden.{name}"), text);
        }
    }
}

#[test]
fn what_is_written_is_read_back_to_the_same_verdict() {
    let run = usual();
    let mut stored = StoredRuns::new(Limits::default());
    stored.read("runs", shown(&run, Format::Ndjson).as_bytes(), |_| {}).unwrap();
    let score = stored.finish(|_| {});
    let again: Value = candor_json::from_slice(&stored_score(&score, Format::Json, STYLE)).unwrap();
    let first: Value = candor_json::from_str(&shown(&run, Format::Json)).unwrap();
    for member in ["verdict", "score", "interval", "coverage", "conclusive", "axes"] {
        assert_eq!(again[member], first[member], "{member}");
    }
    for format in Format::NAMES.iter().filter_map(|name| Format::named(name)) {
        assert!(!stored_score(&score, format, STYLE).is_empty());
    }
}

#[test]
fn a_benchmark_has_a_line_a_task() {
    let task_runs = vec![usual(), TaskRun { task_id: "u".to_owned(), ..usual() }, usual()];
    let mut scorer = BenchmarkScorer::new();
    task_runs.iter().for_each(|run| scorer.add(Some(&run.task_id), &run.result));
    let run = BenchmarkRun { id: "br_1".to_owned(), benchmark_id: "b".to_owned(), result: scorer.finish(), task_runs };
    holds("benchmark.text", String::from_utf8(benchmark_run(&run, Format::Text, STYLE)).unwrap());
    let value: Value = candor_json::from_slice(&benchmark_run(&run, Format::Json, STYLE)).unwrap();
    assert_eq!(value["task_runs"].as_array().unwrap().len(), 3);
    assert_eq!(benchmark_run(&run, Format::Ndjson, STYLE).iter().filter(|&&b| b == b'\n').count(), 9);
}

/// Says if a text is well-formed XML as far as this project's writer can go wrong: tags that nest, quoted attributes,
/// known entities, no character that XML 1.0 forbids.
fn well_formed(xml: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = xml;
    if let Some(c) = xml.chars().find(|&c| (c < ' ' && !"\t\n\r".contains(c)) || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        return Err(format!("forbidden character {c:?}"));
    }
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') {
            return Err(format!("a bare > in {:?}", &rest[..at]));
        }
        let mut quoted = false;
        let end = rest[at..]
            .char_indices()
            .find(|&(_, c)| {
                quoted ^= c == '"';
                c == '>' && !quoted
            })
            .map(|(i, _)| at + i)
            .ok_or("a tag without end")?;
        let tag = &rest[at + 1..end];
        if tag.contains('<') {
            return Err(format!("a < within {tag:?}"));
        }
        match tag {
            _ if tag.starts_with('?') || tag.ends_with('/') => {}
            _ if tag.starts_with('/') => {
                let name = open.pop().ok_or("an end without a start")?;
                if &tag[1..] != name {
                    return Err(format!("{tag} closes {name}"));
                }
            }
            _ => open.push(tag.split(' ').next().unwrap()),
        }
        rest = &rest[end + 1..];
    }
    for (at, _) in xml.match_indices('&') {
        let end = xml[at..].find(';').ok_or("an entity without end")?;
        let name = &xml[at + 1..at + end];
        if !["amp", "lt", "gt", "quot", "apos"].contains(&name) && !name.starts_with('#') {
            return Err(format!("the entity {name}"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} left open")) }
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[<>&\"'|`\\\\\\[\\]()!*_#:./@\u{1b}\u{7}\r\n\t\u{202e}\u{200b}a]{0,40}",
        Just("]]><script>alert(1)</script> | [x](javascript:y) \u{1b}[2J https://example.org".to_owned()),
    ]
}

proptest! {
    #[test]
    fn text_from_outside_does_no_harm(label in hostile(), details in hostile()) {
        let run = task(&label, &details);
        let text = shown(&run, Format::Text);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
        let xml = shown(&run, Format::Junit);
        prop_assert!(well_formed(&xml).is_ok(), "{:?}\n{xml}", well_formed(&xml));
        let markdown = shown(&run, Format::Markdown);
        for row in markdown.lines().filter(|line| line.starts_with("| ")) {
            prop_assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{}", row);
        }
        prop_assert!(!markdown.contains("<script") && !markdown.contains("://"));
        prop_assert_eq!(shown(&usual(), Format::Markdown).lines().count(), markdown.lines().count());
        prop_assert!(candor_json::from_str::<Value>(&shown(&run, Format::Json)).is_ok());
    }

    #[test]
    fn plain_text_stays_plain(text in any::<String>()) {
        let once = plain(&text);
        prop_assert!(!once.chars().any(char::is_control));
        prop_assert_eq!(plain(&once), once.clone());
    }
}

#[test]
fn every_reason_has_a_code_of_an_operation_outcome() {
    let failed = |failure: &Failure| Evidence::failed(*failure, Share::of(0, 1).unwrap(), Vec::new(), "x");
    let open = |obstacle: &Obstacle| Evidence::unverifiable(*obstacle, Vec::new(), "x");
    let all = Failure::ALL.iter().map(failed).chain(Obstacle::ALL.iter().map(open));
    let criterion_runs: Vec<CriterionRun> = all.map(|evidence| criterion("c", "C", None, "1", evidence)).collect();
    let count = criterion_runs.len();
    let run = TaskRun { criterion_runs, ..usual() };
    let outcome: Value = candor_json::from_str(&shown(&run, Format::OperationOutcome)).unwrap();
    let issues = outcome["issue"].as_array().unwrap();
    assert_eq!(issues.len(), count);
    for issue in issues {
        assert!(issue["code"].is_string() && issue["code"] != "processing", "{issue}");
    }
}
