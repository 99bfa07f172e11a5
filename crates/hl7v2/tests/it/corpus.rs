//! Real files: what each holds is written in `corpus.txt`.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use candor_hl7v2::{Path, messages};

/// `folder/file`, then for each item of the file MSH-10, or `!offset` for what cannot be read.
const EXPECTED: &str = include_str!("../corpus.txt");

#[test]
fn real_files_are_read_as_written_down() {
    let fixtures = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let id = Path::parse("MSH.10").unwrap();
    let mut found = BTreeMap::new();
    for folder in std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap()) {
        let source = folder.file_name().into_string().unwrap();
        if !source.starts_with("hl7v2-") {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
            let name = file.file_name().into_string().unwrap();
            if name.starts_with("LICENSE") {
                continue;
            }
            let bytes = std::fs::read(file.path()).unwrap();
            let items: Vec<String> = messages(&bytes)
                .map(|item| match item {
                    Ok(message) => {
                        let id = id.select(&message).next();
                        id.map_or("-".into(), |value| value.text().text.replace(' ', "_"))
                    }
                    Err(error) => format!("!{}", error.offset),
                })
                .collect();
            found.insert(format!("{source}/{name}"), items.join(" "));
        }
    }
    let written: BTreeMap<String, String> = EXPECTED
        .lines()
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
        .map(|(file, items)| (file.to_owned(), items.to_owned()))
        .collect();
    let text: Vec<String> = found.iter().map(|(file, items)| format!("{file} {items}").trim_end().to_owned()).collect();
    assert_eq!(found, written, "found:\n{}\n", text.join("\n"));
    assert!(found.len() >= 40);
}
