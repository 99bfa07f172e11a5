//! When a set was sent: ISA09 and ISA10 of its interchange, and ISA13 where these are equal.

use candor_check::compare::{Date, DateForm};
use candor_check::records::{Candidate, Moment, Standing};
use candor_x12::Segment;

use crate::seen::Content;

/// When the interchange of a candidate was sent; nothing where its ISA has no date.
pub(crate) fn moment(candidate: &Candidate<Content>) -> Option<Moment> {
    of_header(&candidate.content.view()?.segment("ISA")?)
}

/// What ISA says. Without a time that can be read it is the day.
pub(crate) fn of_header(isa: &Segment<'_>) -> Option<Moment> {
    let (date, time) = (isa.text(9), isa.text(10));
    let day = Date::parse(date.trim(), DateForm::X12)?;
    let century = match date.trim() {
        date if date.len() == 6 && *date < *"80" => "20",
        date if date.len() == 6 => "19",
        _ => "",
    };
    let with_time = Date::parse(&format!("{century}{}{}", date.trim(), time.trim()), DateForm::X12);
    let number = isa.text(13).trim().parse().ok();
    Some(Moment { time: with_time.unwrap_or(day), number })
}

/// Whether what stands at one place comes after what stands at another: by their interchanges, and by position where these
/// were sent at one time under one number. `None` where that is not known.
pub(crate) fn is_after(one: &Standing<'_>, other: &Standing<'_>) -> Option<bool> {
    let apart = Standing { stream: "", position: 0, ..*other };
    match apart.before(&Standing { stream: "-", position: 0, ..*one }) {
        None if one.stream == other.stream && one.moment == other.moment => Some(one.position > other.position),
        by_interchange => by_interchange,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
