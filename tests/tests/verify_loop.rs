//! `candor loop` as a user meets it: the agents of the example, what a delegate is told and what not, and what is
//! left when the loop is killed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The example, copied to where it may be written to.
struct Example(tempfile::TempDir);

impl Example {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
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
        command.args(["loop", "task.yaml", "--sandbox", world]).args(more).arg("--").arg(format!("./{agent}"));
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
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_readme_s_loops_end_as_it_says() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let commands: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("cargo run --release -- loop ")).collect();
    assert_eq!(commands.len(), 2);
    for (command, (code, said)) in commands.iter().zip([(0, "passed: "), (1, "escalated to a human after 3 attempts")])
    {
        let example = Example::new();
        let command = command.replace("fixtures/examples/loop", &example.path("").display().to_string());
        let output = Command::new(candor_tests::candor()).arg("loop").args(command.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains(said));
    }
}

#[test]
fn an_agent_that_forgot_a_step_is_told_which_and_passes() {
    let output = Example::new().run("forgetful", "agents/forgetful", &[]);
    assert_eq!(output.status.code(), Some(0));
    let record = record(&output);
    assert_eq!((&record["outcome"], &record["status"]), (&"passed".into(), &"completed".into()));
    assert_eq!(record["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(record["first_score"], 1.0 / 3.0);
    assert_eq!(record["last_score"], 1.0);
    let retry = record["attempts"][1]["prompt"].as_str().unwrap();
    assert!(retry.contains("status is \"draft\", expected \"submitted\""), "{retry}");
    assert!(retry.contains("for member W123456789"), "{retry}");
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
        assert_eq!((open.as_array().unwrap().len(), &open[0]["criterion_id"]), (1, &"submitted".into()));
        assert!(open[0]["evidence_gap"].as_str().unwrap().contains("there are no prior_auth_requests rows"));
    }
}

#[test]
fn no_more_is_disclosed_than_the_level_allows() {
    let words = ["is \"draft\"", "submitted\"", "The request stands", "2 of 2 criteria"];
    for (level, told) in [
        ("none", [false, false, false, false]),
        ("count", [false, false, false, true]),
        ("criterion", [false, false, true, true]),
        ("gap", [true, true, true, true]),
        ("full", [true, true, true, true]),
    ] {
        let example = Example::new();
        let stubborn = "#!/bin/sh\ncat >> prompts\n./../portal forgetful draft W123456789 72148\necho ok\n";
        let agent =
            example.write("stubborn", &stubborn.replace("./../portal", &example.path("portal").display().to_string()));
        let more = ["--disclose", level, "--workspace", "work", "--max-verify-retries", "1", "--prompt", "Go."];
        assert_eq!(example.run("forgetful", &agent, &more).status.code(), Some(1));
        let prompts = fs::read_to_string(example.path("work/prompts")).unwrap();
        assert!(prompts.contains("Go."));
        let found = words.map(|word| prompts.contains(word));
        assert_eq!(found, told, "{level}:\n{prompts}");
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
}

#[test]
fn the_same_id_and_a_grant_over_evidence_are_refused() {
    let example = Example::new();
    for (more, expected) in [
        (&["--agent-id", "a", "--verifier-id", "a"][..], "are both `a`"),
        (&["--workspace", "lying/portal"], "where the verifier reads its evidence from"),
        (&["--grant", "."], "where the verifier reads its evidence from"),
        (&["--disclose", "all"], "none"),
    ] {
        let output = example.run("lying", "agents/lying", more);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{more:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{more:?}: {error}");
    }
    assert!(!example.path("lying/portal/x").exists());
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
        assert!(began.elapsed() < Duration::from_secs(60), "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_loop_that_was_killed_goes_on_where_it_stood() {
    let example = Example::new();
    let script = "#!/bin/sh\ncat >/dev/null\necho \"$CANDOR_ATTEMPT $CANDOR_SESSION\" >> asked\n\
                  if [ \"$CANDOR_ATTEMPT\" = 1 ] && [ ! -e waited ]; then touch waited; sleep 60; fi\necho Done.\n";
    let agent = example.write("slow", script);
    let more = ["--record", "record", "--workspace", "work"];
    let mut killed = example.command("lying", &agent, &more).stdout(Stdio::null()).spawn().unwrap();
    wait_for("the second attempt", || example.path("work/waited").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(example.path("record/attempt-0.json").exists() && !example.path("record/attempt-1.json").exists());
    let output = example.run("lying", &agent, &more);
    let record = record(&output);
    assert_eq!((output.status.code(), record["attempts"].as_array().unwrap().len()), (Some(1), 3));
    let asked = fs::read_to_string(example.path("work/asked")).unwrap();
    let (attempts, sessions): (Vec<&str>, Vec<&str>) = asked.lines().map(|l| l.split_once(' ').unwrap()).unzip();
    assert_eq!(attempts, ["0", "1", "1", "2"]);
    assert!(sessions.iter().all(|session| *session == sessions[0]));
    // One that has ended is told again, and nobody is asked.
    let again = example.run("lying", &agent, &more);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(self::record(&again)["escalation"], record["escalation"]);
    assert_eq!(fs::read_to_string(example.path("work/asked")).unwrap(), asked);
    let other = example.run("lying", "agents/boastful", &more);
    assert_eq!(other.status.code(), Some(2), "the record is that of another delegate");
}

#[test]
fn an_interruption_ends_the_agent_with_its_children() {
    let example = Example::new();
    let script = "#!/bin/sh\ntouch began\n(while :; do echo x >> beat; sleep 0.05; done) &\nsleep 60\n";
    let agent = example.write("endless", script);
    for (signal, how) in [("INT", &[][..]), ("TERM", &["--lines"]), ("HUP", &[]), ("HUP", &["--lines"]), ("QUIT", &[])]
    {
        let more = [&["--workspace", "work"], how].concat();
        let mut running = example.command("lying", &agent, &more).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the agent", || example.path("work/beat").exists());
        let killed = Command::new("kill").args([&format!("-{signal}"), &running.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(running.wait().unwrap().code(), Some(130), "{signal}");
        let beats = || fs::metadata(example.path("work/beat")).unwrap().len();
        std::thread::sleep(Duration::from_millis(200));
        let then = beats();
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(beats(), then, "a child of the agent went on after {signal}");
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
    let example = Example::new();
    let agent =
        example.write("peeking", "#!/bin/sh\ncat > /dev/null; tr '\\0' '\\n' < /proc/$PPID/environ; echo Done.\n");
    let mut command = example.command("lying", &agent, &["--max-verify-retries", "0"]);
    // Root reads everything, so that it is not root here who looks.
    if Command::new("id").arg("-u").output().unwrap().stdout == b"0\n" {
        open_to_all(example.0.path());
        let words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        command = Command::new("setpriv");
        command
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(candor_tests::candor())
            .args(words);
        command.current_dir(example.path("")).stdin(Stdio::null());
    }
    let output = command.env("FHIR_TOKEN", "hunter2").env("TMPDIR", "/tmp").output().unwrap();
    let claim = record(&output)["attempts"][0]["claim"]["response"].as_str().unwrap().to_owned();
    assert!(claim.contains("Done.") && !claim.contains("hunter2"), "{claim}");
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
    let command = command.replace("fixtures/examples/loop", &example.path("").display().to_string());
    let output = Command::new(candor_tests::candor()).arg("loop").args(command.split(' ')).output().unwrap();
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
    assert_eq!(attempts[1]["hooks"], serde_json::json!([{ "name": "redact-member.star", "action": "modify" }]));
}

#[test]
fn a_task_without_criteria_is_decided_by_what_looks_beside() {
    let example = Example::new();
    fs::write(example.path("task.yaml"), "id: report\nname: Write a report\nprompt: Write report.md.\n").unwrap();
    let agent =
        example.write("agent", "#!/bin/sh\ncat >> told\n[ $CANDOR_ATTEMPT = 0 ] || echo x > report.md\necho ok\n");
    fs::write(example.path("check.star"), "def run(result):\n    return fs.stat(\"report.md\")[\"is_file\"]\n")
        .unwrap();
    for (more, told) in [
        (&["--script", "check.star"][..], "check.star: the script says that the work is not done"),
        (&["--test-suite", "test -f report.md"], "test suite `test -f report.md`: the test suite ended with 1"),
        (&["--script", "check.star", "--disclose", "none"], "    the work could not be verified\n\n"),
    ] {
        let more = [more, &["--workspace", "work"]].concat();
        let output = example.run("lying", &agent, &more);
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(record(&output)["attempts"].as_array().unwrap().len(), 2);
        let prompts = fs::read_to_string(example.path("work/told")).unwrap();
        assert!(prompts.contains(told), "{more:?}: {prompts}");
        fs::remove_dir_all(example.path("work")).unwrap();
    }
}

#[test]
fn a_broken_script_or_hook_stops_the_loop_and_blames_nobody() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ncat > /dev/null\necho ok\n");
    for (program, expected) in [
        ("def run(result)\n    return True\n", "check.star:1:16: "),
        (
            "def run(result):\n    return fs.read(\"/etc/passwd\") != \"\"\n",
            "check.star:2:12: `/etc/passwd` leads to what",
        ),
        ("def run(result):\n    return sorted(range(100000000)) == []\n", "check.star"),
        (
            "def run(result):\n    return http.get(\"http://127.0.0.1:1/\")\n",
            "grant it with --allow-http http://127.0.0.1:1",
        ),
    ] {
        fs::write(example.path("check.star"), program).unwrap();
        let output = example.run("lying", &agent, &["--script", "check.star"]);
        assert_eq!(output.status.code(), Some(3), "{program}");
        let record = record(&output);
        assert_eq!((&record["outcome"], &record["result"]), (&"broken".into(), &Value::Null), "{program}");
        assert!(record["reason"].as_str().unwrap().contains(expected), "{}", record["reason"]);
    }
    fs::write(example.path("hook.star"), "---\nevent: delegation.post_verify\n---\ndef handle(e, p):\n    return 1\n")
        .unwrap();
    let output = example.run("lying", &agent, &["--hook", "hook.star"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(record(&output)["reason"].as_str().unwrap().contains("hook.star: `handle` returned a value of type int"));
}

#[test]
fn what_is_wrong_with_scripts_and_hooks_is_told_before_anyone_is_asked() {
    let example = Example::new();
    let agent = example.write("agent", "#!/bin/sh\ntouch ../asked\n");
    fs::create_dir(example.path("work")).unwrap();
    fs::write(example.path("work/own.star"), "def run(result):\n    return True\n").unwrap();
    fs::write(example.path("late.star"), "---\nevent: delegation.later\n---\n").unwrap();
    for (more, expected) in [
        (&["--script", "no.star"][..], "no.star: it cannot be read"),
        (&["--script", "work/own.star"], "where what judges it is read from"),
        (&["--hook", "late.star"], "late.star:2: there is no event `delegation.later`"),
        (&["--hooks", "agents"], "is no hook: a hook's name ends in .star"),
        (&["--allow-http", "localhost:80"], "http://host:port"),
        (&["--allow-read", "no"], "no: there is nothing here that --allow-read could grant"),
        (&["--test-suite", " "], "--test-suite names no command"),
        (&["--script", "late.star", "--allow-env", "CANDOR_NOT_SET"], "CANDOR_NOT_SET is not set"),
    ] {
        let output = example.run("lying", &agent, &[more, &["--workspace", "work", "--record", "record"]].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{more:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{more:?}: {error}");
    }
    assert!(!example.path("asked").exists() && !example.path("record").exists());
    let help = Command::new(candor_tests::candor()).arg("help").output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("script-child"));
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
    // The delegate may write to its workspace, and the copy that is looked at is nowhere it could write.
    let output = referral(&example, "agents/writing", &["--workspace", "work"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let record = record(&output);
    let reason = record["attempts"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("letters/referral.md:3") && reason.contains("TODO"), "{reason}");
    assert_eq!(record["attempts"][1]["outcome"], "passed");
    let evidence = &record["attempts"][1]["task_run"]["criterion_runs"][0]["evidence"]["evidence"];
    assert_eq!((&evidence["criterion"], &evidence["verified"]), (&"letter".into(), &true.into()), "{evidence}");
    // What a link leads to that is not in the copy is not looked at, and not passed over either.
    example.write(
        "linking",
        "#!/bin/sh\nmkdir -p letters; printf 'W123456789 72148' > letters/referral.md\n\
                              ln -sf /etc letters/out; ln -sf gone letters/dead; echo Done.\n",
    );
    let linking = self::record(&referral(&example, "linking", &["--workspace", "linked"]));
    let details = linking["attempts"][0]["task_run"]["criterion_runs"][1]["details"].as_str().unwrap().to_owned();
    assert!(details.contains("workspace/letters/out is a link that leads out and was not followed."), "{details}");
    assert!(details.contains("workspace/letters/dead is a link that leads nowhere."), "{details}");
    // A workspace of the sandbox's own is evidence like any other.
    fs::write(example.path("writing/sandbox.toml"), "[workspace]\npath = \"../work\"\n").unwrap();
    let refused = referral(&example, "agents/writing", &["--workspace", "work"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("the delegate may write to work"));
}

#[test]
fn an_evaluator_looks_at_a_copy_and_the_default_is_fail() {
    let example = Example::new();
    example.write(
        "evaluator",
        "#!/bin/sh\ncat > /dev/null; grep -q radiculopathy letters/referral.md && echo PASS && exit 0\n\
         rm -rf letters; echo 'FAIL: the letter gives no reason'\n",
    );
    let evaluated = |more: &[&str]| {
        let more = [&["--workspace", "work", "--evaluator", "./evaluator"], more].concat();
        let record = record(&referral(&example, "agents/writing", &more));
        fs::remove_dir_all(example.path("work")).unwrap();
        record
    };
    let passed = evaluated(&[]);
    assert_eq!(passed["outcome"], "passed", "{passed:#}");
    assert_eq!(passed["attempts"][0]["evaluation"]["response"], "FAIL: the letter gives no reason");
    let reason = passed["attempts"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("the letter gives no reason") && reason.contains("referral.md:3"), "{reason}");
    assert_eq!(passed["attempts"][1]["evaluation"]["response"], "PASS");
    // It says neither by these patterns.
    let failed = evaluated(&["--pass-pattern", "^VERIFIED$", "--fail-pattern", "^REJECTED (.*)$"]);
    assert_eq!(failed["outcome"], "verification_failed", "{failed:#}");
    let last = failed["attempts"][2]["reason"].as_str().unwrap();
    assert!(last.contains("says neither that the work is done nor that it is not"), "{last}");
    // One that does not answer is no verdict.
    example.write("evaluator", "#!/bin/sh\nexit 3\n");
    let broken = evaluated(&[]);
    assert_eq!(broken["outcome"], "broken");
    assert!(broken["reason"].as_str().unwrap().contains("the evaluator broke off: it ended with 3"), "{broken:#}");
}

#[test]
fn the_broken_verifier_of_the_example_stops_the_loop() {
    let example = Example::new();
    let output = example.run("forgetful", "agents/forgetful", &["--script", "broken.star"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("broken: ") && said.contains("broken.star:3:12: "), "{said}");
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
        command.args(["--workspace", "work", "--record", "record", "--format", "json"]).args(more);
        command.arg("--").arg(format!("./{agent}")).output().unwrap()
    };
    let asked = || fs::read_to_string(example.path("asked")).unwrap().lines().count();
    let output = go_on(&["--script", "true.star"]);
    assert_eq!((record(&output)["outcome"].as_str(), asked()), (Some("passed"), 1));
    // The same again: looked at, and nobody asked.
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
    let agent = example.write("agent", "#!/bin/sh\ntouch ../asked\n");
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
        error
    };
    for more in [
        &["--record", "work/record"][..],
        &["--test-suite", "./work/suite.sh"],
        &["--test-suite", "sh ./work/suite.sh"],
        &["--evaluator", "./work/evaluator"],
        &["--hooks", "linked"],
    ] {
        let error = refused("task.yaml", more);
        assert!(error.contains("the delegate may write to work"), "{more:?}: {error}");
    }
    assert!(refused("work/task.yaml", &[]).contains("the delegate may write to work"));
    assert!(refused("task.yaml", &["--evaluator", "./agent"]).contains("nobody evaluates their own work"));
    // A temporary workspace that would lie in the evidence.
    let mut command = example.command("lying", &agent, &[]);
    let output = command.env("TMPDIR", example.path("lying/portal")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    // What it cannot write at the end, it refuses before anybody works for it.
    assert!(refused("task.yaml", &["--format", "junit"]).contains("text, json or ndjson"));
    assert!(!example.path("asked").exists());
}
