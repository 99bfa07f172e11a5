//! The lines of code of each crate, and the list that they may not exceed unless a commit says why.
//!
//! `crates/xtask/weights.txt` has one line `NAME LINES` a crate, and the sum. Two rules hold:
//! - No crate, nor the sum, has over [`PERCENT`] % more lines than the list. A crate that is not listed counts from 0.
//! - A commit that raises a line of the list has a line `weight: REASON` in its body. One that lowers a line needs none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::history::History;
use crate::say;
use crate::source::{Source, rust_files};

const LIST: &str = "crates/xtask/weights.txt";

/// The rise that needs no reason, because the list keeps the figure from before it.
const PERCENT: usize = 2;

type Weights = BTreeMap<String, usize>;

pub(crate) fn check(root: &Path, history: &History) -> Result<(), String> {
    let (listed, measured) = (listed(root)?, measured(root)?);
    let mut problems = rises(&listed, &measured, PERCENT);
    for commit in history.since(LIST, &[LIST])? {
        let [before, after] = history.sides(&commit, LIST).map(Option::unwrap_or_default);
        let risen = rises(&parse(&before)?, &parse(&after)?, 0);
        if !risen.is_empty() && commit.reason("weight").is_none() {
            problems.push(format!("{} raises {LIST}: {}", commit.short(), commit.title()));
            problems.extend(risen.iter().map(|rise| format!("  {rise}")));
        }
    }
    say(&format!("{} lines of code, {} in {LIST}\n", sum(&measured), sum(&listed)));
    match problems.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{}\nWrite less code. If it is worth its weight, run `cargo xtask bless weights`, commit {LIST}, and give a \
             line `weight: REASON` in the body of the same commit.",
            problems.join("\n")
        )),
    }
}

/// Writes the lines of code into the list: falls alone, or rises too.
pub(crate) fn bless(root: &Path, rises: bool) -> Result<(), String> {
    let (listed, mut measured) = (listed(root)?, measured(root)?);
    if !rises {
        for (name, lines) in &mut measured {
            *lines = (*lines).min(listed.get(name).copied().unwrap_or(0));
        }
        measured.retain(|name, _| listed.contains_key(name));
    }
    fs::write(root.join(LIST), render(&measured)).map_err(|error| format!("{LIST}: {error}"))
}

fn measured(root: &Path) -> Result<Weights, String> {
    let crates = root.join("crates");
    let mut weights = Weights::new();
    for entry in fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?.flatten() {
        let source = entry.path().join("src");
        if source.is_dir() {
            let files = rust_files(&source)?;
            let lines = files.iter().filter(|file| !file.test).map(|file| Source::of(&file.text).lines_of_code());
            weights.insert(entry.file_name().to_string_lossy().into_owned(), lines.sum());
        }
    }
    Ok(weights)
}

/// The list in the folder, empty if there is no list.
fn listed(root: &Path) -> Result<Weights, String> {
    parse(&fs::read_to_string(root.join(LIST)).unwrap_or_default())
}

fn parse(text: &str) -> Result<Weights, String> {
    let lines = text.lines().filter(|line| !line.starts_with("sum ")).map(|line| {
        let entry = line.split_once(' ').and_then(|(name, lines)| Some((name.to_owned(), lines.parse().ok()?)));
        entry.ok_or_else(|| format!("{LIST}: `{line}` is not `NAME LINES`"))
    });
    lines.collect()
}

fn render(weights: &Weights) -> String {
    let lines = weights.iter().map(|(name, lines)| format!("{name} {lines}\n"));
    lines.chain([format!("sum {}\n", sum(weights))]).collect()
}

fn sum(weights: &Weights) -> usize {
    weights.values().sum()
}

/// The crates, and the sum, that have over `percent` % more lines than before.
fn rises(before: &Weights, after: &Weights, percent: usize) -> Vec<String> {
    let pairs = after.iter().map(|(name, &new)| (name.as_str(), before.get(name).copied().unwrap_or(0), new));
    let pairs = pairs.chain([("the sum", sum(before), sum(after))]);
    let risen = pairs.filter(|(_, old, new)| new * 100 > old * (100 + percent));
    risen.map(|(name, old, new)| format!("{name}: {new} lines of code, {old} listed")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::Repository;

    fn lines(count: usize) -> String {
        "let a = 1;\n".repeat(count)
    }

    #[test]
    fn a_rise_needs_a_reason_in_the_commit_that_writes_it() {
        let repository = Repository::new("weights");
        let root = &repository.0;
        let check = || check(root, &History::of(root).unwrap());
        repository.write("crates/a/src/lib.rs", &lines(100));
        repository.write("crates/b/src/lib.rs", &lines(1000));
        repository.commit("a: begin");
        assert!(check().unwrap_err().contains("a: 100 lines of code, 0 listed"));
        bless(root, true).unwrap();
        repository.commit("a: list");
        check().unwrap();

        repository.write("crates/a/src/lib.rs", &lines(102));
        check().unwrap();
        repository.write("crates/a/src/lib.rs", &lines(103));
        let error = check().unwrap_err();
        assert!(error.starts_with("a: 103 lines of code, 100 listed\nWrite less"), "{error}");
        bless(root, false).unwrap();
        check().unwrap_err();
        bless(root, true).unwrap();
        repository.commit("a: grow\n\nweight: three more rules\n");
        check().unwrap();

        // A fall is written without a reason. What is given back after it is a rise again.
        repository.write("crates/b/src/lib.rs", &lines(900));
        check().unwrap();
        bless(root, false).unwrap();
        repository.commit("b: shrink");
        check().unwrap();
        repository.write("crates/b/src/lib.rs", &lines(901));
        bless(root, true).unwrap();
        repository.commit("b: grow\n\nJust one line.\n");
        let error = check().unwrap_err();
        assert!(
            error.contains("raises crates/xtask/weights.txt: b: grow\n  b: 901 lines of code, 900 listed"),
            "{error}"
        );
    }

    #[test]
    fn small_rises_of_many_crates_are_a_rise_of_the_sum() {
        let weights = |each: usize| Weights::from(["a", "b", "c"].map(|name| (name.to_owned(), each)));
        assert_eq!(rises(&weights(100), &weights(102), PERCENT), [""; 0]);
        assert_eq!(rises(&weights(100), &weights(100), 0), [""; 0]);
        let (mut before, mut after) = (weights(100), weights(102));
        before.insert("d".to_owned(), 10);
        after.insert("e".to_owned(), 17);
        let risen = rises(&before, &after, PERCENT);
        assert_eq!(risen, ["e: 17 lines of code, 0 listed", "the sum: 323 lines of code, 310 listed"]);
    }
}
