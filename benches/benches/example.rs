//! The bundled example through the release binary: wall time of the whole process, start to exit.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 101;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let binary = built(&root);
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

fn built(root: &Path) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "candor-cli", "--message-format", "json", "--quiet"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let executable = |line: &str| Some(line.split("\"executable\":\"").nth(1)?.split('"').next()?.to_owned());
    text.lines().find_map(executable).expect("cargo names the binary").into()
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
