//! The loop of every segment of every real X12 set of a 5010 guide, as pyx12 and linuxforhealth-x12 have it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use candor_x12::{Item, Walk};
use candor_x12_guides::{Guide, Loops};

/// Loop and segment, in the order of the set.
type Placed = Vec<(String, String)>;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        match entry.is_dir() {
            true => files(&entry, found),
            false if !name.starts_with("LICENSE") && !name.ends_with(".md") => found.push(entry),
            false => {}
        }
    }
}

/// Every transaction set of a guide that is known: its name, an interchange around it, and where this project puts its
/// segments.
fn corpus() -> Vec<(String, String, Placed)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut paths = Vec::new();
    for folder in std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap()) {
        if folder.file_name().to_string_lossy().starts_with("x12-") {
            files(&folder.path(), &mut paths);
        }
    }
    paths.sort();
    let mut corpus = Vec::new();
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let mut walk = Walk::from_slice(&bytes);
        let mut number = 0;
        while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
            let Item::Set(set) = item else { continue };
            number += 1;
            let view = set.view();
            let st = view.segment("ST").unwrap();
            let said = match st.text(3) {
                guide if guide.is_empty() => view.segment("GS").map(|gs| gs.text(8).into_owned()).unwrap_or_default(),
                guide => guide.into_owned(),
            };
            let Some(guide) = Guide::of(&st.text(1), &said).filter(|guide| guide.id().starts_with("005010")) else {
                continue;
            };
            let loops = Loops::of(guide, &view);
            // The others read these delimiters, and no other ones reliably.
            let plain = |raw: &str| {
                let own = view.delimiters;
                let swap = |c: char| match u8::try_from(c) {
                    Ok(byte) if byte == own.element() => '*',
                    Ok(byte) if Some(byte) == own.component() => ':',
                    Ok(byte) if Some(byte) == own.repetition() => '^',
                    _ => c,
                };
                raw.chars().filter(|c| !matches!(c, '\r' | '\n')).map(swap).collect::<String>()
            };
            let segments: Vec<String> =
                view.segments().map(|segment| plain(&String::from_utf8_lossy(segment.raw()))).collect();
            let placed = segments
                .iter()
                .enumerate()
                .map(|(at, segment)| {
                    let occurrence = loops.of_segment(at).unwrap();
                    (loops.definition(occurrence).unwrap().id().to_owned(), segment.clone())
                })
                .collect();
            let fg = match guide.transaction() {
                "270" => "HS",
                "271" => "HB",
                "276" => "HR",
                "277" => "HN",
                "278" => "HI",
                "820" => "RA",
                "834" => "BE",
                "835" => "HP",
                "837" => "HC",
                _ => "FA",
            };
            let interchange = format!(
                "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261121*0900*^*00501*000000001*0*T*:~\
                 GS*{fg}*A*B*20261121*0900*1*X*{said}~{}~GE*1*1~IEA*1*000000001~",
                segments.join("~")
            );
            corpus.push((format!("{name}#{number}"), interchange, placed));
        }
    }
    corpus
}

fn in_python(texts: &[&str]) -> Vec<BTreeMap<String, Result<Placed, String>>> {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs the readers in Python and names their interpreter in CANDOR_PEERS_PYTHON");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/x12_loops.py");
    let mut child =
        Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a Python");
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = texts.iter().map(|text| serde_json::to_string(text).unwrap() + "\n").collect();
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    let read = |line: &str| {
        let readers: BTreeMap<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        let read = |value: serde_json::Value| match value.get("error") {
            Some(error) => Err(error.as_str().unwrap().to_owned()),
            None => Ok(serde_json::from_value(value["loops"].clone()).unwrap()),
        };
        readers.into_iter().map(|(name, value)| (name, read(value))).collect()
    };
    String::from_utf8(output.stdout).unwrap().lines().map(read).collect()
}

/// Loops and segments without the order: each by its id and its first element, as the others rewrite amounts.
fn sorted(placed: &Placed) -> Vec<(String, String)> {
    let short = |(at, segment): &(String, String)| {
        let mut elements = segment.split('*');
        let head = [elements.next(), elements.next()].map(Option::unwrap_or_default).join("*");
        (at.clone(), head.trim_end_matches('*').to_owned())
    };
    let mut sorted: Vec<_> = placed.iter().map(short).collect();
    sorted.sort();
    sorted
}

/// Why a reader refuses a set, or places a segment otherwise: a heading of `x12_differences.md`.
fn cause(reader: &str, error: Option<&str>, segments: &[&(String, String)]) -> &'static str {
    let starts = |ids: &[&str]| segments.iter().all(|(_, segment)| ids.iter().any(|id| segment.starts_with(id)));
    match (reader, error) {
        ("pyx12", Some(error)) if error.contains("Map not found") => "no-map",
        ("linuxforhealth", Some(error)) if error.contains("is not supported") => "no-map",
        ("linuxforhealth", Some(error)) if error.contains("alidation error") || error.contains("is not iterable") => {
            "values-first"
        }
        ("pyx12", None) if segments.iter().any(|(_, segment)| segment.contains("HC>")) => "unknown-codes",
        ("pyx12", None) if starts(&["AK2", "IK3", "IK4", "IK5", "CTX"]) => "unknown-codes",
        _ => "unexplained",
    }
}

/// A line for each set, reader and cause: how many segments stand elsewhere, or that the reader refuses the set.
fn differences() -> (Vec<String>, usize) {
    let corpus = corpus();
    assert!(corpus.len() > 60, "{}", corpus.len());
    let texts: Vec<&str> = corpus.iter().map(|(_, text, _)| text.as_str()).collect();
    let (mut lines, mut agreed) = (Vec::new(), 0);
    for ((name, _, ours), others) in corpus.iter().zip(in_python(&texts)) {
        assert_eq!(others.len(), 2);
        for (reader, theirs) in others {
            match theirs {
                Err(error) => match cause(&reader, Some(&error), &[]) {
                    "unexplained" => lines.push(format!("{name} {reader} unexplained {error}")),
                    cause => lines.push(format!("{name} {reader} {cause} refused")),
                },
                Ok(theirs) if sorted(&theirs) == sorted(ours) => agreed += 1,
                Ok(theirs) => {
                    let (ours, theirs): (BTreeSet<_>, BTreeSet<_>) =
                        (sorted(ours).into_iter().collect(), sorted(&theirs).into_iter().collect());
                    let elsewhere: Vec<&(String, String)> = ours.difference(&theirs).collect();
                    match cause(&reader, None, &elsewhere) {
                        "unexplained" => lines.push(format!("{name} {reader} unexplained {elsewhere:?}")),
                        cause => lines.push(format!("{name} {reader} {cause} {}", elsewhere.len())),
                    }
                }
            }
        }
    }
    (lines, agreed)
}

/// `peers/x12_differences.txt` has every difference, and `peers/x12_differences.md` says why this reading is right.
#[test]
fn loops_are_those_of_the_others_or_the_difference_is_explained() {
    let explained: Vec<&str> = include_str!("../peers/x12_differences.txt").lines().collect();
    let (found, agreed) = differences();
    let new: Vec<_> = found.iter().filter(|line| !explained.contains(&line.as_str())).collect();
    let gone: Vec<_> = explained.iter().filter(|line| !found.iter().any(|found| found == **line)).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in x12_differences.txt: {new:#?}\nno longer found: {gone:#?}");
    assert!(agreed > 80, "{agreed}");
    let causes: BTreeSet<&str> = explained.iter().filter_map(|line| line.split(' ').nth(2)).collect();
    let headings = include_str!("../peers/x12_differences.md").lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(causes, headings.collect());
}
