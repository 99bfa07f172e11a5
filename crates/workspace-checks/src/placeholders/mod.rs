//! `no-placeholders`: nothing was left unfinished.
//!
//! [`regions`] divides a text into code, comments, strings and prose by the table of [`language`]s; [`scan`] looks for the
//! [`markers`] of another table, each where it counts. The check itself walks the workspace.

mod declares;
mod ellipsis;
mod language;
mod markers;
mod regions;
mod scan;

use candor_check::compare::Operator;
use candor_check::evidence::{Candidates, Entry};
use candor_check::field::{FieldResult, Location};
use candor_check::review::{Review, Weakness, WeaknessKind};
use candor_check::sandbox::{FileEntry, Folder};
use candor_check::{Check, Evidence, Failure, Meta, Sandbox, Share, Unverifiable};
use candor_glob::Glob;
use candor_json::{Value, json};
use serde::{Deserialize, Deserializer, Serialize};

pub use language::Region;
pub use scan::{Finding, Rules, Scanner};

use crate::files::{About, Link, Paths, hidden, is_literal, noted, notes, source};
use crate::looked::Looked;
use crate::meta;
use crate::source::{PART, workspace};
use crate::text::{ReadAs, decoded, is_binary, is_utf16};

/// The most placeholders that an observation keeps; further ones are counted.
const MOST_KEPT: usize = 1000;
/// The most placeholders that evidence lists as results of their own.
const MOST_SHOWN: usize = 50;
/// How many files are read within one time limit.
const BATCH: usize = 256;
/// Folders of version control, which hold the history of the work and not the work.
const HISTORY: [&str; 3] = [".git", ".hg", ".svn"];

#[derive(Debug)]
pub(crate) struct NoPlaceholders {
    path: Option<Paths>,
    exclude: Option<Paths>,
    include_tests: bool,
    scanner: Scanner,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    path: Option<Paths>,
    exclude: Option<Paths>,
    #[serde(default)]
    include_tests: bool,
    #[serde(default)]
    extra: Rules,
}

impl<'de> Deserialize<'de> for NoPlaceholders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { path, exclude, include_tests, extra } = Members::deserialize(deserializer)?;
        let scanner = Scanner::new(&extra).map_err(serde::de::Error::custom)?;
        Ok(Self { path, exclude, include_tests, scanner })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unfinished {
    about: About,
    read: u64,
    tests: u64,
    /// How many were left out because they hold no text.
    binary: u64,
    /// The first file that was read as neither UTF-8 nor UTF-16.
    latin1: Option<String>,
    number: u64,
    /// The first of them.
    kept: Vec<Placeholder>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Placeholder {
    path: String,
    sha256: String,
    exact: bool,
    finding: Finding,
}

impl Check for NoPlaceholders {
    const META: Meta = meta(
        "no-placeholders",
        "Asserts that nothing was left unfinished",
        include_str!("../../schemas/no-placeholders.json"),
    );

    type Seen = Looked<Unfinished>;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Self::Seen, Unverifiable> {
        Ok(Looked::at(self.look(sandbox).await, sandbox.work().now()))
    }

    fn review(&self) -> Review {
        Review { weaknesses: self.weakness().into_iter().collect(), ..Review::default() }
    }

    fn judge(&self, seen: &Self::Seen) -> Evidence {
        seen.judged("placeholders", |unfinished| (self.evidence(unfinished), data(unfinished)))
    }
}

fn data(unfinished: &Unfinished) -> Value {
    let shown = unfinished.kept.iter().map(|one| {
        let found = &one.finding;
        json!({
            "path": one.path, "line": found.line, "column": found.column,
            "marker": found.marker, "in": found.region, "text": found.text,
        })
    });
    json!({
        "placeholders": shown.collect::<Vec<_>>(),
        "number": unfinished.number,
        "files_read": unfinished.read,
        "tests_left_out": unfinished.tests,
        "binary_left_out": unfinished.binary,
    })
}

impl NoPlaceholders {
    /// Where no file is left that could be looked through, so that it always fails.
    fn weakness(&self) -> Option<Weakness> {
        let globs = self.path.as_ref()?.globs();
        let excluded = |glob: &Glob| {
            let same = |exclude: &Paths| exclude.globs().iter().any(|other| other.as_str() == glob.as_str());
            self.exclude.as_ref().is_some_and(same)
        };
        if globs.iter().all(excluded) {
            let message = "it excludes every file that `path` means; leave out what is to be looked through";
            return Some(Weakness::new(WeaknessKind::NeverHolds, "exclude", message));
        }
        let tests = |glob: &Glob| match is_literal(glob.as_str()) {
            true => language::is_test(glob.as_str()),
            false => language::is_test(&format!("{}/", glob.literal_prefix())),
        };
        let message = "every file of it is left out as a test; write `include_tests: true`";
        let none = !self.include_tests && globs.iter().all(tests);
        none.then(|| Weakness::new(WeaknessKind::NeverHolds, "path", message))
    }

    async fn look(&self, sandbox: &Sandbox) -> Result<Unfinished, Unverifiable> {
        let (folder, path, exclude) = (workspace(sandbox)?, self.path.clone(), self.exclude.clone());
        let listed = folder.clone();
        let list = move || chosen(&listed, path.as_ref(), exclude.as_ref());
        let (files, about) = sandbox.blocking("workspace/", list).await?;
        let mut unfinished = Unfinished { about, ..Unfinished::default() };
        let (tests, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| !self.include_tests && language::is_test(&file.path));
        unfinished.tests = tests.len() as u64;
        for batch in files.chunks(BATCH) {
            let (scanner, folder, batch) = (self.scanner.clone(), folder.clone(), batch.to_vec());
            let scan = move || {
                for file in &batch {
                    one(&scanner, &folder, file, &mut unfinished)?;
                }
                Ok(unfinished)
            };
            unfinished = sandbox.blocking("workspace/", scan).await?;
        }
        Ok(unfinished)
    }

    fn evidence(&self, unfinished: &Unfinished) -> Evidence {
        // A file that could not be read could hold a placeholder; after a found one that changes nothing.
        if unfinished.number == 0
            && let Some(evidence) = hidden(&unfinished.about)
        {
            return evidence;
        }
        let considered = unfinished.about.considered;
        let shown = self.path.as_ref().map_or_else(|| "the workspace".to_owned(), Paths::shown);
        let mut left_out = Vec::new();
        for (number, what) in [(unfinished.tests, "tests"), (unfinished.binary, "binary")] {
            if number > 0 {
                left_out.push(format!("{number} left out as {what}"));
            }
        }
        let left_out = if left_out.is_empty() { String::new() } else { format!(" ({})", left_out.join(", ")) };
        if unfinished.read == 0 {
            let details = format!("No file of {shown} could be looked through for placeholders{left_out}.");
            return noted(
                Evidence::failed(Failure::NoCandidate, Share::default(), Vec::new(), details),
                &unfinished.about,
            );
        }
        let passed = unfinished.number == 0;
        let total = FieldResult::constraint("$placeholders", json!(0), json!(unfinished.number), passed)
            .with_operator(Operator::Count)
            .at(Location::whole(format!("{PART}/")));
        let files = if unfinished.read == 1 { "1 file".to_owned() } else { format!("{} files", unfinished.read) };
        let evidence = if passed {
            Evidence::passed(vec![total.into()], format!("No placeholder stands in {files} of {shown}{left_out}."))
        } else {
            let each = unfinished.kept.iter().take(MOST_SHOWN).map(|one| Entry::from(result(one)));
            let results = std::iter::once(Entry::from(total)).chain(each).collect();
            Evidence::failed(
                Failure::ForbiddenFound,
                Share::default(),
                results,
                sentence(unfinished, &files, &left_out),
            )
        };
        let evidence = match &unfinished.latin1 {
            Some(path) => noted(evidence, &unfinished.about).adding(&format!("{path} was read as ISO 8859-1.")),
            None => noted(evidence, &unfinished.about),
        };
        let mut sources: Vec<_> = unfinished
            .kept
            .iter()
            .take(MOST_SHOWN)
            .map(|one| source(&format!("{PART}/{}", one.path), Some(&one.sha256)))
            .collect();
        sources.dedup();
        evidence.over(Candidates { considered, matched: unfinished.read, nearest: None }, sources)
    }
}

fn sentence(unfinished: &Unfinished, files: &str, left_out: &str) -> String {
    const FEW: usize = 5;
    let name = |one: &Placeholder| {
        let found = &one.finding;
        format!("{}:{}:{} `{}`", one.path, found.line, found.column, found.marker)
    };
    let few: Vec<String> = unfinished.kept.iter().take(FEW).map(name).collect();
    let more = usize::try_from(unfinished.number).unwrap_or(usize::MAX).saturating_sub(few.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let number = unfinished.number;
    let several = if number == 1 { "1 placeholder stands".to_owned() } else { format!("{number} placeholders stand") };
    format!("{several} in {files}{left_out}: {}{more}.", few.join(", "))
}

fn result(one: &Placeholder) -> FieldResult {
    let found = &one.finding;
    let (start, end) = found.span;
    let place =
        Location { locator: format!("{PART}/{}", one.path), span: one.exact.then_some((start as u64, end as u64)) };
    let path = format!("{}:{}:{}", one.path, found.line, found.column);
    let actual = json!({"marker": found.marker, "in": found.region, "text": found.text});
    FieldResult::constraint(path, json!("no placeholder"), actual, false).at(place)
}

/// The files that are meant. Without a path every file, hidden ones too.
fn chosen(
    folder: &Folder,
    path: Option<&Paths>,
    exclude: Option<&Paths>,
) -> Result<(Vec<FileEntry>, About), Unverifiable> {
    let is_meant = |path: &str| {
        let history = path.split('/').any(|name| HISTORY.contains(&name));
        !history && !exclude.is_some_and(|exclude| exclude.matches(path))
    };
    let (mut files, about, links) = match path {
        Some(path) => {
            let selected = path.select(folder)?;
            let about = selected.about();
            (selected.files, about, selected.links)
        }
        None => {
            let listing = folder.list()?;
            let unreadable =
                listing.unreadable.first().map(|(_, why)| (why.obstacle.name().to_owned(), why.details.clone()));
            let links: Vec<Link> = listing.outside_links.iter().map(|link| Link::of(folder, link)).collect();
            let about = About { considered: listing.files.len() as u64, notes: notes(&links), unreadable };
            (listing.files, about, links)
        }
    };
    files.retain(|file| is_meant(&file.path));
    Ok((files, about.hidden_by(links.iter().filter(|link| is_meant(link.path())))))
}

fn one(scanner: &Scanner, folder: &Folder, file: &FileEntry, unfinished: &mut Unfinished) -> Result<(), Unverifiable> {
    let read = folder.read(file)?;
    if is_binary(&read.bytes) {
        unfinished.binary += 1;
        return Ok(());
    }
    unfinished.read += 1;
    if !is_utf16(&read.bytes) && !scanner.may_hold(&read.bytes) {
        return Ok(());
    }
    let sha256 = read.sha256().to_owned();
    let (text, read_as) = decoded(read.bytes);
    if read_as == ReadAs::Latin1 && unfinished.latin1.is_none() {
        unfinished.latin1 = Some(file.path.clone());
    }
    for finding in scanner.scan(&file.path, &text) {
        unfinished.number += 1;
        if unfinished.kept.len() < MOST_KEPT {
            unfinished.kept.push(Placeholder {
                path: file.path.clone(),
                sha256: sha256.clone(),
                exact: read_as == ReadAs::Utf8,
                finding,
            });
        }
    }
    Ok(())
}
