//! An HL7 v2 batch file of 1 GB through the release binary: wall time, and the most memory it held (Linux).
//!
//! The file is made of the real messages of `fixtures/`, each with a control id of its own, in one batch whose count is
//! right; the assertion finds one of them by its control id and checks its structure.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_benches::{binary, hl7v2_corpus};

const SIZE: usize = 1_000_000_000;

fn main() {
    let binary = binary();
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = folder.path().join("sandbox");
    std::fs::create_dir_all(sandbox.join("hl7")).expect("a folder");
    let count = batch(&sandbox.join("hl7/batch.hl7"));
    let task = folder.path().join("task.yaml");
    let assertion =
        format!("{{assert: hl7-structural, correlate_by: {{control_id: M{}}}, structure: true}}", count - 1);
    let text = format!("id: batch\ncriteria:\n  - id: sent\n    assertion: {assertion}\n");
    std::fs::write(&task, text).expect("a task");
    // A file of this size is beyond the default limits.
    std::fs::write(sandbox.join("sandbox.toml"), "[limits]\nmax_bytes = \"2GiB\"\nmax_total_bytes = \"2GiB\"\n")
        .expect("a limit");

    let start = Instant::now();
    let mut child = Command::new(binary)
        .arg("check")
        .arg(&task)
        .arg("--sandbox")
        .arg(&sandbox)
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut most = 0;
    let code = loop {
        most = most.max(memory(&status));
        if let Some(code) = child.try_wait().expect("its end") {
            break code;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} messages, {SIZE} bytes: {seconds:.2} s, {:.0} messages/s, {:.0} MB/s, {:.1} MB of memory, exit {}",
        count as f64 / seconds,
        SIZE as f64 / seconds / 1e6,
        most as f64 / 1024.0,
        code.code().unwrap_or(-1)
    );
}

/// Writes the file and says how many messages it has.
fn batch(file: &Path) -> usize {
    let mut out = BufWriter::new(std::fs::File::create(file).expect("a file"));
    out.write_all(b"BHS|^~\\&|CANDOR\r").expect("room");
    let (mut written, mut count) = (0, 0);
    for text in hl7v2_corpus().iter().cycle() {
        // MSH-10, wherever the field separator is what it mostly is.
        let mut fields = text.splitn(11, '|');
        let head: Vec<&str> = fields.by_ref().take(9).collect();
        if let (Some(_), Some(rest), 9) = (fields.next(), fields.next(), head.len()) {
            let message = format!("{}|M{count}|{rest}", head.join("|"));
            out.write_all(message.as_bytes()).expect("room");
            written += message.len();
            count += 1;
        }
        if written >= SIZE {
            break;
        }
    }
    out.write_all(format!("BTS|{count}\r").as_bytes()).expect("room");
    out.into_inner().expect("room").sync_all().expect("room");
    count
}

/// The most kibibytes that a process held at once so far.
fn memory(status: &Path) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}
