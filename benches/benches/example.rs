//! The bundled example through the release binary: wall time of the whole process, start to exit.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_benches::binary;

const RUNS: usize = 101;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let binary = binary();
    for state in ["done-right", "done-wrong"] {
        let mut times: Vec<Duration> = (0..RUNS).map(|_| run(&root, &binary, state)).collect();
        times.sort();
        println!(
            "{state}: median {:?}, fastest {:?}, slowest {:?} of {RUNS}",
            times[RUNS / 2],
            times[0],
            times[RUNS - 1]
        );
    }
    // What any process costs here: the binary that does nothing but say its version.
    let mut times: Vec<Duration> = (0..RUNS).map(|_| timed(Command::new(&binary).arg("--version"))).collect();
    times.sort();
    println!("--version: median {:?}", times[RUNS / 2]);
}

fn run(root: &Path, binary: &Path, state: &str) -> Duration {
    let example = root.join("fixtures/examples/prior-auth");
    let (task, sandbox) = (example.join("task.yaml"), example.join(state));
    timed(Command::new(binary).arg("check").arg(task).arg("--sandbox").arg(sandbox))
}

fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the binary runs");
    start.elapsed()
}
