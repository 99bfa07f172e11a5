//! Results by the definitions and in the programs of others: the schema of Jenkins, the FHIR models of fhir.resources, and
//! a browser.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use candor_tests::candor;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Markup, right-to-left marks, control characters: what evidence may hold.
const HOSTILE: &str = "<script>alert(1)</script><img src=https://elsewhere.example/x onerror=alert(1)>\"'&\u{202e}gnirts\u{1b}[2J\u{7}\r\n\t";

/// Runs the program at the root of the project; what it writes is at the end of its arguments.
fn written(folder: &Path, name: &str, args: &[&str]) -> PathBuf {
    let file = folder.join(name);
    let output = Command::new(candor()).args(args).arg("--out").arg(&file).current_dir(ROOT).output().unwrap();
    let code = output.status.code().unwrap();
    assert!([0, 1, 3].contains(&code) && file.is_file(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    file
}

fn check(sandbox: &str) -> [String; 4] {
    let example = "fixtures/examples/prior-auth";
    ["check".into(), format!("{example}/task.yaml"), "--sandbox".into(), format!("{example}/{sandbox}")]
}

/// A task run with hostile text in every member.
fn hostile(folder: &Path) -> PathBuf {
    let text = HOSTILE;
    let result = candor_json::json!({
        "task_run_id": text, "task_id": text, "phase": text, "verdict": "fail", "score": 0, "interval": [0.25, 0.75],
        "coverage": 0.5, "conclusive": true, "axes": {text: {"score": 0.5, "weight": 1}},
        "criterion_runs": [{
            "id": text, "task_run_id": text, "criterion_id": text, "label": text, "axis": text, "weight": 1, "status": "failed",
            "score": 0, "reason": text, "details": text, "verifier_id": text,
            "evidence": {"field_results": [{"path": text, "expected": text, "actual": [text], "passed": false, "op": text, "reason": text,
                "source": {"locator": text, "span": [0, 1]}}],
                "candidates": {"considered": 1, "matched": 0, "nearest": {"locator": text, "label": text, "matched": 0, "of": 1,
                    "first_mismatch": {"path": text, "expected": text, "actual": null, "passed": false}}},
                "sources": [{"locator": text, "sha256": text}]},
        }],
    });
    let file = folder.join("hostile.json");
    fs::write(&file, result.to_string()).unwrap();
    file
}

/// A benchmark of two such task runs, which have one cause.
fn hostile_benchmark(folder: &Path) -> PathBuf {
    let run: candor_json::Value = candor_json::from_slice(&fs::read(hostile(folder)).unwrap()).unwrap();
    let result = candor_json::json!({"benchmark_run_id": HOSTILE, "benchmark_id": HOSTILE, "verdict": "fail", "score": 0,
        "task_runs": [run, run]});
    let file = folder.join("hostile-benchmark.json");
    fs::write(&file, result.to_string()).unwrap();
    file
}

/// A validation with hostile text in every member.
fn hostile_validation(folder: &Path) -> PathBuf {
    let text = HOSTILE;
    let finding = candor_json::json!({"code": text, "rule": text, "severity": "error", "unit": text, "path": text, "line": 3,
        "expected": text, "found": text});
    let of_file = candor_json::json!({"file": text, "standard": text, "units": [text], "findings": [finding, finding],
        "more_findings": 2, "not_looked_at": [text]});
    let file = folder.join("hostile-validation.json");
    fs::write(&file, candor_json::json!({"valid": false, "files": [of_file], "skipped": [text]}).to_string()).unwrap();
    file
}

#[test]
fn results_are_valid_by_the_definitions_of_others() {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON").expect(
        "`cargo xtask test` installs the validators in Python and names their interpreter in CANDOR_PEERS_PYTHON",
    );
    let folder = tempfile::tempdir().unwrap();
    let wrong = check("done-wrong");
    let mut files = Vec::new();
    let hostile = hostile(folder.path());
    for format in ["junit", "testreport", "operationoutcome"] {
        let ending = |name: &str| format!("{name}.{format}");
        let with_format = |args: &[&str]| {
            let args: Vec<String> =
                args.iter().map(|&arg| arg.to_owned()).chain(["--format".into(), format.into()]).collect();
            args
        };
        let run = |name: &str, args: &[&str]| {
            let args = with_format(args);
            written(folder.path(), &ending(name), &args.iter().map(String::as_str).collect::<Vec<_>>())
        };
        files.push(run("task", &wrong.each_ref().map(String::as_str)));
        files.push(run("bench", &["bench", "fixtures/examples/bench.yaml"]));
        files.push(run("hidden", &["report", "tests/golden/hidden.json"]));
        files.push(run("score", &["score", "tests/golden/bench.ndjson"]));
        files.push(run("hostile", &["report", hostile.to_str().unwrap()]));
    }
    let script = Path::new(ROOT).join("tests/peers/report_formats.py");
    let schema = Path::new(ROOT).join("conformance/report/junit-10.xsd");
    let output = Command::new(python).arg(script).arg(schema).args(&files).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().filter(|line| line.starts_with("valid ")).count(), 15, "{said}");
}

#[test]
fn pages_hold_in_a_browser() {
    let modules = std::env::var_os("CANDOR_PEERS_NODE")
        .expect("`cargo xtask test` installs axe and Playwright and names their folder in CANDOR_PEERS_NODE");
    let chromium = std::env::var_os("CANDOR_PEERS_CHROMIUM")
        .expect("`cargo xtask test` installs Chromium and names it in CANDOR_PEERS_CHROMIUM");
    let folder = tempfile::tempdir().unwrap();
    let page = |name: &str, args: &[&str]| {
        let args: Vec<&str> = args.iter().copied().chain(["--format", "html"]).collect();
        written(folder.path(), name, &args)
    };
    let (right, wrong) = (check("done-right"), check("done-wrong"));
    let (right, wrong) = (right.each_ref().map(String::as_str), wrong.each_ref().map(String::as_str));
    let before = written(folder.path(), "right.json", &[&right[..], &["--format", "json"]].concat());
    let after = written(folder.path(), "wrong.json", &[&wrong[..], &["--format", "json"]].concat());
    let order = "fixtures/examples/medication-order";
    let (task, sandbox) = (format!("{order}/task.yaml"), format!("{order}/done-right"));
    let pages = [
        page("task.html", &wrong),
        page("bench.html", &["bench", "fixtures/examples/bench.yaml"]),
        page("audit.html", &["audit", &task, "--sandbox", &sandbox]),
        page(
            "difference.html",
            &["diff", "fixtures/examples/prior-auth/done-right", "fixtures/examples/prior-auth/done-wrong"],
        ),
        page("comparison.html", &["report", after.to_str().unwrap(), "--against", before.to_str().unwrap()]),
        page("loop.html", &["report", "tests/golden/loop.json"]),
        page("validation.html", &["validate", "tests/cli/validate.in/claims.x12", "tests/cli/validate.in/admit.hl7"]),
        page("hostile.html", &["report", hostile(folder.path()).to_str().unwrap()]),
        page("hostile-benchmark.html", &["report", hostile_benchmark(folder.path()).to_str().unwrap()]),
        page("hostile-validation.html", &["report", hostile_validation(folder.path()).to_str().unwrap()]),
    ];
    let looked = |size: &str, pages: &[PathBuf]| {
        Command::new("node")
            .arg(Path::new(ROOT).join("tests/peers/report_pages.cjs"))
            .arg(size)
            .args(pages)
            .env("NODE_PATH", &modules)
            .env("CANDOR_PEERS_CHROMIUM", &chromium)
            .output()
            .unwrap()
    };
    let output = looked(candor_test_size::pick("small", "full"), &pages);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));

    // What looks is able to see: a request, pale text, and something without a name.
    let broken = fs::read_to_string(&pages[2]).unwrap();
    let broken = broken.replacen(
        "<footer>",
        "<img src=\"https://elsewhere.example/x\"><footer><p><font color=\"#eeeeee\">pale</font></p>",
        1,
    );
    let file = folder.path().join("broken.html");
    fs::write(&file, broken).unwrap();
    let output = looked("small", &[file]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "{said}");
    for sign in ["image-alt", "the console says"] {
        assert!(said.contains(sign), "{sign} is not in {said}");
    }
}
