//! Every real X12 set of a 5010 guide, and the readers in Python.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use candor_x12::{Item, Walk};
use candor_x12_guides::{Guide, Loops};

/// Loop and segment, in the order of the set.
pub type Placed = Vec<(String, String)>;

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
pub fn corpus() -> Vec<(String, String, Placed)> {
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

/// The output of a script of `peers/` for each of these texts, a line each.
pub fn in_python(script: &str, texts: &[&str]) -> Vec<candor_json::Value> {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs the readers in Python and names their interpreter in CANDOR_PEERS_PYTHON");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
    let mut child =
        Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a Python");
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = texts.iter().map(|text| candor_json::to_string(text).unwrap() + "\n").collect();
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    let values: Vec<_> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| candor_json::from_str(line).unwrap()).collect();
    assert_eq!(values.len(), texts.len());
    values
}
