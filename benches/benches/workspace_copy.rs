//! A copy of 2,000 files in 2,000 folders, and its removal: what a loop does for each command that it runs.

use std::path::Path;
use std::time::Instant;

use candor_process::{Most, copy, temporary};

const FOLDERS: usize = 2000;
const RUNS: usize = 5;
const MOST: Most = Most { entries: 200_000, file: 8 << 30, bytes: 8 << 30 };

fn main() {
    let work = temporary("bench").expect("a folder can be made");
    for i in 0..FOLDERS {
        let folder = work.path().join(format!("d{i}"));
        std::fs::create_dir(&folder).expect("a folder can be made");
        std::fs::write(folder.join("f"), "x").expect("a file can be written");
    }
    for _ in 0..RUNS {
        timed(work.path());
    }
}

fn timed(work: &Path) {
    let began = Instant::now();
    let into = temporary("bench-copy").expect("a folder can be made");
    let copied = copy(work, into.path(), MOST).expect("it can be copied");
    let made = began.elapsed();
    let began = Instant::now();
    drop(into);
    println!("{} files: copied in {made:.0?}, removed in {:.0?}", copied.files, began.elapsed());
}
