//! The table of languages: the parts that their texts are divided into, and which files are tests.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

/// The kind of a part of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// Code, and every part that is not one of the others.
    #[default]
    Code,
    /// A comment.
    Comment,
    /// A string that documents, as Python's.
    Doc,
    /// A string, or a span of code within prose.
    String,
    /// Text for people.
    Prose,
    /// A block of code within prose.
    Example,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Part {
    #[serde(rename = "in")]
    pub(super) region: Region,
    pub(super) language: Option<String>,
    pattern: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Language {
    pub(super) name: String,
    pub(super) extensions: Vec<String>,
    names: Vec<String>,
    interpreters: Vec<String>,
    pub(super) parts: Vec<String>,
    pub(super) rest: Region,
    #[serde(skip)]
    pub(super) pattern: OnceLock<Option<Regex>>,
}

impl Language {
    pub(super) fn divide(&self, text: &str) -> Vec<(Range<usize>, &'static Part)> {
        let index = &*INDEX;
        let compiled = || {
            let group = |name: &String| Some(format!("({})", index.parts.get(name)?.pattern));
            let groups = self.parts.iter().filter_map(group).collect::<Vec<_>>().join("|");
            // An empty pattern matches everywhere.
            if groups.is_empty() { None } else { RegexBuilder::new(&groups).multi_line(true).build().ok() }
        };
        let Some(pattern) = self.pattern.get_or_init(compiled) else { return Vec::new() };
        let part = |captures: Captures<'_>| {
            let at = captures.iter().skip(1).position(|group| group.is_some())?;
            Some((captures.get(0)?.range(), index.parts.get(self.parts.get(at)?)?))
        };
        pattern.captures_iter(text).filter_map(part).collect()
    }

    /// A pattern cannot always tell text between tags from the code around it.
    pub(super) fn is_code(&self, region: Region) -> bool {
        region == Region::Code || (region == Region::Prose && self.rest == Region::Code)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    part: HashMap<String, Part>,
    language: Vec<Language>,
    tests: Tests,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tests {
    pub(super) folders: Vec<String>,
    files: Vec<String>,
}

pub(super) struct Index {
    parts: HashMap<String, Part>,
    pub(super) languages: Vec<Language>,
    extensions: HashMap<String, usize>,
    names: HashMap<String, usize>,
    interpreters: HashMap<String, usize>,
    pub(super) tests: Tests,
}

pub(super) static INDEX: LazyLock<Index> = LazyLock::new(|| {
    // The table is part of the program; a test reads it whole.
    let table = toml::from_str::<Table>(include_str!("../../data/languages.toml"));
    let Table { part, language, tests } = table.unwrap_or_default();
    let by = |names: fn(&Language) -> &[String]| {
        let pairs = language.iter().enumerate();
        pairs.flat_map(|(index, language)| names(language).iter().map(move |name| (name.clone(), index))).collect()
    };
    let extensions = by(|language| &language.extensions);
    let names = by(|language| &language.names);
    let interpreters = by(|language| &language.interpreters);
    Index { parts: part, languages: language, extensions, names, interpreters, tests }
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
    LazyLock::new(|| Language { name: "prose".to_owned(), rest: Region::Prose, ..Language::default() });

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
