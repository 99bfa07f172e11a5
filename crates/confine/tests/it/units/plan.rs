//! The command line of a boundary.

use std::ffi::OsString;
use std::path::PathBuf;

use proptest::prelude::*;

use crate::kinds::{Mode, Overlay, User};
use crate::plan::{Plan, Second};

fn path() -> impl Strategy<Value = PathBuf> {
    "/[a-z \u{e4}=:,-]{1,8}(/[a-z-]{1,6}){0,2}".prop_map(PathBuf::from)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        read in prop::collection::vec(path(), 0..4),
        write in prop::collection::vec(path(), 0..4),
        overlay in prop::option::of((path(), path())),
        user in prop::option::of((0u32.., 0u32..)),
        keeps_keyrings in any::<bool>(),
        command in prop::collection::vec("[ -~]{0,8}", 1..4),
    ) {
        let plan = Plan {
            mode: Mode::Landlock,
            read,
            write,
            overlay: overlay.map(|(lower, at)| Overlay { lower, at }),
            user: user.map(|(uid, gid)| User { uid, gid }),
            keeps_keyrings,
            second: Some(Second { first: 7, pipe: 3, last: true }),
            command: command.into_iter().map(OsString::from).collect(),
            ..Plan::default()
        };
        prop_assert_eq!(Plan::read(plan.arguments()), Ok(plan));
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec("(--[a-z]{1,8}|[ -~]{0,8})", 0..8)) {
        let _ = Plan::read(words.into_iter().map(OsString::from).collect());
    }
}

#[test]
fn slips_are_named() {
    for (words, expected) in [
        (vec!["--read", "a", "--", "x"], "--read is \"a\"; expected an absolute path"),
        (vec!["--read", "/a/../b", "--", "x"], "without `..`"),
        (vec!["--raed", "/a", "--", "x"], "unknown option --raed"),
        (vec!["--read", "/a"], "no command is given"),
        (vec!["--lower", "/a", "--", "x"], "belong together"),
        (vec!["--keyrings", "some", "--", "x"], "--keyrings is \"some\", which cannot be read"),
    ] {
        let error = Plan::read(words.iter().map(OsString::from).collect()).unwrap_err();
        assert!(error.contains(expected), "{words:?}\n{error}");
    }
}
