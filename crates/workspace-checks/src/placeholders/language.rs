//! The table of languages: what comments and strings look like, and which files are tests.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// How a file's text is divided where it is not code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TextKind {
    #[default]
    Code,
    Prose,
    Markdown,
    /// HTML and XML.
    Markup,
    Component,
    /// Code whose expressions may be elements of markup.
    Elements,
    /// Markup with code between `<?` and `?>`.
    Template,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StringKind {
    #[default]
    Plain,
    Char,
    Hashes,
    Delimited,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StringRule {
    pub(super) kind: StringKind,
    pub(super) open: String,
    pub(super) close: String,
    pub(super) escape: Option<char>,
    pub(super) multiline: bool,
    pub(super) doubled: bool,
    pub(super) spaced: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Language {
    pub(super) name: String,
    extensions: Vec<String>,
    names: Vec<String>,
    interpreters: Vec<String>,
    pub(super) line: Vec<String>,
    pub(super) block: Vec<(String, String)>,
    pub(super) nested: bool,
    pub(super) spaced: bool,
    pub(super) doc_strings: bool,
    pub(super) strings: Vec<StringRule>,
    pub(super) text: TextKind,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    language: Vec<Language>,
    tests: Tests,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tests {
    folders: Vec<String>,
    files: Vec<String>,
}

struct Index {
    languages: Vec<Language>,
    extensions: HashMap<String, usize>,
    names: HashMap<String, usize>,
    interpreters: HashMap<String, usize>,
    tests: Tests,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    // The table is part of the program; a test reads it whole.
    let table = toml::from_str::<Table>(include_str!("../../data/languages.toml"));
    let Table { language, tests } = table.unwrap_or_else(|_| Table { language: Vec::new(), tests: Tests::default() });
    let by = |names: fn(&Language) -> &[String]| {
        let pairs = language.iter().enumerate();
        pairs.flat_map(|(index, language)| names(language).iter().map(move |name| (name.clone(), index))).collect()
    };
    let extensions = by(|language| &language.extensions);
    let names = by(|language| &language.names);
    let interpreters = by(|language| &language.interpreters);
    Index { languages: language, extensions, names, interpreters, tests }
});

/// The language of a file: by its name, its extension, or what runs it (`#!/usr/bin/env python3`); prose otherwise.
pub(super) fn of(path: &str, text: &str) -> &'static Language {
    let index = &*INDEX;
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = || {
        let (stem, extension) = name.rsplit_once('.')?;
        (!stem.is_empty()).then(|| extension.to_ascii_lowercase())
    };
    let interpreter = || {
        let line = text.strip_prefix("#!")?.lines().next()?;
        let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let first = words.next()?;
        let name = if first == "env" { words.find(|word| !word.starts_with('-'))? } else { first };
        index.interpreters.get(name).copied()
    };
    let dockerfile = || name.starts_with("Dockerfile.").then(|| index.names.get("Dockerfile").copied()).flatten();
    let found = index
        .names
        .get(name)
        .copied()
        .or_else(dockerfile)
        .or_else(|| extension().and_then(|extension| index.extensions.get(&extension).copied()))
        .or_else(interpreter);
    found.and_then(|at| index.languages.get(at)).unwrap_or_else(|| &PROSE)
}

pub(super) fn named(name: &str) -> Option<&'static Language> {
    INDEX.languages.iter().find(|language| language.name == name)
}

static PROSE: LazyLock<Language> =
    LazyLock::new(|| Language { name: "prose".to_owned(), text: TextKind::Prose, ..Language::default() });

pub(super) fn is_test(path: &str) -> bool {
    let tests = &INDEX.tests;
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or(path);
    let fits = |pattern: &String| match pattern.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => name == pattern,
    };
    names.any(|folder| tests.folders.iter().any(|known| known == folder)) || tests.files.iter().any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let table = toml::from_str::<Table>(include_str!("../../data/languages.toml")).unwrap();
        assert!(table.language.len() >= 20 && table.tests.folders.len() >= 5);
        let mut seen = std::collections::HashSet::new();
        for extension in table.language.iter().flat_map(|language| &language.extensions) {
            assert!(seen.insert(extension), "{extension} stands twice");
        }
        for rule in table.language.iter().flat_map(|language| &language.strings) {
            assert_eq!(rule.kind == StringKind::Plain, !rule.open.is_empty() && !rule.close.is_empty());
        }
    }

    #[test]
    fn a_file_has_its_language_by_extension_name_or_interpreter() {
        for (path, text, language) in [
            ("src/a.rs", "", "rust"),
            ("A.PY", "", "python"),
            ("Makefile", "", "make"),
            ("Dockerfile.dev", "", "shell"),
            ("bin/run", "#!/usr/bin/env -S python3 -u\n", "python"),
            ("bin/run", "#!/bin/sh\n", "shell"),
            (".txt", "", "prose"),
            ("notes.xyz", "", "prose"),
            ("README.md", "", "markdown"),
        ] {
            assert_eq!(of(path, text).name, language, "{path}");
        }
    }

    #[test]
    fn tests_are_told_by_their_names() {
        for path in ["tests/a.rs", "x/__tests__/a.js", "test_a.py", "a_test.go", "src/a.spec.ts", "AppTest.java"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/a.rs", "contest/a.rs", "testing.py", "latest.py", "src/attestation.go", "Tests"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
