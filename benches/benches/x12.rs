//! X12 on 100 MB made of the real files in `fixtures/`, against one `memchr` pass over the same bytes.
//!
//! `cargo bench -p candor-benches --bench x12`. Peak memory of the whole run is printed at the end: all that reads a
//! stream stays constant, so it is that of one buffer and one transaction set.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use candor_x12::{Item, Limits, Path as X12Path, Reader, Token, Walk};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const SIZE: u64 = 100_000_000;

/// The file, written once; it goes with the process.
static CORPUS: LazyLock<(tempfile::NamedTempFile, u64)> = LazyLock::new(|| {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures"), &mut files);
    files.sort();
    let contents: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("a fixture")).collect();
    let mut corpus = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut written = 0;
    while written < SIZE {
        for content in &contents {
            corpus.write_all(content).expect("room for 100 MB");
            written += content.len() as u64;
        }
    }
    corpus.flush().expect("room for 100 MB");
    (corpus, written)
});

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("fixtures/") {
        let path = entry.expect("an entry").path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, files);
        } else if name.contains("x12-") && !name.contains("LICENSE") {
            files.push(path);
        }
    }
}

fn main() {
    divan::main();
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        println!("peak memory: {}", peak.unwrap_or("unknown"));
    }
}

fn open() -> File {
    CORPUS.0.reopen().expect("the corpus")
}

/// The limit: the bytes are read and searched for the terminator, and nothing else is done.
#[divan::bench(sample_count = 10)]
fn memchr_pass(bencher: Bencher) {
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        let mut file = open();
        let mut buffer = vec![0; 64 << 10];
        let mut count = 0_usize;
        loop {
            let read = file.read(&mut buffer).expect("the corpus");
            if read == 0 {
                break count;
            }
            count += memchr::memchr_iter(b'~', &buffer[..read]).count();
        }
    });
}

/// Every segment with its id, from a stream.
#[divan::bench(sample_count = 10)]
fn segments(bencher: Bencher) {
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        let mut reader = Reader::from_read(open(), Limits::default());
        let mut count = 0_usize;
        while let Some(token) = reader.next_token().expect("the corpus") {
            if let Token::Segment(segment) = token {
                black_box(segment.id());
                count += 1;
            }
        }
        count
    });
}

/// Every segment split into its elements, from a stream.
#[divan::bench(sample_count = 10)]
fn elements(bencher: Bencher) {
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        let mut reader = Reader::from_read(open(), Limits::default());
        let mut count = 0_usize;
        while let Some(token) = reader.next_token().expect("the corpus") {
            if let Token::Segment(segment) = token {
                count += segment.elements().count();
            }
        }
        count
    });
}

/// Envelopes compared, every transaction set seen.
#[divan::bench(sample_count = 10)]
fn walk(bencher: Bencher) {
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        let mut walk = Walk::from_read(open(), Limits::default());
        let mut count = 0_usize;
        while let Some(item) = walk.next_item(&mut |_| true).expect("the corpus") {
            count += usize::from(matches!(item, Item::Set(_)));
        }
        count
    });
}

/// Envelopes compared and four paths read in every transaction set.
#[divan::bench(sample_count = 10)]
fn walk_and_paths(bencher: Bencher) {
    let paths = ["TRN.2", "NM1[1=IL].9", "EB[3=30].1", "CLP[*].4"].map(|path| X12Path::parse(path).expect("a path"));
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        let mut walk = Walk::from_read(open(), Limits::default());
        let mut count = 0_usize;
        while let Some(item) = walk.next_item(&mut |_| true).expect("the corpus") {
            if let Item::Set(set) = item {
                count += paths.iter().map(|path| path.select(&set.view()).len()).sum::<usize>();
            }
        }
        count
    });
}
