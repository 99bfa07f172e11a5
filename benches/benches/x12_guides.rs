//! X12 by its guides on 100 MB made of the real sets in `fixtures/`: loops, paths, and validation compared with pyx12.
//!
//! Each set of a known guide is repeated a hundred times in its interchange, as in a file of claims; the interchanges
//! are repeated up to the size. One core. Where `CANDOR_PEERS_PYTHON` is set, as `cargo xtask bench` does, pyx12
//! validates some of the same first and prints its own time. Peak memory of the whole run is printed at the end.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use candor_x12::{Item, Limits, Path as X12Path, SetView, Walk};
use candor_x12_guides::{Guide, Loops, validate};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const SIZE: usize = 100_000_000;

/// The file, written once; it goes with the process.
static CORPUS: LazyLock<(tempfile::NamedTempFile, u64)> = LazyLock::new(|| {
    let interchanges = interchanges(100);
    let mut corpus = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut written = 0;
    for interchange in interchanges.iter().cycle() {
        corpus.write_all(interchange).expect("room for 100 MB");
        written += interchange.len();
        if written >= SIZE {
            break;
        }
    }
    corpus.flush().expect("room for 100 MB");
    (corpus, written as u64)
});

/// An interchange of each set whose guide is known, with the set so many times.
fn interchanges(times: usize) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures"), &mut files);
    files.sort();
    let mut interchanges = Vec::new();
    for file in files {
        let bytes = fs::read(file).expect("a fixture");
        let mut walk = Walk::from_slice(&bytes);
        while let Some(item) = walk.next_item(&mut |_| true).expect("a fixture") {
            let Item::Set(set) = item else { continue };
            let view = set.view();
            let Some(gs) = view.gs.filter(|_| guide(&view).is_some()) else { continue };
            let end = view.delimiters.terminator();
            let mut interchange = [view.isa.bytes, end, gs.bytes, end].concat();
            for _ in 0..times {
                interchange.extend_from_slice(view.body.bytes);
            }
            let separator = char::from(view.delimiters.element());
            let text = |id: &str, element| view.segment(id).map(|s| s.text(element).into_owned()).unwrap_or_default();
            let group = format!("GE{separator}{times}{separator}{}", text("GS", 6));
            let all = format!("IEA{separator}1{separator}{}", text("ISA", 13));
            interchange.extend([group.as_bytes(), end, all.as_bytes(), end, b"\n"].concat());
            interchanges.push(interchange);
        }
    }
    assert!(interchanges.len() > 60, "{}", interchanges.len());
    interchanges
}

fn guide(view: &SetView<'_>) -> Option<&'static Guide> {
    let text = |id: &str, element| view.segment(id).map(|s| s.text(element).into_owned()).unwrap_or_default();
    let said = match text("ST", 3) {
        guide if guide.is_empty() => text("GS", 8),
        guide => guide,
    };
    Guide::of(&text("ST", 1), &said)
}

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
    if let Some(python) = std::env::var_os("CANDOR_PEERS_PYTHON") {
        in_python(&python);
    }
    divan::main();
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        println!("peak memory: {}", peak.unwrap_or("unknown"));
    }
}

/// The interchanges that pyx12 has maps for, as it validates them.
fn in_python(python: &std::ffi::OsStr) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("pyx12_validate.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).spawn().expect("a Python");
    let mut stdin = child.stdin.take().expect("its input");
    for interchange in interchanges(3) {
        let line: Vec<u8> = interchange.into_iter().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
        stdin.write_all(&line).and_then(|()| stdin.write_all(b"\n")).expect("its input");
    }
    drop(stdin);
    assert!(child.wait().expect("its end").success());
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

fn each_set(mut read: impl FnMut(&SetView<'_>) -> usize) -> usize {
    let mut walk = Walk::from_read(open(), Limits::default());
    let mut count = 0;
    while let Some(item) = walk.next_item(&mut |_| true).expect("the corpus") {
        if let Item::Set(set) = item {
            count += read(&set.view());
        }
    }
    count
}

/// The loops of every set, and six paths through them.
#[divan::bench(sample_count = 10)]
fn loops_and_paths(bencher: Bencher) {
    let paths = ["2000C.NM1.9", "2110C.EB[3=30].1", "2300.CLM.2", "2400[2].SV1.2", "2100.CLP.4", "2200D.STC.1.1"]
        .map(|path| X12Path::parse(path).expect("a path"));
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        each_set(|view| {
            let Some(guide) = guide(view) else { return 0 };
            let segments = view.read();
            let loops = Loops::of_segments(guide, &segments);
            let values = |path: &X12Path| black_box(loops.select_among(path, &segments)).len();
            paths.iter().map(values).sum()
        })
    });
}

/// The loops of every set alone.
#[divan::bench(sample_count = 10)]
fn loops(bencher: Bencher) {
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| {
        each_set(|view| guide(view).map_or(0, |guide| black_box(Loops::of(guide, view)).occurrences().len()))
    });
}

/// Envelopes compared, and nothing of the sets.
#[divan::bench(sample_count = 10)]
fn walk(bencher: Bencher) {
    bencher.counter(BytesCount::new(CORPUS.1)).bench(|| each_set(|view| usize::from(view.gs.is_some())));
}

/// Envelope and guide: SNIP types 1 and 2.
#[divan::bench(sample_count = 10)]
fn validation(bencher: Bencher) {
    bencher
        .counter(BytesCount::new(CORPUS.1))
        .bench(|| each_set(|view| guide(view).map_or(0, |guide| black_box(validate(guide, view)).0.len())));
}
