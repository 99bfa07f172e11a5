//! The path grammar: what is selected, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "tests fail by panicking"
)]

use crate::common;

use candor_x12::path::PathErrorKind;
use candor_x12::{Item, Path, Walk};
use common::{select, sound};

#[test]
fn what_paths_select() {
    let text = sound();
    let cases: [(&str, &[&str]); 49] = [
        ("EB.1", &["1"]),
        ("EB01", &["1"]),
        ("EB.01", &["1"]),
        ("EB.2", &[]),
        ("EB.3", &["1"]),
        ("EB03", &["1"]),
        ("EB.3[1]", &["1"]),
        ("EB03[2]", &["33"]),
        ("EB.3[2]", &["33"]),
        ("EB.3[4]", &[]),
        ("EB.3[*]", &["1", "33", "30"]),
        ("EB03[*]", &["1", "33", "30"]),
        ("EB.3.1", &["1"]),
        ("EB.3.2", &[]),
        ("EB.99", &[]),
        ("EB[2].1", &["C"]),
        ("EB[4].1", &[]),
        ("EB[*].1", &["1", "C", "6"]),
        ("EB[*].3", &["1", "30", "98"]),
        ("EB[*].3[*]", &["1", "33", "30", "30", "98"]),
        ("EB[*].5", &["GOLD"]),
        ("EB[3=30].1", &["1", "C"]),
        ("EB[03=30].1", &["1", "C"]),
        ("EB[3=33].1", &["1"]),
        ("EB[3=3].1", &[]),
        ("EB[1=C][3=30].5", &["GOLD"]),
        ("EB[1=1][3=98].1", &[]),
        ("EB[3=30][2].1", &["C"]),
        ("EB[2][3=30].1", &["C"]),
        ("EB[3][3=30].1", &[]),
        ("EB[*][1=6].3", &["98"]),
        ("EB[3=30]01", &["1", "C"]),
        ("EB[2]03", &["30"]),
        ("EB[2]13-2", &["99213"]),
        ("EB[2].13", &["HC:99213:25"]),
        ("EB[13.2=99213].7", &["200.00"]),
        ("EB[13-2=99213]07", &["200.00"]),
        ("SVC01-2", &["99213"]),
        ("SVC.1.2", &["99213"]),
        ("SVC.1", &["HC:99213"]),
        ("SVC01", &["HC:99213"]),
        ("SVC", &["SVC*HC:99213*100*80"]),
        ("EB[*]", &["EB*1**1^33^30", "EB*C*IND*30**GOLD*23*200.00*****Y*HC:99213:25", "EB*6**98"]),
        ("ISA.6", &["SENDER"]),
        ("ISA.2", &[]),
        ("ISA16", &[":"]),
        ("ISA11", &["^"]),
        ("GS08", &["005010X279A1"]),
        ("SE.1", &["7"]),
    ];
    for (path, expected) in cases {
        assert_eq!(select(text.as_bytes(), path), expected, "{path}");
    }
}

#[test]
fn empty_is_absent() {
    for (segment, path) in [
        ("EB*~", "EB.1"),
        ("EB**~", "EB.2"),
        ("EB*::~", "EB.1"),
        ("EB*::~", "EB.1.2"),
        ("EB*^^~", "EB.1"),
        ("EB*^^~", "EB.1[*]"),
        ("EB*^33~", "EB.1"),
        ("EB*a::b~", "EB.1.2"),
        ("EB~", "EB.1"),
    ] {
        let text = sound().replace("EB*1**1^33^30~", segment);
        assert_eq!(select(text.as_bytes(), path), [""; 0], "{segment} {path}");
    }
    let text = sound().replace("EB*1**1^33^30~", "EB*^33~");
    assert_eq!(select(text.as_bytes(), "EB.1[*]"), ["33"]);
    // White space is a value, but for the padding of ISA.
    let text = sound().replace("EB*1**1^33^30~", "EB* ~");
    assert_eq!(select(text.as_bytes(), "EB.1"), [" "]);
}

#[test]
fn without_a_repetition_separator_nothing_repeats() {
    for (from, to) in [("*^*00501*", "*U*00501*"), ("*^*00501*", "*^*00401*")] {
        let text = sound().replace(from, to).replace("1^33^30", "1^33^30U");
        assert_eq!(select(text.as_bytes(), "EB.3"), ["1^33^30U"]);
        assert_eq!(select(text.as_bytes(), "EB.3[*]"), ["1^33^30U"]);
    }
}

#[test]
fn spans_point_at_the_bytes() {
    let text = sound();
    let path = Path::parse("EB[*].3[*]").unwrap();
    let mut walk = Walk::from_slice(text.as_bytes());
    let mut seen = 0;
    while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
        if let Item::Set(set) = item {
            for value in path.select(&set.view()) {
                let at = value.offset as usize;
                assert_eq!(&text[at..at + value.len], value.text);
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 5);
}

#[test]
fn text_is_utf8_or_else_latin_1() {
    let text = sound().replace("GOLD", "Jos\u{e9}");
    assert_eq!(select(text.as_bytes(), "EB[2].5"), ["José"]);
    let at = text.find('\u{e9}').unwrap();
    let mut latin = text.into_bytes();
    latin.splice(at..at + 2, [0xE9]);
    assert_eq!(select(&latin, "EB[2].5"), ["José"]);
}

#[test]
fn what_is_refused() {
    use PathErrorKind as K;
    let cases = [
        ("", 0, K::SegmentId, None),
        ("EB.0", 3, K::Zero, Some("EB.1")),
        ("EB00", 2, K::Zero, Some("EB01")),
        ("EB[0].1", 3, K::Zero, Some("EB[1].1")),
        ("EB.3[0]", 5, K::Zero, Some("EB.3[1]")),
        ("EB.3.0", 5, K::Zero, Some("EB.3.1")),
        ("EB[0=1].1", 3, K::Zero, None),
        ("eb03", 0, K::SegmentId, Some("EB03")),
        ("eb[3=abc].1", 0, K::SegmentId, Some("EB[3=abc].1")),
        ("E.1", 0, K::SegmentId, None),
        ("EBXYZ.1", 3, K::SegmentId, None),
        ("EB/3", 2, K::Trailing, Some("EB.3")),
        ("EB-3", 2, K::Trailing, Some("EB.3")),
        (" EB.3", 0, K::SegmentId, Some("EB.3")),
        ("EB.3 ", 4, K::Trailing, Some("EB.3")),
        ("EB.", 3, K::Number, None),
        ("EB.x", 3, K::Number, None),
        ("EB.3.1.2", 6, K::Trailing, None),
        ("EB.100", 3, K::TooLarge, None),
        ("EB[2", 2, K::UnclosedBracket, Some("EB[2]")),
        ("EB.3[*", 4, K::UnclosedBracket, Some("EB.3[*]")),
        ("EB]2[.1", 2, K::Trailing, None),
        ("EB[].1", 3, K::Selector, None),
        ("EB[x].1", 3, K::Selector, None),
        ("EB[-1].1", 3, K::Selector, None),
        ("EB[99999999999999999999].1", 3, K::TooLarge, None),
        ("EB[=1].1", 3, K::Number, None),
        ("EB[3=].1", 5, K::EmptyValue, None),
        ("EB.3[1=2]", 5, K::ConditionOnElement, None),
        ("EB[2]3", 5, K::Trailing, None),
        ("IEA.1", 0, K::Trailer, None),
        ("GE01", 0, K::Trailer, None),
        ("271.EB.1", 0, K::LoopId, None),
        ("2110c.EB.1", 0, K::LoopId, Some("2110C.EB.1")),
        ("2110C", 5, K::LoopAlone, None),
        ("É.1", 0, K::SegmentId, None),
    ];
    for (path, at, kind, suggestion) in cases {
        let error = Path::parse(path).unwrap_err();
        // A suggestion with a loop in it is read on its own.
        assert_eq!((error.at, &error.kind, error.suggestion.as_deref()), (at, &kind, suggestion), "{path}");
        assert_eq!(error.path, path);
        assert!(error.to_string().contains(&format!("character {}", at + 1)));
    }
}

#[test]
fn loops_are_read() {
    for (path, id) in [
        ("2110C.EB.1", "2110C"),
        ("2110C[2].EB[1=1].3", "2110C"),
        ("2000C.2100C.NM1.9", "2000C"),
        ("2010AA.NM109", "2010AA"),
        ("2000.STC01-1", "2000"),
        ("2110C.EB", "2110C"),
    ] {
        let parsed = Path::parse(path).unwrap();
        assert_eq!(parsed.loops().first().map(|step| step.id()), Some(id), "{path}");
    }
}
