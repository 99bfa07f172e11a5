//! The commits of this repository, as far as a clone has them.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct History {
    root: PathBuf,
}

/// A commit that is not a merge.
pub(crate) struct Commit {
    id: String,
    pub(crate) message: String,
}

impl Commit {
    pub(crate) fn short(&self) -> &str {
        self.id.get(..12).unwrap_or(&self.id)
    }

    pub(crate) fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// The reason that the body gives after `key:`.
    pub(crate) fn reason(&self, key: &str) -> Option<&str> {
        let lines = self.message.lines().skip(1).filter_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        lines.map(str::trim).find(|reason| !reason.is_empty())
    }
}

impl History {
    /// `None` outside a git repository.
    pub(crate) fn of(root: &Path) -> Option<Self> {
        let history = Self { root: root.to_owned() };
        history.git(&["rev-parse", "--git-dir"]).is_ok().then_some(history)
    }

    /// The commits that change one of `paths`, since the one that added `file`. A shallow clone begins at its oldest
    /// commit. Merges are left out, because the commits that they merge are in the list.
    pub(crate) fn since(&self, file: &str, paths: &[&str]) -> Result<Vec<Commit>, String> {
        let added = self.git(&["log", "--diff-filter=A", "--format=%H", "--", file])?;
        let Some(base) = added.lines().last() else { return Ok(Vec::new()) };
        let range = format!("{base}..HEAD");
        let list = ["log", "--no-merges", "--full-history", "-z", "--format=%H%n%B", &range, "--"];
        let listed = self.git(&[&list[..], paths].concat())?;
        let commits = listed.split('\0').filter_map(|commit| commit.split_once('\n'));
        Ok(commits.map(|(id, message)| Commit { id: id.to_owned(), message: message.to_owned() }).collect())
    }

    /// The text of a file before and after a commit, unless it is missing there.
    pub(crate) fn sides(&self, commit: &Commit, file: &str) -> [Option<String>; 2] {
        ["^", ""].map(|parent| self.git(&["cat-file", "blob", &format!("{}{parent}:{file}", commit.id)]).ok())
    }

    /// The files of `folders` that a commit adds, changes or removes.
    pub(crate) fn changed(&self, commit: &Commit, folders: &[&str]) -> Result<Vec<String>, String> {
        let tree = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", &commit.id, "--"];
        let listed = self.git(&[&tree[..], folders].concat())?;
        Ok(listed.split_terminator('\0').map(str::to_owned).collect())
    }

    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        // CI may run as another user than the one who owns the folder.
        let mut git = Command::new("git");
        git.args(["-c", "safe.directory=*", "-C"]).arg(&self.root).args(arguments);
        let output = git.output().map_err(|error| format!("git could not be started: {error}"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => {
                Err(format!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim_end()))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) struct Repository(pub(crate) PathBuf);

    impl Repository {
        pub(crate) fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("candor-xtask-{name}-{}", std::process::id()));
            std::fs::create_dir_all(root.join("crates/xtask")).unwrap();
            History { root: root.clone() }.git(&["init", "--quiet"]).unwrap();
            Self(root)
        }

        pub(crate) fn write(&self, file: &str, text: &str) {
            let file = self.0.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }

        pub(crate) fn commit(&self, message: &str) {
            let history = History::of(&self.0).unwrap();
            history.git(&["add", "--all"]).unwrap();
            let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
            let commit = ["commit", "--quiet", "--no-gpg-sign", "--allow-empty", "-m", message];
            history.git(&[&author[..], &commit].concat()).unwrap();
        }
    }

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_body_gives_the_reason() {
        let reason = |message: &str| {
            Commit { id: String::new(), message: message.to_owned() }.reason("bless").map(str::to_owned)
        };
        assert_eq!(reason("lint: say less\n\nWhy.\nbless: shorter sentences\n").as_deref(), Some("shorter sentences"));
        for silent in ["bless: a title is no body", "a\n\nbless:\n", "a\n\nbless:  \n", "a\n\nno bless: here\n", ""] {
            assert_eq!(reason(silent), None, "{silent:?}");
        }
    }

    #[test]
    fn a_list_begins_after_the_commit_that_added_a_file() {
        let repository = Repository::new("since");
        let history = History::of(&repository.0).unwrap();
        repository.commit("a: first");
        repository.write("list", "1");
        repository.commit("a: list");
        repository.write("list", "2");
        repository.commit("a: change\n\nWhy.");
        repository.commit("a: nothing");
        let titles = |paths: &[&str]| {
            let commits = history.since("list", paths).unwrap();
            commits.iter().map(|commit| commit.title().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles(&[]), ["a: nothing", "a: change"]);
        assert_eq!(titles(&["list"]), ["a: change"]);
        let change = history.since("list", &["list"]).unwrap().remove(0);
        assert_eq!(history.changed(&change, &["list"]).unwrap(), ["list"]);
        assert_eq!(history.sides(&change, "list"), ["1", "2"].map(|text| Some(text.to_owned())));
        assert_eq!(history.sides(&change, "other"), [None, None]);
    }
}
