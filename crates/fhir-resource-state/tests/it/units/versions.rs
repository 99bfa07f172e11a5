//! Versions of one resource.

use std::borrow::Cow;

use crate::store::versions::{Version, latest};

fn stay(versions: &[(&'static str, &'static str)]) -> Vec<usize> {
    let given = |text: &&'static str| Some(Cow::Borrowed(*text)).filter(|text| !text.is_empty());
    let versions: Vec<_> = versions.iter().map(|(id, at)| Version::of(given(id), given(at))).collect();
    latest(&versions)
}

#[test]
fn numbers_count_as_numbers() {
    assert_eq!(stay(&[("9", ""), ("10", ""), ("2", "")]), [1]);
    assert_eq!(stay(&[("99999999999999999999998", ""), ("99999999999999999999999", "")]), [1]);
    assert_eq!(stay(&[("007", ""), ("7", "")]), [0, 1]);
}

#[test]
fn the_version_comes_before_the_time() {
    assert_eq!(stay(&[("1", "2026-11-20T12:00:00Z"), ("2", "2026-11-20T11:00:00Z")]), [1]);
    assert_eq!(stay(&[("2", "2026-11-20T12:00:00Z"), ("2", "2026-11-20T11:00:00Z")]), [0]);
}

#[test]
fn versions_that_are_no_numbers_go_by_time() {
    assert_eq!(stay(&[("b", "2026-11-20T12:00:00+02:00"), ("a", "2026-11-20T11:00:00Z")]), [1]);
    assert_eq!(stay(&[("b", "2026-11-20T12:00:00+01:00"), ("a", "2026-11-20T11:00:00Z")]), [0, 1]);
    assert_eq!(stay(&[("b", "2026-11-20T11:00:00.1Z"), ("a", "2026-11-20T11:00:00.09Z")]), [0]);
}

#[test]
fn what_cannot_be_placed_stays() {
    assert_eq!(stay(&[("", ""), ("", "")]), [0, 1]);
    assert_eq!(stay(&[("1", ""), ("2", ""), ("", "")]), [1, 2]);
    assert_eq!(stay(&[("a", "2026-11-20T11:00:00Z"), ("b", "")]), [0, 1]);
    assert_eq!(stay(&[("a", "2026-11-20T11:00:00Z"), ("b", "yesterday")]), [0, 1]);
}
