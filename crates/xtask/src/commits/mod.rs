//! `cargo xtask commits`: a commit that changes many expectations says why.
//!
//! A commit that changes more than [`MOST`] expectations needs a line `bless: REASON` in its body. `expectations` says
//! what counts. The check looks at every commit since the one that added this file, which any clone can find. A shallow
//! clone begins at its oldest commit. Merges are skipped, because the commits that they merge are looked at themselves.

mod expectations;

use std::process::Command;

use crate::say;
use expectations::{Expectations, reason};

/// How many expectations a commit may change without a reason.
const MOST: usize = 20;

const FOLDERS: [&str; 2] = ["tests/cli", "tests/messages"];

pub(crate) fn run() -> Result<(), String> {
    if git(&["rev-parse", "--git-dir"]).is_err() {
        say("this folder is not a git repository, so there are no commits to check\n");
        return Ok(());
    }
    let root = git(&["rev-parse", "--show-toplevel"])?;
    let root = root.trim_end();
    let here = |arguments: &[&str]| git(&[&["-C", root], arguments].concat());
    let added = here(&["log", "--diff-filter=A", "--format=%H", "--", "crates/xtask/src/commits/mod.rs"])?;
    let Some(base) = added.lines().last() else {
        return Err("no commit has added crates/xtask/src/commits/mod.rs yet: commit it first".to_owned());
    };
    let range = format!("{base}..HEAD");
    let list = ["log", "--no-merges", "--full-history", "--format=%H", &range, "--"];
    let commits = here(&[&list[..], &FOLDERS].concat())?;
    let mut unexplained = Vec::new();
    let mut looked_at = 0_usize;
    for commit in commits.lines() {
        looked_at += 1;
        let message = here(&["show", "--no-patch", "--format=%B", commit])?;
        if reason(&message).is_some() {
            continue;
        }
        let changed = changed_by(commit, &here)?;
        if changed > MOST {
            let title = message.lines().next().unwrap_or_default();
            unexplained.push(format!("{} changes {changed} expectations: {title}", short(commit)));
        }
    }
    say(&format!("{looked_at} commits with expectations since {}\n", short(base)));
    match unexplained.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{}\nA commit that changes more than {MOST} expectations needs a line `bless: REASON` in its body.",
            unexplained.join("\n")
        )),
    }
}

/// How many expectations of its parent a commit does not keep word for word.
fn changed_by(commit: &str, here: &dyn Fn(&[&str]) -> Result<String, String>) -> Result<usize, String> {
    let tree = ["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", commit, "--"];
    let listed = here(&[&tree[..], &FOLDERS].concat())?;
    let mut words = listed.split('\0');
    let mut before = Expectations::default();
    let mut after = Expectations::default();
    while let (Some(entry), Some(path)) = (words.next(), words.next()) {
        let mut fields = entry.split(' ').skip(2);
        for side in [&mut before, &mut after] {
            if let Some(blob) = fields.next().filter(|blob| blob.contains(|digit| digit != '0')) {
                side.add(path, &here(&["cat-file", "blob", blob])?);
            }
        }
    }
    Ok(before.missing_in(&after))
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn git(arguments: &[&str]) -> Result<String, String> {
    // CI may run as another user than the one who owns the folder.
    let output = Command::new("git").args(["-c", "safe.directory=*"]).args(arguments).output();
    let output = output.map_err(|e| format!("git could not be started: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim_end())),
    }
}
