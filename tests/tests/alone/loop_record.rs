//! The record of `candor loop`: what is kept when, who holds it, what is left of a loop that was ended.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use candor_json::Value;

/// Passes from attempt 1 on, after a while.
const TASK: &str = "id: pa\nprompt: Submit it.\ncriteria:\n  - id: tests\n    label: Tests\n    assertion:\n      assert: \
                    tests-pass\n      command: [sh, -c, \"sleep 0.4; test -f done && echo \
                    1 passed in 0.1s\"]\n";
const AGENT: &str = "#!/bin/sh\ncat > prompt.$CANDOR_ATTEMPT\necho $CANDOR_ATTEMPT >> ../seen/asked\nsleep 0.2\n\
                     [ $CANDOR_ATTEMPT = 0 ] || touch done\necho Submitted as PA-$CANDOR_ATTEMPT.\n";

/// A folder with a task, a sandbox, an agent and a TMPDIR of its own.
struct Place(tempfile::TempDir);

impl Place {
    fn new(task: &str, agent: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["sandbox", "seen", "tmp", "work"] {
            fs::create_dir(place.path(folder)).unwrap();
        }
        fs::write(place.path("task.yaml"), task).unwrap();
        fs::write(place.path("agent"), agent).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(place.path("agent"), mode).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The loop, started with the signals as a shell has them in front: a test that is started in the background, or by
    /// `nohup`, would hand on that they are ignored.
    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP,INT,QUIT,TERM").arg(candor_tests::candor());
        command.args([
            "loop",
            "task.yaml",
            "--sandbox",
            "sandbox",
            "--workspace",
            "work",
            "--record",
            "rec",
            "--grant",
            "seen:rw",
        ]);
        command.args(["--format", "json"]).args(more).args(["--", "./agent"]);
        command.current_dir(self.0.path()).env("TMPDIR", self.path("tmp")).stdin(Stdio::null());
        command
    }

    fn start(&self) -> Child {
        self.command(&[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn run(&self) -> Output {
        self.command(&[]).output().unwrap()
    }

    fn attempt(&self, number: usize) -> Option<Value> {
        let bytes = fs::read(self.path(&format!("rec/attempt-{number}.json"))).ok()?;
        Some(candor_json::from_slice(&bytes).unwrap())
    }

    fn asked(&self) -> Vec<String> {
        fs::read_to_string(self.path("seen/asked")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn left(&self) -> Vec<PathBuf> {
        fs::read_dir(self.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

fn record(output: &Output) -> Value {
    candor_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(300), "{what} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn an_answer_is_kept_before_it_is_judged_and_nobody_is_asked_again() {
    for (name, code) in
        [("KILL", None), ("TERM", Some(130)), ("INT", Some(130)), ("HUP", Some(130)), ("QUIT", Some(130))]
    {
        let ended = || {
            let place = Place::new(&TASK.replace("sleep 0.4; test -f done &&", "sleep 0.4;"), AGENT);
            let mut running = place.start();
            wait_for("the answer", || place.attempt(0).is_some_and(|attempt| attempt["outcome"] != "asked"));
            signal(&running, name);
            (place, running.wait().unwrap().code())
        };
        // On a busy machine it may have passed before it was signalled.
        let mut last = ended();
        for _ in 0..20 {
            if last.1 == Some(0) {
                last = ended();
            }
        }
        let (place, ended) = last;
        assert_eq!(ended, code, "{name}");
        assert_eq!(place.attempt(0).unwrap()["claim"]["response"], "Submitted as PA-0.", "{name}");
        let output = place.run();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", error(&output));
        assert_eq!(record(&output)["attempts"][0]["claim"]["response"], "Submitted as PA-0.", "{name}");
        assert_eq!(place.asked(), ["0"], "{name}");
        assert_eq!(place.left(), Vec::<PathBuf>::new(), "{name}");
    }
}

#[test]
fn a_request_is_kept_before_it_is_made() {
    let agent = AGENT.replace("sleep 0.2", "[ -e ../seen/waited ] || { touch ../seen/waited; sleep 300; }");
    let place = Place::new(TASK, &agent);
    let mut running = place.start();
    wait_for("the delegate", || place.path("seen/waited").exists());
    running.kill().unwrap();
    running.wait().unwrap();
    let kept = place.attempt(0).unwrap();
    assert_eq!((&kept["outcome"], &kept["prompt"]), (&"asked".into(), &"Submit it.".into()));
    // The state is graded first; work that is not done is asked for again, with a word about it.
    let record = record(&place.run());
    assert_eq!(
        (record["outcome"].as_str(), place.asked()),
        (Some("passed"), ["0", "0", "1"].map(str::to_owned).to_vec())
    );
    let prompt = record["attempts"][0]["prompt"].as_str().unwrap();
    assert!(
        prompt.starts_with("You may have been asked this before") && prompt.ends_with("\n\nSubmit it."),
        "{prompt}"
    );
    assert_eq!(record["attempts"][0]["asked_before"], 1);
    // What is done is not.
    let place = Place::new(TASK, &agent.replace("touch ../seen/waited;", "touch ../seen/waited done;"));
    let mut running = place.start();
    wait_for("the work", || place.path("work/done").exists());
    running.kill().unwrap();
    running.wait().unwrap();
    let record = self::record(&place.run());
    assert_eq!((record["outcome"].as_str(), place.asked()), (Some("passed"), vec!["0".to_owned()]));
}

#[test]
fn one_loop_at_a_time_holds_a_record() {
    let place = Place::new(TASK, &AGENT.replace("sleep 0.2", "touch ../seen/works; sleep 300"));
    let mut running = place.start();
    wait_for("the delegate", || place.path("seen/works").exists());
    let second = place.run();
    assert_eq!((second.status.code(), second.stdout.len()), (Some(2), 0));
    let told = format!("rec: the loop with process id {} holds this record", running.id());
    assert!(error(&second).contains(&told), "{}", error(&second));
    // The system releases it when the holder is gone, however it ended.
    running.kill().unwrap();
    running.wait().unwrap();
    fs::write(place.path("agent"), AGENT).unwrap();
    assert_eq!(place.run().status.code(), Some(0));
}

#[test]
fn a_file_of_the_record_that_was_changed_is_named() {
    let place = Place::new(TASK, AGENT);
    let whole = record(&place.run());
    let folder = place.path("rec");
    // A reader is given what the loop wrote.
    assert_eq!(candor_verification::read_record(&folder).unwrap().unwrap(), whole);
    for (file, from, to) in [
        ("record.json", "\"passed\"", "\"failed\""),
        ("attempt-0.json", "\"failed\"", "\"passed\""),
        ("attempt-1.json", "PA-1", "PA-2"),
        ("loop.json", "Submit it.", "Submit two."),
        ("attempt-0.json", "\"digest\"", "\"digets\""),
        ("record.json", "\"digest\": \"", "\"digest\":  \""),
    ] {
        let path = folder.join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{file} has no {from}");
        fs::write(&path, before.replace(from, to)).unwrap();
        let told = candor_verification::read_record(&folder).unwrap_err();
        assert!(told.contains(file) && told.contains("was changed after it was written"), "{file}: {told}");
        let output = place.run();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{file}");
        assert!(error(&output).contains(&format!("{file}: it was changed")), "{file}: {}", error(&output));
        fs::write(&path, before).unwrap();
    }
    // One that was replaced by another, sealed as it should be, or removed.
    let other = Place::new(TASK, AGENT);
    other.run();
    let (path, gone) = (folder.join("attempt-0.json"), folder.join("gone"));
    let before = fs::read(&path).unwrap();
    fs::copy(other.path("rec/attempt-0.json"), &path).unwrap();
    assert!(
        error(&place.run()).contains("attempt-0.json: it does not follow rec/loop.json"),
        "{}",
        error(&place.run())
    );
    fs::write(&path, before).unwrap();
    for (file, expected) in
        [("attempt-0.json", "it is gone, but"), ("attempt-1.json", "an attempt was changed or removed")]
    {
        fs::rename(folder.join(file), &gone).unwrap();
        assert!(error(&place.run()).contains(expected), "{}", error(&place.run()));
        fs::rename(&gone, folder.join(file)).unwrap();
    }
    let again = place.run();
    assert_eq!((again.status.code(), place.asked().len()), (Some(0), 2), "{}", error(&again));
}

#[test]
fn a_record_of_0_1_is_gone_on_from() {
    let place = Place::new(TASK, AGENT);
    place.run();
    let folder = place.path("rec");
    // 0.1 wrote no digests, and kept an attempt only when it was judged.
    for file in ["record.json", "attempt-1.json", "lock"] {
        fs::remove_file(folder.join(file)).unwrap();
    }
    for file in ["loop.json", "attempt-0.json"] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let kept = text.split(",\n  \"previous\"").next().unwrap();
        fs::write(folder.join(file), format!("{kept}\n}}\n")).unwrap();
    }
    let record = record(&place.run());
    assert_eq!((record["outcome"].as_str(), place.asked().join("")), (Some("passed"), "011".to_owned()));
    assert_eq!(candor_verification::read_record(&folder).unwrap().unwrap(), record);
    // What was written since is held to its digest.
    let path = folder.join("attempt-1.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("PA-1", "PA-2")).unwrap();
    assert!(error(&place.run()).contains("attempt-1.json: it was changed"));
}

#[test]
fn an_answer_of_megabytes_is_kept_once() {
    let agent = "#!/bin/sh\ncat >/dev/null; head -c 2000000 /dev/zero | tr '\\0' x\n";
    let place = Place::new(TASK, agent);
    let output = place.run();
    assert_eq!(record(&output)["attempts"].as_array().unwrap().len(), 3);
    let sizes = fs::read_dir(place.path("rec")).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    let sum: u64 = sizes.sum();
    assert!(sum < 3 * 2_000_000 + 200_000, "{sum} bytes for three answers of 2 MB");
    assert_eq!(candor_verification::read_record(&place.path("rec")).unwrap().unwrap(), record(&output));
}

#[test]
fn a_record_that_cannot_be_written_changes_no_verdict() {
    // No file may be larger than 16 KiB, as where a disk is full.
    let full = |place: &Place, more: &[&str]| {
        let loop_command = place.command(more);
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "sh"]).arg(loop_command.get_program());
        command.args(loop_command.get_args()).current_dir(place.0.path()).env("TMPDIR", place.path("tmp"));
        command.stdin(Stdio::null()).output().unwrap()
    };
    let long = "head -c 100000 /dev/zero | tr '\\0' x";
    let place = Place::new(TASK, &format!("#!/bin/sh\ncat >/dev/null; touch done; {long}\n"));
    let output = full(&place, &[]);
    assert_eq!(
        (output.status.code(), record(&output)["outcome"].as_str()),
        (Some(0), Some("passed")),
        "{}",
        error(&output)
    );
    assert!(error(&output).contains("the verdict holds, but its record is not complete: "), "{}", error(&output));
    // What is there is what was kept before: the delegate was asked.
    assert_eq!(place.attempt(0).unwrap()["outcome"], "asked");
    // The delegate is not asked for an attempt that could not be kept.
    let place = Place::new(TASK, &format!("#!/bin/sh\ncat >/dev/null; echo x >> ../seen/asked; {long}\n"));
    let output = full(&place, &[]);
    assert_eq!((output.status.code(), place.asked().len()), (Some(3), 1), "{}", error(&output));
    let reason = record(&output)["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("was not asked, because the record cannot be kept"), "{reason}");
    let place = Place::new(TASK, &format!("#!/bin/sh\ncat >/dev/null; {long}\n"));
    assert_eq!(full(&place, &["--max-verify-retries", "0"]).status.code(), Some(1));
}

/// A loop while a command runs that writes into its copy.
fn while_a_command_writes() -> (Place, Child) {
    let task = TASK.replace("sleep 0.4;", "touch $TMPDIR/began; while :; do echo x > f$RANDOM; done;");
    let place = Place::new(&task, AGENT);
    let running = place.start();
    wait_for("the command", || glob(&place.path("tmp")).iter().any(|path| path.ends_with("began")));
    (place, running)
}

/// A loop while the workspace is copied, for a command that does not end by itself.
fn while_it_copies() -> (Place, Child) {
    let place = Place::new(&TASK.replace("sleep 0.4;", "sleep 300;"), AGENT);
    for number in 0..3000 {
        fs::write(place.path(&format!("work/{number}")), "x").unwrap();
    }
    let running = place.start();
    wait_for("the copy", || glob(&place.path("tmp")).len() > 50);
    (place, running)
}

#[test]
fn a_signal_leaves_no_copy_behind() {
    let mut ended = 0;
    for (number, name) in ["TERM", "INT", "HUP", "QUIT"].into_iter().enumerate() {
        for (moment, begin) in [while_a_command_writes, while_it_copies].into_iter().enumerate() {
            // In small size, each signal comes at one of the moments in turn.
            if candor_test_size::pick(number % 2 != moment, false) {
                continue;
            }
            let (place, mut running) = begin();
            signal(&running, name);
            assert_eq!(running.wait().unwrap().code(), Some(130), "{name}");
            assert_eq!(place.left(), Vec::<PathBuf>::new(), "{name}");
            ended += 1;
        }
    }
    println!("{ended} loops were ended by a signal");
    assert!(ended >= 4, "{ended}");
}

/// Everything below a folder.
fn glob(folder: &Path) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        // What is removed meanwhile is not there.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

/// The same numbers for the same seed, on every machine.
fn random(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x2545_f491_4f6c_dd1d);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[test]
fn a_kill_at_any_moment_loses_nothing_and_leaves_nothing() {
    const AT_ONCE: u64 = 4;
    let seeds: u64 = candor_test_size::pick(10, 200);
    std::thread::scope(|scope| {
        for first in 0..AT_ONCE {
            scope.spawn(move || {
                for seed in (first..seeds).step_by(AT_ONCE as usize) {
                    a_kill_loses_nothing_and_leaves_nothing(seed);
                }
            });
        }
    });
}

/// Kills a loop at moments of this seed.
fn a_kill_loses_nothing_and_leaves_nothing(seed: u64) {
    let place = Place::new(TASK, AGENT);
    let mut kept: Vec<Value> = Vec::new();
    let mut kills = 0;
    // Killed twice, so that a loop that goes on is killed, too.
    for kill in 0..2 {
        let mut running = place.start();
        std::thread::sleep(Duration::from_millis(random(seed * 2 + kill) % 1800));
        // Killing one that has ended already does no harm.
        let _ = running.kill();
        kills += usize::from(running.wait().unwrap().code().is_none());
        kept = (0..3).map_while(|number| place.attempt(number)).collect();
    }
    let output = place.run();
    assert_eq!(output.status.code(), Some(0), "seed {seed}: {}", error(&output));
    let (record, asked) = (record(&output), place.asked());
    for (number, attempt) in kept.iter().enumerate().filter(|(_, attempt)| attempt["outcome"] != "asked") {
        assert_eq!(record["attempts"][number]["claim"], attempt["claim"], "seed {seed}: an answer was lost");
    }
    for (number, attempt) in record["attempts"].as_array().unwrap().iter().enumerate() {
        let times = asked.iter().filter(|asked| **asked == number.to_string()).count();
        let before = attempt["asked_before"].as_u64().unwrap_or_default() as usize;
        // A delegate that was killed before it began has not written that it was asked.
        assert!(times <= before + 1 && before <= kills, "seed {seed}: attempt {number} was asked for {times} times");
    }
    assert_eq!(place.left(), Vec::<PathBuf>::new(), "seed {seed}");
    assert!(candor_verification::read_record(&place.path("rec")).unwrap().is_some(), "seed {seed}");
}
