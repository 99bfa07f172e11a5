//! Test reports in JUnit's XML.

use proptest::prelude::*;

use crate::counts::NAMES;
use crate::report::{Unread, read};

#[test]
fn cases_are_counted() {
    let report = br#"<?xml version="1.0"?><testsuites><testsuite name="a" tests="99">
        <testcase name="1"/><testcase name="2"><failure message="x">no</failure></testcase>
        <testcase name="3"><skipped/></testcase><testcase name="4"><system-out>ok</system-out></testcase>
    </testsuite></testsuites>"#;
    let counts = read(report).unwrap();
    assert_eq!((counts.ran, counts.failed, counts.skipped), (3, 1, 1));
    assert_eq!(read(b"<testsuite/>").unwrap().ran, 0);
}

#[test]
fn what_did_not_run_and_what_failed_is_told_in_many_ways() {
    for (report, ran, failed, skipped, broken) in [
        ("<testsuite><testcase status='notrun'/><testcase status='run' result='suppressed'/></testsuite>", 0, 0, 2, 0),
        ("<testsuite><testcase status='run' result='completed'/></testsuite>", 1, 0, 0, 0),
        ("<testsuite><testcase status='fail'/></testsuite>", 1, 1, 0, 0),
        ("<testsuite><error message='x'/><testcase/></testsuite>", 1, 0, 0, 1),
        ("<testsuites><testsuite><testcase/></testsuite><failure/></testsuites>", 1, 0, 0, 1),
        ("<testsuite failures='2'><testcase/></testsuite>", 1, 0, 0, 2),
        ("<testsuites errors='1'><testsuite errors='1'><testcase/></testsuite></testsuites>", 1, 0, 0, 1),
        ("<testsuite failures='1' errors=''><testcase><failure/></testcase></testsuite>", 1, 1, 0, 0),
    ] {
        let counts = read(report.as_bytes()).unwrap();
        let told = (counts.ran, counts.failed, counts.skipped, counts.broken);
        assert_eq!(told, (ran, failed, skipped, broken), "{report}");
    }
}

#[test]
fn failed_cases_are_named() {
    let report = "<testsuite><testcase classname='calc.Add' name='adds &lt;1&gt;'><failure/></testcase><testcase name='b'/>\
                  <testcase name=' &none; \u{202e}'><error/></testcase><testcase><failure/></testcase></testsuite>";
    assert_eq!(read(report.as_bytes()).unwrap().names, ["calc.Add.adds <1>", "&none;"]);
    let many = format!("<testsuite>{}</testsuite>", "<testcase name='x'><failure/></testcase>".repeat(99));
    let counts = read(many.as_bytes()).unwrap();
    assert_eq!((counts.failed, counts.names.len()), (99, NAMES));
}

#[test]
fn what_is_none_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "holds no element"),
        (b"<html></html>", "neither testsuites nor testsuite"),
        (b"<testsuite><testcase>", "breaks off"),
        (b"<testsuite></a>", "not XML"),
        (b"<testsuite><testcase><failure/><testcase/></testcase></testsuite>", "other than testsuite"),
        (b"<testsuite/><testsuite/>", "more than one"),
        (b"<testsuite failures='some'/>", "not a number"),
        (b"<testsuite failures='1' failures='0'/>", "not XML"),
    ] {
        let Unread::None(error) = read(bytes).unwrap_err() else { panic!("{expected}") };
        assert!(error.contains(expected), "{error}");
    }
    let deep = read("<testsuite>".repeat(200).as_bytes()).unwrap_err();
    assert!(matches!(deep, Unread::Limit(why) if why.contains("deep")));
}

proptest! {
    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..100), text in "(<(/?testsuite|testcase|skipped)/?>){0,20}") {
        let _ = (read(&bytes), read(text.as_bytes()));
    }
}
