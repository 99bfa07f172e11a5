//! The list of commands in the help.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails it by panicking")]

use std::collections::BTreeSet;
use std::process::Command;

/// The commands that the help does not show.
const HIDDEN: [&str; 1] = ["script-child"];

fn printed(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_candor")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_is_in_a_group_and_on_a_line() {
    let help = printed(&["--help"]);
    let (groups, _) = help.split_once("\nOptions:\n").unwrap();
    let shown = groups.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let grouped: Vec<&str> = shown.map(|(name, _)| name).collect();
    // Completions know every command, and what it is for.
    let completions = printed(&["completions", "fish"]);
    let commands =
        completions.lines().filter_map(|line| line.split_once("_needs_command\" -f -a \"")?.1.split_once("\" -d "));
    let commands: Vec<(&str, &str)> = commands.map(|(name, about)| (name, about.trim_matches('\''))).collect();
    let names: BTreeSet<&str> = commands.iter().map(|(name, _)| *name).filter(|name| !HIDDEN.contains(name)).collect();
    assert_eq!(grouped.len(), grouped.iter().collect::<BTreeSet<_>>().len());
    assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), names);
    for (name, about) in &commands {
        assert!(!about.is_empty() && about.len() <= 65, "{name}: {about}");
    }
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = printed(&[name, "--help"]);
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            !words.contains("the help of a command lists its formats"),
            "{name} has no formats of its own: {words}"
        );
    }
}
