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
