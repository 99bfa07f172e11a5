//! The cost of `candor bench` for a task: the same command by `xargs -P2`, which copies no world, confines nothing and checks
//! nothing, and the most memory at 10, 100 and 1,000 tasks.
//!
//! `cargo xtask bench agents`. The first agent writes a row and ends. The second one takes a second for it, which is little
//! for an agent with a model.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TASK: &str = "id: note\nprompt: Write the note.\nloop: { grant: [portal] }\ncriteria:\n  - id: noted\n    assertion:\n      \
                    assert: portal-state-match\n      correlate_by: { resource: notes, key: id, value: 1 }\n      \
                    assertions: [{ path: text, expected: done }]\n";
const WORKS: &str = "echo '[{\"id\": 1, \"text\": \"done\"}]' > \"$1/portal/notes.json\"";

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = candor_benches::binary();
    for (name, before, tasks) in [("an instant agent", "", 200), ("an agent of one second", "sleep 1\n", 40)] {
        let place = folder.path().join(name.replace(' ', "-"));
        written(&place, before, tasks);
        let (by_candor, _) = candor(&binary, &place);
        let by_xargs = xargs(&place, tasks);
        let per_task = (by_candor.as_secs_f64() - by_xargs.as_secs_f64()) * 1000.0 / tasks as f64;
        println!(
            "{name}, {tasks} tasks, two at a time: xargs {:.2} s, candor bench {:.2} s, {:.2} times, {per_task:.1} ms more a \
             task",
            by_xargs.as_secs_f64(),
            by_candor.as_secs_f64(),
            by_candor.as_secs_f64() / by_xargs.as_secs_f64(),
        );
    }
    for tasks in [10, 100, 1000] {
        let place = folder.path().join(tasks.to_string());
        written(&place, "", tasks);
        let (took, memory) = candor(&binary, &place);
        println!("{tasks} tasks: at most {memory} KB of memory, {:.2} s", took.as_secs_f64());
    }
}

/// A benchmark of so many tasks, each with a world of its own, and an agent that does `before` first.
fn written(place: &Path, before: &str, tasks: usize) {
    fs::create_dir_all(place).expect("a folder");
    fs::write(place.join("task.yaml"), TASK).expect("room");
    let mut entries = String::from("id: notes\ntasks:\n");
    for number in 0..tasks {
        let portal = place.join(format!("worlds/{number}/portal"));
        fs::create_dir_all(&portal).expect("a folder");
        fs::write(portal.join("notes.json"), "[]").expect("room");
        entries += &format!("  - {{ task: task.yaml, world: worlds/{number}, id: t{number} }}\n");
    }
    fs::write(place.join("benchmark.yaml"), entries).expect("room");
    let agent = place.join("agent");
    fs::write(&agent, format!("#!/bin/sh\n{before}{WORKS}\necho Done.\n")).expect("room");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("its own file");
}

/// The time of `candor bench`, and its most memory in kilobytes. Every task has to pass.
fn candor(binary: &Path, place: &Path) -> (Duration, u64) {
    let began = Instant::now();
    let mut running = Command::new(binary)
        .args(["bench", "benchmark.yaml", "--results", "results.ndjson", "--jobs", "2", "--format", "text"])
        .args(["--", "./agent", "{world}"])
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut memory = 0;
    let status = loop {
        memory = memory.max(most_memory(running.id()));
        match running.try_wait().expect("it can be waited for") {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    assert!(status.success(), "not every task passed");
    (began.elapsed(), memory)
}

fn xargs(place: &Path, tasks: usize) -> Duration {
    let worlds: String = (0..tasks).map(|number| format!("worlds/{number}\n")).collect();
    fs::write(place.join("list"), worlds).expect("room");
    let began = Instant::now();
    let status = Command::new("xargs")
        .args(["-P2", "-n1", "./agent"])
        .current_dir(place)
        .stdin(fs::File::open(place.join("list")).expect("the list"))
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("xargs starts").success());
    began.elapsed()
}

/// Zero if the process has ended.
fn most_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
