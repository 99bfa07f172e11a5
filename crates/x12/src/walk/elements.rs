//! Presence, type, length and codes of the elements of each envelope segment.
//!
//! Source: X12.5 (ISA, IEA) and X12.6 (GS, GE, ST, SE) of 005010; TA105 and the set and group errors as in
//! [`crate::CODES`].

use std::borrow::Cow;

use crate::Segment;
use crate::envelope::{
    ACKNOWLEDGMENT, AUTHORIZATION, AUTHORIZATION_QUALIFIER, CONTROL_STRUCTURE, Finding, GROUP_CONTENT, GROUP_COUNT,
    GROUP_NUMBER, GROUP_TRAILER_NUMBER, GROUP_VERSION, GUIDE, INTERCHANGE_DATE, INTERCHANGE_NUMBER, INTERCHANGE_TIME,
    INTERCHANGE_VERSION, RECEIVER, RECEIVER_QUALIFIER, SECURITY, SECURITY_QUALIFIER, SEGMENT_COUNT, SENDER,
    SENDER_QUALIFIER, SET_COUNT, SET_ELEMENTS, SET_ID, SET_NUMBER, SET_TRAILER_NUMBER, TRAILER_NUMBER, USAGE,
};

/// An element: its path, the code of its fault, and what it holds.
struct Element(&'static str, &'static str, Holds);

enum Holds {
    /// Letters, digits and marks (AN), from so many to so many characters, and not blanks alone.
    Text(usize, usize),
    /// The same, and it may be blank.
    Blank(usize, usize),
    /// Digits (N0), from so many to so many.
    Digits(usize, usize),
    /// One of the codes of a list (ID), which are divided by blanks.
    OneOf(&'static str),
    /// CCYYMMDD; YYMMDD in ISA, and before version 004010.
    Date,
    /// HHMM, with seconds and decimals where there is room.
    Time(usize),
    Delimiter,
}

use Holds::{Blank, Date, Delimiter, Digits, OneOf, Text, Time};

/// The elements of a segment in order, the code of one too many, and how many of the last may be left out.
pub(super) struct Elements(&'static [Element], &'static str, usize);

/// Code list I05.
const PARTNERS: Holds = OneOf(
    "01 02 03 04 05 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 AM NR \
     SA SN ZZ",
);

pub(super) const ISA: Elements = Elements(
    &[
        Element("ISA.1", AUTHORIZATION_QUALIFIER, OneOf("00 01 02 03 04 05 06 07 08")),
        Element("ISA.2", AUTHORIZATION, Blank(10, 10)),
        Element("ISA.3", SECURITY_QUALIFIER, OneOf("00 01 02")),
        Element("ISA.4", SECURITY, Blank(10, 10)),
        Element("ISA.5", SENDER_QUALIFIER, PARTNERS),
        Element("ISA.6", SENDER, Text(15, 15)),
        Element("ISA.7", RECEIVER_QUALIFIER, PARTNERS),
        Element("ISA.8", RECEIVER, Text(15, 15)),
        Element("ISA.9", INTERCHANGE_DATE, Date),
        Element("ISA.10", INTERCHANGE_TIME, Time(4)),
        Element("ISA.11", CONTROL_STRUCTURE, Delimiter),
        Element("ISA.12", INTERCHANGE_VERSION, Digits(5, 5)),
        Element("ISA.13", INTERCHANGE_NUMBER, Digits(9, 9)),
        Element("ISA.14", ACKNOWLEDGMENT, OneOf("0 1")),
        Element("ISA.15", USAGE, OneOf("I P T")),
        Element("ISA.16", CONTROL_STRUCTURE, Delimiter),
    ],
    CONTROL_STRUCTURE,
    0,
);

pub(super) const GS: Elements = Elements(
    &[
        Element("GS.1", GROUP_CONTENT, Text(2, 2)),
        Element("GS.2", GROUP_CONTENT, Text(2, 15)),
        Element("GS.3", GROUP_CONTENT, Text(2, 15)),
        Element("GS.4", GROUP_CONTENT, Date),
        Element("GS.5", GROUP_CONTENT, Time(8)),
        Element("GS.6", GROUP_NUMBER, Digits(1, 9)),
        Element("GS.7", GROUP_CONTENT, OneOf("T X")),
        Element("GS.8", GROUP_VERSION, Text(1, 12)),
    ],
    GROUP_CONTENT,
    0,
);

pub(super) const ST: Elements = Elements(
    &[
        Element("ST.1", SET_ID, Text(3, 3)),
        Element("ST.2", SET_NUMBER, Text(4, 9)),
        Element("ST.3", GUIDE, Text(1, 35)),
    ],
    SET_ELEMENTS,
    1,
);

pub(super) const SE: Elements = Elements(
    &[Element("SE.1", SEGMENT_COUNT, Digits(1, 10)), Element("SE.2", SET_TRAILER_NUMBER, Text(1, 9))],
    SET_ELEMENTS,
    0,
);

pub(super) const GE: Elements = Elements(
    &[Element("GE.1", SET_COUNT, Digits(1, 6)), Element("GE.2", GROUP_TRAILER_NUMBER, Digits(1, 9))],
    GROUP_CONTENT,
    0,
);

pub(super) const IEA: Elements = Elements(
    &[Element("IEA.1", GROUP_COUNT, Digits(1, 5)), Element("IEA.2", TRAILER_NUMBER, Digits(1, 9))],
    CONTROL_STRUCTURE,
    0,
);

impl Elements {
    pub(super) fn judge(&self, findings: &mut Vec<Finding>, segment: &Segment<'_>, version: &str) {
        let Self(elements, too_many, optional) = self;
        // Dates had six digits before version 004010.
        let is_old = version < "004";
        for (position, Element(path, code, holds)) in (1..).zip(*elements) {
            let found = whole(segment, position);
            let may_lack = position > elements.len() - optional && found.is_empty();
            if !may_lack && !holds.reads(&found, is_old) {
                let expected = match found.contains(char::is_control) {
                    true => "no control character".to_owned(),
                    false => holds.in_words(is_old),
                };
                findings.push(Finding::new(code, path, at(segment, position)).expected(expected).found(found));
            }
        }
        let beyond = elements.len() + 1;
        if let (Some(_), Some(Element(last, ..))) = (segment.element(beyond), elements.last()) {
            findings.push(
                Finding::new(too_many, last, at(segment, beyond))
                    .expected("the last element of the segment")
                    .found(format!("{} elements", segment.elements().count())),
            );
        }
    }
}

/// Where an element begins, or would begin where the segment is shorter.
pub(super) fn at(segment: &Segment<'_>, position: usize) -> u64 {
    segment.element(position).map_or(segment.offset() + segment.raw().len() as u64, |element| element.offset())
}

/// An element with the blanks that fill it, and without the line breaks that wrap a file.
fn whole<'a>(segment: &Segment<'a>, position: usize) -> Cow<'a, str> {
    let raw = segment.element(position).map(|element| element.raw()).unwrap_or_default();
    let text = String::from_utf8_lossy(raw);
    if memchr::memchr2(b'\r', b'\n', raw).is_none() { text } else { text.replace(['\r', '\n'], "").into() }
}

impl Holds {
    fn reads(&self, text: &str, is_old: bool) -> bool {
        let length = text.chars().count();
        match self {
            Text(least, most) => Blank(*least, *most).reads(text, is_old) && !text.trim().is_empty(),
            Blank(least, most) => (*least..=*most).contains(&length) && !text.contains(char::is_control),
            Digits(least, most) => (*least..=*most).contains(&length) && text.bytes().all(|byte| byte.is_ascii_digit()),
            OneOf(codes) => codes.split(' ').any(|code| code == text),
            Date => (length == 8 || is_old && length == 6) && is_date(text),
            Time(most) => (4..=*most).contains(&length) && length != 5 && is_time(text),
            Delimiter => true,
        }
    }

    fn in_words(&self, is_old: bool) -> String {
        let of = |least: &usize, most: &usize, what: &str| match least == most {
            true => format!("{least} {what}"),
            false => format!("{least} to {most} {what}"),
        };
        match self {
            Text(least, most) => format!("{}, not only blanks", of(least, most, "characters")),
            Blank(least, most) => of(least, most, "characters"),
            Digits(least, most) => of(least, most, "digits"),
            OneOf(codes) if codes.len() > 30 => "a code of list I05".to_owned(),
            OneOf(codes) => format!("one of {}", codes.replace(' ', ", ")),
            Date => (if is_old { "a date, YYMMDD" } else { "a date, CCYYMMDD" }).to_owned(),
            Time(4) => "a time, HHMM".to_owned(),
            Time(_) => "a time, HHMM, HHMMSS, or with decimals of the second".to_owned(),
            Delimiter => "a delimiter".to_owned(),
        }
    }
}

fn pairs(text: &str) -> Option<Vec<u32>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(10)).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum * 10 + digit)).collect())
}

fn is_date(text: &str) -> bool {
    let Some(pairs) = pairs(text) else { return false };
    let [.., month, day] = pairs.as_slice() else { return false };
    // Of a year in two digits the century is not known, and a leap day may be.
    let year = match pairs.as_slice() {
        [century, year, _, _] => century * 100 + year,
        [year, _, _] if year % 4 == 0 => 2000,
        _ => 2001,
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(day)
}

fn is_time(text: &str) -> bool {
    let Some(pairs) = pairs(text) else { return false };
    let most = [23, 59, 59, 99];
    pairs.iter().zip(most).all(|(pair, most)| *pair <= most)
}
