//! The segment directory, held against real files: no path that selects something in them may be refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::path::{Path as FilePath, PathBuf};

use candor_x12::{Path, Reader, Token};
use candor_x12_guides::unknown_part;
use proptest::prelude::*;

fn files(folder: &FilePath, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn no_path_that_selects_something_in_a_real_file_is_refused() {
    let fixtures = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("x12-") {
            files(&path, &mut found);
        }
    }
    let mut looked_at = 0;
    let mut refused = Vec::new();
    for file in found {
        let bytes = std::fs::read(&file).unwrap();
        let mut reader = Reader::from_slice(&bytes);
        while let Some(token) = reader.next_token().unwrap() {
            let Token::Segment(segment) = token else { continue };
            // A path cannot name the trailers.
            if segment.id().is("GE") || segment.id().is("IEA") {
                continue;
            }
            let delimiters = segment.delimiters();
            for (position, element) in (1..).zip(segment.elements()) {
                let most = element.repetitions(delimiters).map(|one| one.components(delimiters).count()).max();
                for component in 1..=most.unwrap_or(1) {
                    let text = format!("{}.{position}.{component}", segment.id());
                    looked_at += 1;
                    if let Some(unknown) = unknown_part(&Path::parse(&text).unwrap()) {
                        let name = file.file_name().unwrap().to_string_lossy();
                        refused.push(format!("{name}: {text}: {unknown}"));
                    }
                }
            }
        }
    }
    assert!(looked_at > 16_000, "{looked_at}");
    // This file was written to be invalid: its AK2 has two elements too many.
    let beyond = |element: usize| {
        format!("invalid999.edi: AK2.{element}.1: AK2 does not have an element {element}; it has 3, AK2.1 to AK2.3")
    };
    assert_eq!(refused, [beyond(4), beyond(5)]);
}

proptest! {
    #[test]
    fn whatever_is_unknown_has_its_place_in_the_path(
        path in "([0-9]{4}[A-Z]{0,2}(\\[[0-9]{1,2}(=A)?\\])?\\.){0,2}[A-Z][A-Z0-9]{1,2}(\\[[0-9]{1,2}(\\.[0-9])?=[A-Z]\\]){0,2}(\\.[0-9]{1,2}([.-][0-9]{1,2})?)?",
    ) {
        let Ok(parsed) = Path::parse(&path) else { return Ok(()) };
        if let Some(unknown) = unknown_part(&parsed) {
            prop_assert!(path.get(unknown.at..).is_some_and(|rest| !rest.is_empty()), "{} {}", path, unknown.at);
            prop_assert!(unknown.to_string().contains(&parsed.segment().to_string()));
        }
    }
}
