//! `cargo xtask words`: sentences that break a rule of plain English.
//!
//! It reads the comments of Rust, the string literals of `crates/*/src`, the pages, and the titles of commits.
//! `crates/xtask/words.txt` lists the sentences from before the rules, and may only shrink: a line of it is
//! `PATH: RULE: BEGINNING OF THE SENTENCE`, for an excused one followed by ` because REASON`.

mod list;
mod rules;
mod text;

use std::fs;
use std::path::Path;

use crate::history::{Commit, History};
use crate::source::{files_below, read, rust_files};
use crate::{say, wheel};
use list::{Entry, compare, parse, render};
use rules::{RULES, words};
use text::Sentence;

const LIST: &str = "crates/xtask/words.txt";

/// The characters that a title may have.
const TITLE: usize = 70;

struct Hit {
    entry: Entry,
    line: usize,
    sentence: String,
    instead: &'static str,
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let root = wheel::root()?;
    if args.iter().any(|arg| arg == "--first") {
        return begin(&root);
    }
    check(&root, History::of(&root).as_ref())
}

/// Writes the first list.
fn begin(root: &Path) -> Result<(), String> {
    if root.join(LIST).exists() {
        return Err(format!("{LIST} exists, and may only shrink: run `cargo xtask bless words`"));
    }
    write(root, hits(root)?.into_iter().map(|hit| hit.entry).collect())
}

/// Takes out of the list what the files no longer have, and follows sentences that moved to another file.
pub(crate) fn bless(root: &Path) -> Result<(), String> {
    let listed = parse(&read(&root.join(LIST))?)?;
    write(root, compare(listed, hits(root)?).0)
}

fn write(root: &Path, entries: Vec<Entry>) -> Result<(), String> {
    fs::write(root.join(LIST), render(entries)).map_err(|error| format!("{LIST}: {error}"))
}

fn check(root: &Path, history: Option<&History>) -> Result<(), String> {
    let list = read(&root.join(LIST))?;
    let (kept, new) = compare(parse(&list)?, hits(root)?);
    say(&format!("{} sentences in {LIST}\n", kept.len()));
    let mut problems = Vec::new();
    for Hit { entry: Entry { path, rule, .. }, line, sentence, instead } in new {
        problems.push(format!("{path}:{line}: {rule}: {sentence}\n  {instead}"));
    }
    if !problems.is_empty() {
        problems.push(format!(
            "Write these sentences anew. To excuse one, add `PATH: RULE: BEGINNING because REASON` to {LIST}, with {} \
             characters of the sentence.",
            list::BEGINNING
        ));
    }
    if render(kept) != list {
        problems.push(format!("{LIST} has sentences that are gone or moved: run `cargo xtask bless words`"));
    }
    if let Some(history) = history {
        for commit in history.since(LIST, &[LIST])? {
            let [before, after] = history.sides(&commit, LIST).map(Option::unwrap_or_default);
            let added = list::added(parse(&before)?, &parse(&after)?);
            if added > 0 {
                let (id, title) = (commit.short(), commit.title());
                problems.push(format!("{id} adds {added} to {LIST} without ` because REASON`: {title}"));
            }
        }
        problems.extend(history.since(LIST, &[])?.iter().flat_map(of_title));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn hits(root: &Path) -> Result<Vec<Hit>, String> {
    let mut hits = Vec::new();
    let mut add = |path: &Path, sentences: Vec<Sentence>| {
        let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        for sentence in sentences {
            let words = words(&sentence.text);
            for rule in RULES.iter().filter(|rule| rule.is_broken(&words, sentence.first)) {
                let entry = Entry::new(&path, rule.name, &sentence.text);
                let Sentence { line, text, .. } = &sentence;
                hits.push(Hit { entry, line: *line, sentence: text.clone(), instead: rule.instead });
            }
        }
    };
    for folder in ["crates", "tests", "benches"].map(|name| root.join(name)).iter().filter(|folder| folder.is_dir()) {
        for file in rust_files(folder)? {
            let mut parts = file.path.strip_prefix(root).unwrap_or(&file.path).iter();
            let source =
                parts.next().is_some_and(|part| part == "crates") && parts.nth(1).is_some_and(|part| part == "src");
            add(&file.path, text::of_rust(&file.text, source && !file.test));
        }
    }
    for page in pages(root)? {
        add(&page, text::of_markdown(&read(&page)?));
    }
    Ok(hits)
}

/// The pages that people read: those of the root, of `docs`, and the README of each crate.
fn pages(root: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let names = ["README", "CONTRIBUTING", "ARCHITECTURE", "SECURITY", "CHANGELOG"];
    let mut pages: Vec<_> = names.map(|name| root.join(name).with_extension("md")).into();
    let crates = fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))?;
    pages.extend(crates.flatten().map(|entry| entry.path().join("README.md")));
    pages.retain(|page| page.is_file());
    if root.join("docs").is_dir() {
        pages.extend(files_below(&root.join("docs"), "md")?);
    }
    Ok(pages)
}

fn of_title(commit: &Commit) -> Vec<String> {
    let title = commit.title();
    let (areas, rest) = title.split_once(": ").unwrap_or_default();
    let is_area = |area: &str| !area.is_empty() && area.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'));
    let mut faults = Vec::new();
    if !areas.split(", ").all(is_area) || rest.is_empty() || rest.starts_with(' ') {
        faults.push("a title is `area: imperative`, or `area, area: imperative`");
    }
    if title.chars().count() > TITLE {
        faults.push("a title has at most 70 characters");
    }
    let words = words(rest);
    faults.extend(RULES.iter().filter(|rule| rule.is_broken(&words, true)).map(|rule| rule.instead));
    faults.iter().map(|fault| format!("{}: {title}\n  {fault}", commit.short())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::Repository;

    const FILE: &str = "crates/a/src/lib.rs";

    #[test]
    fn the_list_may_only_shrink() {
        let repository = Repository::new("words");
        let root = &repository.0;
        let check = || check(root, History::of(root).as_ref()).map_err(|problems| problems.replace(LIST, "LIST"));
        repository.write(FILE, "/// What it is.\nfn a() {}\n// It stands here.\n");
        repository.write("docs/a.md", "A text that is good.\n");
        begin(root).unwrap();
        begin(root).unwrap_err();
        let list = "crates/a/src/lib.rs: riddle: What it is.\ncrates/a/src/lib.rs: stand: It stands here.\n";
        assert_eq!(read(&root.join(LIST)).unwrap(), list);
        repository.commit("anything");
        check().unwrap();

        // A new sentence fails, whether or not another one went.
        repository.write(FILE, "/// What it is.\nfn a() {}\n// The file is here.\n");
        repository.write("docs/a.md", "A text that\nis told. Nobody reads it.\n");
        let error = check().unwrap_err();
        assert!(error.starts_with("docs/a.md:1: told: A text that is told.\n  Say who does it"), "{error}");
        assert!(error.contains("docs/a.md:2: nobody: Nobody reads it.\n"), "{error}");
        assert!(error.ends_with("LIST has sentences that are gone or moved: run `cargo xtask bless words`"), "{error}");

        // Adding one to the list takes a reason.
        let list =
            "crates/a/src/lib.rs: riddle: What it is.\ndocs/a.md: nobody: Nobody reads it. because it is a name\n";
        repository.write("docs/a.md", "Nobody reads it.\n");
        repository.write(LIST, list);
        repository.commit("docs: write a page");
        check().unwrap();

        // A sentence that moves to another file keeps its entry and its reason.
        fs::rename(root.join("docs/a.md"), root.join("docs/b.md")).unwrap();
        assert!(check().unwrap_err().contains("gone or moved"));
        bless(root).unwrap();
        let moved = list.replace("a.md", "b.md");
        assert_eq!(read(&root.join(LIST)).unwrap(), moved);
        repository.commit("docs: move a page");
        check().unwrap();

        repository.write("docs/c.md", "It is none.\n");
        repository.write(LIST, &format!("{moved}docs/c.md: no: It is none.\n"));
        repository.commit("docs: add a riddle");
        let error = check().unwrap_err();
        assert!(error.ends_with("adds 1 to LIST without ` because REASON`: docs: add a riddle"), "{error}");
    }

    #[test]
    fn titles_are_plain() {
        let repository = Repository::new("titles");
        repository.write(LIST, "");
        repository.commit("Anything");
        let long = format!("a: {}", "b".repeat(68));
        let titles = ["a, b-2: add a file", "Add a file", "a:  add", "A: add", "a,b: add", "a: stand", &long];
        titles.iter().for_each(|title| repository.commit(title));
        let commits = History::of(&repository.0).unwrap().since(LIST, &[]).unwrap();
        let faults: Vec<usize> = commits.iter().rev().map(|commit| of_title(commit).len()).collect();
        assert_eq!(faults, [0, 1, 1, 1, 1, 1, 1]);
    }
}
