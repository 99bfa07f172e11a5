//! Conformance profiles: the example, the page's own profile, and the messages about broken ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use candor_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn candor(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(candor_tests::candor()).current_dir(root()).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn reasons(sandbox: &str) -> Vec<(String, String)> {
    let sandbox = format!("fixtures/examples/elr/{sandbox}");
    let (_, out, _) = candor(&["check", "fixtures/examples/elr/task.yaml", "--sandbox", &sandbox, "--format", "json"]);
    let run: Value = candor_json::from_str(&out).unwrap();
    let of = |run: &Value| {
        (run["criterion_id"].as_str().unwrap().to_owned(), run["reason"].as_str().unwrap_or("passed").to_owned())
    };
    run["criterion_runs"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn the_example_is_green_when_done_right_and_red_when_done_wrong() {
    let named = |reasons: &[(String, String)]| reasons.iter().map(|(_, r)| r.clone()).collect::<Vec<_>>();
    assert_eq!(named(&reasons("done-right")), ["passed", "passed", "passed"]);
    assert_eq!(named(&reasons("done-wrong")), ["field_mismatch", "structure_violation", "structure_violation"]);
}

#[test]
fn every_fault_of_the_wrong_message_is_named() {
    let (code, out, _) = candor(&[
        "check",
        "fixtures/examples/elr/task.yaml",
        "--sandbox",
        "fixtures/examples/elr/done-wrong",
        "--format",
        "json",
    ]);
    assert_eq!(code, Some(1));
    let run: Value = candor_json::from_str(&out).unwrap();
    let receiver = &run["criterion_runs"][2]["evidence"]["field_results"];
    let failed = receiver.as_array().unwrap().iter().filter(|result| result["passed"] == false);
    let failed: Vec<&str> = failed.map(|result| result["path"].as_str().unwrap()).collect();
    assert_eq!(failed, ["SFT", "PID.8", "OBX.3.1", "OBX.3.3", "OBX.6.1"]);
}

#[test]
fn the_page_s_profile_is_one() {
    let page = fs::read_to_string(root().join("docs/checks/hl7-structural.md")).unwrap();
    let mut blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let text = blocks.find(|block| block.starts_with("profile:")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.yaml");
    fs::write(&file, text).unwrap();
    assert_eq!(candor(&["lint", file.to_str().unwrap(), "--format", "text"]), (Some(0), String::new(), String::new()));
}
