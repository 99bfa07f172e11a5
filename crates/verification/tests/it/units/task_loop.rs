//! The settings of a loop in a task file.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_engine::{Document, Task};
use candor_json::Value;
use candor_verification::{CommandWords, Disclose, TaskLoop};
use proptest::prelude::*;

fn read(text: &str) -> Result<TaskLoop, String> {
    let document = Document::parse(Path::new("t.yaml"), format!("id: t\nloop:\n{text}").as_bytes()).unwrap();
    let task = Task::from_document(document).map_err(|errors| errors[0].to_string())?;
    TaskLoop::of(&task).map_err(|error| error.to_string())
}

const EVERY: &str = "  max_verify_retries: 4\n  disclose: count\n  retry_unverifiable: true\n  protect: [\"tests/**\"]\n  \
    overlay: operator\n  grant: [portal, files/outbound]\n  services: [{command: ./serve, ready: \"http://127.0.0.1:8080/\", timeout: 5s}]\n  \
    script: {file: done.star, args: {n: 1}}\n  hooks: hooks\n  \
    test_suite: {command: [sh, run.sh], folder: api, timeout: 1m}\n  evaluator: judge --strict\n";

#[test]
fn every_member_is_read() {
    let settings = read(EVERY).unwrap();
    assert_eq!((settings.max_verify_retries, settings.disclose), (Some(4), Some(Disclose::Count)));
    assert_eq!(settings.services[0].service().time_limit, Duration::from_secs(5));
    assert_eq!(settings.hooks, [PathBuf::from("hooks")]);
    assert_eq!(settings.grant, ["portal", "files/outbound"]);
    assert_eq!(settings.evaluator.unwrap().0, ["judge", "--strict"]);
    assert_eq!(settings.test_suite.unwrap().timeout, Some(Duration::from_secs(60)));
    assert_eq!(settings.script.unwrap().args.len(), 1);
    assert_eq!(read("  {}").unwrap(), TaskLoop::default());
}

#[test]
fn every_slip_is_named_at_its_place() {
    for (text, expected) in [
        ("  protct: []\n", "t.yaml:3:3: unknown key `protct` in `loop`; did you mean `protect`?"),
        ("  disclose: all\n", "t.yaml:3:3: `loop`: `disclose` is `all`; expected one of"),
        ("  grant: [../portal]\n", "t.yaml:3:3: `loop`: `grant` names `../portal`; expected a part"),
        ("  protect: [/etc]\n", "t.yaml:3:3: `loop`: `protect`: "),
        ("  test_suite: {command: [], folder: x}\n", "names no command"),
        ("  test_suite: [sh, tests/run]\n", "t.yaml:3:3: `loop.test_suite`: expected an object, found a list"),
        ("  script: [done.star]\n", "t.yaml:3:3: `loop.script`: expected an object, found a list"),
        ("  script: done.star\n", "`loop.script`: expected an object, found the text \"done.star\""),
        (
            "  services: [[./serve, \"http://127.0.0.1:8080/\"]]\n",
            "`loop.services[0]`: expected an object, found a list",
        ),
        ("  services: [./serve]\n", "`loop.services[0]`: expected an object, found the text \"./serve\""),
        ("  test_suite: {command: [a], dir: x}\n", "unknown field `dir`"),
        ("  services: [{command: a, ready: localhost}]\n", "is not a URL of the form http://HOST:PORT/PATH"),
        ("  evaluator: \"a 'b\"\n", "has a quote that does not end"),
        (
            "  max_verify_retries: -1\n",
            "t.yaml:3:3: `loop`: `max_verify_retries` is -1; expected a whole number from 0 on",
        ),
        ("  [a]\n", "`loop` is an array; expected an object"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{text}{error}");
    }
}

#[test]
fn the_schema_has_every_member() {
    let schema: Value = candor_json::from_str(TaskLoop::SCHEMA).unwrap();
    let members: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(members, candor_engine::LOOP_KEYS);
}

proptest! {
    #[test]
    fn words_are_split_without_a_panic_and_arrays_stay(text: String, words in prop::collection::vec("[ -~]{1,8}", 1..4)) {
        let _ = CommandWords::parse(&text);
        let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect::<Vec<_>>();
        let read = CommandWords::parse(&quoted.join(" ")).unwrap();
        prop_assert_eq!(CommandWords::parse(&read.joined()).unwrap(), read.clone());
        prop_assert_eq!(read.0, words.into_iter().map(OsString::from).collect::<Vec<_>>());
    }
}
