//! `content-contains`, `content-not-contains`: files contain a text, or no file contains it.

use std::marker::PhantomData;

use candor_check::compare::Operator;
use candor_check::evidence::Candidates;
use candor_check::field::{FieldResult, Location};
use candor_check::review::{Review, Weakness, WeaknessKind, matches_anything};
use candor_check::sandbox::Folder;
use candor_check::{Check, Evidence, Failure, Meta, Obstacle, Sandbox, Share, Unverifiable};
use candor_json::{Value, json};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer, Serialize};

use super::bytes::{self, InBytes};
use super::{About, MOST_NAMED, Paths, hidden, noted, nothing, source, too_much};
use crate::looked::Looked;
use crate::meta;
use crate::source::{PART, workspace};
use crate::text::{Positions, ReadAs, decoded, excerpt};

/// The most occurrences that evidence names one by one.
const MOST_SHOWN: usize = 20;

pub(crate) trait Kind: Send + Sync + 'static {
    const META: Meta;
    const FORBIDDEN: bool;
}

#[derive(Debug)]
pub(crate) struct Contains;

#[derive(Debug)]
pub(crate) struct NotContains;

impl Kind for Contains {
    const META: Meta = meta(
        "content-contains",
        "Asserts that files contain a text",
        include_str!("../../schemas/content-contains.json"),
    );
    const FORBIDDEN: bool = false;
}

impl Kind for NotContains {
    const META: Meta = meta(
        "content-not-contains",
        "Asserts that no file contains a text",
        include_str!("../../schemas/content-not-contains.json"),
    );
    const FORBIDDEN: bool = true;
}

#[derive(Debug)]
pub(crate) struct Content<K> {
    path: Paths,
    pattern: Regex,
    in_bytes: InBytes,
    asserted: Value,
    min_count: u64,
    kind: PhantomData<K>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    path: Paths,
    text: Option<String>,
    regex: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    min_count: Option<u64>,
}

impl<'de, K: Kind> Deserialize<'de> for Content<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        settings(members).map_err(serde::de::Error::custom)
    }
}

fn settings<K: Kind>(members: Members) -> Result<Content<K>, String> {
    let (written, asserted) = match (&members.text, &members.regex) {
        (Some(_), Some(_)) => {
            return Err("`text` and `regex` are two ways to say what is looked for; keep one".to_owned());
        }
        (None, None) => return Err("nothing is looked for; give a `text` or a `regex`".to_owned()),
        (Some(text), None) if text.trim().is_empty() => {
            return Err("`text` is empty, so every file contains it".to_owned());
        }
        (Some(text), None) => (regex::escape(text), json!({"text": text})),
        (None, Some(pattern)) => (pattern.clone(), json!({"regex": pattern})),
    };
    let pattern = RegexBuilder::new(&written)
        .case_insensitive(members.ignore_case)
        .multi_line(true)
        .size_limit(1 << 22)
        .build()
        .map_err(|error| format!("`regex` cannot be read: {error}"))?;
    if pattern.is_match("") {
        return Err("`regex` matches the empty text, and so everything".to_owned());
    }
    if K::FORBIDDEN && members.min_count.is_some() {
        return Err("`min_count` goes with content-contains; here the text must not be there at all".to_owned());
    }
    if members.min_count == Some(0) {
        return Err("`min_count` is 0, which everything satisfies; leave it out for 1".to_owned());
    }
    let min_count = members.min_count.unwrap_or(1);
    let in_bytes = InBytes::new(&pattern, members.ignore_case)
        .map_err(|error| format!("`regex` cannot be looked for in bytes: {error}"))?;
    Ok(Content { path: members.path, pattern, in_bytes, asserted, min_count, kind: PhantomData })
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Texts {
    about: About,
    files: Vec<Text>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Text {
    path: String,
    sha256: String,
    read_as: ReadAs,
    text: String,
}

impl<K: Kind> Check for Content<K> {
    const META: Meta = K::META;

    type Seen = Looked<Texts>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        let look = async {
            let (folder, paths) = (workspace(sandbox)?, self.path.clone());
            sandbox.blocking("workspace/", move || texts(&folder, &paths, K::FORBIDDEN)).await
        };
        Ok(Looked::at(look.await, sandbox.work().now()))
    }

    fn review(&self) -> Review {
        let written = self.asserted.get("regex").and_then(Value::as_str);
        let everywhere = !K::FORBIDDEN && self.min_count == 1 && written.is_some_and(matches_anything);
        let message = "it is found in every text that is not empty; write what must be there";
        let weakness = everywhere.then(|| Weakness::new(WeaknessKind::AlwaysHolds, "regex", message));
        Review { weaknesses: weakness.into_iter().collect(), ..Review::default() }
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        seen.judged("file_content", |texts| self.evidence(texts))
    }
}

fn texts(folder: &Folder, paths: &Paths, forbidden: bool) -> Result<Texts, Unverifiable> {
    let selected = paths.select(folder)?;
    let about = if forbidden { selected.about().hidden_by(&selected.links) } else { selected.about() };
    let mut texts = Texts { about, files: Vec::new() };
    let mut room = folder.limits().max_total_bytes;
    for file in &selected.files {
        let read = folder.read(file)?;
        room = room.checked_sub(read.bytes.len() as u64).ok_or_else(too_much)?;
        let sha256 = read.sha256().to_owned();
        let (text, read_as) = decoded(read.bytes);
        // A file whose byte order mark contradicts the rest of it cannot be searched as text.
        if read_as == ReadAs::Utf16 && text.contains('\0') {
            let details = format!("{} holds NULs, and it cannot be told how to read it as text", file.locator);
            texts.about.unreadable.get_or_insert(("undecidable".to_owned(), details));
        }
        texts.files.push(Text { path: file.path.clone(), sha256, read_as, text });
    }
    Ok(texts)
}

struct Shown {
    path: String,
    line: usize,
    column: usize,
    quoted: String,
    span: Option<(u64, u64)>,
}

impl<K: Kind> Content<K> {
    fn evidence(&self, texts: &Texts) -> (Evidence, Value) {
        let (mut number, mut shown, mut in_files) = (0u64, Vec::new(), 0u64);
        let mut unread = None;
        for file in &texts.files {
            if file.read_as == ReadAs::Bytes {
                let found = self.of_bytes(file, &mut unread);
                number += found.len() as u64;
                in_files += u64::from(!found.is_empty());
                shown.extend(found.into_iter().take(MOST_SHOWN.saturating_sub(shown.len())));
                continue;
            }
            let mut positions = Positions::new(&file.text);
            let before = number;
            for found in self.pattern.find_iter(&file.text) {
                number += 1;
                if shown.len() < MOST_SHOWN {
                    let (line, column, quoted) = positions.at(found.start());
                    let span = (file.read_as == ReadAs::Utf8).then(|| (found.start() as u64, found.end() as u64));
                    shown.push(Shown { path: file.path.clone(), line, column, quoted: excerpt(quoted), span });
                }
            }
            in_files += u64::from(number > before);
        }
        let data = json!({
            "asserted": self.asserted,
            "files": texts.files.len(),
            "occurrences": number,
            "found": shown.iter().map(|s| json!({"path": s.path, "line": s.line, "column": s.column, "text": s.quoted})).collect::<Vec<_>>(),
        });
        (self.concluded(texts, number, in_files, &shown, unread), data)
    }

    /// Finds the text in a file that is not text. `unread` becomes the first file without a match that might have one
    /// if the file is read in another way.
    fn of_bytes(&self, file: &Text, unread: &mut Option<String>) -> Vec<Shown> {
        let bytes: Vec<u8> = file.text.chars().filter_map(|c| u8::try_from(c).ok()).collect();
        let found = self.in_bytes.find(&bytes);
        if found.is_empty() && unread.is_none() && self.in_bytes.may_stand(&bytes) {
            *unread = Some(file.path.clone());
        }
        let shown = |(start, end): (usize, usize)| {
            let (line, column) = bytes::position(&bytes, start);
            let quoted = String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).escape_debug().to_string();
            let span = Some((start as u64, end as u64));
            Shown { path: file.path.clone(), line, column, quoted: excerpt(&quoted), span }
        };
        found.into_iter().map(shown).collect()
    }

    fn concluded(
        &self,
        texts: &Texts,
        number: u64,
        in_files: u64,
        shown: &[Shown],
        unread: Option<String>,
    ) -> Evidence {
        let decided = if K::FORBIDDEN { number > 0 } else { number >= self.min_count };
        // A file that could not be looked at could hold the text; where enough was found that changes nothing.
        if !decided && let Some(evidence) = hidden(&texts.about) {
            return evidence;
        }
        if !decided && let Some(path) = unread {
            let details = format!("{PART}/{path} holds NULs, and it cannot be told how to read it as text.");
            return Evidence::unverifiable(Obstacle::Undecidable, Vec::new(), details);
        }
        if texts.files.is_empty() {
            return nothing(&self.path, &texts.about);
        }
        let asserted = match self.asserted.as_object().and_then(|members| members.iter().next()) {
            Some((name, value)) => format!("{name} {value}"),
            None => String::new(),
        };
        let files = texts.files.len();
        let looked = match texts.files.as_slice() {
            [one] => format!("{PART}/{}", one.path),
            _ => format!("the {files} files that match {}", self.path.shown()),
        };
        let place = shown.first().map_or_else(
            || Location::whole(texts.files.first().map_or_else(String::new, |file| format!("{PART}/{}", file.path))),
            |s| Location { locator: format!("{PART}/{}", s.path), span: s.span },
        );
        let passed = if K::FORBIDDEN { number == 0 } else { number >= self.min_count };
        let expected = if K::FORBIDDEN { json!(0) } else { json!({"min": self.min_count}) };
        let result = FieldResult::constraint("$occurrences", expected, json!(number), passed)
            .with_operator(Operator::Count)
            .at(place);
        let at = shown.first().map(|s| format!("{}:{}:{}", s.path, s.line, s.column)).unwrap_or_default();
        let times = if number == 1 { "once".to_owned() } else { format!("{number} times") };
        let evidence = match (K::FORBIDDEN, passed) {
            (false, true) => Evidence::passed(
                vec![result.into()],
                format!("The {asserted} stands {times} in {looked}, first at {at}."),
            ),
            (true, true) => {
                Evidence::passed(vec![result.into()], format!("The {asserted} does not stand in {looked}."))
            }
            (false, false) => {
                let found = if number == 0 { "does not stand".to_owned() } else { format!("stands {times}") };
                let wanted =
                    if self.min_count > 1 { format!(", expected {} times", self.min_count) } else { String::new() };
                let details = format!("The {asserted} {found} in {looked}{wanted}.");
                Evidence::failed(Failure::FieldMismatch, Share::default(), vec![result.into()], details)
            }
            (true, false) => {
                let details = format!("The {asserted} stands {times} in {looked}, first at {at}.");
                Evidence::failed(Failure::ForbiddenFound, Share::default(), vec![result.into()], details)
            }
        };
        let candidates = Candidates {
            considered: texts.about.considered,
            matched: if K::FORBIDDEN { files as u64 } else { in_files },
            nearest: None,
        };
        let sources = texts.files.iter().take(MOST_NAMED);
        let sources = sources.map(|file| source(&format!("{PART}/{}", file.path), Some(&file.sha256))).collect();
        let odd = texts.files.iter().find(|file| matches!(file.read_as, ReadAs::Utf16 | ReadAs::Latin1));
        let evidence = noted(evidence, &texts.about).over(candidates, sources);
        let as_bytes = texts.files.iter().filter(|file| file.read_as == ReadAs::Bytes).count();
        let evidence = match as_bytes {
            0 => evidence,
            1 => evidence.adding("1 file holds NULs, and its bytes were looked through."),
            more => evidence.adding(&format!("{more} files hold NULs, and their bytes were looked through.")),
        };
        match odd {
            Some(file) => evidence.adding(&format!("{} was read as {}.", file.path, file.read_as.name())),
            None => evidence,
        }
    }
}
