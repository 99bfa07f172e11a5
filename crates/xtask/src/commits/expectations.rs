//! The definition of an expectation, and the number of them that a commit changes.
//!
//! - `tests/cli/NAME.trycmd`: a command (`$ candor …`) with its exit code and its output.
//! - `tests/messages/**/NAME.txt`: a line that is not indented, with the indented lines that follow it.
//! - Any other file of both folders is one expectation, but for inputs (`NAME.in/`, `bin/`) and `.keep` files.
//!
//! An expectation that a commit adds is not a change. One that it moves to another file without a change is not either.

use std::collections::HashMap;

/// The expectations of the files on one side of a commit, and how often each occurs.
#[derive(Default)]
pub(super) struct Expectations(HashMap<String, usize>);

impl Expectations {
    pub(super) fn add(&mut self, path: &str, text: &str) {
        for expectation in in_file(path, text) {
            *self.0.entry(expectation).or_default() += 1;
        }
    }

    pub(super) fn missing_in(&self, other: &Self) -> usize {
        self.0.iter().map(|(text, count)| count.saturating_sub(*other.0.get(text).unwrap_or(&0))).sum()
    }
}

fn in_file(path: &str, text: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == ".keep" || path.starts_with("tests/cli/bin/") || path.contains(".in/") {
        return Vec::new();
    }
    if path.starts_with("tests/cli/") && name.ends_with(".trycmd") {
        blocks(text, |line| line.starts_with("$ "), |line| line.starts_with("```"))
    } else if path.starts_with("tests/messages/") && name.ends_with(".txt") {
        blocks(text, |line| !line.is_empty() && !line.starts_with(' '), |_| false)
    } else {
        vec![text.to_owned()]
    }
}

/// The blocks of a text. A line before the first block, or after an end, belongs to none.
fn blocks(text: &str, begins: impl Fn(&str) -> bool, ends: impl Fn(&str) -> bool) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if begins(line) {
            blocks.push(String::new());
            inside = true;
        } else if ends(line) {
            inside = false;
        }
        if let (true, Some(block)) = (inside, blocks.last_mut()) {
            block.push_str(line);
            block.push('\n');
        }
    }
    for block in &mut blocks {
        block.truncate(block.trim_end_matches('\n').len());
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = "tests/messages/x12-response/fields.txt";
    const COMMANDS: &str = "tests/cli/lint.trycmd";

    fn changed(before: &[(&str, &str)], after: &[(&str, &str)]) -> usize {
        let of = |files: &[(&str, &str)]| {
            let mut all = Expectations::default();
            files.iter().for_each(|(path, text)| all.add(path, text));
            all
        };
        of(before).missing_in(&of(after))
    }

    #[test]
    fn every_sentence_of_a_file_counts_by_itself() {
        let before = "a: passed\n  One.\n\n  Two.\n\nb: failed no_candidate\n  Three.\n";
        for (after, count) in [
            (before, 0),
            ("a: passed\n  One.\n\n  2.\n\nb: failed no_candidate\n  Three.\n", 1),
            ("a: failed\n  One.\n\n  Two.\n\nb: failed no_candidate\n  3.\n", 2),
            ("b: failed no_candidate\n  Three.\n", 1),
            ("", 2),
        ] {
            assert_eq!(changed(&[(MESSAGES, before)], &[(MESSAGES, after)]), count, "{after}");
        }
    }

    #[test]
    fn what_is_added_or_moved_is_not_changed() {
        let before = "a: passed\n  One.\n\nb: passed\n  Two.\n";
        assert_eq!(changed(&[], &[(MESSAGES, before)]), 0);
        assert_eq!(changed(&[(MESSAGES, before)], &[(MESSAGES, &format!("c: passed\n  New.\n\n{before}"))]), 0);
        let moved = [(MESSAGES, "b: passed\n  Two.\n"), ("tests/messages/x12-response/a.txt", "a: passed\n  One.\n")];
        assert_eq!(changed(&[(MESSAGES, before)], &moved), 0);
        // The same sentence twice is two expectations.
        assert_eq!(changed(&[(MESSAGES, "a: x\n\na: x\n")], &[(MESSAGES, "a: x\n")]), 1);
    }

    #[test]
    fn every_command_counts_with_its_exit_code_and_output() {
        let before = "A comment.\n```console\n$ candor lint a\n? 1\nwrong\n\n$ candor lint b\n\n```\n";
        for (after, count) in [
            (before.replace("A comment", "Another comment"), 0),
            (before.replace("```\n", "```\nMore.\n"), 0),
            (before.replace("? 1", "? 2"), 1),
            (before.replace("wrong", "right"), 1),
            (before.replace("lint", "check"), 2),
        ] {
            assert_eq!(changed(&[(COMMANDS, before)], &[(COMMANDS, &after)]), count, "{after}");
        }
    }

    #[test]
    fn inputs_do_not_count_and_other_files_count_as_one() {
        for (path, count) in [
            ("tests/cli/lint.in/task.yaml", 0),
            ("tests/cli/lint.out/.keep", 0),
            ("tests/cli/bin/example", 0),
            ("tests/cli/lint.out/record.json", 1),
            ("tests/cli/explain.stdout", 1),
            ("tests/messages/report/junit.xml", 1),
        ] {
            assert_eq!(changed(&[(path, "a\nb\nc\n")], &[(path, "d\ne\nf\n")]), count, "{path}");
        }
    }
}
