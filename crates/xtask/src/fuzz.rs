//! `cargo xtask fuzz`: every fuzz target for a while. Needs a C++ compiler, and installs cargo-fuzz where it is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, say, status};

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let seconds: u64 = match args.first() {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?,
        None => 600,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz");
    if !cargo().args(["fuzz", "--version"]).output().is_ok_and(|out| out.status.success()) {
        status(cargo().args(["install", "cargo-fuzz", "--locked"]), "installing cargo-fuzz")?;
    }
    let mut targets: Vec<PathBuf> = fs::read_dir(folder.join("fuzz_targets"))
        .map_err(|e| format!("the fuzz targets cannot be listed: {e}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    targets.sort();
    let wanted = args.get(1..).unwrap_or_default();
    for target in targets {
        let name = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        say(&format!("fuzzing {name} for {seconds} s\n"));
        let mut command: Command = cargo();
        // The sanitizers need a nightly compiler; the code under test forbids `unsafe`, so panics are what is looked for.
        command.args(["fuzz", "run", "--sanitizer", "none", "--fuzz-dir"]).arg(&folder).arg(&name).args([
            "--",
            &format!("-max_total_time={seconds}"),
            "-rss_limit_mb=2048",
            "-timeout=10",
            "-print_final_stats=1",
        ]);
        status(&mut command, &format!("the fuzz target {name}"))?;
    }
    Ok(())
}
