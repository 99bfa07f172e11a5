//! The evidence does not change while it is judged: copies, protected files, overlays, services, and granted parts, as
//! `candor loop` shows them. Each trick runs its real payload.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use candor_json::Value;

const PORTAL: &str = "id: pa\nprompt: Submit it.\ncriteria:\n  - id: submitted\n    assertion:\n      assert: portal-state-match\n      \
    correlate_by: { resource: reqs, key: member_id, value: W1 }\n      assertions: [{ path: status, expected: submitted }]\n";
const ROW: &str = r#"[{"member_id":"W1","status":"submitted"}]"#;

/// A folder with a task, a sandbox with an empty portal and a workspace.
struct Place(tempfile::TempDir);

impl Place {
    fn new(task: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["sb/portal", "w", "tmp"] {
            fs::create_dir_all(place.at(folder)).unwrap();
        }
        place.write("sb/portal/reqs.json", "[]");
        place.write("task.yaml", task);
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs the loop with a delegate that is a script; `$0` is the place.
    fn run(&self, more: &[&str], delegate: &str) -> Output {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(self.0.path()).stdin(Stdio::null()).env("TMPDIR", self.at("tmp"));
        command.args(["loop", "task.yaml", "--sandbox", "sb", "--workspace", "w"]);
        if !more.iter().any(|word| word.starts_with("--max-verify")) {
            command.args(["--max-verify-retries", "0"]);
        }
        // Most begin with work that is there.
        command.arg("--allow-met");
        // Payloads reach what a boundary keeps from them: what looks must hold without one, too.
        if !more.contains(&"--grant") {
            command.arg("--no-isolation");
        }
        command.args(["--format", "json"]).args(more).args(["--", "sh", "-c"]);
        command.arg(format!("cat >/dev/null; {delegate}")).arg(self.0.path()).output().unwrap()
    }
}

fn record(output: &Output) -> Value {
    candor_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn failed(output: &Output, words: &str) {
    let record = record(output);
    assert_eq!(record["outcome"], "verification_failed", "{record:#}");
    let reason = record["attempts"][0]["reason"].as_str().unwrap();
    assert!(reason.contains(words), "{reason}");
}

fn passed(output: &Output) {
    let record = record(output);
    assert_eq!(record["outcome"], "passed", "{record:#}");
}

fn command(kind: &str, command: &str) -> String {
    format!("id: t\nprompt: Do it.\ncriteria:\n  - id: c\n    assertion: {{ assert: {kind}, command: {command} }}\n")
}

const EXISTS: &str =
    "id: t\nprompt: Do it.\ncriteria:\n  - id: c\n    assertion: { assert: file-exists, path: a.md }\n";

#[test]
fn what_takes_the_workspace_s_place_is_not_judged() {
    let place = Place::new(EXISTS);
    passed(&place.run(&[], "echo x > a.md"));
    fs::remove_file(place.at("w/a.md")).unwrap();
    place.write("elsewhere/a.md", "x");
    failed(&place.run(&[], "cd /; rmdir \"$0/w\"; ln -s \"$0/elsewhere\" \"$0/w\""), "another folder, or a link");
    let place = Place::new(EXISTS);
    place.write("elsewhere/a.md", "x");
    failed(&place.run(&[], "cd /; mv \"$0/w\" \"$0/away\"; mv \"$0/elsewhere\" \"$0/w\""), "another folder, or a link");
    let place = Place::new(EXISTS);
    failed(&place.run(&[], "cd /; rm -r \"$0/w\""), "cannot be copied");
}

#[test]
fn what_cannot_be_copied_is_refused_at_once_and_charged() {
    let payloads = [
        ("truncate -s 1T big", "is larger than"),
        (
            "python3 -c 'import os\nfor i in range(200100): os.close(os.open(str(i), os.O_CREAT))'",
            "holds more than 200000",
        ),
    ];
    // So many files take a minute; in small size, `candor-process` alone counts them, up to a lower limit.
    for (payload, words) in payloads.into_iter().take(candor_test_size::pick(1, 2)) {
        let place = Place::new(EXISTS);
        // A terabyte would take hours.
        failed(&place.run(&[], &format!("echo x > a.md; {payload}")), words);
    }
}

#[test]
fn odd_files_are_left_out_and_do_nothing() {
    let place = Place::new(EXISTS);
    let odd = "echo x > a.md; mkfifo pipe; ln -s /etc/passwd out; ln -s nowhere dead; ln -s . self; mkdir -p d/e/f/g; \
               python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'";
    passed(&place.run(&[], odd));
}

/// Another test may listen at a port that is free again, and says something else or nothing.
fn answer(port: u16) -> String {
    use std::io::{Read as _, Write as _};
    let mut text = String::new();
    if let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) {
        stream.set_read_timeout(Some(std::time::Duration::from_secs(2))).unwrap();
        let _asked = stream.write_all(b"GET / HTTP/1.0\r\n\r\n");
        let _read = stream.read_to_string(&mut text);
    }
    text
}

#[test]
fn a_service_of_the_task_answers_and_not_the_delegate_s() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let task = format!(
        "id: t\nprompt: Bring it up.\nloop:\n  services: [{{command: [python3, serve.py], ready: \
         \"http://127.0.0.1:{port}/\", timeout: 5m}}]\ncriteria:\n  - id: c\n    assertion: {{ assert: endpoint-responds, \
         url: \"http://127.0.0.1:{port}/\" }}\n"
    );
    let serve = format!(
        "import http.server\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        \
         self.send_response(200); self.end_headers(); self.wfile.write(b\"brought up\")\n\
         http.server.ThreadingHTTPServer((\"127.0.0.1\", {port}), H).serve_forever()\n"
    );
    let place = Place::new(&task);
    place.write("serve.py", &serve);
    passed(&place.run(&[], "cp \"$0/serve.py\" ."));
    assert!(!answer(port).contains("brought up"), "the service has ended");
    let place = Place::new(&task);
    failed(&place.run(&[], "echo 'raise SystemExit(\"no such table: users\")' > serve.py"), "no such table: users");
}

#[test]
fn protected_tests_that_are_changed_fail_by_name() {
    let tests = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        from calc import add\n        \
                 self.assertEqual(add(1, 2), 3)\n";
    let task = command("tests-pass", "[python3, -m, unittest, discover, -s, tests, -t, .]");
    let new = || {
        let place = Place::new(&task);
        place.write("w/tests/__init__.py", "");
        place.write("w/tests/test_calc.py", tests);
        place
    };
    let protect = ["--protect", "tests/**", "--protect", "sitecustomize.py"];
    let lie = "echo 'def test(): pass' > /dev/null; sed -i 's/self.assertEqual.*/pass/; s/from calc.*/pass/' tests/test_calc.py";
    // The payload does what it is meant to.
    let output = new().run(&[], lie);
    passed(&output);
    let data = &record(&output)["attempts"][0]["task_run"]["criterion_runs"][0]["evidence"];
    assert!(data.to_string().contains("the tests are the delegate's own"), "{data:#}");
    let output = new().run(&protect, lie);
    failed(&output, "tests/test_calc.py was changed");
    assert!(record(&output)["attempts"][0]["task_run"].to_string().contains("field_mismatch"));
    failed(&new().run(&protect, "rm tests/test_calc.py"), "tests/test_calc.py was removed");
    failed(&new().run(&protect, "echo 'import os; os._exit(0)' > tests/.hidden.py"), "tests/.hidden.py is new");
    let honest = "echo 'def add(a, b): return a + b' > calc.py; python3 -m unittest discover -s tests -t . 2>/dev/null";
    let place = new();
    passed(&place.run(&protect, honest));
    assert!(place.at("w/tests/__pycache__").exists());
}

#[test]
fn an_overlay_wins_over_what_the_delegate_left() {
    let place = Place::new(&command("tests-pass", "[sh, check/run.sh]"));
    place.write("operator/check/run.sh", "test -s work.md && echo '1 passed in 0.1s'\n");
    let lie = "mkdir -p check; echo 'echo 1 passed in 0.1s' > check/run.sh";
    passed(&place.run(&[], lie));
    failed(&place.run(&["--overlay", "operator"], lie), "sh check/run.sh");
    let link = "rm -r check; mkdir -p \"$0/other\"; echo 'echo 1 passed in 0.1s' > \"$0/other/run.sh\"; ln -s \"$0/other\" check";
    failed(&place.run(&["--overlay", "operator"], link), "sh check/run.sh");
    assert_eq!(fs::read_to_string(place.at("other/run.sh")).unwrap().trim(), "echo 1 passed in 0.1s");
    passed(&place.run(&["--overlay", "operator"], "echo x > work.md"));
}

#[test]
fn a_test_suite_reads_quotes_and_is_never_the_delegate_s() {
    let task = "id: t\nprompt: Do it.\n";
    let place = Place::new(task);
    passed(&place.run(&["--test-suite", "sh -c 'test -e a.md'"], "echo x > a.md"));
    let lie = "echo 'exit 0' > run.sh";
    for suite in ["sh run.sh", "env X=1 sh run.sh"] {
        let place = Place::new(task);
        let output = place.run(&["--test-suite", suite], lie);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("--protect run.sh"));
        failed(&place.run(&["--test-suite", suite, "--protect", "run.sh"], lie), "run.sh is new");
    }
    fs::write(place.at("w/run.sh"), "").unwrap();
    place.write("operator/run.sh", "test -e done.md\n");
    failed(&place.run(&["--test-suite", "sh run.sh", "--overlay", "operator"], lie), "ended with 1");
    fs::create_dir(place.at("w/api")).unwrap();
    passed(&place.run(&["--test-suite", "test -e b", "--test-suite-dir", "api"], "touch api/b"));
    failed(
        &place.run(&["--test-suite", "sleep 3600", "--test-suite-timeout", "300ms"], "true"),
        "did not end within 0.3 s",
    );
}

#[test]
fn settings_of_the_task_are_overridden_by_the_command_line() {
    let task = format!("{EXISTS}loop:\n  disclose: none\n  protect: [a.md]\n");
    let place = Place::new(&task);
    let output = place.run(&[], "echo x > a.md");
    assert_eq!(record(&output)["attempts"][0]["reason"], "the work could not be verified");
    failed(&place.run(&["--disclose", "gap", "--protect", "a.md"], "echo y >> a.md"), "a.md was changed");
    passed(&place.run(&["--protect", "b.md"], "true"));
    let wrong = Place::new(&format!("{EXISTS}loop:\n  protct: []\n")).run(&[], "true");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `protect`?"));
}

#[test]
fn a_granted_part_is_judged_from_a_copy_and_leads_nowhere_else() {
    let place = Place::new(PORTAL);
    passed(&place.run(&["--grant", "sb/portal:rw"], &format!("echo '{ROW}' > \"$0/sb/portal/reqs.json\"")));
    let place = Place::new(PORTAL);
    fs::create_dir(place.at("own")).unwrap();
    place.write("own/reqs.json", ROW);
    let link = "mv \"$0/sb/portal\" \"$0/away\"; ln -s \"$0/own\" \"$0/sb/portal\"";
    failed(&place.run(&["--grant", "sb/portal:rw"], link), "there are no reqs rows at all");
    let place = Place::new(PORTAL);
    place.write("own/reqs.json", ROW);
    let described = "printf '[portal]\\npath = \"../own\"\\n' > \"$0/sb/sandbox.toml\"";
    failed(&place.run(&["--grant", "sb/portal:rw"], described), "");
    let output = Place::new(PORTAL).run(&["--grant", "sb:rw"], "true");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn commands_run_after_every_other_source_was_read() {
    let task = PORTAL.replace(
        "criteria:\n",
        "criteria:\n  - id: builds\n    assertion: { assert: code-compiles, command: [sh, build.sh] }\n",
    );
    let place = Place::new(&task);
    // The payload finds the portal, and writes at once.
    let build = format!("echo '{ROW}' > '{}'", place.at("sb/portal/reqs.json").display());
    place.write("build.sh", &build);
    let output = place.run(&[], "cp \"$0/build.sh\" .");
    let runs = &record(&output)["attempts"][0]["task_run"]["criterion_runs"];
    assert_eq!((&runs[0]["status"], &runs[1]["status"]), (&"passed".into(), &"failed".into()), "{runs:#}");
}

#[test]
fn a_record_remembers_what_protected_files_were() {
    let place = Place::new(&format!("{EXISTS}loop: {{protect: [\"t/**\"]}}\n"));
    place.write("w/t/a", "one");
    failed(
        &place.run(&["--record", "rec", "--max-verify-retries=1"], "echo two > t/a; echo x > a.md"),
        "t/a was changed",
    );
    // The loop goes on after what the first attempt changed.
    fs::remove_file(place.at("rec/record.json")).unwrap();
    fs::remove_file(place.at("rec/attempt-1.json")).unwrap();
    let output = place.run(&["--record", "rec", "--max-verify-retries=1"], "true");
    assert_eq!(record(&output)["outcome"], "verification_failed");
}

#[test]
fn copies_for_several_commands_are_quick_and_gone() {
    let three: String = (0..3)
        .map(|i| format!("  - id: c{i}\n    assertion: {{ assert: code-compiles, command: [test, -e, f0] }}\n"))
        .collect();
    let place = Place::new(&format!("id: t\nprompt: Do it.\ncriteria:\n{three}"));
    let folders = candor_test_size::pick(400, 2000);
    let fill = format!(
        "python3 -c 'import os\nfor i in range({folders}): os.mkdir(f\"d{{i}}\"); open(f\"d{{i}}/f\", \"w\").write(\"x\")\nopen(\"f0\", \"w\")'"
    );
    passed(&place.run(&[], &fill));
    assert_eq!(fs::read_dir(place.at("tmp")).unwrap().count(), 0);
    assert!(Path::new(&place.at(&format!("w/d{}/f", folders - 1))).exists());
}
