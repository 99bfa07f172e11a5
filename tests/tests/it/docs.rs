//! Compares the contents of the documents with the formats that the project reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_check::Reason;
use candor_check::compare::{OPERATORS, RULES};
use candor_check::field::Field;
use candor_check::json_path::DottedPath;
use candor_engine::{Document, Engine, Task};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn blocks(file: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let fence = format!("```{language}\n");
    text.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn yaml(text: &str) -> Document {
    Document::parse(Path::new("shown.yaml"), text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn the_tasks_that_are_shown_are_tasks() {
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "candor/test");
    let mut shown = 0;
    for file in ["README.md", "docs/tasks.md"] {
        for block in blocks(file, "yaml").iter().filter(|block| block.contains("criteria:")) {
            let task = Task::from_document(yaml(block)).unwrap_or_else(|e| panic!("{file}: {e:?}"));
            assert_eq!(candor_engine::lint(&engine.plan(Arc::new(task))), [], "{file}");
            shown += 1;
        }
    }
    assert_eq!(shown, 2);
}

#[test]
fn the_examples_can_go_red() {
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "candor/test");
    let mut read = 0;
    for folder in fs::read_dir(root().join("fixtures/examples")).unwrap() {
        let file = folder.unwrap().path().join("task.yaml");
        if file.exists() {
            let task = Task::from_document(Document::read(&file).unwrap()).unwrap();
            assert_eq!(candor_engine::lint(&engine.plan(Arc::new(task))), [], "{}", file.display());
            read += 1;
        }
    }
    assert!(read >= 3, "{read}");
}

#[test]
fn every_example_is_in_the_index() {
    let index = fs::read_to_string(root().join("fixtures/examples/README.md")).unwrap();
    let rows: Vec<&str> = index.lines().filter_map(|line| line.strip_prefix("| [")?.split(']').next()).collect();
    let folders = fs::read_dir(root().join("fixtures/examples")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<String> = folders
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut listed = rows.clone();
    listed.sort_unstable();
    assert_eq!(listed, folders);
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("(fixtures/examples/README.md)"));
}

#[test]
fn the_fields_that_are_shown_are_fields() {
    let block = blocks("docs/tasks.md", "yaml").into_iter().find(|block| block.starts_with("{ path")).unwrap();
    let lines: Vec<&str> = block.lines().collect();
    assert!(lines.len() >= 5);
    for line in lines {
        let field = candor_json::from_value::<Field<DottedPath>>(yaml(line).value().clone());
        assert!(field.is_ok(), "{line}: {}", field.unwrap_err());
    }
}

#[test]
fn the_assertions_on_the_checks_pages_are_accepted() {
    let mut shown = 0;
    for check in candor_checks::ALL {
        let name = check.meta().assert;
        // Kinds that look at the same part may share its page. A kind that looks at all parts is on the page of tasks.
        let pages = [format!("docs/checks/{name}.md"), format!("docs/checks/{}.md", check.meta().part)];
        let file = pages.into_iter().find(|page| root().join(page).is_file());
        let file = file.unwrap_or_else(|| "docs/tasks.md".to_owned());
        let blocks = ["yaml", "json"].iter().flat_map(|language| blocks(&file, language));
        for block in blocks.filter(|block| {
            block.contains(&format!("assert: {name}")) || block.contains(&format!("\"assert\": \"{name}\""))
        }) {
            let value = yaml(&block).value().clone();
            if value.get("assert").is_some() {
                shown += 1;
                if let Err(error) = check.bind(value) {
                    panic!("{file}: {error}\n{block}");
                }
            }
        }
    }
    assert!(shown >= candor_checks::ALL.len(), "{shown} assertions are shown");
}

#[test]
fn the_pages_name_every_operator_rule_and_exit_code() {
    let tasks = fs::read_to_string(root().join("docs/tasks.md")).unwrap();
    let names = OPERATORS.iter().map(|(name, _)| *name).chain(RULES.iter().map(|(name, _)| *name));
    for name in names {
        assert!(tasks.contains(name), "docs/tasks.md does not name `{name}`");
    }
    let results = fs::read_to_string(root().join("docs/results.md")).unwrap();
    let reason = Reason::Failed(candor_check::Failure::InvalidAssertion).name();
    assert!(tasks.contains(reason) && results.contains("| 3 |"));
}

/// The name by which a link finds a heading: lower case, dashes for spaces, no other marks.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

#[test]
fn every_page_that_is_linked_is_there() {
    let below = |folder: &str| {
        let names =
            fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let pages = names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}"));
        pages.collect::<Vec<_>>()
    };
    let pages = [below("docs"), below("docs/checks")].concat();
    assert!(pages.len() >= 15, "{pages:?}");
    let tops = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "fixtures/examples/README.md"];
    for file in pages.iter().map(String::as_str).chain(tops) {
        let path = root().join(file);
        let text = fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (page, heading) = target.split_once('#').unwrap_or((target, ""));
            let page = if page.is_empty() { path.clone() } else { path.parent().unwrap().join(page) };
            assert!(page.exists(), "{file} links to {target}");
            let headings = fs::read_to_string(&page).unwrap_or_default();
            let is_there = |line: &str| line.starts_with('#') && anchor(line) == heading;
            assert!(heading.is_empty() || headings.lines().any(is_there), "{file} links to {target}");
        }
    }
}

#[test]
fn the_situational_rules_of_x12_are_all_told() {
    let page = fs::read_to_string(root().join("docs/checks/x12-response.md")).unwrap();
    let mut told: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| X2") || line.starts_with("| all")).collect();
    let mut rules: Vec<String> = candor_x12_guides::situations_in_words()
        .map(|(guides, words)| format!("| {} | {words} |", guides.replace(',', ", ").replace("  ", " ")))
        .collect();
    rules.dedup();
    told.sort_unstable();
    rules.sort_unstable();
    assert_eq!(told, rules);
}

#[test]
fn the_commands_of_the_page_on_results_are_run() {
    let run = fs::read_to_string(root().join("tests/cli/evidence.trycmd")).unwrap();
    let shown = blocks("docs/results.md", "console");
    assert!(shown.len() >= 9, "{}", shown.len());
    for block in shown {
        assert!(run.contains(&block), "tests/cli/evidence.trycmd does not have\n{block}");
    }
}

#[test]
fn the_page_of_reasons_has_each_of_them_in_order() {
    let page = fs::read_to_string(root().join("docs/results.md")).unwrap();
    let section = page.split("\n## Reasons\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let told: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let failures = candor_check::Failure::ALL.iter().map(|failure| failure.name());
    let obstacles = candor_check::Obstacle::ALL.iter().map(|obstacle| obstacle.name());
    let words: Vec<_> = candor_check::reasons().collect();
    assert_eq!(words.iter().map(|words| words.name).collect::<Vec<_>>(), failures.chain(obstacles).collect::<Vec<_>>());
    assert_eq!(told.len(), words.len());
    for (row, words) in told.iter().zip(&words) {
        // A row may go on with a link to the page that says more.
        let row_of_words = format!("| `{}` | {} | {}", words.name, words.means, words.mend);
        assert!(row.starts_with(&row_of_words), "{row}\n{row_of_words}");
    }
}
