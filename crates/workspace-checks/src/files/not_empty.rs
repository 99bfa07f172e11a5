//! `file-not-empty`: every file that is meant holds something.

use std::io::Read;

use candor_check::compare::Operator;
use candor_check::evidence::{Candidates, Entry, share};
use candor_check::field::{FieldResult, Location};
use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_check::sandbox::{FileEntry, Folder};
use candor_check::{Check, Evidence, Failure, Meta, Sandbox, Unverifiable};
use candor_json::json;
use serde::{Deserialize, Serialize};

use super::{About, MOST_NAMED, Paths, hidden, noted, nothing, source};
use crate::looked::Looked;
use crate::meta;
use crate::source::{PART, workspace};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileNotEmpty {
    path: Paths,
    #[serde(default = "one")]
    min_bytes: u64,
}

fn one() -> u64 {
    1
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Filled {
    about: About,
    files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct File {
    path: String,
    bytes: u64,
    /// True if it holds only white space, at least one byte.
    blank: bool,
}

impl Check for FileNotEmpty {
    const META: Meta =
        meta("file-not-empty", "Asserts that files hold something", include_str!("../../schemas/file-not-empty.json"));

    type Seen = Looked<Filled>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        let look = async {
            let (folder, paths) = (workspace(sandbox)?, self.path.clone());
            let look = move || {
                let selected = paths.select(&folder)?;
                let about = selected.about();
                let files = selected.files.iter().map(|file| looked_at(&folder, file)).collect::<Result<_, _>>()?;
                Ok(Filled { about, files })
            };
            sandbox.blocking("workspace/", look).await
        };
        Ok(Looked::at(look.await, sandbox.work().now()))
    }

    fn review(&self) -> Review {
        let message = "an empty file has 0 bytes, too, and passes; leave it out for 1, or write how many there must be";
        let weakness = (self.min_bytes == 0).then(|| Weakness::new(WeaknessKind::AlwaysHolds, "min_bytes", message));
        Review { weaknesses: weakness.into_iter().collect(), ..Review::default() }
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        seen.judged("file", |filled| {
            (self.evidence(filled), json!({"files": filled.files.iter().take(MOST_NAMED).collect::<Vec<_>>()}))
        })
    }
}

impl FileNotEmpty {
    fn evidence(&self, filled: &Filled) -> Evidence {
        // Every file that matches must hold something, so that one more could decide.
        if let Some(evidence) = hidden(&filled.about) {
            return evidence;
        }
        if filled.files.is_empty() {
            return nothing(&self.path, &filled.about);
        }
        let result = |file: &File| {
            let place = Location::whole(format!("{PART}/{}", file.path));
            if file.blank && file.bytes >= self.min_bytes {
                let result =
                    FieldResult::constraint(&*file.path, json!("more than white space"), json!("white space"), false);
                return result.at(place);
            }
            let passed = file.bytes >= self.min_bytes && !file.blank;
            let expected = json!({"min_bytes": self.min_bytes});
            FieldResult::constraint(&*file.path, expected, json!({"bytes": file.bytes}), passed)
                .with_operator(Operator::Equals)
                .at(place)
        };
        let results: Vec<FieldResult> = filled.files.iter().map(result).collect();
        let wrong: Vec<&FieldResult> = results.iter().filter(|result| !result.passed).collect();
        let total = results.len();
        let what = |result: &FieldResult| match result.actual.get("bytes") {
            Some(bytes) => format!("{} holds {bytes} bytes", result.path),
            None => format!("{} holds nothing but white space", result.path),
        };
        let evidence = if wrong.is_empty() {
            let details = match results.as_slice() {
                [one] => format!("{}.", what(one)),
                _ => format!("All {total} files that match {} hold something.", self.path.shown()),
            };
            Evidence::passed(cut(results), details)
        } else {
            let first = wrong.first().map(|result| what(result)).unwrap_or_default();
            let least =
                if self.min_bytes > 1 { format!(", expected {} at least", self.min_bytes) } else { String::new() };
            let of = if total > 1 { format!(" ({} of {total} files)", wrong.len()) } else { String::new() };
            let details = format!("{first}{least}{of}.");
            let score = share(&results.iter().cloned().map(Entry::from).collect::<Vec<_>>());
            Evidence::failed(Failure::FieldMismatch, score, cut(results), details)
        };
        let candidates = Candidates { considered: filled.about.considered, matched: total as u64, nearest: None };
        let sources = filled.files.iter().take(MOST_NAMED).map(|file| source(&format!("{PART}/{}", file.path), None));
        noted(evidence, &filled.about).over(candidates, sources.collect())
    }
}

/// The results that evidence holds: those that did not pass come first where there are too many for all.
fn cut(mut results: Vec<FieldResult>) -> Vec<Entry> {
    if results.len() > MOST_NAMED {
        results.sort_by_key(|result| result.passed);
        results.truncate(MOST_NAMED);
    }
    results.into_iter().map(Entry::from).collect()
}

fn looked_at(folder: &Folder, file: &FileEntry) -> Result<File, Unverifiable> {
    let mut reader = folder.open(file)?;
    let unreadable = |error: std::io::Error| {
        let details = format!("{} cannot be read: {error}", file.locator);
        Unverifiable::new(candor_check::Obstacle::SourceUnavailable, details)
    };
    let (mut buffer, mut bytes, mut carried) = (vec![0; 64 << 10], 0, Vec::new());
    let mut blank = true;
    let mut began = false;
    while blank {
        let read = reader.read(&mut buffer).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        carried.extend_from_slice(buffer.get(..read).unwrap_or_default());
        // A mark of UTF-16: what is blank in ASCII is so between NULs too.
        if !began && (carried.starts_with(b"\xff\xfe") || carried.starts_with(b"\xfe\xff")) {
            carried.drain(..2);
        }
        began = true;
        // A character may be cut by the buffer's end; what is left of it waits for the rest.
        let whole = match std::str::from_utf8(&carried) {
            Ok(text) => Some(text.len()),
            Err(error) if error.error_len().is_none() => Some(error.valid_up_to()),
            Err(_) => None,
        };
        blank = match whole.and_then(|end| std::str::from_utf8(carried.get(..end)?).ok()) {
            Some(text) => text.chars().all(is_blank),
            None => false,
        };
        carried.drain(..whole.unwrap_or_default());
    }
    // A character that is cut off at the end is not white space.
    let blank = blank && carried.is_empty() && bytes > 0;
    Ok(File { path: file.path.clone(), bytes: if blank { bytes } else { file.size }, blank })
}

/// White space, and what shows as none: NUL, byte order mark, zero-width space.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}')
}
