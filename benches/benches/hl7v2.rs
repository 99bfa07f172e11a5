//! HL7 v2: reading a message and ten values of it, compared with `hl7-parser` and python-hl7 on the same real messages.
//!
//! All get one message at a time with CR line ends and queries that are parsed before. Ours returns decoded text, the
//! others their raw value. The pass of `memchr` over the same bytes is the limit to compare with. Where
//! `CANDOR_PEERS_PYTHON` is set, as `cargo xtask bench` does, python-hl7 runs first and prints its own time.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path as FilePath;
use std::process::{Command, Stdio};

use candor_benches::hl7v2_corpus;
use candor_hl7v2::{Path, messages};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use hl7_parser::Message;
use hl7_parser::query::LocationQuery;

const PATHS: [&str; 10] =
    ["MSH.9.1", "MSH.9.2", "MSH.10", "PID.3.1", "PID.5.1", "PID.5.2", "PID.7", "PV1.2", "OBX.3.1", "OBX.5"];

fn main() {
    if let Some(python) = std::env::var_os("CANDOR_PEERS_PYTHON") {
        in_python(&python);
    }
    divan::main();
}

fn in_python(python: &std::ffi::OsStr) {
    let script = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("python_hl7.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).spawn().expect("a Python");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(corpus().join("\n").as_bytes()).expect("its input");
    drop(stdin);
    assert!(child.wait().expect("its end").success());
}

/// Every message of the fixtures that both can read.
fn corpus() -> Vec<String> {
    let mut corpus = hl7v2_corpus();
    corpus.retain(|text| Message::parse(text).is_ok());
    assert!(corpus.len() >= 400, "{} messages", corpus.len());
    corpus
}

fn measured<F: Fn(&str) -> usize>(bencher: Bencher<'_, '_>, read: F) {
    let corpus = corpus();
    let bytes = corpus.iter().map(String::len).sum::<usize>();
    bencher
        .counter(BytesCount::new(bytes))
        .counter(ItemsCount::new(corpus.len()))
        .bench_local(|| corpus.iter().map(|message| read(black_box(message))).sum::<usize>());
}

#[divan::bench]
fn candor_ten_paths(bencher: Bencher) {
    let paths = PATHS.map(|path| Path::parse(path).expect("a path"));
    measured(bencher, |text| {
        let mut length = 0;
        for message in messages(text.as_bytes()).flatten() {
            for path in &paths {
                length += path.select(&message).next().map_or(0, |value| black_box(value.text()).text.len());
            }
        }
        length
    });
}

#[divan::bench]
fn hl7_parser_ten_paths(bencher: Bencher) {
    let queries = PATHS.map(|path| LocationQuery::parse(path).expect("a query"));
    measured(bencher, |text| {
        let Ok(message) = Message::parse(text) else {
            return 0;
        };
        let read = |query: &LocationQuery| message.query(query.clone()).map_or(0, |v| black_box(v.raw_value()).len());
        queries.iter().map(read).sum()
    });
}

#[divan::bench]
fn candor_parse_alone(bencher: Bencher) {
    measured(bencher, |text| messages(text.as_bytes()).flatten().map(|message| message.segments().len()).sum());
}

#[divan::bench]
fn memchr_alone(bencher: Bencher) {
    measured(bencher, |text| memchr::memchr2_iter(b'\r', b'\n', text.as_bytes()).count());
}
