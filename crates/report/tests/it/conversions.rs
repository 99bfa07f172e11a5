//! A stored result in every format: none loses a criterion or a status, each is valid by somebody else's definition, and
//! nothing in it is taken for anything but text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use candor_json::{Value, json};
use candor_report::model::{Stored, StoredReadError};
use candor_report::{Format, Style, stored};
use proptest::prelude::*;

const STYLE: Style = Style { color: false, width: 120 };

fn root(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn shown(result: &Value, format: Format) -> String {
    String::from_utf8(stored(result.to_string().as_bytes(), format, STYLE).unwrap()).unwrap()
}

fn criterion(id: usize, status: &str, text: &str) -> Value {
    let reason = match status {
        "passed" => Value::Null,
        "failed" => json!("field_mismatch"),
        _ => json!("timeout"),
    };
    let passed = status == "passed";
    json!({
        "id": format!("cr_{id}"), "task_run_id": "tr_1", "criterion_id": format!("criterion-{id}"), "label": text,
        "axis": text, "weight": 1, "status": status, "passed": passed, "score": if passed { 1.0 } else { 0.0 },
        "reason": reason, "details": text,
        "evidence": {
            "fieldResults": [
                {"path": text, "expected": text, "actual": [text], "passed": passed, "op": text, "rule": [text], "reason": text,
                 "source": {"locator": text, "span": [0, 9]}},
                {"phrase": text, "found": true, "turn": 1, "passed": passed, "forbidden": false, "quote": text, "reason": text},
            ],
            "candidates": {"considered": 3, "matched": 1, "nearest": {
                "locator": text, "span": [0, 9], "label": text, "matched": 1, "of": 2,
                "first_mismatch": {"path": text, "expected": {text: text}, "actual": null, "passed": false},
            }},
            "sources": [{"locator": text, "sha256": text, "span": [0, 9]}],
        },
        "verifier_id": text, "started_at": text, "completed_at": "2026-11-20T10:00:00.000Z",
    })
}

fn task(statuses: &[&str], text: &str) -> Value {
    let runs: Vec<Value> = statuses.iter().enumerate().map(|(id, status)| criterion(id, status, text)).collect();
    json!({
        "task_run_id": "tr_1", "task_id": text, "phase": "completed", "verdict": "partial", "score": 0.5,
        "interval": [0.25, 0.75], "coverage": 0.5, "conclusive": false,
        "axes": {text: {"score": 0.5, "weight": 2, "interval": [0.5, 0.5], "coverage": 1.0}}, "criterion_runs": runs,
    })
}

fn benchmark(runs: Vec<Value>, text: &str) -> Value {
    json!({
        "benchmark_run_id": "br_1", "benchmark_id": text, "phase": "completed", "verdict": "partial", "score": 0.5,
        "interval": [0.5, 0.5], "coverage": 1.0, "conclusive": true, "axes": {}, "tasks": runs.len(),
        "verdicts": {"pass": 0, "partial": runs.len(), "fail": 0, "inconclusive": 0}, "task_runs": runs,
    })
}

/// How many criteria of each status a format holds, in the order passed, failed, unverifiable.
fn counted(format: Format, text: &str) -> [usize; 3] {
    let json = || candor_json::from_str::<Value>(text).unwrap();
    let count = |needles: [&str; 3]| needles.map(|needle| text.matches(needle).count());
    let list = |values: Vec<Value>, name: &str, words: [&str; 3]| {
        words.map(|word| values.iter().filter(|one| one[name] == word).count())
    };
    match format {
        Format::Text => count([" ✓ ", " ✗ ", " ? "]),
        Format::Json => {
            list(json()["criterion_runs"].as_array().unwrap().clone(), "status", ["passed", "failed", "unverifiable"])
        }
        Format::Ndjson => list(
            text.lines().map(|line| candor_json::from_str(line).unwrap()).collect(),
            "status",
            ["passed", "failed", "unverifiable"],
        ),
        Format::Junit => {
            let [all, failed, open] = count(["<testcase ", "<failure ", "<error "]);
            [all - failed - open, failed, open]
        }
        Format::Markdown => count(["| ✓ |", "| ✗ |", "| ? |"]),
        Format::Html => count([
            "<details class=\"criterion pass\"",
            "<details class=\"criterion fail\"",
            "<details class=\"criterion open\"",
        ]),
        Format::Sarif => {
            list(json()["runs"][0]["results"].as_array().unwrap().clone(), "kind", ["pass", "fail", "open"])
        }
        Format::Testreport => {
            let tests = json()["test"].as_array().cloned().unwrap_or_default();
            list(
                tests.iter().map(|test| test["action"][0]["assert"].clone()).collect(),
                "result",
                ["pass", "fail", "error"],
            )
        }
        Format::OperationOutcome => {
            list(json()["issue"].as_array().unwrap().clone(), "severity", ["information", "error", "warning"])
        }
        Format::Csv => {
            let rows = csv::Reader::from_reader(text.as_bytes()).into_records().map(Result::unwrap);
            let seen: BTreeSet<(String, String)> = rows.map(|row| (row[1].to_owned(), row[5].to_owned())).collect();
            ["passed", "failed", "unverifiable"].map(|word| seen.iter().filter(|(_, status)| status == word).count())
        }
        // Criteria that passed are left out.
        Format::Github => count(["::notice ", "::error ", "::warning "]),
    }
}

fn formats() -> impl Iterator<Item = Format> {
    Format::NAMES.iter().filter_map(|name| Format::named(name)).filter(|format| format.is_built())
}

fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(candor_test_size::pick(48, 1000))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_format_loses_a_criterion_or_a_status(
        statuses in prop::collection::vec(prop::sample::select(vec!["passed", "failed", "unverifiable"]), 1..12)
    ) {
        let result = task(&statuses, "plain");
        let wanted = ["passed", "failed", "unverifiable"].map(|name| statuses.iter().filter(|one| **one == name).count());
        for format in formats() {
            let text = shown(&result, format);
            let [passed, failed, open] = wanted;
            let wanted = if format == Format::Github { [0, failed, open] } else { [passed, failed, open] };
            prop_assert_eq!(counted(format, &text), wanted, "{:?}: {}", format, text);
        }
    }
}

/// Markup, right-to-left marks, control characters, links: what evidence may hold.
const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`]]>&amp;\u{202e}gnirts\u{2066}\u{200b}\u{1b}[2J\u{7}\u{0}\r\n\t[a](javascript:b) https://elsewhere.example/x";

#[test]
fn a_page_shows_every_text_and_obeys_none() {
    let audit = json!({
        "task_id": HOSTILE, "seed": 1, "mutants": 1, "grade": "weak", "findings": [{"message": HOSTILE}],
        "totals": {"leaf": {"killed": 1, "tried": 1}},
        "criteria": [{"criterion_id": HOSTILE, "status": "passed", "details": HOSTILE, "null": HOSTILE, "baseline": HOSTILE,
            "influence": HOSTILE, "order": HOSTILE, "grade": HOSTILE, "leaf": {"killed": 1, "tried": 2},
            "survivors": [{"probe": HOSTILE, "operator": HOSTILE, "sentence": HOSTILE, "locator": HOSTILE, "before": HOSTILE,
                "after": HOSTILE, "accepted": HOSTILE, "suggestion": {HOSTILE: HOSTILE}}]}],
    });
    let difference = json!({
        "added": 1, "removed": 0, "changed": 1, "unread": [{"part": HOSTILE, "side": "after", "place": HOSTILE, "what": HOSTILE}],
        "records": [{"part": HOSTILE, "record": HOSTILE, "change": HOSTILE, "fields": [{"path": HOSTILE, "before": HOSTILE, "after": HOSTILE}]}],
    });
    let record = json!({
        "loop_id": "lp_1", "task_id": HOSTILE, "outcome": "verification_failed", "reason": HOSTILE, "first_score": 0.5, "last_score": 0.5,
        "attempts": [{"attempt": 0, "outcome": "failed", "score": 0.5, "claim": {"response": HOSTILE}, "delegate_error": HOSTILE,
            "reason": HOSTILE, "flags": [HOSTILE], "task_run": task(&["failed"], HOSTILE)}],
        "escalation": {"open_criteria": [{"label": HOSTILE, "evidence_gap": HOSTILE}]},
    });
    let statuses = ["passed", "failed", "unverifiable"];
    let tasks = vec![task(&statuses, HOSTILE), task(&statuses, HOSTILE)];
    for result in [task(&statuses, HOSTILE), benchmark(tasks, HOSTILE), audit, difference, record, validation(HOSTILE)]
    {
        let page = shown(&result, Format::Html);
        let body = &page[page.find("<body>").unwrap()..page.rfind("<script>").unwrap()];
        for harm in [
            "<script",
            "<img",
            "onerror=alert(1)>",
            "javascript:b)\"",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\u{1b}",
            "\u{7}",
            "\0",
            "\r",
        ] {
            assert!(!body.contains(harm), "{harm:?} in {body}");
        }
        for seen in ["&lt;script&gt;alert(1)&lt;/script&gt;", "\\u{202e}", "\\u{1b}"] {
            assert!(body.contains(seen), "{seen} is not in {body}");
        }
        let hrefs = body.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        hrefs.for_each(|href| assert!(href.starts_with('#'), "{href}"));
        assert!(!body.contains(" style="), "an inline style");
        for format in formats().filter(|format| *format != Format::Html) {
            let Ok(bytes) = stored(result.to_string().as_bytes(), format, STYLE) else { continue };
            let text = String::from_utf8(bytes).unwrap();
            assert!(
                !text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}')
                    || matches!(format, Format::Json | Format::Ndjson),
                "{format:?}: {text}"
            );
        }
    }
}

/// 10 MB in every text of a result: each is cut, and the cut is named.
#[test]
fn values_of_ten_megabytes_are_cut_in_every_field() {
    let text = format!("<b>{}", "y".repeat(candor_test_size::pick(1 << 20, 10 << 20)));
    let one = task(&["failed", "unverifiable"], &text);
    for result in [one.clone(), benchmark(vec![one], &text), validation(&text)] {
        let page = shown(&result, Format::Html);
        assert!(page.len() < 3 << 20, "{}", page.len());
        assert!(page.contains("cut: ") && !page.contains("<b>y"), "{}", &page[..2000]);
    }
}

#[test]
fn the_policy_of_a_page_allows_its_own_style_and_script_alone() {
    let page = shown(&task(&["failed"], "x"), Format::Html);
    let policy = candor_report::page::content_security_policy();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    assert!(page.contains("http-equiv=\"Content-Security-Policy\""));
    assert!(!page.contains("http://") && !page.contains("https://"));
}

/// A benchmark of tasks of 20 criteria.
fn large(tasks: usize, is_red: impl Fn(usize) -> bool) -> Value {
    let text = "a text of some length that evidence may well have";
    let statuses: Vec<&str> = (0..20).map(|n| if is_red(n) { "failed" } else { "passed" }).collect();
    let numbered = |n: usize| {
        let mut task = task(&statuses, text);
        task["task_id"] = json!(format!("task-{n}"));
        task
    };
    benchmark((0..tasks).map(numbered).collect(), "large")
}

/// A file has every criterion that did not pass, with the first of its results, and is at most 8 MB.
#[test]
fn a_large_benchmark_is_one_file() {
    let third: fn(usize) -> bool = |n| n % 3 == 0;
    let one: fn(usize) -> bool = |n| n == 7;
    let cases = [(third, true), (one, false), (|_| true, true)];
    for (is_red, are_cut) in cases.into_iter().take(candor_test_size::pick(1, 3)) {
        let page = shown(&large(1000, is_red), Format::Html);
        assert!(page.len() < 8_000_000, "{}", page.len());
        let ids: BTreeSet<&str> =
            page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect();
        for task in [0, 1, 500, 999] {
            for criterion in (0..20).filter(|n| is_red(*n)) {
                let id = format!("t{task}-c-criterion-{criterion}");
                assert!(ids.contains(id.as_str()), "{id} is not on the page");
                assert!(page.contains(&format!("href=\"#{id}\"")), "nothing leads to {id}");
            }
        }
        let brief = page.matches("<p class=\"brief fail\"").count();
        let whole = page.matches("<details class=\"criterion fail\"").count();
        assert_eq!(brief + whole, 1000 * (0..20).filter(|n| is_red(*n)).count());
        assert_eq!(page.contains(&format!("{brief} criteria have one line each")), are_cut, "{brief}");
        assert!(whole >= 20 && !page.contains("Page 1 of"), "{whole}");
    }
    let few =
        json!({"criterion_id": "c", "label": "C", "weight": 1, "status": "failed", "score": 0.0, "details": "No."});
    let few = json!({"verdict": "fail", "score": 0.0, "criterion_runs": [few]});
    let page = shown(&benchmark(vec![few; 1001], "larger"), Format::Html);
    assert!(page.contains("Page 1 of 2, 1001 task runs") && page.contains("--page 2"));
}

/// A page of a service has 100 task runs, and at most a megabyte.
#[test]
fn a_large_benchmark_is_paged_by_a_service() {
    let hundreds = candor_test_size::pick(4, 10);
    let Stored::Benchmark(run) = Stored::of(large(hundreds * 100, |n| n % 3 == 0)).unwrap() else { panic!() };
    let site = candor_report::page::site::Site::default();
    let context = candor_report::page::Context { shape: candor_report::page::Shape::Site(&site), ..Default::default() };
    let page = candor_report::page::benchmark_run(&run, &Default::default(), &context);
    assert!(page.len() < 1 << 20, "{}", page.len());
    assert!(
        page.contains(&format!("Page 1 of {hundreds}"))
            && page.contains("more criteria did not pass and are not shown here")
    );
    let filter = candor_report::page::Filter { text: Some("TASK-299".to_owned()), ..Default::default() };
    let one = candor_report::page::benchmark_run(&run, &filter, &context);
    assert!(one.contains(">task-299<") && !one.contains(">task-298<"));
    assert_eq!(candor_report::page::shown(&run, &Default::default()).len(), 100);
}

/// 300 red tasks, whose criteria have ids of their own or the same ids.
fn three_causes(id: fn(usize, &str) -> String) -> Value {
    let paths = ["OBR.4.1", "PID.3.1", "status"];
    let red = |n: usize| {
        let mut task = task(&["passed", "failed"], "plain");
        let path = paths[n % 3];
        task["task_id"] = json!(format!("task-{n}"));
        let one = &mut task["criterion_runs"][1];
        one["criterion_id"] = json!(id(n, path));
        one["details"] = json!(format!("{path} of task {n} is wrong."));
        one["evidence"]["fieldResults"] = json!([
            {"path": "ORC.1", "expected": "NW", "actual": "NW", "passed": true},
            {"path": path, "expected": "a", "actual": "b", "passed": false, "source": {"locator": "hl7/a.hl7", "span": [0, 1]}},
        ]);
        one["evidence"]["sources"] = json!([{"locator": "hl7/a.hl7", "sha256": "00"}]);
        task
    };
    benchmark((0..300).map(red).collect(), "three")
}

#[test]
fn three_hundred_red_tasks_are_three_causes() {
    for result in [three_causes(|n, _| format!("criterion-of-{n}")), three_causes(|_, path| format!("c-{path}"))] {
        let page = shown(&result, Format::Html);
        assert!(page.contains("300 criteria did not pass, for 3 causes"), "{page}");
        assert_eq!(page.matches(">100 ×</span>").count(), 3);
        for said in ["at <code>OBR.4.1</code>", "For example: PID.3.1 of task 1 is wrong.", ">task-33</a> and 88 more"]
        {
            assert!(page.contains(said), "{said} is not on the page");
        }
        let markdown = shown(&result, Format::Markdown);
        let causes: Vec<&str> = markdown.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(causes.len(), 3, "{markdown}");
        assert_eq!(
            causes[2],
            "- **100 × plain** (`field_mismatch` at `status`) in task-2, task-5, task-8, task-11, task-14 and 95 more: \
             status of task 2 is wrong."
        );
        assert!(markdown.len() < 1 << 16, "{}", markdown.len());
    }
    // A reason of its own is a cause of its own.
    let mut result = three_causes(|_, path| format!("c-{path}"));
    result["task_runs"][0]["criterion_runs"][1]["reason"] = json!("no_candidate");
    assert!(shown(&result, Format::Html).contains("300 criteria did not pass, for 4 causes"));
    // Nothing is grouped where every criterion has a cause of its own.
    assert!(!shown(&benchmark(vec![task(&["failed", "failed"], "a")], "one"), Format::Html).contains("for 2 causes"));
}

/// 2,000 task runs: those that did not pass are among the rows that fit.
#[test]
fn markdown_of_a_large_benchmark_fits_a_pull_request() {
    let numbered = |n: usize| {
        let is_red = n >= 1990;
        let mut task = task(&[if is_red { "failed" } else { "passed" }], "plain");
        task["task_id"] = json!(format!("a-task-of-the-benchmark-{n}"));
        task["verdict"] = json!(if is_red { "fail" } else { "pass" });
        task["conclusive"] = json!(true);
        task
    };
    let markdown = shown(&benchmark((0..2000).map(numbered).collect(), "large"), Format::Markdown);
    assert!(markdown.len() < 1 << 16, "{}", markdown.len());
    assert_eq!(markdown.matches("| ✗ |").count(), 10, "{markdown}");
    assert!(markdown.contains("more task runs do not fit"), "{markdown}");
}

#[test]
fn markdown_of_a_large_difference_fits_a_pull_request() {
    let record = |n: usize| json!({"part": "portal", "record": format!("orders/{n}"), "change": "added"});
    let records: Vec<Value> = (0..5000).map(record).collect();
    let difference = json!({"added": 5000, "removed": 0, "changed": 0, "records": records});
    let markdown = shown(&difference, Format::Markdown);
    let rows = markdown.matches("| + | portal&#58;orders/").count();
    assert!(markdown.len() < 1 << 16 && rows > 1000, "{rows} rows: {}", &markdown[..500]);
    assert!(markdown.ends_with(&format!("{} more lines do not fit: other formats have them.\n", 5000 - rows)));
}

/// A result of `candor validate`.
fn validation(text: &str) -> Value {
    let finding = |severity: &str, line: Value| {
        json!({"code": "IK403:7", "rule": text, "severity": severity, "unit": text, "path": text, "line": line,
            "offset": 1, "expected": text, "found": text})
    };
    let findings = [finding("error", json!(25)), finding("error", json!(26)), finding("warning", Value::Null)];
    json!({"valid": false, "skipped": [text], "files": [
        {"file": text, "standard": "X12", "units": [text, text], "findings": findings, "more_findings": 2, "not_looked_at": [text]},
        {"file": "b.json", "standard": "FHIR", "units": [], "findings": [], "more_findings": 0, "not_looked_at": []},
    ]})
}

#[test]
fn a_validation_is_a_page_and_markdown() {
    let page = shown(&validation("CLM05-2"), Format::Html);
    for said in ["NOT VALID", "4 errors", "1 warning", ">25</td>", ">2 ×</span>", "first in CLM05-2, line 25", "b.json"]
    {
        assert!(page.contains(said), "{said} is not in {page}");
    }
    assert!(page.contains("2 more findings are not shown here"));
    let markdown = shown(&validation("CLM05-2"), Format::Markdown);
    assert!(markdown.starts_with("**not valid**: 2 files, 4 errors, 1 warning.\n"), "{markdown}");
    assert!(markdown.contains("| ✗ | CLM05-2 | X12 | 4 | 1 |\n| ✓ | b.json | FHIR | 0 | 0 |\n"), "{markdown}");
    let line = "- 2 × error `IK403&#58;7`";
    assert!(markdown.contains(line) || markdown.contains("- 2 × error IK403&#58;7"), "{markdown}");
    let refused = stored(validation("a").to_string().as_bytes(), Format::Sarif, STYLE).unwrap_err();
    assert!(refused.starts_with("a validation is written as"), "{refused}");
}

/// A comment of a pull request holds 65,536 characters.
#[test]
fn markdown_fits_a_pull_request() {
    let mut result = task(&["failed"; 150], "short");
    for run in result["criterion_runs"].as_array_mut().unwrap() {
        run["details"] = json!("It is another one, and the sentence goes on. ".repeat(20));
    }
    let markdown = shown(&result, Format::Markdown);
    assert!(markdown.len() < 1 << 16, "{}", markdown.len());
    assert_eq!(counted(Format::Markdown, &markdown), [0, 150, 0]);
    assert!(markdown.contains("more, whose sentences do not fit"), "{markdown}");
}

#[test]
fn sarif_is_valid_by_the_schema() {
    // The validator takes values of another crate.
    let plain = |value: &Value| serde_json::to_value(value).unwrap();
    let schema = serde_json::from_str(&root("conformance/report/sarif-schema-2.1.0.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let check = |log: &Value| {
        let value = plain(log);
        let wrong: Vec<String> =
            validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{log:#}");
    };
    for result in [
        task(&["passed", "failed", "unverifiable"], HOSTILE),
        benchmark(vec![task(&["failed"], "a"), task(&[], "")], ""),
    ] {
        check(&candor_json::from_str(&shown(&result, Format::Sarif)).unwrap());
    }
    for name in ["bench.json", "elr.json", "open.json", "hidden.json"] {
        let golden = root(&format!("tests/golden/{name}"));
        check(&candor_json::from_slice(&stored(golden.as_bytes(), Format::Sarif, STYLE).unwrap()).unwrap());
    }
    let finding = candor_report::sarif::FileFinding {
        file: "tasks/a b.yaml".to_owned(),
        position: Some((3, 7)),
        severity: "warning",
        code: "always-passes".to_owned(),
        message: "It cannot fail.".to_owned(),
    };
    let log = candor_report::sarif::findings(&[finding]);
    check(&log);
    let region = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        region,
        &json!({"artifactLocation": {"uri": "tasks/a%20b.yaml"}, "region": {"startLine": 3, "startColumn": 7}})
    );
    // The schema is able to refuse.
    let mut wrong = log.clone();
    wrong["runs"][0]["results"][0]["level"] = json!("terrible");
    assert!(!validator.is_valid(&plain(&wrong)));
}

#[test]
fn a_locator_is_a_reference_in_sarif() {
    for (locator, reference) in [
        ("fhir/a b%.json", "fhir/a%20b%25.json"),
        ("https://fhir.example/Patient?name=Ä", "https://fhir.example/Patient?name=%C3%84"),
        ("javascript:alert(1)", "javascript%3Aalert(1)"),
        ("//elsewhere/x", "%2F/elsewhere/x"),
    ] {
        let finding = candor_report::sarif::FileFinding {
            file: locator.to_owned(),
            position: None,
            severity: "warning",
            code: "always-passes".to_owned(),
            message: "It cannot fail.".to_owned(),
        };
        let log = candor_report::sarif::findings(&[finding]);
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], reference);
    }
}

/// Elements by type, out of the table that FHIRPath follows: name, and whether it repeats.
fn elements() -> BTreeMap<String, BTreeMap<String, (String, bool)>> {
    let mut types = BTreeMap::new();
    let table = root("crates/fhirpath/data/r4-elements.tsv");
    for line in table.lines() {
        let mut columns = line.split('\t');
        let (name, _parent, list) = (columns.next().unwrap(), columns.next(), columns.next().unwrap_or_default());
        let elements: BTreeMap<String, (String, bool)> = list
            .split(' ')
            .filter_map(|element| element.split_once(':'))
            .map(|(name, kind)| (name.to_owned(), (kind.trim_end_matches('*').to_owned(), kind.ends_with('*'))))
            .collect();
        types.insert(name.to_owned(), elements);
    }
    types
}

fn check_fhir(types: &BTreeMap<String, BTreeMap<String, (String, bool)>>, kind: &str, value: &Value) {
    let known = types.get(kind).unwrap_or_else(|| panic!("no type {kind}"));
    for (name, member) in value.as_object().unwrap_or_else(|| panic!("{kind} is {value}")) {
        if name == "resourceType" {
            continue;
        }
        let (element, repeats) = known.get(name).unwrap_or_else(|| panic!("{kind} has no {name}"));
        assert_eq!(member.is_array(), *repeats, "{kind}.{name}");
        let items = member.as_array().cloned().unwrap_or_else(|| vec![member.clone()]);
        assert!(!items.is_empty(), "{kind}.{name} is empty");
        for item in items {
            let inner = match element.strip_prefix('#') {
                Some(other) => other.to_owned(),
                None if element == "." => format!("{kind}.{name}"),
                None => element.clone(),
            };
            match item {
                Value::Object(_) if inner == "Resource" => {
                    check_fhir(types, item["resourceType"].as_str().unwrap(), &item)
                }
                Value::Object(_) => check_fhir(types, &inner, &item),
                Value::String(text) => {
                    assert!(!text.trim().is_empty() && !text.chars().any(char::is_control), "{kind}.{name}: {text:?}");
                    assert!(inner.starts_with(|c: char| c.is_lowercase()), "{kind}.{name} is a text, expected {inner}");
                }
                Value::Number(_) => assert_eq!(inner, "decimal", "{kind}.{name}"),
                other => panic!("{kind}.{name}: {other}"),
            }
        }
    }
}

#[test]
fn fhir_resources_have_the_elements_of_r4() {
    let types = elements();
    let results = [
        task(&["passed", "failed", "unverifiable"], HOSTILE),
        task(&[], " "),
        benchmark(vec![task(&["failed"], "a"), task(&["passed"], "b")], "b"),
        benchmark(Vec::new(), "empty"),
    ];
    for result in results {
        for format in [Format::Testreport, Format::OperationOutcome] {
            let resource: Value = candor_json::from_str(&shown(&result, format)).unwrap();
            check_fhir(&types, resource["resourceType"].as_str().unwrap(), &resource);
        }
    }
    let codes = root("crates/fhirpath/data/required-codes.tsv");
    let line = codes.lines().find(|line| line.starts_with("OperationOutcome.issue.code\t")).unwrap();
    let known: BTreeSet<&str> = line.split('\t').nth(1).unwrap().split(' ').collect();
    let outcome: Value =
        candor_json::from_str(&shown(&task(&["passed", "failed", "unverifiable"], "x"), Format::OperationOutcome))
            .unwrap();
    for issue in outcome["issue"].as_array().unwrap() {
        assert!(known.contains(issue["code"].as_str().unwrap()), "{issue}");
    }
}

#[test]
fn stored_results_are_written_in_every_format() {
    for name in [
        "dose.json",
        "open.json",
        "elr.json",
        "bench.json",
        "hidden.json",
        "loop.json",
        "dose.ndjson",
        "bench.ndjson",
        "bench.score.json",
        "open.score.json",
    ] {
        let golden = root(&format!("tests/golden/{name}"));
        for format in formats() {
            match stored(golden.as_bytes(), format, STYLE) {
                Ok(bytes) => assert!(!bytes.is_empty(), "{name}, {format:?}"),
                Err(error) => {
                    assert!(name == "loop.json" && error.contains("is written as"), "{name}, {format:?}: {error}")
                }
            }
        }
    }
    let (one, lines) = (root("tests/golden/open.json"), root("tests/golden/open.ndjson"));
    let scored = |text: &str| {
        let value: Value = candor_json::from_slice(&stored(text.as_bytes(), Format::Json, STYLE).unwrap()).unwrap();
        (value["verdict"].clone(), value["score"].clone(), value["criterion_runs"].as_array().unwrap().len())
    };
    assert_eq!(scored(&one), scored(&lines));
}

#[test]
fn what_is_no_result_is_refused_with_its_place() {
    let refused = |text: &str| stored(text.as_bytes(), Format::Text, STYLE).unwrap_err();
    assert_eq!(refused(""), "the file is empty, expected a stored result");
    assert!(refused("{").starts_with("1:1: this is not JSON: "), "{}", refused("{"));
    assert!(refused("{}").starts_with("this is not a stored result: expected what `check`"));
    assert!(refused("[1]").starts_with("this is not a stored result"));
    assert_eq!(
        refused(r#"{"verdict": "good", "score": 1}"#),
        "verdict: found \"good\", expected pass, partial or fail"
    );
    assert_eq!(
        refused(r#"{"verdict": "pass", "score": 1, "criterion_runs": [{"criterion_id": "a", "status": "passed"}]}"#),
        "criterion_runs[0].score: found nothing, expected a number"
    );
    assert_eq!(Stored::read(b"{\"a\": 1}\n{\"b\": 2}").unwrap_err(), StoredReadError::Lines { number: 1 });
    let audit = json!({"task_id": "t", "grade": "weak", "criteria": []});
    assert_eq!(
        stored(audit.to_string().as_bytes(), Format::Testreport, STYLE).unwrap_err(),
        "an audit is written as text, json, ndjson, junit, markdown, html or sarif, not as testreport"
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[{}\\[\\]\":,a-z0-9 ]{0,80}") {
        let _ = Stored::read(&bytes);
        let _ = Stored::read(text.as_bytes());
    }

    #[test]
    fn no_shape_of_evidence_breaks_a_page(path in "\\PC{0,20}|[A-Z]{3}\\.[0-9.]{0,5}", value in "\\PC{0,20}", start in any::<u64>(), end in any::<u64>()) {
        let mut result = task(&["failed"], "x");
        let evidence = json!({
            "field_results": [{"path": path, "expected": value, "actual": {value.clone(): [value.clone()]}, "source": {"locator": "hl7/a", "span": [start, end]}}, 1, null],
            "candidates": {"nearest": {"locator": 3}}, "sources": [{"locator": "x12/a"}, 7],
        });
        result["criterion_runs"][0]["evidence"] = evidence;
        for format in formats() {
            prop_assert!(!shown(&result, format).is_empty());
        }
    }
}
