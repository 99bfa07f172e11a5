//! `candor bench` with an agent: the bundled example, going on after a kill, and how a run ends early.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use candor_json::Value;

fn front_desk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples/front-desk").canonicalize().unwrap()
}

fn candor(folder: &Path, args: &[&str]) -> Output {
    Command::new(candor_tests::candor()).args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    candor_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// The lines of a results file.
fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| candor_json::from_str(line).unwrap()).collect()
}

fn keys(lines: &[Value]) -> Vec<(String, u64)> {
    let key = |line: &Value| (line["entry"].as_str().unwrap().to_owned(), line["epoch"].as_u64().unwrap());
    lines.iter().map(key).collect()
}

#[test]
fn the_careful_agent_passes_and_the_others_fail_where_they_must() {
    let folder = tempfile::tempdir().unwrap();
    let none: &[(&str, &str)] = &[];
    let lying = [("book", "booked"), ("book", "booked-once"), ("claim", "claimed"), ("refill", "refilled")];
    let lying = [&lying[..], &[("register", "registered"), ("register", "well-formed")]].concat();
    for (agent, code, expected) in
        [("careful", 0, none), ("forgetful", 1, &[("claim", "claimed"), ("refill", "refilled")]), ("lying", 1, &lying)]
    {
        let results = folder.path().join(agent);
        let command = format!("agents/{agent}");
        let args = ["bench", "benchmark.yaml", "--results", results.to_str().unwrap(), "--jobs", "2", "--", &command];
        let output = candor(&front_desk(), &args);
        assert_eq!(output.status.code(), Some(code), "{agent}: {}{}", text(&output.stdout), text(&output.stderr));
        let mut red = BTreeSet::new();
        for line in lines(&results) {
            for criterion in line["criterion_runs"].as_array().unwrap() {
                if criterion["status"] != "passed" {
                    let pair = |value: &Value| value.as_str().unwrap().to_owned();
                    red.insert((pair(&line["entry"]), pair(&criterion["criterion_id"])));
                }
            }
        }
        let red: Vec<(&str, &str)> = red.iter().map(|(entry, id)| (entry.as_str(), id.as_str())).collect();
        assert_eq!(red, expected, "{agent}");
        // Whoever reads the file comes to the same figures.
        let table = json(&output);
        for other in [&["score"][..], &["report"]] {
            let args = [other, &[results.to_str().unwrap(), "--format", "json"]].concat();
            let read = candor(folder.path(), &args);
            assert_eq!(read.status.code(), Some(code), "{}", text(&read.stderr));
            for member in ["verdict", "score", "interval", "confidence", "pass_rate", "axes"] {
                assert_eq!(json(&read)[member], table[member], "{agent}: {other:?} {member}");
            }
        }
    }
}

#[test]
fn the_tasks_of_the_example_are_proven() {
    let output = candor(&front_desk(), &["audit", "benchmark.yaml", "--format", "json"]);
    assert_eq!(json(&output)["grade"], "proven", "{}", text(&output.stdout));
    assert_eq!(candor(&front_desk(), &["lint", "benchmark.yaml", "--strict"]).status.code(), Some(0));
}

/// A benchmark of many small tasks, in a folder with a TMPDIR of its own.
struct Place(tempfile::TempDir);

const TASKS: usize = 8;

impl Place {
    fn new(agent: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["world/portal", "tmp", "seen"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        fs::write(place.path("world/portal/notes.json"), "[]").unwrap();
        let task = "id: note\nprompt: Write the note.\nloop: { grant: [portal] }\ncriteria:\n  - id: noted\n    assertion:\n      \
                    assert: portal-state-match\n      correlate_by: { resource: notes, key: id, value: 1 }\n      \
                    assertions: [{ path: text, expected: done }]\n";
        fs::write(place.path("task.yaml"), task).unwrap();
        let entry = |number| format!("  - {{ task: task.yaml, world: world, id: t{number} }}\n");
        let entries: String = (0..TASKS).map(entry).collect();
        fs::write(place.path("bench.yaml"), format!("id: notes\ntasks:\n{entries}")).unwrap();
        place.agent(agent);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn agent(&self, body: &str) {
        fs::write(self.path("agent"), format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(self.path("agent"), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM").arg(candor_tests::candor());
        command.args(["bench", "bench.yaml", "--results", "r.ndjson", "--grant", "seen:rw", "--format", "json"]);
        command.args(more).args(["--", "./agent", "{entry}.{epoch}", "{world}", "seen"]);
        command.current_dir(self.0.path()).env("TMPDIR", self.path("tmp")).stdin(Stdio::null());
        command
    }

    fn run(&self, more: &[&str]) -> Output {
        self.command(more).output().unwrap()
    }

    fn start(&self, more: &[&str]) -> Child {
        self.command(more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Waits for an agent that says in `seen` that it began.
    fn wait_for_the_agent(&self) {
        let began = Instant::now();
        while !self.path("seen/began").exists() {
            assert!(began.elapsed() < Duration::from_secs(120), "the agent was not asked");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn lines(&self) -> Vec<Value> {
        lines(&self.path("r.ndjson"))
    }

    /// How often the agent was asked for each task run that has a line.
    fn marks(&self) -> BTreeMap<String, usize> {
        let text = fs::read_to_string(self.path("r.ndjson")).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines: Vec<Value> = whole.lines().map(|line| candor_json::from_str(line).unwrap()).collect();
        let mark = |(entry, epoch)| {
            let name = format!("{entry}.{epoch}");
            let mark = fs::read(self.path("seen").join(&name)).unwrap_or_default();
            (name, mark.len())
        };
        keys(&lines).into_iter().map(mark).collect()
    }
}

const WORKS: &str = "echo '[{\"id\": 1, \"text\": \"done\"}]' > \"$2/portal/notes.json\"; echo Done.";

#[test]
fn every_task_run_begins_in_a_copy_of_its_own() {
    let place = Place::new(&format!("[ \"$2\" = \"$CANDOR_WORLD\" ] && [ \"$PWD\" = \"$2/workspace\" ]\n{WORKS}"));
    let output = place.run(&["--epochs", "2", "--only", "t[0-3]"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let keys: BTreeSet<_> = keys(&place.lines()).into_iter().collect();
    assert_eq!((keys.len(), place.lines().len()), (8, 8));
    assert_eq!(fs::read_to_string(place.path("world/portal/notes.json")).unwrap(), "[]");
    assert_eq!(fs::read_dir(place.path("tmp")).unwrap().count(), 0);
    let table = json(&output);
    assert_eq!((table["tasks"].as_u64(), table["passed"].as_u64()), (Some(4), Some(8)));
    assert_eq!(table["pass_hat_k"].as_array().unwrap().len(), 2);
    // All of it is there, and the other half is run.
    let output = place.run(&["--epochs", "2"]);
    assert_eq!((output.status.code(), place.lines().len()), (Some(0), 2 * TASKS), "{}", text(&output.stderr));
}

#[test]
fn kills_lose_nothing_and_double_nothing() {
    let kills: usize = candor_test_size::pick(3, 20);
    // Each time that the agent is asked for a task run leaves a mark.
    let place = Place::new(&format!("sleep 0.1; printf x >> \"$3/$1\" || exit 9\n{WORKS}"));
    let epochs = (2 + kills).to_string();
    let more = ["--epochs", epochs.as_str(), "--jobs", "2"];
    let mut seed = u64::from(std::process::id());
    let mut marks = BTreeMap::new();
    for kill in 0..kills {
        let before = fs::read(place.path("r.ndjson")).unwrap_or_default();
        let whole = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut running = place.start(&more);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // At a random moment after so many more task runs; before the first one, too.
        let enough = place.marks().len() + [2, 0, 3, 1][kill % 4];
        while place.marks().len() < enough && running.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis((seed >> 33) % 150));
        let _ = running.kill();
        running.wait().unwrap();
        let after = fs::read(place.path("r.ndjson")).unwrap_or_default();
        assert!(after.starts_with(&before[..whole]), "kill {kill} changed what was written");
        for (key, count) in place.marks() {
            let first = *marks.entry(key.clone()).or_insert(count);
            assert_eq!((first, count > 0), (count, true), "kill {kill}: {key} is in the file, and was asked for again");
        }
    }
    assert!(marks.len() >= kills, "{marks:?}");
    let output = place.run(&more);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let keys = keys(&place.lines());
    let different: BTreeSet<_> = keys.iter().collect();
    assert_eq!((keys.len(), different.len()), (TASKS * epochs.parse::<usize>().unwrap(), keys.len()));
    let after = place.marks();
    assert!(marks.iter().all(|(key, count)| after[key] == *count), "{marks:?} {after:?}");
    // What the killed ones left in TMPDIR is gone with the next start.
    assert_eq!(fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}

#[test]
fn a_torn_last_line_is_cut_off_and_named() {
    let place = Place::new(WORKS);
    assert_eq!(place.run(&[]).status.code(), Some(0));
    let whole = fs::read_to_string(place.path("r.ndjson")).unwrap();
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    fs::write(place.path("r.ndjson"), &whole[..whole.len() - 40]).unwrap();
    let output = place.run(&[]);
    let bytes = whole.len() - 40 - last;
    let said = format!(
        "r.ndjson: the last line was not written whole; its {bytes} bytes were cut off, and that task run is run again\n"
    );
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), said));
    assert_eq!((place.lines().len(), json(&output)["passed"].as_u64()), (TASKS, Some(TASKS as u64)));
}

#[test]
fn a_crash_fails_its_task_and_no_other() {
    let place = Place::new(&format!("{WORKS}\n[ $1 != t3.1 ] || {{ echo out of memory >&2; exit 7; }}"));
    let output = place.run(&["--keep-failed", "kept"]);
    let table = json(&output);
    assert_eq!((table["passed"].as_u64(), table["failed"].as_u64()), (Some(7), Some(1)), "{table:#}");
    let open = &table["not_passed"][0];
    assert_eq!((open["entry"].as_str(), open["world"].as_str()), (Some("t3"), Some("kept/t3-1")));
    let reason = open["reasons"][0].as_str().unwrap();
    assert!(reason.contains("exit code 7") && reason.contains("out of memory"), "{reason}");
    assert!(fs::read_to_string(place.path("kept/t3-1/portal/notes.json")).unwrap().contains("done"));
    assert_eq!(place.lines().iter().filter(|line| line["delegate_error"].is_string()).count(), 1);
}

/// A failed gate leaves the score of its task, and the verdict counts 0 for it.
#[test]
fn a_benchmark_whose_runs_all_crashed_fails_and_names_them() {
    let place = Place::new(&format!("{WORKS}\nexit 7"));
    let output = place.run(&[]);
    let table = json(&output);
    assert_eq!((output.status.code(), table["verdict"].as_str()), (Some(1), Some("fail")), "{table:#}");
    assert_eq!((table["passed"].as_u64(), table["failed"].as_u64()), (Some(0), Some(TASKS as u64)));
    for other in ["score", "report"] {
        let read = candor(place.0.path(), &[other, "r.ndjson", "--format", "text"]);
        let shown = text(&read.stdout);
        let line = shown.lines().rfind(|line| line.contains("FAIL")).unwrap_or(&shown);
        assert_eq!(line.trim(), format!("FAIL, {TASKS} of {TASKS} task runs failed; score 1"), "{other}");
    }
}

#[test]
fn a_world_that_cannot_be_kept_ends_the_benchmark_and_loses_no_task_run() {
    let place = Place::new(": > $3/began; until [ -e $3/go ]; do sleep 0.05; done; echo Done.");
    let mut command = place.command(&["--keep-failed", "kept", "--only", "t0"]);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    place.wait_for_the_agent();
    fs::remove_dir(place.path("kept")).unwrap();
    fs::write(place.path("kept"), "").unwrap();
    fs::write(place.path("seen/go"), "").unwrap();
    let output = running.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), place.lines().len()), (Some(2), 1), "{said}");
    assert!(said.starts_with("kept: the world of t0-1 cannot be kept there: ") && said.lines().count() == 1, "{said}");
    assert_eq!(place.lines()[0]["kept"], Value::Null);
    // Before anybody works, if it is wrong by then.
    let output = place.run(&["--keep-failed", "kept", "--epochs", "2"]);
    assert_eq!((output.status.code(), place.lines().len()), (Some(2), 1), "{}", text(&output.stderr));
}

#[test]
fn no_result_is_written_where_the_agent_may_write() {
    let place = Place::new(WORKS);
    for option in ["--out", "--keep-failed"] {
        let output = place.run(&["--only", "t0", option, "seen/new"]);
        assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{option}");
        assert!(text(&output.stderr).contains("could lead the result elsewhere"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_world_that_its_agent_made_too_deep_is_not_kept_and_ends_nothing() {
    let deep = "name=$(printf %0200d 0); i=0; while [ $i -lt 30 ]; do mkdir $name && cd $name; i=$((i+1)); done";
    let place = Place::new(&format!("[ $1 != t0.1 ] || ( {deep} )\necho Done."));
    let output = place.run(&["--keep-failed", "kept", "--only", "t[01]", "--jobs", "1"]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), place.lines().len()), (Some(1), 2), "{said}");
    let (kept, not): (Vec<_>, Vec<_>) = place.lines().into_iter().partition(|line| line["kept"].is_string());
    assert_eq!((kept.len(), not.len()), (1, 1), "{said}");
    assert!(said.contains("the world of t0-1 is not kept: ") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_world_is_kept_whatever_the_id_of_its_entry_is() {
    let place = Place::new("echo Done.");
    let (long, odd) = ("é".repeat(300), "../a\\n\\e[31m");
    let entries = [&long, odd].map(|id| format!("  - {{ task: task.yaml, world: world, id: \"{id}\" }}\n")).concat();
    fs::write(place.path("bench.yaml"), format!("id: notes\ntasks:\n{entries}")).unwrap();
    let output = place.run(&["--keep-failed", "kept"]);
    assert_eq!((output.status.code(), place.lines().len()), (Some(1), 2), "{}", text(&output.stderr));
    for name in [&format!("{}-1", "é".repeat(56)), "..-a--[31m-1"] {
        assert!(place.path("kept").join(name).join("portal/notes.json").is_file(), "{name}");
    }
}

#[test]
fn machines_share_a_benchmark_by_shards() {
    let place = Place::new(WORKS);
    let mut merged = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let output = place.run(&["--shard", shard]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        merged.extend(fs::read(place.path("r.ndjson")).unwrap());
        fs::remove_file(place.path("r.ndjson")).unwrap();
    }
    fs::write(place.path("r.ndjson"), merged).unwrap();
    assert_eq!((place.lines().len(), keys(&place.lines()).into_iter().collect::<BTreeSet<_>>().len()), (TASKS, TASKS));
    // Nothing is left to run, so the agent is not missed.
    fs::remove_file(place.path("agent")).unwrap();
    let output = place.run(&[]);
    assert_eq!((output.status.code(), json(&output)["passed"].as_u64()), (Some(0), Some(TASKS as u64)));
    let output = place.run(&["--shard", "9/9"]);
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1), "{}", text(&output.stderr));
}

#[test]
fn files_that_a_task_names_are_part_of_the_version() {
    let place = Place::new(WORKS);
    let task = fs::read_to_string(place.path("task.yaml")).unwrap();
    fs::write(place.path("task.yaml"), task.replace("[portal]", "[portal], overlay: tests")).unwrap();
    // The test is a link to a file that other tasks have, too.
    for folder in ["tests", "shared"] {
        fs::create_dir(place.path(folder)).unwrap();
    }
    std::os::unix::fs::symlink("../shared/test", place.path("tests/test")).unwrap();
    for (text_of_test, code) in [("one", 0), ("one", 0), ("two", 2)] {
        fs::write(place.path("shared/test"), text_of_test).unwrap();
        let output = place.run(&["--only", "t0"]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), place.lines().len()), (Some(code), 1), "{said}");
        assert_eq!(said.contains("another version of `notes`"), code == 2, "{said}");
    }
}

#[test]
fn a_profile_is_part_of_the_version() {
    let place = Place::new(WORKS);
    let task = fs::read_to_string(place.path("task.yaml")).unwrap();
    let heard = "criteria:\n  - id: form\n    assertion: { assert: hl7-structural, correlate_by: { message_type: \
                 \"ADT^A01\" }, profile: p.yaml }\n";
    fs::write(place.path("task.yaml"), task.replace("criteria:\n", heard)).unwrap();
    fs::create_dir_all(place.path("world/hl7")).unwrap();
    for (usage, code) in [("R", 1), ("R", 1), ("X", 2)] {
        let profile = format!("profile: A receiver\nfields:\n  - {{ path: PID.5, usage: {usage} }}\n");
        fs::write(place.path("p.yaml"), profile).unwrap();
        let output = place.run(&["--only", "t0"]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), place.lines().len()), (Some(code), 1), "{said}{}", text(&output.stdout));
        assert_eq!(said.contains("another version of `notes`"), code == 2, "{said}");
    }
}

#[test]
fn a_file_of_something_else_stays_whole() {
    let place = Place::new(WORKS);
    for content in ["{\"a\":1}", "notes", "{\"benchmark_id\":\"other\",\"bench", "{\"benchmark_id\": 1"] {
        fs::write(place.path("r.ndjson"), content).unwrap();
        let output = place.run(&[]);
        let said = "r.ndjson: the last line: this is not a task run of `candor bench --results`; give --results another file\n";
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), said), "{content}");
        assert_eq!(fs::read_to_string(place.path("r.ndjson")).unwrap(), content);
    }
}

#[test]
fn further_answers_and_epochs_are_shown_in_every_format() {
    let place = Place::new(&format!("[ \"$CANDOR_ATTEMPT\" = 0 ] || {{ {WORKS}; }}"));
    let more =
        ["--epochs", "2", "--max-verify-retries", "1", "--only", "t0", "--html", "h.html", "--keep-failed", "kept"];
    let output = place.run(&more);
    let table = json(&output);
    assert_eq!((output.status.code(), table["gained"].as_f64()), (Some(1), Some(1.0)), "{}", text(&output.stderr));
    assert_eq!((&table["entries"][0]["gained"], &table["entries"][0]["mean"]), (&1.0.into(), &0.0.into()));
    let page = fs::read_to_string(place.path("h.html")).unwrap();
    for part in ["t0, epoch 1", "t0, epoch 2", " s of work", "+1.00 with the last answer", "kept/t0-2"] {
        assert!(page.contains(part), "{part}");
    }
    for format in ["markdown", "junit", "github", "csv", "sarif", "html", "text"] {
        let written = text(&candor(place.0.path(), &["report", "r.ndjson", "--format", format]).stdout);
        let comma = if format == "github" { "%2C" } else { "," };
        for epoch in 1..=2 {
            assert!(written.contains(&format!("t0{comma} epoch {epoch}")), "{format}: {written}");
        }
    }
    let args = ["report", "r.ndjson", "--task", "t0, epoch 2", "--format", "json"];
    assert_eq!(json(&candor(place.0.path(), &args))["epoch"], 2);
    let lines = fs::read_to_string(place.path("r.ndjson")).unwrap();
    let first = |line: &&str| candor_json::from_str::<Value>(line).unwrap()["epoch"] == 1;
    fs::write(place.path("one.ndjson"), lines.lines().find(first).unwrap()).unwrap();
    let page = text(&candor(place.0.path(), &["report", "one.ndjson", "--format", "html"]).stdout);
    assert!(page.contains("epoch 1, ") && page.contains("kept/t0-1"), "{page}");
    let agent = ["--", "./agent", "{entry}.{epoch}", "{world}", "seen"];
    let table = ["bench", "bench.yaml", "--results", "r.ndjson", "--only", "t0", "--format", "text"];
    let written = text(&candor(place.0.path(), &[&table[..], &agent].concat()).stdout);
    let gain = "2 task runs had further answers: mean score 1 with the last one (+1.00)";
    assert!(written.contains(gain) && written.contains(" gain ") && written.contains("  +1.00  "), "{written}");
}

#[test]
fn an_agent_that_got_worse_is_found_over_any_number_of_epochs() {
    let place = Place::new(WORKS);
    assert_eq!(place.run(&["--only", "t0"]).status.code(), Some(0));
    fs::rename(place.path("r.ndjson"), place.path("before.ndjson")).unwrap();
    place.agent("echo Done.");
    assert_eq!(place.run(&["--only", "t0", "--epochs", "3"]).status.code(), Some(1));
    let args = ["report", "r.ndjson", "--against", "before.ndjson", "--format", "json"];
    let output = candor(place.0.path(), &args);
    let counts = &json(&output)["tasks"]["counts"];
    assert_eq!((output.status.code(), &counts["worse"], &counts["undecided"]), (Some(1), &1.into(), &2.into()));
}

#[test]
fn a_task_that_no_work_could_pass_is_refused_before_any_agent_works() {
    let place = Place::new(WORKS);
    fs::write(place.path("empty.yaml"), "id: empty\nprompt: Write the note.\ncriteria: []\n").unwrap();
    let entries = fs::read_to_string(place.path("bench.yaml")).unwrap();
    fs::write(place.path("bench.yaml"), entries + "  - { task: empty.yaml, world: world, id: empty }\n").unwrap();
    let output = place.run(&[]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{said}");
    assert!(said.contains("empty.yaml: the task has no criteria, and no script, test suite or evaluator"), "{said}");
}

#[test]
fn nothing_is_written_over_the_results() {
    let place = Place::new(WORKS);
    std::os::unix::fs::symlink("r.ndjson", place.path("link")).unwrap();
    for code in [2, 0, 2] {
        for more in [["--out", "r.ndjson"], ["--html", "./link"]] {
            let before = fs::read(place.path("r.ndjson")).unwrap_or_default();
            let output = place.run(if code == 0 { &[] } else { &more });
            assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
            let after = fs::read(place.path("r.ndjson")).unwrap_or_default();
            assert!(after.starts_with(&before) && (code == 0 || after == before), "{more:?}");
        }
    }
}

#[test]
fn results_are_kept_outside_of_every_world() {
    let place = Place::new(WORKS);
    for more in [["--keep-failed", "world/new/kept"], ["--results", "world/portal/r.ndjson"]] {
        let mut command = Command::new(candor_tests::candor());
        command.args(["bench", "bench.yaml"]).args(more).current_dir(place.0.path()).stdin(Stdio::null());
        let results: &[&str] = if more[0] == "--results" { &[] } else { &["--results", "r.ndjson"] };
        let output = command.args(results).args(["--", "./agent"]).output().unwrap();
        let said = format!("{}: it lies in the world `world`, and the next agent would find it; ", more[1]);
        assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0));
        assert!(text(&output.stderr).starts_with(&said), "{}", text(&output.stderr));
    }
    assert_eq!(fs::read_dir(place.path("world/portal")).unwrap().count(), 1);
}

#[test]
fn a_part_that_the_agent_writes_is_copied_or_refused() {
    let place = Place::new("echo '[{\"id\": 1, \"text\": \"done\"}]' > \"$3/portal/notes.json\"");
    for is_link in [true, false] {
        let _ = fs::remove_dir_all(place.path("seen/portal"));
        fs::create_dir_all(place.path("seen/portal")).unwrap();
        let said = if is_link {
            fs::remove_dir_all(place.path("world/portal")).unwrap();
            std::os::unix::fs::symlink(place.path("seen/portal"), place.path("world/portal")).unwrap();
            "world/portal: it leads out of the world, or nowhere, and is not copied".to_owned()
        } else {
            fs::remove_file(place.path("world/portal")).unwrap();
            fs::create_dir(place.path("world/portal")).unwrap();
            let outside = place.path("seen/portal");
            fs::write(place.path("world/sandbox.toml"), format!("[portal]\npath = {outside:?}\n")).unwrap();
            format!("world/sandbox.toml: it has the part `portal` at `{}`, which is not copied", outside.display())
        };
        let output = place.run(&["--only", "t0"]);
        assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{}", text(&output.stdout));
        assert!(text(&output.stderr).starts_with(&said), "{}", text(&output.stderr));
        assert_eq!(fs::read_dir(place.path("seen/portal")).unwrap().count(), 0);
    }
}

#[test]
fn a_link_that_a_copy_of_the_world_would_lack_is_refused() {
    let place = Place::new(WORKS);
    fs::write(place.path("seen/shared"), "").unwrap();
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, place.path(name)).unwrap();
    for (target, name) in [
        ("../seen/shared", "world/sandbox.toml"),
        ("../seen/shared", "world/events.ndjson"),
        ("nowhere", "world/events.ndjson"),
        ("nowhere", "world/portal/more.json"),
    ] {
        link(target, name);
        let output = place.run(&["--only", "t0"]);
        assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{name}: {}", text(&output.stdout));
        let said = text(&output.stderr);
        assert!(said.starts_with(&format!("{name}: it leads out of the world, or nowhere")), "{said}");
        fs::remove_file(place.path(name)).unwrap();
    }
    let pipe = place.path("world/portal/more.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let output = place.run(&["--only", "t0"]);
    assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{}", text(&output.stdout));
    let said = "world/portal/more.json: it is a pipe, a socket or a device, and is not copied; remove it\n";
    assert_eq!(text(&output.stderr), said);
    fs::remove_file(pipe).unwrap();
    for folder in ["world/workspace", "world/hl7"] {
        fs::create_dir(place.path(folder)).unwrap();
    }
    link("/bin/sh", "world/workspace/sh");
    // No criterion reads this part.
    link("nowhere", "world/hl7/a.hl7");
    let output = place.run(&["--only", "t0"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_pipe_that_the_agent_leaves_in_a_part_is_seen() {
    let place = Place::new(&format!("mkfifo \"$2/portal/more.json\"; {WORKS}"));
    let task = fs::read_to_string(place.path("task.yaml")).unwrap();
    let unchanged = "  - { id: rest, assertion: { assert: state-unchanged, except: [{ added: \"portal:notes\" }] } }\n";
    fs::write(place.path("task.yaml"), task + unchanged).unwrap();
    let output = place.run(&["--only", "t0"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    let rest = &place.lines()[0]["criterion_runs"][1];
    assert!(rest["details"].as_str().unwrap().contains("more.json is a link that leads nowhere"), "{rest}");
}

#[test]
fn a_part_that_is_only_compared_is_copied_whole_or_refused() {
    let place = Place::new(WORKS);
    let task = fs::read_to_string(place.path("task.yaml")).unwrap();
    let unchanged = "  - { id: rest, assertion: { assert: state-unchanged, parts: [files] } }\n";
    fs::write(place.path("task.yaml"), task + unchanged).unwrap();
    fs::create_dir(place.path("world/files")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("world/files/a.txt")).unwrap();
    let refused = |expected: &str| {
        let output = place.run(&["--only", "t0"]);
        assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{}", text(&output.stdout));
        assert!(text(&output.stderr).starts_with(expected), "{}", text(&output.stderr));
    };
    refused("world/files/a.txt: it leads out of the world, or nowhere, and is not copied");
    let outside = place.path("elsewhere");
    fs::create_dir(&outside).unwrap();
    fs::write(place.path("world/sandbox.toml"), format!("[files]\npath = {outside:?}\n")).unwrap();
    let at = outside.display();
    refused(&format!(
        "world/sandbox.toml: it has the part `files` at `{at}`, which is not copied, so `state-unchanged`"
    ));
    fs::remove_file(place.path("world/sandbox.toml")).unwrap();
    fs::remove_file(place.path("world/files/a.txt")).unwrap();
    let output = place.run(&["--only", "t0"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_task_or_a_world_that_changes_meanwhile_ends_the_benchmark() {
    for file in ["task.yaml", "world/portal/notes.json"] {
        let place = Place::new(&format!(": > $3/began; until [ -e $3/go ]; do sleep 0.05; done\n{WORKS}"));
        let mut command = place.command(&["--only", "t0"]);
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        place.wait_for_the_agent();
        let was = fs::read_to_string(place.path(file)).unwrap();
        fs::write(place.path(file), was.replace("done", "other") + "\n").unwrap();
        fs::write(place.path("seen/go"), "").unwrap();
        let output = running.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), place.lines().len()), (Some(2), 0), "{file}: {said}");
        assert!(said.contains("changed while the benchmark ran") && said.lines().count() == 1, "{said}");
        // With its first content it goes on.
        fs::write(place.path(file), was).unwrap();
        assert_eq!(place.run(&["--only", "t0"]).status.code(), Some(0), "{file}");
    }
}

#[test]
fn a_path_need_not_be_utf_8() {
    let place = Place::new(&format!("[ \"$2\" = \"$CANDOR_WORLD\" ] || exit 9\n{WORKS}\n[ $1 = t0.1 ]"));
    let odd = place.0.path().join(std::ffi::OsStr::from_bytes(b"a \xff"));
    fs::create_dir_all(odd.join("tmp")).unwrap();
    let all = ["task.yaml", "bench.yaml", "world", "agent"].map(|name| place.path(name));
    assert!(Command::new("cp").arg("-r").args(all).arg(&odd).status().unwrap().success());
    let mut command = Command::new(candor_tests::candor());
    command.arg("bench").arg(odd.join("bench.yaml")).arg("--keep-failed").arg(odd.join("kept"));
    command.arg("--results").arg(place.path("r.ndjson")).args(["--only", "t[01]", "--format", "json", "--"]);
    command.arg(odd.join("agent")).args(["{entry}.{epoch}", "{world}"]).env("TMPDIR", odd.join("tmp"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let table = json(&output);
    assert_eq!((table["passed"].as_u64(), table["failed"].as_u64()), (Some(1), Some(1)), "{table:#}");
    assert!(table["not_passed"][0]["reasons"][0].as_str().unwrap().contains("exit code 1"), "{table:#}");
    assert!(odd.join("kept/t1-1/portal/notes.json").is_file());
}

#[test]
fn an_agent_that_cannot_be_started_ends_the_benchmark() {
    let place = Place::new(WORKS);
    fs::remove_file(place.path("agent")).unwrap();
    let output = place.run(&[]);
    assert_eq!((output.status.code(), output.stdout.len(), place.lines().len()), (Some(3), 0, 0));
    let said = text(&output.stderr);
    assert!(said.contains(", epoch 1: the delegate cannot be reached") && said.lines().count() == 1, "{said}");
}

#[test]
fn what_cannot_be_verified_is_not_among_what_failed() {
    let place = Place::new("echo Done.");
    let heard = "criteria:\n  - id: heard\n    assertion: { assert: voice-transcript, call: c, speaker: agent, contains: \
                 [{ phrase: yes }] }\n";
    let task = fs::read_to_string(place.path("task.yaml")).unwrap();
    fs::write(place.path("task.yaml"), task.replace("criteria:\n", &format!("pass: all\n{heard}"))).unwrap();
    // The first fails whatever could not be verified, and so does the benchmark.
    for (agent, code, counts) in [("echo Done.", 1, [0, 1, 0]), (WORKS, 3, [0, 0, 1])] {
        place.agent(agent);
        let _ = fs::remove_file(place.path("r.ndjson"));
        let output = place.run(&["--only", "t0"]);
        let table = json(&output);
        let counted = ["passed", "failed", "unverifiable"].map(|name| table[name].as_u64().unwrap());
        assert_eq!((output.status.code(), counted), (Some(code), counts), "{table:#}");
    }
}

#[test]
fn a_signal_ends_it_and_leaves_what_was_written() {
    let place = Place::new(&format!("[ $1 = t0.1 ] || sleep 300\n{WORKS}"));
    let mut command = place.command(&["--jobs", "2"]);
    let running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while place.lines().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(120), "no line came");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    let said = "interrupted: r.ndjson has 1 task run, and the same command goes on\n";
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(130), said));
    assert_eq!((place.lines().len(), fs::read_dir(place.path("tmp")).unwrap().count()), (1, 0));
}

#[test]
fn the_record_of_a_loop_has_the_same_line() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let sandbox = folder.path().join("sandbox");
    fs::create_dir_all(sandbox.join("portal")).unwrap();
    let task = front_desk().join("tasks/book.yaml");
    let agent = front_desk().join("agents/lying");
    let [task, sandbox, agent] = [&task, &sandbox, &agent].map(|path| path.to_str().unwrap());
    let args = ["loop", task, "--sandbox", sandbox, "--record", record.to_str().unwrap(), "--", agent];
    let output = candor(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let line = record.join("task_run.ndjson");
    let read = &lines(&line)[0];
    assert_eq!(
        (read["entry"].as_str(), read["attempts"].as_u64(), read["score"].as_f64()),
        (Some("book"), Some(3), Some(0.0))
    );
    let score = candor(folder.path(), &["score", line.to_str().unwrap(), "--format", "json"]);
    assert_eq!((score.status.code(), json(&score)["verdict"].as_str()), (Some(1), Some("fail")));
}
