//! `cargo xtask words`: sentences that break a rule of plain English.
//!
//! It reads the comments of Rust, the string literals of `crates/*/src`, the pages, and the titles of commits.
//! README and `docs` may have so many words, and so many long sentences.
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

/// The words that README and `docs` may have, the words after which a sentence is long, and the long ones of a hundred.
///
/// A part of a page between `<!-- NAME -->` and `<!-- end of NAME -->` does not count: a test holds it word by word.
const PAGES: (usize, usize, usize) = (30_000, 25, 5);

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
    let [words, sentences, long] = of_pages(root)?;
    let share = long * 1000 / sentences.max(1);
    let counted = format!("{words} words of docs, {}.{} % of sentences over {} words", share / 10, share % 10, PAGES.1);
    say(&format!("{counted}, {} sentences in {LIST}\n", kept.len()));
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
    if words > PAGES.0 || long * 100 > sentences * PAGES.2 {
        problems.push(format!("{counted}: at most {} words and {} % are allowed.", PAGES.0, PAGES.2));
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

/// The words of README and `docs`, their sentences outside of cells, and their sentences that are long.
fn of_pages(root: &Path) -> Result<[usize; 3], String> {
    let mut counts = [0; 3];
    let (readme, docs) = (root.join("README.md"), root.join("docs"));
    for page in pages(root)?.iter().filter(|page| **page == readme || page.starts_with(&docs)) {
        let text = counted(&read(page)?).map_err(|error| format!("{}: {error}", page.display()))?;
        for sentence in text::of_markdown(&text) {
            let words = sentence.text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
            let whole = words > 0 && !sentence.text.ends_with('|');
            counts = [counts[0] + words, counts[1] + usize::from(whole), counts[2] + usize::from(words > PAGES.1)];
        }
    }
    Ok(counts)
}

/// The parts of a page that count. The error names a part that does not end.
fn counted(page: &str) -> Result<String, String> {
    let (mut text, mut held) = (String::new(), None);
    for line in page.lines() {
        match (held, line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"))) {
            (None, Some(name)) => held = Some(name),
            (Some(name), Some(end)) if end.strip_prefix("end of ") == Some(name) => held = None,
            (None, None) => text.extend([line, "\n"]),
            _ => {}
        }
    }
    held.map_or(Ok(text), |name| Err(format!("`{name}` does not end")))
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
        let page = "Nobody reads this sentence, which has 59 characters in all.";
        let list =
            format!("crates/a/src/lib.rs: riddle: What it is.\ndocs/a.md: nobody: {page} because it is a name\n");
        repository.write("docs/a.md", page);
        repository.write(LIST, &list);
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
    fn pages_have_a_bound() {
        let repository = Repository::new("pages");
        let root = &repository.0;
        repository.write(LIST, "");
        let page = |text: &str| {
            repository.write("docs/a.md", text);
            (of_pages(root), check(root, None))
        };
        repository.write("README.md", "One `two` is 3 - 4.\n\n```\ncode\n```\n| cell | one. Two |\n");
        repository.write("CONTRIBUTING.md", &"word ".repeat(PAGES.0));
        assert_eq!(page(""), (Ok([8, 2, 0]), Ok(())));
        assert_eq!(page("<!-- t -->\n| held |\n<!-- end of t -->\nNot held.\n"), (Ok([10, 3, 0]), Ok(())));
        assert!(page("<!-- t -->\nA.\n<!-- end of u -->\n").1.unwrap_err().ends_with("docs/a.md: `t` does not end"));
        let long = "word ".repeat(PAGES.1) + "end.\n\n";
        assert_eq!(page(&(long.clone() + &"Short.\n\n".repeat(17))).1, Ok(()));
        page(&(long.clone() + &"Short.\n\n".repeat(16))).1.unwrap_err();
        let words = "A word.\n\n".repeat(PAGES.0 / 2 - 4);
        assert_eq!(page(&words), (Ok([PAGES.0, PAGES.0 / 2 - 2, 0]), Ok(())));
        page(&(words + "More.\n")).1.unwrap_err();
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
