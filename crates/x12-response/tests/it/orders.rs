//! The order of sets, by their interchanges.

use candor_check::compare::{Date, DateForm};
use candor_check::records::{Moment, Standing};

use crate::order::is_after;

fn at<'a>(stream: &'a str, position: usize, time: &str, number: u64) -> Standing<'a> {
    let moment = Date::parse(time, DateForm::X12).map(|time| Moment { time, number: Some(number) });
    Standing { stream, position, moment }
}

#[test]
fn interchanges_come_before_positions() {
    let first = at("a", 900, "202611200915", 7);
    assert_eq!(is_after(&at("a", 10, "202611210915", 1), &first), Some(true), "a later day, earlier in the file");
    assert_eq!(is_after(&at("b", 0, "202611200915", 8), &first), Some(true), "a higher number");
    assert_eq!(is_after(&at("b", 0, "202611200915", 7), &first), None, "nothing tells them apart");
    assert_eq!(is_after(&at("a", 10, "202611200915", 7), &first), Some(false), "one interchange, by position");
    assert_eq!(is_after(&at("b", 0, "", 8), &first), None, "no date");
    assert_eq!(is_after(&at("b", 0, "20261120", 8), &first), Some(true), "a day alone, and a higher number");
}
