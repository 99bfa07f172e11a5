//! The sentences of the vectors, in files: `tests/messages/CHECK/FILE.txt` holds the status, the reason and `details` of
//! every vector of `conformance/CHECK/FILE.json`. `cargo xtask bless` rewrites them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use candor_check::{Evidence, Reason};
use regex::Regex;
use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use snapbox::{Assert, Data};

pub(crate) struct Messages {
    folder: PathBuf,
    /// The text of each file, by its name without the extension.
    files: BTreeMap<String, String>,
}

impl Messages {
    pub(crate) fn of(check: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/messages").join(check);
        Self { folder, files: BTreeMap::new() }
    }

    /// Adds a block for one vector. `changing` lists the texts that differ by run, each with its placeholder.
    pub(crate) fn add(&mut self, file: &Path, id: &str, evidence: &Evidence, changing: &[(String, &str)]) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = self.files.entry(name).or_default();
        let mut details = without_times(evidence.details());
        for (changes, placeholder) in changing {
            details = details.replace(changes, placeholder);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let reason = evidence.reason().map(Reason::name);
        writeln!(text, "{id}: {}{}", evidence.status().name(), reason.map(|r| format!(" {r}")).unwrap_or_default())
            .unwrap();
        for line in details.split('\n') {
            let line: String = line.chars().map(printable).collect();
            writeln!(text, "{}", format!("  {line}").trim_end()).unwrap();
        }
    }

    /// Every way in which the files differ from what was added.
    ///
    /// With `SNAPSHOTS=overwrite` the files are rewritten instead, and those without a file of vectors removed.
    pub(crate) fn differences(&self) -> Vec<String> {
        let overwrites = matches!(Action::with_env_var(DEFAULT_ACTION_ENV), Some(Action::Overwrite));
        let mut differences = Vec::new();
        for name in self.stored().iter().filter(|name| !self.files.contains_key(*name)) {
            let path = self.path(name);
            match overwrites {
                true => fs::remove_file(&path).unwrap(),
                false => differences.push(format!("{} belongs to no file of vectors", path.display())),
            }
        }
        let assert = Assert::new().action_env(DEFAULT_ACTION_ENV);
        for (name, text) in &self.files {
            let path = self.path(name);
            let expected = Data::read_from(&path, None).raw();
            let shown = path.display();
            if let Err(difference) = assert.try_eq(Some(&shown), Data::text(text.as_str()), expected) {
                differences.push(format!("{shown}: rewrite it with `cargo xtask bless`\n{difference}"));
            }
        }
        differences
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.txt"))
    }

    fn stored(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect()
    }
}

/// A sentence without the times that were measured: how long a request took, and when a file that grows was seen.
fn without_times(details: &str) -> String {
    static TOOK: LazyLock<Regex> = LazyLock::new(|| Regex::new("took [0-9]+ ms").unwrap());
    static STATES: LazyLock<Regex> = LazyLock::new(|| Regex::new("is \\{\"first\":.*?…").unwrap());
    STATES.replace_all(&TOOK.replace_all(details, "took [TIME] ms"), "is [STATES]…").into_owned()
}

fn printable(character: char) -> String {
    match character.is_control() {
        true => character.escape_unicode().to_string(),
        false => character.to_string(),
    }
}
