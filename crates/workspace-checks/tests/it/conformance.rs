//! The conformance vectors of every kind, and the contract of the `Check` trait held over them.

use candor_check::CheckType;
use candor_workspace_checks as kinds;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

fn hold(check: CheckType, at_least: usize) {
    let folder = format!("{VECTORS}/{}", check.meta().assert);
    candor_check_testkit::run_vectors(check, &[candor_workspace_checks::WORKSPACE], &folder, at_least);
    candor_check_testkit::uphold_contract(check, &[candor_workspace_checks::WORKSPACE], &folder);
}

#[test]
fn file_exists() {
    hold(kinds::FILE_EXISTS, 20);
}

#[test]
fn file_not_empty() {
    hold(kinds::FILE_NOT_EMPTY, 12);
}

#[test]
fn no_placeholders() {
    hold(kinds::NO_PLACEHOLDERS, 24);
}

#[test]
fn code_compiles() {
    hold(kinds::CODE_COMPILES, 20);
}

#[test]
fn lint_passes() {
    hold(kinds::LINT_PASSES, 20);
}

#[test]
fn tests_pass() {
    hold(kinds::TESTS_PASS, 52);
}

#[test]
fn endpoint_responds() {
    hold(kinds::ENDPOINT_RESPONDS, 20);
}

#[test]
fn response_time() {
    hold(kinds::RESPONSE_TIME, 12);
}

#[test]
fn content_contains() {
    hold(kinds::CONTENT_CONTAINS, 18);
}

#[test]
fn content_not_contains() {
    hold(kinds::CONTENT_NOT_CONTAINS, 10);
}
