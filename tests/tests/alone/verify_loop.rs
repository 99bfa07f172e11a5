//! `candor loop` as a user meets it: the agents of the example, what a delegate's prompt contains and what not, and
//! what is left when the loop is killed. The files tests/cli/loop*.trycmd hold its output.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use candor_json::Value;

/// The example, copied to where it may be written to.
struct Example(tempfile::TempDir);

impl Example {
    fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    fn within(folder: tempfile::TempDir) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples/loop");
        copy(&from, &folder.path().join("loop"));
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("loop").join(name)
    }

    fn write(&self, name: &str, script: &str) -> String {
        let path = self.path(name);
        fs::write(&path, script).unwrap();
        let mut mode = fs::metadata(&path).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        fs::set_permissions(&path, mode).unwrap();
        name.to_owned()
    }

    fn command(&self, world: &str, agent: &str, more: &[&str]) -> Command {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(self.path("")).stdin(Stdio::null());
        command.args(["loop", "task.yaml", "--sandbox", world]).args(more);
        command.args(["--grant", &format!("{world}/portal:rw")]).arg("--").arg(format!("./{agent}"));
        command
    }

    fn run(&self, world: &str, agent: &str, more: &[&str]) -> Output {
        self.command(world, agent, more).output().unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            // What a run of the example by hand left there is no part of it.
            false if entry.path().extension().is_some_and(|e| e == "ndjson") => {}
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn record(output: &Output) -> Value {
    candor_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn an_agent_that_forgot_a_step_is_told_which_and_passes() {
    let output = Example::new().run("forgetful", "agents/forgetful", &[]);
    assert_eq!(output.status.code(), Some(0));
    let record = record(&output);
    assert_eq!((&record["outcome"], &record["status"]), (&"passed".into(), &"completed".into()));
    assert_eq!(record["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(record["first_score"], 0.0);
    assert_eq!(record["last_score"], 1.0);
}

#[test]
fn an_agent_that_lies_is_escalated_after_three_attempts() {
    for agent in ["lying", "boastful"] {
        let output = Example::new().run(agent, &format!("agents/{agent}"), &[]);
        assert_eq!(output.status.code(), Some(1));
        let record = record(&output);
        assert_eq!(
            (&record["outcome"], &record["status"]),
            (&"verification_failed".into(), &"escalated_to_human".into())
        );
        assert_eq!(record["attempts"].as_array().unwrap().len(), 3);
        assert!(record["result"].is_null());
        let open = &record["escalation"]["open_criteria"];
        assert_eq!((open.as_array().unwrap().len(), &open[0]["criterion_id"]), (2, &"submitted".into()));
    }
}

#[test]
fn what_keeps_the_verifier_from_looking_is_not_the_agent_s_fault() {
    let example = Example::new();
    fs::write(example.path("lying/portal/prior_auth_requests.json"), "[{\"member_id\": ").unwrap();
    let output = example.run("lying", "agents/lying", &[]);
    assert_eq!(output.status.code(), Some(3));
    let record = record(&output);
    assert_eq!(record["outcome"], "unverifiable");
    assert_eq!(record["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(record["escalation"]["open_criteria"].as_array().unwrap().len(), 2);
}

#[test]
fn the_same_id_and_a_grant_over_evidence_are_refused() {
    let example = Example::new();
    for more in [
        &["--agent-id", "a", "--verifier-id", "a"][..],
        &["--workspace", "lying/portal"],
        &["--grant", "."],
        &["--disclose", "all"],
    ] {
        let output = example.run("lying", "agents/lying", more);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{more:?}");
    }
    assert!(!example.path("lying/portal/x").exists());
}

#[test]
fn a_record_that_would_be_evidence_and_a_url_that_is_none_are_refused() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ntouch asked\n");
    std::os::unix::fs::symlink("lying/portal", example.path("link")).unwrap();
    let looped = |more: &[&str]| {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null());
        command.args(["loop", "task.yaml", "--sandbox", "lying", "--workspace", "work"]).args(more);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // The last two parts are not there, and the record would make them.
    for place in ["lying/portal/record", "link/record", "lying/files", "lying/../lying/hl7/record"] {
        let (code, said) = looped(&["--record", place, "--", &format!("./{agent}")]);
        assert!(code == Some(2) && said.contains("which the command reads"), "{place}: {code:?} {said}");
    }
    // A link that the delegate puts there would lead the result to any file.
    for (option, place) in [("--out", "work/result.json"), ("--bundle", "work/new/result.candor")] {
        let (code, said) = looped(&[option, place, "--", &format!("./{agent}")]);
        assert!(code == Some(2) && said.contains("could lead the result elsewhere"), "{place}: {code:?} {said}");
    }
    std::fs::remove_dir_all(example.path("work")).unwrap();
    for url in ["not-a-url", "ftp://x/", "http://", "user:hunter2@host/"] {
        let (code, said) = looped(&["--record", "record", "--url", url]);
        assert_eq!((code, said.as_str()), (Some(2), "--url is not an http:// or https:// URL\n"), "{url}");
    }
    let made = ["work", "record", "lying/files", "lying/hl7", "lying/portal/record"];
    assert!(made.iter().all(|name| !example.path(name).exists()));
}

#[test]
fn an_agent_is_given_no_secret_of_the_verifier() {
    let example = Example::new();
    let agent = example.write("curious", "#!/bin/sh\ncat >/dev/null\necho \"[$FHIR_TOKEN][$GIVEN]\"\n");
    let mut command = example.command("lying", &agent, &["--env", "GIVEN"]);
    let output = command.env("FHIR_TOKEN", "hunter2").env("GIVEN", "yes").output().unwrap();
    assert_eq!(record(&output)["attempts"][0]["claim"]["response"], "[][yes]");
}

fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(300), "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_loop_that_was_killed_goes_on_where_it_stood() {
    let example = Example::new();
    let script = "#!/bin/sh\ncat >/dev/null\necho \"$CANDOR_ATTEMPT $CANDOR_SESSION\" >> asked\n\
                  if [ \"$CANDOR_ATTEMPT\" = 1 ] && [ ! -e waited ]; then touch waited; sleep 3600; fi\necho Done.\n";
    let agent = example.write("slow", script);
    let more = ["--record", "record", "--workspace", "work"];
    let mut killed = example.command("lying", &agent, &more).stdout(Stdio::null()).spawn().unwrap();
    wait_for("the second attempt", || example.path("work/waited").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let kept = |name: &str| -> Value { candor_json::from_slice(&fs::read(example.path(name)).unwrap()).unwrap() };
    assert_eq!(kept("record/attempt-0.json")["outcome"], "failed");
    assert_eq!(kept("record/attempt-1.json")["outcome"], "asked");
    let output = example.run("lying", &agent, &more);
    let record = record(&output);
    assert_eq!((output.status.code(), record["attempts"].as_array().unwrap().len()), (Some(1), 3));
    let asked = fs::read_to_string(example.path("work/asked")).unwrap();
    let (attempts, sessions): (Vec<&str>, Vec<&str>) = asked.lines().map(|l| l.split_once(' ').unwrap()).unzip();
    assert_eq!(attempts, ["0", "1", "1", "2"]);
    assert!(sessions.iter().all(|session| *session == sessions[0]));
    // The result of a loop that has ended is reported again, and the delegate is not asked.
    let again = example.run("lying", &agent, &more);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(self::record(&again)["escalation"], record["escalation"]);
    assert_eq!(fs::read_to_string(example.path("work/asked")).unwrap(), asked);
    let other = example.run("lying", "agents/boastful", &more);
    assert_eq!(other.status.code(), Some(2), "the record is that of another delegate");
}

/// A command with the signals as a shell has them in front. Started in the background or by `nohup`, this test would hand on
/// that they are ignored.
fn in_front(command: &Command) -> Command {
    let mut in_front = Command::new("env");
    in_front.arg("--default-signal=HUP,INT,QUIT,TERM").arg(command.get_program()).args(command.get_args());
    in_front.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
    in_front
}

#[test]
fn an_interruption_ends_the_agent_with_its_children() {
    let example = Example::new();
    let script = "#!/bin/sh\ntouch began\n(while :; do echo x >> beat; sleep 0.05; done) &\nsleep 3600\n";
    let agent = example.write("endless", script);
    for (signal, how) in [("INT", &[][..]), ("TERM", &["--lines"]), ("HUP", &[]), ("HUP", &["--lines"]), ("QUIT", &[])]
    {
        let more = [&["--workspace", "work"], how].concat();
        let mut running = in_front(&example.command("lying", &agent, &more)).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the agent", || example.path("work/beat").exists());
        let killed = Command::new("kill").args([&format!("-{signal}"), &running.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(running.wait().unwrap().code(), Some(130), "{signal}");
        let beats = || fs::metadata(example.path("work/beat")).unwrap().len();
        let is_silent = |_| {
            let then = beats();
            std::thread::sleep(Duration::from_millis(500));
            beats() == then
        };
        assert!((0..10).any(is_silent), "a child of the agent went on after {signal}");
        fs::remove_dir_all(example.path("work")).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_loop_that_is_to_outlive_its_terminal_does() {
    let example = Example::new();
    let agent = example.write("waiting", "#!/bin/sh\ncat > /dev/null; touch began; sleep 2; echo Done.\n");
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(candor_tests::candor());
    nohup.args(["loop", "task.yaml", "--sandbox", "lying", "--max-verify-retries", "0", "--workspace", "work", "--"]);
    nohup.arg(format!("./{agent}")).current_dir(example.path("")).stdin(Stdio::null()).stdout(Stdio::null());
    let mut running = nohup.spawn().unwrap();
    wait_for("the agent", || example.path("work/began").exists());
    assert!(Command::new("kill").args(["-HUP", &running.id().to_string()]).status().unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_of_the_same_user_reads_none_of_the_loop_s_environment() {
    use candor_tests::reachable;
    let example = Example::within(tempfile::tempdir_in(reachable::place()).unwrap());
    let agent =
        example.write("peeking", "#!/bin/sh\ncat > /dev/null; tr '\\0' '\\n' < /proc/$PPID/environ; echo Done.\n");
    let mut command = example.command("lying", &agent, &["--max-verify-retries", "0"]);
    // Root reads everything, so that it is not root here who looks.
    if Command::new("id").arg("-u").output().unwrap().stdout == b"0\n" {
        open_to_all(example.0.path());
        let words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(reachable::candor()).args(words);
        command.current_dir(example.path("")).stdin(Stdio::null());
    }
    let output = command.env("FHIR_TOKEN", "hunter2").env("TMPDIR", reachable::place()).output().unwrap();
    let claim = record(&output)["attempts"][0]["claim"]["response"].as_str().unwrap().to_owned();
    assert!(claim.contains("Done.") && !claim.contains("hunter2"), "{claim}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_out_of_reach_is_not_taken_for_a_system_without_a_boundary() {
    use candor_tests::reachable;
    // Only root makes a folder that is closed to the user who runs the program.
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return;
    }
    let folder = tempfile::tempdir_in(reachable::place()).unwrap();
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let at = folder.path().canonicalize().unwrap();
    let program = at.join("candor");
    fs::copy(reachable::candor(), &program).unwrap();
    let mut doctor = Command::new("setpriv");
    doctor.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&program).arg("doctor");
    let output = doctor.current_dir("/").env("TMPDIR", reachable::place()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let (program, at) = (program.display(), at.display());
    let why = format!("the user with id 65534 cannot run {program}: the folder {at} is closed to others\n");
    for mechanism in ["namespaces", "landlock", "overlay"] {
        assert!(said.contains(&format!("✗ {mechanism}: {why}")), "{output:?}");
    }
}

/// Lets every user read a folder, and what is in it.
fn open_to_all(folder: &Path) {
    assert!(Command::new("chmod").arg("-R").arg("a+rX").arg(folder).status().unwrap().success());
}

#[test]
fn as_many_retries_as_asked_for_are_made() {
    let example = Example::new();
    let output = example.run("lying", "agents/boastful", &["--max-verify-retries", "4"]);
    assert_eq!(record(&output)["attempts"].as_array().unwrap().len(), 5);
}

#[test]
fn what_an_agent_prints_steers_no_terminal() {
    let example = Example::new();
    let agent = example.write("rude", "#!/bin/sh\ncat >/dev/null\nprintf '\\033[2J\\033]0;owned\\007Done.'\n");
    let output = example.run("lying", &agent, &["--format", "text"]);
    assert!(!output.stdout.contains(&0x1b), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Done."));
}

#[test]
fn a_script_and_a_hook_look_beside_the_criteria() {
    let example = Example::new();
    let readme = fs::read_to_string(example.path("README.md")).unwrap();
    let command = readme.lines().find_map(|line| line.strip_prefix("cargo run --release -- loop ")).unwrap();
    let here = example.path("").display().to_string();
    let words = command.split(' ').map(|word| word.replace("fixtures/examples/loop", &here));
    let output = Command::new(candor_tests::candor()).arg("loop").args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let record = record(&output);
    let attempts = record["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0]["reason"], "report-exists.star: report.md is not in the workspace");
    assert_eq!(attempts[0]["score"], 1.0, "the criteria passed at once");
    let findings: Vec<(&Value, &Value)> =
        attempts[0]["findings"].as_array().unwrap().iter().map(|f| (&f["verifier"], &f["outcome"])).collect();
    assert_eq!(findings, [(&"report-exists.star".into(), &"failed".into())]);
    assert_eq!(attempts[1]["claim"]["response"], "I wrote the report about W123456789.");
    assert_eq!(record["result"]["response"], "I wrote the report about [member].");
    assert_eq!(attempts[1]["hooks"], candor_json::json!([{ "name": "redact-member.star", "action": "modify" }]));
}

#[test]
fn outputs_are_shown_as_claims_and_nothing_else() {
    let example = Example::new();
    let answer = r#"{"response": "Done.", "outputs": [{"path": "report.md", "what": "the letter"}, "x\u001b[2J"]}"#;
    let agent = example.write("agent", &format!("#!/bin/sh\ncat > /dev/null\ncat <<'E'\n{answer}\nE\n"));
    fs::write(example.path("seen.star"), "def run(result):\n    return \"report.md\" not in str(result)\n").unwrap();
    let retries = ["--max-verify-retries", "0", "--script", "seen.star"];
    let output = example.run("lying", &agent, &retries);
    let record = record(&output);
    let claim = &record["attempts"][0]["claim"];
    assert_eq!((claim["response"].as_str(), claim["outputs"].as_array().unwrap().len()), (Some("Done."), 2));
    assert_eq!(record["escalation"]["attempts"][0]["outputs"], claim["outputs"]);
    let passed = |f: &Value| f["verifier"] == "seen.star" && f["outcome"] == "passed";
    assert!(record["attempts"][0]["findings"].as_array().unwrap().iter().any(passed), "{record:#}");
    let text = example.run("lying", &agent, &[&retries[..], &["--format", "text"]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("the delegate names these outputs: report.md (the letter), "), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_loop_in_which_nothing_could_pass_is_refused_before_anyone_is_asked() {
    let example = Example::new();
    fs::write(example.path("t.yaml"), "id: t\nprompt: Do it.\ncriteria: []\n").unwrap();
    let agent = example.write("agent", "#!/bin/sh\ntouch ../asked\n");
    fs::create_dir(example.path("work")).unwrap();
    for more in [&[][..], &["--protect", "tests/**"], &["--no-isolation", "--protect", "a", "--disclose", "none"]] {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null()).args(["loop", "t.yaml", "--sandbox", "lying"]);
        let output =
            command.args(["--workspace", "work"]).args(more).arg("--").arg(format!("./{agent}")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{more:?}: {said}");
        assert!(said.starts_with("t.yaml: the task has no criteria, and no script, test suite or evaluator"), "{said}");
        assert!(!example.path("asked").exists());
    }
}

/// A program that reads what the delegate was to leave.
#[test]
fn a_file_that_a_script_cannot_read_in_the_workspace_is_charged() {
    let example = Example::new();
    fs::write(example.path("check.star"), "def run(result):\n    return fs.read(\"a.md\") == \"ok\\n\"\n").unwrap();
    for (body, reason) in [
        ("", "`a.md` is not there"),
        ("mkdir a.md", "`a.md` is not a file"),
        ("printf '\\377' > a.md", "`a.md` is not UTF-8"),
        ("head -c 9000000 /dev/zero > a.md", "`a.md` is larger than"),
    ] {
        let agent = example.write("agent", &format!("#!/bin/sh\ncat > /dev/null\n{body}\necho Done.\n"));
        let output = example.run("lying", &agent, &["--script", "check.star"]);
        let record = record(&output);
        assert_eq!((output.status.code(), &record["outcome"]), (Some(1), &"verification_failed".into()), "{body}");
        assert!(record["attempts"][0]["reason"].as_str().unwrap().contains(reason), "{body}: {record:#}");
    }
}

#[test]
fn a_script_finds_its_arguments() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ncat > /dev/null\necho ok > report.md\n");
    fs::write(example.path("t.yaml"), "id: t\nprompt: Do it.\ncriteria: []\n").unwrap();
    fs::write(example.path("check.star"), "def run(result):\n    return fs.stat(args[\"path\"]) != None\n").unwrap();
    let run = |path: &str| {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null()).args(["loop", "t.yaml", "--sandbox", "lying"]);
        command.args(["--max-verify-retries", "0", "--script", "check.star", "--script-arg", path, "--"]);
        command.arg(format!("./{agent}")).output().unwrap().status.code()
    };
    assert_eq!((run("path=report.md"), run("path=none.md"), run("other=report.md")), (Some(0), Some(1), Some(3)));
}

#[test]
fn a_broken_script_or_hook_stops_the_loop_and_blames_nobody() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ncat > /dev/null\necho ok\n");
    for program in [
        "def run(result)\n    return True\n",
        "def run(result):\n    return fs.read(\"/etc/passwd\") != \"\"\n",
        "def run(result):\n    return sorted(range(100000000)) == []\n",
        "def run(result):\n    return http.get(\"http://127.0.0.1:1/\")\n",
    ] {
        fs::write(example.path("check.star"), program).unwrap();
        let output = example.run("lying", &agent, &["--script", "check.star"]);
        assert_eq!(output.status.code(), Some(3), "{program}");
        let record = record(&output);
        assert_eq!((&record["outcome"], &record["result"]), (&"broken".into(), &Value::Null), "{program}");
        assert!(record["reason"].as_str().unwrap().contains("check.star"), "{program}");
    }
}

#[test]
fn what_is_wrong_with_scripts_and_hooks_is_told_before_anyone_is_asked() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ntouch asked\n");
    fs::create_dir(example.path("work")).unwrap();
    fs::write(example.path("work/own.star"), "def run(result):\n    return True\n").unwrap();
    fs::write(example.path("late.star"), "---\nevent: delegation.later\n---\n").unwrap();
    for more in [
        &["--script", "no.star"][..],
        &["--script", "work/own.star"],
        &["--hook", "late.star"],
        &["--hooks", "agents"],
        &["--allow-http", "localhost:80"],
        &["--allow-read", "no"],
        &["--test-suite", " "],
        &["--script", "late.star", "--allow-env", "CANDOR_NOT_SET"],
    ] {
        let output = example.run("lying", &agent, &[more, &["--workspace", "work", "--record", "record"]].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{more:?}");
    }
    assert!(!example.path("work/asked").exists() && !example.path("record").exists());
}

#[test]
fn the_folder_of_the_loops_own_copies_is_never_the_delegates() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ntouch asked\n");
    for folder in ["tmp", "tmp/work", "tests"] {
        fs::create_dir_all(example.path(folder)).unwrap();
    }
    let looped = |more: &[&str]| {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).env("TMPDIR", example.path("tmp")).stdin(Stdio::null());
        command.args(["loop", "task.yaml", "--sandbox", "lying", "--max-verify-retries", "0"]).args(more);
        let output = command.arg("--").arg(format!("./{agent}")).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let own = "where the loop keeps the copies that it judges";
    for (more, why) in [
        (&["--workspace", "tmp"][..], own),
        (&["--grant", "tmp:rw"], own),
        (&["--delegate-home", "tmp"], own),
        (
            &["--overlay", "tests", "--grant", "tests"],
            "tests cannot be granted: what judges the delegate is read from there",
        ),
    ] {
        let (code, said) = looped(more);
        assert!(code == Some(2) && said.contains(why), "{more:?}: {code:?} {said}");
    }
    for fine in [&["--workspace", "tmp/work"][..], &["--grant", "tmp"]] {
        assert_eq!(looped(fine).0, Some(1), "{fine:?}");
    }
}

#[test]
fn an_operators_files_are_read_by_the_operators_commands() {
    let example = Example::new();
    fs::write(example.path("t.yaml"), "id: t\nprompt: Do it.\ncriteria: []\n").unwrap();
    let agent = example.write("agent", "#!/bin/sh\ncat > /dev/null\necho ok > report.md\n");
    fs::create_dir(example.path("ops")).unwrap();
    fs::write(example.path("ops/library.sh"), "wanted=ok\n").unwrap();
    fs::write(example.path("ops/plain.sh"), "grep -q ok report.md\n").unwrap();
    fs::write(
        example.path("ops/check.sh"),
        "cd \"$OLDPWD\" 2>/dev/null; . \"${0%/*}/library.sh\"; grep -q $wanted report.md\n",
    )
    .unwrap();
    fs::write(example.path("ops/judge.sh"), "cat > /dev/null; grep -q ok report.md && echo PASS\n").unwrap();
    let ops = example.path("ops");
    let named = |option: &str, file: &str| format!("{option}=sh {}", ops.join(file).display());
    let library = format!("--allow-read={}", ops.join("library.sh").display());
    let pass = "--pass-pattern=^PASS$".to_owned();
    for (more, code) in [
        (vec![named("--test-suite", "plain.sh")], 0),
        (vec![named("--test-suite", "check.sh")], 1),
        (vec![named("--test-suite", "check.sh"), library], 0),
        (vec![named("--evaluator", "judge.sh"), pass], 0),
    ] {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null()).args(["loop", "t.yaml", "--sandbox", "lying"]);
        command.args(["--max-verify-retries", "0"]).args(&more).arg("--").arg(format!("./{agent}"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{more:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_loop_without_a_boundary_says_so_and_does_not_go_on_behind_one() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ncat > /dev/null\n");
    let looped = |more: &[&str]| {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null()).args(["loop", "task.yaml", "--sandbox", "lying"]);
        command.args(["--max-verify-retries", "0", "--record", "record", "--format", "text"]).args(more);
        let output = command.arg("--").arg(format!("./{agent}")).output().unwrap();
        (
            output.status.code(),
            [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat(),
        )
    };
    let (code, said) = looped(&["--no-isolation"]);
    assert!(code == Some(1) && said.contains("no boundary kept the delegate from what judges it"), "{code:?} {said}");
    let (code, said) = looped(&[]);
    assert!(code == Some(2) && said.contains("`--no-isolation` is another"), "{code:?} {said}");
}

fn referral(example: &Example, agent: &str, more: &[&str]) -> Output {
    let mut command = Command::new(candor_tests::candor());
    command.current_dir(example.path("")).stdin(Stdio::null());
    command.args(["loop", "referral.yaml", "--sandbox", "writing", "--format", "json"]).args(more);
    command.arg("--").arg(format!("./{agent}")).output().unwrap()
}

#[test]
fn work_in_the_workspace_is_judged_by_a_copy_of_it() {
    let example = Example::new();
    // The delegate may write to its workspace, but not to the copy that is graded.
    let output = referral(&example, "agents/writing", &["--workspace", "work"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let record = record(&output);
    assert_eq!(record["attempts"][1]["outcome"], "passed");
    let evidence = &record["attempts"][1]["task_run"]["criterion_runs"][0]["evidence"]["evidence"];
    assert_eq!((&evidence["criterion"], &evidence["verified"]), (&"letter".into(), &true.into()), "{evidence}");
    // The target of a link out of the copy is not graded, and not left out in silence either.
    example.write(
        "linking",
        "#!/bin/sh\nmkdir -p letters; printf 'W123456789 72148' > letters/referral.md\n\
                              ln -sfn /etc letters/out; ln -sf gone letters/dead; echo Done.\n",
    );
    let linking = self::record(&referral(&example, "linking", &["--workspace", "linked"]));
    let details = linking["attempts"][0]["task_run"]["criterion_runs"][1]["details"].as_str().unwrap().to_owned();
    assert!(details.contains("workspace/letters/out is a link that leads out and was not followed."), "{details}");
    assert!(details.contains("workspace/letters/dead is a link that leads nowhere."), "{details}");
    // A workspace of the sandbox's own is evidence like any other.
    fs::write(example.path("writing/sandbox.toml"), "[workspace]\npath = \"../work\"\n").unwrap();
    let refused = referral(&example, "agents/writing", &["--workspace", "work"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn an_evaluator_looks_at_a_copy_and_the_default_is_fail() {
    let example = Example::new();
    example.write(
        "evaluator",
        "#!/bin/sh\nword=$(sed -n 's/^\\([^ ]*\\) CRITERION_ID .*/\\1/p')\nfor id in letter finished; do\n\
         if grep -q radiculopathy letters/referral.md; then\n\
         echo \"$word $id PASS \\\"$(tail -1 letters/referral.md)\\\"\"\n\
         else echo \"$word $id FAIL \\\"the letter gives no reason\\\"\"; fi; done\nrm -rf letters; echo PASS\n",
    );
    let evaluated = |more: &[&str]| {
        let more = [&["--workspace", "work", "--evaluator", "./evaluator"], more].concat();
        let record = record(&referral(&example, "agents/writing", &more));
        fs::remove_dir_all(example.path("work")).unwrap();
        record
    };
    let passed = evaluated(&[]);
    assert_eq!(passed["outcome"], "passed", "{passed:#}");
    let said = |attempt: usize| passed["attempts"][attempt]["evaluation"]["response"].as_str().unwrap();
    assert!(said(0).contains("finished FAIL \"the letter gives no reason\"") && said(0).ends_with("\nPASS"));
    assert!(said(1).contains("finished PASS \"Reason: Low back pain"), "{}", said(1));
    let findings: Vec<(&Value, &Value)> =
        passed["attempts"][0]["findings"].as_array().unwrap().iter().map(|f| (&f["verifier"], &f["outcome"])).collect();
    assert_eq!(
        findings,
        [(&"evaluator: letter".into(), &"failed".into()), (&"evaluator: finished".into(), &"failed".into())]
    );
    let told = passed["attempts"][1]["prompt"].as_str().unwrap();
    assert!(told.contains("Nothing is left open in it: FAIL: the letter gives no reason"), "{told}");
    // It says neither by these patterns.
    let failed = evaluated(&["--pass-pattern", "^VERIFIED$", "--fail-pattern", "^REJECTED (.*)$"]);
    assert_eq!(failed["outcome"], "verification_failed", "{failed:#}");
    // An evaluator that does not answer does not give a verdict.
    example.write("evaluator", "#!/bin/sh\nexit 3\n");
    let broken = evaluated(&[]);
    assert_eq!(broken["outcome"], "broken");
}

#[test]
fn a_record_is_gone_on_from_by_what_decided_it_and_no_kept_pass_is_believed() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ncat > /dev/null\necho asked >> ../asked\necho Done.\n");
    fs::create_dir(example.path("work")).unwrap();
    fs::write(example.path("true.star"), "def run(result):\n    return True\n").unwrap();
    let task = "id: t\nprompt: Do it.\ncriteria: []\n";
    fs::write(example.path("t.yaml"), task).unwrap();
    let go_on = |more: &[&str]| {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null()).args(["loop", "t.yaml", "--sandbox", "lying"]);
        command.args(["--workspace", "work", "--record", "record", "--format", "json", "--no-isolation"]).args(more);
        command.arg("--").arg(format!("./{agent}")).output().unwrap()
    };
    let asked = || fs::read_to_string(example.path("asked")).unwrap().lines().count();
    let output = go_on(&["--script", "true.star"]);
    assert_eq!((record(&output)["outcome"].as_str(), asked()), (Some("passed"), 1));
    // The same again: graded, and the delegate is not asked.
    assert_eq!((record(&go_on(&["--script", "true.star"]))["outcome"].as_str(), asked()), (Some("passed"), 1));
    // What decides is another, in each of its parts.
    fs::write(example.path("false.star"), "def run(result):\n    return False\n").unwrap();
    let refused = |more: &[&str]| {
        let output = go_on(more);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
        assert!(error.contains("something else decided"), "{more:?}: {error}");
    };
    refused(&["--script", "false.star"]);
    refused(&["--script", "true.star", "--disclose", "none"]);
    refused(&["--script", "true.star", "--test-suite", "true"]);
    fs::write(example.path("t.yaml"), format!("{task}name: another\n")).unwrap();
    refused(&["--script", "true.star"]);
    fs::write(example.path("t.yaml"), task).unwrap();
    fs::write(example.path("true.star"), "def run(result):\n    return not False\n").unwrap();
    refused(&["--script", "true.star"]);
    assert_eq!(asked(), 1);
}

#[test]
fn what_judges_lies_nowhere_that_the_delegate_may_write() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ntouch asked\n");
    fs::create_dir_all(example.path("work")).unwrap();
    fs::create_dir_all(example.path("linked")).unwrap();
    for file in ["work/suite.sh", "work/evaluator"] {
        example.write(file, "#!/bin/sh\necho PASS\n");
    }
    fs::write(
        example.path("work/h.star"),
        "---\nevent: delegation.post_verify\n---\ndef handle(e, p):\n    return allow()\n",
    )
    .unwrap();
    std::os::unix::fs::symlink("../work/h.star", example.path("linked/h.star")).unwrap();
    fs::copy(example.path("task.yaml"), example.path("work/task.yaml")).unwrap();
    let refused = |task: &str, more: &[&str]| {
        let mut command = Command::new(candor_tests::candor());
        command.current_dir(example.path("")).stdin(Stdio::null()).args(["loop", task, "--sandbox", "lying"]);
        command.args(["--workspace", "work"]).args(more).arg("--").arg(format!("./{agent}"));
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
    };
    for more in [
        &["--record", "work/record"][..],
        &["--test-suite", "./work/suite.sh"],
        &["--test-suite", "sh ./work/suite.sh"],
        &["--evaluator", "./work/evaluator"],
        &["--hooks", "linked"],
    ] {
        refused("task.yaml", more);
    }
    refused("work/task.yaml", &[]);
    std::os::unix::fs::symlink("agent", example.path("agent2")).unwrap();
    for evaluator in ["./agent", "./agent --evaluate", "./agent2", "sh agent", "env A=1 ./agent2 -v"] {
        refused("task.yaml", &["--evaluator", evaluator]);
    }
    // A temporary workspace that would lie in the evidence.
    let mut command = example.command("lying", &agent, &[]);
    let output = command.env("TMPDIR", example.path("lying/portal")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    // What it cannot write at the end, it refuses before anybody works for it.
    refused("task.yaml", &["--format", "junit"]);
    assert!(!example.path("work/asked").exists());
}
