//! The `candor` command as a user meets it: formats, exit codes, error messages, and what the README says.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use candor_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn candor(args: &[&str]) -> Output {
    Command::new(candor_tests::candor()).args(args).current_dir(root()).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const TASK: &str = "fixtures/examples/prior-auth/task.yaml";
const RIGHT: &str = "fixtures/examples/prior-auth/done-right";
const WRONG: &str = "fixtures/examples/prior-auth/done-wrong";

/// A folder with a task and an empty sandbox.
fn folder(task: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("task.yaml"), task).unwrap();
    fs::create_dir_all(folder.path().join("sandbox")).unwrap();
    folder
}

fn check(folder: &Path, more: &[&str]) -> Output {
    let (task, sandbox) = (folder.join("task.yaml"), folder.join("sandbox"));
    let mut args = vec!["check", task.to_str().unwrap(), "--sandbox", sandbox.to_str().unwrap()];
    args.extend(more);
    candor(&args)
}

/// The commands are run as `tests/cli/readme.trycmd`.
#[test]
fn the_readme_says_what_its_commands_print() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let printed = fs::read_to_string(root().join("tests/cli/readme.trycmd")).unwrap();
    let commands: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")).collect();
    assert_eq!(commands.len(), 4);
    for command in commands {
        assert!(printed.contains(&format!("\n$ candor {command}\n")), "tests/cli/readme.trycmd does not run {command}");
    }
    let quoted = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(printed.contains(quoted), "the README quotes\n{quoted}\nbut its commands print\n{printed}");
    assert!(readme.contains("cargo xtask test"));
    assert!(readme.lines().count() <= 120, "{} lines", readme.lines().count());
}

/// The commands of the README that need no clone, typed into an empty folder.
#[test]
fn the_first_minutes_of_the_readme_are_a_green_and_a_red() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let commands: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("candor ")).collect();
    let ended: Vec<Option<i32>> = commands
        .iter()
        .map(|command| {
            let shell = format!("{} {command}", candor_tests::candor().display());
            Command::new("sh").args(["-c", &shell]).current_dir(place.path()).output().unwrap().status.code()
        })
        .collect();
    let expected: Vec<_> = commands.iter().map(|command| Some(i32::from(command.contains("# red")))).collect();
    assert_eq!(ended, expected, "{commands:?}");
    assert!(commands.len() == 6 && expected.contains(&Some(1)), "{commands:?}");
}

#[test]
fn json_is_the_default_where_nobody_watches() {
    let output = candor(&["check", TASK, "--sandbox", RIGHT]);
    let value: Value = candor_json::from_slice(&output.stdout).unwrap();
    assert_eq!((value["verdict"].as_str(), value["score"].as_f64()), (Some("pass"), Some(1.0)));
    assert_eq!(value["criterion_runs"].as_array().unwrap().len(), 13);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn every_format_goes_where_it_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["text", "json", "ndjson", "junit", "markdown"] {
        let file = folder.path().join(format);
        let output = candor(&["check", TASK, "--sandbox", WRONG, "--format", format, "--out", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
        let written = fs::read_to_string(file).unwrap();
        assert!(written.contains("order-sent") || written.contains("The order for the MRI"), "{format}: {written}");
        assert!(!written.contains('\u{1b}'), "{format} is coloured");
    }
}

/// Names of the system under test forge no line of a report, and steer no terminal.
#[test]
fn names_are_printed_on_one_line() {
    let odd = "y\nNo difference.\u{1b}[2J\u{9b}.txt";
    let place = folder(
        "id: t\ncriteria:\n  - { id: a, label: It came, assertion: { assert: sftp-file-present, path: '*.txt' } }\n",
    );
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    for (sandbox, name) in [("before", "x.txt"), ("sandbox", odd)] {
        fs::create_dir_all(place.path().join(sandbox).join("files")).unwrap();
        fs::write(place.path().join(sandbox).join("files").join(name), "x").unwrap();
    }
    std::os::unix::fs::symlink("/nowhere", place.path().join("sandbox/files").join(format!("{odd}.link"))).unwrap();
    let (task, before, sandbox, captured) = (path("task.yaml"), path("before"), path("sandbox"), path("captured"));
    for format in ["text", "json"] {
        for args in [
            vec!["diff", &before, &sandbox],
            vec!["audit", &task, "--sandbox", &sandbox],
            vec!["capture", "--sandbox", &sandbox, "--into", &captured],
        ] {
            let _ = fs::remove_dir_all(&captured);
            let said = candor(&[&args[..], &["--format", format]].concat());
            assert!(!said.stdout.is_empty(), "{args:?}: {}", text(&said.stderr));
            let said = text(&said.stdout);
            assert!(!said.contains(['\u{1b}', '\u{9b}']), "{args:?}: {said}");
            assert!(!said.lines().any(|line| line.starts_with("No difference.")), "{args:?}: {said}");
            assert!(args[0] != "diff" || format != "text" || said.contains("y\\nNo difference.\\u{1b}[2J"), "{said}");
        }
    }
}

/// Messages that are recorded as events alone need no folder, in a capture neither.
#[test]
fn a_capture_keeps_messages_of_events_alone() {
    let asserted = "{assert: hl7-structural, correlate_by: {message_type: ADT^A01}, count: 1}";
    let place = folder(&format!("id: t\ncriteria:\n  - {{id: a, assertion: {asserted}}}\n"));
    let (task, sandbox) = (place.path().join("task.yaml"), place.path().join("sandbox"));
    let payload = "MSH|^~\\&|A|B|C|D|20261120||ADT^A01|42|P|2.5.1\rPID|1||77\r";
    let event = candor_json::json!({"type": "hl7_outbound", "at": "2026-11-20T10:00:00Z", "payload": payload});
    fs::write(sandbox.join("events.ndjson"), format!("{event}\n")).unwrap();
    let captured = candor_tests::state::faithful(&sandbox);
    for sandbox in [sandbox.as_path(), captured.path()] {
        let output = candor(&["check", task.to_str().unwrap(), "--sandbox", sandbox.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
}

#[test]
fn results_carry_the_keys_of_their_records() {
    let keys = ["MSH-10 C-1001", "ST02 4321, TRN02 93175-012547", "Claim/john-smith-mri", "row 2"];
    let value = json_of(&candor(&["check", TASK, "--sandbox", WRONG]).stdout);
    let runs = value["criterion_runs"].as_array().unwrap();
    let sources = runs.iter().flat_map(|run| run["evidence"]["sources"].as_array().unwrap());
    let records: Vec<&str> = sources.filter_map(|source| source["record"].as_str()).collect();
    let table = candor(&["check", TASK, "--sandbox", WRONG, "--format", "csv"]).stdout;
    for key in keys {
        assert!(records.contains(&key), "{key}: {records:?}");
        assert!(text(&table).contains(key), "{key}");
    }
    let shown = candor(&["check", TASK, "--sandbox", WRONG, "--format", "text"]).stdout;
    assert!(text(&shown).contains("     record: MSH-10 C-1001\n"), "{}", text(&shown));
}

#[test]
fn what_is_stored_scores_the_same() {
    for sandbox in [RIGHT, WRONG] {
        let stored = candor(&["check", TASK, "--sandbox", sandbox, "--format", "ndjson"]);
        let mut child = Command::new(candor_tests::candor())
            .args(["score", "-", "--format", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&stored.stdout).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), stored.status.code());
        let again: Value = candor_json::from_slice(&output.stdout).unwrap();
        let first = candor(&["check", TASK, "--sandbox", sandbox]);
        let first: Value = candor_json::from_slice(&first.stdout).unwrap();
        for member in ["verdict", "score", "interval", "coverage", "conclusive", "axes"] {
            assert_eq!(again[member], first[member], "{member}");
        }
    }
}

/// Whoever audits or hardens a task runs commands of a sandbox that somebody else filled.
#[test]
fn a_command_of_a_criterion_writes_nothing_outside_whoever_runs_it() {
    let task = "id: t\ncriteria:\n  - id: c\n    assertion: { assert: code-compiles, command: [sh, run.sh] }\n";
    for command in [&["check"][..], &["audit"], &["harden"]] {
        let folder = tempfile::tempdir_in(candor_tests::reachable::place()).unwrap();
        let [task_file, sandbox, outside] = ["task.yaml", "sandbox", "outside"].map(|name| folder.path().join(name));
        fs::write(&task_file, task).unwrap();
        fs::create_dir_all(sandbox.join("workspace")).unwrap();
        fs::write(sandbox.join("workspace/run.sh"), format!("touch {} 2>&-\ntrue\n", outside.display())).unwrap();
        let more = [task_file.to_str().unwrap(), "--sandbox", sandbox.to_str().unwrap()];
        let output = candor(&[command, &more].concat());
        assert!(output.status.code().is_some_and(|code| code < 2), "{command:?}: {}", text(&output.stderr));
        assert!(!outside.exists(), "{command:?}: the script wrote outside of its workspace");
    }
}

#[test]
fn a_benchmark_runs_every_task() {
    let output = candor(&["bench", "fixtures/examples/bench.yaml", "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let value: Value = candor_json::from_slice(&output.stdout).unwrap();
    let ids: Vec<&str> =
        value["task_runs"].as_array().unwrap().iter().map(|t| t["task_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["done-right", "done-wrong"]);
    assert!(output.stderr.is_empty(), "no progress where nobody watches: {}", text(&output.stderr));
}

/// Each task run has a sandbox of its own, in which the same file holds something else.
#[test]
fn the_page_of_a_benchmark_shows_what_each_sandbox_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let args = ["bench", "fixtures/examples/bench.yaml", "--html", file.to_str().unwrap(), "--format", "html"];
    let output = candor(&args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let page = text(&output.stdout);
    for shown in ["Excerpt of hl7/orm-out.hl7", "<mark>73721</mark>", "OBR-4 Universal Service Identifier"] {
        assert!(page.contains(shown), "{shown} is not in {page}");
    }
    let plain = |page: &str| page.matches("Excerpt of ").count();
    assert_eq!(plain(&fs::read_to_string(&file).unwrap()), plain(&page));
}

#[test]
fn an_assertion_that_is_wrong_fails_its_criterion_and_no_other() {
    let task = "id: t\ncriteria:\n  - {id: a, assertion: {assert: hl7-structural, count: 0}}\n  - {id: b, assertion: {assert: hl7-structral}}\n  - {id: c, assertion: {assert: hl7-structural, fields: [{path: PID.0, expected: x}]}}\n";
    let folder = folder(task);
    fs::create_dir(folder.path().join("sandbox/hl7")).unwrap();
    let output = check(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(check(folder.path(), &["--keep-going"]).status.code(), Some(1));
    let value: Value = candor_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["invalid_criteria"], candor_json::json!(["b", "c"]));
    let reasons: Vec<&Value> = value["criterion_runs"].as_array().unwrap().iter().map(|c| &c["reason"]).collect();
    assert_eq!(reasons, [&Value::Null, &"unsupported_assertion".into(), &"invalid_assertion".into()]);
}

/// The gate fails in each task; the second criterion decides if the score is known.
#[test]
fn a_reward_that_an_outage_could_change_is_not_written() {
    let gate = "id: t\ncriteria:\n  - {id: a, gate: true, assertion: {assert: hl7-structural}}\n  - {id: b, ";
    let zero = Some(candor_json::json!({"__default__": 0.0, "reward": 0.0}));
    for (second, reward) in [
        ("assertion: {assert: hl7-structural}}\n", zero.clone()),
        ("assertion: {assert: x12-response, count: 0}}\n", None),
        ("assertion: {assert: hl7-structral}}\n", None),
        ("weight: 0, assertion: {assert: x12-response, count: 0}}\n", zero),
    ] {
        let folder = folder(&format!("{gate}{second}"));
        fs::create_dir(folder.path().join("sandbox/hl7")).unwrap();
        let out = folder.path().join("out");
        let rewarded = |more: &[&str]| {
            let output = check(folder.path(), &[&["--reward-dir", out.to_str().unwrap()], more].concat());
            let value: Value = candor_json::from_slice(&output.stdout).unwrap();
            assert_eq!((value["verdict"].as_str(), value["conclusive"].as_bool()), (Some("fail"), Some(true)));
            let written = fs::read(out.join("reward.json")).ok();
            written.map(|bytes| candor_json::from_slice::<Value>(&bytes).unwrap())
        };
        assert_eq!(rewarded(&[]), reward, "{second}");
        let closed = reward.unwrap_or_else(|| candor_json::json!({"reward": 0.0}));
        assert_eq!(rewarded(&["--fail-closed"]), Some(closed), "{second}");
    }
}

/// An agent may lead a part to the folder of the reward, and put one there.
#[test]
fn a_refused_check_leaves_no_reward_of_before() {
    let folder = folder("id: t\ncriteria:\n  - {id: a, assertion: {assert: hl7-structural}}\n");
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&out, folder.path().join("sandbox/hl7")).unwrap();
    let (out, page) = (out.to_str().unwrap(), folder.path().join("sandbox/hl7/page.html"));
    for more in [&["--html", page.to_str().unwrap()][..], &[]] {
        fs::write(format!("{out}/reward.json"), "{\"reward\": 1.0}").unwrap();
        let output = check(folder.path(), &[&["--reward-dir", out, "--fail-closed"], more].concat());
        assert_eq!(output.status.code() == Some(2), !more.is_empty(), "{}", text(&output.stderr));
        let reward: Value = candor_json::from_slice(&fs::read(format!("{out}/reward.json")).unwrap()).unwrap();
        assert_eq!(reward["reward"], candor_json::json!(0.0));
    }
}

#[test]
fn exit_codes_tell_four_things_apart() {
    let passing = folder("id: t\ncriteria:\n  - {id: a, assertion: {assert: hl7-structural, count: 0}}\n");
    fs::create_dir(passing.path().join("sandbox/hl7")).unwrap();
    assert_eq!(check(passing.path(), &[]).status.code(), Some(0));
    let failing = folder("id: t\ncriteria:\n  - {id: a, assertion: {assert: hl7-structural}}\n");
    fs::create_dir(failing.path().join("sandbox/hl7")).unwrap();
    assert_eq!(check(failing.path(), &[]).status.code(), Some(1));
    let none = folder("id: t\ncriteria: []\n");
    assert_eq!(check(none.path(), &[]).status.code(), Some(1), "a task without criteria fails");
    let unverifiable = folder("id: t\ncriteria:\n  - {id: a, assertion: {assert: hl7-structural}}\n");
    let output = check(unverifiable.path(), &[]);
    assert_eq!(output.status.code(), Some(3));
    let value: Value = candor_json::from_slice(&output.stdout).unwrap();
    assert_eq!((value["conclusive"].as_bool(), value["interval"].to_string()), (Some(false), "[0.0,1.0]".to_owned()));
}

#[test]
fn a_wrong_setting_of_a_loop_is_an_error_of_its_task() {
    for (settings, expected) in [
        ("{ protct: [] }", "did you mean `protect`?"),
        ("{ disclose: all }", "`loop`: `disclose` is `all`; expected one of"),
        ("{ max_verify_retries: -1 }", "`max_verify_retries` is -1; expected a whole number from 0 on"),
        ("{ test_suite: { command: [a], dir: x } }", "unknown field `dir`"),
    ] {
        let task = "id: t\ncriteria:\n  - {id: a, assertion: {assert: hl7-structural, count: 0}}\nloop: ";
        let folder = folder(&format!("{task}{settings}\n"));
        fs::write(folder.path().join("bench.yaml"), "id: b\ntasks: [{task: task.yaml, sandbox: .}]\n").unwrap();
        let (task, bench) = (folder.path().join("task.yaml"), folder.path().join("bench.yaml"));
        let (task, bench) = (task.to_str().unwrap(), bench.to_str().unwrap());
        let box_of = folder.path().to_str().unwrap();
        let others = [&["lint", task][..], &["bench", bench], &["audit", task, "--sandbox", box_of], &["audit", bench]];
        for output in others.map(candor).into_iter().chain([check(folder.path(), &[])]) {
            let stderr = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains("task.yaml:4:") && stderr.contains(expected), "{stderr}");
        }
    }
}

#[test]
fn wrong_input_writes_nothing_to_standard_output() {
    let typo = folder("id: t\ncriteria:\n  - id: a\n    wieght: 2\n    assertion: {}\n");
    // tests/cli/wrong-input.trycmd holds what they say.
    for output in [
        check(typo.path(), &[]),
        candor(&["check", TASK, "--sandbox", "nowhere"]),
        candor(&["check", "nowhere.yaml", "--sandbox", RIGHT]),
        candor(&["check", TASK]),
        candor(&["chekc"]),
        candor(&["check", TASK, "--sandbox", RIGHT, "--verifier-id", "me", "--agent-id", "me"]),
        candor(&["schema", "x12"]),
        candor(&["bench", TASK]),
        candor(&["score", "nowhere.ndjson"]),
        candor(&["lint", "README.md"]),
        candor(&["check", TASK, "--sandbox", WRONG, "--format", "pdf"]),
    ] {
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(!stderr.is_empty() && output.stdout.is_empty(), "{stderr}");
    }
}

#[test]
fn hostile_files_end_in_an_outcome_each() {
    let task = "id: t\ncriteria:\n  - {id: f, assertion: {assert: fhir-resource-state, resource_type: Patient}}\n  - {id: h, assertion: {assert: hl7-structural, count: 1}}\n  - {id: p, assertion: {assert: portal-state-match, correlate_by: {resource: a}}}\n  - {id: v, assertion: {assert: voice-transcript, contains: [yes]}}\n  - {id: x, assertion: {assert: x12-response, transaction: '271'}}\n  - {id: s, assertion: {assert: sftp-file-present, path: a.json, fields: [{path: a, expected: 1}]}}\n  - {id: good, assertion: {assert: sftp-file-present, path: good.txt}}\n";
    for bytes in [&b""[..], b"\0\0\0", b"{", b"\xff\xfe", b"MSH", b"ISA*", &[b'['; 100_000], &b"\xEF\xBB\xBF"[..]] {
        let folder = folder(task);
        for part in ["fhir", "hl7", "portal", "voice", "x12", "files"] {
            let path = folder.path().join("sandbox").join(part);
            fs::create_dir(&path).unwrap();
            let name = if matches!(part, "hl7" | "x12") { "a.txt" } else { "a.json" };
            fs::write(path.join(name), bytes).unwrap();
        }
        fs::write(folder.path().join("sandbox/files/good.txt"), "good").unwrap();
        let output = check(folder.path(), &[]);
        assert!(matches!(output.status.code(), Some(1 | 3)), "{:?}: {}", output.status, text(&output.stderr));
        let value: Value = candor_json::from_slice(&output.stdout).unwrap();
        for run in value["criterion_runs"].as_array().unwrap() {
            let passed = run["status"] == "passed";
            assert_eq!(passed, run["criterion_id"] == "good", "{run}");
        }
    }
}

#[test]
fn schemas_and_checks_are_printed() {
    for check in candor_checks::ALL {
        let output = candor(&["schema", check.meta().assert]);
        let value: Value = candor_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["properties"]["assert"]["const"], check.meta().assert);
    }
    let all: Value = candor_json::from_slice(&candor(&["schema"]).stdout).unwrap();
    assert_eq!(all["oneOf"].as_array().unwrap().len(), candor_checks::ALL.len());
    let listed: Value = candor_json::from_slice(&candor(&["checks"]).stdout).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), candor_checks::ALL.len());
}

/// The worlds that `init` writes pass and fail as it says, and are valid. Lint and the schema find nothing in the task.
#[test]
fn a_first_task_passes_and_fails_as_it_says() {
    let schema = jsonschema::validator_for(&plain(&json_of(&candor(&["schema", "task"]).stdout))).unwrap();
    for kind in ["mix", "fhir", "hl7", "x12", "portal", "files", "voice", "workspace"] {
        let place = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| {
            let mut command = Command::new(candor_tests::candor());
            command.args(args).current_dir(place.path()).stdin(Stdio::null()).output().unwrap()
        };
        let written = run(&["init", "my first", "--kind", kind]);
        assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
        let readme = fs::read_to_string(place.path().join("my first/README.md")).unwrap();
        let commands: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("    candor ")).collect();
        let said = text(&written.stdout);
        for (command, code) in commands.iter().zip([0, 1]) {
            assert!(said.contains(command), "{said}");
            let (command, _) = command.split_once("    #").unwrap();
            let shell = format!("{} {command}", candor_tests::candor().display());
            let ran = Command::new("sh").args(["-c", &shell]).current_dir(place.path()).output().unwrap();
            assert_eq!(ran.status.code(), Some(code), "{kind}: {command}\n{}", text(&ran.stdout));
        }
        assert_eq!(commands.len(), 2, "{readme}");
        // Calls and documents have no format that is validated.
        let (found, code) = match kind {
            "voice" | "workspace" => ("", 2),
            _ => ("0 errors, 0 warnings", 0),
        };
        let validated = run(&["validate", "my first/right", "--format", "text"]);
        assert_eq!(validated.status.code(), Some(code), "{kind}: {}", text(&validated.stdout));
        assert!(text(&validated.stdout).contains(found), "{kind}: {}", text(&validated.stdout));
        let linted = run(&["lint", "my first/task.yaml"]);
        assert_eq!(linted.status.code(), Some(0), "{kind}: {}", text(&linted.stdout));
        let task = candor_engine::Document::read(&place.path().join("my first/task.yaml")).unwrap();
        let value = plain(task.value());
        assert!(schema.is_valid(&value), "{kind}: {:?}", schema.iter_errors(&value).next());
        let again = run(&["init", "my first"]);
        assert_eq!(again.status.code(), Some(2));
        assert!(text(&again.stderr).contains("is there already"), "{}", text(&again.stderr));
    }
}

#[test]
fn the_schema_of_results_holds_results_of_every_version() {
    let schema = jsonschema::validator_for(&plain(&json_of(&candor(&["schema", "result"]).stdout))).unwrap();
    let task = "fixtures/examples/prior-auth/task.yaml";
    let (right, wrong) = ("fixtures/examples/prior-auth/done-right", "fixtures/examples/prior-auth/done-wrong");
    let mut results: Vec<Value> = [
        vec!["check", task, "--sandbox", right],
        vec!["check", task, "--sandbox", wrong],
        vec!["check", task, "--sandbox", wrong, "--scored"],
        vec!["check", task, "--sandbox", "tests/cli"],
        vec!["bench", "fixtures/examples/bench.yaml"],
        vec!["bench", "fixtures/examples/bench.yaml", "--scored"],
    ]
    .iter()
    .map(|args| json_of(&candor(args).stdout))
    .collect();
    for name in ["dose", "open", "elr", "bench", "hidden"] {
        let text = fs::read_to_string(root().join(format!("tests/golden/{name}.json"))).unwrap();
        results.push(candor_json::from_str(&text).unwrap());
    }
    for result in &results {
        let value = plain(result);
        assert!(schema.is_valid(&value), "{:?}: {result}", schema.iter_errors(&value).next());
        for member in ["verdict", "score", "conclusive", "axes"] {
            let mut cut = result.clone();
            cut.as_object_mut().unwrap().remove(member);
            assert!(!schema.is_valid(&plain(&cut)), "without {member}: {cut}");
        }
    }
    let mut green = results[0].clone();
    green["criterion_runs"][0]["status"] = "green".into();
    assert!(!schema.is_valid(&plain(&green)));
}

#[test]
fn the_schemas_of_files_hold_the_bundled_ones() {
    let [task, benchmark] = ["task", "benchmark"]
        .map(|name| jsonschema::validator_for(&plain(&json_of(&candor(&["schema", name]).stdout))).unwrap());
    let mut seen = 0;
    for file in files_below(&root().join("fixtures/examples")) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let schema = match name.as_str() {
            "task.yaml" | "task.json" => &task,
            "bench.yaml" => &benchmark,
            _ => continue,
        };
        let document = candor_engine::Document::read(&file).unwrap();
        let value = plain(document.value());
        let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", file.display());
        seen += 1;
    }
    assert!(seen >= 15, "{seen}");
    for wrong in [
        candor_json::json!({"id": "t", "criteria": [{"id": "c", "wieght": 1, "assertion": {"assert": "file-exists", "path": "a"}}]}),
        candor_json::json!({"id": "t", "criteria": [{"id": "c", "assertion": {"assert": "file-exist", "path": "a"}}]}),
        candor_json::json!({"id": "t", "criteria": [{"id": "c", "assertion": {"assert": "file-exists"}}]}),
        candor_json::json!({"id": "t", "pass": "al", "criteria": []}),
    ] {
        assert!(!task.is_valid(&plain(&wrong)), "{wrong}");
    }
    assert!(!benchmark.is_valid(&plain(&candor_json::json!({"id": "b", "tasks": [{"task": "a.yaml"}]}))));
}

#[test]
fn a_name_that_leads_nowhere_in_a_sandbox_is_not_absent() {
    let task = "id: t\ncriteria:\n  - id: none\n    assertion:\n      assert: hl7-structural\n      correlate_by: \
                {message_type: ADT}\n      count: 0\n";
    let place = folder(task);
    let at = |name: &str| place.path().join("sandbox").join(name);
    let nowhere = |name: &str| std::os::unix::fs::symlink("nowhere", at(name)).unwrap();
    let code = || check(place.path(), &[]).status.code();
    fs::create_dir(at("hl7")).unwrap();
    assert_eq!(code(), Some(0));
    for (name, expected) in [("sandbox.toml", 2), ("capture.json", 2), ("events.ndjson", 3), ("hl7/a.hl7", 3)] {
        nowhere(name);
        assert_eq!(code(), Some(expected), "{name}");
        fs::remove_file(at(name)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(at("hl7/a.hl7")).status().unwrap().success());
    assert_eq!(code(), Some(3));
    fs::remove_dir_all(at("hl7")).unwrap();
    // Messages of one kind in the events say nothing of those in the folder.
    let sent = "{\"type\": \"hl7_outbound\", \"at\": \"2026-11-20T10:00:00Z\", \"payload\": \
                \"MSH|^~\\\\&|A|B|C|D|20261120||ORU^R01|M1|T|2.5\\rPID|1||1\\r\"}\n";
    fs::write(at("events.ndjson"), sent).unwrap();
    assert_eq!(code(), Some(0));
    nowhere("hl7");
    assert_eq!(code(), Some(3));
}

#[test]
fn a_pipe_or_a_link_that_leads_nowhere_proves_no_absence() {
    let file = "sftp-file-present, path: '*.txt', count: 0";
    for (assertion, name, expected) in [
        (file, "files/a.txt", 3),
        (file, "files/a.md", 0),
        ("voice-transcript, contains: [date of birth]", "voice/b.txt", 3),
    ] {
        let place = folder(&format!("id: t\ncriteria:\n  - {{id: a, assertion: {{assert: {assertion}}}}}\n"));
        let at = place.path().join("sandbox").join(name);
        fs::create_dir(at.parent().unwrap()).unwrap();
        fs::write(at.with_file_name("a.json"), "[{\"speaker\": \"agent\", \"text\": \"hello\"}]").unwrap();
        std::os::unix::fs::symlink("nowhere", &at).unwrap();
        assert_eq!(check(place.path(), &[]).status.code(), Some(expected), "{name}");
        fs::remove_file(&at).unwrap();
        assert!(Command::new("mkfifo").arg(&at).status().unwrap().success());
        assert_eq!(check(place.path(), &[]).status.code(), Some(expected), "{name}");
    }
}

#[test]
fn a_sandbox_that_is_named_from_a_removed_folder_is_wrong_input() {
    let place = folder("id: t\ncriteria: [{id: c, assertion: {assert: file-exists, path: a}}]\n");
    let typed = "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" check ../task.yaml --sandbox ../sandbox";
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", typed]).arg(candor_tests::candor()).current_dir(place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("../sandbox: there is no such folder or file"), "{}", text(&output.stderr));
}

fn json_of(bytes: &[u8]) -> Value {
    candor_json::from_slice(bytes).unwrap()
}

/// The value as the validator of schemas takes it.
fn plain(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// An engineer and an analyst type the blocks of their half into one shell. Each block prints the lines that the page shows
/// after it, and ends well.
#[test]
fn the_quickstart_runs_as_it_is_typed() {
    const ENDED: &str = "\n@@ the block ended with ";
    let page = fs::read_to_string(root().join("docs/quickstart.md")).unwrap();
    let mut path = vec![candor_tests::candor().parent().unwrap().to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(path).unwrap();
    let halves: Vec<&str> = page.split("\n## ").skip(1).collect();
    let blocks = halves.iter().map(|half| {
        let parts: Vec<(&str, &str)> =
            half.split("```sh\n").skip(1).map(|part| part.split_once("```\n").unwrap()).collect();
        let typed: String = parts.iter().map(|(block, _)| format!("{block}printf '{ENDED}%s\n' $?\n")).collect();
        let place = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", &typed]).current_dir(place.path()).env("PATH", &path).env("CLONE", root());
        let output = shell.output().unwrap();
        let printed = text(&output.stdout);
        let mut said = printed.split(ENDED);
        let mut of_this = said.next().unwrap();
        for (block, rest) in &parts {
            let (code, of_next) = said.next().unwrap().split_once('\n').unwrap();
            assert_eq!(code, "0", "{block}\n{of_this}{}", text(&output.stderr));
            let shown = rest.trim_start().strip_prefix("```text\n").and_then(|shown| shown.split("```").next());
            for line in shown.unwrap_or_default().lines() {
                let is_there = of_this.lines().any(|own| own == line);
                assert!(is_there, "{block}\ndoes not print\n{line}\nbut\n{of_this}");
            }
            of_this = of_next;
        }
        parts.len()
    });
    let blocks: Vec<usize> = blocks.collect();
    assert!(blocks.len() == 2 && blocks[0] >= 7 && blocks[1] >= 5, "{blocks:?}");
}
