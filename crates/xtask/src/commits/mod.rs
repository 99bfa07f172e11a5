//! `cargo xtask commits`: a commit that changes many expectations or adds weight says why.
//!
//! A commit that changes more than [`MOST`] expectations needs a line `bless: REASON` in its body. `expectations` says
//! what counts. The check looks at every commit since the one that added this file, which any clone can find.
//! `crate::weights` has the rule of weight.

mod expectations;

use crate::history::{Commit, History};
use crate::{say, weights, wheel};
use expectations::Expectations;

/// How many expectations a commit may change without a reason.
const MOST: usize = 20;

const FOLDERS: [&str; 2] = ["tests/cli", "tests/messages"];

pub(crate) fn run() -> Result<(), String> {
    let root = wheel::root()?;
    let Some(history) = History::of(&root) else {
        say("this folder is not a git repository, so there are no commits to check\n");
        return Ok(());
    };
    let problems = [check(&history), weights::check(&root, &history)];
    let problems: Vec<String> = problems.into_iter().filter_map(Result::err).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n\n")) }
}

fn check(history: &History) -> Result<(), String> {
    let commits = history.since("crates/xtask/src/commits/mod.rs", &FOLDERS)?;
    say(&format!("{} commits with expectations\n", commits.len()));
    let mut unexplained = String::new();
    for commit in commits.iter().filter(|commit| commit.reason("bless").is_none()) {
        let changed = changed_by(commit, history)?;
        if changed > MOST {
            unexplained += &format!("{} changes {changed} expectations: {}\n", commit.short(), commit.title());
        }
    }
    match unexplained.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{unexplained}A commit that changes more than {MOST} expectations needs a line `bless: REASON` in its body."
        )),
    }
}

/// How many expectations of its parent a commit does not keep word for word.
fn changed_by(commit: &Commit, history: &History) -> Result<usize, String> {
    let mut before = Expectations::default();
    let mut after = Expectations::default();
    for path in history.changed(commit, &FOLDERS)? {
        for (side, text) in [&mut before, &mut after].into_iter().zip(history.sides(commit, &path)) {
            if let Some(text) = text {
                side.add(&path, &text);
            }
        }
    }
    Ok(before.missing_in(&after))
}
