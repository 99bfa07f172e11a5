//! Conformance profiles: the example, the guide's own profile, and what is said of broken ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

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
    let run: Value = serde_json::from_str(&out).unwrap();
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
    let run: Value = serde_json::from_str(&out).unwrap();
    let receiver = &run["criterion_runs"][2]["evidence"]["field_results"];
    let failed = receiver.as_array().unwrap().iter().filter(|result| result["passed"] == false);
    let failed: Vec<&str> = failed.map(|result| result["path"].as_str().unwrap()).collect();
    assert_eq!(failed, ["SFT", "PID.8", "OBX.3.1", "OBX.3.3", "OBX.6.1"]);
}

#[test]
fn lint_names_the_place_in_the_profile() {
    let text = fs::read_to_string(root().join("fixtures/examples/elr/elr-profile.yaml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("elr-profile.yaml");
    let task = folder.path().join("task.yaml");
    fs::copy(root().join("fixtures/examples/elr/task.yaml"), &task).unwrap();
    let lint = |text: &str, file: &Path| {
        fs::write(&profile, text).unwrap();
        candor(&["lint", file.to_str().unwrap(), "--format", "text"])
    };
    assert_eq!(lint(&text, &profile), (Some(0), String::new(), String::new()));
    assert_eq!(lint(&text, &task).0, Some(0));
    for (from, to, line, said) in [
        ("path: MSH.3, usage: R", "path: MSH.3, usge: R", 13, "did you mean `usage`?"),
        ("path: MSH.3, usage: R", "path: MSH.0, usage: R", 13, "`MSH.0` is no path"),
        ("path: PID.5.1, usage: R", "path: PID.5.1, pattern: '['", 18, "is no pattern"),
        ("DSC: { usage: X }", "DSC: { usage: Y }", 10, "unknown variant `Y`"),
    ] {
        let broken = text.replace(from, to);
        assert_ne!(broken, text);
        let (code, _, err) = lint(&broken, &profile);
        assert!(code == Some(2) && err.contains(said), "{err}");
        assert!(err.contains(&format!("elr-profile.yaml:{line}:")), "{err}");
        // From the task the same place is named.
        let (code, out, _) = lint(&broken, &task);
        assert!(code == Some(1) && out.contains(said) && out.contains(&format!("elr-profile.yaml:{line}:")), "{out}");
    }
    fs::remove_file(&profile).unwrap();
    let (code, out, _) = candor(&["lint", task.to_str().unwrap(), "--format", "text"]);
    assert!(code == Some(1) && out.contains("elr-profile.yaml: it cannot be read"), "{out}");
}

#[test]
fn the_guide_s_profile_is_one() {
    let guide = fs::read_to_string(root().join("docs/hl7-profiles.md")).unwrap();
    let (_, rest) = guide.split_once("```yaml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.yaml");
    fs::write(&file, text).unwrap();
    assert_eq!(candor(&["lint", file.to_str().unwrap(), "--format", "text"]), (Some(0), String::new(), String::new()));
}
