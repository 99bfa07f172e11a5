//! Every leaf of every real HL7 v2 message, as `hl7-parser`, python-hl7 and hl7apy read it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, Stdio};

use candor_hl7v2::{Path as CandorPath, messages};

/// `SEG[n].field[repetition].component.subcomponent`, counted from 1, to the raw value; no empty values.
type Leaves = BTreeMap<String, String>;

/// The result of a reader: leaves, or the reason for which it refuses the message.
type Read = Result<Leaves, String>;

fn numbered<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = (usize, T)> {
    (1..).zip(items)
}

fn candor(text: &str) -> Read {
    let (mut leaves, mut said) = (Leaves::new(), Leaves::new());
    let mut seen = BTreeMap::new();
    let message = messages(text.as_bytes()).next().ok_or("no message")?.map_err(|error| error.to_string())?;
    let delimiters = message.delimiters();
    for segment in message.segments() {
        let id = String::from_utf8(segment.id().to_vec()).unwrap();
        let nth = *seen.entry(id.clone()).and_modify(|nth| *nth += 1).or_insert(1);
        for (number, field) in numbered(segment.fields()) {
            for (repetition, piece) in numbered(field.repetitions()) {
                let mut leaf = |component: usize, sub: usize, raw: &[u8]| {
                    if !raw.is_empty() {
                        let at = format!("{id}[{nth}].{number}[{repetition}].{component}.{sub}");
                        leaves.insert(at, String::from_utf8(raw.to_vec()).unwrap());
                    }
                };
                if field.is_opaque() {
                    leaf(1, 1, piece.raw());
                    continue;
                }
                for (component, part) in numbered(piece.components(delimiters)) {
                    for (sub, value) in numbered(part.subcomponents(delimiters)) {
                        leaf(component, sub, value.raw());
                        if delimiters.escape.is_some_and(|escape| value.raw().contains(&escape)) {
                            let at = format!("{id}[{nth}].{number}[{repetition}].{component}.{sub}");
                            let path = CandorPath::parse(&at).unwrap();
                            let text = path.select(&message).next().unwrap().text().text.into_owned();
                            said.insert(format!("{at} text"), text);
                        }
                    }
                }
            }
        }
    }
    leaves.append(&mut said);
    Ok(leaves)
}

fn hl7_parser(text: &str) -> Read {
    let mut leaves = Leaves::new();
    let mut seen = BTreeMap::new();
    let message = catch_unwind(|| hl7_parser::Message::parse(text)).map_err(|_| "a panic".to_owned())?;
    let message = message.map_err(|error| error.to_string())?;
    let separators = message.separators;
    for segment in message.segments() {
        let nth = *seen.entry(segment.name).and_modify(|nth| *nth += 1).or_insert(1);
        for (number, field) in numbered(segment.fields()) {
            for (repetition, repeat) in numbered(field.repeats()) {
                for (component, part) in numbered(repeat.components()) {
                    for (sub, value) in numbered(part.subcomponents()) {
                        if !value.raw_value().is_empty() {
                            let at = format!("{}[{nth}].{number}[{repetition}].{component}.{sub}", segment.name);
                            if value.raw_value().contains(separators.escape) && !at.starts_with("MSH[1].2[") {
                                let text = catch_unwind(|| separators.decode(value.raw_value()).to_string());
                                leaves.insert(format!("{at} text"), text.unwrap_or_else(|_| "a panic".to_owned()));
                            }
                            leaves.insert(at, value.raw_value().to_owned());
                        }
                    }
                }
            }
        }
    }
    Ok(leaves)
}

/// The results of the readers in Python: one object a message, with a member for each reader.
fn in_python(texts: &[String]) -> Vec<BTreeMap<String, Read>> {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs the readers in Python and names their interpreter in CANDOR_PEERS_PYTHON");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/hl7v2_dump.py");
    let mut child =
        Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a Python");
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = texts.iter().map(|text| candor_json::to_string(text).unwrap() + "\n").collect();
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    let read = |line: &str| {
        let readers: BTreeMap<String, candor_json::Value> = candor_json::from_str(line).unwrap();
        let read = |value: candor_json::Value| match value.get("error") {
            Some(error) => Err(error.as_str().unwrap().to_owned()),
            None => Ok(candor_json::from_value(value["leaves"].clone()).unwrap()),
        };
        readers.into_iter().map(|(name, value)| (name, read(value))).collect()
    };
    String::from_utf8(output.stdout).unwrap().lines().map(read).collect()
}

/// Every message of the fixtures, by file and number, with CR behind every segment.
fn corpus() -> Vec<(String, String)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut corpus = Vec::new();
    for folder in std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap()) {
        let source = folder.file_name().into_string().unwrap();
        if !source.starts_with("hl7v2-") {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
            let bytes = std::fs::read(file.path()).unwrap();
            for (number, message) in numbered(messages(&bytes).flatten()) {
                let segments = message.segments().map(|segment| match std::str::from_utf8(segment.piece().raw()) {
                    Ok(text) => text.to_owned(),
                    Err(_) => segment.piece().raw().iter().map(|&byte| char::from(byte)).collect(),
                });
                let text = segments.map(|segment| segment + "\r").collect();
                corpus.push((format!("{source}/{}#{number}", file.file_name().to_string_lossy()), text));
            }
        }
    }
    corpus.sort();
    corpus
}

/// The values of the segment that a path is in, sorted, with numbers and blanks as hl7apy writes them.
fn values_of_segment<'a>(leaves: &'a Leaves, path: &str) -> Vec<&'a str> {
    let segment = path.split_once('.').map_or(path, |(segment, _)| segment);
    let of_segment = leaves.iter().filter(|(path, _)| path.starts_with(segment) && !path.ends_with(" text"));
    let mut values: Vec<&str> = of_segment.map(|(_, value)| as_number(value)).filter(|v| !v.is_empty()).collect();
    values.sort_unstable();
    values
}

fn as_number(value: &str) -> &str {
    let value = value.trim();
    let number = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty();
    let short = value.trim_start_matches('0');
    if number && short.is_empty() {
        "0"
    } else if number {
        short
    } else {
        value
    }
}

/// Why a reader that can read a message reads this leaf differently: a heading of `differences.md`.
fn cause(reader: &str, path: &str, ours: &Leaves, theirs: &Leaves) -> &'static str {
    let marks = ours["MSH[1].2[1].1.1"].len();
    let (our, their) = (ours.get(path).map(String::as_str), theirs.get(path).map(String::as_str));
    match reader {
        "hl7-parser" if marks == 5 && path.starts_with("MSH[1].") => "five-encoding-characters",
        "hl7-parser" | "python-hl7" if marks < 4 => "three-encoding-characters",
        "hl7-parser" if our.is_some_and(|our| our.contains("\r\n")) && path.ends_with(" text") => "hexadecimal",
        "python-hl7" if our.map(str::trim_end) == their => "blanks",
        "hl7apy" if our.map(as_number).unwrap_or_default() == their.unwrap_or_default() => match our {
            Some(our) if our.trim() == our => "numbers",
            _ => "blanks",
        },
        "hl7apy" if values_of_segment(ours, path) == values_of_segment(theirs, path) => "unknown-elements",
        _ => "unexplained",
    }
}

/// Why a reader refuses a message.
fn refusal(error: &str) -> &'static str {
    match error {
        _ if error.contains("Found 5 encoding chars") => "five-encoding-characters",
        _ if error.contains("Missing required encoding chars") => "three-encoding-characters",
        _ if error.contains("Invalid name for Segment") => "unknown-segments",
        _ if error.contains("version  is not supported") => "no-version",
        _ => "unexplained",
    }
}

/// A line for each message, reader and cause: in how many leaves they differ, or that the reader refuses the message.
fn differences(corpus: &[(String, String)]) -> Vec<String> {
    let texts: Vec<String> = corpus.iter().map(|(_, text)| text.clone()).collect();
    let mut lines = Vec::new();
    for ((name, text), mut others) in corpus.iter().zip(in_python(&texts)) {
        let ours = candor(text).unwrap();
        others.insert("hl7-parser".to_owned(), hl7_parser(text));
        assert_eq!(others.len(), 3);
        for (reader, theirs) in others {
            match theirs {
                Err(error) => match refusal(&error) {
                    "unexplained" => lines.push(format!("{name} {reader} unexplained {error}")),
                    cause => lines.push(format!("{name} {reader} {cause} refused")),
                },
                Ok(theirs) => {
                    let mut causes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
                    let paths = ours.keys().chain(theirs.keys().filter(|path| !ours.contains_key(*path)));
                    // hl7apy says nothing about what escape sequences mean.
                    let paths = paths.filter(|path| reader != "hl7apy" || !path.ends_with(" text"));
                    for path in paths.filter(|path| ours.get(*path) != theirs.get(*path)) {
                        causes.entry(cause(&reader, path, &ours, &theirs)).or_default().push(path);
                    }
                    for (cause, paths) in causes {
                        let what = if cause == "unexplained" { paths.join(" ") } else { paths.len().to_string() };
                        lines.push(format!("{name} {reader} {cause} {what}"));
                    }
                }
            }
        }
    }
    lines
}

/// `peers/differences.txt` has every difference, and `peers/differences.md` says why this reader is right.
#[test]
fn the_readers_agree_or_the_difference_is_explained() {
    let explained: Vec<&str> = include_str!("../../peers/differences.txt").lines().collect();
    let corpus = corpus();
    assert!(corpus.len() > 400, "{}", corpus.len());
    let corpus: Vec<_> = corpus.into_iter().step_by(candor_test_size::pick(5, 1)).collect();
    let found = differences(&corpus);
    let new: Vec<_> = found.iter().filter(|line| !explained.contains(&line.as_str())).collect();
    let is_read =
        |line: &str| corpus.iter().any(|(name, _)| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
    let gone: Vec<_> =
        explained.iter().filter(|line| is_read(line) && !found.iter().any(|found| found == **line)).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in differences.txt: {new:#?}\nno longer found: {gone:#?}");
    let causes: BTreeSet<&str> = explained.iter().filter_map(|line| line.split(' ').nth(2)).collect();
    let headings = include_str!("../../peers/differences.md").lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(causes, headings.collect());
}
