//! The table of languages.

use crate::language::{INDEX, is_test, of};

#[test]
fn the_table_is_read_whole() {
    // It is empty if the table cannot be read.
    assert!(INDEX.languages.len() >= 20 && INDEX.tests.folders.len() >= 5);
    let mut seen = std::collections::HashSet::new();
    for extension in INDEX.languages.iter().flat_map(|language| &language.extensions) {
        assert!(seen.insert(extension), "{extension} stands twice");
    }
    for language in &INDEX.languages {
        drop(language.divide(""));
        let groups = language.pattern.get().unwrap().as_ref().map_or(0, |pattern| pattern.captures_len() - 1);
        assert_eq!(groups, language.parts.len(), "{}", language.name);
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
