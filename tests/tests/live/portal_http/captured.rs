//! Captures of a portal behind HTTP: the resources that are named, with what could not be read.

use std::fs;

use candor_json::json;
use candor_tests::grade::all_in;
use candor_tests::state::{captured, compared, faithful};
use tempfile::TempDir;

use crate::portal_http::portal::{OFFSET, by_offset, counted, submitted};

fn sandbox(url: &str, more: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let description = format!("[portal]\nurl = \"{url}/api/{{resource}}\"\n{OFFSET}\n{more}\n");
    fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    folder
}

#[test]
fn the_resources_that_are_named_give_the_same_verdicts() {
    let server = by_offset(5);
    let portal = sandbox(&server.url, "tables = [\"requests\"]");
    let folder = faithful(portal.path());
    let graded = all_in(folder.path(), vec![counted(5), submitted("PA-1")]);
    graded[0].is("passed", &["5 requests rows in portal"]);
    graded[1].is("passed", &[]);
    let told = compared(folder.path(), sandbox(&by_offset(6).url, "tables = [\"requests\"]").path()).told();
    assert!(told.contains("1 added, 0 removed, 0 changed, of 6 records."), "{told}");
    // Of what was not asked for nothing is known.
    let other =
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "members"}, "assertions": [], "count": 0});
    all_in(folder.path(), vec![other])[0].is(
        "unverifiable source_unavailable",
        &["the capture holds only requests, so that nothing is known of members"],
    );
}

#[test]
fn what_is_not_named_or_not_there_is_a_gap() {
    let server = by_offset(1);
    let (_folder, nothing) = captured(sandbox(&server.url, "").path());
    assert!(nothing.parts["portal"].gaps[0].what.contains("name those to capture in [portal]"), "{nothing:?}");
    let (folder, some) = captured(sandbox(&server.url, "tables = [\"requests\", \"members\"]").path());
    let gaps = &some.parts["portal"].gaps;
    assert_eq!((gaps.len(), gaps[0].place.as_str()), (1, "portal/members.ndjson"));
    let other =
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "members"}, "assertions": [], "count": 0});
    let graded = all_in(folder.path(), vec![counted(1), other]);
    graded[0].is("passed", &[]);
    graded[1].is(
        "unverifiable source_unavailable",
        &["portal/members.ndjson was not captured: the server knows no such resource"],
    );
}
