//! Evidence bundles from the command line: signatures that other people's code verifies, bundles on another clone.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use candor_json::Value;
use candor_tests::candor;
use candor_tests::fuzz_bundle::bundle;

fn inputs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/evidence.in")
}

fn run_of(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(candor()).args(arguments).current_dir(folder).output().unwrap()
}

fn succeeds(folder: &Path, exit: i32, arguments: &[&str]) -> Vec<u8> {
    let output = run_of(folder, arguments);
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The inputs of the page, in a folder of their own.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-r").arg(inputs().join(".")).arg(folder.path()).status().unwrap();
    assert!(copied.success());
    folder
}

#[test]
fn other_peoples_code_verifies_the_signature() {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON").expect(
        "`cargo xtask test` installs the verifiers in Python and names their interpreter in CANDOR_PEERS_PYTHON",
    );
    let folder = copied();
    let folder = folder.path();
    succeeds(folder, 0, &["keys", "sign", "--out", "verifier"]);
    let check = ["check", "task.yaml", "--sandbox", "sandbox", "--bundle", "signed.candor"];
    succeeds(folder, 1, &[&check[..], &["--sign", "verifier.key", "--agent-id", "booking-agent"]].concat());
    succeeds(folder, 0, &["redact", "signed.candor", "--keep", "pa-submitted", "--out", "redacted.candor"]);
    for file in ["signed.candor", "redacted.candor"] {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/bundle_verify.py");
        let output =
            Command::new(&python).arg(script).args([file, "verifier.pub"]).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        let theirs: Value = candor_json::from_slice(&output.stdout).unwrap();
        let ours: Value =
            candor_json::from_slice(&succeeds(folder, 0, &["replay", file, "--verify", "verifier.pub"])).unwrap();
        assert_eq!(ours["signature"]["statement"], theirs["statement"]);
        assert_eq!(ours["signature"]["keyid"], theirs["keyid"]);
        assert_eq!(theirs["statement"]["predicate"]["verdict"], "partial");
        assert_eq!(theirs["statement"]["predicate"]["agent_id"], "booking-agent");
    }
}

#[test]
fn the_environment_names_a_key_and_a_key_is_not_overwritten() {
    let folder = copied();
    let folder = folder.path();
    succeeds(folder, 0, &["keys", "sign", "--out", "verifier"]);
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(folder.join("verifier.key")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    let again = run_of(folder, &["keys", "sign", "--out", "verifier"]);
    assert_eq!(again.status.code(), Some(2));
    let output = Command::new(candor())
        .args(["check", "task.yaml", "--sandbox", "sandbox", "--bundle", "signed.candor"])
        .env("CANDOR_SIGNING_KEY", "verifier.key")
        .current_dir(folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    succeeds(folder, 0, &["replay", "signed.candor", "--verify", "verifier.pub"]);
    succeeds(folder, 0, &["keys", "sign", "--out", "other"]);
    succeeds(folder, 1, &["replay", "signed.candor", "--verify", "other.pub"]);
}

#[test]
fn a_bundle_replays_where_there_is_nothing_else() {
    let folder = copied();
    succeeds(folder.path(), 1, &["check", "task.yaml", "--sandbox", "sandbox", "--bundle", "run.candor"]);
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(folder.path().join("run.candor"), elsewhere.path().join("b.candor")).unwrap();
    drop(folder);
    let replay: Value = candor_json::from_slice(&succeeds(elsewhere.path(), 0, &["replay", "b.candor"])).unwrap();
    assert_eq!(replay["same"], true);
    assert_eq!(replay["differences"], candor_json::json!([]));
    assert_eq!(replay["task_run"]["verdict"], "partial");
}

#[test]
fn a_bundle_is_shown_as_its_observations_are_judged_now() {
    let folder = copied();
    let folder = folder.path();
    succeeds(folder, 1, &["check", "task.yaml", "--sandbox", "sandbox", "--bundle", "run.candor"]);
    let run: Value = candor_json::from_slice(&succeeds(folder, 1, &["report", "run.candor"])).unwrap();
    let replayed: Value = candor_json::from_slice(&succeeds(folder, 0, &["replay", "run.candor"])).unwrap();
    assert_eq!(run, replayed["task_run"]);
    succeeds(folder, 1, &["report", "run.candor", "--html", "run.html"]);
    let page = std::fs::read_to_string(folder.join("run.html")).unwrap();
    assert!(page.contains("pa-submitted") && page.contains("<code>candor replay run.candor</code>"), "{page}");
    let mut bytes = std::fs::read(folder.join("run.candor")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(folder.join("changed.candor"), bytes).unwrap();
    let refused = run_of(folder, &["report", "changed.candor", "--format", "text"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("changed.candor: the bundle differs from what was written, at "), "{said}");
}

/// Everything that the task's sandbox holds is marked, and nothing of it may be in anything that the command writes.
#[test]
fn a_mask_holds_in_every_output_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, content: &str| {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    };
    write("key", "sixteen bytes or more");
    let marks: Vec<String> = (0..44).map(|number| format!("MARK{number:02}")).collect();
    let row = |from: usize| {
        format!(r#"{{"id": "{}", "note": "{}", "status": "{}"}}"#, marks[from], marks[from + 1], marks[from + 2])
    };
    write("s/portal/requests.json", &format!("[{}]", (0..8).map(|n| row(n * 3)).collect::<Vec<_>>().join(",")));
    write(
        "s/fhir/a.json",
        &format!(
            r#"{{"resourceType":"Patient","id":"{}","name":[{{"family":"{}","given":["{}"]}}],"telecom":[{{"value":"{}"}}]}}"#,
            marks[24], marks[25], marks[26], marks[27]
        ),
    );
    write(
        &format!("s/hl7/{}.hl7", marks[28]),
        &format!(
            "MSH|^~\\&|{}|{}|A|B|20261120||ADT^A01|{}|P|2.5.1\rPID|1||{}||{}^{}\r",
            marks[29], marks[30], marks[31], marks[32], marks[33], marks[34]
        ),
    );
    write(
        &format!("s/voice/{}.txt", marks[35]),
        &format!("Rep: this is {}, the number is {}\nCaller: {}\n", marks[36], marks[37], marks[38]),
    );
    write(&format!("s/files/{}.csv", marks[39]), &format!("a,b\n{},{}\n\"{}", marks[40], marks[41], marks[42]));
    write("s/x12/a.271", &format!("ISA*00*{}", marks[43]));
    write(
        "task.yaml",
        r#"
id: marked
criteria:
  - {id: row, assertion: {assert: portal-state-match, correlate_by: {resource: requests, key: status, value: none}, assertions: [{path: note, expected: x}]}}
  - {id: rows, assertion: {assert: portal-state-match, correlate_by: {resource: requests}, match: all, assertions: [{path: note, expected: x}]}}
  - {id: patient, assertion: {assert: fhir-resource-state, resource_type: Patient, fields: [{path: name.family, expected: x}, {path: telecom.value, op: empty}]}}
  - {id: message, assertion: {assert: hl7-structural, message_type: ADT, fields: [{path: PID.5.1, expected: x}]}}
  - {id: call, assertion: {assert: voice-transcript, contains: [good bye], not_contains: [the number]}}
  - {id: file, assertion: {assert: sftp-file-present, path: "*.csv", fields: [{path: a, expected: x}]}}
  - {id: set, assertion: {assert: x12-response, transaction: "271", fields: [{path: BHT.3, expected: x}]}}
"#,
    );
    write("bench.yaml", "id: b\ntasks:\n  - {task: task.yaml, sandbox: s}\n");
    let marked = |bytes: &[u8]| bytes.windows(4).any(|window| window == b"MARK");
    let commands: [&[&str]; 2] = [&["check", "task.yaml", "--sandbox", "s"], &["bench", "bench.yaml"]];
    let none_in = |what: &str, output: Output| {
        for bytes in [&output.stdout, &output.stderr] {
            assert!(!marked(bytes), "{what}: {}", String::from_utf8_lossy(bytes));
        }
    };
    for command in commands {
        for format in candor_report::Format::NAMES {
            let shown = run_of(folder, &[command, &["--format", format]].concat());
            // A benchmark's table says how many failed, and not why.
            let quotes = command[0] == "check" || *format == "json";
            assert!(!quotes || marked(&shown.stdout), "{command:?} {format} without a mask");
            let masked = run_of(folder, &[command, &["--format", format, "--mask", "key"]].concat());
            assert_eq!(masked.status.code(), shown.status.code(), "{command:?} {format}");
            none_in(&format!("{command:?} {format}"), masked);
        }
        run_of(folder, &[command, &["--mask", "key", "--bundle", "m.candor"]].concat());
        none_in("replay", run_of(folder, &["replay", "m.candor"]));
        none_in("report", run_of(folder, &["report", "m.candor"]));
    }
    run_of(folder, &["check", "task.yaml", "--sandbox", "s", "--mask", "key", "--html", "m.html"]);
    assert!(!marked(&std::fs::read(folder.join("m.html")).unwrap()));
}

#[test]
fn the_fuzz_body_holds_over_damaged_bundles() {
    bundle(b"");
    bundle(b"PK\x03\x04");
    for at in (0..2_000_u16).step_by(candor_test_size::pick(19, 1)) {
        for byte in [0, 0x50, 0xff] {
            let [high, low] = at.to_be_bytes();
            bundle(&[1, high, low, byte]);
            bundle(&[1, high, low, byte, byte, byte, byte]);
        }
    }
}
