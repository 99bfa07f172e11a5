//! The artifact that an evaluator quotes from: the files of the workspace's copy.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// The fewest letters and digits of a quote that is not the whole of a line. Nearly every file contains a shorter one.
pub(super) const LEAST: usize = 8;
/// The fewest of a quote that is the whole of a line.
const LEAST_OF_A_LINE: usize = 2;
/// The most bytes of a file that are searched.
pub(super) const MOST_OF_A_FILE: u64 = 8 << 20;
/// The most bytes that are searched.
pub(super) const MOST: u64 = 64 << 20;
/// The most files and folders that are searched.
const ENTRIES: usize = 200_000;

/// Checks for each group of quotes whether a file below `folder` contains one of them verbatim. Links are not followed.
/// A file that cannot be read, or lies beyond the limits, holds no quote.
pub(super) fn holds(folder: &Path, groups: &[Vec<String>]) -> Vec<bool> {
    let mut held = vec![false; groups.len()];
    let (mut open, mut left, mut entries) = (vec![folder.to_owned()], MOST, ENTRIES);
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            entries = entries.saturating_sub(1);
            if entries == 0 || left == 0 || held.iter().all(|held| *held) {
                return held;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                let mut bytes = Vec::new();
                let Ok(file) = File::open(entry.path()) else { continue };
                if file.take(MOST_OF_A_FILE.min(left)).read_to_end(&mut bytes).is_err() {
                    continue;
                }
                left = left.saturating_sub(bytes.len() as u64);
                let text = String::from_utf8_lossy(&bytes);
                for (held, quotes) in held.iter_mut().zip(groups) {
                    *held = *held || quotes.iter().any(|quote| stands(&text, quote));
                }
            }
        }
    }
    held
}

/// Checks whether a text holds a quote that is long enough to show something.
fn stands(text: &str, quote: &str) -> bool {
    let quote = quote.trim();
    // What replaces bytes that are not UTF-8 was not written.
    if quote.contains('\u{fffd}') {
        return false;
    }
    let characters = quote.chars().filter(|character| character.is_alphanumeric()).count();
    match characters {
        LEAST.. => text.contains(quote),
        LEAST_OF_A_LINE.. => text.lines().any(|line| line.trim() == quote),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_verbatim_and_shows_something() {
        let text = "# Letter\n\n  Reason: lumbar radiculopathy.\nok\n}\n";
        for quote in [
            "lumbar radiculopathy",
            " Reason: lumbar ",
            "# Letter\n\n  Reason",
            "# Letter",
            "ok",
            "Reason: lumbar radiculopathy.",
        ] {
            assert!(stands(text, quote), "{quote:?}");
        }
        for quote in [
            "",
            " ",
            "a",
            "}",
            "the",
            "lumbar",
            "o",
            "Lumbar radiculopathy",
            "lumbar  radiculopathy",
            "lumbar rad\u{fffd}",
        ] {
            assert!(!stands(text, quote), "{quote:?}");
        }
    }

    #[test]
    fn files_are_searched_and_links_are_not_followed() {
        let (work, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(work.path().join("a/b")).unwrap();
        fs::write(work.path().join("a/b/one.md"), b"the first letter\xff").unwrap();
        fs::write(work.path().join("two.md"), "the second letter").unwrap();
        fs::write(outside.path().join("three.md"), "the third letter").unwrap();
        std::os::unix::fs::symlink(outside.path(), work.path().join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("three.md"), work.path().join("three.md")).unwrap();
        let groups = ["the first letter", "the second letter", "the third letter", "two.md two.md"];
        let groups: Vec<Vec<String>> =
            groups.iter().map(|quote| vec!["nothing of it".to_owned(), (*quote).to_owned()]).collect();
        assert_eq!(holds(work.path(), &groups), [true, true, false, false]);
        assert_eq!(holds(Path::new("/nowhere/at/all"), &groups), [false; 4]);
    }
}
